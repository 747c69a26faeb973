//! The cost of a call, beside the same call in C: `cargo bench --bench call`, on Linux, with a C compiler. With
//! `--no-default-features --features link` it measures the mode `link`, and needs a driver to start.
//! dev/benches/README.md has the numbers.
//!
//! The sides take turns, which neither criterion nor divan can do.

#[cfg(all(target_os = "linux", any(feature = "load", feature = "link")))]
fn main() {
    linux::main();
}

#[cfg(not(all(target_os = "linux", any(feature = "load", feature = "link"))))]
fn main() {
    eprintln!("call: measures the modes `load` and `link`, on Linux only, where C calls through a PLT");
}

#[cfg(all(target_os = "linux", any(feature = "load", feature = "link")))]
mod linux {
    use std::ffi::CStr;
    use std::hint::black_box;
    use std::path::Path;
    use std::ptr;
    use std::time::Instant;

    use cuda_external_sys::{CUDA_SUCCESS, CUresult, cuWaitExternalSemaphoresAsync};

    use test_support::bench_helpers::{self as support, Summary};

    const MODE: &str = if cfg!(feature = "load") { "this crate, load" } else { "this crate, link" };

    type Loop = unsafe extern "C" fn(calls: u64);
    type Side = (&'static str, Loop);

    /// One call as the loops make it. The empty driver reads no argument.
    #[inline(always)]
    unsafe fn call() -> CUresult {
        unsafe { cuWaitExternalSemaphoresAsync(ptr::null(), ptr::null(), 0, ptr::null_mut()) }
    }

    macro_rules! eight {
        ($call:expr) => {
            for _ in 0..8 {
                let _ = unsafe { $call };
            }
        };
    }

    // The loops of call/loops.c. Not mangled, so that a profiler and objdump find them.

    #[unsafe(no_mangle)]
    #[inline(never)]
    unsafe extern "C" fn rust_calls(calls: u64) {
        for _ in 0..calls / 8 {
            eight!(call());
        }
    }

    #[unsafe(no_mangle)]
    #[inline(never)]
    unsafe extern "C" fn rust_alone() -> CUresult {
        unsafe { call() }
    }

    #[unsafe(no_mangle)]
    #[inline(never)]
    unsafe extern "C" fn rust_calls_alone(calls: u64) {
        for _ in 0..calls / 8 {
            eight!(rust_alone());
        }
    }

    pub fn main() {
        let directory = support::directory();
        support::empty_driver(&directory);
        let sides = sides(&directory);
        // The first call resolves the function.
        assert_eq!(unsafe { call() }, CUDA_SUCCESS, "the empty driver returns 0");
        if std::env::args().any(|argument| argument == "--count") {
            // For a profiler that counts instructions: dev/benches/call.sh.
            return sides.iter().for_each(|(_, calling)| unsafe { calling(1_000_000) });
        }
        let (calls, rounds) = if support::is_bench() { (100_000, 301) } else { (1_000, 1) };
        one_thread(&sides, calls, rounds);
    }

    /// The same loop by each side. The others are compared with the first one.
    fn sides(directory: &Path) -> [Side; 4] {
        support::write(directory, "loops.c", include_str!("call/loops.c"));
        let rest = ["-shared", "-fPIC", "-o", "plt.so", "loops.c", "-L.", "-l:libcuda.so.1"];
        support::cc(directory, &[&rest[..], &["-Wl,-rpath,$ORIGIN"]].concat());
        // Opens the empty driver too; both stay open.
        let library = unsafe { libloading::Library::new(directory.join("plt.so")) };
        let library = Box::leak(Box::new(library.expect("it was just compiled")));
        [
            ("C, through its PLT", symbol(library, c"c_plt")),
            (MODE, rust_calls),
            ("a lone call: C, through its PLT", symbol(library, c"c_plt_alone")),
            ("a lone call: this crate", rust_calls_alone),
        ]
    }

    fn symbol<T: Copy>(library: &'static libloading::Library, name: &CStr) -> T {
        // SAFETY: T is the type that loops.c gives it.
        unsafe { *library.get::<T>(name.to_bytes_with_nul()).expect("loops.c has it") }
    }

    fn one_thread(sides: &[Side; 4], calls: u64, rounds: usize) {
        let times: [_; 4] = support::in_turns(rounds, |side| {
            let start = Instant::now();
            unsafe { sides[side].1(black_box(calls)) };
            start.elapsed().as_nanos() as f64 / calls as f64
        });
        println!(
            "\none thread, {rounds} rounds of {calls} calls | ns a call | ratio to C's PLT (5 % to 95 %)"
        );
        for ((name, _), its) in sides.iter().zip(&times) {
            let ratio = Summary::of_ratios(its, &times[0]);
            println!("{name:45} | {:9.2} | {ratio:.2}", Summary::of(its.clone()).median);
        }
    }
}
