//! The C compiler, as Unix builds name it, and libclang, as bindgen finds it.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

/// CC, which may be several words: `gcc -m64`, `ccache gcc`.
#[derive(Clone, Debug)]
pub struct CCompiler(Vec<String>);

impl CCompiler {
    fn new(value: &str) -> Self {
        let words: Vec<String> = value.split_whitespace().map(str::to_owned).collect();
        Self(if words.is_empty() { vec!["cc".to_owned()] } else { words })
    }

    pub fn compiler_command(&self) -> Command {
        let mut command = Command::new(&self.0[0]);
        command.args(&self.0[1..]);
        command
    }
}

/// Returns the C compiler, or why it does not start.
pub fn find_compiler() -> Result<CCompiler, String> {
    let compiler = CCompiler::new(&env::var("CC").unwrap_or_default());
    let name = compiler.0.join(" ");
    match compiler.compiler_command().arg("--version").output() {
        Ok(output) if output.status.success() => Ok(compiler),
        Ok(output) => Err(format!("{name} --version: {}", output.status)),
        Err(error) => Err(format!("{name}: {error}")),
    }
}

pub fn shared_library(source: &str, path: &Path) {
    let file = path.with_extension("c");
    fs::write(&file, source).expect("the directory can be written");
    let mut command = find_compiler().expect("the test needs it").compiler_command();
    command.arg(&file).args(["-shared", "-fPIC", "-O1", "-o"]).arg(path);
    assert!(command.status().expect("the compiler starts").success());
}

/// The libclang that bindgen loads here.
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
