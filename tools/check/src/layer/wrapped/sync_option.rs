//! What `--sync` adds to a call: the work that it enqueued is waited for.

use cuda_external_sys::*;

use crate::layer::chassis::context_state::note_lost_context;
use crate::layer::chassis::wrapped_call::{IntoResultCode, WrappedCall};
use crate::layer::error_messages::sticky_codes::is_sticky_code;
use crate::layer::host_process::current_process::active_check;
use crate::layer::host_process::driver_functions;
use crate::layer::state_tracker::stream_identity::StreamAndContext;
use crate::rules::Rule;

/// The number of times that `--sync` asks whether a call's work is done, for a second or two in all. Then it gives up,
/// since a wait for a semaphore may need a signal that this thread sends later.
const PATIENCE: u32 = 10_000;

/// With `--sync` the work of a call in a stream is waited for.
pub fn synchronize_if_asked(
    call: &mut WrappedCall<'_>,
    stream: Option<usize>,
    code: impl IntoResultCode,
) -> CUresult {
    let code = code.into_result_code();
    if let (Some(stream), CUDA_SUCCESS) = (stream, code) {
        if active_check().is_some_and(|check| check.options.sync) {
            synchronize_stream(call, stream);
        }
    }
    code
}

#[cold]
fn synchronize_stream(call: &mut WrappedCall<'_>, stream: usize) {
    if driver_functions::is_stream_capturing(call, stream) {
        return;
    }
    let code = driver_functions::poll_stream_until_done(call, stream, PATIENCE);
    let context = StreamAndContext::from_current_context(call).context();
    if is_sticky_code(code) && !call.lock_state().lost.contains_key(&context) {
        note_lost_context(call, code);
        let text = format!("Its work, or work before it, ended with {code:?}.");
        call.lock_state().report_finding(call.new_finding(Rule::StickyError, text));
    }
}
