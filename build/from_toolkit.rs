//! Generates the bindings from a cuda.h of this machine. All that needs the cargo feature `bindgen` is here.

mod pkgconfig;

use std::env;
use std::fs;
use std::io::ErrorKind;
use std::path::PathBuf;
use std::process::Stdio;

use crate::policy::{self, Policy};
use crate::surface::Surface;
use crate::toolkit::{Environment, Refusal, Search, Target, Toolkit, Version, rerun_variables};
use crate::{Output, cargo, embedded_bindings, run_bindgen};

/// The files that are read while the bindings are generated.
const READ: [&str; 2] = ["wrapper.h", "build/include"];

/// The bindings of the best cuda.h of this machine, or the embedded ones.
pub fn output(policy: Policy) -> Result<Output, String> {
    let target = Target {
        triple: cargo("TARGET")?,
        host: cargo("HOST")?,
        arch: cargo("CARGO_CFG_TARGET_ARCH")?,
        os: cargo("CARGO_CFG_TARGET_OS")?,
    };
    let environment = Environment {
        var: &|name| env::var_os(name),
        names: &|| env::vars_os().map(|(name, _)| name).collect(),
        policy_variable: policy::VARIABLE,
        root: target.hosts_root(),
        target,
        include_directories: &pkgconfig::include_directories,
        run: &|mut command| {
            pkgconfig::in_time(move || command.stdin(Stdio::null()).output())
                .unwrap_or_else(|| Err(ErrorKind::TimedOut.into()))
        },
    };
    let (major, minor) = embedded_bindings::version();
    let version = Version { major, minor };
    let surface = Surface::read(embedded_bindings::text(), version)?;
    let directories = [PathBuf::from(cargo("CARGO_MANIFEST_DIR")?), PathBuf::from(cargo("OUT_DIR")?)];
    let mut search = Search::new(&environment);
    let (mut generated, mut included) = (None, Vec::new());
    while let Some(toolkit) = search.next() {
        match generate(&directories, &toolkit, &environment.target.triple, &surface, &mut included) {
            Ok(text) => {
                generated = Some((toolkit, text));
                break;
            }
            Err(refusal) => search.pass_over(&toolkit, refusal),
        }
    }
    let used = generated.as_ref().map(|(toolkit, _)| toolkit);
    let conclusion = search.conclude(used, policy == Policy::Generate, version)?;
    let mut output = match generated {
        None => Output::embedded(conclusion.source),
        Some((toolkit, text)) => Output {
            text,
            version: (toolkit.version.major, toolkit.version.minor),
            source: conclusion.source,
            include: Some(toolkit.include),
            root: toolkit.root,
            ..Output::default()
        },
    };
    output.warnings = conclusion.warnings;
    output.files = READ.iter().map(PathBuf::from).chain(search.headers).chain(included).collect();
    output.variables = rerun_variables(&environment);
    Ok(output)
}

/// The bindings by one cuda.h. `included` receives the files that it includes.
fn generate(
    [crate_root, out]: &[PathBuf; 2],
    toolkit: &Toolkit,
    target: &str,
    surface: &Surface,
    included: &mut Vec<PathBuf>,
) -> Result<String, Refusal> {
    let code = run_bindgen::code(crate_root, &toolkit.include, target, surface, included)?;
    // Left for whoever wants to see what bindgen made, and for the test that makes the embedded bindings of it.
    let _ = fs::write(out.join("bindgen.rs"), &code);
    let header_error = |why| Refusal { why, output: String::new(), is_libclangs: false };
    surface.bindings(&code, toolkit.version).map_err(header_error)
}
