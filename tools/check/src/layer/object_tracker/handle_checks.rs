//! Checks the handle, the context and the stream of a call, and notes calls in which the driver may crash.

use std::sync::atomic::Ordering::Relaxed;

use cuda_external_in_process::ProcessStage;
use cuda_external_sys::*;

use crate::layer::chassis::process_state::ProcessState;
use crate::layer::chassis::wrapped_call::{LayerCall, WrappedCall};
use crate::layer::host_process::current_process::{LIFE, own_shared_file_entry};
use crate::layer::host_process::driver_functions;
use crate::layer::state_tracker::stream_identity::{StreamAndContext, stream_name};
use crate::layer::state_tracker::tracked_objects::{ObjectEnd, ObjectKind, ObjectLookup, PendingWork};
use crate::rules::{Rule, rules};
use crate::shared_file::{UNKNOWN_HANDLE, function_hash};

rules! {
    HANDLE_UNKNOWN 5 "handle-unknown" HANDLES Measured "H100, H200" ByDefault
        "A function gets a null handle, or a handle that no import returned. The driver may crash."
        "Initialize handles, check the import's result, and do not use a handle whose import failed. In Python's \
         ctypes pass handles as c_void_p: ctypes passes only 32 bits of a plain int.";
    HANDLE_DESTROYED 6 "handle-destroyed" HANDLES Measured "H100, H200" ByDefault
        "A function gets the handle of an import or a mipmapped array that was destroyed before."
        "Destroy an import or an array only after its last use.";
    HANDLE_DESTROYED_TWICE 7 "handle-destroyed-twice" HANDLES Measured "H100, H200" ByDefault
        "An external memory, semaphore or mipmapped array is destroyed for the second time."
        "Destroy each import and each array once, in the one place that owns it.";
    HANDLE_WRONG_KIND 8 "handle-wrong-kind" HANDLES Measured "H100, H200" ByDefault
        "A function gets a handle of the wrong kind: for example, a function for semaphores gets the handle of an \
         external memory."
        "Do not cast between CUexternalMemory, CUexternalSemaphore and CUmipmappedArray.";
    HANDLE_OTHER_CONTEXT 9 "handle-other-context" HANDLES Guide "Driver API, Context" ByDefault
        "An import that was made in one context is used in another context."
        "Make the import's context current, or import once in each context.";
    HANDLE_CONTEXT_GONE 10 "handle-context-gone" HANDLES Measured "H100, H200" ByDefault
        "A mapped buffer is freed, or an import's or array's handle is used, after the object's context has ended (by \
         cuCtxDestroy, cuDevicePrimaryCtxReset or the last cuDevicePrimaryCtxRelease). The driver may crash."
        "Free mappings and destroy imports before their context ends.";
    STREAM_DESTROYED 28 "stream-destroyed" LIFETIMES Measured "H100, H200" ByDefault
        "A signal, a wait, a copy or fill of a mapping, or a graph is enqueued in a stream that was destroyed."
        "Destroy a stream only after its last use.";
    NO_CURRENT_CONTEXT 48 "no-current-context" CONTEXTS Measured "H100, H200" ByDefault
        "An import is made by a thread without a current context."
        "Call cuCtxSetCurrent in each thread before its first import.";
    AFTER_FORK 49 "after-fork" CONTEXTS Measured "H200" ByDefault
        "In a forked child whose parent had called cuInit, the program calls a function that imports, maps, signals, \
         waits or destroys, or a function for every kind of graph node, such as cuGraphAddNode. In such a child, \
         nearly every function of the driver returns an error."
        "Fork before the first call of CUDA, or start the child by posix_spawn (in Python: the start method spawn).";
}

/// The object of a handle, or `None` if the driver must check the handle. With an error, no call of the driver follows.
pub type CheckedHandle = Result<Option<u32>, CUresult>;

impl ProcessState {
    /// Returns a handle's object. Refuses a handle on which the driver may crash, such as an ended object's handle.
    pub fn checked_import(
        &mut self,
        call: &WrappedCall<'_>,
        handle: u64,
        kind: ObjectKind,
        ends: bool,
    ) -> CheckedHandle {
        let (finding, code) = match self.objects.find_object_by_handle(handle) {
            ObjectLookup::Alive(number) => {
                let found = self.objects.get_object(number).map(|object| object.about.object_kind());
                if found == Some(kind) {
                    return Ok(Some(number));
                }
                let text = format!("The handle does not belong to an {}.", kind.kind_name());
                let finding = call.new_finding(Rule::HANDLE_WRONG_KIND, text);
                (finding.about_object(number), CUDA_ERROR_INVALID_HANDLE)
            }
            ObjectLookup::Ended(number, ObjectEnd::WithContext) => {
                let finding = call.new_finding(Rule::HANDLE_CONTEXT_GONE, "The context has ended.");
                (finding.about_object(number), CUDA_ERROR_CONTEXT_IS_DESTROYED)
            }
            ObjectLookup::Ended(number, ObjectEnd::Freed) => {
                let rule = if ends { Rule::HANDLE_DESTROYED_TWICE } else { Rule::HANDLE_DESTROYED };
                let finding = call.new_finding(rule, "The driver may have reused the handle.");
                (finding.about_object(number), CUDA_ERROR_INVALID_HANDLE)
            }
            ObjectLookup::Unknown if handle != 0 => return Ok(None),
            ObjectLookup::Unknown => {
                (call.new_finding(Rule::HANDLE_UNKNOWN, "The handle is null."), CUDA_ERROR_INVALID_HANDLE)
            }
        };
        self.refuse_call(finding, code).map(|()| None)
    }

    pub fn check_has_context(&mut self, call: &WrappedCall<'_>, place: &StreamAndContext) {
        if place.current == Some(0) {
            let text = "No context is current in this thread.";
            self.report_finding(call.new_finding(Rule::NO_CURRENT_CONTEXT, text));
        }
    }

    pub fn check_context_matches_import(
        &mut self,
        call: &WrappedCall<'_>,
        import: Option<u32>,
        place: &StreamAndContext,
    ) {
        let Some(current) = place.current.filter(|current| *current != 0) else { return };
        let import = import.and_then(|number| Some((number, self.objects.get_object(number)?.context)));
        let Some((number, context)) = import else { return };
        if ![0, current, place.of_stream].contains(&context) && !self.has_green_contexts {
            let text =
                format!("The import was in context {context:#x}; the current context is {current:#x}.");
            self.report_finding(call.new_finding(Rule::HANDLE_OTHER_CONTEXT, text).about_object(number));
        }
    }

    /// Returns whether a stream is alive. Reports and refuses work in a destroyed stream, since the driver may crash.
    pub fn check_stream_alive(&mut self, call: &WrappedCall<'_>, stream: usize) -> Result<bool, CUresult> {
        let Some(site) = self.ended_streams.get(&stream).cloned() else { return Ok(true) };
        let text = format!("Stream {stream:#x} was destroyed before.");
        let finding = call.new_finding(Rule::STREAM_DESTROYED, text);
        let finding = finding.with_other_call("The stream was destroyed by", &site);
        self.refuse_call(finding, CUDA_ERROR_INVALID_HANDLE).map(|()| false)
    }

    /// Returns whether the layer knows no object with this handle, not even one that has ended.
    pub fn is_unknown_handle(&self, handle: u64) -> bool {
        self.objects.find_object_by_handle(handle) == ObjectLookup::Unknown
    }

    pub fn report_unknown_handle(&mut self, call: &WrappedCall<'_>, handle: u64, code: CUresult) {
        if matches!(code, CUDA_ERROR_INVALID_HANDLE | CUDA_ERROR_INVALID_VALUE) {
            let text = format!(
                "No import of this process returned the handle {handle:#x}; the call returned {code:?}."
            );
            self.report_finding(call.new_finding(Rule::HANDLE_UNKNOWN, text));
        }
    }
}

/// Reports a call in the child of a fork, if the parent had initialized the driver.
pub fn report_if_forked(call: &WrappedCall<'_>) {
    if LIFE.process_stage() == ProcessStage::Forked {
        let text =
            "The process was forked from a process that had called cuInit, and has not called exec since.";
        call.lock_state().report_finding(call.new_finding(Rule::AFTER_FORK, text));
    }
}

/// Reports the first unfinished work that uses an object, if there is any.
pub fn report_unfinished_uses(layer_call: &mut LayerCall, rule: &'static Rule, number: u32) {
    let state = layer_call.lock_state();
    // In a lost context no work runs.
    let object = state.objects.get_object(number).filter(|object| !state.lost.contains_key(&object.context));
    let pending = object.map(|object| object.uses.clone()).unwrap_or_default();
    drop(state);
    // A program may destroy a semaphore as soon as another API sees CUDA's signal. The layer's event follows the signal
    // and may be done a moment later. So if the work is a signal, the layer queries the event repeatedly.
    let patience = |is_signal| if is_signal { 1000 } else { 0 };
    let is_pending = |work: &&PendingWork| {
        driver_functions::is_event_pending(layer_call, work.event.handle, patience(work.is_signal))
    };
    if let Some(work) = pending.iter().find(is_pending) {
        let text = format!("Work in {} that uses the object is not done.", stream_name(work.stream));
        layer_call.lock_state().report_finding(layer_call.new_finding(rule, text).about_object(number));
    }
}

pub fn call_driver_with_handle(call: &mut WrappedCall<'_>, handle: u64, import: Option<u32>) -> CUresult {
    if import.is_some() {
        return call.call_driver();
    }
    let is_unknown_handle = handle != 0 && call.lock_state().is_unknown_handle(handle);
    let code = call_with_crash_suspect(call, if is_unknown_handle { UNKNOWN_HANDLE } else { 0 });
    if is_unknown_handle {
        call.lock_state().report_unknown_handle(call, handle, code);
    }
    code
}

/// Calls the driver, which may crash. Notes the function first: `cuda-external-check` can then name it after a crash.
pub fn call_with_crash_suspect(call: &mut WrappedCall<'_>, why: u32) -> CUresult {
    let place = own_shared_file_entry()
        .and_then(|(_, process)| process.begin_crash_suspect(function_hash(call.name) | why));
    let code = call.call_driver();
    if let Some(place) = place {
        place.store(0, Relaxed);
    }
    code
}
