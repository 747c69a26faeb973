//! What this process holds: descriptors and memory; and further processes of the same program.

#![allow(dead_code)] // each test program uses its part

use std::fs::{read_dir, read_to_string};
use std::process::{Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// The number of open file descriptors.
pub fn open_descriptors() -> usize {
    // One of them is the folder itself, while it is read.
    read_dir("/proc/self/fd").expect("Linux has /proc").count() - 1
}

/// Bytes of this process that lie in the machine's memory.
pub fn resident_bytes() -> usize {
    let statm = read_to_string("/proc/self/statm").expect("Linux has /proc");
    let pages = statm.split(' ').nth(1).and_then(|field| field.parse::<usize>().ok());
    pages.expect("the second field of statm is a number") * page_size()
}

fn page_size() -> usize {
    // SAFETY: the function takes a number and returns one.
    let size = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    usize::try_from(size).expect("every system has a page size")
}

/// This program, to be run again with arguments of its own.
pub fn again(arguments: &[&str]) -> Command {
    let mut command = Command::new(std::env::current_exe().expect("a running program has a path"));
    command.args(arguments);
    command
}

/// What a program printed and how it ended, for people.
pub fn told(output: &Output) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
    format!("{}\n{}\n{}", output.status, text(&output.stdout), text(&output.stderr))
}

/// Runs a program to its end, or to its end by this limit.
pub fn run_for(command: &mut Command, limit: Duration) -> Output {
    let piped = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = piped.spawn().expect("this program runs again");
    let start = Instant::now();
    while child.try_wait().expect("it is a child").is_none() {
        if start.elapsed() > limit {
            child.kill().expect("it is a child");
        }
        sleep(Duration::from_millis(5));
    }
    child.wait_with_output().expect("it is a child")
}
