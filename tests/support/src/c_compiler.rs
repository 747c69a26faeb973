//! Finds the C compiler (CC, or cc on PATH) and the libclang that bindgen loads. Compiles shared libraries.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

/// Returns a command that starts CC, or `cc` if CC is unset. CC may be several words: `gcc -m64`, `ccache gcc`.
pub fn compiler_command() -> Command {
    let value = env::var("CC").unwrap_or_default();
    let mut words = value.split_whitespace();
    let mut command = Command::new(words.next().unwrap_or("cc"));
    command.args(words);
    command
}

pub fn find_compiler() -> Result<(), String> {
    let mut command = compiler_command();
    match command.arg("--version").output() {
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => Err(format!("{command:?}: {}", output.status)),
        Err(error) => Err(format!("{command:?}: {error}")),
    }
}

pub fn compile_shared_library(source: &str, path: &Path, arguments: &[&str]) {
    let file = path.with_extension("c");
    fs::write(&file, source).expect("the directory can be written");
    let mut command = compiler_command();
    command.arg(&file).args(["-shared", "-fPIC", "-O1", "-o"]).arg(path).args(arguments);
    assert!(command.status().expect("the compiler starts").success());
}

/// Returns the libclang that bindgen loads here.
pub fn find_libclang() -> Result<PathBuf, String> {
    static FOUND: LazyLock<Result<PathBuf, String>> = LazyLock::new(|| {
        clang_sys::load().map_err(|error| {
            let line = error.lines().next().unwrap_or_default();
            format!("install libclang-dev, or set LIBCLANG_PATH ({line})")
        })?;
        Ok(clang_sys::get_library().expect("it was loaded").path().to_path_buf())
    });
    FOUND.clone()
}
