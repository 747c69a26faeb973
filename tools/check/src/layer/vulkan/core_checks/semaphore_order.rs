//! Turns both APIs' signals and waits into steps of the replay, and reports a wait whose signal no call has enqueued.

use std::sync::Arc;

use ash::vk::{self, Handle as _};

use crate::layer::chassis::process_state::ProcessState;
use crate::layer::chassis::wrapped_call::LayerCall;
use crate::layer::error_messages::finding::Finding;
use crate::layer::host_process::current_process::CallSite;
use crate::layer::state_tracker::tracked_objects::ObjectUse;
use crate::rules::{Rule, rules};

use crate::layer::vulkan::state_tracker::vulkan_state::{ReplayStep, object_key};
use crate::layer::vulkan::sync::queue_and_stream_replay::{SemaphoreId, SemaphoreStep};
use crate::layer::vulkan::sync::queue_or_stream::QueueOrStream;
use crate::layer::vulkan::utils::handle_keys::VulkanHandleKey;
use crate::layer::vulkan::utils::stage_work_kinds::StageWorkKinds;

rules! {
    WAIT_BEFORE_SIGNAL 45 "wait-before-signal" BOTH_SIDES Guide "External Resource Interoperability" OnEnable
        "A wait is enqueued, or begun by the host, before the awaited signal is enqueued or made by the host."
        "Enqueue the signal before the wait.";
}

impl ProcessState {
    /// Records a signal by a queue or, if `line` is `None`, by the host.
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
            Some(line) => self.vulkan.replay.enqueue_step(line, ReplayStep::Signal(step)),
            None => self.vulkan.replay.note_host_signal(id, value, site.clone()),
        }
    }

    fn note_queue_wait(
        &mut self,
        site: &Arc<CallSite>,
        device: vk::Device,
        wait: SubmittedSemaphore,
        line: QueueOrStream,
    ) {
        let step = self.semaphore_step(site, device, wait);
        self.check_signal_is_enqueued(site, step.semaphore, step.value);
        self.vulkan.replay.enqueue_step(line, ReplayStep::Wait(step));
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

    /// Reports a wait by a queue, a stream or the host, if no earlier call enqueued or made the signal.
    fn check_signal_is_enqueued(&mut self, site: &Arc<CallSite>, semaphore: SemaphoreId, value: Option<u64>) {
        let SemaphoreId::Exportable(number) = semaphore else { return };
        let Some(of) = self.vulkan.exportable_object(number) else { return };
        // This rule skips a semaphore that CUDA did not import here: only Vulkan or another process uses it.
        let Some(import) = of.imports.first() else { return };
        if !self.vulkan.replay.has_enqueued_signal(semaphore, value) {
            let awaited = value.map_or("a signal".to_owned(), |value| format!("the value {value}"));
            let text = format!(
                "The wait is for {awaited}, which neither Vulkan nor CUDA has been told to signal yet."
            );
            let finding = Finding::new(Rule::WAIT_BEFORE_SIGNAL, site.call, text).about_object(*import);
            let finding = finding.with_other_call("The semaphore was made by", &of.made);
            self.report_finding(finding);
        }
    }

    /// Returns the step of CUDA's signal or wait, and checks a wait. Returns `None` if the layer saw no export.
    pub fn cuda_semaphore_step(&mut self, site: &Arc<CallSite>, used: &ObjectUse) -> Option<ReplayStep> {
        let number = *self.vulkan.cuda_imports.get(&used.object)?;
        let semaphore = SemaphoreId::Exportable(number);
        let value = self.vulkan.is_timeline(number)?.then_some(used.value);
        if !used.is_signal {
            self.check_signal_is_enqueued(site, semaphore, value);
        }
        let make = if used.is_signal { ReplayStep::Signal } else { ReplayStep::Wait };
        Some(make(SemaphoreStep { semaphore, value, scope: StageWorkKinds::ALL, site: site.clone() }))
    }
}

pub fn note_host_signal_call(
    layer_call: &mut LayerCall,
    device: vk::Device,
    info: &vk::SemaphoreSignalInfo<'_>,
) {
    let site = Arc::new(layer_call.call_site());
    let mut state = layer_call.lock_state();
    state.note_vulkan_signal(&site, device, SubmittedSemaphore::new(info.semaphore, info.value), None);
    state.run_replay();
}

pub fn check_host_wait(layer_call: &mut LayerCall, semaphore: VulkanHandleKey, value: u64) {
    let site = Arc::new(layer_call.call_site());
    let mut state = layer_call.lock_state();
    let (semaphore, _) = state.vulkan.semaphore_id(semaphore);
    state.check_signal_is_enqueued(&site, semaphore, Some(value));
}

pub fn note_value_reached(layer_call: &mut LayerCall, semaphore: VulkanHandleKey, value: u64) {
    let mut state = layer_call.lock_state();
    let (id, _) = state.vulkan.semaphore_id(semaphore);
    state.note_host_saw_value(id, value);
}

/// A wait for a semaphore, or a signal of one. `scope` has the stages that wait, or that the signal waits for.
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
    (device, queue): (vk::Device, vk::Queue),
    waits: impl Iterator<Item = SubmittedSemaphore>,
    commands: impl Iterator<Item = vk::CommandBuffer>,
    signals: impl Iterator<Item = SubmittedSemaphore>,
) {
    let (site, line) = (Arc::new(layer_call.call_site()), QueueOrStream::Queue(queue.as_raw()));
    let mut state = layer_call.lock_state();
    for wait in waits {
        state.note_queue_wait(&site, device, wait, line);
    }
    for commands in commands {
        state.enqueue_command_buffer(&site, line, commands.as_raw());
    }
    for signal in signals {
        state.note_vulkan_signal(&site, device, signal, Some(line));
    }
    state.run_replay();
}

/// Records that the queue signals `fence` after all work that the program submitted to the queue before.
pub fn enqueue_fence_signal(layer_call: &LayerCall, device: vk::Device, queue: vk::Queue, fence: vk::Fence) {
    if fence != vk::Fence::null() {
        let mut state = layer_call.lock_state();
        let record = state.vulkan.replay.record_progress(QueueOrStream::Queue(queue.as_raw()));
        state.vulkan.fence_records.insert(object_key(device, fence), record);
        state.run_replay();
    }
}
