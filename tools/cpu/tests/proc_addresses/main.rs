//! Compares this driver's cuGetProcAddress with that of NVIDIA's driver libraries.

#[cfg(target_os = "linux")]
mod nvidias_libraries;

use std::process::ExitCode;

fn main() -> ExitCode {
    #[cfg(target_os = "linux")]
    return nvidias_libraries::main();
    #[cfg(not(target_os = "linux"))]
    ExitCode::SUCCESS
}
