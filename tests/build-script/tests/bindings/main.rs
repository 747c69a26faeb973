//! Tests that the bindings agree with cuda.h, and that those generated from any release's cuda.h have the same items.

mod broken_bindings;
mod crate_macros;
mod edited_headers;
mod every_release;

use test_support::{self as support, Need, layout};

fn main() -> std::process::ExitCode {
    let trials = [
        edited_headers::trials(),
        every_release::trials(),
        crate_macros::trials(),
        broken_bindings::trials(),
    ];
    support::run_trials(trials.into_iter().flatten().collect(), None)
}

/// Returns the needs of a build that generates bindings, except for the header.
fn bindings_generation_needs() -> [Need; 2] {
    [
        Need::new("libclang", &support::find_libclang()),
        Need::cargo_feature("bindgen", cfg!(feature = "bindgen")),
    ]
}
