//! Passes the text of the crate's bindings, and the directory of the bindings' cuda.h, to the tests.

use std::env;
use std::fs;
use std::path::Path;

fn main() {
    let file = env::var("DEP_CUDA_EXTERNAL_FILE").expect("the crate's build script names its output");
    let out = env::var_os("OUT_DIR").expect("cargo sets it");
    fs::copy(&file, Path::new(&out).join("bindings.rs")).expect("the bindings can be copied");
    // Embedded bindings have no directory.
    let include = env::var("DEP_CUDA_EXTERNAL_INCLUDE").unwrap_or_default();
    println!("cargo::rerun-if-changed={file}");
    println!("cargo::rustc-env=CUDA_EXTERNAL_SYS_INCLUDE={include}");
}
