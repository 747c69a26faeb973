//! Compiles a C file that includes one's own cuda.h, the one that the bindings were generated from.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=layout.c");
    let Ok(include) = std::env::var("DEP_CUDA_EXTERNAL_INCLUDE") else {
        panic!(
            "cuda-external-sys has not generated its bindings, so there is no cuda.h of one's own to compare with.\n\
             Set CUDA_HOME, and CUDA_EXTERNAL_SYS_BINDINGS=generate to be told what is missing."
        );
    };
    cc::Build::new().file("layout.c").include(include).compile("layout");
}
