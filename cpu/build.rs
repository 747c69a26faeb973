//! Builds the two libraries that the program carries, the driver and the Vulkan layer: `cargo install` installs programs alone.
//!
//! Both are this package's own lib, with the feature `library` or `layer`. Cargo has no stable way to embed them, so this script calls
//! cargo for them, with target directories of their own. Anybody can build them the same way:
//! `cargo rustc --package cuda-external-cpu --lib --crate-type cdylib --release --no-default-features --features library`.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src");
    println!("cargo::rerun-if-changed=Cargo.toml");
    if Path::new("../guest/src").exists() {
        // Cargo does not run this again for a dependency of the libraries.
        println!("cargo::rerun-if-changed=../guest/src");
    }
    if variable("CARGO_CFG_TARGET_OS") != "linux" {
        return;
    }
    let is_driver = has_feature("LIBRARY");
    if is_driver || has_feature("LAYER") {
        // A process has both. The loader takes a library with the name that it is asked for, wherever that one was found: with the
        // driver's name, a layer that is loaded first would be the program's driver.
        let name = if is_driver { "libcuda.so.1" } else { "libVkLayer_cuda_external_cpu.so" };
        println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,{name}");
        // A library stays loaded, since its threads run on. Its functions call one another, and not another driver's.
        println!("cargo::rustc-cdylib-link-arg=-Wl,-z,nodelete");
        println!("cargo::rustc-cdylib-link-arg=-Wl,-Bsymbolic");
    }
    // The libraries themselves are built without this feature.
    if has_feature("COMMAND") {
        build("library");
        build("layer");
    }
}

fn has_feature(name: &str) -> bool {
    env::var_os(format!("CARGO_FEATURE_{name}")).is_some()
}

/// Builds the library of a feature. Both have one file name in cargo's directory, so each has a directory.
fn build(feature: &str) {
    let directory = PathBuf::from(variable("OUT_DIR")).join(feature);
    let target = variable("TARGET");
    let mut cargo = Command::new(variable("CARGO"));
    cargo.args(["rustc", "--quiet", "--lib", "--crate-type=cdylib", "--release", "--no-default-features"]);
    cargo.args(["--features", feature, "--target", &target, "--target-dir"]).arg(&directory);
    cargo.args(["--config=profile.release.panic='abort'", "--config=profile.release.strip='debuginfo'"]);
    // It would put the outputs elsewhere; the others are clippy's driver, which the outer cargo may have been told to call.
    for name in
        ["CARGO_BUILD_BUILD_DIR", "RUSTC_WORKSPACE_WRAPPER", "RUSTC_WRAPPER", "CARGO_BUILD_RUSTC_WRAPPER"]
    {
        cargo.env_remove(name);
    }
    // The inner build script would take this build's features for its own, and call cargo again.
    env::vars_os()
        .map(|(name, _)| name)
        .filter(|name| name.to_string_lossy().starts_with("CARGO_FEATURE_"))
        .for_each(|name| _ = cargo.env_remove(name));
    let status = cargo.status().unwrap_or_else(|error| panic!("{cargo:?}: {error}"));
    assert!(status.success(), "{cargo:?}: {status}");
    let built = directory.join(&target).join("release/libcuda_external_cpu.so");
    println!("cargo::rustc-env=CUDA_EXTERNAL_CPU_{}={}", feature.to_uppercase(), built.display());
}

fn variable(name: &str) -> String {
    env::var(name).unwrap_or_else(|_| panic!("{name} is not set: cargo must run build.rs"))
}
