//! Link mode: what the linker resolves the functions with.
//!
//! Nothing of the driver is needed at build time, only a library of its name that has its symbols: a stub that is made here.
//! The program then needs the real one, libcuda.so.1, to start. On Windows, raw-dylib needs no file at all.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use crate::{allowlist, cargo};

/// Cargo's lines for the target: what to watch, and where the stub is. Where `load` is on too, nothing is linked.
pub fn lines() -> Result<Vec<String>, String> {
    if cfg!(feature = "load") {
        return Ok(Vec::new());
    }
    // The documentation links nothing, and its builder has no C compiler for every target.
    if env::var_os("DOCS_RS").is_some() {
        return Ok(Vec::new());
    }
    let (system, bits) = (cargo("CARGO_CFG_TARGET_OS")?, cargo("CARGO_CFG_TARGET_POINTER_WIDTH")?);
    match (system.as_str(), bits.as_str()) {
        ("windows", "64") => return Ok(Vec::new()),
        ("linux", "64") => {}
        _ => return Err(no_driver(&system, &bits)),
    }
    // Cargo leaves the variable out where there are none.
    let features = env::var("CARGO_CFG_TARGET_FEATURE").unwrap_or_default();
    if features.split(',').any(|feature| feature == "crt-static") {
        return Err("The feature `link` links to libcuda.so.1, and a program with a static C library \
                    (target feature `crt-static`) cannot load shared libraries: it would crash at its start.\n\
                    Build with `-C target-feature=-crt-static`, or leave the feature `link` out."
            .to_owned());
    }
    let stub = make_stub(&PathBuf::from(cargo("OUT_DIR")?)).map_err(|error| {
        format!(
            "The feature `link` could not make the stub of libcuda.so that it links with.\n\n\
             The C compiler:\n  {}\n\n\
             Install a C compiler for the target (or name it by CC), or use the feature `load`, which needs none.",
            error.trim().replace('\n', "\n  ")
        )
    })?;
    let target = cargo("TARGET")?;
    let watched =
        ["DOCS_RS", "CC", "TARGET_CC", &format!("CC_{target}"), &format!("CC_{}", target.replace('-', "_"))]
            .map(|name| format!("rerun-if-env-changed={name}"));
    let linked =
        [format!("rustc-link-search=native={}", stub.display()), "rustc-link-lib=dylib=cuda".to_owned()];
    Ok(watched.into_iter().chain(linked).collect())
}

fn no_driver(system: &str, bits: &str) -> String {
    let why = match system {
        "linux" | "windows" => format!("these bindings are for 64-bit targets; this one has {bits} bits"),
        _ => format!("NVIDIA makes none for {system}"),
    };
    format!(
        "The feature `link` needs a CUDA driver to link with, and {why}.\n\
         Use the feature `load`: it builds everywhere, and says at run time that there is no driver."
    )
}

/// Makes a libcuda.so that has the surface's symbols and the driver's soname, and returns its directory. Should a program
/// ever load it in the driver's place, each call answers as NVIDIA's stub does: CUDA_ERROR_STUB_LIBRARY, which is 34.
fn make_stub(out: &Path) -> Result<PathBuf, String> {
    let directory = out.join("stub");
    let source = directory.join("libcuda.c");
    fs::create_dir_all(&directory)
        .and_then(|()| fs::write(&source, allowlist::c_source(34)))
        .map_err(|error| format!("cannot write {}: {error}", source.display()))?;
    // The user's flags are for code that runs. They may hide all symbols, or want libraries.
    for (name, _) in env::vars_os().filter(|(name, _)| name.to_string_lossy().contains("CFLAGS")) {
        // SAFETY: the build script has one thread.
        unsafe { env::remove_var(name) };
    }
    let compiler = cc::Build::new()
        .cargo_metadata(false)
        .cargo_warnings(false)
        .try_get_compiler()
        .map_err(|error| error.to_string())?;
    let output = compiler
        .to_command()
        .args(["-shared", "-fPIC", "-nostdlib", "-fvisibility=default", "-Wl,-soname,libcuda.so.1", "-o"])
        .arg(directory.join("libcuda.so"))
        .arg(&source)
        .output()
        .map_err(|error| format!("{}: {error}", compiler.path().display()))?;
    if output.status.success() {
        Ok(directory)
    } else {
        Err(String::from_utf8_lossy(&output.stderr).into_owned())
    }
}
