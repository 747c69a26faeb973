//! A hand-over to Vulkan and back through this crate and in C. The sides take turns, as in call.rs. The cuda.h is that of the toolkit below CUDA_HOME (/usr/local/cuda where that is not set).

use std::env;
use std::mem::forget;
use std::path::PathBuf;
use std::time::Instant;

use cuda_external_sys::CUresult;
use interop::Result;
use interop::cuda::Stream;
use interop::shared::SharedSemaphore;
use interop::vulkan::{Kind, ReusableSubmission, Vulkan};
use libloading::os::unix::{Library, RTLD_GLOBAL, RTLD_NOW};
use test_support::bench::{self as support, Summary};

use super::work::{self, Work};

type Job = unsafe extern "C" fn(work: &mut Work, times: u64) -> CUresult;

/// C's side. It is linked with the driver as a C program is, through its PLT.
fn compile(include: PathBuf) -> Library {
    let directory = support::directory();
    support::write(&directory, "work.c", include_str!("work.c"));
    let include = format!("-I{}", include.display());
    support::cc(&directory, &["-shared", "-fPIC", &include, "-o", "work.so", "work.c"]);
    // SAFETY: the driver is open already, and work.so has no initializer.
    unsafe {
        forget(
            Library::open(Some("libcuda.so.1"), RTLD_NOW | RTLD_GLOBAL).expect("the driver is open already"),
        );
        Library::open(Some(directory.join("work.so")), RTLD_NOW).expect("it was just compiled")
    }
}

pub fn compare(vulkan: &Vulkan, stream: &Stream) -> Result<()> {
    let include = PathBuf::from(env::var_os("CUDA_HOME").unwrap_or("/usr/local/cuda".into())).join("include");
    if !include.join("cuda.h").exists() {
        println!("\nNothing is compared with C: {} has no cuda.h.", include.display());
        return Ok(());
    }
    let (rounds, times) = if support::is_bench() { (101, 200) } else { (3, 4) };
    // On a transfer queue a hand-over takes microseconds, so that a difference between the languages is visible.
    let queue = vulkan.transfer_queue().unwrap_or(vulkan.queue());
    let to_vulkan = SharedSemaphore::new(vulkan, Kind::Timeline)?;
    let to_cuda = SharedSemaphore::new(vulkan, Kind::Timeline)?;
    let mut value = 0_u64;
    let value: *mut u64 = &mut value;
    // The job writes the value, and the driver reads it, between two uses of it.
    let submission =
        ReusableSubmission::new((to_vulkan.vulkan.raw, value), None, (to_cuda.vulkan.raw, value));
    let mut work = Work {
        stream: stream.raw(),
        to_vulkan: to_vulkan.cuda.raw(),
        to_cuda: to_cuda.cuda.raw(),
        submit: vulkan.device.fp_v1_0().queue_submit,
        queue: queue.raw,
        submission: submission.info().cast(),
        value,
    };

    let c = compile(include);
    println!("\na round trip in C | by this crate | time ratio (5 % to 95 %)");
    // SAFETY: work.c's function has this type.
    let sides: [Job; 2] = [unsafe { *c.get(b"hand_over").expect("work.c has it") }, work::hand_over];
    let mut microseconds = |side: usize| {
        let start = Instant::now();
        // SAFETY: every field is of an object that lives.
        unsafe { sides[side](&mut work, times) }.result().expect("the job succeeds");
        start.elapsed().as_secs_f64() * 1e6 / times as f64
    };
    let _warm_up: [_; 2] = support::in_turns(4, &mut microseconds);
    let [c, rust] = support::in_turns(rounds, &mut microseconds);
    let ratio = Summary::of_ratios(&rust, &c);
    let [c, rust] = [c, rust].map(|its| Summary::of(its).median);
    println!("{c:.2} us | {rust:.2} us | {ratio:.3}");
    // SAFETY: the device lives.
    Ok(unsafe { vulkan.device.queue_wait_idle(queue.raw) }?)
}
