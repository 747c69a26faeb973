//! `cargo bench --bench call` compares the time of a driver call from Rust and from C. It needs Linux and a C compiler.
//!
//! The bench measures time itself, since its loops take turns, which neither criterion nor divan supports.

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
    use std::env;
    use std::ffi::CStr;
    use std::fs;
    use std::hint::black_box;
    use std::path::Path;
    use std::ptr;
    use std::time::Instant;

    use cuda_external_sys::{CUDA_SUCCESS, CUresult, cuWaitExternalSemaphoresAsync};

    const MODE: &str = if cfg!(feature = "load") { "this crate, load" } else { "this crate, link" };

    type NamedLoop = (&'static str, unsafe extern "C" fn(calls: u64));

    /// Makes the measured call, whose callee `c_and_rust_call_loops` compiles. The callee reads no argument.
    #[inline(always)]
    unsafe fn call_wait_function() -> CUresult {
        unsafe { cuWaitExternalSemaphoresAsync(ptr::null(), ptr::null(), 0, ptr::null_mut()) }
    }

    macro_rules! eight {
        ($call:expr) => {
            for _ in 0..8 {
                let _ = unsafe { $call };
            }
        };
    }

    // The loops of call/loops.c in Rust. The names are not mangled, so that a profiler and objdump find them.

    #[unsafe(no_mangle)]
    #[inline(never)]
    unsafe extern "C" fn rust_calls(calls: u64) {
        for _ in 0..calls / 8 {
            eight!(call_wait_function());
        }
    }

    #[unsafe(no_mangle)]
    #[inline(never)]
    unsafe extern "C" fn rust_call_not_inlined() -> CUresult {
        unsafe { call_wait_function() }
    }

    #[unsafe(no_mangle)]
    #[inline(never)]
    unsafe extern "C" fn rust_calls_alone(calls: u64) {
        for _ in 0..calls / 8 {
            eight!(rust_call_not_inlined());
        }
    }

    pub fn main() {
        let sides = c_and_rust_call_loops();
        // In the mode `load`, the first call looks up the function, so the bench makes one call before it measures.
        assert_eq!(unsafe { call_wait_function() }, CUDA_SUCCESS, "the empty driver returns 0");
        let has = |option: &str| env::args().any(|argument| argument == option);
        if has("--count") {
            // dev/benches/call-cost.sh passes `--count` under valgrind, which counts the instructions of each loop.
            return sides.iter().for_each(|(_, calling)| unsafe { calling(1_000_000) });
        }
        // Without `--bench`, as under `cargo test --benches`, one short round shows that the loops work.
        let (calls, rounds) = if has("--bench") { (100_000, 301) } else { (1_000, 1) };
        let mut times = [const { Vec::new() }; 4];
        for turn in 0..rounds * sides.len() {
            // Each round begins with another loop, so that the load on the machine affects all loops alike.
            let side = (turn + turn / sides.len()) % sides.len();
            let start = Instant::now();
            unsafe { sides[side].1(black_box(calls)) };
            times[side].push(start.elapsed().as_nanos() as f64 / calls as f64);
        }
        println!(
            "\none thread, {rounds} rounds of {calls} calls | ns a call | ratio to C's PLT (5 % to 95 %)"
        );
        for ((name, _), its) in sides.iter().zip(&times) {
            let [_, median, _] = percentiles(its.iter().copied());
            let [low, ratio, high] = percentiles(its.iter().zip(&times[0]).map(|(one, plt)| one / plt));
            println!("{name:45} | {median:9.2} | {ratio:.2} ({low:.2} to {high:.2})");
        }
    }

    fn percentiles(numbers: impl Iterator<Item = f64>) -> [f64; 3] {
        let mut numbers = Vec::from_iter(numbers);
        numbers.sort_by(f64::total_cmp);
        [0.05, 0.5, 0.95].map(|share| numbers[((numbers.len() - 1) as f64 * share).round() as usize])
    }

    fn c_and_rust_call_loops() -> [NamedLoop; 4] {
        let directory = env::current_exe().expect("the bench has a path").with_file_name("bench-c");
        fs::create_dir_all(&directory).expect("the directory of the executable can be written");
        let empty = "int cuDriverGetVersion(int *v) { *v = 0; return 0; }
            int cuWaitExternalSemaphoresAsync(void) { return 0; }";
        let driver = ["-Wl,-soname,libcuda.so.1", "-o", "libcuda.so.1"];
        compile_c_loops(&directory, ("empty.c", empty), &driver);
        let plt = ["-o", "plt.so", "-L.", "-l:libcuda.so.1", "-Wl,-rpath,$ORIGIN"];
        compile_c_loops(&directory, ("loops.c", include_str!("call/loops.c")), &plt);
        // plt.so needs libcuda.so.1, so the dynamic linker loads the empty driver too. The process unloads neither.
        let library = unsafe { libloading::Library::new(directory.join("plt.so")) };
        let library = Box::leak(Box::new(library.expect("it was just compiled")));
        // SAFETY: loops.c defines each function with this type.
        let symbol = |name: &CStr| unsafe { *library.get(name.to_bytes_with_nul()).expect("loops.c has it") };
        [
            ("C, through its PLT", symbol(c"c_plt")),
            (MODE, rust_calls),
            ("a lone call: C, through its PLT", symbol(c"c_plt_alone")),
            ("a lone call: this crate", rust_calls_alone),
        ]
    }

    fn compile_c_loops(directory: &Path, (file, text): (&str, &str), options: &[&str]) {
        fs::write(directory.join(file), text).expect("the directory can be written");
        let mut cc = test_support::compiler_command();
        let status =
            cc.current_dir(directory).args(["-O2", "-Wall", "-shared", "-fPIC", file]).args(options).status();
        assert!(status.expect("the compiler starts").success(), "{cc:?}");
    }
}
