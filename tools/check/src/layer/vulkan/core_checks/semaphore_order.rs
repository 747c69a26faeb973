//! Signals and waits of Vulkan and CUDA for the semaphores that both use.

use std::sync::Arc;

use ash::vk::{self, Handle as _};

use crate::layer::chassis::layer_call::LayerCall;
use crate::layer::chassis::process_state::ProcessState;
use crate::layer::error_messages::finding::Finding;
use crate::layer::host_process::current_process::CallSite;
use crate::layer::state_tracker::tracked_objects::ObjectUse;
use crate::rules::Rule;

use crate::layer::vulkan::state_tracker::vulkan_state::{ReplayStep, object_key, tracks_accesses};
use crate::layer::vulkan::sync::queue_and_stream_replay::{SemaphoreId, SemaphoreStep};
use crate::layer::vulkan::sync::queue_or_stream::QueueOrStream;
use crate::layer::vulkan::sync::vector_clock::VectorClock;
use crate::layer::vulkan::utils::stage_work_kinds::StageWorkKinds;
use crate::layer::vulkan::utils::vulkan_handles::VulkanHandleKey;

impl ProcessState {
    /// Records a signal in a queue or, without a queue, by the host.
    fn note_vulkan_signal(
        &mut self,
        site: &Arc<CallSite>,
        device: vk::Device,
        signal: SubmittedSemaphore,
        line: Option<QueueOrStream>,
    ) {
        let (value, step) = (signal.value, self.semaphore_step(site, device, signal));
        let id = step.semaphore;
        match line {
            Some(_) if self.vulkan.is_left_out("signal", site.call) => return,
            Some(line) => self.vulkan.replay.enqueue_step(line, ReplayStep::Signal(step)),
            None => self.vulkan.replay.note_host_signal(id, value, site.clone()),
        }
        if let SemaphoreId::Exportable(number) = id {
            self.announce_signal(number, value);
        }
    }

    fn announce_signal(&mut self, number: u32, value: u64) {
        match self.vulkan.semaphore_state_mut(number) {
            Some(of) if of.is_timeline => of.announced = of.announced.max(value),
            Some(of) => of.pending += 1,
            None => {}
        }
    }

    fn note_queue_wait(
        &mut self,
        site: &Arc<CallSite>,
        device: vk::Device,
        wait: SubmittedSemaphore,
        line: QueueOrStream,
    ) {
        let (value, step) = (wait.value, self.semaphore_step(site, device, wait));
        let id = step.semaphore;
        if !self.vulkan.is_left_out("wait", site.call) {
            self.vulkan.replay.enqueue_step(line, ReplayStep::Wait(step));
        }
        if let SemaphoreId::Exportable(number) = id {
            self.check_wait_is_announced(site, number, value);
        }
    }

    fn semaphore_step(
        &self,
        site: &Arc<CallSite>,
        device: vk::Device,
        submitted: SubmittedSemaphore,
    ) -> SemaphoreStep {
        let (semaphore, is_timeline) = self.vulkan.semaphore_id(object_key(device, submitted.semaphore));
        let value = is_timeline.then_some(submitted.value);
        SemaphoreStep { semaphore, value, scope: submitted.scope, site: site.clone() }
    }

    /// Reports a wait, in a queue or stream or by the host, whose signal has not been enqueued yet.
    fn check_wait_is_announced(&mut self, site: &Arc<CallSite>, number: u32, value: u64) {
        let Some(of) = self.vulkan.semaphore_state_mut(number) else { return };
        let (is_signaled, text) = if of.is_timeline {
            let text = format!("It waits for {value}, which neither Vulkan nor CUDA was told to signal yet.");
            (value <= of.announced, text)
        } else {
            let is_signaled = of.pending > 0;
            of.pending = of.pending.saturating_sub(1);
            (is_signaled, "It waits for a signal that neither Vulkan nor CUDA was told yet.".to_owned())
        };
        let Some(of) = self.vulkan.exportable_object(number).filter(|_| !is_signaled) else { return };
        // If this process has no import of the semaphore, only Vulkan or another process uses it.
        if let Some(import) = of.imports.first() {
            let finding = Finding::new(Rule::WaitBeforeSignal, site.call, text).about_object(*import);
            let finding = finding.with_other_call("The semaphore was made by", &of.made);
            self.report(finding);
        }
    }

    /// Returns the replay step of a signal or a wait that CUDA enqueues, or `None` if this process's Vulkan did not
    /// export the semaphore.
    pub fn cuda_semaphore_step(&mut self, site: &Arc<CallSite>, used: &ObjectUse) -> Option<ReplayStep> {
        let number = *self.vulkan.cuda_imports.get(&used.object)?;
        let is_timeline = self.vulkan.semaphore_state_mut(number)?.is_timeline;
        if self.vulkan.is_left_out(if used.is_signal { "signal" } else { "wait" }, site.call) {
            return Some(ReplayStep::Know(VectorClock::default()));
        }
        if used.is_signal {
            self.announce_signal(number, used.value);
        } else {
            self.check_wait_is_announced(site, number, used.value);
        }
        let make = if used.is_signal { ReplayStep::Signal } else { ReplayStep::Wait };
        let (semaphore, value) = (SemaphoreId::Exportable(number), is_timeline.then_some(used.value));
        Some(make(SemaphoreStep { semaphore, value, scope: StageWorkKinds::ALL, site: site.clone() }))
    }
}

pub fn note_host_signal_call(
    layer_call: &mut LayerCall,
    device: vk::Device,
    info: &vk::SemaphoreSignalInfo<'_>,
) {
    let site = Arc::new(CallSite::capture_call_site(layer_call, "vkSignalSemaphore"));
    let mut state = layer_call.lock_state();
    state.note_vulkan_signal(&site, device, SubmittedSemaphore::new(info.semaphore, info.value), None);
    state.run_replay();
}

pub fn check_host_wait(layer_call: &mut LayerCall, semaphore: VulkanHandleKey, value: u64) {
    let site = Arc::new(CallSite::capture_call_site(layer_call, "vkWaitSemaphores"));
    let mut state = layer_call.lock_state();
    if let (SemaphoreId::Exportable(number), true) = state.vulkan.semaphore_id(semaphore) {
        state.check_wait_is_announced(&site, number, value);
    }
}

pub fn note_value_reached(layer_call: &mut LayerCall, semaphore: VulkanHandleKey, value: u64) {
    let mut state = layer_call.lock_state();
    let (id, _) = state.vulkan.semaphore_id(semaphore);
    state.note_host_saw_value(id, value);
    if let SemaphoreId::Exportable(number) = id {
        if let Some(of) = state.vulkan.semaphore_state_mut(number) {
            of.announced = of.announced.max(value);
        }
    }
}

/// A semaphore of a submission. `scope` has the stages that wait for it, or that its signal waits for.
pub struct SubmittedSemaphore {
    pub semaphore: vk::Semaphore,
    pub value: u64,
    pub scope: StageWorkKinds,
}

impl SubmittedSemaphore {
    pub fn new(semaphore: vk::Semaphore, value: u64) -> Self {
        Self { semaphore, value, scope: StageWorkKinds::ALL }
    }
}

/// Records one batch of a submission in the queue's order: waits, command buffers, signals.
pub fn enqueue_submitted_batch(
    layer_call: &mut LayerCall,
    (device, queue, call): (vk::Device, vk::Queue, &'static str),
    waits: impl Iterator<Item = SubmittedSemaphore>,
    commands: impl Iterator<Item = vk::CommandBuffer>,
    signals: impl Iterator<Item = SubmittedSemaphore>,
) {
    let (site, line) =
        (Arc::new(CallSite::capture_call_site(layer_call, call)), QueueOrStream::Queue(queue.as_raw()));
    let mut state = layer_call.lock_state();
    for wait in waits {
        state.note_queue_wait(&site, device, wait, line);
    }
    for commands in commands.filter(|_| tracks_accesses()) {
        state.replay_command_buffer(&site, line, commands.as_raw());
    }
    for signal in signals {
        state.note_vulkan_signal(&site, device, signal, Some(line));
    }
    state.run_replay();
}

/// Records that a fence is signaled after all work that was submitted to its queue before.
pub fn enqueue_fence_signal(layer_call: &LayerCall, device: vk::Device, queue: vk::Queue, fence: vk::Fence) {
    if fence != vk::Fence::null() {
        let mut state = layer_call.lock_state();
        let record = state.vulkan.replay.record_progress(QueueOrStream::Queue(queue.as_raw()));
        state.vulkan.fence_records.insert(object_key(device, fence), record);
        state.run_replay();
    }
}
