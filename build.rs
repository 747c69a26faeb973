//! Writes the bindings, which are embedded or generated from a cuda.h, and the pages of docs/ in a form for rustdoc.
//! With the feature `link`, also writes the stub library: `link_directives` says when no stub is written.
//!
//! Only cuda-external-cpu uses `DEP_CUDA_EXTERNAL_FUNCTIONS`. docs/building.md lists the variables for all dependents.

// build/lib.rs names the feature `read-bindings`, which only the package build-script has.
#![allow(unexpected_cfgs)]

// build.rs does not use all functions: tests and dev/generator use the others through the package build-script.
#[allow(dead_code, unused_imports)]
#[path = "build/lib.rs"]
mod build_script;

use std::env;
use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

// The modules name each other by paths in `crate::`. This import makes those paths valid in build.rs too.
use build_script::*;

use cargo_directives::{ChosenBindings, cargo_variable, print_directive};
use policy::BindingsPolicy;

fn main() -> ExitCode {
    match write_chosen_bindings() {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("\n{message}\n");
            ExitCode::FAILURE
        }
    }
}

fn write_chosen_bindings() -> Result<(), String> {
    let output = choose_bindings(BindingsPolicy::parse_policy(env::var_os(policy::VARIABLE).as_deref())?)?;
    let out = PathBuf::from(cargo_variable("OUT_DIR")?).join("bindings.rs");
    fs::write(&out, &output.text).map_err(|error| format!("cannot write {}: {error}", out.display()))?;
    rustdoc_pages::write_pages(
        cargo_variable("CARGO_MANIFEST_DIR")?.as_ref(),
        &out.with_file_name("docs"),
        embedded_bindings::embedded_text(),
    )
    .map_err(|error| format!("cannot write the pages: {error}"))?;
    output.print_directives(&out);
    #[cfg(feature = "link")]
    link_driver::link_directives()?.iter().for_each(|(key, value)| print_directive(key, value));
    Ok(())
}

fn choose_bindings(policy: BindingsPolicy) -> Result<ChosenBindings, String> {
    if policy == BindingsPolicy::Embedded {
        return Ok(ChosenBindings::from_embedded(format!("embedded: {}=embedded", policy::VARIABLE)));
    }
    print_directive("rerun-if-env-changed", &"DOCS_RS");
    if policy == BindingsPolicy::Auto && env::var_os("DOCS_RS").is_some() {
        return Ok(ChosenBindings::from_embedded("embedded: DOCS_RS is set".to_owned()));
    }
    #[cfg(feature = "bindgen")]
    return from_toolkit::bindings_from_toolkit(policy);
    #[cfg(not(feature = "bindgen"))]
    if policy == BindingsPolicy::Generate {
        Err(format!(
            "{0}=generate, but the cargo feature `bindgen` of cuda-external-sys is off.\n\
             Switch the feature on, or set {0}=embedded.",
            policy::VARIABLE
        ))
    } else {
        Ok(ChosenBindings::from_embedded("embedded: the cargo feature `bindgen` is off".to_owned()))
    }
}
