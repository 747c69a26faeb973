//! Runs a probe in a separate process, so that a driver that crashes or hangs ends only the probe.

use std::env;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::os::fd::FromRawFd;
use std::process::{Child, Command};
use std::thread;
use std::time::{Duration, Instant};

use serde::Serialize;
use serde::de::DeserializeOwned;

pub const PROBE_ARGUMENT: &str = "--machine-probe";
pub const NOT_STARTED: &str = "a process does not start: ";
// Each line of a probe starts with one of these tags, since a driver may write to the same stdout.
const CALL_TAG: &str = "@call ";
const ANSWER_TAG: &str = "@answer ";

/// Writes the name of the next call to the probe's stdout: if the process crashes or hangs, the report names this call.
pub fn note_next_call(name: &str) {
    _ = writeln!(io::stdout(), "{CALL_TAG}{name}");
}

/// Writes `answer` to stdout as JSON. Ends the process without exit handlers, since a driver's exit handler may crash.
pub fn write_answer_and_exit(answer: &impl Serialize) -> ! {
    let json = serde_json::to_string(answer).unwrap_or_default();
    _ = writeln!(io::stdout(), "\n{ANSWER_TAG}{json}");
    // SAFETY: the call only ends the process.
    unsafe { libc::_exit(0) }
}

/// A probe's process, and the files that take its stdout and stderr.
type ProbeChild = (Child, [File; 2]);

pub struct ProbeProcess(io::Result<ProbeChild>);

impl ProbeProcess {
    pub fn start_probe(arguments: &[&OsStr]) -> Self {
        Self(spawn_probe(arguments))
    }

    /// Waits until the process ends, but kills it at the deadline. Returns the probe's answer and stderr. If the probe
    /// gave no answer, the error names the probe's last call and says how the process ended. If the process did not
    /// start, the error says why.
    pub fn wait_for_answer<T: DeserializeOwned>(mut self, deadline: Instant) -> (Result<T, String>, String) {
        let not_started = |error: &io::Error| format!("{NOT_STARTED}{error}");
        let running = self.0.as_mut().map_err(|error| not_started(error));
        match running
            .and_then(|running| wait_for_exit(running, deadline).map_err(|error| not_started(&error)))
        {
            Ok([how, stdout, stderr]) => {
                let last = |tag| stdout.lines().rev().find_map(|line| line.strip_prefix(tag));
                let answer = last(ANSWER_TAG).and_then(|json| serde_json::from_str(json).ok());
                let call = last(CALL_TAG).unwrap_or("its first call");
                let mut lines = stderr.lines().rev().filter(|line| !line.contains("LAYER:"));
                let words = lines.next().map(|words| format!(": {words}")).unwrap_or_default();
                (answer.ok_or_else(|| format!("{call} {how}{words}")), stderr)
            }
            Err(why) => (Err(why), String::new()),
        }
    }
}

impl Drop for ProbeProcess {
    fn drop(&mut self) {
        if let Ok((child, _)) = &mut self.0 {
            _ = child.kill();
            _ = child.wait();
        }
    }
}

fn spawn_probe(arguments: &[&OsStr]) -> io::Result<ProbeChild> {
    let files = [create_memory_file()?, create_memory_file()?];
    // The probe's stdin is an empty file in memory, since /dev/null may be missing.
    let stdin = create_memory_file()?;
    let [stdout, stderr] = [files[0].try_clone()?, files[1].try_clone()?];
    // Without /proc, `current_exe` fails. Then `args_os` has the name by which this process was started.
    let program = env::current_exe().or_else(|error| env::args_os().next().map(Into::into).ok_or(error));
    let mut command = Command::new(program?);
    command.arg(PROBE_ARGUMENT).args(arguments).stdin(stdin).stdout(stdout).stderr(stderr);
    // With this value, Vulkan's loader writes its errors and its messages about layers to stderr.
    command.env("VK_LOADER_DEBUG", "error,layer");
    Ok((command.spawn()?, files))
}

/// Creates a file in memory. Unlike a pipe, the file takes any amount of output, so a probe never waits for a reader.
fn create_memory_file() -> io::Result<File> {
    // SAFETY: the name ends in zero, and nothing else owns the new descriptor.
    match unsafe { libc::memfd_create(c"probe".as_ptr(), libc::MFD_CLOEXEC) } {
        -1 => Err(io::Error::last_os_error()),
        fd => Ok(unsafe { File::from_raw_fd(fd) }),
    }
}

/// Waits for the process, and kills it at the deadline. Returns how the process ended, its stdout and its stderr.
fn wait_for_exit((child, files): &mut ProbeChild, deadline: Instant) -> io::Result<[String; 3]> {
    let how = loop {
        match child.try_wait()? {
            Some(status) if status.success() => break "ended its process".to_owned(),
            Some(status) => break format!("crashed ({status})"),
            None if Instant::now() < deadline => thread::sleep(Duration::from_millis(3)),
            None => {
                child.kill()?;
                child.wait()?;
                break "did not return in time".to_owned();
            }
        }
    };
    let read = |file: &mut File| {
        let mut bytes = Vec::new();
        file.rewind()?;
        file.read_to_end(&mut bytes)?;
        io::Result::Ok(String::from_utf8_lossy(&bytes).into_owned())
    };
    Ok([how, read(&mut files[0])?, read(&mut files[1])?])
}
