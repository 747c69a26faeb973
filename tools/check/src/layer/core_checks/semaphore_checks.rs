//! Checks signals and waits, in streams and in graph nodes.

use std::ffi::c_uint;

use cuda_external_sys::*;

use crate::layer::chassis::process_state::ProcessState;
use crate::layer::chassis::wrapped_call::{IntoResultCode, WrappedCall};
use crate::layer::object_tracker::import_arguments::reserved_problem;
use crate::layer::state_tracker::stream_identity::StreamAndContext;
use crate::layer::state_tracker::tracked_objects::{ObjectKind, ObjectUse};
use crate::layer::sync::enqueue::enqueue_with_uses;
use crate::rules::{Rule, rules};

rules! {
    NULL_ARRAY 31 "null-array" SEMAPHORES Measured "H100, H200" ByDefault
        "A signal or a wait, in a stream or a graph, has a count above 0 and a null array of semaphores or of \
         parameters. A count above 65,536 is reported too: the check takes such a count for a mistake (not measured)."
        "Pass both arrays, with as many entries as the count.";
    COUNT_ZERO 32 "count-zero" SEMAPHORES Measured "H100, H200" ByDefault
        "A call that signals or waits gets 0 semaphores."
        "Omit the call if there is nothing to signal or to wait for.";
    SEMAPHORE_FLAGS 35 "semaphore-flags" SEMAPHORES Manual "CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS" ByDefault
        "A signal or a wait has flags that the semaphore's type does not allow, such as a flag whose name ends in \
         _SKIP_NVSCIBUF_MEMSYNC for a semaphore that is not of NvSciSync."
        "Set flags to 0, except for NvSciSync.";
    CONTEXT_LOST 36 "context-lost" SEMAPHORES Manual "CUresult" ByDefault
        "A signal or a wait is enqueued after a sticky error: an error after which all further work with CUDA returns \
         the same error."
        "Look for the cause in the first call that returned the error, or in work that was enqueued before that call. \
         With CUDA_LAUNCH_BLOCKING=1, each launch of a kernel waits for the kernel and returns its error.";
}

pub struct SignalWaitFields {
    is_signal: bool,
    flags: u32,
    value: u64,
    /// The text of a finding, if a reserved field is not 0.
    reserved: Option<String>,
}

macro_rules! signal_wait_fields_from {
    ($struct:ident, $is_signal:literal) => {
        impl From<&$struct> for SignalWaitFields {
            fn from(of: &$struct) -> Self {
                Self {
                    is_signal: $is_signal,
                    flags: of.flags,
                    value: of.params.fence.value,
                    reserved: reserved_problem!(of, $struct, params.reserved, reserved),
                }
            }
        }
    };
}

signal_wait_fields_from!(CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS, true);
signal_wait_fields_from!(CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS, false);

/// The handles and parameters, or the count if it is above 0 and an array is null, or if it is too large to be right.
pub type SemaphoreList = Result<Vec<(u64, SignalWaitFields)>, c_uint>;

/// Reads the arrays of semaphores and parameters of a call or of a node.
///
/// # Safety
///
/// Each array has `count` entries, or is null.
pub unsafe fn read_semaphores<P>(
    semaphores: *const CUexternalSemaphore,
    params: *const P,
    count: c_uint,
) -> SemaphoreList
where
    for<'a> SignalWaitFields: From<&'a P>,
{
    const MOST: c_uint = 1 << 16;
    if count > 0 && (semaphores.is_null() || params.is_null() || count > MOST) {
        return Err(count);
    }
    let read = |at| {
        // SAFETY: neither array is null, both have `count` entries, and `at` is less than `count`.
        let (semaphore, params) = unsafe { (*semaphores.add(at), &*params.add(at)) };
        (semaphore.addr() as u64, SignalWaitFields::from(params))
    };
    Ok((0..count as usize).map(read).collect())
}

/// Reads the arrays in a node's parameters, unless the pointer `$params` is null. A macro, since several structs for
/// signals and waits have these fields.
macro_rules! semaphores_of_node {
    ($params:expr) => {
        $params.as_ref().map(|of| {
            $crate::layer::core_checks::semaphore_checks::read_semaphores(
                of.extSemArray,
                of.paramsArray,
                of.numExtSems,
            )
        })
    };
}
pub(crate) use semaphores_of_node;

/// Checks the semaphores of a call or of a node. Returns the uses, or an error if the layer must not call the driver.
pub fn check_semaphores(
    state: &mut ProcessState,
    call: &WrappedCall<'_>,
    entries: &SemaphoreList,
) -> Result<Vec<ObjectUse>, CUresult> {
    if let Err(count) = entries {
        let text = format!("The count is {count}, and an array is null or cannot have that many entries.");
        state.refuse_call(call.new_finding(Rule::NULL_ARRAY, text), CUDA_ERROR_INVALID_VALUE)?;
    }
    let mut uses = Vec::new();
    for (handle, params) in entries.iter().flatten() {
        if let Some(object) = state.checked_import(call, *handle, ObjectKind::Semaphore, false)? {
            uses.push(check_semaphore_params(state, call, object, params));
        }
    }
    Ok(uses)
}

fn check_semaphore_params(
    state: &mut ProcessState,
    call: &WrappedCall<'_>,
    number: u32,
    params: &SignalWaitFields,
) -> ObjectUse {
    let about = state.objects.get_object(number).map(|object| object.about).unwrap_or_default();
    let kind = CUexternalSemaphoreHandleType(about.handle_type());
    let mut say = |rule, text: &str| state.report_finding(call.new_finding(rule, text).about_object(number));
    let known = match params.is_signal {
        _ if kind != CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_NVSCISYNC => 0,
        true => CUDA_EXTERNAL_SEMAPHORE_SIGNAL_SKIP_NVSCIBUF_MEMSYNC,
        false => CUDA_EXTERNAL_SEMAPHORE_WAIT_SKIP_NVSCIBUF_MEMSYNC,
    };
    if params.flags & !known != 0 {
        say(Rule::SEMAPHORE_FLAGS, &format!("The flags are {:#x}.", params.flags));
    }
    if let Some(text) = &params.reserved {
        say(Rule::RESERVED_NOT_ZERO, text);
    }
    let is_timeline = kind == CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD;
    let signals = (params.is_signal && is_timeline).then_some(params.value);
    ObjectUse { object: number, is_signal: params.is_signal, signals, value: params.value, touch: None }
}

pub fn signal_or_wait_semaphores(
    call: &mut WrappedCall<'_>,
    entries: &SemaphoreList,
    on: CUstream,
) -> CUresult {
    let mut context = 0;
    let check = |call: &WrappedCall<'_>, state: &mut ProcessState, at: &StreamAndContext| {
        if entries.as_ref().is_ok_and(Vec::is_empty) {
            state.report_finding(call.new_finding(Rule::COUNT_ZERO, "The count is 0."));
        }
        let uses = check_semaphores(state, call, entries)?;
        context = at.context();
        state.check_context_matches_import(call, uses.first().map(|used| used.object), at);
        state.report_use_of_lost_context(call, context);
        Ok(uses)
    };
    let stream = call.stream_key(on);
    let code = enqueue_with_uses(call, stream, check).into_result_code();
    if code != CUDA_SUCCESS {
        let mut state = call.lock_state();
        state.report_use_of_lost_context(call, context);
        let mut handles = entries.iter().flatten().map(|(handle, _)| *handle);
        if let Some(handle) = handles.find(|handle| *handle != 0 && state.is_unknown_handle(*handle)) {
            state.report_unknown_handle(call, handle, code);
        }
    }
    code
}

impl ProcessState {
    /// Reports a signal or a wait in a lost context, at most once for each function and context.
    fn report_use_of_lost_context(&mut self, call: &WrappedCall<'_>, context: usize) {
        let Some((code, site)) = self.lost.get(&context).cloned() else { return };
        if self.reported_lost.insert((context, call.name)) {
            let text = format!("The cause of {code:?} is the call {}, or work before that call.", site.call);
            let title = format!("{code:?} was first returned by");
            self.report_finding(call.new_finding(Rule::CONTEXT_LOST, text).with_other_call(title, &site));
        }
    }
}
