//! How long things live: orders of tearing down, and nothing that grows with use.
//!
//! It runs under NVIDIA's memory checker, without a report of the errors that are provoked, and without
//! the processes that are to end badly:
//! `compute-sanitizer --report-api-errors no --target-processes application-only --error-exitcode 9 PROGRAM`.

#[cfg(not(target_os = "linux"))]
fn main() {
    println!("lifetime: opaque file descriptors exist on Linux alone; nothing to test here");
}

#[cfg(target_os = "linux")]
#[path = "../support/exportable.rs"]
mod exportable;
#[cfg(target_os = "linux")]
#[path = "../support/gpu.rs"]
mod gpu;
#[cfg(target_os = "linux")]
mod order;
#[cfg(target_os = "linux")]
mod orders;
#[cfg(target_os = "linux")]
use test_support as process;
#[cfg(target_os = "linux")]
mod rounds;
#[cfg(target_os = "linux")]
use test_support as support;

#[cfg(target_os = "linux")]
fn main() -> std::process::ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let ["--order", name] = arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        orders::run(name);
        return std::process::ExitCode::SUCCESS;
    }
    let mut trials = orders::trials();
    trials.extend(rounds::trials());
    support::run(trials, Some(1))
}
