//! Tests that run the build script: its instructions to cargo, its search on this machine, and the stub for the feature
//! `link`. The test program `search` checks the search on fake machines, without running the script: where cuda.h is
//! found, and which messages are printed.

#[cfg(target_os = "linux")]
mod cargo_instructions;
#[cfg(target_os = "linux")]
mod on_this_machine;
#[cfg(target_os = "linux")]
mod stub_library;

fn main() -> std::process::ExitCode {
    #[cfg(target_os = "linux")]
    let modules = [cargo_instructions::trials, on_this_machine::trials, stub_library::trials];
    // The tests use symbolic links, shell scripts and Linux's messages.
    #[cfg(not(target_os = "linux"))]
    let modules: [fn() -> Vec<_>; 0] = [];
    test_support::run_trials(modules.iter().flat_map(|trials| trials()).collect(), None)
}
