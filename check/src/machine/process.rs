//! A probe in a process of its own: a driver that crashes or hangs is an answer too.

use std::env;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::facts::{Ended, Outcome};

/// The first argument of a probe's process.
pub const ARGUMENT: &str = "--machine-probe";
// Drivers write to stdout too.
const CALL: &str = "@call ";
const ANSWER: &str = "@answer ";

/// Says, in the probe's process, what it calls next.
pub fn calling(name: &str) {
    _ = writeln!(io::stdout(), "{CALL}{name}");
}

/// Ends the probe's process, before a driver's exit handlers can spoil the answer.
pub fn answer(answer: &impl Serialize) -> ! {
    let json = serde_json::to_string(answer).unwrap_or_default();
    _ = writeln!(io::stdout(), "\n{ANSWER}{json}");
    // SAFETY: ends the process.
    unsafe { libc::_exit(0) }
}

/// Runs a probe until the deadline. Returns what it wrote to stderr too.
pub fn run<T: DeserializeOwned>(arguments: &[&OsStr], deadline: Instant) -> (Outcome<T>, String) {
    match start(arguments, deadline) {
        Ok((how, stdout, stderr)) => {
            let last = |tag| stdout.lines().rev().find_map(|line| line.strip_prefix(tag));
            let answer = last(ANSWER).and_then(|json| serde_json::from_str(json).ok());
            let call = last(CALL).unwrap_or("its first call").to_owned();
            (answer.map_or(Outcome::Ended(Ended { how, call }), Outcome::Answer), stderr)
        }
        Err(error) => {
            let call = "starting its process".to_owned();
            (Outcome::Ended(Ended { how: error.to_string(), call }), String::new())
        }
    }
}

/// Returns how the process ended, and what it wrote. Files take any amount, and no process keeps their reader waiting.
fn start(arguments: &[&OsStr], deadline: Instant) -> io::Result<(String, String, String)> {
    let files = [tempfile::tempfile()?, tempfile::tempfile()?];
    let [stdout, stderr] = [files[0].try_clone()?, files[1].try_clone()?];
    let mut command = Command::new(env::current_exe()?);
    command.arg(ARGUMENT).args(arguments).stdin(Stdio::null()).stdout(stdout).stderr(stderr);
    // The loader's own words about drivers and layers.
    command.env("VK_LOADER_DEBUG", "error,layer");
    let mut child = command.spawn()?;
    let how = loop {
        if let Some(status) = child.try_wait()? {
            break if status.success() { "ended".to_owned() } else { format!("crashed ({status})") };
        }
        if Instant::now() >= deadline {
            child.kill()?;
            child.wait()?;
            break "did not return in time".to_owned();
        }
        thread::sleep(Duration::from_millis(3));
    };
    let text = |mut file: File| {
        let mut bytes = Vec::new();
        file.rewind()?;
        file.read_to_end(&mut bytes)?;
        io::Result::Ok(String::from_utf8_lossy(&bytes).into_owned())
    };
    let [stdout, stderr] = files.map(text);
    Ok((how, stdout?, stderr?))
}
