//! What the option `--unsupported` prints: functions that are not implemented, and why a module or a kernel fails.

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

/// Prints once that a function, or a case of an implemented function, is not supported.
pub fn print_unsupported_once(name: &'static str, is_whole: bool) {
    static PRINTED: Mutex<BTreeSet<&str>> = Mutex::new(BTreeSet::new());
    // Programs call cuGetExportTable although they do not need its result.
    if *IS_WANTED && name != "cuGetExportTable" && lock(&PRINTED).insert(name) {
        print_refusal(&format!("{}{name} is not supported", if is_whole { "" } else { "a case of " }));
    }
}
