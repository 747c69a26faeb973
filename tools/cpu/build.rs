//! Builds the two libraries that the program carries, the driver and the Vulkan layer.
//!
//! Both libraries are built from this package's own lib, with the feature `library` or `layer`. Cargo has no stable
//! way to embed them, so this script calls cargo for them. Anybody can build them the same way: `cargo rustc --package
//! cuda-external-cpu --lib --crate-type cdylib --release --no-default-features --features library`.

use std::collections::BTreeSet;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;

use cuda_external_in_process::nested_cargo::{
    build_own_library, cargo_variable, has_cargo_feature, rerun_if_sources_changed,
};

#[path = "src/driver/function_releases.rs"]
mod function_releases;

fn main() {
    rerun_if_sources_changed();
    if cargo_variable("CARGO_CFG_TARGET_OS") != "linux" {
        return;
    }
    write_not_implemented_functions();
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
        let [library, layer] = [
            build_library("library", "libcuda.so.1"),
            build_library("layer", "libVkLayer_cuda_external_cpu.so"),
        ];
        let mut hasher = DefaultHasher::new();
        [library, layer].hash(&mut hasher);
        println!("cargo::rustc-env=CUDA_EXTERNAL_CPU_CONTENT={:016x}", hasher.finish());
    }
}

/// Writes the functions of the headers that no row of `functions!` has: `Init fn cuCtxDestroy | cuCtxDestroy_v2: …` or `(…)`.
fn write_not_implemented_functions() {
    let mut missing = BTreeSet::new();
    for (name, releases) in function_releases::FUNCTION_RELEASES.iter() {
        let plain = releases.plain.iter().map(|since| releases.name_of_version(name, *since, ""));
        let forms =
            releases.per_thread.iter().map(|since| releases.name_of_version(name, *since, releases.form));
        missing.extend(plain.chain(forms).chain([name.clone()]));
    }
    remove_implemented(Path::new("src/driver"), &mut missing);
    let text = format!("not_implemented_functions! {{ {} }}", Vec::from_iter(missing).join(" "));
    let file = Path::new(&cargo_variable("OUT_DIR")).join("not_implemented_functions.rs");
    fs::write(file, text).expect("OUT_DIR can be written");
}

fn remove_implemented(directory: &Path, names: &mut BTreeSet<String>) {
    for entry in fs::read_dir(directory).expect("the sources are here") {
        let path = entry.expect("the sources are here").path();
        if path.is_dir() {
            remove_implemented(&path, names);
            continue;
        }
        let text = fs::read_to_string(&path).expect("the sources are text");
        for (before, row) in text.lines().filter_map(|line| line.trim_start().split_once(" fn ")) {
            if !matches!(before, "Init" | "InitInCallback" | "Nothing") {
                continue;
            }
            let row = row.split([':', '(']).next().unwrap_or_default();
            // The ending of the forms for the thread's default stream.
            let (row, form) = row.split_once('+').unwrap_or((row, ""));
            for name in row.split('|').map(str::trim) {
                names.remove(name);
                names.remove(&format!("{name}{}", form.trim()));
            }
        }
    }
}

/// Builds the library of a feature, and returns its bytes.
fn build_library(feature: &str, name: &str) -> Vec<u8> {
    let built = build_own_library(name, |cargo| cargo.args(["--features", feature]));
    println!("cargo::rustc-env=CUDA_EXTERNAL_CPU_{}={}", feature.to_uppercase(), built.display());
    fs::read(&built).unwrap_or_else(|error| panic!("{}: {error}", built.display()))
}
