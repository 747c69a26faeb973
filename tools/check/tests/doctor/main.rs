//! Tests `cuda-external-check --machine` on broken machines, on the platforms that have the check.

#[cfg(supported)]
mod each_machine;

use std::process::ExitCode;

fn main() -> ExitCode {
    #[cfg(supported)]
    return each_machine::main();
    #[cfg(not(supported))]
    ExitCode::SUCCESS
}
