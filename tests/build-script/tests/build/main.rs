//! The build script itself: what it tells cargo, and the stub that `link` makes. Where it
//! finds cuda.h and how it words its messages is tested by `search`, without running it.

#[cfg(target_os = "linux")]
mod link;
#[cfg(target_os = "linux")]
mod real_machine;
#[cfg(target_os = "linux")]
mod script;

fn main() -> std::process::ExitCode {
    #[cfg(target_os = "linux")]
    let modules = [script::trials, real_machine::trials, link::trials];
    // Its environment has symbolic links, shell scripts and Linux's messages.
    #[cfg(not(target_os = "linux"))]
    let modules: [fn() -> Vec<_>; 0] = [];
    test_support::run(modules.iter().flat_map(|trials| trials()).collect(), None)
}
