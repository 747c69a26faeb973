//! Runs a case in a child process, so that a crash or a hang is an answer like any other.

use std::collections::BTreeSet;
use std::io::Read;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// The exit status of a case that the machine lacks something for. Its reason is on the standard error.
pub const LACKS_SOMETHING: i32 = 77;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// What the driver did, a crash and a hang included.
    Answer(String),
    /// The machine lacks something that the case needs.
    NotMeasured(String),
    /// The case itself failed: its set-up, or a check of the program's own.
    Failed(String),
}

/// Runs a program to its end, or for as long as the limit says.
pub fn run(command: &mut Command, limit: Duration) -> Outcome {
    let piped = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = match piped.spawn() {
        Ok(child) => child,
        Err(error) => return Outcome::Failed(format!("cannot be started: {error}")),
    };
    // A full pipe would stop the child, so both are read while it runs.
    let (stdout, stderr) = (drain(child.stdout.take()), drain(child.stderr.take()));
    let start = Instant::now();
    let mut killed = false;
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) if !killed && start.elapsed() > limit => {
                killed = child.kill().is_ok();
            }
            Ok(None) => thread::sleep(Duration::from_millis(2)),
            Err(error) => return Outcome::Failed(format!("cannot be waited for: {error}")),
        }
    };
    let text = |reader: thread::JoinHandle<Vec<u8>>| {
        String::from_utf8_lossy(&reader.join().unwrap_or_default()).into_owned()
    };
    outcome(status, killed, &text(stdout), text(stderr).trim())
}

/// Runs a program, and where it crashes, twice more: the answers of a broken heap vary.
pub fn run_repeatedly(command: impl Fn() -> Command, limit: Duration) -> Outcome {
    let first = run(&mut command(), limit);
    let Outcome::Answer(answer) = &first else { return first };
    if !answer.contains("crash ") {
        return first;
    }
    let mut answers = BTreeSet::from([answer.clone()]);
    for _ in 0..2 {
        if let Outcome::Answer(answer) = run(&mut command(), limit) {
            answers.insert(answer);
        }
    }
    Outcome::Answer(answers.into_iter().collect::<Vec<_>>().join(OR))
}

/// Between the answers of a case that vary.
pub const OR: &str = " or ";

fn drain(pipe: Option<impl Read + Send + 'static>) -> thread::JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            // What was read before an error is still the answer's beginning.
            let _ = pipe.read_to_end(&mut bytes);
        }
        bytes
    })
}

fn outcome(status: ExitStatus, killed: bool, stdout: &str, stderr: &str) -> Outcome {
    let end = match (status.code(), status.signal()) {
        (Some(0), _) => return Outcome::Answer(join(stdout, "")),
        (Some(LACKS_SOMETHING), _) => return Outcome::NotMeasured(one_line(stderr)),
        (Some(code), _) => {
            let answer = join(stdout, &format!("exit status {code}"));
            return Outcome::Failed(format!("{answer}: {}", one_line(stderr)));
        }
        _ if killed => "hang".to_owned(),
        (None, Some(libc::SIGSEGV)) => "crash SIGSEGV".to_owned(),
        (None, Some(libc::SIGABRT)) => "crash SIGABRT".to_owned(),
        (None, Some(libc::SIGBUS)) => "crash SIGBUS".to_owned(),
        (None, Some(libc::SIGFPE)) => "crash SIGFPE".to_owned(),
        (None, Some(libc::SIGILL)) => "crash SIGILL".to_owned(),
        (None, signal) => format!("crash signal {}", signal.unwrap_or_default()),
    };
    Outcome::Answer(join(stdout, &end))
}

/// The lines of an answer as one, and how the process ended. A line that was begun ends with that.
fn join(stdout: &str, end: &str) -> String {
    let mut text = stdout.trim_end_matches('\n').replace('\n', "; ");
    if !end.is_empty() && !text.is_empty() && stdout.ends_with('\n') {
        text += "; ";
    }
    text + end
}

fn one_line(text: &str) -> String {
    text.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str, limit: Duration) -> Outcome {
        run(Command::new("sh").args(["-c", script]), limit)
    }

    const LONG: Duration = Duration::from_secs(30);

    fn answer(text: &str) -> Outcome {
        Outcome::Answer(text.to_owned())
    }

    #[test]
    fn a_case_that_ends_well_answers_with_its_lines() {
        assert_eq!(shell("echo CUDA_SUCCESS; echo closed", LONG), answer("CUDA_SUCCESS; closed"));
    }

    #[test]
    fn a_crash_is_an_answer_with_the_signals_name() {
        assert_eq!(shell("echo free: done; kill -SEGV $$", LONG), answer("free: done; crash SIGSEGV"));
        assert_eq!(shell("kill -ABRT $$", LONG), answer("crash SIGABRT"));
    }

    #[test]
    fn a_crash_ends_the_line_that_was_begun() {
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
    fn what_the_machine_lacks_is_no_answer() {
        let seen = shell("echo no second GPU >&2; exit 77", LONG);
        assert_eq!(seen, Outcome::NotMeasured("no second GPU".to_owned()));
    }

    #[test]
    fn another_exit_status_is_a_failure_of_the_case() {
        let seen = shell("echo first; echo why >&2; exit 3", LONG);
        assert_eq!(seen, Outcome::Failed("first; exit status 3: why".to_owned()));
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
        // Aborts the first time, and afterwards crashes by another signal.
        let script = "if [ -e \"$0\" ]; then kill -SEGV $$; else : > \"$0\"; kill -ABRT $$; fi";
        let command = || {
            let mut command = Command::new("sh");
            command.arg("-c").arg(script).arg(&file);
            command
        };
        assert_eq!(run_repeatedly(command, LONG), answer("crash SIGABRT or crash SIGSEGV"));
    }
}
