//! Builds the two libraries that `cuda-external-check` embeds: the layer and the preloaded library.
//!
//! With the feature `command`, this script runs cargo on this package again, once for each library.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const PRELOAD: &str = "CUDA_EXTERNAL_CHECK_PRELOAD";

fn main() {
    println!("cargo::rerun-if-env-changed={PRELOAD}");
    println!("cargo::rustc-check-cfg=cfg(supported)");
    println!("cargo::rustc-check-cfg=cfg(preload)");
    if !is_target_supported() {
        return;
    }
    let out = PathBuf::from(cargo_variable("OUT_DIR"));
    if env::var_os(PRELOAD).is_some() {
        println!("cargo::rustc-cfg=preload");
        return;
    }
    if cfg!(feature = "layer") {
        println!("cargo::rustc-cfg=supported");
    }
    if cfg!(feature = "library") {
        link_layer_to_driver(&out);
    }
    #[cfg(feature = "command")]
    build_embedded_libraries(&out);
}

fn cargo_variable(name: &str) -> String {
    env::var(name).unwrap_or_else(|_| panic!("{name} is not set: cargo must run build.rs"))
}

#[cfg(feature = "command")]
fn build_embedded_libraries(out: &Path) {
    use cuda_external_in_process::nested_cargo::{build_package_library, rerun_if_sources_changed};

    rerun_if_sources_changed();
    println!("cargo::rustc-env=CUDA_EXTERNAL_CHECK_OUT={}", out.display());
    // pthread_cancel and the walk of a call's stack need unwind tables for the libraries' frames too. Before Rust 1.92,
    // code that aborts at a panic has no such tables by default.
    const TABLES: [&str; 2] = ["--", "-Cforce-unwind-tables=yes"];
    build_package_library("libcuda.so.1", |cargo| cargo.args(["--features", "library"]).args(TABLES));
    build_package_library("libcuda_preload.so", |cargo| cargo.env(PRELOAD, "1").args(TABLES));
}

/// Returns whether the layer supports the target.
fn is_target_supported() -> bool {
    let is = |name: &str, values: &[&str]| values.contains(&cargo_variable(name).as_str());
    is("CARGO_CFG_TARGET_OS", &["linux"])
        && is("CARGO_CFG_TARGET_ENV", &["gnu"])
        && is("CARGO_CFG_TARGET_ARCH", &["x86_64", "aarch64"])
        && is("CARGO_CFG_TARGET_POINTER_WIDTH", &["64"])
}

/// Links the layer to libcuda_real.so. At run time, libcuda_real.so is a symbolic link in the layer's directory, and
/// leads to the driver.
fn link_layer_to_driver(out: &Path) {
    // At build time an empty library takes the place of libcuda_real.so.
    let (empty, driver) = (out.join("empty.rs"), out.join("libcuda_real.so"));
    fs::write(
        &empty,
        "#![no_std]\n#[panic_handler]\nfn panic(_: &core::panic::PanicInfo<'_>) -> ! { loop {} }\n",
    )
    .expect("OUT_DIR can be written");
    let mut rustc = Command::new(cargo_variable("RUSTC"));
    rustc.args(["--edition=2024", "--crate-name=cuda_real", "--crate-type=cdylib", "-Cpanic=abort"]);
    rustc.args([
        "-Cstrip=symbols",
        "-Clink-arg=-Wl,-soname,libcuda_real.so",
        "--target",
        &cargo_variable("TARGET"),
    ]);
    if let Ok(linker) = env::var("RUSTC_LINKER") {
        rustc.arg(format!("-Clinker={linker}"));
    }
    let status = rustc.arg(&empty).arg("-o").arg(&driver).status().expect("cargo's rustc starts");
    assert!(status.success(), "{rustc:?}: {status}");
    // `nodelete` keeps the layer loaded: the driver and the C library keep addresses of the layer's functions.
    for argument in ["-soname,libcuda.so.1", "-z,nodelete", "-rpath,$ORIGIN", "--no-as-needed"] {
        println!("cargo::rustc-cdylib-link-arg=-Wl,{argument}");
    }
    println!("cargo::rustc-cdylib-link-arg={}", driver.display());
}
