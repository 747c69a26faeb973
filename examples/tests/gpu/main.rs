//! Tests that need a GPU. They run one at a time, since some tests count free device memory or open descriptors.
//!
//! Without a GPU, `dev/scripts/on-cpu cargo test --test gpu` runs the tests on cuda-external-cpu.
//!
//! This command runs the tests of `leaks` under NVIDIA's memory checker:
//! `compute-sanitizer --report-api-errors no --target-processes application-only --error-exitcode 9 PROGRAM leaks`.
//! PROGRAM is the path of this test program, which `cargo test --test gpu --no-run` prints.
//! With `--report-api-errors no`, the checker does not report errors of CUDA's functions: the tests cause some of these
//! errors on purpose.

#[cfg(target_os = "linux")]
mod devices;
#[cfg(target_os = "linux")]
mod gl_registration;
#[cfg(target_os = "linux")]
mod images;
#[cfg(target_os = "linux")]
mod ipc;
#[cfg(target_os = "linux")]
mod leaks;
#[cfg(target_os = "linux")]
mod memory;
#[cfg(target_os = "linux")]
mod opened_devices;
#[cfg(target_os = "linux")]
mod semaphores;
#[cfg(target_os = "linux")]
mod shared_objects;

use std::process::ExitCode;

#[cfg(target_os = "linux")]
fn main() -> ExitCode {
    if std::env::args().nth(1).as_deref() == Some(ipc::EXPORTER) {
        ipc::run_exporter();
        return ExitCode::SUCCESS;
    }
    opened_devices::print_driver();
    let trials = [
        // `leaks` looks for growth of the heap, so it is first, while the heap is small.
        leaks::trials(),
        devices::trials(),
        images::trials(),
        ipc::trials(),
        memory::trials(),
        gl_registration::trials(),
        semaphores::trials(),
    ];
    test_support::run_trials(trials.into_iter().flatten().collect(), Some(1))
}

#[cfg(not(target_os = "linux"))]
fn main() -> ExitCode {
    // The tests share memory by file descriptors, which CUDA takes on Linux only.
    test_support::run_trials(Vec::new(), Some(1))
}
