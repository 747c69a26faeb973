//! Runs a case in a child process, so that a crash or a hang is an answer like any other.
//!
//! The child writes the lines of the answer. Its exit status says how the case ended.

use std::fs::File;
use std::io::{self, Read, Seek};
use std::process::{Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// The exit status where the machine lacks something. The last line is the reason.
pub const MISSING: u8 = 3;

/// Separates the answers of a case that varies.
pub const OR: &str = " or ";

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The driver's behavior, including a crash or a hang.
    Answer(String),
    /// The machine lacks something that the case needs.
    NotMeasured(String),
    /// The case itself failed: its set-up, or a check of the program's own.
    Failed(String),
}

/// Runs a program to its end, or until it has written nothing for as long as the limit says.
pub fn run(command: &mut Command, limit: Duration) -> Outcome {
    match run_to_files(command, limit) {
        Ok((status, killed, [stdout, stderr])) => outcome(status, killed, &stdout, &stderr),
        Err(error) => Outcome::Failed(error.to_string()),
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

fn outcome(status: ExitStatus, killed: bool, stdout: &str, stderr: &str) -> Outcome {
    match status.code() {
        Some(0) => Outcome::Answer(join(stdout, "")),
        Some(code) if code == i32::from(MISSING) => {
            Outcome::NotMeasured(stdout.lines().next_back().unwrap_or_default().to_owned())
        }
        // Windows's codes of exceptions.
        Some(code) if cfg!(windows) && code < 0 => Outcome::Answer(join(stdout, &format!("crash {code:#x}"))),
        Some(code) => Outcome::Failed(join(stdout, &format!("exit status {code}: {}", one_line(stderr)))),
        None if killed => Outcome::Answer(join(stdout, "hang")),
        None => Outcome::Answer(join(stdout, &format!("crash {}", signal_name(status)))),
    }
}

#[cfg(not(unix))]
fn signal_name(status: ExitStatus) -> String {
    status.to_string()
}

#[cfg(unix)]
fn signal_name(status: ExitStatus) -> String {
    use std::os::unix::process::ExitStatusExt;

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
fn join(lines: &str, end: &str) -> String {
    let mut text = lines.trim_end_matches('\n').replace('\n', "; ");
    if !end.is_empty() && !text.is_empty() && lines.ends_with('\n') {
        text += "; ";
    }
    text + end
}

fn one_line(text: &str) -> String {
    text.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
}

/// Runs a case, and once more where it crashes: the crash of a broken heap varies. A hang does not.
pub fn run_case(command: impl Fn() -> Command, limit: Duration) -> Outcome {
    let first = run(&mut command(), limit);
    match &first {
        Outcome::Answer(answer) if answer.contains("crash ") => match run(&mut command(), limit) {
            Outcome::Answer(other) if other != *answer => {
                let mut answers = [answer.clone(), other];
                answers.sort();
                Outcome::Answer(answers.join(OR))
            }
            _ => first,
        },
        _ => first,
    }
}

#[cfg(all(test, unix))]
mod tests;
