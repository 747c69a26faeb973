//! Each rule about both sides, CUDA's and Vulkan's, on the platforms that have the check.

#[cfg(supported)]
mod cases;
#[cfg(supported)]
mod each_rule;
#[cfg(supported)]
mod frames;
#[cfg(supported)]
mod pipelines;
#[cfg(supported)]
mod shaders;
#[cfg(supported)]
#[path = "../support/mod.rs"]
#[allow(dead_code)] // the other programs use the rest
mod support;

use std::process::ExitCode;

fn main() -> ExitCode {
    #[cfg(supported)]
    return each_rule::main();
    #[cfg(not(supported))]
    ExitCode::SUCCESS
}
