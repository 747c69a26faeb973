//! What a hand-over between CUDA and Vulkan costs, by queue family and by what each side does:
//! `cargo bench --bench hand_over`, on Linux. benches/README.md has the numbers.

#[cfg(target_os = "linux")]
mod batches;
#[cfg(target_os = "linux")]
mod chains;
#[cfg(target_os = "linux")]
mod commands;
#[cfg(target_os = "linux")]
mod kernel;
#[cfg(target_os = "linux")]
mod measure;
#[cfg(target_os = "linux")]
mod shaders;

use std::process::ExitCode;

#[cfg(target_os = "linux")]
fn main() -> ExitCode {
    use interop::Error;
    interop::example::end(measure::all().map_err(|error| match test_support::is_required("gpu") {
        true => Error::Failed(error.to_string()),
        false => error,
    }))
}

#[cfg(not(target_os = "linux"))]
fn main() -> ExitCode {
    eprintln!("hand_over: shares file descriptors with Vulkan, on Linux only");
    ExitCode::FAILURE
}
