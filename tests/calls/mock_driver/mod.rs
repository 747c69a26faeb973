//! Builds the mock driver from a real cuda.h.

mod exports;

use std::fs;
use std::path::{Path, PathBuf};

use test_support as support;

use crate::layout::compilers::{self, Bindings};
use crate::layout::releases;
use exports::Exports;

/// Writes the sources to the directory, where any C compiler can build the library from them
/// (`cc -shared -fPIC -I INCLUDE -o libcuda.so.1 *.c`, or for Windows `-o nvcuda.dll`), and builds it.
fn build(exports: &Exports, include: &Path, directory: &Path) -> Result<PathBuf, String> {
    fs::create_dir_all(directory).map_err(|error| format!("{}: {error}", directory.display()))?;
    compilers::write(&directory.join("mock.h"), include_str!("mock.h"))?;
    let sources = [
        ("record.c", include_str!("record.c")),
        ("perform.c", include_str!("perform.c")),
        ("exports.c", &exports.exports_c()),
    ];
    let is_windows = compilers::target().is_some_and(|target| target.contains("windows"));
    let (name, option) =
        if is_windows { ("nvcuda.dll", "-static") } else { ("libcuda.so.1", "-Wl,-soname,libcuda.so.1") };
    let library = directory.join(name);
    let mut command = compilers::cc();
    command.args(["-std=gnu11", "-O1", "-Wall", "-Wextra", "-Werror", "-Wno-unused-parameter", option]);
    command.args(["-Wno-deprecated-declarations", "-shared", "-fPIC", "-fvisibility=hidden", "-I"]);
    command.arg(include).arg("-o").arg(&library);
    for (name, text) in sources {
        compilers::write(&directory.join(name), text)?;
        command.arg(directory.join(name));
    }
    compilers::run(&mut command).map(|_| library)
}

/// Builds the mock driver for this build's bindings where other programs find it: `support::mock_driver`.
pub fn build_for_this_build() -> PathBuf {
    let include = releases::this_builds_header().expect("the test needs it");
    let exports = Exports::new(&releases::this_builds(), &include);
    let built = exports.and_then(|exports| build(&exports, &include, &support::mock_driver_directory()));
    built.unwrap_or_else(|error| panic!("{error}"))
}

/// Builds and runs tests/calls/linked.rs, whose functions are bound by the linker, and returns what it prints.
pub fn run_linked(bindings: &Bindings, include: &Path, directory: &Path) -> Result<String, String> {
    let exports = Exports::new(bindings, include)?;
    let library = build(&exports, include, directory)?;
    let rlib = compilers::compile_crate(bindings, directory)?;
    compilers::write(&directory.join("fields.rs"), &exports.fields_rs())?;
    let program = directory.join("linked.exe");
    let mut command = compilers::rustc();
    command.env("OUT_DIR", directory).arg("--extern").arg(format!("cuda_external_sys={}", rlib.display()));
    command.arg(format!("-Clink-arg={}", library.display())).arg("-o").arg(&program);
    compilers::run(command.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/calls/linked.rs")))?;
    compilers::run(compilers::program(&program).env("LD_LIBRARY_PATH", directory))
}
