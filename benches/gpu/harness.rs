//! Runs both sides of a job in turns, and prints a line of the table for it.

use std::env;
use std::ffi::CStr;
use std::path::PathBuf;
use std::time::Instant;

use libloading::os::unix::{Library, RTLD_GLOBAL, RTLD_NOW};

use crate::work::{Job, Work};
use interop::Result;
use interop::cuda::Stream;
use test_support::bench::{self as support, Summary};

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
    pub rounds: usize,
    /// What a job's number of turns is divided by.
    less: u64,
    stream: Stream,
}

impl Bench {
    pub fn new() -> Result<Self> {
        let (rounds, less) = if support::is_bench() { (101, 1) } else { (3, 50) };
        Ok(Self { c: compile(), rounds, less, stream: Stream::new()? })
    }

    /// Work in the bench's stream. Everything else is zero or null.
    pub fn empty(&self) -> Work {
        // SAFETY: the struct has numbers, pointers, handles and an optional function.
        Work { stream: self.stream.raw(), ..unsafe { std::mem::zeroed() } }
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
        let turns = (turns / self.less).max(1);
        // SAFETY: work.c's functions have this type.
        let sides = [unsafe { *self.c.get(c.to_bytes_with_nul()).expect("work.c has it") }, rust];
        // SAFETY: the caller has filled in what the job works on.
        let mut run = |job: Job| unsafe { job(work, turns) }.result().expect("the job succeeds");
        let mut seconds = |side: usize| {
            let start = Instant::now();
            run(sides[side]);
            start.elapsed().as_secs_f64() / turns as f64
        };
        let _warm_up: [_; 2] = support::in_turns(4, &mut seconds);
        let [c, rust] = support::in_turns(self.rounds, &mut seconds);
        let (user, system) = shares(self.rounds as f64 / 200.0, || run(sides[1]));
        let ratio = Summary::of_ratios(&rust, &c);
        let [c, mine] = [&c, &rust].map(|its| unit.text(Summary::of(its.clone()).median));
        println!("{name} | {c} | {mine} | {ratio:.3} | {user:.0} %, {system:.0} %");
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
fn shares(least: f64, mut job: impl FnMut()) -> (f64, f64) {
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
        job();
    }
    let (wall, after) = (start.elapsed().as_secs_f64(), usage());
    ((after[0] - before[0]) / wall * 100.0, (after[1] - before[1]) / wall * 100.0)
}
