//! Runs a question in a child process, so that a crash or a hang is an answer like any other.
//!
//! The child prints the answer. The exit status shows how the question ended.

use std::os::unix::process::ExitStatusExt as _;
use std::process::{Command, ExitStatus, Stdio};

/// The exit status if the machine lacks what the question needs. The last line of standard output says what is missing.
pub const EXIT_MISSING: u8 = 3;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum QuestionOutcome {
    /// The driver's behavior, including a crash or a hang.
    Answer(String),
    /// The machine lacks something that the question needs.
    NotMeasured(String),
    /// The process did not start, or a step other than the measured call failed, so the driver's behavior is unknown.
    Failed(String),
}

pub fn run_question_process(command: &mut Command) -> QuestionOutcome {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    match command.stdin(Stdio::null()).output() {
        Ok(output) => outcome_of(output.status, &text(&output.stdout), &text(&output.stderr)),
        Err(error) => QuestionOutcome::Failed(error.to_string()),
    }
}

fn outcome_of(status: ExitStatus, stdout: &str, stderr: &str) -> QuestionOutcome {
    match status.code() {
        Some(0) => QuestionOutcome::Answer(join_lines(stdout, "")),
        Some(code) if code == i32::from(EXIT_MISSING) => {
            QuestionOutcome::NotMeasured(stdout.lines().next_back().unwrap_or_default().to_owned())
        }
        Some(code) => QuestionOutcome::Failed(join_lines(
            stdout,
            &format!("exit status {code}: {}", Vec::from_iter(stderr.split_whitespace()).join(" ")),
        )),
        // If a question hangs, this signal ends its process: `question::set_hang_alarm` has requested the signal.
        None if status.signal() == Some(libc::SIGALRM) => QuestionOutcome::Answer(join_lines(stdout, "hang")),
        None => QuestionOutcome::Answer(join_lines(stdout, &format!("crash {}", signal_name(status)))),
    }
}

fn signal_name(status: ExitStatus) -> String {
    match status.signal().unwrap_or_default() {
        libc::SIGSEGV => "SIGSEGV".to_owned(),
        libc::SIGABRT => "SIGABRT".to_owned(),
        other => format!("signal {other}"),
    }
}

/// Joins the lines of an answer with "; ". `end` continues an unfinished last line, and otherwise becomes a new part.
fn join_lines(lines: &str, end: &str) -> String {
    let mut text = lines.trim_end_matches('\n').replace('\n', "; ");
    if !end.is_empty() && !text.is_empty() && lines.ends_with('\n') {
        text += "; ";
    }
    text + end
}
