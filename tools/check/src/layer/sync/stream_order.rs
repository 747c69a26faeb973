//! Calls that order work: host waits, events, and the waits of a stream for anything but semaphores.

use cuda_external_sys::{CUDA_SUCCESS, CUevent, CUresult, CUstream};

use crate::layer::chassis::wrapped_call::Call;
use crate::layer::host_process::driver_functions;
use crate::layer::state_tracker::stream_identity::{LEGACY, PER_THREAD, key_of};
use crate::layer::state_tracker::tracked_objects::Use;
use crate::layer::sync::enqueue::enqueue;
use crate::layer::vulkan::records::{Line, Step, Vulkan, has_exports};

/// Runs a copy or a fill without a stream, which is in the default stream.
pub fn at_once(call: &mut Call<'_>, uses: &[Use]) -> CUresult {
    let stream = key_of(if call.name.ends_with("_ptds") { PER_THREAD } else { LEGACY });
    if has_exports() {
        let site = call.site();
        call.state().enqueue_shared(&site, uses, stream);
    }
    let code = call.driver();
    // The host waits for a copy, and for what is before it in the default stream.
    if has_exports() && call.name.starts_with("cuMemcpy") {
        call.state().host_waited(|order| order == Line::Stream(stream));
    }
    code
}

/// The host waits for a stream, or for all of them.
pub fn host_waited(call: &mut Call<'_>, on: Option<CUstream>) -> CUresult {
    let code = call.driver();
    if has_exports() && code == CUDA_SUCCESS {
        let key = on.map(|on| key_of(call.stream(on)));
        call.state().host_waited(|order| match order {
            Line::Stream(of) => [None, Some(LEGACY), Some(of)].contains(&key),
            Line::Queue(_) => false,
        });
    }
    code
}

/// The host knows that events are done.
pub fn event_waited(call: &mut Call<'_>, events: &[CUevent]) -> CUresult {
    let code = call.driver();
    if has_exports() && code == CUDA_SUCCESS {
        let mut state = call.state();
        for event in events {
            let record = state.vulkan.events.get(&event.addr()).copied();
            state.host_waited_for_record(record);
        }
    }
    code
}

/// An event is recorded: it is not known in a captured stream.
pub fn event_recorded(call: &mut Call<'_>, event: CUevent, on: CUstream) -> CUresult {
    let stream = call.stream(on);
    if has_exports() {
        let is_capturing = driver_functions::is_capturing(call, stream);
        let mut state = call.state();
        state.vulkan.events.remove(&event.addr());
        if !is_capturing {
            let record = state.vulkan.record(Line::Stream(key_of(stream)));
            state.vulkan.events.insert(event.addr(), record);
        }
        state.replay();
    }
    enqueue(call, stream)
}

/// A step of a stream, for work that orders what comes behind it.
pub fn ordering(call: &mut Call<'_>, on: CUstream, step: impl FnOnce(&Vulkan) -> Step) -> CUresult {
    let stream = call.stream(on);
    if has_exports() {
        let mut state = call.state();
        let step = step(&state.vulkan);
        state.vulkan.orders.push(Line::Stream(key_of(stream)), step);
        state.replay();
    }
    enqueue(call, stream)
}

/// Returns the step of a stream that waits for an event.
pub fn wait_for(vulkan: &Vulkan, event: CUevent) -> Step {
    vulkan.events.get(&event.addr()).map_or(Step::Unknown, |record| Step::WaitRecord(*record))
}

/// The host may learn from here what the stream did: by a function of its own, or in memory.
pub fn tells_host(call: &mut Call<'_>, on: CUstream) -> CUresult {
    ordering(call, on, |_| Step::TellHost)
}

/// Records that the stream waits for something that the check does not see.
pub fn waits_unseen(call: &mut Call<'_>, on: CUstream) -> CUresult {
    ordering(call, on, |_| Step::Unknown)
}

/// From here on streams may be ordered by an event in ways that are not seen.
pub fn unseen(call: &mut Call<'_>, event: CUevent) -> CUresult {
    let mut state = call.state();
    state.vulkan.events.remove(&event.addr());
    state.vulkan.has_unseen_waits = true;
    drop(state);
    call.driver()
}
