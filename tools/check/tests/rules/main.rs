//! Each rule of the check, on the platforms that have it.

#[cfg(supported)]
mod cases;
#[cfg(supported)]
mod each_rule;
#[cfg(supported)]
#[path = "../support/mod.rs"]
mod support;

use std::process::ExitCode;

fn main() -> ExitCode {
    #[cfg(supported)]
    return each_rule::main();
    #[cfg(not(supported))]
    ExitCode::SUCCESS
}
