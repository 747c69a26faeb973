//! Runs pkg-config with a time limit.

use std::panic;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use crate::toolkit::environment::PackageDirectories;
use pkg_config::{Config, Error};

/// How long pkg-config may take for one answer. pkg-config reads a few small files.
const LIMIT: Duration = Duration::from_secs(5);

/// Runs `ask` in a thread. Returns nothing if it does not end in time; the thread then keeps running.
fn run_with_timeout<T: Send + 'static>(ask: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || sender.send(ask()));
    let answer = receiver.recv_timeout(LIMIT).ok();
    if answer.is_none() {
        println!(
            "cargo::warning=pkg-config did not answer within {} seconds and is not used",
            LIMIT.as_secs()
        );
    }
    answer
}

/// Returns what a program prints, or nothing if it cannot be run.
pub fn read_program_output(mut command: Command) -> Option<String> {
    let output = run_with_timeout(move || command.stdin(Stdio::null()).output())?.ok()?;
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Asks pkg-config for a package.
/// The crate pkg-config prints no line for cargo here: the build script's own lines have the variables that it reads.
pub fn include_directories(package: &str) -> PackageDirectories {
    // No library is linked, so the variables for static or shared ones are not read.
    let package = package.to_owned();
    let probe = move || Config::new().cargo_metadata(false).env_metadata(false).statik(false).probe(&package);
    // The crate panics if pkg-config's answer is not UTF-8.
    let answer = run_with_timeout(|| panic::catch_unwind(probe)).ok_or("it does not answer")?;
    match answer.map_err(|_| "its answer is not valid UTF-8")? {
        Ok(library) => Ok(Some(library.include_paths)),
        Err(Error::ProbeFailure { .. } | Error::Failure { .. }) => Ok(None),
        Err(Error::EnvNoPkgConfig(variable)) => Err(format!("not asked: {variable} is set")),
        Err(Error::CrossCompilation) => {
            Err("not asked: it is not set up for this target (PKG_CONFIG_ALLOW_CROSS)".to_owned())
        }
        Err(Error::Command { command, cause }) => {
            // Variables come before the program.
            let program = command.split(' ').find(|word| !word.contains('=')).unwrap_or_default();
            Err(format!("{program} cannot be run: {cause}"))
        }
        Err(error) => Err(error.to_string()),
    }
}
