//! What `cuda-external-cpu --unsupported` prints: unsupported functions and cases, and why a module or a kernel fails.

use std::collections::BTreeSet;
use std::sync::{LazyLock, Mutex};

use super::prelude::lock;
use super::results_and_params::print_notice;

const VARIABLE: &str = "CUDA_EXTERNAL_CPU_UNSUPPORTED";

static IS_WANTED: LazyLock<bool> =
    LazyLock::new(|| std::env::var_os(VARIABLE).is_some_and(|value| !value.is_empty()));

/// Prints why a call failed, if [`VARIABLE`] is not empty.
pub fn print_refusal(what: &str) {
    if *IS_WANTED {
        print_notice(what);
    }
}

/// Prints that the driver does not support a function or, unless `is_whole`, a case of it. Prints once for each name.
pub fn print_unsupported_once(name: &'static str, is_whole: bool) {
    static PRINTED: Mutex<BTreeSet<&str>> = Mutex::new(BTreeSet::new());
    // No notice for cuGetExportTable: programs call this function although they do not need its result.
    if *IS_WANTED && name != "cuGetExportTable" && lock(&PRINTED).insert(name) {
        print_refusal(&format!("{}{name} is not supported", if is_whole { "" } else { "a case of " }));
    }
}
