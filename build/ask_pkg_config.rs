//! Asks pkg-config for the include directories of a package, with a time limit.

use std::sync::mpsc;
use std::time::Duration;
use std::{panic, thread};

use crate::toolkit::environment::PkgConfigIncludes;
use pkg_config::{Config, Error};

/// The time limit for one package. pkg-config usually takes far less: it reads a few small files.
const LIMIT: Duration = Duration::from_secs(5);

/// Returns the include directories of one package, or `None` if the program pkg-config does not find the package. If
/// the program is not used, returns the reason as an error. The crate `pkg-config` prints directives with which cargo
/// watches the variables that the crate reads.
pub fn pkg_config_includes(package: &str) -> PkgConfigIncludes {
    let package = package.to_owned();
    // With `statik` set, the crate pkg-config does not read the variables that choose static or shared libraries.
    let probe = move || Config::new().cargo_metadata(false).statik(false).probe(&package);
    let (sender, receiver) = mpsc::channel();
    // The crate panics if the program pkg-config prints invalid UTF-8. If the program hangs, the thread keeps running.
    thread::spawn(move || drop(sender.send(panic::catch_unwind(probe))));
    let Ok(answer) = receiver.recv_timeout(LIMIT) else {
        println!(
            "cargo::warning=pkg-config did not answer within {} seconds and is not used",
            LIMIT.as_secs()
        );
        return Err("it does not answer".to_owned());
    };
    match answer.map_err(|_| "its answer is not valid UTF-8")? {
        Ok(library) => Ok(Some(library.include_paths)),
        Err(Error::ProbeFailure { .. } | Error::Failure { .. }) => Ok(None),
        Err(Error::EnvNoPkgConfig(variable)) => Err(format!("not asked: {variable} is set")),
        Err(Error::CrossCompilation) => {
            Err("not asked: it is not set up for this target (PKG_CONFIG_ALLOW_CROSS)".to_owned())
        }
        Err(Error::Command { command, cause }) => {
            // `command` has the form of a shell command: variables precede the program.
            let program = command.split(' ').find(|word| !word.contains('=')).unwrap_or_default();
            Err(format!("{program} cannot be run: {cause}"))
        }
        Err(error) => Err(error.to_string()),
    }
}
