//! Runs both sides of a job in turns, and prints a line of the table for it.

use std::env;
use std::ffi::{CStr, c_void};
use std::path::PathBuf;
use std::ptr;
use std::time::Instant;

use ash::vk;
use libloading::os::unix::{Library, RTLD_GLOBAL, RTLD_NOW};

use crate::work::{Job, Work};
use interop::Result;
use interop::cuda::Stream;
use test_support::bench::{self as support, Summary};

/// Rounds, and what a round's number of turns is divided by.
pub struct Effort {
    pub rounds: usize,
    less: u64,
}

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

pub struct Bench {
    c: Library,
    pub effort: Effort,
    stream: Stream,
}

impl Bench {
    pub fn new() -> Result<Self> {
        let effort = if support::is_bench() {
            Effort { rounds: 101, less: 1 }
        } else {
            Effort { rounds: 3, less: 50 }
        };
        Ok(Self { c: compile(), effort, stream: Stream::new()? })
    }

    pub fn empty(&self) -> Work {
        Work {
            fd: -1,
            size: 0,
            stream: self.stream.raw(),
            from: 0,
            to: 0,
            image: ptr::null_mut(),
            levels: 0,
            width: 0,
            height: 0,
            texel: 0,
            to_vulkan: ptr::null_mut(),
            to_cuda: ptr::null_mut(),
            submit: None,
            queue: vk::Queue::null(),
            submission: ptr::null::<c_void>(),
            value: ptr::null_mut(),
        }
    }

    /// Prints a line of the table, and returns this crate's times.
    pub fn compare(
        &self,
        name: &str,
        c: &CStr,
        rust: Job,
        work: &mut Work,
        turns: u64,
        unit: Unit,
    ) -> Result<Vec<f64>> {
        let turns = (turns / self.effort.less).max(1);
        // SAFETY: work.c's functions have this type.
        let c: Job = unsafe { *self.c.get(c.to_bytes_with_nul()).expect("work.c has it") };
        let sides = [c, rust];
        let mut times = [const { Vec::new() }; 2];
        // Warm-up rounds come first.
        for round in 0..self.effort.rounds + 4 {
            for turn in 0..2 {
                let side = (round + turn) % 2;
                let start = Instant::now();
                // SAFETY: the caller has filled in what the job works on.
                unsafe { sides[side](work, turns) }.result()?;
                if round >= 4 {
                    times[side].push(start.elapsed().as_secs_f64() / turns as f64);
                }
            }
        }
        let least = self.effort.rounds as f64 / 200.0;
        let (user, system) = shares(least, || Ok(unsafe { rust(work, turns) }.result()?))?;
        let ratio = Summary::of_ratios(&times[1], &times[0]);
        let [c, mine] = [&times[0], &times[1]].map(|its| unit.text(Summary::of(its.clone()).median));
        println!("{name} | {c} | {mine} | {ratio:.3} | {user:.0} %, {system:.0} %");
        let [_, rust] = times;
        Ok(rust)
    }
}

#[derive(Clone, Copy)]
pub enum Unit {
    Time,
    /// The bytes that are read and written each time.
    Bytes(u64),
}

impl Unit {
    fn text(self, seconds: f64) -> String {
        match self {
            Self::Time => format!("{:.2} us", seconds * 1e6),
            Self::Bytes(bytes) => format!("{:.0} GB/s", bytes as f64 / seconds / 1e9),
        }
    }
}

/// Returns the shares of wall time, in percent, that this thread spent in user code and in the kernel. The
/// kernel may count in ticks of its clock, so this goes on for `least` seconds.
fn shares(least: f64, mut job: impl FnMut() -> Result<()>) -> Result<(f64, f64)> {
    let usage = || {
        // SAFETY: all zero is a value of the struct, which the call fills in.
        let usage = unsafe {
            let mut usage: libc::rusage = std::mem::zeroed();
            libc::getrusage(libc::RUSAGE_THREAD, &mut usage);
            usage
        };
        [usage.ru_utime, usage.ru_stime].map(|time| time.tv_sec as f64 + time.tv_usec as f64 / 1e6)
    };
    let (start, before) = (Instant::now(), usage());
    while start.elapsed().as_secs_f64() < least {
        job()?;
    }
    let (wall, after) = (start.elapsed().as_secs_f64(), usage());
    Ok(((after[0] - before[0]) / wall * 100.0, (after[1] - before[1]) / wall * 100.0))
}
