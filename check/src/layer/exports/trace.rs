//! What `--log` and `--sync` add to a call of the family.

use std::sync::atomic::Ordering;

use cuda_external_sys::*;

use crate::layer::call::{Call, IntoCode, Place, is_sticky, pause};
use crate::layer::driver;
use crate::layer::lock::Section;
use crate::layer::process::process;
use crate::layer::report::say;
use crate::layer::state::{note_lost, state};
use crate::rules::Rule;

/// How often `--sync` asks for the work of a call: for a second or two. A wait for a semaphore may need a signal that this
/// thread sends later.
const PATIENCE: u32 = 10_000;

/// Runs a call of the family. With the options it is printed with its arguments, and its work is waited for.
#[inline(always)] // a frame less in each stack
pub fn traced(
    call: &Call<'_>,
    stream: Option<usize>,
    arguments: impl FnOnce() -> String,
    run: impl FnOnce() -> CUresult,
) -> CUresult {
    let Some(process) = process() else { return run() };
    // A call that does not return counts too.
    process.shared.calls.fetch_add(1, Ordering::Relaxed);
    // Each of them takes a lock.
    Section::enter();
    let code = run();
    if process.options.log {
        say(process, &format!("{}({}) = {code:?}", call.name, arguments()));
    }
    synchronized(call, stream, code)
}

/// With `--sync` the work of a call in a stream is waited for.
pub fn synchronized(call: &Call<'_>, stream: Option<usize>, code: impl IntoCode) -> CUresult {
    let code = code.into_code();
    let syncs = || process().is_some_and(|process| process.options.sync);
    stream
        .filter(|_| code == CUDA_SUCCESS && syncs())
        .into_iter()
        .for_each(|stream| synchronize(call, stream));
    code
}

#[cold]
fn synchronize(call: &Call<'_>, stream: usize) {
    if driver::is_capturing(stream) {
        return;
    }
    // Another stream may be captured, which the question would end. Time is counted in pauses: a clock may stand still.
    let code = driver::outside_of_captures(|| {
        let ask = || driver::stream_query(stream as CUstream);
        let is_over = |code: &CUresult| *code != CUDA_ERROR_NOT_READY;
        (0..PATIENCE).find_map(|_| Some(ask()).filter(is_over).or_else(|| (pause(50), None).1))
    });
    let code = code.unwrap_or(CUDA_ERROR_NOT_READY);
    let context = Place::of_thread().context();
    if is_sticky(code) && !state().lost.contains_key(&context) {
        note_lost(call, code);
        let text = format!("Its work, or work before it, ended with {code:?}.");
        state().report(call.finding(Rule::StickyError, text));
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
    ($($($name:ident)|+ $(: $pfn:ident)? ($($args:tt)*) |$call:ident| $stream:expr, [$($shown:expr),*], $check:expr;)*) => {
        $crate::layer::exports::wrap! { $($($name)|+ $(: $pfn)? ($($args)*) |$call| {
            let shown = || [$($shown),*].join(", ");
            let check = || $crate::layer::call::IntoCode::into_code($check);
            $crate::layer::exports::trace::traced($call, $stream, shown, check)
        };)* }
    };
}
pub(super) use wrap_family;
