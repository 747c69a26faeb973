//! Makes the bindings from the cuda.h of this machine or takes the embedded ones, links where asked to, and tells cargo.
//!
//! Dependents' build scripts may read, by `links = "cuda-external"`:
//! - `DEP_CUDA_EXTERNAL_VERSION`: the `CUDA_VERSION` of the bindings (13050 is 13.5);
//! - `DEP_CUDA_EXTERNAL_BINDINGS`: `generated` or `embedded`;
//! - `DEP_CUDA_EXTERNAL_FILE`: their text;
//! - `DEP_CUDA_EXTERNAL_CALLS`: `load`, `link` or `none`, the mode;
//! - `DEP_CUDA_EXTERNAL_INCLUDE`, `DEP_CUDA_EXTERNAL_ROOT`: where cuda.h is, where generated.

// build-script, a package of tests, has these as a library. Its tests and the generator use what is left unused here.
#[allow(dead_code)]
#[path = "build/allowlist.rs"]
mod allowlist;
#[path = "build/embedded_bindings.rs"]
mod embedded_bindings;
#[cfg(feature = "bindgen")]
#[path = "build/from_toolkit.rs"]
mod from_toolkit;
#[cfg(feature = "link")]
#[path = "build/link.rs"]
mod link;
#[cfg(feature = "bindgen")]
#[path = "build/pages.rs"]
mod pages;
#[path = "build/policy.rs"]
mod policy;
#[cfg(feature = "bindgen")]
#[path = "build/run_bindgen.rs"]
mod run_bindgen;
#[cfg(feature = "link")]
#[path = "build/stub.rs"]
mod stub;
#[cfg(feature = "bindgen")]
#[allow(dead_code)]
#[path = "build/surface/mod.rs"]
mod surface;
#[cfg(feature = "bindgen")]
#[allow(dead_code)]
#[path = "build/toolkit/mod.rs"]
mod toolkit;

use std::env;
use std::fmt::Display;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use policy::Policy;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("\n{message}\n");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), String> {
    let output = choose(Policy::parse(env::var_os(policy::VARIABLE).as_deref())?)?;
    let out = PathBuf::from(cargo("OUT_DIR")?).join("bindings.rs");
    fs::write(&out, &output.text).map_err(|error| format!("cannot write {}: {error}", out.display()))?;
    #[cfg(feature = "bindgen")]
    pages::write(
        cargo("CARGO_MANIFEST_DIR")?.as_ref(),
        &out.with_file_name("docs"),
        embedded_bindings::text(),
    )
    .map_err(|error| format!("cannot write the pages: {error}"))?;
    output.tell(&out);
    #[cfg(feature = "link")]
    link::lines()?.iter().for_each(|(key, value)| tell(key, value));
    Ok(())
}

/// Tells cargo. A directive is one line; what follows a line break in a path or a message would be another.
fn tell(key: &str, value: &dyn Display) {
    let mut line = format!("cargo::{key}={value}").into_bytes();
    for byte in &mut line {
        if matches!(byte, b'\n' | b'\r') {
            *byte = b' ';
        }
    }
    line.push(b'\n');
    io::stdout().write_all(&line).expect("cargo reads the lines");
}

fn choose(policy: Policy) -> Result<Output, String> {
    if policy != Policy::Embedded {
        tell("rerun-if-env-changed", &"DOCS_RS");
    }
    match policy {
        Policy::Embedded => Ok(Output::embedded(format!("embedded: {}=embedded", policy::VARIABLE))),
        Policy::Auto if env::var_os("DOCS_RS").is_some() => {
            Ok(Output::embedded("embedded: DOCS_RS is set".to_owned()))
        }
        Policy::Auto | Policy::Generate => from_toolkit::output(policy),
    }
}

#[cfg(not(feature = "bindgen"))]
mod from_toolkit {
    use super::{Output, Policy, policy::VARIABLE};

    /// The embedded bindings: the others need bindgen.
    pub fn output(policy: Policy) -> Result<Output, String> {
        if policy == Policy::Generate {
            return Err(format!(
                "{VARIABLE}=generate, but the cargo feature `bindgen` of cuda-external-sys is off.\n\
                 Switch the feature on, or set {VARIABLE}=embedded."
            ));
        }
        Ok(Output::embedded("embedded: the cargo feature `bindgen` is off".to_owned()))
    }
}

/// The bindings, and what cargo and the rest of the build are told about them.
#[derive(Default)]
struct Output {
    text: String,
    version: (u32, u32),
    /// What they are and why, in one line: the constant `BINDINGS_SOURCE`.
    source: String,
    include: Option<PathBuf>,
    root: Option<PathBuf>,
    warnings: Vec<String>,
    /// The files and variables whose change runs this script again.
    files: Vec<PathBuf>,
    variables: Vec<String>,
}

impl Output {
    fn embedded(source: String) -> Self {
        Self {
            text: embedded_bindings::text().to_owned(),
            version: embedded_bindings::version(),
            source,
            ..Self::default()
        }
    }

    fn tell(&self, file: &Path) {
        let (major, minor) = self.version;
        let kind = if self.include.is_some() { "generated" } else { "embedded" };
        let calls = match (cfg!(feature = "load"), cfg!(feature = "link")) {
            (true, _) => "load",
            (false, true) => "link",
            (false, false) => "none",
        };
        tell("rerun-if-env-changed", &policy::VARIABLE);
        for name in &self.variables {
            tell("rerun-if-env-changed", name);
        }
        for file in &self.files {
            tell("rerun-if-changed", &file.display());
        }
        tell("rerun-if-changed", &"docs");
        tell("rustc-check-cfg", &"cfg(cuda_bindings, values(\"generated\", \"embedded\"))");
        tell("rustc-cfg", &format!("cuda_bindings=\"{kind}\""));
        tell("rustc-env", &format!("CUDA_EXTERNAL_SYS_SOURCE={}", self.source));
        tell("metadata=BINDINGS", &kind);
        tell("metadata=CALLS", &calls);
        tell("metadata=FILE", &file.display());
        tell("metadata=VERSION", &(major * 1000 + minor * 10));
        if let Some(include) = &self.include {
            tell("metadata=INCLUDE", &include.display());
        }
        if let Some(root) = &self.root {
            tell("metadata=ROOT", &root.display());
        }
        for warning in &self.warnings {
            tell("warning", warning);
        }
    }
}

/// A variable that cargo sets for every build script.
fn cargo(name: &str) -> Result<String, String> {
    env::var(name).map_err(|_| format!("{name} is not set: cargo must run build.rs"))
}
