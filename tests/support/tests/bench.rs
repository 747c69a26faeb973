//! What benches share: the summary of numbers, and the C side.

#![cfg(unix)]

use std::fs;

use build_script::allowlist;
use test_support::bench::{Summary, cc, directory, empty_driver, in_turns, is_bench, write};

#[test]
fn a_summary_has_the_middle_and_nine_tenths() {
    // 0 to 20, in another order.
    let numbers = Vec::from_iter((0..21).map(|at| f64::from(at * 8 % 21)));
    let summary = Summary::of(numbers.clone());
    assert_eq!([summary.median, summary.low, summary.high], [10.0, 1.0, 19.0]);
    assert_eq!(summary.to_string(), "10.000 (1.000 to 19.000)");
    assert_eq!(format!("{summary:.1}"), "10.0 (1.0 to 19.0)");
    let halves = Vec::from_iter(numbers.iter().map(|number| number / 2.0));
    let ratios = Summary::of_ratios(&numbers[1..], &halves[1..]);
    assert_eq!([ratios.median, ratios.low, ratios.high], [2.0; 3]);
}

#[test]
fn each_round_begins_with_another_side() {
    let mut order = Vec::new();
    let numbers = in_turns::<_, 3>(4, |side| {
        order.push(side);
        order.len()
    });
    assert_eq!(order, [0, 1, 2, 1, 2, 0, 2, 0, 1, 0, 1, 2]);
    assert_eq!(numbers, [vec![1, 6, 8, 10], vec![2, 4, 9, 11], vec![3, 5, 7, 12]]);
}

#[test]
fn what_is_compiled_is_optimized_and_lies_beside_the_bench() {
    // Not with `cargo bench`.
    assert!(!is_bench());
    let beside = std::env::current_exe().unwrap().with_file_name("bench-c");
    // Left by an earlier run.
    _ = fs::remove_dir_all(&beside);
    assert_eq!(directory(), beside);
    assert!(beside.is_dir());
    let directory = tempfile::tempdir().unwrap();
    write(directory.path(), "optimized.c", "#ifndef __OPTIMIZE__\n#error\n#endif\n");
    cc(directory.path(), &["-c", "optimized.c"]);
    assert!(directory.path().join("optimized.o").is_file());
    write(directory.path(), "wrong.c", "#error\n");
    assert!(std::panic::catch_unwind(|| cc(directory.path(), &["-c", "wrong.c"])).is_err());
    // The linker finds every function in it, and nothing else calls them here.
    empty_driver(directory.path());
    assert!(directory.path().join("libcuda.so.1").is_file());
    let calls: String = allowlist::FUNCTIONS.iter().map(|(name, _)| format!("int {name}(void); ")).collect();
    let sum: Vec<String> = allowlist::FUNCTIONS.iter().map(|(name, _)| format!("{name}()")).collect();
    let text = format!("{calls}\nint main(void) {{ return {}; }}\n", sum.join(" + "));
    fs::write(directory.path().join("main.c"), text).unwrap();
    cc(directory.path(), &["main.c", "libcuda.so.1", "-o", "main"]);
    let program = std::process::Command::new(directory.path().join("main"))
        .env("LD_LIBRARY_PATH", directory.path())
        .status();
    assert!(program.unwrap().success());
}
