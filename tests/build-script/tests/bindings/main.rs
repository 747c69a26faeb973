//! The bindings are what cuda.h says, and the same surface with every header.

mod clang_arguments;
mod edits;
mod every_release;
mod generated;
mod macros;
mod mutations;
mod sizes;

use test_support::{self as support, Need, layout};

fn main() -> std::process::ExitCode {
    let trials = [
        clang_arguments::all(),
        edits::all(),
        every_release::all(),
        macros::all(),
        mutations::all(),
        sizes::all(),
    ];
    support::run(trials.into_iter().flatten().collect(), None)
}

/// What a generation needs beside a header.
fn generation() -> [Need; 2] {
    [Need::new("libclang", &support::libclang()), Need::feature("bindgen", cfg!(feature = "bindgen"))]
}
