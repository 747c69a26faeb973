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
fn an_end_of_each_kind_is_an_outcome() {
    let failed = |text: &str| Outcome::Failed(text.to_owned());
    let missing = format!("echo noise >&2; echo an answer; echo no GPU; exit {MISSING}");
    for (script, expected) in [
        ("echo CUDA_SUCCESS; echo closed; echo noise >&2", answer("CUDA_SUCCESS; closed")),
        (missing.as_str(), Outcome::NotMeasured("no GPU".to_owned())),
        ("echo free: done; kill -SEGV $$", answer("free: done; crash SIGSEGV")),
        ("kill -ABRT $$", answer("crash SIGABRT")),
        // A crash completes an unfinished line.
        ("printf 'free: '; kill -SEGV $$", answer("free: crash SIGSEGV")),
        ("echo first; echo why >&2; exit 4", failed("first; exit status 4: why")),
    ] {
        assert_eq!(shell(script, LONG), expected, "{script}");
    }
    assert!(matches!(run(&mut Command::new("/nonexistent"), LONG), Outcome::Failed(_)));
}

#[test]
fn a_hang_is_an_answer_after_the_limit() {
    let start = Instant::now();
    // `exec`, so that the process that is killed is the one that hangs.
    let seen = shell("printf 'wait: '; exec sleep 60", Duration::from_millis(200));
    assert_eq!(seen, answer("wait: hang"));
    assert!(start.elapsed() < Duration::from_secs(20));
    // The limit is for the time without output.
    let slow = "for i in 1 2 3 4 5 6; do echo $i; sleep 0.2; done";
    assert_eq!(shell(slow, Duration::from_millis(900)), answer("1; 2; 3; 4; 5; 6"));
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
    assert_eq!(run_case(command, LONG), answer("crash SIGABRT"));
}
