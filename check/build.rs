//! Builds the layer, the library that stands before the driver, and the one that is preloaded. The program carries their bytes.
//!
//! `cargo install` installs programs and no libraries, so the library must be inside of the program. The layer is this
//! package's own lib with the feature `library`. Cargo has no stable way to embed it, so this script calls cargo for it, with
//! a target directory of its own. Anybody can build it the same way:
//! `cargo rustc --package cuda-external-check --lib --crate-type cdylib --release --no-default-features --features library`.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src");
    println!("cargo::rerun-if-changed=Cargo.toml");
    println!("cargo::rustc-check-cfg=cfg(supported)");
    let out = PathBuf::from(variable("OUT_DIR"));
    println!("cargo::rustc-env=CUDA_EXTERNAL_CHECK_OUT={}", out.display());
    if !is_supported() {
        return;
    }
    println!("cargo::rustc-cfg=supported");
    if env::var_os("CARGO_FEATURE_LIBRARY").is_some() {
        link_layer(&out);
        return;
    }
    // The tests compile a fake driver for the same target.
    println!("cargo::rustc-env=CUDA_EXTERNAL_CHECK_TARGET={}", variable("TARGET"));
    println!("cargo::rustc-env=CUDA_EXTERNAL_CHECK_LINKER={}", env::var("RUSTC_LINKER").unwrap_or_default());
    if env::var_os("CARGO_FEATURE_PROGRAM").is_none() {
        return;
    }
    build_layer(&out);

    let mut preload = rustc("cuda_preload", "cdylib");
    preload.args(["-Cpanic=abort", "-Cstrip=debuginfo"]);
    run(preload.arg("src/preload.rs").arg("-o").arg(out.join("libcuda_preload.so")));
}

/// Builds this package's lib as the layer, optimized in every profile: it must cost little.
fn build_layer(out: &Path) {
    let (directory, target) = (out.join("library"), variable("TARGET"));
    let mut cargo = Command::new(variable("CARGO"));
    cargo.args(["rustc", "--quiet", "--lib", "--crate-type=cdylib", "--release", "--no-default-features"]);
    cargo.args(["--features=library", "--target", &target, "--target-dir"]).arg(&directory);
    cargo.args(["--config=profile.release.panic='abort'", "--config=profile.release.strip='debuginfo'"]);
    cargo.args(["--", "-Cforce-unwind-tables=yes"]);
    // It would put the outputs elsewhere.
    cargo.env_remove("CARGO_BUILD_BUILD_DIR");
    run(&mut cargo);
    let layer = directory.join(&target).join("release/libcuda_external_check.so");
    fs::copy(&layer, out.join("libcuda.so.1")).unwrap_or_else(|error| panic!("{}: {error}", layer.display()));
}

/// Tells cargo how the layer is linked, as it builds the lib for [`build_layer`].
fn link_layer(out: &Path) {
    // What the layer is linked to in place of the driver: an empty library with the name by which it will find the driver.
    let (empty, stand_in) = (out.join("empty.rs"), out.join("libcuda_real.so"));
    fs::write(&empty, "").expect("OUT_DIR can be written");
    let mut driver = rustc("cuda_real", "cdylib");
    driver.args(["-Cstrip=symbols", "-Clink-arg=-Wl,-soname,libcuda_real.so"]);
    run(driver.arg(&empty).arg("-o").arg(&stand_in));
    let arguments = [
        // It finds the driver beside itself, also where a program changes LD_LIBRARY_PATH.
        "-Wl,-rpath,$ORIGIN",
        "-Wl,-soname,libcuda.so.1",
        // The layer stays loaded, since the driver and the C library keep addresses of its functions.
        "-Wl,-z,nodelete",
        "-Wl,--no-as-needed",
    ];
    arguments.iter().for_each(|argument| println!("cargo::rustc-cdylib-link-arg={argument}"));
    println!("cargo::rustc-cdylib-link-arg={}", stand_in.display());
}

/// Whether there is a layer for the target. src/lib.rs has it under `cfg(supported)`.
fn is_supported() -> bool {
    let is = |name: &str, values: &[&str]| values.contains(&variable(name).as_str());
    is("CARGO_CFG_TARGET_OS", &["linux"])
        && is("CARGO_CFG_TARGET_ENV", &["gnu"])
        && is("CARGO_CFG_TARGET_ARCH", &["x86_64", "aarch64"])
        && is("CARGO_CFG_TARGET_POINTER_WIDTH", &["64"])
}

/// A call of rustc as cargo would make it for the target, for libraries that need no other crate.
fn rustc(name: &str, kind: &str) -> Command {
    let mut command = Command::new(variable("RUSTC"));
    command.args(["--edition=2024", "-Copt-level=2", "-Cdebuginfo=0", "--target", &variable("TARGET")]);
    command.args(["--crate-name", name, "--crate-type", kind]);
    if let Ok(linker) = env::var("RUSTC_LINKER") {
        command.arg(format!("-Clinker={linker}"));
    }
    let flags = env::var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default();
    command.args(flags.split('\x1f').filter(|flag| !flag.is_empty()));
    command
}

fn run(command: &mut Command) {
    let status = command.status().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(status.success(), "{command:?}: {status}");
}

fn variable(name: &str) -> String {
    env::var(name).unwrap_or_else(|_| panic!("{name} is not set: cargo must run build.rs"))
}
