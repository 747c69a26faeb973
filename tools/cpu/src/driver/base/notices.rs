//! What the driver prints. `cuda-external-cpu --unsupported` also prints unsupported functions and cases, and why a
//! module or a kernel fails.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::io::Write;
use std::sync::{LazyLock, Mutex};

use cuda_external_in_process::lock_ignoring_poison as lock;

thread_local! {
    /// The function of the driver that this thread calls.
    pub static CURRENT_FUNCTION: Cell<&'static str> = const { Cell::new("") };
}

/// Prints to stderr. Unlike `eprintln!`, this function does not panic if stderr is closed.
pub fn print_notice(what: &str) {
    _ = writeln!(std::io::stderr(), "cuda-external-cpu: {what}");
}

pub fn abort_with_notice(what: &str) -> ! {
    print_notice(what);
    std::process::abort();
}

/// Ends the process where NVIDIA's driver crashes. Otherwise a test could pass here and crash on a GPU.
pub fn abort_as_driver_crashes(what: &str) -> ! {
    abort_with_notice(&format!("{}: {what}; NVIDIA's driver crashes here", CURRENT_FUNCTION.get()))
}

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
