//! Cases that end in every way. A shell stands in for the driver.

use super::*;

const LONG: Duration = Duration::from_secs(30);

fn shell(script: &str, limit: Duration) -> Run {
    run(Command::new("sh").args(["-c", script]), limit)
}

fn answer(text: &str) -> Outcome {
    Outcome::Answer(text.to_owned())
}

fn ends_with(outcome: Outcome) -> Run {
    Run { outcomes: Vec::new(), last: Some(outcome) }
}

#[test]
fn a_case_that_ends_well_answers_with_its_lines() {
    let run = shell("echo CUDA_SUCCESS; echo closed; printf '\\036\\n'", LONG);
    assert_eq!(run, Run { outcomes: vec![answer("CUDA_SUCCESS; closed")], last: None });
}

#[test]
fn several_cases_of_a_process_have_an_outcome_each() {
    let script = "echo a; printf '\\036\\n'; printf '\\036missing: no GPU\\n'; echo b; printf '\\036failed: why\\n'; echo c; \
                  kill -SEGV $$";
    let expected =
        [answer("a"), Outcome::NotMeasured("no GPU".to_owned()), Outcome::Failed("b; why".to_owned())];
    assert_eq!(
        shell(script, LONG),
        Run { outcomes: expected.into(), last: Some(answer("c; crash SIGSEGV")) }
    );
}

#[test]
fn a_crash_is_an_answer_with_the_signals_name() {
    assert_eq!(shell("echo free: done; kill -SEGV $$", LONG), ends_with(answer("free: done; crash SIGSEGV")));
    assert_eq!(shell("kill -ABRT $$", LONG), ends_with(answer("crash SIGABRT")));
}

#[test]
fn a_crash_ends_the_line_that_was_begun() {
    assert_eq!(shell("printf 'free: '; kill -SEGV $$", LONG), ends_with(answer("free: crash SIGSEGV")));
}

#[test]
fn a_hang_is_an_answer_after_the_limit() {
    let start = Instant::now();
    // `exec`, so that the process that is killed is the one that hangs.
    let seen = shell("printf 'wait: '; exec sleep 60", Duration::from_millis(200));
    assert_eq!(seen, ends_with(answer("wait: hang")));
    assert!(start.elapsed() < Duration::from_secs(20));
}

#[test]
fn the_limit_is_of_the_time_without_a_word() {
    let slow = "for i in 1 2 3 4 5 6; do echo $i; sleep 0.2; done; printf '\\036\\n'";
    let run = shell(slow, Duration::from_millis(900));
    assert_eq!(run, Run { outcomes: vec![answer("1; 2; 3; 4; 5; 6")], last: None });
}

#[test]
fn another_exit_status_is_a_failure_of_the_case() {
    let failed = |text: &str| ends_with(Outcome::Failed(text.to_owned()));
    assert_eq!(shell("echo first; echo why >&2; exit 3", LONG), failed("first; exit status 3: why"));
    let run = run(&mut Command::new("/nonexistent"), LONG);
    assert!(matches!(run.last, Some(Outcome::Failed(_))));
}

#[test]
fn more_output_than_a_pipe_holds_is_read() {
    let run = shell("yes | head -c 300000; printf '\\036\\n'", LONG);
    let [Outcome::Answer(text)] = &run.outcomes[..] else { panic!("an answer") };
    assert_eq!(text.split("; ").count(), 150_000);
}

/// Cases are letters. `b` always crashes, and `d` does unless it is the first one.
#[test]
fn a_case_that_ends_the_process_of_others_is_run_once_more() {
    let command = |from: usize| {
        let script = "first=1; for case in $0; do \
                      case $case$first in b1) kill -SEGV $$ ;; d0|b0) kill -ABRT $$ ;; esac; \
                      echo $case; printf '\\036\\n'; first=0; done";
        let mut command = Command::new("sh");
        command.args(["-c", script, &["a", "b", "c", "d", "e"][from..].join(" ")]);
        (command, LONG)
    };
    let expected = [answer("a"), answer("crash SIGSEGV"), answer("c"), answer("d"), answer("e")];
    assert_eq!(run_all(5, command), expected);
}

#[test]
fn answers_that_vary_are_all_kept() {
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("seen");
    // Aborts the first time, and afterwards crashes by another signal.
    let script = "if [ -e \"$0\" ]; then kill -SEGV $$; else : > \"$0\"; kill -ABRT $$; fi";
    let command = |_| {
        let mut command = Command::new("sh");
        command.arg("-c").arg(script).arg(&file);
        (command, LONG)
    };
    assert_eq!(run_all(1, command), [answer("crash SIGABRT or crash SIGSEGV")]);
}
