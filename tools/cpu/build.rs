//! Builds the two libraries that the program carries, the driver and the Vulkan layer.
//!
//! Both libraries are built from this package's own lib, with the feature `library` or `layer`. Cargo has no stable
//! way to embed them, so this script calls cargo for them. Anybody can build them the same way: `cargo rustc --package
//! cuda-external-cpu --lib --crate-type cdylib --release --no-default-features --features library`.

use std::path::{Path, PathBuf};

use cuda_external_in_process::inner::{self, has_feature, variable};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src");
    println!("cargo::rerun-if-changed=Cargo.toml");
    if Path::new("../in_process/src").exists() {
        // Cargo does not run this again for a dependency of the libraries.
        println!("cargo::rerun-if-changed=../in_process/src");
    }
    if variable("CARGO_CFG_TARGET_OS") != "linux" {
        return;
    }
    let is_driver = has_feature("LIBRARY");
    if is_driver || has_feature("LAYER") {
        // A process has both libraries, and the loader finds a loaded library by its soname. If the layer had the
        // driver's name and were loaded first, the program would use it as its driver.
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

/// Builds the library of a feature. Both have one file name in cargo's directory, so each has a directory.
fn build(feature: &str) {
    let directory = PathBuf::from(variable("OUT_DIR")).join(feature);
    let built = inner::build(&directory, |cargo| cargo.args(["--features", feature]));
    println!("cargo::rustc-env=CUDA_EXTERNAL_CPU_{}={}", feature.to_uppercase(), built.display());
}
