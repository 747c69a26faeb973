//! Runs pkg-config with a time limit.

use std::panic;
use std::path::PathBuf;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use crate::toolkit::environment::PkgConfigError;
use pkg_config::{Config, Error};

/// How long pkg-config may take for one answer. It reads a few small files.
const LIMIT: Duration = Duration::from_secs(5);

/// Runs `ask` in a thread. Returns nothing if it does not end in time; the thread then keeps running.
pub fn run_with_timeout<T: Send + 'static>(ask: impl FnOnce() -> T + Send + 'static) -> Option<T> {
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

/// Returns the package's include directories, or nothing if there is no such package. The crate pkg-config must print
/// no lines for cargo: `rerun_variables` has the variables that it reads.
pub fn include_directories(package: &str) -> Result<Option<Vec<PathBuf>>, PkgConfigError> {
    // No library is linked, so the variables for static or shared ones are not read.
    let package = package.to_owned();
    let probe = move || Config::new().cargo_metadata(false).env_metadata(false).statik(false).probe(&package);
    let Some(answer) = run_with_timeout(|| panic::catch_unwind(probe)) else {
        return Err(PkgConfigError::Other("it does not answer".to_owned()));
    };
    // The crate panics if pkg-config's answer is not UTF-8.
    let Ok(answer) = answer else {
        return Err(PkgConfigError::Other("its answer is not valid UTF-8".to_owned()));
    };
    match answer {
        Ok(library) => Ok(Some(library.include_paths)),
        Err(Error::ProbeFailure { .. } | Error::Failure { .. }) => Ok(None),
        Err(Error::EnvNoPkgConfig(variable)) => Err(PkgConfigError::SwitchedOff(variable)),
        Err(Error::CrossCompilation) => Err(PkgConfigError::OtherTarget),
        Err(Error::Command { cause, .. }) => Err(PkgConfigError::NotRun(cause)),
        Err(error) => Err(PkgConfigError::Other(error.to_string())),
    }
}
