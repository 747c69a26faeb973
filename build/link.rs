//! Link mode: where the linker finds the driver's library.
//!
//! Nothing of the driver is needed at build time, only a library of its name that has its symbols:
//! the toolkit's stub, or, where there is none, one made here. The program then needs the real one,
//! libcuda.so.1, to start. On Windows raw-dylib does without any file.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

/// Cargo's lines for the target: a search path and a library, or none.
pub fn lines(toolkit_root: Option<&Path>, bindings: &str) -> Result<Vec<String>, String> {
    let var = |name| env::var(name).unwrap_or_default();
    match var("CARGO_CFG_TARGET_OS").as_str() {
        "windows" => return Ok(Vec::new()),
        // The documentation links nothing, and its builder has no C compiler for every target.
        _ if env::var_os("DOCS_RS").is_some() => return Ok(Vec::new()),
        "linux" => {}
        other => {
            return Err(format!(
                "the feature `link` needs a CUDA driver to link with, and NVIDIA makes none for {other}.\n\
                 Use the feature `load`: it builds everywhere, and says at run time that there is no driver."
            ));
        }
    }
    let stub = match toolkit_root.and_then(|root| toolkit_stub(root, &var("CARGO_CFG_TARGET_ARCH"))) {
        Some(folder) => folder,
        None => import_stub(&PathBuf::from(var("OUT_DIR")), bindings)?,
    };
    Ok(vec![format!("rustc-link-search=native={}", stub.display()), "rustc-link-lib=dylib=cuda".to_owned()])
}

/// The folder of the toolkit's own stub for the target.
fn toolkit_stub(root: &Path, arch: &str) -> Option<PathBuf> {
    let targets: &[&str] = match arch {
        "x86_64" => &["x86_64-linux"],
        "aarch64" => &["sbsa-linux", "aarch64-linux"],
        _ => &[],
    };
    let mut folders: Vec<PathBuf> =
        targets.iter().map(|target| root.join("targets").join(target).join("lib/stubs")).collect();
    // The plain folder is the host's.
    if env::var("HOST") == env::var("TARGET") {
        folders.push(root.join("lib64/stubs"));
        folders.push(root.join("lib/stubs"));
    }
    folders.into_iter().find(|folder| folder.join("libcuda.so").is_file())
}

/// Makes a libcuda.so that has the surface's symbols and the driver's soname. Should a program ever
/// load it in the driver's place, each call answers as NVIDIA's stub does: CUDA_ERROR_STUB_LIBRARY.
fn import_stub(out: &Path, bindings: &str) -> Result<PathBuf, String> {
    let folder = out.join("stub");
    let source = folder.join("libcuda.c");
    let text: String = bindings
        .lines()
        .filter_map(|line| line.trim_start().strip_prefix("pub fn ")?.split_once(':'))
        .map(|(name, _)| format!("int {name}(void) {{ return 34; }}\n"))
        .collect();
    fs::create_dir_all(&folder)
        .and_then(|()| fs::write(&source, text))
        .map_err(|error| format!("cannot write {}: {error}", source.display()))?;
    let failed = |words: String| {
        format!(
            "the feature `link` found no stub of libcuda.so in a toolkit, and could not make one.\n\n  {}\n\n\
             Install a C compiler for the target (or name it by CC), or a toolkit with its stubs,\n\
             or use the feature `load`, which needs neither.",
            words.trim().replace('\n', "\n  ")
        )
    };
    let compiler = cc::Build::new()
        .cargo_metadata(false)
        .try_get_compiler()
        .map_err(|error| failed(error.to_string()))?;
    let output = compiler
        .to_command()
        .args(["-shared", "-fPIC", "-nostdlib", "-Wl,-soname,libcuda.so.1", "-o"])
        .arg(folder.join("libcuda.so"))
        .arg(&source)
        .output()
        .map_err(|error| failed(format!("{}: {error}", compiler.path().display())))?;
    if output.status.success() {
        Ok(folder)
    } else {
        Err(failed(String::from_utf8_lossy(&output.stderr).into_owned()))
    }
}
