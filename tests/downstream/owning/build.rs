//! Asks which release the bindings are of, to use what only newer ones have.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(has_dmabuf)");
    let version = std::env::var("DEP_CUDA_EXTERNAL_VERSION").expect("cuda-external-sys tells it");
    if version.parse::<u32>().expect("it is a number") >= 13000 {
        println!("cargo::rustc-cfg=has_dmabuf");
    }
}
