//! Writes the stub library with which the linker resolves the driver's functions, for the feature `link`.
//!
//! The linker may use the stub for a `-lcuda` of other code, so the stub has all functions in driver_exports.txt.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::cargo_directives::cargo_variable;
use crate::{driver_exports, stub_library};

/// Writes the stub library, and returns the directives with which cargo links the stub.
///
/// On docs.rs and for 64-bit Windows, writes no stub and returns no directives. Returns an error if the target is not
/// supported, if the stub's path has a line break, or if writing fails. With the feature `load`, returns no directives
/// instead of an error.
pub fn link_directives() -> Result<Vec<(&'static str, String)>, String> {
    // docs.rs links nothing.
    if env::var_os("DOCS_RS").is_some() {
        return Ok(Vec::new());
    }
    write_stub_library().or_else(|why| if cfg!(feature = "load") { Ok(Vec::new()) } else { Err(why) })
}

fn write_stub_library() -> Result<Vec<(&'static str, String)>, String> {
    let Some(machine) = elf_machine()? else { return Ok(Vec::new()) };
    let directory = PathBuf::from(cargo_variable("OUT_DIR")?).join("stub");
    // A directive for cargo cannot contain a path with a line break.
    if directory.to_string_lossy().contains(['\n', '\r']) {
        return Err("The feature `link` needs a target directory whose path has no line break: \
                    cargo cannot pass it to the linker.\n\
                    Set CARGO_TARGET_DIR, or use the feature `load`."
            .to_owned());
    }
    let file = directory.join("libcuda.so");
    let functions = driver_exports::driver_symbols();
    fs::create_dir_all(&directory)
        .and_then(|()| fs::write(&file, stub_library::elf_library(machine, "libcuda.so.1", functions.keys())))
        .map_err(|error| format!("cannot write {}: {error}", file.display()))?;
    Ok(vec![
        ("rerun-if-env-changed", "DOCS_RS".to_owned()),
        ("rustc-link-search", format!("native={}", path_without_target_prefix(&directory).display())),
        ("rustc-link-lib", "dylib=cuda".to_owned()),
    ])
}

/// Returns a path to `directory` that begins with `/..`, or on a Windows host `directory` itself. If the path began
/// with the target directory's path, cargo would add the path to the library path of `cargo run`. A program that opens
/// `libcuda.so` would then find the stub.
fn path_without_target_prefix(directory: &Path) -> PathBuf {
    // `/..` is `/`. A path on a Windows host stays the same: no program there opens `libcuda.so`.
    directory.strip_prefix("/").map_or_else(|_| directory.to_owned(), |rest| Path::new("/..").join(rest))
}

/// Returns ELF's number of the target's architecture. For 64-bit Windows, returns `None`: the feature `link` needs no
/// stub there. For a target that the feature `link` does not support, returns an error.
fn elf_machine() -> Result<Option<u16>, String> {
    let target = |what| cargo_variable(&format!("CARGO_CFG_TARGET_{what}"));
    let (system, bits, architecture) = (target("OS")?, target("POINTER_WIDTH")?, target("ARCH")?);
    let why = match (system.as_str(), bits.as_str(), architecture.as_str()) {
        ("windows", "64", _) => return Ok(None),
        ("linux", "64", "x86_64" | "aarch64") => {
            if is_static_c_library() {
                return Err(
                    "The feature `link` links to libcuda.so.1, and a program with a static C library \
                            (target feature `crt-static`, musl's default) cannot load shared libraries: \
                            it would crash at its start.\n\
                            Build with `-C target-feature=-crt-static`, or leave the feature `link` out."
                        .to_owned(),
                );
            }
            return Ok(Some(if architecture == "x86_64" { 62 } else { 183 }));
        }
        ("linux", "64", _) => {
            format!("these bindings have one for x86_64 and aarch64, not for {architecture}")
        }
        ("linux" | "windows", ..) => {
            format!("these bindings are for 64-bit targets; this one has {bits} bits")
        }
        _ => format!("NVIDIA has no driver for the system `{system}`"),
    };
    Err(format!(
        "The feature `link` needs a CUDA driver to link with, and {why}.\n\
         Use the feature `load`: it builds wherever there is `std`, and says at run time that there is no driver."
    ))
}

/// Returns whether a program for the target has a static C library.
///
/// `CARGO_CFG_TARGET_FEATURE` lacks musl's default `crt-static`: cargo asks rustc about all crate types at once, and
/// rustc does not report this default if `proc-macro` is one of the types. For musl, this function therefore asks rustc
/// about programs alone.
fn is_static_c_library() -> bool {
    let is_it = |feature: &str| feature == "crt-static";
    // Cargo does not set the variable if there are no features.
    if env::var("CARGO_CFG_TARGET_FEATURE").unwrap_or_default().split(',').any(is_it) {
        return true;
    }
    if env::var("CARGO_CFG_TARGET_ENV").as_deref() != Ok("musl") {
        return false;
    }
    let mut rustc = Command::new(env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
    rustc.args(["--print=cfg", "--crate-type=bin", "--target"]).args(env::var_os("TARGET"));
    let flags = env::var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default();
    rustc.args(flags.split('\x1f').filter(|flag| !flag.is_empty()));
    let printed = rustc.output().map(|output| output.stdout).unwrap_or_default();
    String::from_utf8_lossy(&printed).lines().any(|line| line == r#"target_feature="crt-static""#)
}
