//! Compiles C code that calls the driver, and leaves libcuda to the crate beside it; and C code that includes one's own
//! cuda.h, the one that the bindings were generated from.

use std::env;

fn main() {
    for file in ["build.rs", "import.c", "layouts.c"] {
        println!("cargo::rerun-if-changed={file}");
    }
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
}
