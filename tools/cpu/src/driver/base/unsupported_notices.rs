//! What `--unsupported` prints: functions that are not implemented, and why a module or a kernel fails.

use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, Ordering};

/// The variable that makes each of these functions print its name at its first call, and a kernel its refusal or its fault.
const VARIABLE: &str = "CUDA_EXTERNAL_CPU_UNSUPPORTED";

/// Prints why something failed, where that is wanted.
pub fn print_if_wanted(what: &str) {
    static IS_WANTED: LazyLock<bool> =
        LazyLock::new(|| std::env::var_os(VARIABLE).is_some_and(|value| !value.is_empty()));
    if *IS_WANTED {
        eprintln!("cuda-external-cpu: {what}");
    }
}

/// Prints that a function was called that is not here, once.
pub fn print_unsupported_once(name: &str, told: &AtomicBool) {
    if !told.swap(true, Ordering::Relaxed) {
        print_if_wanted(&format!("{name} is not supported"));
    }
}
