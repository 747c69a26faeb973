//! Link mode: where the linker finds the driver's library.
//!
//! Nothing of the driver is needed at build time, only a library of its name that has its symbols:
//! the toolkit's stub, or, where there is none, one made here. The program then needs the real one,
//! libcuda.so.1, to start. On Windows raw-dylib does without any file.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use crate::allowlist;

/// Cargo's lines for the target: a search path and a library, or none.
pub fn lines(toolkit_root: Option<&Path>) -> Result<Vec<String>, String> {
    let var = |name| env::var(name).unwrap_or_default();
    match var("CARGO_CFG_TARGET_OS").as_str() {
        "windows" => return Ok(Vec::new()),
        // The documentation links nothing, and its builder has no C compiler for every target.
        _ if env::var_os("DOCS_RS").is_some() => return Ok(Vec::new()),
        "linux" => {}
        other => {
            return Err(format!(
                "The feature `link` needs a CUDA driver to link with, and NVIDIA makes none for {other}.\n\
                 Use the feature `load`: it builds everywhere, and says at run time that there is no driver."
            ));
        }
    }
    let folders =
        toolkit_root.map(|root| stub_folders(root, &var("CARGO_CFG_TARGET_ARCH"))).unwrap_or_default();
    let stub = match folders.iter().find(|folder| folder.join("libcuda.so").is_file()) {
        Some(folder) => folder.clone(),
        None => import_stub(&PathBuf::from(var("OUT_DIR"))).map_err(|why| failure(&folders, &why))?,
    };
    Ok(vec![format!("rustc-link-search=native={}", stub.display()), "rustc-link-lib=dylib=cuda".to_owned()])
}

/// Where a toolkit has its own stub for the target.
fn stub_folders(root: &Path, arch: &str) -> Vec<PathBuf> {
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
    folders
}

/// What the user reads: what was looked at, what the C compiler said, what to do.
fn failure(folders: &[PathBuf], why: &str) -> String {
    let looked = if folders.is_empty() {
        "No toolkit was found that could have one.".to_owned()
    } else {
        let lines: String = folders.iter().map(|folder| format!("\n  {}", folder.display())).collect();
        format!("The toolkit has none in:{lines}")
    };
    format!(
        "The feature `link` found no libcuda.so to link with, and could not make a stub of it.\n\n\
         {looked}\n\nThe C compiler, which would make one:\n  {}\n\n\
         Install a C compiler for the target (or name it by CC), or a toolkit with its stubs,\n\
         or use the feature `load`, which needs neither.",
        why.trim().replace('\n', "\n  ")
    )
}

/// Makes a libcuda.so that has the surface's symbols and the driver's soname. Should a program ever
/// load it in the driver's place, each call answers as NVIDIA's stub does: CUDA_ERROR_STUB_LIBRARY.
fn import_stub(out: &Path) -> Result<PathBuf, String> {
    let folder = out.join("stub");
    let source = folder.join("libcuda.c");
    let functions = allowlist::FUNCTIONS.iter();
    let text: String =
        functions.map(|(symbol, _)| format!("int {symbol}(void) {{ return 34; }}\n")).collect();
    fs::create_dir_all(&folder)
        .and_then(|()| fs::write(&source, text))
        .map_err(|error| format!("cannot write {}: {error}", source.display()))?;
    let compiler = cc::Build::new()
        .cargo_metadata(false)
        .cargo_warnings(false)
        .try_get_compiler()
        .map_err(|error| error.to_string())?;
    let output = compiler
        .to_command()
        .args(["-shared", "-fPIC", "-nostdlib", "-Wl,-soname,libcuda.so.1", "-o"])
        .arg(folder.join("libcuda.so"))
        .arg(&source)
        .output()
        .map_err(|error| format!("{}: {error}", compiler.path().display()))?;
    if output.status.success() {
        Ok(folder)
    } else {
        Err(String::from_utf8_lossy(&output.stderr).into_owned())
    }
}
