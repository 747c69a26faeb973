//! Generates the bindings from a cuda.h of this machine. If no cuda.h is usable, takes the embedded bindings.

use std::env;
use std::path::PathBuf;

use crate::ask_pkg_config;
use crate::cargo_directives::{ChosenBindings, cargo_variable};
use crate::policy::BindingsPolicy;
use crate::run_bindgen::generate_bindings;
use crate::surface::merge_header::read_embedded_surface;
use crate::toolkit::{BuildTarget, SearchEnvironment, ToolkitSearch, rerun_variables};

/// The crate's files that bindgen reads in addition to cuda.h.
const READ_FILES: [&str; 2] = ["wrapper.h", "build/include"];

/// Returns bindings that were generated from the first usable cuda.h, or the embedded bindings if no cuda.h is usable.
/// If `ToolkitSearch::conclude_search` returns an error for the search, returns this error instead.
pub fn bindings_from_toolkit(policy: BindingsPolicy) -> Result<ChosenBindings, String> {
    let target = BuildTarget {
        triple: cargo_variable("TARGET")?,
        host: cargo_variable("HOST")?,
        arch: cargo_variable("CARGO_CFG_TARGET_ARCH")?,
        os: cargo_variable("CARGO_CFG_TARGET_OS")?,
    };
    let environment = SearchEnvironment {
        var: &|name| env::var_os(name),
        root: target.host_file_system_root(),
        target,
        pkg_config_includes: &ask_pkg_config::pkg_config_includes,
    };
    let surface = read_embedded_surface()?;
    let directories = ["CARGO_MANIFEST_DIR", "OUT_DIR"].map(|name| cargo_variable(name).map(PathBuf::from));
    let [crate_root, out] = directories;
    let directories = [crate_root?, out?];
    let mut included = Vec::new();
    let search = ToolkitSearch::search_all_places(&environment, &mut |toolkit| {
        generate_bindings(&directories, toolkit, &environment.target.triple, &surface, &mut included)
    });
    let outcome = search.conclude_search(policy == BindingsPolicy::Generate)?;
    let mut output = match search.used {
        None => ChosenBindings::from_embedded(outcome.source),
        Some((toolkit, text)) => ChosenBindings {
            text,
            version: (toolkit.version.major, toolkit.version.minor),
            source: outcome.source,
            include: Some(toolkit.include),
            root: toolkit.root,
            ..ChosenBindings::default()
        },
    };
    output.warnings = outcome.warnings;
    output.files = READ_FILES.iter().map(PathBuf::from).chain(search.headers).chain(included).collect();
    output.variables = rerun_variables(&environment);
    Ok(output)
}
