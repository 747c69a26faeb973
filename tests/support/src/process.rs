//! This process, and further processes of the same program.

use std::io::Read;
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// Returns this program as a command: by the same runner where cargo was told to use one, such as an emulator of the
/// target.
pub fn this_program() -> Command {
    let program = std::env::current_exe().expect("a running program has a path");
    let arch = std::env::consts::ARCH.to_uppercase();
    match std::env::var(format!("CARGO_TARGET_{arch}_UNKNOWN_LINUX_GNU_RUNNER")) {
        Ok(runner) if cfg!(target_os = "linux") => {
            let mut words = runner.split_whitespace();
            let mut command = Command::new(words.next().expect("a runner is a program"));
            command.args(words).arg(program);
            command
        }
        _ => Command::new(program),
    }
}

/// Returns this program as a command, with arguments of its own.
pub fn again(arguments: &[&str]) -> Command {
    let mut command = this_program();
    command.args(arguments);
    command
}

/// What a program printed and how it ended, for people.
pub fn told(output: &Output) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
    format!("{}\n{}\n{}", output.status, text(&output.stdout), text(&output.stderr))
}

/// Runs a program to its end, or kills it after this time.
pub fn run_for(command: &mut Command, limit: Duration) -> Output {
    let piped = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = piped.spawn().expect("the program starts");
    // A program that prints more than a pipe holds waits for its reader.
    let stdout = read(child.stdout.take().expect("it is piped"));
    let stderr = read(child.stderr.take().expect("it is piped"));
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
    Output { status, stdout: stdout.join().expect("it reads"), stderr: stderr.join().expect("it reads") }
}

fn read(mut pipe: impl Read + Send + 'static) -> thread::JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        pipe.read_to_end(&mut bytes).expect("the pipe is open");
        bytes
    })
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
    let statm = std::fs::read_to_string("/proc/self/statm").expect("Linux has /proc");
    let pages = statm.split(' ').nth(1).and_then(|field| field.parse::<usize>().ok());
    // SAFETY: the function takes a number and returns one.
    let size = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    let size = usize::try_from(size).expect("every system has a page size");
    pages.expect("the second field of statm is a number") * size
}

#[cfg(all(test, unix))]
mod tests {
    use std::process::Command;
    use std::time::Duration;

    use super::run_for;

    #[test]
    fn a_program_that_hangs_is_killed() {
        let output = run_for(Command::new("sleep").arg("60"), Duration::from_millis(20));
        assert_eq!(output.status.code(), None);
    }

    #[test]
    fn a_program_may_print_more_than_a_pipe_holds() {
        let output = run_for(
            Command::new("sh").args(["-c", "head -c 300000 /dev/zero; exit 3"]),
            Duration::from_secs(60),
        );
        assert_eq!((output.status.code(), output.stdout.len()), (Some(3), 300_000));
    }
}
