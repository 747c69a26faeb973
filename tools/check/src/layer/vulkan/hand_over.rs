//! The accesses of each side to shared memory, and whether the other side may use it then: `hand-over` and
//! `written-too-early`.
//!
//! The work that a call enqueues becomes steps of a replay ([`orders`](super::orders)), which compares the accesses.

use std::sync::Arc;

use crate::layer::chassis::process_state::State;
use crate::layer::error_messages::finding::Finding;
use crate::layer::host_process::call_site::Site;
use crate::layer::state_tracker::stream_identity::LEGACY;
use crate::layer::state_tracker::tracked_objects::{Does, Kind, Use};
use crate::rules::Rule;

use super::accesses::{Command, Deed, Extent, Problem, Range, What};
use super::orders::{Deeds, Orders, Sem, Step};
use super::records::{self, Vulkan, is_asked_for, is_wanted};
use super::timelines::Order;

impl Vulkan {
    fn range_of(&self, extent: Extent) -> Option<(u32, Range)> {
        match extent {
            Extent::Buffer(buffer, offset, size) | Extent::Part(buffer, offset, size) => {
                let (memory, bound) = *self.buffers.get(&buffer)?;
                // VK_WHOLE_SIZE is the largest number.
                let whole = self.sizes.get(&buffer).map_or(u64::MAX, |whole| whole.saturating_sub(offset));
                let range = Range::new(bound.saturating_add(offset), size.min(whole));
                Some((memory, Range { is_part: matches!(extent, Extent::Part(..)), ..range }))
            }
            Extent::Image(image) => {
                let number = self.images.get(&image)?.memory?;
                let records::What::Memory(memory) = &self.get(number)?.what else { return None };
                let bound = memory.images.iter().find(|(_, of)| *of == image)?.0;
                Some((number, Range::new(bound, 1)))
            }
        }
    }

    /// The end of the one buffer that has this byte, within a range that a kernel may use.
    fn end_of_buffer(&self, memory: u32, range: Range) -> u64 {
        let ends = self.buffers.iter().filter(|(_, (of, at))| *of == memory && *at <= range.start);
        let ends = ends.filter_map(|(buffer, (_, at))| Some(at + self.sizes.get(buffer)?));
        ends.filter(|end| *end > range.start).min().map_or(range.end, |end| end.min(range.end))
    }

    /// Whether a stream waits for the default stream, and that for it.
    fn is_blocking(&self, order: Order) -> bool {
        matches!(order, Order::Stream(key) if !self.non_blocking.contains(&key))
    }

    /// Work of a blocking stream comes behind that of the default stream, and the other way round.
    fn order_default_stream(&mut self, stream: usize) {
        let order = Order::Stream(stream);
        let waits_for: Vec<u64> = if stream == LEGACY {
            let others = self.orders.orders().into_iter().filter(|of| *of != order && self.is_blocking(*of));
            let others: Vec<Order> = others.collect();
            others.into_iter().map(|other| self.record(other)).collect()
        } else {
            Vec::from_iter(self.of_default_stream.filter(|_| self.is_blocking(order)))
        };
        for record in waits_for {
            self.orders.push(order, Step::WaitRecord(record));
        }
    }

    /// Records how far a line has come, for whoever waits for it.
    pub fn record(&mut self, order: Order) -> u64 {
        let record = self.orders.new_record();
        self.orders.push(order, Step::Record(record));
        record
    }
}

impl State {
    /// Looks at what can run by now.
    pub fn replay(&mut self) {
        self.replay_after(|_, _| {});
    }

    /// The same behind what the host learns.
    fn replay_after(&mut self, learn: impl FnOnce(&mut Orders<Deed>, Deeds<'_, Deed>)) {
        let Vulkan { orders, memories, .. } = &mut self.vulkan;
        let (mut problems, may) = (Vec::new(), is_asked_for());
        let mut deeds = |orders: &mut Orders<Deed>, order, deed: Deed| {
            let memory = memories.entry(deed.memory).or_default();
            problems.extend(memory.take(orders, order, deed, may));
        };
        learn(orders, &mut deeds);
        orders.run_steps(&mut deeds);
        let overtakes = std::mem::take(&mut orders.overtakes);
        for Problem { rule, memory, text, site, others } in problems {
            let import = self.vulkan.get(memory).and_then(|of| of.imports.first().copied());
            let finding = Finding::new(rule, site.call, text).at(&site);
            let finding = import.into_iter().fold(finding, Finding::about);
            self.report(others.iter().fold(finding, |finding, (title, site)| finding.with(title, site)));
        }
        for overtakes in overtakes {
            let Sem::Shared(number) = overtakes.semaphore else { continue };
            let import = self.vulkan.get(number).and_then(|of| of.imports.first().copied());
            let ([smaller, value], [of_smaller, site]) = (overtakes.values, overtakes.sites);
            let text = format!(
                "The value is {value}; nothing orders it behind the other API's signal of {smaller}."
            );
            let finding = Finding::new(Rule::TimelineGoesBack, site.call, text).at(&site);
            let finding = finding.with("The smaller value is signaled by", &of_smaller);
            self.report(import.into_iter().fold(finding, Finding::about));
        }
    }

    /// The host waited for work of these lines.
    pub fn host_waited(&mut self, is_done: impl Fn(Order) -> bool) {
        self.replay_after(|orders, deeds| orders.host_waited_for(&is_done, deeds));
    }

    /// The host knows that an event or a fence is done. If its record is not known, all earlier work counts as done.
    pub fn host_waited_for_record(&mut self, record: Option<u64>) {
        self.replay_after(|orders, deeds| orders.host_waited_for_record(record, deeds));
    }

    /// The host knows that a timeline has reached a value.
    pub fn host_reached(&mut self, semaphore: Sem, value: u64) {
        self.replay_after(|orders, deeds| orders.host_waited(semaphore, value, deeds));
    }

    /// CUDA enqueues work in a stream: it waits, uses memory and signals.
    pub fn enqueue_shared(&mut self, site: &Site, uses: &[Use], stream: usize) {
        let (order, shared) = (Order::Stream(stream), Arc::new(site.clone()));
        self.vulkan.order_default_stream(stream);
        if self.vulkan.has_unseen_waits {
            self.vulkan.orders.push(order, Step::Unknown);
        }
        let is_wait = |used: &&Use| !used.is_signal && used.touch.is_none();
        for used in uses.iter().filter(is_wait) {
            let step = self.semaphore_of_cuda(&shared, used, order);
            self.vulkan.orders.push(order, step.unwrap_or(Step::Unknown));
        }
        self.push_touched(&shared, uses, order);
        for used in uses.iter().filter(|used| used.is_signal) {
            if let Some(step) = self.semaphore_of_cuda(&shared, used, order) {
                self.vulkan.orders.push(order, step);
            }
        }
        if stream == LEGACY {
            self.vulkan.of_default_stream = Some(self.vulkan.record(order));
        }
        self.replay();
    }

    /// CUDA reads or writes ranges of mappings. A mapped array is used from its beginning.
    fn push_touched(&mut self, site: &Arc<Site>, uses: &[Use], order: Order) {
        for Use { object, touch, .. } in uses.iter().filter(|_| is_wanted()) {
            let (Some(mapping), Some(touch)) = (self.objects.get(*object), touch) else { continue };
            let is_array = mapping.about.kind() == Kind::Array;
            // A mapping of CUDA's own memory has no import.
            let import = if mapping.import == 0 { mapping.number } else { mapping.import };
            let inside = touch.address.map_or(0, |address| address.saturating_sub(mapping.handle));
            let start = mapping.about.offset().saturating_add(inside);
            let size = touch.size.min(mapping.about.size().saturating_sub(inside));
            let Some(memory) = self.vulkan.imports.get(&import).copied() else { continue };
            let image = self.vulkan.image_at(memory, start).0.filter(|_| is_array);
            let mut range = Range::new(start, if is_array { 1 } else { size });
            if let (Does::MayWrite(_), false) = (touch.does, is_array) {
                range = Range { end: self.vulkan.end_of_buffer(memory, range), is_part: true, ..range };
            }
            let is_array = image.is_some_and(|image| !image.has_layout);
            let what = What::Use { does: touch.does, by: site.call, site: site.clone(), is_array };
            self.vulkan.orders.push(order, Step::Deed(Deed { memory, range, what }));
        }
    }

    /// Vulkan's queue gets a command buffer, after the waits of its submission.
    pub fn hand_over_vulkan(&mut self, site: &Arc<Site>, order: Order, commands: u64) {
        let recorded = self.vulkan.commands.get(&commands).map(|of| of.commands.clone());
        for command in recorded.unwrap_or_default() {
            let (extent, barrier, what) = match command {
                Command::Layout(extent) => (extent, None, What::Layout),
                Command::Acquire(extent) => (extent, Some("acquire"), What::Acquire(site.clone())),
                Command::Release(extent) => (extent, Some("release"), What::Release),
                Command::Use(extent, does, by) => {
                    (extent, None, What::Use { does, by, site: site.clone(), is_array: false })
                }
            };
            let Some((memory, range)) = self.vulkan.range_of(extent) else { continue };
            if barrier.is_some_and(|barrier| self.vulkan.is_left_out(barrier, site.call)) {
                continue;
            }
            self.vulkan.orders.push(order, Step::Deed(Deed { memory, range, what }));
        }
    }
}
