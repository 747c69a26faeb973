//! Each rule about both sides, CUDA's and Vulkan's, on the platforms that have the check.

#[cfg(supported)]
mod case_runner;
#[cfg(supported)]
#[path = "../support/followed_remedy.rs"]
mod followed_remedy;
#[cfg(supported)]
mod frame_order_cases;
#[cfg(supported)]
mod memory_use_cases;
#[cfg(supported)]
#[path = "../support/page_report.rs"]
mod page_report;
#[cfg(supported)]
#[path = "../support/mod.rs"]
#[allow(dead_code)] // the other programs use the rest
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
