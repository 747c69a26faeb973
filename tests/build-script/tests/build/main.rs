//! The build script: where cuda.h is found, what a build says and tells cargo, and that nothing irrelevant stops it.
//! README.md beside this file says which data files they read.

#[cfg(target_os = "linux")]
#[path = "../../../../build/policy.rs"]
mod policy;

#[cfg(target_os = "linux")]
mod cargo_build;
#[cfg(target_os = "linux")]
mod discovery;
#[cfg(target_os = "linux")]
mod fake_tree;
#[cfg(target_os = "linux")]
mod link;
#[cfg(target_os = "linux")]
mod messages;
#[cfg(target_os = "linux")]
mod properties;
#[cfg(target_os = "linux")]
mod script;

fn main() -> std::process::ExitCode {
    #[cfg(target_os = "linux")]
    let modules = [discovery::all, properties::all, messages::all, script::all, link::all, cargo_build::all];
    // The fake file trees have symbolic links and Linux's messages.
    #[cfg(not(target_os = "linux"))]
    let modules: [fn() -> Vec<_>; 0] = [];
    test_support::run(modules.iter().flat_map(|all| all()).collect(), None)
}
