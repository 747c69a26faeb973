//! Tests of cases that hang, and of answers that vary. A shell stands in for the driver. The other ways to end are
//! tested with the driver in software (dev/scripts/cpu-tests).

use super::*;

const LONG: Duration = Duration::from_secs(30);

fn shell(script: &str, limit: Duration) -> Outcome {
    run(Command::new("sh").args(["-c", script]), limit)
}

fn answer(text: &str) -> Outcome {
    Outcome::Answer(text.to_owned())
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
