//! Compares the accesses of both APIs to one allocation, in the order of the replay.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use crate::layer::host_process::current_process::CallSite;
use crate::layer::state_tracker::stream_identity::stream_name;
use crate::layer::state_tracker::tracked_objects::AccessKind;
use crate::layer::vulkan::sync::memory_range::MemoryRange;
use crate::layer::vulkan::sync::queue_and_stream_replay::{AccessAction, Replay, ReplayAccess};
use crate::layer::vulkan::sync::queue_or_stream::QueueOrStream;
use crate::layer::vulkan::utils::stage_work_kinds::StageWorkKinds;
use crate::rules::Rule;

/// How many accesses of each queue and stream, and how many ranges in each list, an `AccessHistory` keeps.
const KEPT: usize = 64;

/// A mistake: `site` is the call with the later access, and `others` are further calls that the report names.
#[derive(Debug)]
pub struct Hazard {
    pub rule: &'static Rule,
    pub memory: u32,
    pub text: String,
    pub overlap: Option<PartialOverlap>,
    pub site: Arc<CallSite>,
    pub others: Vec<(&'static str, Arc<CallSite>)>,
}

/// Two ranges that overlap only in a part of each. One of the two may be too long by mistake.
#[derive(Debug)]
pub struct PartialOverlap {
    pub common: MemoryRange,
    pub of_cuda: MemoryRange,
    pub of_vulkan: MemoryRange,
}

#[derive(Clone)]
struct PastAccess {
    range: MemoryRange,
    does: AccessKind,
    /// Whether the access counts as a write. `MayWrite` does, except in a range of `written_by_vulkan`.
    writes: bool,
    line: QueueOrStream,
    /// The key of the access in the vector clocks of other queues and streams. A queue's copies have a separate key.
    ordered_as: QueueOrStream,
    time: u64,
    by: &'static str,
    site: Arc<CallSite>,
}

impl PastAccess {
    fn is_cuda_access(&self) -> bool {
        self.line.is_stream()
    }

    /// Returns whether the access is certain. A kernel may leave an address or a surface that it got unused.
    fn is_certain_access(&self) -> bool {
        !matches!(self.does, AccessKind::MayWrite(_))
    }

    fn api_name(&self) -> &'static str {
        if self.is_cuda_access() { "CUDA" } else { "Vulkan" }
    }
}

/// A range whose ownership Vulkan has to acquire or to release. `site` is the call that used or acquired the range.
struct UntransferredRange {
    range: MemoryRange,
    is_certain: bool,
    site: Arc<CallSite>,
}

#[derive(Default)]
pub struct AccessHistory {
    by_lines: BTreeMap<QueueOrStream, VecDeque<PastAccess>>,
    /// The ranges that Vulkan wrote and did not acquire from CUDA since.
    written_by_vulkan: VecDeque<MemoryRange>,
    /// The ranges that Vulkan must acquire before it uses them, and those that it must release before CUDA uses them.
    not_acquired: VecDeque<UntransferredRange>,
    not_released: VecDeque<UntransferredRange>,
    /// The ranges that Vulkan released and did not acquire again.
    released: VecDeque<MemoryRange>,
}

fn push_and_drop_oldest<T>(list: &mut VecDeque<T>, new: T) {
    if list.len() == KEPT {
        list.pop_front();
    }
    list.push_back(new);
}

impl AccessHistory {
    /// Applies an access, a release or an acquisition. Returns a certain mistake or, with `possible`, an uncertain one.
    pub fn apply_access(
        &mut self,
        replay: &mut Replay,
        line: QueueOrStream,
        access: ReplayAccess,
        possible: bool,
    ) -> Option<Hazard> {
        let ReplayAccess { memory, range, scope, action, site } = access;
        let ordered_as = if scope == StageWorkKinds::COPIES { line.line_of_copies() } else { line };
        let may_run_later = replay.may_work_run_later(line);
        let (does, by, writes) = match action {
            AccessAction::Use(does, by) => {
                let is_of_vulkan = self.written_by_vulkan.iter().any(|of| of.overlaps(range));
                let may_write = matches!(does, AccessKind::MayWrite(_)) && !is_of_vulkan;
                (does, by, does == AccessKind::Write || may_write)
            }
            AccessAction::Release => {
                self.not_released.retain(|of| !of.range.overlaps(range));
                if !self.released.iter().any(|of| of.covers(range)) {
                    push_and_drop_oldest(&mut self.released, range);
                }
                return None;
            }
            AccessAction::Acquire => {
                self.released.retain(|of| !of.overlaps(range));
                self.not_acquired.retain(|of| !of.range.overlaps(range));
                // Before CUDA reads an acquired range, Vulkan must release the range, even without a write by Vulkan.
                if possible && !may_run_later {
                    let acquired = UntransferredRange { range, is_certain: true, site: site.clone() };
                    push_and_drop_oldest(&mut self.not_released, acquired);
                }
                // A program acquires what a kernel wrote, so kernels that got this range count as writing from here on.
                self.written_by_vulkan.retain(|of| !of.overlaps(range));
                let kernels = self.by_lines.values_mut().flatten().filter(|of| !of.is_certain_access());
                for kernel in kernels.filter(|of| of.range.overlaps(range)) {
                    kernel.writes = true;
                }
                (AccessKind::Read, "a barrier that acquires", false)
            }
        };
        // The access may come after work that the replay runs later, so the check does not compare this access.
        if may_run_later {
            return None;
        }
        let time = replay.current_time();
        let new = PastAccess { range, does, writes, line, ordered_as, time, by, site };
        self.note_access(replay, memory, new, possible)
    }

    /// Returns whether Vulkan used the memory in work that the host does not know to be done.
    pub fn is_used_by_vulkan(&self, replay: &Replay) -> bool {
        let mut of_vulkan = self.by_lines.values().flatten().filter(|of| !of.is_cuda_access());
        of_vulkan.any(|of| !replay.is_known_to_host((of.ordered_as, of.time)))
    }

    pub fn forget_streams(&mut self, ended: &BTreeSet<QueueOrStream>) {
        self.by_lines.retain(|line, _| !ended.contains(line));
    }

    fn note_access(
        &mut self,
        replay: &mut Replay,
        memory: u32,
        new: PastAccess,
        possible: bool,
    ) -> Option<Hazard> {
        let (is_cuda, range) = (new.is_cuda_access(), new.range);
        let meets =
            |old: MemoryRange| if possible { old.overlaps(range) } else { old.certainly_overlaps(range) };
        let is_known = |old: &PastAccess| replay.is_known_before((old.ordered_as, old.time), new.line);
        let is_unordered =
            |old: &&PastAccess| (old.writes || new.writes) && meets(old.range) && !is_known(old);
        // A stream whose last access is known before `new` has no unordered access. With many, this skips most.
        let others = self.by_lines.iter().filter(|(line, _)| line.is_stream() != is_cuda).map(|(_, all)| all);
        let others = others.filter(|all| is_cuda || !all.back().is_some_and(is_known));
        let mut hazard = None;
        if let Some(old) = others.flatten().find(is_unordered) {
            hazard = Some(describe_race(replay, memory, old, &new));
            // Without this, later work of the same queue or stream would repeat the finding.
            for ordered_as in [old.line, old.ordered_as] {
                replay.assume_work_known((ordered_as, old.time), new.line);
            }
        }
        // Bytes that are overwritten need no hand-over.
        let is_overwritten = new.does == AccessKind::Write;
        let kept = if is_cuda { &mut self.not_released } else { &mut self.not_acquired };
        let missing = kept.iter().find(|of| meets(of.range) && !is_overwritten);
        if let (None, Some(written)) = (&hazard, missing) {
            hazard = Some(describe_missing_transfer(memory, &new, written));
        }
        // A write to an unknown part of a range replaces only a part of the bytes.
        kept.retain(|old| match is_overwritten {
            true => range.is_part || !range.covers(old.range),
            false => !old.range.overlaps(range),
        });
        // Vulkan must acquire a range that it released, also if CUDA only read the range.
        let is_given = is_cuda && possible && self.released.iter().any(|of| of.overlaps(range));
        if new.writes || is_given {
            let own = if is_cuda { &mut self.not_acquired } else { &mut self.not_released };
            own.retain(|of| !range.covers(of.range));
            let (is_certain, site) = (new.is_certain_access(), new.site.clone());
            push_and_drop_oldest(own, UntransferredRange { range, is_certain, site });
        }
        if new.writes && !is_cuda {
            self.released.retain(|of| !of.overlaps(range));
            if !self.written_by_vulkan.iter().any(|of| of.covers(range)) {
                push_and_drop_oldest(&mut self.written_by_vulkan, range);
            }
        }
        let own = self.by_lines.entry(new.line).or_default();
        own.retain(|old| {
            let is_within = range.covers(old.range) && (!range.is_part || old.range.is_part);
            old.does != new.does || !is_within
        });
        push_and_drop_oldest(own, new);
        hazard
    }
}

fn describe_missing_transfer(memory: u32, new: &PastAccess, written: &UntransferredRange) -> Hazard {
    let (by, site) = (new.by, written.site.clone());
    let (text, title) = if new.is_cuda_access() {
        let text = format!(
            "Vulkan wrote or acquired what {by} uses, and did not release that memory to VK_QUEUE_FAMILY_EXTERNAL."
        );
        (text, "Vulkan wrote or acquired the memory in")
    } else {
        let (wrote, title) = match written.is_certain {
            true => ("wrote", "CUDA wrote the memory in"),
            false => ("may have written", "CUDA may have written the memory in"),
        };
        let text = format!(
            "CUDA {wrote} what {by} uses; Vulkan did not acquire that memory from VK_QUEUE_FAMILY_EXTERNAL."
        );
        (text, title)
    };
    let (rule, overlap, others) = (Rule::HAND_OVER, None, vec![(title, site)]);
    Hazard { rule, memory, text, overlap, site: new.site.clone(), others }
}

/// Returns a text about the signal or wait that is missing between two accesses, and the calls that the text needs.
fn describe_missing_order(
    replay: &Replay,
    old: &PastAccess,
    new: &PastAccess,
) -> (String, Vec<(&'static str, Arc<CallSite>)>) {
    let [first, second] = [old.api_name(), new.api_name()];
    let (own, of_host) = match old.is_cuda_access() {
        true => {
            ("CUDA's stream", "neither for that stream nor for an event that is recorded after that access")
        }
        false => ("Vulkan's queue", "for no fence that is signaled after that access"),
    };
    let name = |line: QueueOrStream| line.stream_key().map_or("another queue".to_owned(), stream_name);
    let mut calls = Vec::new();
    let missing = if let Some(signal) = replay.first_signal_since((old.line, old.time)) {
        calls.push(("The first signal after that access is in", signal));
        if replay.has_partial_wait((old.ordered_as, old.time), new.line) {
            format!("{second} waits for the signal at other stages than those of {second}'s access")
        } else if replay.is_known_before((old.line, old.time), new.line) {
            format!("{first}'s signal waits for other stages than those of {first}'s access")
        } else if let Some(other) = replay.other_waiter((old.line, old.time), new.line) {
            let title = "The wait of the other queue or stream is in";
            calls.extend(replay.last_wait_site(other).map(|wait| (title, wait)));
            let (other, own) = (name(other), if new.is_cuda_access() { "stream" } else { "queue" });
            format!(
                "{second} waits in {other}, and not in the {own} of {second}'s access, for a semaphore that is \
                 signaled after {first}'s access"
            )
        } else {
            format!("{second} waits for no semaphore that is signaled after {first}'s access")
        }
    } else if let Some((other, signal)) = replay.other_signal(old.line, old.time) {
        calls.push(("The signal of the other queue or stream is in", signal));
        let (other, awaited) = (name(other), if old.is_cuda_access() { "event" } else { "semaphore" });
        format!(
            "{own} signals no semaphore after {first}'s access; {other} does, but waits for no {awaited} after that \
             access"
        )
    } else {
        format!("{own} signals no semaphore after {first}'s access")
    };
    calls
        .extend(replay.last_wait_site(new.line).map(|site| ("The last wait before this access is in", site)));
    (format!("{missing}, and the host waits {of_host}"), calls)
}

fn describe_race(replay: &Replay, memory: u32, old: &PastAccess, new: &PastAccess) -> Hazard {
    let [first, second] = [old.api_name(), new.api_name()];
    let (missing, calls) = describe_missing_order(replay, old, new);
    let (did, does) = (old.by, new.by);
    let verb = |of: &PastAccess| match (of.is_certain_access(), of.writes) {
        (true, true) => "writes the memory",
        (true, false) => "uses the memory",
        (false, true) => "may write the memory",
        (false, false) => "may use the memory",
    };
    let (rule, text, title) = if old.writes {
        let (wrote, uses) = (verb(old), verb(new));
        let text = format!("{first} {wrote} ({did}), and {second} {uses} ({does}). {missing}.");
        (
            Rule::HAND_OVER,
            text,
            if old.is_certain_access() { "The memory is written in" } else { "The memory may be written in" },
        )
    } else {
        let writes = verb(new);
        let text =
            format!("{first} may still read the memory ({did}) when {second} {writes} ({does}). {missing}.");
        (Rule::WRITTEN_TOO_EARLY, text, "The memory is read in")
    };
    let [of_cuda, of_vulkan] =
        if old.is_cuda_access() { [old.range, new.range] } else { [new.range, old.range] };
    let overlap =
        of_cuda.partial_overlap(of_vulkan).map(|common| PartialOverlap { common, of_cuda, of_vulkan });
    let others = [(title, old.site.clone())].into_iter().chain(calls).collect();
    Hazard { rule, memory, text, overlap, site: new.site.clone(), others }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;
    use crate::layer::host_process::current_process::{is_thread_alive, thread_id};
    use crate::layer::state_tracker::stream_identity::{PER_THREAD, stream_key};
    use crate::layer::vulkan::sync::queue_and_stream_replay::{ReplayStep, SemaphoreId, SemaphoreStep};
    use crate::layer::vulkan::sync::vector_clock::WaitTarget;

    const QUEUE: QueueOrStream = QueueOrStream::Queue(1);
    const STREAM: QueueOrStream = QueueOrStream::Stream(7);
    const KERNEL: AccessKind = AccessKind::MayWrite(1);

    fn semaphore_step(value: u64, scope: StageWorkKinds) -> SemaphoreStep {
        let semaphore = SemaphoreId::Exportable(1);
        SemaphoreStep { semaphore, value: Some(value), scope, site: Arc::default() }
    }

    fn step_of_second_semaphore(scope: StageWorkKinds) -> SemaphoreStep {
        SemaphoreStep { semaphore: SemaphoreId::Exportable(2), ..semaphore_step(1, scope) }
    }

    #[derive(Default)]
    struct TestReplay {
        replay: Replay,
        memory: AccessHistory,
        found: Vec<&'static Rule>,
        text: String,
        possible: bool,
    }

    impl TestReplay {
        fn learn_and_run(
            &mut self,
            learn: impl FnOnce(&mut Replay, &mut dyn FnMut(&mut Replay, QueueOrStream, ReplayAccess)),
        ) {
            let Self { replay, memory, found, text, possible } = self;
            let mut apply = |replay: &mut Replay, line, access| {
                if let Some(hazard) = memory.apply_access(replay, line, access, *possible) {
                    found.push(hazard.rule);
                    *text = hazard.text;
                }
            };
            learn(replay, &mut apply);
            replay.run_unblocked_steps(&mut apply);
        }

        fn push_step(&mut self, line: QueueOrStream, step: ReplayStep) -> &mut Self {
            self.learn_and_run(|replay, _| replay.enqueue_step(line, step));
            self
        }

        fn push_action(
            &mut self,
            line: QueueOrStream,
            scope: StageWorkKinds,
            action: AccessAction,
        ) -> &mut Self {
            let (range, site) = (MemoryRange::new(0, 16), Arc::default());
            self.push_step(line, ReplayStep::Access(ReplayAccess { memory: 1, range, scope, action, site }))
        }

        fn push_access(&mut self, line: QueueOrStream, does: AccessKind) -> &mut Self {
            self.push_action(line, StageWorkKinds::COPIES, AccessAction::Use(does, ""))
        }

        fn push_acquire(&mut self) -> &mut Self {
            self.push_action(QUEUE, StageWorkKinds::ALL, AccessAction::Acquire)
        }

        fn push_release(&mut self) -> &mut Self {
            self.push_action(QUEUE, StageWorkKinds::ALL, AccessAction::Release)
        }

        fn push_signal(&mut self, line: QueueOrStream, value: u64) -> &mut Self {
            self.push_step(line, ReplayStep::Signal(semaphore_step(value, StageWorkKinds::ALL)))
        }

        fn push_wait(&mut self, line: QueueOrStream, value: u64) -> &mut Self {
            self.push_step(line, ReplayStep::Wait(semaphore_step(value, StageWorkKinds::ALL)))
        }

        fn push_host_wait(&mut self, work: WaitTarget) -> &mut Self {
            self.learn_and_run(|replay, accesses| replay.note_host_wait_for_work(work, accesses));
            self
        }
    }

    #[test]
    fn the_report_names_the_stream_that_waits_instead() {
        let mut test = TestReplay::default();
        test.push_access(QUEUE, AccessKind::Write).push_signal(QUEUE, 1);
        test.push_wait(QueueOrStream::Stream(9), 1).push_access(STREAM, AccessKind::Write);
        assert_eq!(test.found, [Rule::HAND_OVER]);
        assert!(test.text.contains("CUDA waits in stream 0x9, and not in the stream of"), "{}", test.text);
    }

    /// A stream waits for a signal that the check does not see, such as OpenGL's, and a queue waits for the stream.
    /// After a host wait for the queue, the work of the queue and of the stream is done.
    #[test]
    fn what_finished_work_waited_for_is_done_too() {
        let mut test = TestReplay::default();
        test.push_step(STREAM, ReplayStep::Wait(step_of_second_semaphore(StageWorkKinds::ALL)));
        test.push_access(STREAM, AccessKind::Write).push_signal(STREAM, 1);
        test.push_wait(QUEUE, 1).push_acquire().push_access(QUEUE, AccessKind::Read);
        test.push_host_wait(WaitTarget::AllQueues).push_host_wait(WaitTarget::Of(STREAM));
        test.push_access(QUEUE, AccessKind::Read).push_access(QUEUE, AccessKind::Write);
        assert!(test.found.is_empty());
        test.push_access(QueueOrStream::Stream(9), AccessKind::Read);
        assert_eq!(test.found, [Rule::HAND_OVER]);
    }

    #[test]
    fn what_vulkan_acquired_has_to_be_released_where_cuda_may_read_it() {
        for releases in [true, false] {
            let mut test = TestReplay { possible: true, ..TestReplay::default() };
            test.push_acquire().push_access(QUEUE, AccessKind::Read);
            if releases {
                test.push_release();
            }
            test.push_signal(QUEUE, 1).push_wait(STREAM, 1).push_access(STREAM, KERNEL);
            assert_eq!(test.found, if releases { vec![] } else { vec![Rule::HAND_OVER] });
        }
    }

    /// A kernel counts as reading ranges that Vulkan wrote, and as writing ranges that Vulkan acquires later.
    #[test]
    fn a_kernel_reads_what_vulkan_wrote() {
        for (acquires, expected) in [(true, Rule::HAND_OVER), (false, Rule::WRITTEN_TOO_EARLY)] {
            let mut test = TestReplay { possible: true, ..TestReplay::default() };
            test.push_access(QUEUE, AccessKind::Write).push_release().push_signal(QUEUE, 1);
            test.push_wait(STREAM, 1).push_access(STREAM, KERNEL);
            if acquires {
                test.push_acquire().push_access(QUEUE, AccessKind::Read);
            } else {
                test.push_access(QUEUE, AccessKind::Write);
            }
            assert_eq!(test.found, [expected]);
        }
    }

    /// If a wait or signal does not cover copies, it orders a copy only with a barrier that covers the stages of both.
    #[test]
    fn a_wait_and_a_signal_cover_their_stages() {
        const COPIES: StageWorkKinds = StageWorkKinds::COPIES;
        const DRAWS: StageWorkKinds = StageWorkKinds::DRAWS;
        for (scope, barrier, is_ordered) in [
            (COPIES, None, true),
            (DRAWS, None, false),
            (DRAWS, Some([COPIES, COPIES]), false),
            (DRAWS, Some([DRAWS, DRAWS]), false),
            (DRAWS, Some([StageWorkKinds::ALL; 2]), true),
        ] {
            let expected = if is_ordered { vec![] } else { vec![Rule::HAND_OVER] };
            let mut test = TestReplay::default();
            test.push_access(STREAM, AccessKind::Write).push_signal(STREAM, 1);
            test.push_step(QUEUE, ReplayStep::Wait(semaphore_step(1, scope)));
            if let Some([from, to]) = barrier {
                test.push_step(QUEUE, ReplayStep::Dependency(from, to));
            }
            test.push_access(QUEUE, AccessKind::Write);
            assert_eq!(test.found, expected, "a wait: {scope:?} {barrier:?}");

            let mut test = TestReplay::default();
            test.push_access(QUEUE, AccessKind::Write);
            if let Some([from, to]) = barrier {
                test.push_step(QUEUE, ReplayStep::Dependency(from, to));
            }
            test.push_step(QUEUE, ReplayStep::Signal(semaphore_step(1, scope)));
            test.push_wait(STREAM, 1).push_access(STREAM, AccessKind::Write);
            assert_eq!(test.found, expected, "a signal: {scope:?} {barrier:?}");

            // A queue's signals are in order, whatever their stages.
            let mut test = TestReplay::default();
            test.push_access(QUEUE, AccessKind::Write).push_signal(QUEUE, 1);
            test.push_step(QUEUE, ReplayStep::Signal(step_of_second_semaphore(scope)));
            test.push_step(STREAM, ReplayStep::Wait(step_of_second_semaphore(StageWorkKinds::ALL)));
            test.push_access(STREAM, AccessKind::Write);
            assert!(test.found.is_empty(), "a signal after another one: {scope:?}");
        }
    }

    /// The check compares a queue's work after an unseen wait only once the host knows that the wait is over.
    #[test]
    fn work_after_an_unseen_wait_may_come_last() {
        for host_waits in [false, true] {
            let mut test = TestReplay::default();
            test.push_step(QUEUE, ReplayStep::UnseenOrder).push_access(QUEUE, AccessKind::Read);
            if host_waits {
                test.push_host_wait(WaitTarget::AllQueues).push_access(QUEUE, AccessKind::Read);
            }
            test.push_access(STREAM, AccessKind::Write);
            assert_eq!(test.found.is_empty(), !host_waits);
        }
    }

    #[test]
    fn a_queue_with_too_many_waiting_steps_keeps_what_it_acquired() {
        let mut test = TestReplay::default();
        test.push_access(STREAM, AccessKind::Write).push_wait(QUEUE, 1).push_acquire();
        (0..5000).for_each(|_| _ = test.push_access(QUEUE, AccessKind::Read));
        test.push_signal(STREAM, 1).push_host_wait(WaitTarget::AllQueues);
        test.push_access(QUEUE, AccessKind::Read);
        assert!(test.found.is_empty());
    }

    #[test]
    fn values_of_both_apis_grow_in_the_order_of_the_work() {
        for (first, second, orders, expected) in
            [(5, 5, false, true), (10, 9, true, true), (1, 2, false, true), (1, 2, true, false)]
        {
            let mut test = TestReplay::default();
            test.push_signal(STREAM, first);
            let record = test.replay.record_progress(STREAM);
            if orders {
                test.push_step(QUEUE, ReplayStep::WaitRecord(record));
            }
            test.push_signal(QUEUE, second);
            assert_eq!(!test.replay.decreasing_signals.is_empty(), expected, "{first} {second} {orders}");
        }
    }

    /// The accesses of each stream are compared, however many streams there are. Destroyed streams are forgotten.
    #[test]
    fn streams_that_end_are_forgotten() {
        let (count, mut test) = (1000, TestReplay::default());
        let streams = (0..count).map(QueueOrStream::Stream);
        streams.clone().for_each(|line| _ = test.push_access(line, AccessKind::Write));
        streams.clone().skip(1).for_each(|line| _ = test.push_host_wait(WaitTarget::Of(line)));
        test.push_acquire();
        assert_eq!(test.found, [Rule::HAND_OVER]);
        test.push_signal(QueueOrStream::Stream(1), 1);
        test.push_step(QUEUE, ReplayStep::Wait(semaphore_step(1, StageWorkKinds::COPIES)));
        streams.for_each(|line| test.replay.mark_line_destroyed(line));
        test.push_access(STREAM, AccessKind::Write);
        test.replay.replace_stream(STREAM);
        assert_eq!(test.replay.forget_ended_streams().len(), count - 1);
        assert!(!test.replay.has_partial_wait((QueueOrStream::Stream(1), 1), QUEUE));
    }

    #[test]
    fn the_default_stream_of_a_thread_that_ended_is_forgotten() {
        let mut test = TestReplay::default();
        let own_line = || QueueOrStream::BlockingStream(stream_key(PER_THREAD));
        let (ended, thread) = thread::scope(|scope| {
            let run = || {
                test.push_access(own_line(), AccessKind::Write);
                (own_line(), thread_id())
            };
            scope.spawn(run).join().expect("the thread ends")
        });
        // The system may end the thread a moment after the join.
        while is_thread_alive(thread) {}
        (0..300).map(QueueOrStream::Queue).for_each(|queue| _ = test.push_signal(queue, 1));
        test.push_access(own_line(), AccessKind::Write);
        assert_eq!(test.replay.forget_ended_streams(), BTreeSet::from([ended]));
    }

    #[test]
    fn a_new_stream_has_not_done_what_the_old_one_with_its_handle_did() {
        for is_replaced in [true, false] {
            let mut test = TestReplay::default();
            test.push_access(STREAM, AccessKind::Read);
            if is_replaced {
                test.replay.replace_stream(STREAM);
            }
            test.push_access(QUEUE, AccessKind::Write);
            assert_eq!(test.found.is_empty(), is_replaced);
        }
    }

    /// The default stream and a blocking stream wait for each other. A non-blocking stream waits for neither.
    #[test]
    fn the_default_stream_is_a_barrier_of_the_blocking_streams() {
        const BLOCKING: QueueOrStream = QueueOrStream::BlockingStream(7);
        const DEFAULT: QueueOrStream = QueueOrStream::BlockingStream(1);
        for (writes, signals, is_ordered) in
            [(BLOCKING, DEFAULT, true), (DEFAULT, BLOCKING, true), (STREAM, DEFAULT, false)]
        {
            let mut test = TestReplay::default();
            test.replay.order_with_default_stream(writes);
            test.push_access(writes, AccessKind::Write);
            if writes == DEFAULT {
                test.replay.record_default_stream_work();
            }
            test.replay.order_with_default_stream(signals);
            test.push_signal(signals, 1).push_wait(QUEUE, 1).push_access(QUEUE, AccessKind::Write);
            assert_eq!(test.found.is_empty(), is_ordered, "{writes:?} {signals:?}");
        }
    }
}
