//! For build scripts of programs that carry their libraries: `cargo install` installs programs alone.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A variable that cargo sets for build scripts.
pub fn variable(name: &str) -> String {
    env::var(name).unwrap_or_else(|_| panic!("{name} is not set: cargo must run build.rs"))
}

pub fn has_feature(name: &str) -> bool {
    env::var_os(format!("CARGO_FEATURE_{name}")).is_some()
}

/// Has cargo build this package's own library in another target directory, with the options that `choose` adds.
/// Returns the library's file, which cargo names after the package.
pub fn build(target_directory: &Path, choose: impl FnOnce(&mut Command) -> &mut Command) -> PathBuf {
    let target = variable("TARGET");
    let mut cargo = Command::new(variable("CARGO"));
    cargo.args(["rustc", "--quiet", "--lib", "--crate-type=cdylib", "--release", "--no-default-features"]);
    cargo.args(["--target", &target, "--target-dir"]).arg(target_directory);
    cargo.arg("--manifest-path").arg(Path::new(&variable("CARGO_MANIFEST_DIR")).join("Cargo.toml"));
    cargo.args(["--config=profile.release.panic='abort'", "--config=profile.release.strip='debuginfo'"]);
    choose(&mut cargo);
    cargo.env("CUDA_EXTERNAL_SYS_BINDINGS", "embedded");
    // The first would put the outputs elsewhere. The others are clippy's driver, which the outer cargo may have been told to call.
    for name in
        ["CARGO_BUILD_BUILD_DIR", "RUSTC_WORKSPACE_WRAPPER", "RUSTC_WRAPPER", "CARGO_BUILD_RUSTC_WRAPPER"]
    {
        cargo.env_remove(name);
    }
    // The inner build script would take this build's features for its own, and call cargo again.
    for (name, _) in env::vars_os() {
        if name.as_encoded_bytes().starts_with(b"CARGO_FEATURE_") {
            cargo.env_remove(name);
        }
    }
    run(&mut cargo);
    let name = variable("CARGO_PKG_NAME").replace('-', "_");
    target_directory.join(target).join("release").join(format!("lib{name}.so"))
}

/// Runs a command, which must succeed.
pub fn run(command: &mut Command) {
    let status = command.status().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(status.success(), "{command:?}: {status}");
}
