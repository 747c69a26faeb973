//! The bindings are what cuda.h says, and the same surface with every header.

mod clang_arguments;
mod docs;
mod edits;
mod every_release;
mod generated;
mod macros;
mod mutations;
mod names;
mod since;
mod sizes;
mod surface;

use test_support::{self as support, Need, layout};

fn main() -> std::process::ExitCode {
    let trials = [
        clang_arguments::all(),
        docs::all(),
        edits::all(),
        every_release::all(),
        macros::all(),
        mutations::all(),
        names::all(),
        sizes::all(),
        surface::all(),
    ];
    support::run(trials.into_iter().flatten().collect(), None)
}

/// What a generation needs beside a header.
fn generation() -> [Need; 2] {
    [Need::new("libclang", &support::libclang()), Need::feature("bindgen", cfg!(feature = "bindgen"))]
}

/// Compares a file of the repository with what it should be. With CUDA_EXTERNAL_SYS_BLESS it is rewritten instead, and the
/// test fails once, so that this is never taken for a pass.
#[track_caller]
fn assert_file(file: &str, made: &str) {
    let path = support::repository().join(file);
    if std::env::var_os("CUDA_EXTERNAL_SYS_BLESS").is_some() {
        std::fs::write(&path, made).expect("the checkout can be written");
        panic!("{file} is rewritten. Run the test again without CUDA_EXTERNAL_SYS_BLESS");
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    let lines = made.split('\n').chain(["(end)"]).zip(kept.split('\n').chain(["(end)"]));
    for (number, (made, kept)) in lines.enumerate() {
        assert!(
            made == kept,
            "{file} is not what it should be, from line {} on: {kept:?} instead of {made:?}.\n\
             Where the change is meant: CUDA_EXTERNAL_SYS_BLESS=1 cargo test --test bindings",
            number + 1,
        );
    }
}
