//! The cost of a hand-over between CUDA and Vulkan: `cargo bench --bench hand_over`, on Linux. docs/semaphore.md has
//! the numbers.

#[cfg(target_os = "linux")]
mod linux;

#[cfg(target_os = "linux")]
fn main() -> std::process::ExitCode {
    use example_support::Error;
    example_support::example::end(linux::measure_all().map_err(|error| {
        match test_support::is_required("gpu") {
            true => Error::Failed(error.to_string()),
            false => error,
        }
    }))
}

#[cfg(not(target_os = "linux"))]
fn main() {
    eprintln!("hand_over: shares file descriptors with Vulkan, on Linux only");
}
