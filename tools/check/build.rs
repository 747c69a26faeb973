//! Builds the two libraries that the program carries: the layer, which stands before the driver, and the one that is
//! preloaded.
//!
//! This script calls cargo on its own package: once for the layer, which the feature `library` selects, and once for
//! the preloaded library. An environment variable selects the latter: it has no standard library and no other part of
//! the crate.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use cuda_external_in_process::inner::{self, has_feature, run, variable};

const PRELOAD: &str = "CUDA_EXTERNAL_CHECK_PRELOAD";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src");
    println!("cargo::rerun-if-changed=Cargo.toml");
    println!("cargo::rerun-if-env-changed={PRELOAD}");
    println!("cargo::rustc-check-cfg=cfg(supported)");
    println!("cargo::rustc-check-cfg=cfg(preload)");
    println!("cargo::rustc-check-cfg=cfg(in_repository)");
    if Path::new("../../build/driver_functions.txt").exists() {
        println!("cargo::rustc-cfg=in_repository");
        // Cargo does not run this again for a dependency of the libraries.
        println!("cargo::rerun-if-changed=../in_process/src");
    }
    if !is_supported() {
        return;
    }
    let out = PathBuf::from(variable("OUT_DIR"));
    if env::var_os(PRELOAD).is_some() {
        println!("cargo::rustc-cfg=preload");
        return;
    }
    if has_feature("LAYER") {
        println!("cargo::rustc-cfg=supported");
    }
    if has_feature("LIBRARY") {
        link_layer(&out);
    }
    if has_feature("COMMAND") {
        println!("cargo::rustc-env=CUDA_EXTERNAL_CHECK_OUT={}", out.display());
        // An unwinding thread, as of pthread_cancel, goes through the frames of the layer as through those of C.
        build(&out, "libcuda.so.1", |cargo| {
            cargo.args(["--features", "library", "--", "-Cforce-unwind-tables=yes"])
        });
        build(&out, "libcuda_preload.so", |cargo| cargo.env(PRELOAD, "1"));
    }
}

/// Returns whether there is a layer for the target.
fn is_supported() -> bool {
    let is = |name: &str, values: &[&str]| values.contains(&variable(name).as_str());
    is("CARGO_CFG_TARGET_OS", &["linux"])
        && is("CARGO_CFG_TARGET_ENV", &["gnu"])
        && is("CARGO_CFG_TARGET_ARCH", &["x86_64", "aarch64"])
        && is("CARGO_CFG_TARGET_POINTER_WIDTH", &["64"])
}

/// The layer has the driver's name and needs the driver under another one, which it finds beside itself. It stays
/// loaded: the driver and the C library keep addresses of its functions.
fn link_layer(out: &Path) {
    // It is linked to an empty library in the driver's place, with the name by which it finds the driver.
    let (empty, driver) = (out.join("empty.rs"), out.join("libcuda_real.so"));
    fs::write(
        &empty,
        "#![no_std]\n#[panic_handler]\nfn panic(_: &core::panic::PanicInfo<'_>) -> ! { loop {} }\n",
    )
    .expect("OUT_DIR can be written");
    let mut rustc = Command::new(variable("RUSTC"));
    rustc.args(["--edition=2024", "--crate-name=cuda_real", "--crate-type=cdylib", "-Cpanic=abort"]);
    rustc.args([
        "-Cstrip=symbols",
        "-Clink-arg=-Wl,-soname,libcuda_real.so",
        "--target",
        &variable("TARGET"),
    ]);
    if let Ok(linker) = env::var("RUSTC_LINKER") {
        rustc.arg(format!("-Clinker={linker}"));
    }
    run(rustc.arg(&empty).arg("-o").arg(&driver));
    for argument in ["-soname,libcuda.so.1", "-z,nodelete", "-rpath,$ORIGIN", "--no-as-needed"] {
        println!("cargo::rustc-cdylib-link-arg=-Wl,{argument}");
    }
    println!("cargo::rustc-cdylib-link-arg={}", driver.display());
}

/// Builds a library, and copies it under its name.
fn build(out: &Path, name: &str, choose: impl FnOnce(&mut Command) -> &mut Command) {
    let built = inner::build(&out.join("library"), choose);
    fs::copy(&built, out.join(name)).unwrap_or_else(|error| panic!("{}: {error}", built.display()));
}
