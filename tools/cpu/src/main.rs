//! Starts a program with the CUDA driver in software, and with the driver's Vulkan layer.

use std::process::ExitCode;

#[cfg(target_os = "linux")]
mod command;

#[cfg(target_os = "linux")]
fn main() -> ExitCode {
    command::main()
}

#[cfg(not(target_os = "linux"))]
fn main() -> ExitCode {
    eprintln!("cuda-external-cpu: runs on Linux only");
    ExitCode::from(2)
}
