//! Checks the rules `hand-over`, `written-too-early` and `timeline-goes-back`.
//!
//! The work that a call enqueues becomes steps of a replay, which compares the accesses.

use std::sync::Arc;

use crate::layer::chassis::process_state::ProcessState;
use crate::layer::error_messages::finding::Finding;
use crate::layer::host_process::current_process::CallSite;
use crate::layer::state_tracker::stream_identity::LEGACY;
use crate::layer::state_tracker::tracked_objects::{AccessKind, ObjectKind, ObjectUse};
use crate::layer::vulkan::state_tracker::cmd_buffer_state::RecordedCommand;
use crate::layer::vulkan::state_tracker::vulkan_state::{
    QueueOrStream, ReplayStep, VulkanState, WaitTarget, reports_possible_hazards,
};
use crate::layer::vulkan::sync::access_history::{Hazard, PartialOverlap};
use crate::layer::vulkan::sync::memory_range::MemoryRange;
use crate::layer::vulkan::sync::queue_and_stream_replay::{
    AccessAction, AccessSink, DecreasingSignalPair, ProgressPoint, Replay, ReplayAccess, SemaphoreId,
};
use crate::layer::vulkan::utils::handle_keys::ResourcePart;
use crate::layer::vulkan::utils::stage_work_kinds::StageWorkKinds;
use crate::rules::{Rule, rules};

rules! {
    TIMELINE_GOES_BACK 43 "timeline-goes-back" BOTH_SIDES Vulkan
        "VUID-VkSemaphoreSignalInfo-value-03258, VUID-VkSubmitInfo2-semaphore-03882" ByDefault
        "Two signals of a timeline semaphore are of different kinds (by a CUDA stream, by a Vulkan queue, by \
         vkSignalSemaphore), and the later signal's value is not greater than the earlier signal's. Or nothing orders \
         a stream's signal and a queue's signal."
        "Take all values from one counter. Let each API wait for the other API's last value before its own signal.";
    WRITTEN_TOO_EARLY 46 "written-too-early" BOTH_SIDES Vulkan "Execution and Memory Dependencies" MoreOnEnable
        "One API writes memory that the other one may still read: no wait orders the write after the read."
        "Signal after the read, and wait for that signal before the next write; or give each frame in \
         flight separate memory.";
    HAND_OVER 47 "hand-over" BOTH_SIDES Vulkan "Queue Family Ownership Transfer" MoreOnEnable
        "One API uses memory that the other one wrote, and between the write and the use a signal, a wait, a \
         release or an acquire is missing."
        "Signal after the write, and wait for that signal before the use. If Vulkan wrote, release the memory to \
         VK_QUEUE_FAMILY_EXTERNAL before the signal. If CUDA wrote, acquire the memory from VK_QUEUE_FAMILY_EXTERNAL \
         in Vulkan after the wait.";
}

impl VulkanState {
    fn resource_memory_range(&self, resource: ResourcePart) -> Option<(u32, MemoryRange)> {
        match resource {
            ResourcePart::Buffer(buffer, offset, size) => {
                let (memory, bound) = *self.bound_buffers.get(&buffer)?;
                // VK_WHOLE_SIZE is u64::MAX, which means the rest of the buffer.
                let whole =
                    self.buffer_sizes.get(&buffer).map_or(u64::MAX, |whole| whole.saturating_sub(offset));
                Some((memory, MemoryRange::new(bound.saturating_add(offset), size.min(whole))))
            }
            ResourcePart::Image(image) | ResourcePart::ImagePart(image) => {
                let number = self.images.get(&image)?.memory?;
                let bound = self.memory_state(number)?.images.iter().find(|(_, of)| *of == image)?.0;
                let is_part = matches!(resource, ResourcePart::ImagePart(_));
                Some((number, MemoryRange { is_part, ..MemoryRange::new(bound, 1) }))
            }
        }
    }

    /// Returns the end of a kernel's `range`, limited to the Vulkan buffer that contains the range's first byte.
    fn end_of_buffer(&self, memory: u32, range: MemoryRange) -> u64 {
        const MOST_ALIASES: usize = 8;
        let buffers =
            self.memory_state(memory).map(|memory| memory.buffers.range(..=(range.start, u64::MAX)).rev());
        let ends = buffers.into_iter().flatten().take(MOST_ALIASES).map(|(_, end)| *end);
        ends.filter(|end| *end > range.start).min().map_or(range.end, |end| end.min(range.end))
    }

    /// Orders a stream's next steps with the default stream's work. Returns the stream's identity in the replay.
    pub fn order_stream_work(&mut self, stream: usize) -> QueueOrStream {
        let line = self.line_of_stream(stream);
        self.replay.order_with_default_stream(line);
        let ended = self.replay.forget_ended_streams();
        if !ended.is_empty() {
            self.access_histories.values_mut().for_each(|history| history.forget_streams(&ended));
        }
        line
    }
}

impl ProcessState {
    pub fn run_replay(&mut self) {
        self.run_replay_after(|_, _| {});
    }

    /// Calls `learn`, which applies what the host learned, runs the replay's unblocked steps, and reports hazards.
    fn run_replay_after(&mut self, learn: impl FnOnce(&mut Replay, AccessSink<'_>)) {
        let VulkanState { replay, access_histories, .. } = &mut self.vulkan;
        let (mut hazards, possible) = (Vec::new(), reports_possible_hazards());
        let mut accesses = |replay: &mut Replay, line, access: ReplayAccess| {
            let history = access_histories.entry(access.memory).or_default();
            hazards.extend(history.apply_access(replay, line, access, possible));
        };
        learn(replay, &mut accesses);
        replay.run_unblocked_steps(&mut accesses);
        let decreasing = std::mem::take(&mut replay.decreasing_signals);
        for Hazard { rule, memory, mut text, overlap, site, others } in hazards {
            let mapping = overlap.and_then(|overlap| self.describe_overlap(memory, &overlap, &mut text));
            let finding = Finding::new(rule, site.call, text).at_earlier_call(&site);
            let finding = self.add_first_import_call(finding, memory);
            let mut finding = mapping.into_iter().fold(finding, Finding::about_object);
            for (title, site) in others {
                finding = finding.with_other_call(title, &site);
            }
            self.report_finding(finding);
        }
        for DecreasingSignalPair { semaphore, values: [other, value], sites: [of_other, site] } in decreasing
        {
            let SemaphoreId::Exportable(number) = semaphore else { continue };
            let text = if other < value {
                format!(
                    "The value is {value}; nothing orders this signal after the other API's signal with the value {other}."
                )
            } else {
                format!("The value is {value}; a signal with the value {other} comes before this signal.")
            };
            let finding = Finding::new(Rule::TIMELINE_GOES_BACK, site.call, text).at_earlier_call(&site);
            let finding = self.add_first_import_call(finding, number);
            self.report_finding(finding.with_other_call("The other value is signaled by", &of_other));
        }
    }

    /// Adds CUDA's range, Vulkan's range and the Vulkan buffer to a finding's text. Returns CUDA's mapping.
    fn describe_overlap(&self, memory: u32, overlap: &PartialOverlap, text: &mut String) -> Option<u32> {
        let PartialOverlap { common, of_cuda, of_vulkan } = overlap;
        let begins_in = |start: u64, size: u64, range: &MemoryRange| {
            MemoryRange::new(start, size).overlaps(MemoryRange::new(range.start, 1))
        };
        let bound = self.vulkan.bound_buffers.iter().find(|(buffer, (of, start))| {
            let size = self.vulkan.buffer_sizes.get(buffer).copied().unwrap_or_default();
            *of == memory && begins_in(*start, size, of_vulkan)
        });
        let name = bound.map_or(String::new(), |(buffer, _)| format!(" (VkBuffer {:#x})", buffer.2));
        *text += &format!(
            " The two ranges overlap in {} bytes from {} only: CUDA uses bytes {} to {} of the memory, Vulkan {} to \
             {}{name}. If the two should not overlap, one of them is too long.",
            common.end - common.start,
            common.start,
            of_cuda.start,
            of_cuda.end,
            of_vulkan.start,
            of_vulkan.end
        );
        let imports = self.vulkan.exportable_object(memory)?.imports.iter();
        let mut mappings =
            imports.filter_map(|import| self.objects.get_object(*import)).flat_map(|of| &of.mappings);
        let is_used = |mapping: &&u32| {
            let about = self.objects.get_object(**mapping).map(|of| of.about);
            about.is_some_and(|about| begins_in(about.described_offset(), about.described_size(), of_cuda))
        };
        mappings.find(is_used).copied()
    }

    fn add_first_import_call(&self, finding: Finding, exportable: u32) -> Finding {
        let import = self.vulkan.exportable_object(exportable).and_then(|of| of.imports.first().copied());
        import.into_iter().fold(finding, Finding::about_object)
    }

    pub fn note_host_wait(&mut self, work: WaitTarget) {
        self.run_replay_after(|replay, accesses| replay.note_host_wait_for_work(work, accesses));
    }

    pub fn note_host_wait_for_record(&mut self, record: Option<ProgressPoint>) {
        self.run_replay_after(|replay, accesses| replay.note_host_wait_for_record(record, accesses));
    }

    pub fn note_host_saw_value(&mut self, semaphore: SemaphoreId, value: u64) {
        self.run_replay_after(|replay, all| replay.note_host_wait_for_value(semaphore, value, all));
    }

    /// Records a wait of the host for work that the check does not know: any earlier work may then be done.
    pub fn note_unknown_host_wait(&mut self) {
        self.run_replay_after(|replay, _| replay.host_learns_all_work());
    }

    /// Records work that CUDA enqueues in a stream: its waits, its uses of memory, and its signals.
    pub fn enqueue_cuda_work(&mut self, site: &CallSite, uses: &[ObjectUse], stream: usize) {
        let (line, site) = (self.vulkan.order_stream_work(stream), Arc::new(site.clone()));
        if self.vulkan.has_unseen_waits {
            self.vulkan.replay.enqueue_step(line, ReplayStep::UnseenOrder);
        }
        for used in uses.iter().filter(|used| !used.is_signal && used.touch.is_none()) {
            let step = self.cuda_semaphore_step(&site, used);
            self.vulkan.replay.enqueue_step(line, step.unwrap_or(ReplayStep::UnseenOrder));
        }
        self.enqueue_mapping_accesses(&site, uses, line);
        for used in uses.iter().filter(|used| used.is_signal) {
            if let Some(step) = self.cuda_semaphore_step(&site, used) {
                self.vulkan.replay.enqueue_step(line, step);
            }
        }
        if stream == LEGACY {
            self.vulkan.replay.record_default_stream_work();
        }
        self.run_replay();
    }

    /// Enqueues CUDA's accesses to mappings. An access to an array, or by a kernel, counts as one to an unknown part.
    fn enqueue_mapping_accesses(&mut self, site: &Arc<CallSite>, uses: &[ObjectUse], line: QueueOrStream) {
        for ObjectUse { object, touch, .. } in uses {
            let (Some(mapping), Some(touch)) = (self.objects.get_object(*object), touch) else {
                continue;
            };
            let (is_array, is_kernel) = (
                mapping.about.object_kind() == ObjectKind::Array,
                matches!(touch.does, AccessKind::MayWrite(_)),
            );
            // A mapping of CUDA's own memory has no import.
            let import = if mapping.import == 0 { mapping.number } else { mapping.import };
            let inside = touch.address.map_or(0, |address| address.saturating_sub(mapping.handle));
            let start = mapping.about.described_offset().saturating_add(inside);
            let size = touch.size.min(mapping.about.described_size().saturating_sub(inside));
            let Some(memory) = self.vulkan.cuda_imports.get(&import).copied() else { continue };
            let range = MemoryRange::new(start, if is_array { 1 } else { size });
            let mut range = MemoryRange { is_part: is_array || is_kernel, ..range };
            if is_kernel && !is_array {
                range.end = self.vulkan.end_of_buffer(memory, range);
            }
            let (action, site) = (AccessAction::Use(touch.does, site.call), site.clone());
            let access = ReplayAccess { memory, range, scope: StageWorkKinds::ALL, action, site };
            self.vulkan.replay.enqueue_step(line, ReplayStep::Access(access));
        }
    }

    /// Enqueues the commands of a submitted command buffer. The caller has enqueued the waits of the submission.
    pub fn enqueue_command_buffer(&mut self, site: &Arc<CallSite>, line: QueueOrStream, commands: u64) {
        for command in self.vulkan.cmd_buffers.recorded_commands(commands).to_vec() {
            let (resource, scope, action) = match command {
                RecordedCommand::Access(resource, scope, action) => (resource, scope, action),
                RecordedCommand::Dependency(from, to) => {
                    self.vulkan.replay.enqueue_step(line, ReplayStep::Dependency(from, to));
                    continue;
                }
                RecordedCommand::WaitForHost => {
                    self.vulkan.replay.enqueue_step(line, ReplayStep::UnseenOrder);
                    continue;
                }
            };
            if let Some((memory, range)) = self.vulkan.resource_memory_range(resource) {
                let site = site.clone();
                let access = ReplayAccess { memory, range, scope, action, site };
                self.vulkan.replay.enqueue_step(line, ReplayStep::Access(access));
            }
        }
    }
}
