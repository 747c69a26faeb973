//! Cases that end in every way. A shell stands in for the driver.

use super::*;

const LONG: Duration = Duration::from_secs(30);

fn shell(script: &str, limit: Duration) -> Outcome {
    run(Command::new("sh").args(["-c", script]), limit)
}

fn answer(text: &str) -> Outcome {
    Outcome::Answer(text.to_owned())
}

#[test]
fn a_case_that_succeeds_answers_with_its_lines() {
    assert_eq!(shell("echo CUDA_SUCCESS; echo closed; echo noise >&2", LONG), answer("CUDA_SUCCESS; closed"));
}

#[test]
fn a_machine_that_lacks_something_is_not_measured() {
    let script = format!("echo noise >&2; echo an answer; echo no GPU; exit {MISSING}");
    assert_eq!(shell(&script, LONG), Outcome::NotMeasured("no GPU".to_owned()));
}

#[test]
fn a_crash_is_an_answer_with_the_signals_name() {
    assert_eq!(shell("echo free: done; kill -SEGV $$", LONG), answer("free: done; crash SIGSEGV"));
    assert_eq!(shell("kill -ABRT $$", LONG), answer("crash SIGABRT"));
}

#[test]
fn a_crash_completes_an_unfinished_line() {
    assert_eq!(shell("printf 'free: '; kill -SEGV $$", LONG), answer("free: crash SIGSEGV"));
}

#[test]
fn a_hang_is_an_answer_after_the_limit() {
    let start = Instant::now();
    // `exec`, so that the process that is killed is the one that hangs.
    let seen = shell("printf 'wait: '; exec sleep 60", Duration::from_millis(200));
    assert_eq!(seen, answer("wait: hang"));
    assert!(start.elapsed() < Duration::from_secs(20));
}

#[test]
fn the_limit_is_for_the_time_without_output() {
    let slow = "for i in 1 2 3 4 5 6; do echo $i; sleep 0.2; done";
    assert_eq!(shell(slow, Duration::from_millis(900)), answer("1; 2; 3; 4; 5; 6"));
}

#[test]
fn another_exit_status_is_a_failure_of_the_case() {
    let failed = |text: &str| Outcome::Failed(text.to_owned());
    assert_eq!(shell("echo first; echo why >&2; exit 4", LONG), failed("first; exit status 4: why"));
    assert!(matches!(run(&mut Command::new("/nonexistent"), LONG), Outcome::Failed(_)));
}

#[test]
fn more_output_than_a_pipe_holds_is_read() {
    let Outcome::Answer(text) = shell("yes | head -c 300000", LONG) else { panic!("an answer") };
    assert_eq!(text.split("; ").count(), 150_000);
}

#[test]
fn answers_that_vary_are_all_kept() {
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("seen");
    // Crashes the first time, and afterwards by another signal.
    let script = "if [ -e \"$0\" ]; then kill -ABRT $$; else : > \"$0\"; kill -SEGV $$; fi";
    let command = || {
        let mut command = Command::new("sh");
        command.arg("-c").arg(script).arg(&file);
        command
    };
    assert_eq!(run_case(command, LONG), answer("crash SIGABRT or crash SIGSEGV"));
    let command = || {
        let mut command = Command::new("sh");
        command.args(["-c", "echo free; kill -SEGV $$"]);
        command
    };
    assert_eq!(run_case(command, LONG), answer("free; crash SIGSEGV"));
}
