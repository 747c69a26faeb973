//! The same work through this crate and in C, on a GPU: `cargo bench --bench gpu`, on Linux, with
//! a C compiler and the toolkit's cuda.h below CUDA_HOME (/usr/local/cuda where that is not set).
//! benches/README.md has the numbers. The sides take turns, as in call.rs.

#[cfg(target_os = "linux")]
mod work;

#[cfg(not(target_os = "linux"))]
fn main() {
    eprintln!("gpu: shares file descriptors with Vulkan, on Linux only");
}

#[cfg(target_os = "linux")]
fn main() -> std::process::ExitCode {
    use interop::Error;
    interop::example::end(linux::measure().map_err(|error| match test_support::is_required("gpu") {
        true => Error::Failed(error.to_string()),
        false => error,
    }))
}

#[cfg(target_os = "linux")]
mod linux {
    use std::env;
    use std::ffi::CStr;
    use std::os::fd::AsRawFd;
    use std::path::PathBuf;
    use std::time::Instant;

    use interop::cuda::{Cuda, Stream};
    use interop::shared::SharedSemaphore;
    use interop::vulkan::{Buffer, Kind, ReusableSubmission, Vulkan};
    use interop::{Result, interrupts};
    use libloading::os::unix::{Library, RTLD_GLOBAL, RTLD_NOW};
    use test_support::bench::{self as support, Summary};

    use crate::work::{self, Job, Work};

    /// C's side. It is linked with the driver as a C program is, through its PLT.
    fn compile() -> Library {
        let directory = support::directory();
        let home = env::var_os("CUDA_HOME").map_or_else(|| "/usr/local/cuda".into(), PathBuf::from);
        support::write(&directory, "work.c", include_str!("work.c"));
        let include = format!("-I{}", home.join("include").display());
        support::cc(&directory, &["-shared", "-fPIC", &include, "-o", "work.so", "work.c"]);
        // SAFETY: the driver is open already, and work.so has no initializer.
        unsafe {
            let driver = Library::open(Some("libcuda.so.1"), RTLD_NOW | RTLD_GLOBAL);
            std::mem::forget(driver.expect("the driver is open already"));
            Library::open(Some(directory.join("work.so")), RTLD_NOW).expect("it was just compiled")
        }
    }

    /// An import of 2 MiB, and a hand-over to Vulkan and back.
    pub fn measure() -> Result<()> {
        let cuda = Cuda::open(0)?;
        let vulkan = Vulkan::open(&cuda.uuid)?;
        let stream = Stream::new()?;
        let (rounds, times) = if support::is_bench() { (101, 200) } else { (3, 4) };
        let version = cuda_external_sys::load().map_or(0, |driver| driver.version());
        println!("{}, CUDA {version}, {rounds} rounds", cuda.name);
        println!("{}", interrupts::leave_their_cpu(&vulkan)?);

        // On a transfer queue a hand-over takes microseconds, so that a difference between the languages is visible.
        let queue = vulkan.transfer_queue().unwrap_or(vulkan.queue());
        let size = 2 << 20;
        // The job duplicates the descriptor, since an import takes it.
        let (_buffer, memory) = Buffer::with_memory(&vulkan, size, false)?;
        let fd = memory.export()?;
        let to_vulkan = SharedSemaphore::new(&vulkan, Kind::Timeline)?;
        let to_cuda = SharedSemaphore::new(&vulkan, Kind::Timeline)?;
        let mut value = 0_u64;
        let value: *mut u64 = &mut value;
        // The job writes the value, and the driver reads it, between two uses of it.
        let submission =
            ReusableSubmission::new((to_vulkan.vulkan.raw, value), None, (to_cuda.vulkan.raw, value));
        let mut work = Work {
            fd: fd.as_raw_fd(),
            size,
            stream: stream.raw(),
            to_vulkan: to_vulkan.cuda.raw(),
            to_cuda: to_cuda.cuda.raw(),
            submit: vulkan.device.fp_v1_0().queue_submit,
            queue: queue.raw,
            submission: submission.info().cast(),
            value,
        };

        let c = compile();
        println!("\njob | C, each | this crate, each | time ratio (5 % to 95 %)");
        let mut compare = |name: &str, c_name: &CStr, rust: Job| {
            // SAFETY: work.c's functions have this type.
            let sides = [unsafe { *c.get(c_name.to_bytes_with_nul()).expect("work.c has it") }, rust];
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
            println!("{name} | {c:.2} us | {rust:.2} us | {ratio:.3}");
        };
        compare("import, map, unmap, destroy 2 MiB", c"import", work::import);
        compare("timeline semaphore, CUDA to Vulkan to CUDA, in a queue", c"hand_over", work::hand_over);
        // SAFETY: the device lives.
        Ok(unsafe { vulkan.device.queue_wait_idle(queue.raw) }?)
    }
}
