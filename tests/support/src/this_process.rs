//! The process of a test program: its descriptors and memory, and commands that start the program again.

use std::env;
use std::path::Path;
use std::process::{self, Command, Output};
use std::thread;
use std::time::Duration;

/// Returns a command that starts this program, by cargo's runner (such as an emulator) if one is configured.
pub fn this_program() -> Command {
    command_by_runner(&env::current_exe().expect("a running program has a path"))
}

/// Returns a command that starts a program for the target, by cargo's runner if one is configured.
pub fn command_by_runner(program: &Path) -> Command {
    let arch = env::consts::ARCH.to_uppercase();
    let runner = env::var(format!("CARGO_TARGET_{arch}_UNKNOWN_LINUX_GNU_RUNNER"));
    command_of_runner(&runner.unwrap_or_default(), program)
}

/// Returns a command that starts a program by a runner. The runner may have arguments, or be empty.
pub fn command_of_runner(runner: &str, program: &Path) -> Command {
    let mut words = runner.split_whitespace();
    let Some(runner) = words.next() else { return Command::new(program) };
    let mut command = Command::new(runner);
    command.args(words).arg(program);
    command
}

pub fn describe_exit(output: &Output) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
    format!("{}\n{}\n{}", output.status, text(&output.stdout), text(&output.stderr))
}

/// Aborts this process after the time `limit`, so that a test that hangs fails.
pub fn abort_after(limit: Duration) {
    thread::spawn(move || {
        thread::sleep(limit);
        eprintln!("this process hangs");
        process::abort();
    });
}

#[cfg(target_os = "linux")]
pub fn count_open_descriptors() -> usize {
    // `read_dir` itself opens one of the counted descriptors, and closes it afterwards.
    std::fs::read_dir("/proc/self/fd").expect("Linux has /proc").count() - 1
}

/// Counts anonymous memory only: a library's pages become resident when they are first used, which is not a leak.
#[cfg(target_os = "linux")]
pub fn resident_bytes() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux has /proc");
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:")).expect("a process has memory");
    line.trim().trim_end_matches(" kB").parse::<usize>().expect("a number of kibibytes") * 1024
}
