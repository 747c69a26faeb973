//! Runs a question in a child process, so that a crash or a hang is an answer like any other.
//!
//! The child writes the lines of the answer. Its exit status says how the question ended.

use std::fs::File;
use std::io::{self, Read, Seek};
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// The exit status where the machine lacks something. The last line is the reason.
pub const EXIT_MISSING: u8 = 3;

/// Separates the answers of a question that varies.
pub const OR_SEPARATOR: &str = " or ";

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SubprocessOutcome {
    /// The driver's behavior, including a crash or a hang.
    Answer(String),
    /// The machine lacks something that the question needs.
    NotMeasured(String),
    /// The question itself failed: its set-up, or a check of the program's own.
    Failed(String),
}

/// Runs a program to its end, or until it has written nothing for as long as the limit says.
pub fn run_with_limit(command: &mut Command, limit: Duration) -> SubprocessOutcome {
    match run_to_files(command, limit) {
        Ok((status, killed, [stdout, stderr])) => outcome_of(status, killed, &stdout, &stderr),
        Err(error) => SubprocessOutcome::Failed(error.to_string()),
    }
}

/// Returns how the program ended, whether it was killed, and its output. The output goes to files: they take any
/// amount, and their length shows whether the program still writes.
fn run_to_files(command: &mut Command, limit: Duration) -> io::Result<(ExitStatus, bool, [String; 2])> {
    let files = [tempfile::tempfile()?, tempfile::tempfile()?];
    let [stdout, stderr] = [files[0].try_clone()?, files[1].try_clone()?];
    let mut child = command.stdin(Stdio::null()).stdout(stdout).stderr(stderr).spawn()?;
    let (mut written, mut since, mut killed) = (0, Instant::now(), false);
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        let length = files[0].metadata()?.len() + files[1].metadata()?.len();
        if length != written {
            (written, since) = (length, Instant::now());
        } else if since.elapsed() > limit && !killed {
            child.kill()?;
            killed = true;
        }
        thread::sleep(Duration::from_millis(2));
    };
    let text = |mut file: File| {
        let mut bytes = Vec::new();
        file.rewind()?;
        file.read_to_end(&mut bytes)?;
        io::Result::Ok(String::from_utf8_lossy(&bytes).into_owned())
    };
    let [stdout, stderr] = files.map(text);
    Ok((status, killed, [stdout?, stderr?]))
}

fn outcome_of(status: ExitStatus, killed: bool, stdout: &str, stderr: &str) -> SubprocessOutcome {
    match status.code() {
        Some(0) => SubprocessOutcome::Answer(join_lines(stdout, "")),
        Some(code) if code == i32::from(EXIT_MISSING) => {
            SubprocessOutcome::NotMeasured(stdout.lines().next_back().unwrap_or_default().to_owned())
        }
        Some(code) => SubprocessOutcome::Failed(join_lines(
            stdout,
            &format!("exit status {code}: {}", join_words(stderr)),
        )),
        None if killed => SubprocessOutcome::Answer(join_lines(stdout, "hang")),
        None => SubprocessOutcome::Answer(join_lines(stdout, &format!("crash {}", signal_name(status)))),
    }
}

fn signal_name(status: ExitStatus) -> String {
    match status.signal().unwrap_or_default() {
        libc::SIGSEGV => "SIGSEGV".to_owned(),
        libc::SIGABRT => "SIGABRT".to_owned(),
        libc::SIGBUS => "SIGBUS".to_owned(),
        libc::SIGFPE => "SIGFPE".to_owned(),
        libc::SIGILL => "SIGILL".to_owned(),
        other => format!("signal {other}"),
    }
}

/// Joins the lines of an answer and the way in which the process ended, which completes an unfinished line.
fn join_lines(lines: &str, end: &str) -> String {
    let mut text = lines.trim_end_matches('\n').replace('\n', "; ");
    if !end.is_empty() && !text.is_empty() && lines.ends_with('\n') {
        text += "; ";
    }
    text + end
}

fn join_words(text: &str) -> String {
    text.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
}

/// Runs a question, and once more where it crashes: the crash of a broken heap varies. A hang does not.
pub fn run_twice_if_crashing(command: impl Fn() -> Command, limit: Duration) -> SubprocessOutcome {
    let first = run_with_limit(&mut command(), limit);
    match &first {
        SubprocessOutcome::Answer(answer) if answer.contains("crash ") => {
            match run_with_limit(&mut command(), limit) {
                SubprocessOutcome::Answer(other) if other != *answer => {
                    let mut answers = [answer.clone(), other];
                    answers.sort();
                    SubprocessOutcome::Answer(answers.join(OR_SEPARATOR))
                }
                _ => first,
            }
        }
        _ => first,
    }
}
