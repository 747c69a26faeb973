//! Builds the layer, the library that stands before the driver, and the one that is preloaded. The program carries their bytes.
//!
//! `cargo install` installs programs and no libraries, so the library must be inside of the program. Cargo has no stable way
//! to embed one package's library in another one's program. This script therefore calls rustc itself: first on
//! cuda-external-sys without its features, which needs no other crate, and then on this package's own src/lib.rs. Cargo
//! compiles the same src/lib.rs for the program and for the lints.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src");
    println!("cargo::rustc-check-cfg=cfg(supported)");
    let out = PathBuf::from(variable("OUT_DIR"));
    println!("cargo::rustc-env=CUDA_EXTERNAL_CHECK_OUT={}", out.display());
    if !is_supported() {
        return;
    }
    println!("cargo::rustc-cfg=supported");
    // The tests compile a fake driver for the same target.
    println!("cargo::rustc-env=CUDA_EXTERNAL_CHECK_TARGET={}", variable("TARGET"));
    println!("cargo::rustc-env=CUDA_EXTERNAL_CHECK_LINKER={}", env::var("RUSTC_LINKER").unwrap_or_default());

    let sys = PathBuf::from(variable("DEP_CUDA_EXTERNAL_CRATE"));
    println!("cargo::rerun-if-changed={}", sys.join("src").display());
    fs::copy(sys.join("src/bindings/embedded.rs"), out.join("bindings.rs"))
        .expect("the crate has its bindings");
    let rlib = out.join("libcuda_external_sys.rlib");
    let mut rustc = rustc("cuda_external_sys", "rlib");
    rustc.env("OUT_DIR", &out).env("CUDA_EXTERNAL_SYS_SOURCE", "embedded: cuda-external-check");
    rustc.args(["--cfg", "cuda_bindings=\"embedded\"", "--cap-lints=allow"]);
    run(rustc.arg(sys.join("src/lib.rs")).arg("-o").arg(&rlib));

    // What the layer is linked to in place of the driver: an empty library with the name by which it will find the driver.
    let (empty, stand_in) = (out.join("empty.rs"), out.join("libcuda_real.so"));
    fs::write(&empty, "").expect("OUT_DIR can be written");
    let mut rustc = self::rustc("cuda_real", "cdylib");
    rustc.args(["-Cstrip=symbols", "-Clink-arg=-Wl,-soname,libcuda_real.so"]);
    run(rustc.arg(&empty).arg("-o").arg(&stand_in));

    let mut rustc = self::rustc("cuda_external_check", "cdylib");
    rustc.env("CARGO_PKG_VERSION", variable("CARGO_PKG_VERSION")).env("CUDA_EXTERNAL_CHECK_OUT", &out);
    rustc.args(["--cfg", "supported", "-Cpanic=abort", "-Cforce-unwind-tables=yes", "-Cstrip=debuginfo"]);
    rustc.arg("--extern").arg(joined("cuda_external_sys=", &rlib));
    // It finds the driver beside itself, also where a program changes LD_LIBRARY_PATH.
    rustc.arg("-Clink-arg=-Wl,-rpath,$ORIGIN");
    // The layer stays loaded, since the driver and the C library keep addresses of its functions.
    rustc.args([
        "-Clink-arg=-Wl,-soname,libcuda.so.1",
        "-Clink-arg=-Wl,-z,nodelete",
        "-Clink-arg=-Wl,--no-as-needed",
    ]);
    rustc.arg(joined("-Clink-arg=", &stand_in));
    run(rustc.arg("src/lib.rs").arg("-o").arg(out.join("libcuda.so.1")));

    let mut rustc = self::rustc("cuda_preload", "cdylib");
    rustc.args(["-Cpanic=abort", "-Cstrip=debuginfo"]);
    run(rustc.arg("src/preload.rs").arg("-o").arg(out.join("libcuda_preload.so")));
}

/// Whether there is a layer for the target. src/lib.rs has it under `cfg(supported)`.
fn is_supported() -> bool {
    let is = |name: &str, values: &[&str]| values.contains(&variable(name).as_str());
    is("CARGO_CFG_TARGET_OS", &["linux"])
        && is("CARGO_CFG_TARGET_ENV", &["gnu"])
        && is("CARGO_CFG_TARGET_ARCH", &["x86_64", "aarch64"])
        && is("CARGO_CFG_TARGET_POINTER_WIDTH", &["64"])
}

/// A call of rustc as cargo would make it for the target, optimized in every profile: the layer must cost little.
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

fn joined(text: &str, path: &Path) -> OsString {
    let mut joined = OsString::from(text);
    joined.push(path);
    joined
}

fn variable(name: &str) -> String {
    env::var(name).unwrap_or_else(|_| panic!("{name} is not set: cargo must run build.rs"))
}
