//! Compiles C code that calls the driver, and leaves libcuda to the crate beside it; and C code that includes one's own
//! cuda.h, the one that the bindings were generated from. Collects the code of docs/cudarc.md, so that it is compiled.

use std::{env, fs, path::Path};

fn main() {
    let page = "../../../docs/cudarc.md";
    for file in ["build.rs", "import.c", "layouts.c"] {
        println!("cargo::rerun-if-changed={file}");
    }
    println!("cargo::rerun-if-changed={page}");
    if env::var_os("CARGO_FEATURE_C").is_some() {
        cc::Build::new().file("import.c").compile("import");
    }
    if env::var_os("CARGO_FEATURE_LAYOUTS").is_some() {
        let include = env::var("DEP_CUDA_EXTERNAL_INCLUDE").unwrap_or_else(|_| {
            panic!(
                "cuda-external-sys has not generated its bindings, so there is no cuda.h of one's own to compare with.\n\
                 Set CUDA_HOME, and CUDA_EXTERNAL_SYS_BINDINGS=generate to be told what is missing."
            )
        });
        cc::Build::new().file("layouts.c").include(include).compile("layouts");
    }
    let page = fs::read_to_string(page).expect("the page");
    let blocks =
        page.split("```ignore\n").skip(1).map(|rest| rest.split("```").next().expect("a first part"));
    let code: String = blocks.collect();
    fs::write(Path::new(&env::var("OUT_DIR").expect("cargo sets it")).join("page.rs"), code)
        .expect("it is ours");
}
