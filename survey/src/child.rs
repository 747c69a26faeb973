//! Runs a case in a child process, so that a crash or a hang is an answer like any other.
//!
//! The child writes the lines of the answer. Its exit status says how the case ended.

use std::io::Read;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// The exit status where the machine lacks something. The last line is the reason.
pub const MISSING: u8 = 3;

/// Separates the answers of a case that varies.
pub const OR: &str = " or ";

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// What the driver did, including a crash or a hang.
    Answer(String),
    /// The machine lacks something that the case needs.
    NotMeasured(String),
    /// The case itself failed: its set-up, or a check of the program's own.
    Failed(String),
}

/// Runs a program to its end, or until it has written nothing for as long as the limit says.
pub fn run(command: &mut Command, limit: Duration) -> Outcome {
    let piped = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = match piped.spawn() {
        Ok(child) => child,
        Err(error) => return Outcome::Failed(format!("cannot be started: {error}")),
    };
    // A full pipe would stop the child, so both are read while it runs.
    let written = Arc::new(Mutex::new(Instant::now()));
    let stdout = drain(child.stdout.take(), written.clone());
    let stderr = drain(child.stderr.take(), written.clone());
    let ended = wait(&mut child, limit, &written);
    let text = |reader: JoinHandle<Vec<u8>>| {
        String::from_utf8_lossy(&reader.join().unwrap_or_default()).into_owned()
    };
    let (stdout, stderr) = (text(stdout), text(stderr));
    match ended {
        Ok((status, killed)) => outcome(status, killed, &stdout, &stderr),
        Err(error) => Outcome::Failed(error.to_string()),
    }
}

/// Waits for the child's end, and kills it where it writes nothing for longer than the limit.
fn wait(child: &mut Child, limit: Duration, written: &Mutex<Instant>) -> std::io::Result<(ExitStatus, bool)> {
    let mut killed = false;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok((status, killed));
        }
        if !killed && written.lock().map_or(limit, |written| written.elapsed()) > limit {
            child.kill()?;
            killed = true;
        }
        thread::sleep(Duration::from_millis(2));
    }
}

fn drain(pipe: Option<impl Read + Send + 'static>, written: Arc<Mutex<Instant>>) -> JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let (mut bytes, mut buffer) = (Vec::new(), [0; 4096]);
        let Some(mut pipe) = pipe else { return bytes };
        // What was read before an error is kept.
        while let Ok(count @ 1..) = pipe.read(&mut buffer) {
            bytes.extend_from_slice(&buffer[..count]);
            if let Ok(mut written) = written.lock() {
                *written = Instant::now();
            }
        }
        bytes
    })
}

fn outcome(status: ExitStatus, killed: bool, stdout: &str, stderr: &str) -> Outcome {
    match status.code() {
        Some(0) => Outcome::Answer(join(stdout, "")),
        Some(code) if code == i32::from(MISSING) => {
            Outcome::NotMeasured(stdout.lines().next_back().unwrap_or_default().to_owned())
        }
        Some(code) => Outcome::Failed(join(stdout, &format!("exit status {code}: {}", one_line(stderr)))),
        None if killed => Outcome::Answer(join(stdout, "hang")),
        None => Outcome::Answer(join(stdout, &format!("crash {}", signal_name(status.signal())))),
    }
}

fn signal_name(signal: Option<i32>) -> String {
    match signal.unwrap_or_default() {
        libc::SIGSEGV => "SIGSEGV".to_owned(),
        libc::SIGABRT => "SIGABRT".to_owned(),
        libc::SIGBUS => "SIGBUS".to_owned(),
        libc::SIGFPE => "SIGFPE".to_owned(),
        libc::SIGILL => "SIGILL".to_owned(),
        other => format!("signal {other}"),
    }
}

/// Joins the lines of an answer, and how the process ended. An unfinished line is completed by it.
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

#[cfg(test)]
mod tests;
