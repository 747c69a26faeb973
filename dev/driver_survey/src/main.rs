//! Measures what CUDA drivers do with external memory and semaphores, and writes it as data.
//!
//! `cargo run -p cuda-external-survey` runs every case with this machine's driver, prints the answers and writes them
//! to a file, which `--add` adds to results.json. Each case runs in a process of its own, since a crash and a hang are
//! answers too. The documentation's tables are made from results.json. Most groups share file descriptors and run on
//! Linux only.

mod arguments;
mod case;
mod child;
mod gpu;
mod groups;
mod measure;
#[cfg(target_os = "linux")]
mod random;
mod results;
mod software;
mod tables;

fn main() -> std::process::ExitCode {
    arguments::main()
}
