//! The same work through this crate and in C, on a GPU: `cargo bench --bench gpu`, on Linux, with
//! a C compiler and the toolkit's cuda.h below CUDA_HOME (/usr/local/cuda where that is not set).
//! benches/README.md has the numbers. The sides take turns, as in call.rs.

#[cfg(target_os = "linux")]
mod harness;
#[cfg(target_os = "linux")]
mod setups;
#[cfg(target_os = "linux")]
mod work;

use std::process::ExitCode;

#[cfg(target_os = "linux")]
fn main() -> ExitCode {
    use interop::Error;
    match harness::measure() {
        Ok(()) => ExitCode::SUCCESS,
        Err(Error::Missing(what)) if !test_support::is_required("gpu") => {
            println!("gpu: nothing was measured, this machine lacks what it takes: {what}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("gpu: {error}");
            ExitCode::FAILURE
        }
    }
}

#[cfg(not(target_os = "linux"))]
fn main() -> ExitCode {
    eprintln!("gpu: shares file descriptors with Vulkan, on Linux only");
    ExitCode::FAILURE
}
