//! Builds the driver's library for the program, which carries its bytes: `cargo install` installs programs alone.
//!
//! The library is this package's own lib with the feature `library`. Cargo has no stable way to embed it, so this script calls
//! cargo for it, with a target directory of its own. Anybody can build it the same way:
//! `cargo rustc --package cuda-external-cpu --lib --crate-type cdylib --release --no-default-features --features library`.

use std::env;
use std::path::PathBuf;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src");
    println!("cargo::rerun-if-changed=Cargo.toml");
    let is_linux = variable("CARGO_CFG_TARGET_OS") == "linux";
    if is_linux && env::var_os("CARGO_FEATURE_LIBRARY").is_some() {
        // The library stays loaded, since its threads run on. Its functions call one another, and not another driver's.
        for argument in ["-Wl,-soname,libcuda.so.1", "-Wl,-z,nodelete", "-Wl,-Bsymbolic"] {
            println!("cargo::rustc-cdylib-link-arg={argument}");
        }
    }
    // The library itself is built without this feature.
    if is_linux && env::var_os("CARGO_FEATURE_COMMAND").is_some() {
        build_library();
    }
}

fn build_library() {
    let directory = PathBuf::from(variable("OUT_DIR")).join("library");
    let target = variable("TARGET");
    let mut cargo = Command::new(variable("CARGO"));
    cargo.args(["rustc", "--quiet", "--lib", "--crate-type=cdylib", "--release", "--no-default-features"]);
    cargo.args(["--features=library", "--target", &target, "--target-dir"]).arg(&directory);
    cargo.args(["--config=profile.release.panic='abort'", "--config=profile.release.strip='debuginfo'"]);
    // It would put the outputs elsewhere.
    cargo.env_remove("CARGO_BUILD_BUILD_DIR");
    // The inner build script would take this build's features for its own, and call cargo again.
    env::vars_os()
        .map(|(name, _)| name)
        .filter(|name| name.to_string_lossy().starts_with("CARGO_FEATURE_"))
        .for_each(|name| _ = cargo.env_remove(name));
    let status = cargo.status().unwrap_or_else(|error| panic!("{cargo:?}: {error}"));
    assert!(status.success(), "{cargo:?}: {status}");
    let library = directory.join(&target).join("release/libcuda_external_cpu.so");
    println!("cargo::rustc-env=CUDA_EXTERNAL_CPU_LIBRARY={}", library.display());
}

fn variable(name: &str) -> String {
    env::var(name).unwrap_or_else(|_| panic!("{name} is not set: cargo must run build.rs"))
}
