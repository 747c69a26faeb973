//! Tests each rule of the check, except those about both CUDA and Vulkan, on the platforms that have the check.

#[cfg(supported)]
mod cases;
#[cfg(supported)]
#[path = "../support/mod.rs"]
mod support;

use std::process::ExitCode;

fn main() -> ExitCode {
    #[cfg(supported)]
    return cases::main();
    #[cfg(not(supported))]
    ExitCode::SUCCESS
}
