//! Programs under the check, on the platforms that have it.

#[cfg(supported)]
mod run;
#[cfg(supported)]
#[path = "../support/mod.rs"]
mod support;

use std::process::ExitCode;

fn main() -> ExitCode {
    #[cfg(supported)]
    return run::main();
    #[cfg(not(supported))]
    ExitCode::SUCCESS
}
