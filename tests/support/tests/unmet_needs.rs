//! A test is ignored if the machine does not meet its need, and fails if the need is required.

use std::env;
use std::process::ExitCode;

use test_support::{NEEDS, Need, describe_exit, run_trials, tests, this_program};

fn main() -> ExitCode {
    let gpu = Need::new("gpu", &Err::<(), _>("for this test".to_owned()));
    let feature = Need::cargo_feature("bindgen", false);
    // `a_missing_need_fails_if_required` runs this program with `--exact`, which selects one of these two tests.
    if env::args().any(|argument| argument == "--exact") {
        return run_trials(tests! { [gpu] => needs_a_gpu; [feature] => needs_a_feature; }, None);
    }
    run_trials(tests! { [] => a_missing_need_fails_if_required; }, None)
}

fn needs_a_gpu() {}

fn needs_a_feature() {}

fn a_missing_need_fails_if_required() {
    for (required, name, code, part) in [
        ("", "needs_a_gpu", 0, "1 ignored"),
        ("headers, gpu", "needs_a_gpu", 101, "names `gpu`, which this machine does not have: for this test"),
        ("all", "needs_a_gpu", 101, "1 failed"),
        ("all, -gpu", "needs_a_gpu", 0, "1 ignored"),
        // A cargo feature is not required of a machine.
        ("all", "needs_a_feature", 0, "1 ignored"),
        // tests/run.sh searches for this text.
        ("", "needs_a_feature", 0, "[no bindgen: it is off in this build] needs_a_feature"),
        ("headers, header", "needs_a_gpu", 2, "names `header`, which is not a need"),
    ] {
        // `--ignored` changes nothing: the test cannot run.
        for options in [&["--exact", name][..], &["--exact", name, "--ignored"]] {
            let output = this_program().args(options).env("CUDA_EXTERNAL_SYS_REQUIRE", required).output();
            let output = output.expect("this program runs again");
            let text = describe_exit(&output);
            assert!(output.status.code() == Some(code) && text.contains(part), "{required}: {text}");
            let is_listed = |name: &str| text.contains(&format!("\n  {name} "));
            assert_eq!(NEEDS.iter().all(|(name, _)| is_listed(name)), code == 2, "{text}");
        }
    }
}
