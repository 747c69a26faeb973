//! What the first call costs (open the library, resolve the function, call it), beside the same in
//! C: `cargo bench --bench first_call`, on Linux, with a C compiler. benches/README.md has the
//! numbers. Each measurement is a process of its own; the two sides take turns.

#[cfg(all(target_os = "linux", not(feature = "link")))]
fn main() {
    load::main();
}

#[cfg(not(all(target_os = "linux", not(feature = "link"))))]
fn main() {
    eprintln!("first_call: measures the mode `load` on Linux only");
}

#[cfg(all(target_os = "linux", not(feature = "link")))]
mod load {
    use std::env;
    use std::hint::black_box;
    use std::path::Path;
    use std::process::Command;
    use std::ptr;
    use std::time::Instant;

    use cuda_external_sys::{CUDA_SUCCESS, cuSignalExternalSemaphoresAsync, cuWaitExternalSemaphoresAsync};

    use test_support::bench::{self as support, Summary};

    const CHILD: &str = "CUDA_EXTERNAL_SYS_BENCH_CHILD";
    const STEPS: [&str; 3] = ["open, resolve, call", "resolve another, call", "call again"];

    pub fn main() {
        if env::var_os(CHILD).is_some() {
            return child();
        }
        let directory = support::directory();
        support::empty_driver(&directory);
        support::write(&directory, "first.c", include_str!("call/first.c"));
        // Symbols are bound at the start, as in Rust's programs. Otherwise the call would include the PLT's lazy binding.
        support::cc(&directory, &["-Wl,-z,now", "-o", "first", "first.c", "-ldl"]);
        let this = env::current_exe().expect("the bench has a path");
        let (warm_up, rounds) = if support::is_bench() { (20, 1_000) } else { (0, 1) };
        let programs = [directory.join("first"), this];
        let mut measure = |side: usize| in_a_process(&programs[side], &directory);
        let _warm_up: [_; 2] = support::in_turns(warm_up, &mut measure);
        let times: [_; 2] = support::in_turns(rounds, &mut measure);
        println!("{rounds} processes a side, microseconds | C | this crate, load | difference (5 % to 95 %)");
        for (step, name) in STEPS.iter().enumerate() {
            let [c, rust] = times.each_ref().map(|its| Vec::from_iter(its.iter().map(|steps| steps[step])));
            let more = Summary::of(rust.iter().zip(&c).map(|(rust, c)| rust - c).collect());
            let [c, rust] = [c, rust].map(|times| Summary::of(times).median);
            println!(
                "{name:35} | {c:6.2} | {rust:6.2} | {:+.2} ({:+.2} to {:+.2})",
                more.median, more.low, more.high
            );
        }
    }

    /// What call/first.c does, by this crate.
    fn child() {
        drop(black_box(Box::new([0_u8; 100])));
        let _ = Instant::now();
        let start = Instant::now();
        // SAFETY: the empty driver reads no argument.
        let first = unsafe { cuWaitExternalSemaphoresAsync(ptr::null(), ptr::null(), 0, ptr::null_mut()) };
        let opened = start.elapsed();
        let second = unsafe { cuSignalExternalSemaphoresAsync(ptr::null(), ptr::null(), 0, ptr::null_mut()) };
        let resolved = start.elapsed();
        let third = unsafe { cuSignalExternalSemaphoresAsync(ptr::null(), ptr::null(), 0, ptr::null_mut()) };
        let called = start.elapsed();
        assert_eq!([first, second, third], [CUDA_SUCCESS; 3]);
        println!(
            "{} {} {}",
            opened.as_nanos(),
            (resolved - opened).as_nanos(),
            (called - resolved).as_nanos()
        );
    }

    fn in_a_process(program: &Path, libraries: &Path) -> [f64; 3] {
        let output = Command::new(program).env(CHILD, "1").env("LD_LIBRARY_PATH", libraries).output();
        let output = output.expect("the program starts");
        assert!(output.status.success(), "{}: {output:?}", program.display());
        let text = String::from_utf8(output.stdout).expect("digits");
        let numbers: Vec<f64> = text.split_whitespace().map(|word| word.parse().expect("a number")).collect();
        let nanoseconds: [f64; 3] = numbers.try_into().expect("three numbers");
        nanoseconds.map(|number| number / 1e3)
    }
}
