//! Builds the stand-in driver from a real cuda.h.

#![allow(dead_code)] // each test program uses its part

// In `link` mode the functions would want the stand-in at this program's start: see linked.rs.
#[cfg(all(feature = "load", not(feature = "link")))]
pub mod calls;
#[path = "../layout/mod.rs"]
pub mod layout;
#[cfg(all(feature = "load", not(feature = "link")))]
pub mod pattern;
mod shims;

use std::fs;
use std::path::{Path, PathBuf};

use layout::compilers::{self, Bindings};
use layout::judge;

/// The name that programs ask the system's loader for.
fn name() -> &'static str {
    if is_for_windows() { "nvcuda.dll" } else { "libcuda.so.1" }
}

fn is_for_windows() -> bool {
    compilers::target().map_or(cfg!(windows), |target| target.contains("windows"))
}

const SOURCES: &[(&str, &str)] = &[
    ("stand_in.h", include_str!("stand_in.h")),
    ("recorder.c", include_str!("recorder.c")),
    ("device.c", include_str!("device.c")),
    ("memory.c", include_str!("memory.c")),
];

/// On other systems it is empty but for what the others call.
const ON_LINUX: (&str, &str) = ("share.c", include_str!("share.c"));

/// Writes all sources of the stand-in to a folder, so that any C compiler can build it there:
/// `cc -shared -fPIC -I INCLUDE -o libcuda.so.1 *.c`, or for Windows `-o nvcuda.dll`.
pub fn write_sources(bindings: &Bindings, folder: &Path) -> Result<(), String> {
    let inventory = judge::read(bindings).map_err(|problem| problem.to_string())?;
    let everywhere: String = SOURCES.iter().map(|(_, text)| *text).collect();
    fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    for (name, text) in SOURCES.iter().chain([&ON_LINUX]) {
        compilers::write(&folder.join(name), text)?;
    }
    compilers::write(&folder.join("work.h"), &shims::work_h(&inventory))?;
    compilers::write(&folder.join("shims.c"), &shims::shims_c(&inventory, &everywhere, ON_LINUX.1))
}

/// Builds the library in the folder, and gives its path.
pub fn build(bindings: &Bindings, include: &Path, folder: &Path) -> Result<PathBuf, String> {
    write_sources(bindings, folder)?;
    let library = folder.join(name());
    let mut command = compilers::cc();
    command.args(["-std=gnu11", "-O1", "-g", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC"]);
    command.args(["-fvisibility=hidden", "-Wno-deprecated-declarations", "-I"]).arg(include);
    let sources = SOURCES.iter().chain([&ON_LINUX]).map(|(name, _)| folder.join(name));
    command.args(sources.filter(|path| path.extension().is_some_and(|extension| extension == "c")));
    command.arg(folder.join("shims.c")).arg("-o");
    if is_for_windows() {
        // The file's name is the library's own. Beside it comes what the linker finds by -lcuda.
        let implib = folder.join("libcuda.dll.a");
        command.arg(&library).args(["-static", &format!("-Wl,--out-implib,{}", implib.display())]);
        compilers::run(&mut command)?;
    } else {
        // A program that has the old one loaded keeps it.
        let new = folder.join("new");
        compilers::run(command.arg(&new).arg("-Wl,-soname,libcuda.so.1"))?;
        fs::rename(&new, &library).map_err(|error| format!("{}: {error}", library.display()))?;
    }
    Ok(library)
}

/// Builds and runs the calls with the functions bound by the linker, and gives the program's words.
pub fn run_linked(bindings: &Bindings, include: &Path, folder: &Path) -> Result<String, String> {
    build(bindings, include, folder)?;
    let rlib = compilers::compile_crate(bindings, folder)?;
    #[cfg(unix)]
    if !is_for_windows() {
        // What the linker looks for when it is told -lcuda.
        let link = folder.join("libcuda.so");
        let _ = fs::remove_file(&link);
        std::os::unix::fs::symlink(name(), &link).map_err(|error| format!("{}: {error}", link.display()))?;
    }
    let program = folder.join(if is_for_windows() { "linked.exe" } else { "linked" });
    let mut command = compilers::rustc();
    let inventory = judge::read(bindings).map_err(|problem| problem.to_string())?;
    compilers::write(&folder.join("fields.rs"), &shims::fields_rs(&inventory))?;
    command.env("OUT_DIR", folder).arg("--extern").arg(format!("cuda_external_sys={}", rlib.display()));
    command.arg("-L").arg(folder).args(["-l", "cuda", "-o"]).arg(&program);
    compilers::run(command.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/driver/linked.rs")))?;
    compilers::run(compilers::program(&program).env("LD_LIBRARY_PATH", folder))
}
