//! A process loads the driver once, so each case is a process of its own: this program again, which finds the libraries of
//! a directory first.

use std::env;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use test_support as support;

const CASE: &str = "CUDA_EXTERNAL_SYS_TEST_CASE";
const DIRECTORY: &str = "CUDA_EXTERNAL_SYS_TEST_DIRECTORY";

/// The case that this process is to be.
pub fn name() -> Option<String> {
    env::var(CASE).ok()
}

/// The directory of this process's case.
#[cfg(target_os = "linux")]
pub fn directory() -> std::path::PathBuf {
    env::var_os(DIRECTORY).expect("the parent sets it").into()
}

/// Runs a case whose libraries are in the directory, and returns what it printed.
pub fn run(case: &str, directory: &Path) -> String {
    printed(support::this_program().env("LD_LIBRARY_PATH", directory), case, directory)
}

/// Runs a copy of this program as a case, and returns what it printed.
pub fn printed(program: &mut Command, case: &str, directory: &Path) -> String {
    let command = program.env(CASE, case).env(DIRECTORY, directory);
    let output = support::run_for(command, Duration::from_secs(300));
    assert!(output.status.success(), "{}", support::told(&output));
    String::from_utf8_lossy(&output.stdout).into_owned()
}
