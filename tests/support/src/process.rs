//! This process, and further processes of the same program.

use std::env;
use std::io::{Read as _, Seek as _};
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// Returns this program as a command: by the same runner where cargo was told to use one, such as an emulator of the
/// target.
pub fn this_program() -> Command {
    let program = env::current_exe().expect("a running program has a path");
    let arch = env::consts::ARCH.to_uppercase();
    let runner = env::var(format!("CARGO_TARGET_{arch}_UNKNOWN_LINUX_GNU_RUNNER")).unwrap_or_default();
    let mut words = runner.split_whitespace();
    match words.next() {
        Some(runner) if cfg!(target_os = "linux") => {
            let mut command = Command::new(runner);
            command.args(words).arg(program);
            command
        }
        _ => Command::new(program),
    }
}

/// What a program printed and how it ended, for people.
pub fn told(output: &Output) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
    format!("{}\n{}\n{}", output.status, text(&output.stdout), text(&output.stderr))
}

/// Runs a program to its end, or kills it after this time.
pub fn run_for(command: &mut Command, limit: Duration) -> Output {
    // Files, because a program that fills a pipe waits for its reader.
    let mut files = [(); 2].map(|()| tempfile::tempfile().expect("a temporary file"));
    let [stdout, stderr] = files.each_ref().map(|file| Stdio::from(file.try_clone().expect("a descriptor")));
    let mut child =
        command.stdin(Stdio::null()).stdout(stdout).stderr(stderr).spawn().expect("the program starts");
    let start = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().expect("it is a child") {
            break status;
        }
        if start.elapsed() > limit {
            child.kill().expect("it is a child");
        }
        thread::sleep(Duration::from_millis(5));
    };
    let [stdout, stderr] = files.each_mut().map(|file| {
        let mut bytes = Vec::new();
        file.rewind().and_then(|()| file.read_to_end(&mut bytes)).expect("the file can be read");
        bytes
    });
    Output { status, stdout, stderr }
}

/// The number of open file descriptors.
#[cfg(target_os = "linux")]
pub fn open_descriptors() -> usize {
    // One of them is the directory itself, while it is read.
    std::fs::read_dir("/proc/self/fd").expect("Linux has /proc").count() - 1
}

/// Bytes of this process that lie in the machine's memory.
#[cfg(target_os = "linux")]
pub fn resident_bytes() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux has /proc");
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("a process has memory");
    line.trim().trim_end_matches(" kB").parse::<usize>().expect("a number of kibibytes") * 1024
}

#[cfg(unix)]
#[test]
fn a_program_ends_or_is_killed() {
    let run = |script: &str, limit| run_for(Command::new("sh").args(["-c", script]), limit);
    let output = run("exec sleep 60", Duration::from_millis(20));
    assert_eq!(output.status.code(), None);
    let output = run("echo one; echo two >&2; exit 3", Duration::from_secs(60));
    assert_eq!(told(&output), "exit status: 3\none\ntwo");
}
