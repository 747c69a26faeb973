//! Runs the build script, and tests its instructions to cargo, its search for cuda.h on this machine, and its stub and
//! its errors for the feature `link`. The test program `search` tests the search on fake machines, without the script.

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
