//! Signals and waits of Vulkan and CUDA for the semaphores that both use.

use std::sync::Arc;

use ash::vk::{self, Handle as _};

use crate::layer::chassis::layer_call::LayerCall;
use crate::layer::chassis::process_state::ProcessState;
use crate::layer::error_messages::finding::Finding;
use crate::layer::host_process::call_site::CallSite;
use crate::layer::state_tracker::tracked_objects::ObjectUse;
use crate::rules::Rule;

use crate::layer::vulkan::state_tracker::vulkan_state::{object_key, tracks_accesses};
use crate::layer::vulkan::sync::access_history::ReplayAccess;
use crate::layer::vulkan::sync::queue_or_stream::QueueOrStream;
use crate::layer::vulkan::sync::replay::{ReplayStep, SemaphoreId};
use crate::layer::vulkan::utils::object_key::ObjectKey;

impl ProcessState {
    /// A signal in an order, or by the host.
    fn note_vulkan_signal(
        &mut self,
        site: &Arc<CallSite>,
        semaphore: ObjectKey,
        value: u64,
        order: Option<QueueOrStream>,
    ) {
        let (sem, is_timeline) = self.vulkan.semaphore_id(semaphore);
        match order {
            Some(_) if self.vulkan.is_left_out("signal", site.call) => return,
            Some(order) => {
                let step = ReplayStep::Signal(sem, is_timeline.then_some(value), site.clone());
                self.vulkan.replay.enqueue_step(order, step);
            }
            None => self.vulkan.replay.note_host_signal(sem, value),
        }
        if let SemaphoreId::Exportable(number) = sem {
            self.announce_signal(site, number, value, order);
        }
    }

    /// Notes that a semaphore is to be signaled, and reports a value that goes back.
    fn announce_signal(
        &mut self,
        site: &Arc<CallSite>,
        number: u32,
        value: u64,
        order: Option<QueueOrStream>,
    ) {
        let Some(of) = self.vulkan.semaphore(number) else { return };
        if !of.is_timeline {
            of.values.pending += 1;
        } else if let Some((text, waited)) = of.values.note_signal(order, value) {
            let finding = Finding::new(Rule::TimelineGoesBack, site.call, text);
            self.report_about_semaphore(finding, number, waited);
        }
    }

    /// A wait in a queue.
    fn note_vulkan_wait(
        &mut self,
        site: &Arc<CallSite>,
        semaphore: ObjectKey,
        value: u64,
        order: QueueOrStream,
    ) {
        let (sem, is_timeline) = self.vulkan.semaphore_id(semaphore);
        if !self.vulkan.is_left_out("wait", site.call) {
            self.vulkan
                .replay
                .enqueue_step(order, ReplayStep::Wait(sem, is_timeline.then_some(value), site.clone()));
        }
        if let SemaphoreId::Exportable(number) = sem {
            self.check_wait_is_announced(site, number, value, Some(order));
        }
    }

    /// A wait in an order or by the host, which should follow the signal that it waits for.
    fn check_wait_is_announced(
        &mut self,
        site: &Arc<CallSite>,
        number: u32,
        value: u64,
        order: Option<QueueOrStream>,
    ) {
        let Some(of) = self.vulkan.semaphore(number) else { return };
        let (is_signaled, text) = if of.is_timeline {
            if let Some(order) = order {
                of.values.note_wait(order, value, CallSite::clone(site));
            }
            let text = format!("It waits for {value}, which neither Vulkan nor CUDA was told to signal yet.");
            (of.values.is_announced(value), text)
        } else {
            let is_signaled = of.values.pending > 0;
            of.values.pending = (of.values.pending - 1).max(0);
            (is_signaled, "It waits for a signal that neither Vulkan nor CUDA was told yet.".to_owned())
        };
        // Without an import the semaphore is Vulkan's alone, or another process's.
        if !is_signaled && self.vulkan.exportable(number).is_some_and(|of| !of.imports.is_empty()) {
            self.report_about_semaphore(Finding::new(Rule::WaitBeforeSignal, site.call, text), number, None);
        }
    }

    /// CUDA enqueues a signal or a wait, with a value. None where the import is not of this process's Vulkan.
    pub fn cuda_semaphore_step(
        &mut self,
        site: &Arc<CallSite>,
        used: &ObjectUse,
        order: QueueOrStream,
    ) -> Option<ReplayStep<ReplayAccess>> {
        let number = *self.vulkan.cuda_imports.get(&used.object)?;
        let is_timeline = self.vulkan.semaphore(number)?.is_timeline;
        let is_left_out = self.vulkan.is_left_out(if used.is_signal { "signal" } else { "wait" }, site.call);
        if !used.is_signal {
            self.check_wait_is_announced(site, number, used.value, Some(order));
        } else if !is_left_out {
            self.announce_signal(site, number, used.value, Some(order));
        }
        if is_left_out {
            return Some(ReplayStep::Host(Default::default()));
        }
        let make = if used.is_signal { ReplayStep::Signal } else { ReplayStep::Wait };
        Some(make(SemaphoreId::Exportable(number), is_timeline.then_some(used.value), site.clone()))
    }

    /// Reports what is wrong with a semaphore, with the calls that show it.
    fn report_about_semaphore(&mut self, finding: Finding, semaphore: u32, waited: Option<CallSite>) {
        let of = self.vulkan.exportable(semaphore);
        let import = of.and_then(|of| of.imports.first().copied());
        let finding = import.into_iter().fold(finding, Finding::about_object);
        let finding = waited.iter().fold(finding, |finding, site| finding.with_call("The wait in", site));
        let made = of.map(|of| &of.made).into_iter();
        self.report(made.fold(finding, |finding, made| finding.with_call("The semaphore was made by", made)));
    }
}

/// The host signals a timeline.
pub fn note_host_signal_call(
    visit: &mut LayerCall,
    device: vk::Device,
    semaphore: vk::Semaphore,
    value: u64,
) {
    let site = Arc::new(CallSite::capture(visit, "vkSignalSemaphore"));
    let mut state = visit.state();
    state.note_vulkan_signal(&site, object_key(device, semaphore), value, None);
    state.run_replay();
}

/// The host is about to wait for a value.
pub fn check_host_wait(visit: &mut LayerCall, device: vk::Device, semaphore: vk::Semaphore, value: u64) {
    let site = Arc::new(CallSite::capture(visit, "vkWaitSemaphores"));
    let mut state = visit.state();
    if let (SemaphoreId::Exportable(number), true) = state.vulkan.semaphore_id(object_key(device, semaphore))
    {
        state.check_wait_is_announced(&site, number, value, None);
    }
}

/// The host knows that a timeline has reached a value.
pub fn note_value_reached(visit: &mut LayerCall, device: vk::Device, semaphore: vk::Semaphore, value: u64) {
    let mut state = visit.state();
    let (sem, _) = state.vulkan.semaphore_id(object_key(device, semaphore));
    state.note_host_reached(sem, value);
    if let SemaphoreId::Exportable(number) = sem {
        if let Some(of) = state.vulkan.semaphore(number) {
            of.values.note_reached(value);
        }
    }
}

/// One batch of a submission, in the order in which a queue of a device works on it.
pub fn note_batch(
    visit: &mut LayerCall,
    (device, queue, call): (vk::Device, vk::Queue, &'static str),
    waits: impl Iterator<Item = (vk::Semaphore, u64)>,
    commands: impl Iterator<Item = vk::CommandBuffer>,
    signals: impl Iterator<Item = (vk::Semaphore, u64)>,
) {
    let (site, order) = (Arc::new(CallSite::capture(visit, call)), QueueOrStream::Queue(queue.as_raw()));
    let mut state = visit.state();
    for (semaphore, value) in waits {
        state.note_vulkan_wait(&site, object_key(device, semaphore), value, order);
    }
    for commands in commands.filter(|_| tracks_accesses()) {
        state.replay_command_buffer(&site, order, commands.as_raw());
    }
    for (semaphore, value) in signals {
        state.note_vulkan_signal(&site, object_key(device, semaphore), value, Some(order));
    }
    state.run_replay();
}

/// A fence is signaled behind everything that its queue was given.
pub fn note_fence(visit: &LayerCall, device: vk::Device, queue: vk::Queue, fence: vk::Fence) {
    if fence != vk::Fence::null() {
        let mut state = visit.state();
        let record = state.vulkan.record(QueueOrStream::Queue(queue.as_raw()));
        state.vulkan.fence_records.insert(object_key(device, fence), record);
        state.run_replay();
    }
}
