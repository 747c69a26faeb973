//! Builds the two libraries that the program carries, the driver and the Vulkan layer.
//!
//! Both libraries are built from this package's own lib, with the feature `library` or `layer`. Cargo has no stable
//! way to embed them, so this script calls cargo for them. Anybody can build them the same way: `cargo rustc --package
//! cuda-external-cpu --lib --crate-type cdylib --release --no-default-features --features library`.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};

use cuda_external_in_process::nested_cargo::{
    build_own_library, cargo_variable, has_cargo_feature, rerun_if_sources_changed,
};

fn main() {
    rerun_if_sources_changed();
    if cargo_variable("CARGO_CFG_TARGET_OS") != "linux" {
        return;
    }
    let is_driver = has_cargo_feature("LIBRARY");
    if is_driver || has_cargo_feature("LAYER") {
        // A process has both libraries, and the loader finds a loaded library by its soname. If the layer had the
        // driver's name and were loaded first, the program would use it as its driver.
        let name = if is_driver { "libcuda.so.1" } else { "libVkLayer_cuda_external_cpu.so" };
        println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,{name}");
        // A library stays loaded, since its threads run on. Its functions call one another, and not another driver's.
        println!("cargo::rustc-cdylib-link-arg=-Wl,-z,nodelete");
        println!("cargo::rustc-cdylib-link-arg=-Wl,-Bsymbolic");
    }
    // The libraries themselves are built without this feature.
    if has_cargo_feature("COMMAND") {
        let [library, layer] =
            [build("library", "libcuda.so.1"), build("layer", "libVkLayer_cuda_external_cpu.so")];
        let mut hasher = DefaultHasher::new();
        [library, layer].hash(&mut hasher);
        println!("cargo::rustc-env=CUDA_EXTERNAL_CPU_CONTENT={:016x}", hasher.finish());
    }
}

/// Builds the library of a feature, and returns its bytes.
fn build(feature: &str, name: &str) -> Vec<u8> {
    let built = build_own_library(name, |cargo| cargo.args(["--features", feature]));
    println!("cargo::rustc-env=CUDA_EXTERNAL_CPU_{}={}", feature.to_uppercase(), built.display());
    fs::read(&built).unwrap_or_else(|error| panic!("{}: {error}", built.display()))
}
