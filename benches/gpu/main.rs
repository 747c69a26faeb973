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
    interop::example::end(measure().map_err(|error| match test_support::is_required("gpu") {
        true => Error::Failed(error.to_string()),
        false => error,
    }))
}

#[cfg(target_os = "linux")]
fn measure() -> interop::Result<()> {
    let cuda = interop::cuda::Cuda::open(0)?;
    let vulkan = interop::vulkan::Vulkan::open(&cuda.uuid)?;
    let bench = harness::Bench::new()?;
    let version = cuda_external_sys::load().map_or(0, |driver| driver.version());
    println!("{}, CUDA {version}, {} rounds", cuda.name, bench.rounds);
    println!("{}", interop::interrupts::leave_their_cpu(&vulkan)?);
    println!(
        "\njob | C, each | this crate, each | time ratio (5 % to 95 %) | of a thread's time: user, system"
    );
    bench.imports(&vulkan)?;
    bench.copies(&vulkan)?;
    bench.images(&vulkan)?;
    bench.hand_overs(&vulkan)
}

#[cfg(not(target_os = "linux"))]
fn main() -> ExitCode {
    eprintln!("gpu: shares file descriptors with Vulkan, on Linux only");
    ExitCode::FAILURE
}
