//! Enqueues work in streams, and records the objects that the work uses.

use std::sync::Arc;

use cuda_external_sys::*;

use crate::layer::chassis::process_state::ProcessState;
use crate::layer::chassis::wrapped_call::{WrappedCall, WrappedCallResult};
use crate::layer::host_process::current_process::CallSite;
use crate::layer::host_process::driver_functions;
use crate::layer::object_tracker::handle_checks::call_with_crash_suspect;
use crate::layer::state_tracker::enqueue_races::EnqueueGuard;
use crate::layer::state_tracker::event_pool::PooledEvent;
use crate::layer::state_tracker::stream_identity::{
    LEGACY, StreamAndContext, is_thread_default_stream, stream_key,
};
use crate::layer::state_tracker::tracked_objects::{ObjectUse, PendingWork};
use crate::layer::vulkan::vulkan_state::has_exports;
use crate::rules::{Rule, rules};

rules! {
    TIMELINE_NOT_GROWING 33 "timeline-not-growing" SEMAPHORES Vulkan "VUID-VkSubmitInfo2-semaphore-03882" ByDefault
        "A timeline semaphore is signaled with a value that is not above the greatest earlier value in the same stream."
        "Signal growing values, such as 1, 2, 3. Before each launch of a graph, give the graph's signal nodes new \
         values.";
    TIMELINE_ZERO 34 "timeline-zero" SEMAPHORES Vulkan "VUID-VkSubmitInfo2-semaphore-03882" ByDefault
        "A timeline semaphore is signaled with the value 0. A signal must raise the value, which is never below 0."
        "Begin with the value 1, in the field params.fence.value.";
}

/// Begins to enqueue work that uses no object. [`EnqueueGuard`] counts the call, since another thread may enqueue work
/// at the same time: this call's work may come between the other thread's work and the layer's event for that work.
#[must_use]
pub fn begin_enqueue_without_uses(call: &WrappedCall<'_>, stream: usize) -> EnqueueGuard {
    if stream == LEGACY && has_exports() {
        call.lock_state().enqueue_cuda_work(&CallSite::default(), &[], LEGACY);
    }
    EnqueueGuard::begin_enqueue(stream_key(stream))
}

pub fn enqueue_without_uses(call: &mut WrappedCall<'_>, stream: usize) -> CUresult {
    let _turn = begin_enqueue_without_uses(call, stream);
    call.call_driver()
}

/// Enqueues work. `check` runs under the state's lock, and returns what the work uses, or refuses the call.
pub fn enqueue_with_uses(
    call: &mut WrappedCall<'_>,
    stream: usize,
    check: impl FnOnce(&WrappedCall<'_>, &mut ProcessState, &StreamAndContext) -> Result<Vec<ObjectUse>, CUresult>,
) -> WrappedCallResult {
    // The layer must not ask the driver about a destroyed stream, since the driver may crash.
    if !call.lock_state().check_stream_alive(call, stream)? {
        return Ok(call_with_crash_suspect(call, 0));
    }
    let (at, key) = (StreamAndContext::from_stream(call, stream), stream_key(stream));
    let site = if has_exports() && !at.is_capturing { Some(call.call_site()) } else { None };
    let mut state = call.lock_state();
    let uses = check(call, &mut state, &at)?;
    // The launch of a captured graph checks the values, since the program may change them until then.
    if !at.is_capturing {
        state.check_timeline_values(call, &uses, key);
    }
    if let Some(site) = site {
        state.enqueue_cuda_work(&site, &uses, key);
    }
    let contexts_ended = state.contexts_ended;
    let free = if uses.is_empty() { None } else { state.events.take_unused_event(at.context()) };
    drop(state);
    let turn = EnqueueGuard::begin_enqueue(key);
    let code = call.call_driver();
    if code != CUDA_SUCCESS || uses.is_empty() {
        return Ok(code);
    }
    if at.is_capturing {
        if let Some((graph, node)) = driver_functions::captured_graph_and_node(call, stream) {
            call.lock_state().graphs.add_node_uses(graph, node, uses);
        }
        return Ok(code);
    }
    let is_new = free.is_none();
    let event = free.or_else(|| {
        Some(Arc::new(PooledEvent { handle: driver_functions::create_event(call)?, context: at.context() }))
    });
    // If the driver refuses to record the event, the layer cannot find out when the work is done.
    let record = |event: &Arc<PooledEvent>| {
        driver_functions::event_record(call, event.handle as CUevent, stream as CUstream) == CUDA_SUCCESS
    };
    let event = event.filter(record);
    let mut state = call.lock_state();
    let event = event.filter(|_| state.contexts_ended == contexts_ended);
    if let (Some(event), true) = (&event, is_new) {
        state.events.add_event(event.clone());
    }
    // If another thread enqueued work meanwhile, the event may also follow that work, so the layer does not use it.
    let event = event.filter(|_| turn.is_only_enqueuer());
    for used in uses {
        state.note_object_use(&used, key, event.as_ref());
    }
    Ok(code)
}

impl ProcessState {
    fn note_object_use(&mut self, used: &ObjectUse, stream: usize, event: Option<&Arc<PooledEvent>>) {
        const MOST: usize = 1000;
        let Some(object) = self.objects.get_object_mut(used.object) else { return };
        object.uses.retain(|earlier| earlier.stream != stream);
        if object.uses.len() > MOST {
            object.uses.remove(0);
        }
        if let Some(event) = event {
            object.uses.push(PendingWork { stream, event: event.clone(), is_signal: used.is_signal });
        }
        if let Some(value) = used.signals {
            if object.signaled.len() > MOST {
                object.signaled.retain(|stream, _| !is_thread_default_stream(*stream));
            }
            let last = object.signaled.entry(stream).or_default();
            *last = value.max(*last);
        }
    }

    /// Reports a signal of a timeline with 0, or with a value that is not greater than the stream's earlier values.
    fn check_timeline_values(&mut self, call: &WrappedCall<'_>, uses: &[ObjectUse], stream: usize) {
        // The check does not compare the values of one call or graph with each other, so only the least value counts.
        let signals = uses.iter().filter_map(|used| Some((used.object, used.signals?)));
        let mut least = Vec::from_iter(signals);
        least.sort_unstable();
        least.dedup_by_key(|(object, _)| *object);
        for (object, value) in least {
            if value == 0 {
                let finding = call.new_finding(Rule::TIMELINE_ZERO, "The value is 0.");
                self.report_finding(finding.about_object(object));
                continue;
            }
            let last =
                self.objects.get_object(object).and_then(|object| object.signaled.get(&stream)).copied();
            if let Some(last) = last.filter(|last| value <= *last) {
                let text = format!("The value is {value}; the greatest value in this stream was {last}.");
                self.report_finding(call.new_finding(Rule::TIMELINE_NOT_GROWING, text).about_object(object));
            }
        }
    }

    /// Records that a stream is destroyed. Its work then has the stream identity 0: a new stream may get the handle.
    pub fn end_stream(&mut self, stream: usize, site: CallSite) {
        const REMEMBERED: usize = 1000;
        if self.ended_streams.len() == REMEMBERED {
            self.ended_streams.clear();
        }
        self.ended_streams.insert(stream, site);
        self.objects.forget_stream(stream);
    }
}
