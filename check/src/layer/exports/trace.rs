//! What `--log` and `--sync` add to a call of the family.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use cuda_external_sys::*;

use crate::layer::call::{Place, is_sticky, pause};
use crate::layer::driver;
use crate::layer::lock::Section;
use crate::layer::process::process;
use crate::layer::report::{Finding, say};
use crate::layer::state::{note_lost, state};
use crate::rules::Rule;

/// How long `--sync` waits for the work of a call. A wait for a semaphore may need a signal that this thread sends later.
const PATIENCE: Duration = Duration::from_secs(1);

/// Runs a call of the family. With the options it is printed with its arguments, and its work is waited for.
pub fn traced(
    call: &'static str,
    stream: Option<usize>,
    arguments: impl FnOnce() -> String,
    run: impl FnOnce() -> CUresult,
) -> CUresult {
    // Each of them takes a lock.
    Section::enter();
    let code = run();
    let Some(process) = process() else { return code };
    process.shared.calls.fetch_add(1, Ordering::Relaxed);
    if process.options.log {
        say(process, &format!("{call}({}) = {code:?}", arguments()));
    }
    stream
        .filter(|_| process.options.sync && code == CUDA_SUCCESS)
        .into_iter()
        .for_each(|stream| synchronize(call, stream));
    code
}

/// Runs a call of another function. With `--sync` its work is waited for.
pub fn synchronized(call: &'static str, stream: usize, run: impl FnOnce() -> CUresult) -> CUresult {
    let code = run();
    if code == CUDA_SUCCESS && process().is_some_and(|process| process.options.sync) {
        synchronize(call, stream);
    }
    code
}

#[cold]
fn synchronize(call: &'static str, stream: usize) {
    if driver::is_capturing(stream) {
        return;
    }
    let began = Instant::now();
    let code = loop {
        let code = driver::stream_query(stream as CUstream);
        if code != CUDA_ERROR_NOT_READY || began.elapsed() > PATIENCE {
            break code;
        }
        pause(50);
    };
    let context = Place::of_thread().context();
    if is_sticky(code) && !state().lost.contains_key(&context) {
        note_lost(call, code);
        let text = format!("Its work, or work before it, ended with {code:?}.");
        state().report(Finding::new(Rule::StickyError, call, text));
    }
}

/// What a pointer of the program points to.
///
/// # Safety
///
/// The pointer is null or valid.
pub unsafe fn pointee<T>(pointer: *const T, show: impl FnOnce(&T) -> String) -> String {
    // SAFETY: the caller's promise.
    unsafe { pointer.as_ref() }.map_or("null".to_owned(), show)
}

/// Exports functions of the family. Behind the parameters stand the stream, the arguments as `--log` prints them, and the check.
macro_rules! wrap_family {
    ($($($name:ident)|+ $(: $pfn:ident)? ($($args:tt)*) |$call:ident, $real:ident| $stream:expr, [$($shown:expr),*], $check:expr;)*) => {
        // SAFETY, for each of them: the program's arguments are as the driver needs them.
        $crate::layer::exports::wrap! { $($($name)|+ $(: $pfn)? ($($args)*) |$call, $real| unsafe {
            let shown = || [$($shown),*].join(", ");
            $crate::layer::exports::trace::traced($call, $stream, shown, || $check)
        };)* }
    };
}
pub(super) use wrap_family;
