//! Runs cases in a child process, so that a crash or a hang is an answer like any other.
//!
//! The child writes the lines of a case's answer, and a line that begins with [`END`] after each case.

use std::collections::BTreeSet;
use std::io::Read;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// Begins the line after a case's answer. An outcome other than an answer follows it.
pub const END: char = '\u{1e}';

/// Precedes the reason, after [`END`], where the machine lacks something.
pub const MISSING: &str = "missing: ";

/// Precedes the reason, after [`END`], where the case failed.
pub const FAILED: &str = "failed: ";

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

/// One child's result.
#[derive(Debug, PartialEq, Eq)]
pub struct Run {
    /// The outcomes of the cases that the process completed.
    pub outcomes: Vec<Outcome>,
    /// The outcome of the case that ended the process.
    pub last: Option<Outcome>,
}

/// Runs a program to its end, or until it has written nothing for as long as the limit says.
pub fn run(command: &mut Command, limit: Duration) -> Run {
    let piped = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = match piped.spawn() {
        Ok(child) => child,
        Err(error) => {
            let last = Some(Outcome::Failed(format!("cannot be started: {error}")));
            return Run { outcomes: Vec::new(), last };
        }
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
        Ok((status, killed)) => outcomes(status, killed, &stdout, &stderr),
        Err(error) => Run { outcomes: Vec::new(), last: Some(Outcome::Failed(error.to_string())) },
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

fn outcomes(status: ExitStatus, killed: bool, stdout: &str, stderr: &str) -> Run {
    let mut outcomes = Vec::new();
    let mut rest = stdout;
    while let Some((answer, after)) = rest.split_once(END) {
        let (end, after) = after.split_once('\n').unwrap_or((after, ""));
        outcomes.push(if let Some(why) = end.strip_prefix(MISSING) {
            Outcome::NotMeasured(why.to_owned())
        } else if let Some(why) = end.strip_prefix(FAILED) {
            Outcome::Failed(join(answer, why))
        } else {
            Outcome::Answer(join(answer, ""))
        });
        rest = after;
    }
    let last = match (status.code(), status.signal()) {
        (Some(0), _) if rest.is_empty() => None,
        (Some(code), _) => {
            let text = one_line(stderr);
            Some(Outcome::Failed(join(rest, &format!("exit status {code}: {text}"))))
        }
        (None, _) if killed => Some(Outcome::Answer(join(rest, "hang"))),
        (None, signal) => Some(Outcome::Answer(join(rest, &format!("crash {}", signal_name(signal))))),
    };
    Run { outcomes, last }
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

/// Runs cases in as few processes as they allow. `command` makes the process of the cases from an index on. A
/// case that ends its process counts where it was the first one in it; after others it is run once more. A
/// crash is looked at twice: that of a broken heap varies.
pub fn run_all(count: usize, command: impl Fn(usize) -> (Command, Duration)) -> Vec<Outcome> {
    let once = |from| {
        let (mut command, limit) = command(from);
        run(&mut command, limit)
    };
    let mut all = Vec::new();
    while all.len() < count {
        let from = all.len();
        let Run { outcomes, last } = once(from);
        let is_first = outcomes.is_empty();
        all.extend(outcomes);
        match last {
            Some(Outcome::Answer(first)) if is_first => {
                let mut answers = BTreeSet::from([first.clone()]);
                // A hang does not vary, and a second run would take the whole limit again.
                if first.contains("crash ") {
                    let run = once(from);
                    if let Some(Outcome::Answer(answer)) = run.outcomes.into_iter().next().or(run.last) {
                        answers.insert(answer);
                    }
                }
                all.push(Outcome::Answer(answers.into_iter().collect::<Vec<_>>().join(OR)));
            }
            Some(failed) if is_first => all.push(failed),
            None if is_first => all.push(Outcome::Failed("the process ended without an answer".to_owned())),
            _ => {}
        }
    }
    all.truncate(count);
    all
}

#[cfg(test)]
mod tests;
