//! The accesses of each side to shared memory, and whether the other side may use it then: `hand-over` and
//! `written-too-early`.
//!
//! The work that a call enqueues becomes steps of a replay ([`replay`](crate::layer::vulkan::sync::replay)), which compares the accesses.

use std::sync::Arc;

use crate::layer::chassis::process_state::ProcessState;
use crate::layer::error_messages::finding::Finding;
use crate::layer::host_process::call_site::CallSite;
use crate::layer::state_tracker::stream_identity::LEGACY;
use crate::layer::state_tracker::tracked_objects::{AccessKind, ObjectKind, ObjectUse};
use crate::rules::Rule;

use crate::layer::vulkan::state_tracker::vulkan_state::{
    ExportableKind, VulkanState, reports_possible_hazards, tracks_accesses,
};
use crate::layer::vulkan::sync::access_history::{
    AccessAction, Hazard, MemoryRange, RecordedCommand, ReplayAccess, Subresource,
};
use crate::layer::vulkan::sync::queue_or_stream::QueueOrStream;
use crate::layer::vulkan::sync::replay::{AccessSink, Replay, ReplayStep, SemaphoreId};

impl VulkanState {
    fn range_in_memory(&self, extent: Subresource) -> Option<(u32, MemoryRange)> {
        match extent {
            Subresource::Buffer(buffer, offset, size) | Subresource::Part(buffer, offset, size) => {
                let (memory, bound) = *self.bound_buffers.get(&buffer)?;
                // VK_WHOLE_SIZE is the largest number.
                let whole =
                    self.buffer_sizes.get(&buffer).map_or(u64::MAX, |whole| whole.saturating_sub(offset));
                let range = MemoryRange::new(bound.saturating_add(offset), size.min(whole));
                Some((memory, MemoryRange { is_part: matches!(extent, Subresource::Part(..)), ..range }))
            }
            Subresource::Image(image) => {
                let number = self.images.get(&image)?.memory?;
                let ExportableKind::Memory(memory) = &self.exportable(number)?.what else { return None };
                let bound = memory.images.iter().find(|(_, of)| *of == image)?.0;
                Some((number, MemoryRange::new(bound, 1)))
            }
        }
    }

    /// The end of the one buffer that has this byte, within a range that a kernel may use.
    fn end_of_buffer(&self, memory: u32, range: MemoryRange) -> u64 {
        let ends = self.bound_buffers.iter().filter(|(_, (of, at))| *of == memory && *at <= range.start);
        let ends = ends.filter_map(|(buffer, (_, at))| Some(at + self.buffer_sizes.get(buffer)?));
        ends.filter(|end| *end > range.start).min().map_or(range.end, |end| end.min(range.end))
    }

    /// Whether a stream waits for the default stream, and that for it.
    fn waits_for_default_stream(&self, order: QueueOrStream) -> bool {
        matches!(order, QueueOrStream::Stream(key) if !self.non_blocking_streams.contains(&key))
    }

    /// Work of a blocking stream comes behind that of the default stream, and the other way round.
    fn order_with_default_stream(&mut self, stream: usize) {
        let order = QueueOrStream::Stream(stream);
        let waits_for: Vec<u64> = if stream == LEGACY {
            let others = self
                .replay
                .known_lines()
                .into_iter()
                .filter(|of| *of != order && self.waits_for_default_stream(*of));
            let others: Vec<QueueOrStream> = others.collect();
            others.into_iter().map(|other| self.record(other)).collect()
        } else {
            Vec::from_iter(self.default_stream_record.filter(|_| self.waits_for_default_stream(order)))
        };
        for record in waits_for {
            self.replay.enqueue_step(order, ReplayStep::WaitRecord(record));
        }
    }

    /// Records how far a line has come, for whoever waits for it.
    pub fn record(&mut self, order: QueueOrStream) -> u64 {
        let record = self.replay.new_record_number();
        self.replay.enqueue_step(order, ReplayStep::Record(record));
        record
    }
}

impl ProcessState {
    /// Looks at what can run by now.
    pub fn run_replay(&mut self) {
        self.run_replay_after(|_, _| {});
    }

    /// The same behind what the host learns.
    fn run_replay_after(
        &mut self,
        learn: impl FnOnce(&mut Replay<ReplayAccess>, AccessSink<'_, ReplayAccess>),
    ) {
        let VulkanState { replay, access_histories, .. } = &mut self.vulkan;
        let (mut problems, may) = (Vec::new(), reports_possible_hazards());
        let mut deeds = |replay: &mut Replay<ReplayAccess>, order, deed: ReplayAccess| {
            let memory = access_histories.entry(deed.memory).or_default();
            problems.extend(memory.apply(replay, order, deed, may));
        };
        learn(replay, &mut deeds);
        replay.run_unblocked_steps(&mut deeds);
        let unordered = std::mem::take(&mut replay.unordered_signals);
        for Hazard { rule, memory, text, site, others } in problems {
            let import = self.vulkan.exportable(memory).and_then(|of| of.imports.first().copied());
            let finding = Finding::new(rule, site.call, text).made_at(&site);
            let finding = import.into_iter().fold(finding, Finding::about_object);
            self.report(others.iter().fold(finding, |finding, (title, site)| finding.with_call(title, site)));
        }
        for unordered in unordered {
            let SemaphoreId::Exportable(number) = unordered.semaphore else { continue };
            let import = self.vulkan.exportable(number).and_then(|of| of.imports.first().copied());
            let ([smaller, value], [of_smaller, site]) = (unordered.values, unordered.sites);
            let text = format!(
                "The value is {value}; nothing replay it behind the other API's signal of {smaller}."
            );
            let finding = Finding::new(Rule::TimelineGoesBack, site.call, text).made_at(&site);
            let finding = finding.with_call("The smaller value is signaled by", &of_smaller);
            self.report(import.into_iter().fold(finding, Finding::about_object));
        }
    }

    /// The host waited for work of these lines.
    pub fn note_host_wait(&mut self, is_done: impl Fn(QueueOrStream) -> bool) {
        self.run_replay_after(|replay, deeds| replay.note_host_wait_for_lines(&is_done, deeds));
    }

    /// The host knows that an event or a fence is done. If its record is not known, all earlier work counts as done.
    pub fn note_host_wait_for_record(&mut self, record: Option<u64>) {
        self.run_replay_after(|replay, deeds| replay.note_host_wait_for_record(record, deeds));
    }

    /// The host knows that a timeline has reached a value.
    pub fn note_host_reached(&mut self, semaphore: SemaphoreId, value: u64) {
        self.run_replay_after(|replay, deeds| replay.note_host_wait_for_value(semaphore, value, deeds));
    }

    /// CUDA enqueues work in a stream: it waits, uses memory and signals.
    pub fn replay_cuda_work(&mut self, site: &CallSite, uses: &[ObjectUse], stream: usize) {
        let (order, shared) = (QueueOrStream::Stream(stream), Arc::new(site.clone()));
        self.vulkan.order_with_default_stream(stream);
        if self.vulkan.has_unseen_waits {
            self.vulkan.replay.enqueue_step(order, ReplayStep::UnseenOrder);
        }
        let is_wait = |used: &&ObjectUse| !used.is_signal && used.touch.is_none();
        for used in uses.iter().filter(is_wait) {
            let step = self.cuda_semaphore_step(&shared, used, order);
            self.vulkan.replay.enqueue_step(order, step.unwrap_or(ReplayStep::Unknown));
        }
        self.enqueue_mapping_accesses(&shared, uses, order);
        for used in uses.iter().filter(|used| used.is_signal) {
            if let Some(step) = self.cuda_semaphore_step(&shared, used, order) {
                self.vulkan.replay.enqueue_step(order, step);
            }
        }
        if stream == LEGACY {
            self.vulkan.default_stream_record = Some(self.vulkan.record(order));
        }
        self.run_replay();
    }

    /// CUDA reads or writes ranges of mappings. A mapped array is used from its beginning.
    fn enqueue_mapping_accesses(&mut self, site: &Arc<CallSite>, uses: &[ObjectUse], order: QueueOrStream) {
        for ObjectUse { object, touch, .. } in uses.iter().filter(|_| tracks_accesses()) {
            let (Some(mapping), Some(touch)) = (self.objects.get(*object), touch) else { continue };
            let is_array = mapping.about.kind() == ObjectKind::Array;
            // A mapping of CUDA's own memory has no import.
            let import = if mapping.import == 0 { mapping.number } else { mapping.import };
            let inside = touch.address.map_or(0, |address| address.saturating_sub(mapping.handle));
            let start = mapping.about.offset().saturating_add(inside);
            let size = touch.size.min(mapping.about.size().saturating_sub(inside));
            let Some(memory) = self.vulkan.cuda_imports.get(&import).copied() else { continue };
            let image = self.vulkan.image_at_offset(memory, start).0.filter(|_| is_array);
            let mut range = MemoryRange::new(start, if is_array { 1 } else { size });
            if let (AccessKind::MayWrite(_), false) = (touch.does, is_array) {
                range = MemoryRange { end: self.vulkan.end_of_buffer(memory, range), is_part: true, ..range };
            }
            let is_array = image.is_some_and(|image| !image.has_layout);
            let what =
                AccessAction::ObjectUse { does: touch.does, by: site.call, site: site.clone(), is_array };
            self.vulkan.replay.enqueue_step(order, ReplayStep::Access(ReplayAccess { memory, range, what }));
        }
    }

    /// Vulkan's queue gets a command buffer, after the waits of its submission.
    pub fn replay_command_buffer(&mut self, site: &Arc<CallSite>, order: QueueOrStream, commands: u64) {
        let recorded = self.vulkan.cmd_buffers.get(&commands).map(|of| of.commands.clone());
        for command in recorded.unwrap_or_default() {
            let (extent, barrier, what) = match command {
                RecordedCommand::Layout(extent) => (extent, None, AccessAction::Layout),
                RecordedCommand::Acquire(extent) => {
                    (extent, Some("acquire"), AccessAction::Acquire(site.clone()))
                }
                RecordedCommand::Release(extent) => (extent, Some("release"), AccessAction::Release),
                RecordedCommand::ObjectUse(extent, does, by) => {
                    (extent, None, AccessAction::ObjectUse { does, by, site: site.clone(), is_array: false })
                }
            };
            let Some((memory, range)) = self.vulkan.range_in_memory(extent) else { continue };
            if barrier.is_some_and(|barrier| self.vulkan.is_left_out(barrier, site.call)) {
                continue;
            }
            self.vulkan.replay.enqueue_step(order, ReplayStep::Access(ReplayAccess { memory, range, what }));
        }
    }
}
