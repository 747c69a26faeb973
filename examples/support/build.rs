//! Sets `cfg(loads_the_driver)` if any package of the build enables cuda-external-sys's feature `load`.

use std::env;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(loads_the_driver)");
    if env::var("DEP_CUDA_EXTERNAL_CALLS").as_deref() == Ok("load") {
        println!("cargo::rustc-cfg=loads_the_driver");
    }
}
