//! Runs programs under the check, on the platforms that have the check.

#[cfg(supported)]
mod checked_programs;
#[cfg(supported)]
#[path = "../support/mod.rs"]
mod support;
#[cfg(supported)]
mod unwrapped_functions;

use std::process::ExitCode;

fn main() -> ExitCode {
    #[cfg(supported)]
    return checked_programs::main();
    #[cfg(not(supported))]
    ExitCode::SUCCESS
}
