//! A test that needs something is ignored where that is missing, and fails where it is required.

use std::env;
use std::process::ExitCode;
use std::sync::Mutex;
use std::thread;
use std::time::Duration;

use test_support::{NEEDS, Need, exit_report, run, tests, this_program};

fn main() -> ExitCode {
    let gpu = Need::new("gpu", &Err::<(), _>("for this test".to_owned()));
    let feature = Need::feature("bindgen", false);
    // This program runs these alone, once more for each value.
    if env::args().any(|argument| argument == "--exact") {
        return run(tests! { [gpu] => needs_a_gpu; [feature] => needs_a_feature; }, None);
    }
    if env::args().any(|argument| argument == "alone") {
        return run(tests! { [] => first_alone, second_alone; }, Some(1));
    }
    run(tests! { [] => what_is_required, a_programs_number_of_threads_counts; }, None)
}

/// GPU tests count memory and descriptors.
fn a_programs_number_of_threads_counts() {
    let output = this_program().args(["alone", "--test-threads", "2"]).output();
    let text = exit_report(&output.expect("this program runs again"));
    assert!(text.contains("2 passed; 0 failed"), "{text}");
}

static RUNNING: Mutex<()> = Mutex::new(());

fn first_alone() {
    let _alone = RUNNING.try_lock().expect("no other test runs");
    thread::sleep(Duration::from_millis(100));
}

fn second_alone() {
    first_alone();
}

fn needs_a_gpu() {}

fn needs_a_feature() {}

fn what_is_required() {
    for (required, name, code, part) in [
        ("", "needs_a_gpu", 0, "1 ignored"),
        ("headers, gpu", "needs_a_gpu", 101, "names `gpu`, which this machine does not have: for this test"),
        ("all", "needs_a_gpu", 101, "1 failed"),
        ("all, -gpu", "needs_a_gpu", 0, "1 ignored"),
        // The machine cannot meet it.
        ("all", "needs_a_feature", 0, "1 ignored"),
        // tests/run.sh knows these words.
        ("", "needs_a_feature", 0, "[no bindgen: it is off in this build] needs_a_feature"),
        ("headers, header", "needs_a_gpu", 2, "names `header`, which is not a need"),
    ] {
        // `--ignored` changes nothing: the test cannot run.
        for options in [&["--exact", name][..], &["--exact", name, "--ignored"]] {
            let output = this_program().args(options).env("CUDA_EXTERNAL_SYS_REQUIRE", required).output();
            let output = output.expect("this program runs again");
            let text = exit_report(&output);
            assert!(output.status.code() == Some(code) && text.contains(part), "{required}: {text}");
            let is_listed = |name: &str| text.contains(&format!("\n  {name} "));
            assert_eq!(NEEDS.iter().all(|(name, _)| is_listed(name)), code == 2, "{text}");
        }
    }
}
