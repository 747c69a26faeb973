//! Generates the bindings from a cuda.h of this machine. All that needs the cargo feature `bindgen` is here.

mod generate;
mod pkgconfig;

use std::env;
use std::path::{Path, PathBuf};

use std::fs;

use cuda_external_sys_generator::Surface;
use cuda_external_sys_generator::toolkit::{self, Environment, GenerateError, Target, Toolkit, Version};

use crate::policy::Policy;
use crate::{Bindings, cargo, embedded};

/// The files that are read while the bindings are generated.
const READ: [&str; 2] = ["wrapper.h", "build/include"];

/// The bindings of the best cuda.h of this machine, or the embedded ones.
pub fn bindings(policy: Policy) -> Result<Bindings, String> {
    let target = Target {
        triple: cargo("TARGET")?,
        host: cargo("HOST")?,
        arch: cargo("CARGO_CFG_TARGET_ARCH")?,
        os: cargo("CARGO_CFG_TARGET_OS")?,
    };
    let environment = Environment {
        var: &|name| env::var_os(name),
        names: &|| env::vars_os().map(|(name, _)| name).collect(),
        root: Path::new(if cfg!(windows) { "C:\\" } else { "/" }),
        target,
        pkg_config: &pkgconfig::packages,
    };
    let crate_root = PathBuf::from(cargo("CARGO_MANIFEST_DIR")?);
    let (major, minor) = embedded::VERSION;
    let newest = Version { major, minor };
    let surface = Surface::read(embedded::text(), newest)?;
    let mut included = Vec::new();
    let mut generate = |toolkit: &Toolkit| {
        generated(&crate_root, toolkit, &environment.target.triple, &surface, &mut included)
    };
    let choice = toolkit::choose(policy == Policy::Generate, &environment, newest, &mut generate)?;
    let mut bindings = match choice.generated {
        None => Bindings::embedded(choice.source),
        Some((toolkit, text)) => Bindings {
            text,
            version: (toolkit.version.major, toolkit.version.minor),
            source: choice.source,
            include: Some(toolkit.include),
            root: toolkit.root,
            ..Bindings::default()
        },
    };
    bindings.warnings = choice.warnings;
    bindings.files = READ.iter().map(PathBuf::from).chain(choice.headers).chain(included).collect();
    bindings.variables = toolkit::watched(&environment);
    Ok(bindings)
}

fn generated(
    crate_root: &Path,
    toolkit: &Toolkit,
    target: &str,
    surface: &Surface,
    included: &mut Vec<PathBuf>,
) -> Result<String, GenerateError> {
    let code = generate::code(crate_root, &toolkit.include, target, surface, included)
        .map_err(|error| in_words(error, target))?;
    // Left for whoever wants to see what bindgen made, and for the test that makes the embedded bindings of it.
    let out = PathBuf::from(cargo("OUT_DIR").map_err(unsuitable)?);
    let _ = fs::write(out.join("bindgen.rs"), &code);
    surface.bindings(&code, toolkit.version).map_err(unsuitable)
}

fn unsuitable(why: String) -> GenerateError {
    GenerateError::Header { why, output: String::new() }
}

fn in_words(error: generate::Error, target: &str) -> GenerateError {
    match error {
        generate::Error::NoLibclang(output) => {
            GenerateError::Clang { why: "bindgen found no libclang to read it with".to_owned(), output }
        }
        // The words of libclang's wrapper where it reads no file at all; clang itself prints the reason.
        generate::Error::Unreadable(output) if output.contains("libclang error; possible causes") => {
            let why =
                format!("libclang refuses the target {target}, or an argument in BINDGEN_EXTRA_CLANG_ARGS");
            GenerateError::Clang { why, output: String::new() }
        }
        generate::Error::Unsuitable(why) => unsuitable(why),
        generate::Error::Unreadable(output) => {
            let mut lines = output.trim_start_matches("clang diagnosed error: ").lines();
            let first = lines.next().unwrap_or("no reason given");
            let output = lines.take(4).collect::<Vec<_>>().join("\n");
            GenerateError::Header { why: format!("bindgen cannot read it: {first}"), output }
        }
    }
}
