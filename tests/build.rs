//! Copies the text of the crate's bindings to OUT_DIR/bindings.rs, for the tests. Sets the tests' variable
//! CUDA_EXTERNAL_SYS_INCLUDE to the directory of the bindings' cuda.h, or to an empty text for embedded bindings.

use std::env;
use std::fs;
use std::path::Path;

fn main() {
    let file = env::var("DEP_CUDA_EXTERNAL_FILE").expect("the crate's build script names its output");
    let out = env::var_os("OUT_DIR").expect("cargo sets it");
    fs::copy(&file, Path::new(&out).join("bindings.rs")).expect("the bindings can be copied");
    let include = env::var("DEP_CUDA_EXTERNAL_INCLUDE").unwrap_or_default();
    println!("cargo::rerun-if-changed={file}");
    println!("cargo::rustc-env=CUDA_EXTERNAL_SYS_INCLUDE={include}");
}
