//! The accesses of both APIs to one allocation, in the order of the replay, and the mistakes among them.

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

use crate::layer::host_process::call_site::CallSite;
use crate::layer::state_tracker::tracked_objects::AccessKind;
use crate::rules::Rule;

use crate::layer::vulkan::sync::queue_or_stream::QueueOrStream;
use crate::layer::vulkan::sync::replay::Replay;
use crate::layer::vulkan::utils::object_key::ObjectKey;

/// How many accesses and how many ranges are kept for each allocation.
const KEPT: usize = 64;

/// A range of an allocation. The byte at which an image begins stands for the whole image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryRange {
    pub start: u64,
    pub end: u64,
    /// Whether the work, a shader or a kernel, may use only a part of this range.
    pub is_part: bool,
}

impl MemoryRange {
    pub fn new(start: u64, size: u64) -> Self {
        Self { start, end: start.saturating_add(size.max(1)), is_part: false }
    }

    fn overlaps(&self, other: Self) -> bool {
        self.start < other.end && other.start < self.end
    }

    /// Whether both certainly meet. An access to a part of a range may be anywhere in it, so it certainly meets only
    /// an access that covers the whole range.
    fn meets(&self, other: Self) -> bool {
        self.overlaps(other)
            && (!self.is_part || other.covers(*self))
            && (!other.is_part || self.covers(other))
    }

    fn covers(&self, other: Self) -> bool {
        self.start <= other.start && other.end <= self.end
    }
}

/// An access of work to a range of an allocation.
#[derive(Clone, Debug)]
pub struct ReplayAccess {
    pub memory: u32,
    pub range: MemoryRange,
    pub what: AccessAction,
}

#[derive(Clone, Debug)]
pub enum AccessAction {
    ObjectUse {
        does: AccessKind,
        /// The command or the function, and the call that enqueued it.
        by: &'static str,
        site: Arc<CallSite>,
        /// A mapped array, whose image has to have a layout.
        is_array: bool,
    },
    /// Vulkan acquires what CUDA wrote, or releases what it has.
    Acquire(Arc<CallSite>),
    Release,
    /// An image leaves the layout UNDEFINED.
    Layout,
}

/// A buffer's range, one that is used in part, or an image, as a command names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subresource {
    Buffer(ObjectKey, u64, u64),
    Part(ObjectKey, u64, u64),
    Image(ObjectKey),
}

/// A command of a command buffer.
#[derive(Clone, Copy, Debug)]
pub enum RecordedCommand {
    ObjectUse(Subresource, AccessKind, &'static str),
    Acquire(Subresource),
    Release(Subresource),
    Layout(Subresource),
}

/// A mistake, with the calls that show it. The first call is the one that came too early.
#[derive(Debug)]
pub struct Hazard {
    pub rule: Rule,
    pub memory: u32,
    pub text: String,
    pub site: Arc<CallSite>,
    pub others: Vec<(&'static str, Arc<CallSite>)>,
}

#[derive(Clone)]
struct PastAccess {
    range: MemoryRange,
    does: AccessKind,
    order: QueueOrStream,
    time: u64,
    by: &'static str,
    site: Arc<CallSite>,
}

/// The accesses to one allocation so far.
#[derive(Default)]
pub struct AccessHistory {
    accesses: VecDeque<PastAccess>,
    /// Every range that Vulkan wrote. A kernel that has such a range may only read it.
    of_vulkan: VecDeque<MemoryRange>,
    /// Kernels behind which Vulkan acquired what they have: they write it.
    writers: BTreeSet<u64>,
    /// The ranges that CUDA wrote and Vulkan did not acquire, and those that Vulkan wrote and did not release.
    unmoved: [VecDeque<(MemoryRange, Arc<CallSite>)>; 2],
    /// The ranges that Vulkan released and did not acquire again.
    released: VecDeque<MemoryRange>,
    /// Where the images begin that have a layout.
    laid_out: BTreeSet<u64>,
}

fn push_bounded<T>(list: &mut VecDeque<T>, new: T) {
    if list.len() == KEPT {
        list.pop_front();
    }
    list.push_back(new);
}

/// The places in `unmoved`.
const OF_CUDA: usize = 0;
const OF_VULKAN: usize = 1;

fn api_name(is_cuda: bool) -> &'static str {
    if is_cuda { "CUDA" } else { "Vulkan" }
}

impl AccessHistory {
    /// Applies a deed to the memory. If `may` is set, accesses that only may meet and kernels that only may write are
    /// reported too.
    pub fn apply(
        &mut self,
        replay: &mut Replay<ReplayAccess>,
        order: QueueOrStream,
        deed: ReplayAccess,
        may: bool,
    ) -> Option<Hazard> {
        let ReplayAccess { memory, range, what } = deed;
        match what {
            AccessAction::ObjectUse { does, by, site, is_array } => {
                let does = match does {
                    AccessKind::MayWrite(kernel) if self.writers.contains(&kernel) => AccessKind::Write,
                    AccessKind::MayWrite(_) if may && !self.of_vulkan.iter().any(|of| of.overlaps(range)) => {
                        AccessKind::Write
                    }
                    does => does,
                };
                if is_array && !matches!(does, AccessKind::MayWrite(_)) && self.laid_out.insert(range.start) {
                    let text =
                        "No submitted barrier moved the image out of VK_IMAGE_LAYOUT_UNDEFINED.".to_owned();
                    return Some(Hazard { rule: Rule::HandOver, memory, text, site, others: Vec::new() });
                }
                let time = replay.current_time(order);
                self.note_use(replay, memory, PastAccess { range, does, order, time, by, site }, may)
            }
            AccessAction::Release => {
                self.unmoved[OF_VULKAN].retain(|(of, _)| !of.overlaps(range));
                if !self.released.iter().any(|of| of.covers(range)) {
                    push_bounded(&mut self.released, range);
                }
                None
            }
            AccessAction::Acquire(site) => {
                self.released.retain(|of| !of.overlaps(range));
                self.unmoved[OF_CUDA].retain(|(of, _)| !of.overlaps(range));
                // AccessAction CUDA reads of it then is undefined, unless Vulkan releases it. It may only write, though.
                if may {
                    push_bounded(&mut self.unmoved[OF_VULKAN], (range, site));
                }
                self.mark_kernels_as_writers(replay, order, range, may);
                None
            }
            AccessAction::Layout => {
                self.laid_out.insert(range.start);
                None
            }
        }
    }

    /// Who acquires takes it for written, by the kernels that are known to come before, or by any where none is.
    fn mark_kernels_as_writers(
        &mut self,
        replay: &mut Replay<ReplayAccess>,
        order: QueueOrStream,
        range: MemoryRange,
        may: bool,
    ) {
        let is_kernel =
            |of: &PastAccess| matches!(of.does, AccessKind::MayWrite(_)) && of.range.overlaps(range);
        let mut is_before = |of: &PastAccess| replay.is_known_before((of.order, of.time), order);
        let is_any = may || !self.accesses.iter().any(|of| is_kernel(of) && is_before(of));
        for of in self.accesses.iter_mut().filter(|of| is_kernel(of)) {
            if is_any || is_before(of) {
                if let AccessKind::MayWrite(kernel) = of.does {
                    self.writers.insert(kernel);
                }
                of.does = AccessKind::Write;
            }
        }
    }

    fn note_use(
        &mut self,
        replay: &mut Replay<ReplayAccess>,
        memory: u32,
        new: PastAccess,
        may: bool,
    ) -> Option<Hazard> {
        let (is_cuda, range) = (new.order.is_stream(), new.range);
        let is_write = new.does == AccessKind::Write;
        let touches = |old: MemoryRange| if may { old.overlaps(range) } else { old.meets(range) };
        let conflicts = |old: &PastAccess| {
            old.order.is_stream() != is_cuda
                && touches(old.range)
                && (old.does == AccessKind::Write || (is_write && old.does == AccessKind::Read))
        };
        let mut problem = None;
        for old in self.accesses.iter().filter(|old| conflicts(old)) {
            if !replay.is_known_before((old.order, old.time), new.order) {
                problem = Some(describe_race(replay, memory, old, &new));
                // One finding is enough for all later work of this line.
                replay.assume_known((old.order, old.time), new.order);
                break;
            }
        }
        // Vulkan need not acquire a range that it overwrites.
        let [cuda, vulkan] = [OF_CUDA, OF_VULKAN]
            .map(|of| self.unmoved[of].iter().find(|(of, _)| touches(*of)).map(|(_, site)| site.clone()));
        let unmoved = if is_cuda { vulkan } else { cuda.filter(|_| !is_write) };
        if let (None, Some(site)) = (&problem, unmoved) {
            let text = if is_cuda {
                format!(
                    "Vulkan wrote or acquired what {} uses, and did not release it to VK_QUEUE_FAMILY_EXTERNAL.",
                    new.by
                )
            } else {
                format!(
                    "CUDA wrote what {} uses; Vulkan did not acquire it from VK_QUEUE_FAMILY_EXTERNAL.",
                    new.by
                )
            };
            let others = vec![("It was written or acquired in", site)];
            problem = Some(Hazard { rule: Rule::HandOver, memory, text, site: new.site.clone(), others });
        }
        self.unmoved[if is_cuda { OF_VULKAN } else { OF_CUDA }].retain(|(of, _)| !of.overlaps(range));
        // Vulkan must acquire a range that it released, whatever CUDA did with it.
        let is_given = is_cuda && may && self.released.iter().any(|of| of.overlaps(range));
        if is_write || is_given {
            let own = if is_cuda { OF_CUDA } else { OF_VULKAN };
            self.unmoved[own].retain(|(of, _)| !range.covers(*of));
            push_bounded(&mut self.unmoved[own], (range, new.site.clone()));
        }
        if is_write {
            if !is_cuda {
                self.released.retain(|of| !of.overlaps(range));
            }
            if !is_cuda && !self.of_vulkan.iter().any(|of| of.covers(range)) {
                push_bounded(&mut self.of_vulkan, range);
            }
        }
        let is_older = |old: &PastAccess| {
            let is_within = range.covers(old.range) && (!range.is_part || old.range.is_part);
            old.order == new.order && old.does == new.does && is_within
        };
        self.accesses.retain(|old| !is_older(old));
        push_bounded(&mut self.accesses, new);
        problem
    }
}

/// Returns the mistake of two accesses whose order is not known.
fn describe_race(
    replay: &mut Replay<ReplayAccess>,
    memory: u32,
    old: &PastAccess,
    new: &PastAccess,
) -> Hazard {
    let [first, second] = [old, new].map(|of| api_name(of.order.is_stream()));
    let signal = replay.line_state(old.order).first_signal_since(old.time).cloned();
    let wait = replay.line_state(new.order).wait.clone();
    let missing = match &signal {
        None => format!("{first} signals no semaphore behind that"),
        Some(_) => format!("{second} waits for no semaphore that {first} signals behind that"),
    };
    let (did, does) = (old.by, new.by);
    let verb = if new.does == AccessKind::Write { "writes" } else { "uses" };
    let (rule, text, title) = if old.does == AccessKind::Write {
        let text = format!("{first} writes it ({did}), {second} {verb} it ({does}), and {missing}.");
        (Rule::HandOver, text, "It is written in")
    } else {
        let text =
            format!("{first} may still read it ({did}): {missing}, and {second} writes it again ({does}).");
        (Rule::WrittenTooEarly, text, "It is read in")
    };
    let behind = signal.map(|site| ("The first signal behind that is in", site));
    let before = wait.map(|site| ("The last wait before this is in", site));
    let others = [(title, old.site.clone())].into_iter().chain(behind).chain(before).collect();
    Hazard { rule, memory, text, site: new.site.clone(), others }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layer::vulkan::sync::replay::{ReplayStep, SemaphoreId};

    const QUEUE: QueueOrStream = QueueOrStream::Queue(1);
    const STREAM: QueueOrStream = QueueOrStream::Stream(7);

    #[derive(Default)]
    struct TestReplay {
        replay: Replay<ReplayAccess>,
        memory: AccessHistory,
        found: Vec<Rule>,
        may: bool,
    }

    impl TestReplay {
        fn run(&mut self) {
            let Self { replay, memory, found, may } = self;
            replay.run_unblocked_steps(&mut |replay, order, deed| {
                found.extend(memory.apply(replay, order, deed, *may).map(|problem| problem.rule));
            });
        }

        fn push(&mut self, order: QueueOrStream, step: ReplayStep<ReplayAccess>) -> &mut Self {
            self.replay.enqueue_step(order, step);
            self.run();
            self
        }

        fn uses(&mut self, order: QueueOrStream, does: AccessKind) -> &mut Self {
            self.uses_of(MemoryRange::new(0, 16), order, does)
        }

        fn uses_of(&mut self, range: MemoryRange, order: QueueOrStream, does: AccessKind) -> &mut Self {
            let what = AccessAction::ObjectUse { does, by: "", site: Arc::default(), is_array: false };
            self.push(order, ReplayStep::Access(ReplayAccess { memory: 1, range, what }))
        }

        fn moves(&mut self, acquires: bool) -> &mut Self {
            let what = if acquires { AccessAction::Acquire(Arc::default()) } else { AccessAction::Release };
            self.push(
                QUEUE,
                ReplayStep::Access(ReplayAccess { memory: 1, range: MemoryRange::new(0, 16), what }),
            )
        }

        fn signals(&mut self, order: QueueOrStream, value: u64) -> &mut Self {
            self.push(order, ReplayStep::Signal(SemaphoreId::Exportable(1), Some(value), Arc::default()))
        }

        fn waits(&mut self, order: QueueOrStream, value: u64) -> &mut Self {
            self.push(order, ReplayStep::Wait(SemaphoreId::Exportable(1), Some(value), Arc::default()))
        }
    }

    /// This happens where OpenGL signals a semaphore that a stream waits for. The host then knows that a queue is
    /// done, and the queue waited for the stream.
    #[test]
    fn what_a_finished_line_waited_for_is_done_too() {
        let mut test = TestReplay::default();
        test.push(STREAM, ReplayStep::Wait(SemaphoreId::Exportable(2), None, Arc::default()));
        test.uses(STREAM, AccessKind::Write).signals(STREAM, 1);
        test.waits(QUEUE, 1).moves(true).uses(QUEUE, AccessKind::Read);
        let TestReplay { replay, memory, found, .. } = &mut test;
        for done in [QUEUE, STREAM] {
            replay.note_host_wait_for_lines(&|order| order == done, &mut |replay, order, deed| {
                found.extend(memory.apply(replay, order, deed, false).map(|problem| problem.rule));
            });
        }
        assert_eq!(test.found, []);
    }

    /// A function of the host in the stream may wait for a fence of work that is submitted later.
    #[test]
    fn what_follows_an_order_that_is_not_seen_meets_nothing_until_the_host_has_waited() {
        for (is_unseen, waits, found) in [(false, false, 1), (true, false, 0), (true, true, 1)] {
            let mut test = TestReplay::default();
            if is_unseen {
                test.push(STREAM, ReplayStep::UnseenOrder);
            }
            if waits {
                test.replay.note_host_wait_for_lines(&|order| order == STREAM, &mut |_, _, _| ());
            }
            test.uses(STREAM, AccessKind::Write).uses(QUEUE, AccessKind::Write);
            assert_eq!(test.found.len(), found, "{is_unseen} {waits}");
        }
    }

    #[test]
    fn what_vulkan_acquired_has_to_be_released_where_cuda_may_read_it() {
        for releases in [true, false] {
            let mut replay = TestReplay { may: true, ..TestReplay::default() };
            replay.moves(true).uses(QUEUE, AccessKind::Read);
            if releases {
                replay.moves(false);
            }
            replay.signals(QUEUE, 1).waits(STREAM, 1).uses(STREAM, AccessKind::MayWrite(1));
            assert_eq!(replay.found, if releases { vec![] } else { vec![Rule::HandOver] });
        }
    }

    #[test]
    fn a_kernel_that_has_what_vulkan_wrote_may_only_read_it() {
        for acquires in [true, false] {
            let mut replay = TestReplay::default();
            replay.uses(QUEUE, AccessKind::Write).moves(false).signals(QUEUE, 1);
            replay.waits(STREAM, 1).uses(STREAM, AccessKind::MayWrite(1));
            if acquires {
                replay.moves(true);
            }
            replay.uses(QUEUE, AccessKind::Read);
            assert_eq!(replay.found, if acquires { vec![Rule::HandOver] } else { vec![] });
        }
    }

    /// Three frames in one buffer, and a kernel and a shader that know which one by a number.
    #[test]
    fn what_uses_a_part_meets_only_what_uses_all_of_it() {
        let part = MemoryRange { is_part: true, ..MemoryRange::new(0, 48) };
        let uses = [(MemoryRange::new(16, 16), false), (part, true), (MemoryRange::new(0, 64), true)];
        for (range, is_found) in uses {
            for may in [false, true] {
                let mut replay = TestReplay { may, ..TestReplay::default() };
                replay.uses_of(part, STREAM, AccessKind::Write).uses_of(range, QUEUE, AccessKind::Write);
                assert_eq!(!replay.found.is_empty(), is_found || may, "{range:?} {may}");
            }
        }
    }

    /// The kernel that Vulkan acquires from writes, also in the next frame; one that comes later only reads.
    #[test]
    fn a_kernel_before_an_acquire_writes() {
        let mut replay = TestReplay::default();
        replay.uses(STREAM, AccessKind::MayWrite(1)).signals(STREAM, 1).uses(STREAM, AccessKind::MayWrite(2));
        replay.waits(QUEUE, 1).moves(true).uses(QUEUE, AccessKind::Read).signals(QUEUE, 2);
        replay.uses(STREAM, AccessKind::MayWrite(2));
        assert_eq!(replay.found, []);
        replay.uses(STREAM, AccessKind::MayWrite(1));
        assert_eq!(replay.found, [Rule::WrittenTooEarly]);
    }
}
