//! The additions of `--log` and `--sync` to a call of the family.

use std::sync::atomic::Ordering;

use cuda_external_sys::*;

use crate::layer::chassis::context_state::note_lost_context;
use crate::layer::chassis::wrapped_call::{IntoResultCode, WrappedCall};
use crate::layer::error_messages::finding::send_trace_line;
use crate::layer::error_messages::sticky_codes::is_sticky;
use crate::layer::host_process::current_process::active_check;
use crate::layer::host_process::driver_functions;
use crate::layer::state_tracker::stream_identity::StreamContext;
use crate::rules::Rule;

/// The number of times that `--sync` asks whether a call's work is done, for a second or two in all. Then it gives up,
/// since a wait for a semaphore may need a signal that this thread sends later.
const PATIENCE: u32 = 10_000;

/// Runs a call of the family. With the options it is printed with its arguments, and its work is waited for.
#[inline(always)] // a frame less in each stack
pub fn run_traced(
    call: &mut WrappedCall<'_>,
    stream: Option<usize>,
    arguments: impl FnOnce(&WrappedCall<'_>) -> String,
    run: impl FnOnce(&mut WrappedCall<'_>) -> CUresult,
) -> CUresult {
    let Some(check) = active_check() else { return run(call) };
    // Counted before the call, so that a call that does not return counts too.
    check.shared.calls.fetch_add(1, Ordering::Relaxed);
    // Each of them takes a lock.
    call.block_signals();
    let code = run(call);
    if check.options.log {
        call.send_findings();
        let line = format!("{}({}) = {code:?}", call.name, arguments(call));
        send_trace_line(call, check, &line);
    }
    synchronize_if_asked(call, stream, code)
}

/// With `--sync` the work of a call in a stream is waited for.
pub fn synchronize_if_asked(
    call: &mut WrappedCall<'_>,
    stream: Option<usize>,
    code: impl IntoResultCode,
) -> CUresult {
    let code = code.into_code();
    if let (Some(stream), CUDA_SUCCESS) = (stream, code) {
        if active_check().is_some_and(|check| check.options.sync) {
            synchronize_stream(call, stream);
        }
    }
    code
}

#[cold]
fn synchronize_stream(call: &mut WrappedCall<'_>, stream: usize) {
    if driver_functions::is_capturing(call, stream) {
        return;
    }
    let code = driver_functions::poll_stream_until_done(call, stream, PATIENCE);
    let context = StreamContext::from_current_context(call).context();
    if is_sticky(code) && !call.lock_state().lost.contains_key(&context) {
        let name = call.name;
        note_lost_context(call, name, code);
        let text = format!("Its work, or work before it, ended with {code:?}.");
        call.lock_state().report(call.new_finding(Rule::StickyError, text));
    }
}

/// Prints the value that a pointer of the program points to.
///
/// # Safety
///
/// The pointer is null or valid.
pub unsafe fn pointee_text<T>(pointer: *const T, show: impl FnOnce(&T) -> String) -> String {
    // SAFETY: the caller guarantees it.
    unsafe { pointer.as_ref() }.map_or("null".to_owned(), show)
}

/// Exports functions of the family. After the parameters come the stream, the arguments as `--log` prints them, and
/// the check.
macro_rules! wrap_family {
    ($(
        $($name:ident)|+ $(/ $($per_thread:ident)|+)? $(: $pfn:ident)? ($($args:tt)*)
        |$call:ident| $stream:expr, [$($shown:expr),*], $check:expr;
    )*) => {
        $crate::layer::wrapped::wrap_macro::wrap! { $($($name)|+ $(/ $($per_thread)|+)? $(: $pfn)? ($($args)*) |$call| {
            let stream = $stream;
            #[allow(unused_variables)] // not each shows what the call wrote
            let shown = |$call: &$crate::layer::chassis::wrapped_call::WrappedCall<'_>| [$($shown),*].join(", ");
            let check = |$call: &mut $crate::layer::chassis::wrapped_call::WrappedCall<'_>| {
                $crate::layer::chassis::wrapped_call::IntoResultCode::into_code($check)
            };
            $crate::layer::wrapped::call_trace::run_traced($call, stream, shown, check)
        };)* }
    };
}
pub(super) use wrap_family;
