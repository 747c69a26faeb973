//! Asks pkg-config for one package, by the crate pkg-config.

use std::panic;
use std::path::PathBuf;

use crate::toolkit::environment::Unanswered;
use pkg_config::{Config, Error};

/// The package's include directories; nothing where there is no such package. The crate prints no line for cargo: the
/// variables that it reads are among those of the script's own lines.
pub fn include_directories(package: &str) -> Result<Option<Vec<PathBuf>>, Unanswered> {
    // Its libraries are not linked, so the variables that choose between two kinds of them are not read.
    let probe = || Config::new().cargo_metadata(false).env_metadata(false).statik(false).probe(package);
    // The crate panics where pkg-config's answer is not UTF-8.
    let Ok(answer) = panic::catch_unwind(probe) else {
        return Err(Unanswered::Other("its answer is not valid UTF-8".to_owned()));
    };
    match answer {
        Ok(library) => Ok(Some(library.include_paths)),
        Err(Error::ProbeFailure { .. } | Error::Failure { .. }) => Ok(None),
        Err(Error::EnvNoPkgConfig(variable)) => Err(Unanswered::SwitchedOff(variable)),
        Err(Error::CrossCompilation) => Err(Unanswered::OtherTarget),
        Err(Error::Command { cause, .. }) => Err(Unanswered::NotRun(cause)),
        Err(error) => Err(Unanswered::Other(error.to_string())),
    }
}
