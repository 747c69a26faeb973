//! Tests runs of the build script. The test program `search` tests the search for cuda.h without the script.

#[cfg(target_os = "linux")]
mod cargo_instructions;
#[cfg(target_os = "linux")]
mod on_this_machine;
#[cfg(target_os = "linux")]
mod stub_library;

fn main() -> std::process::ExitCode {
    #[cfg(target_os = "linux")]
    let modules = [cargo_instructions::trials, on_this_machine::trials, stub_library::trials];
    // Elsewhere there are no tests, because the modules use symbolic links, shell scripts and Linux's messages.
    #[cfg(not(target_os = "linux"))]
    let modules: [fn() -> Vec<_>; 0] = [];
    test_support::run_trials(modules.iter().flat_map(|trials| trials()).collect(), None)
}
