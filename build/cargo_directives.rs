//! Prints the build script's directives for cargo, and reads cargo's variables.

use std::env;
use std::fmt::Display;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use crate::{embedded_bindings, policy};

/// Prints a directive for cargo. Line breaks become spaces, since cargo could read a second line as another directive.
pub fn print_directive(key: &str, value: &dyn Display) {
    let mut line = format!("cargo::{key}={value}").into_bytes();
    for byte in &mut line {
        if matches!(byte, b'\n' | b'\r') {
            *byte = b' ';
        }
    }
    line.push(b'\n');
    io::stdout().write_all(&line).expect("cargo reads the lines");
}

/// The bindings, and the values that `print_directives` passes to cargo and to dependents.
#[derive(Default)]
pub struct ChosenBindings {
    pub text: String,
    pub version: (u32, u32),
    /// Where the bindings come from and why, in one line: the value of the constant `BINDINGS_SOURCE`.
    pub source: String,
    pub include: Option<PathBuf>,
    pub root: Option<PathBuf>,
    pub warnings: Vec<String>,
    /// If one of these files or of the environment variables in `variables` changes, cargo runs build.rs again.
    pub files: Vec<PathBuf>,
    pub variables: Vec<String>,
}

impl ChosenBindings {
    pub fn from_embedded(source: String) -> Self {
        Self {
            text: embedded_bindings::embedded_text().to_owned(),
            version: embedded_bindings::embedded_version(),
            source,
            ..Self::default()
        }
    }

    pub fn print_directives(&self, file: &Path) {
        let (major, minor) = self.version;
        let kind = if self.include.is_some() { "generated" } else { "embedded" };
        let calls = match (cfg!(feature = "load"), cfg!(feature = "link")) {
            (true, _) => "load",
            (false, true) => "link",
            (false, false) => "none",
        };
        print_directive("rerun-if-env-changed", &policy::VARIABLE);
        for name in &self.variables {
            print_directive("rerun-if-env-changed", name);
        }
        for file in &self.files {
            print_directive("rerun-if-changed", &file.display());
        }
        print_directive("rerun-if-changed", &"docs");
        print_directive("rustc-check-cfg", &"cfg(cuda_bindings, values(\"generated\", \"embedded\"))");
        print_directive("rustc-cfg", &format!("cuda_bindings=\"{kind}\""));
        print_directive("rustc-env", &format!("CUDA_EXTERNAL_SYS_SOURCE={}", self.source));
        print_directive("metadata=BINDINGS", &kind);
        print_directive("metadata=CALLS", &calls);
        print_directive("metadata=FILE", &file.display());
        let functions = concat!(env!("CARGO_MANIFEST_DIR"), "/build/driver_exports.txt");
        print_directive("metadata=FUNCTIONS", &functions);
        print_directive("metadata=VERSION", &(major * 1000 + minor * 10));
        if let Some(include) = &self.include {
            print_directive("metadata=INCLUDE", &include.display());
        }
        if let Some(root) = &self.root {
            print_directive("metadata=ROOT", &root.display());
        }
        for warning in &self.warnings {
            print_directive("warning", warning);
        }
    }
}

pub fn cargo_variable(name: &str) -> Result<String, String> {
    env::var(name).map_err(|_| format!("{name} is not set: cargo must run build.rs"))
}
