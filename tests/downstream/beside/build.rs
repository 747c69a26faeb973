//! Compiles C code that calls the driver, and leaves libcuda to the crate beside it. Collects the code of docs/cudarc.md, so that it
//! is compiled.

use std::{env, fs, path::Path};

fn main() {
    let page = "../../../docs/cudarc.md";
    println!("cargo::rerun-if-changed=import.c");
    println!("cargo::rerun-if-changed={page}");
    if env::var_os("CARGO_FEATURE_C").is_some() {
        cc::Build::new().file("import.c").compile("import");
    }
    let page = fs::read_to_string(page).expect("the page");
    let blocks =
        page.split("```ignore\n").skip(1).map(|rest| rest.split("```").next().expect("a first part"));
    let code: String = blocks.collect();
    fs::write(Path::new(&env::var("OUT_DIR").expect("cargo sets it")).join("page.rs"), code)
        .expect("it is ours");
}
