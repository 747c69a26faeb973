//! The C compiler, as Unix builds name it, and libclang, as bindgen finds it.

use std::env;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

/// CC, which may be several words: `gcc -m64`, `ccache gcc`.
#[derive(Clone, Debug)]
pub struct Compiler {
    words: Vec<String>,
}

impl Compiler {
    fn new(value: Option<&str>) -> Self {
        let words: Vec<String> = value.unwrap_or_default().split_whitespace().map(str::to_owned).collect();
        Self { words: if words.is_empty() { vec!["cc".to_owned()] } else { words } }
    }

    /// A command that begins with all of CC's words.
    pub fn command(&self) -> Command {
        let mut command = Command::new(&self.words[0]);
        command.args(&self.words[1..]);
        command
    }
}

/// The C compiler, where it starts.
pub fn compiler() -> Result<Compiler, String> {
    let compiler = Compiler::new(env::var("CC").ok().as_deref());
    let name = compiler.words.join(" ");
    match compiler.command().arg("--version").output() {
        Ok(output) if output.status.success() => Ok(compiler),
        Ok(output) => Err(format!("{name} --version: {}", output.status)),
        Err(error) => Err(format!("{name}: {error}")),
    }
}

/// Compiles a C source text to a shared library.
pub fn shared_library(source: &str, path: &Path) {
    let mut child = compiler()
        .expect("the test needs it")
        .command()
        .args(["-x", "c", "-", "-shared", "-fPIC", "-O1", "-o"])
        .arg(path)
        .stdin(Stdio::piped())
        .spawn()
        .expect("the compiler starts");
    child.stdin.take().expect("it is piped").write_all(source.as_bytes()).expect("the compiler reads");
    assert!(child.wait().expect("the compiler ends").success());
}

/// Whether bindgen can load libclang here.
pub fn libclang() -> Result<(), String> {
    clang_sys::load().map_err(|error| {
        let line = error.lines().next().unwrap_or_default().to_owned();
        format!("install libclang-dev, or set LIBCLANG_PATH ({line})")
    })
}

#[cfg(test)]
mod tests {
    use super::Compiler;

    #[test]
    fn cc_can_be_several_words() {
        let words = |value| Compiler::new(value).words;
        assert_eq!(words(Some("gcc -m64")), ["gcc", "-m64"]);
        assert_eq!(words(Some("ccache gcc")), ["ccache", "gcc"]);
        assert_eq!(words(Some(" ")), ["cc"]);
        assert_eq!(words(None), ["cc"]);
    }
}
