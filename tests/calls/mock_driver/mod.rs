//! Builds the mock driver from a real cuda.h.

mod exports;

use std::fs;
use std::path::{Path, PathBuf};

use crate::layout::comparison;
use crate::layout::compilers::{self, Bindings};
use exports::Exports;

const SOURCES: [(&str, &str); 3] =
    [("mock.h", include_str!("mock.h")), ("record.c", include_str!("record.c")), ("perform.c", PERFORM)];
const PERFORM: &str = include_str!("perform.c");

fn is_for_windows() -> bool {
    compilers::target().map_or(cfg!(windows), |target| target.contains("windows"))
}

/// Writes all sources to a directory, so that any C compiler can build the mock driver there:
/// `cc -shared -fPIC -I INCLUDE -o libcuda.so.1 *.c`, or for Windows `-o nvcuda.dll`.
fn write_sources(exports: &Exports, directory: &Path) -> Result<(), String> {
    fs::create_dir_all(directory).map_err(|error| format!("{}: {error}", directory.display()))?;
    for (name, text) in SOURCES {
        compilers::write(&directory.join(name), text)?;
    }
    compilers::write(&directory.join("perform.h"), &exports.perform_h())?;
    compilers::write(&directory.join("exports.c"), &exports.exports_c(PERFORM))
}

/// Builds the library in the directory, and returns its path.
pub fn build(bindings: &Bindings, include: &Path, directory: &Path) -> Result<PathBuf, String> {
    let inventory = comparison::read(bindings).map_err(|problem| problem.to_string())?;
    let exports = Exports { inventory, header: compilers::header(include)? };
    build_exports(&exports, include, directory)
}

fn build_exports(exports: &Exports, include: &Path, directory: &Path) -> Result<PathBuf, String> {
    write_sources(exports, directory)?;
    let mut command = compilers::cc();
    command.args(["-std=gnu11", "-O1", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC"]);
    command.args(["-fvisibility=hidden", "-Wno-deprecated-declarations", "-I"]).arg(include);
    command.args(["record.c", "perform.c", "exports.c"].map(|name| directory.join(name))).arg("-o");
    if is_for_windows() {
        // The file's name is the library's own. Beside it comes what the linker finds by -lcuda.
        let library = directory.join("nvcuda.dll");
        let implib = directory.join("libcuda.dll.a");
        command.arg(&library).args(["-static", &format!("-Wl,--out-implib,{}", implib.display())]);
        compilers::run(&mut command)?;
        return Ok(library);
    }
    let library = directory.join("libcuda.so.1");
    // A program that has the old one loaded keeps it.
    let new = directory.join("new");
    compilers::run(command.arg(&new).arg("-Wl,-soname,libcuda.so.1"))?;
    fs::rename(&new, &library).map_err(|error| format!("{}: {error}", library.display()))?;
    Ok(library)
}

/// Builds and runs tests/calls/linked.rs, whose functions are bound by the linker, and returns what it prints.
pub fn run_linked(bindings: &Bindings, include: &Path, directory: &Path) -> Result<String, String> {
    let inventory = comparison::read(bindings).map_err(|problem| problem.to_string())?;
    let exports = Exports { inventory, header: compilers::header(include)? };
    let library = build_exports(&exports, include, directory)?;
    let rlib = compilers::compile_crate(bindings, directory)?;
    compilers::write(&directory.join("fields.rs"), &exports.fields_rs())?;
    let program = directory.join(if is_for_windows() { "linked.exe" } else { "linked" });
    let mut command = compilers::rustc();
    command.env("OUT_DIR", directory).arg("--extern").arg(format!("cuda_external_sys={}", rlib.display()));
    command.arg(format!("-Clink-arg={}", library.display())).arg("-o").arg(&program);
    compilers::run(command.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/calls/linked.rs")))?;
    compilers::run(compilers::program(&program).env("LD_LIBRARY_PATH", directory))
}
