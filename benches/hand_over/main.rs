//! What a hand-over between CUDA and Vulkan costs, by queue family and by what each side does:
//! `cargo bench --bench hand_over`, on Linux. benches/README.md has the numbers.

#[cfg(target_os = "linux")]
mod batches;
#[cfg(target_os = "linux")]
mod chains;
#[cfg(target_os = "linux")]
mod commands;
#[cfg(target_os = "linux")]
mod families;
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
    interop::example::end(measure_all().map_err(|error| match test_support::is_required("gpu") {
        true => Error::Failed(error.to_string()),
        false => error,
    }))
}

#[cfg(target_os = "linux")]
fn measure_all() -> interop::Result<()> {
    let cuda = interop::cuda::Cuda::open(0)?;
    let vulkan = interop::vulkan::Vulkan::open(&cuda.uuid)?;
    println!("{}, CUDA {}", cuda.name, cuda_external_sys::load().map_or(0, |driver| driver.version()));
    println!("{}\n{INTRODUCTION}", interop::interrupts::leave_their_cpu(&vulkan)?);
    let bench = measure::Bench::new(&vulkan)?;
    families::all(&bench)?;
    chains::all(&bench)?;
    batches::all(&bench)
}

#[cfg(target_os = "linux")]
const INTRODUCTION: &str = "\
A turn: CUDA works and signals, Vulkan waits, works and signals, CUDA waits. Each work is of 1 MiB.
Times in us: median (5 % to 95 %). \"Price\": of the queued turn, less both works by themselves.
";

#[cfg(not(target_os = "linux"))]
fn main() -> ExitCode {
    eprintln!("hand_over: shares file descriptors with Vulkan, on Linux only");
    ExitCode::FAILURE
}
