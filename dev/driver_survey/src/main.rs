//! Measures what CUDA drivers do with external memory and semaphores, and writes the answers to a file.
//!
//! `cargo run -p cuda-external-survey` runs the survey, on Linux only: the questions import file descriptors.

#[cfg(target_os = "linux")]
mod answers_page;
#[cfg(target_os = "linux")]
mod command_line;
#[cfg(target_os = "linux")]
mod expected_differences;
#[cfg(target_os = "linux")]
mod groups;
#[cfg(target_os = "linux")]
mod results_file;
#[cfg(target_os = "linux")]
mod run_questions;
#[cfg(target_os = "linux")]
mod subprocess;

#[cfg(target_os = "linux")]
fn main() -> std::process::ExitCode {
    command_line::run_command()
}

#[cfg(not(target_os = "linux"))]
fn main() {
    println!("The survey runs on Linux only.");
}
