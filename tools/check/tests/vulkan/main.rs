//! Tests each rule about both CUDA and Vulkan, on the platforms that have the check.

#[cfg(supported)]
mod case_runner;
#[cfg(supported)]
mod frame_order_cases;
#[cfg(supported)]
mod memory_use_cases;
#[cfg(supported)]
#[path = "../support/mod.rs"]
mod support;
#[cfg(supported)]
mod two_sided_cases;

use std::process::ExitCode;

fn main() -> ExitCode {
    #[cfg(supported)]
    return case_runner::main();
    #[cfg(not(supported))]
    ExitCode::SUCCESS
}
