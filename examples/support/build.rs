//! Sets `loads_the_driver` if cuda-external-sys has the feature `load`, which any package of the build may enable.

use std::env;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(loads_the_driver)");
    if env::var("DEP_CUDA_EXTERNAL_CALLS").as_deref() == Ok("load") {
        println!("cargo::rustc-cfg=loads_the_driver");
    }
}
