//! Records calls that order work: host waits, events, and the waits of a stream for anything but semaphores.

use std::ffi::c_void;

use cuda_external_in_process::HookScope;
use cuda_external_sys::{CUDA_SUCCESS, CUevent, CUhostFn, CUresult, CUstream};

use crate::layer::chassis::process_state::ProcessState;
use crate::layer::chassis::wrapped_call::{LayerCall, WrappedCall};
use crate::layer::host_process::driver_functions;
use crate::layer::state_tracker::graph_node_uses::NodeOwner;
use crate::layer::state_tracker::stream_identity::{LEGACY, stream_key};
use crate::layer::state_tracker::tracked_objects::ObjectUse;
use crate::layer::sync::enqueue::{begin_enqueue_without_uses, enqueue_without_uses};
use crate::layer::vulkan::vulkan_state::{ProgressPoint, ReplayStep, VulkanState, WaitTarget, has_exports};

/// Runs a copy or a fill that has no stream argument, and so runs in the default stream.
pub fn run_in_default_stream(call: &mut WrappedCall<'_>, uses: &[ObjectUse], host_waits: bool) -> CUresult {
    let stream = call.default_stream;
    if has_exports() {
        let site = call.call_site();
        call.lock_state().enqueue_cuda_work(&site, uses, stream_key(stream));
    }
    let code = call.call_driver();
    // The host waits for the copy, and for earlier work in the default stream.
    if has_exports() && host_waits {
        note_host_wait_for_stream(call, stream);
    }
    code
}

pub fn note_host_wait_for_stream(call: &mut WrappedCall<'_>, stream: usize) {
    let mut state = call.lock_state();
    let line = state.vulkan.line_of_stream(stream_key(stream));
    state.note_host_wait(WaitTarget::Of(line));
}

pub fn after_host_wait(call: &mut WrappedCall<'_>, on: Option<CUstream>) -> CUresult {
    let code = call.call_driver();
    if has_exports() && code == CUDA_SUCCESS {
        let key = on.map(|on| stream_key(call.stream_key(on)));
        let mut state = call.lock_state();
        let one =
            key.filter(|key| *key != LEGACY).map(|key| WaitTarget::Of(state.vulkan.line_of_stream(key)));
        state.note_host_wait(one.unwrap_or(WaitTarget::AllStreams));
    }
    code
}

pub fn after_event_wait(call: &mut WrappedCall<'_>, events: &[CUevent]) -> CUresult {
    let code = call.call_driver();
    if has_exports() && code == CUDA_SUCCESS {
        let mut state = call.lock_state();
        for event in events {
            let record = state.vulkan.cuda_event_records.get(&event.addr()).cloned();
            state.note_host_wait_for_record(record);
        }
    }
    code
}

/// Records an event. After the first export, and outside captures, also notes the stream's progress at the event.
pub fn record_event(call: &mut WrappedCall<'_>, event: CUevent, on: CUstream) -> CUresult {
    let stream = call.stream_key(on);
    if has_exports() {
        let is_capturing = driver_functions::is_stream_capturing(call, stream);
        let mut state = call.lock_state();
        state.vulkan.cuda_event_records.remove(&event.addr());
        if !is_capturing {
            let line = state.vulkan.order_stream_work(stream_key(stream));
            let record = state.vulkan.replay.record_progress(line);
            state.vulkan.cuda_event_records.insert(event.addr(), record);
        }
        state.run_replay();
    }
    enqueue_without_uses(call, stream)
}

/// Records work, such as a host function, whose effect on the order of other work the check does not see.
pub fn note_unseen_order(call: &mut WrappedCall<'_>, stream: usize) {
    enqueue_stream_step(call, stream, |_| ReplayStep::UnseenOrder);
}

/// Enqueues a host function that the check does not follow, or a wait for a value in memory, or a write of a value.
pub fn enqueue_unseen_order(call: &mut WrappedCall<'_>, on: CUstream) -> CUresult {
    let stream = call.stream_key(on);
    note_unseen_order(call, stream);
    enqueue_without_uses(call, stream)
}

struct HostFunction {
    function: unsafe extern "C" fn(*mut c_void),
    data: *mut c_void,
    /// The progress of the stream when the function begins, and when the function has returned.
    records: [ProgressPoint; 2],
}

/// Enqueues `run_host_function`, which calls the program's host function. Until Vulkan has exported or imported an
/// object, enqueues the program's function itself. Does the same in a capture: the captured graph may run repeatedly,
/// but `run_host_function` can run only once.
pub fn launch_host_function(
    call: &mut WrappedCall<'_>,
    on: CUstream,
    function: CUhostFn,
    data: *mut c_void,
) -> CUresult {
    let stream = call.stream_key(on);
    let Some(function) =
        function.filter(|_| has_exports() && !driver_functions::is_stream_capturing(call, stream))
    else {
        return enqueue_unseen_order(call, on);
    };
    let mut state = call.lock_state();
    let line = state.vulkan.order_stream_work(stream_key(stream));
    let (begins, ends) = (state.vulkan.replay.record_progress(line), ProgressPoint::default());
    state.vulkan.replay.enqueue_step(line, ReplayStep::WaitRecord(ends.clone()));
    state.run_replay();
    drop(state);
    let own = Box::into_raw(Box::new(HostFunction { function, data, records: [begins, ends.clone()] }));
    let _turn = begin_enqueue_without_uses(call, stream);
    let code = call.call_replacement_function(&|| {
        let (section, run) = (&mut HookScope::default(), Some(run_host_function as _));
        driver_functions::launch_host_func(section, stream as CUstream, run, own.cast())
    });
    if code != CUDA_SUCCESS {
        // SAFETY: the driver refused `run_host_function`, which alone would have freed this box.
        drop(unsafe { Box::from_raw(own) });
        call.lock_state().end_host_function(&ends);
    }
    code
}

unsafe extern "C" fn run_host_function(own: *mut c_void) {
    // SAFETY: the driver calls this function once, with the pointer from `Box::into_raw` in `launch_host_function`.
    let own = unsafe { Box::from_raw(own.cast::<HostFunction>()) };
    let mut layer_call = LayerCall::default();
    let [begins, ends] = own.records;
    layer_call.lock_state().note_host_wait_for_record(Some(begins));
    // SAFETY: the program passed this function and this data to cuLaunchHostFunc, to be called once.
    layer_call.run_unlocked(|| unsafe { (own.function)(own.data) });
    layer_call.lock_state().end_host_function(&ends);
    layer_call.send_findings();
}

impl ProcessState {
    fn end_host_function(&mut self, record: &ProgressPoint) {
        self.vulkan.replay.end_host_function(record);
        self.run_replay();
    }
}

pub fn enqueue_event_wait(call: &mut WrappedCall<'_>, on: CUstream, event: CUevent) -> CUresult {
    let stream = call.stream_key(on);
    let step = |vulkan: &VulkanState| {
        let record = vulkan.cuda_event_records.get(&event.addr());
        record.map_or(ReplayStep::WaitForAllWork, |record| ReplayStep::WaitRecord(record.clone()))
    };
    enqueue_stream_step(call, stream, step);
    enqueue_without_uses(call, stream)
}

/// Adds a step to the replay. Does nothing until Vulkan has exported or imported an object. In a capture, adds no step:
/// a wait for an event is only an edge of the graph. For any other step in a capture, records that the graph orders
/// work in a way that the check does not see.
fn enqueue_stream_step(
    call: &mut WrappedCall<'_>,
    stream: usize,
    step: impl FnOnce(&VulkanState) -> ReplayStep,
) {
    if !has_exports() {
        return;
    }
    let is_capturing = driver_functions::is_stream_capturing(call, stream);
    let graph = if is_capturing { driver_functions::captured_graph_and_node(call, stream) } else { None };
    let mut state = call.lock_state();
    match step(&state.vulkan) {
        step if !is_capturing => {
            let line = state.vulkan.order_stream_work(stream_key(stream));
            state.vulkan.replay.enqueue_step(line, step);
            state.run_replay();
        }
        ReplayStep::WaitRecord(_) | ReplayStep::WaitForAllWork => {}
        _ => {
            if let Some((graph, _)) = graph {
                state.graphs.mark_order_unseen(Some(NodeOwner::Graph(graph)));
            }
        }
    }
}

pub fn destroy_event(call: &mut WrappedCall<'_>, event: CUevent) -> CUresult {
    if has_exports() {
        call.lock_state().vulkan.cuda_event_records.remove(&event.addr());
    }
    call.call_driver()
}

/// Notes that an event orders work in ways that the check does not see, as in cuCtxWaitEvent. Calls the driver.
pub fn note_unseen_event_order(call: &mut WrappedCall<'_>, event: CUevent) -> CUresult {
    let mut state = call.lock_state();
    state.vulkan.cuda_event_records.remove(&event.addr());
    state.vulkan.has_unseen_waits = true;
    drop(state);
    call.call_driver()
}
