//! The bindings are what cuda.h says, and the same surface with every header.

mod broken_bindings;
mod changed_models;
mod clang_arguments;
mod edited_headers;
mod every_release;
mod exported_macros;
mod generated;

use test_support::{self as support, Need, layout};

fn main() -> std::process::ExitCode {
    let trials = [
        changed_models::all(),
        clang_arguments::all(),
        edited_headers::all(),
        every_release::all(),
        exported_macros::all(),
        broken_bindings::all(),
    ];
    support::run(trials.into_iter().flatten().collect(), None)
}

/// What a generation needs beside a header.
fn generation() -> [Need; 2] {
    [Need::new("libclang", &support::libclang()), Need::feature("bindgen", cfg!(feature = "bindgen"))]
}
