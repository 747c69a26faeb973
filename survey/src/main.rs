//! What CUDA drivers do with external memory and semaphores: measured, and written as data.
//!
//! `cargo run -p survey` runs every case with this machine's driver, prints the answers and adds them to results.json. Each
//! case runs in a process of its own, since a crash and a hang are answers too. The documentation's tables are made from
//! that file.

#[cfg(target_os = "linux")]
mod arguments;
#[cfg(target_os = "linux")]
mod case;
#[cfg(target_os = "linux")]
mod child;
#[cfg(target_os = "linux")]
mod gpu;
#[cfg(target_os = "linux")]
mod groups;
#[cfg(target_os = "linux")]
mod measure;
#[cfg(target_os = "linux")]
mod planar_image;
#[cfg(target_os = "linux")]
mod results;
#[cfg(target_os = "linux")]
mod software;
#[cfg(target_os = "linux")]
mod tables;

use std::process::ExitCode;

#[cfg(target_os = "linux")]
fn main() -> ExitCode {
    arguments::main()
}

#[cfg(not(target_os = "linux"))]
fn main() -> ExitCode {
    println!("survey: measures on Linux only; nothing was measured");
    ExitCode::SUCCESS
}
