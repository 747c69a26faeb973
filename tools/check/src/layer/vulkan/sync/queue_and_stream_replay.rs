//! The order in which the work of both APIs runs: a replay of the enqueued work, with vector clocks.
//!
//! Each queue and each stream has a list of steps. The replay runs a step after the signals that the step waits for. If
//! the check does not see a signal, a step that waits for this signal may wait for any other work, also for work
//! enqueued later.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::mem;
use std::sync::{Arc, OnceLock};

use crate::layer::host_process::current_process::{CallSite, is_thread_alive, thread_id};
use crate::layer::state_tracker::stream_identity::{LEGACY, is_thread_default_stream};
use crate::layer::state_tracker::tracked_objects::AccessKind;
use crate::layer::vulkan::sync::memory_range::MemoryRange;
use crate::layer::vulkan::sync::queue_or_stream::QueueOrStream;
use crate::layer::vulkan::sync::vector_clock::{HostClock, VectorClock, WaitTarget};
use crate::layer::vulkan::utils::handle_keys::VulkanHandleKey;
use crate::layer::vulkan::utils::stage_work_kinds::StageWorkKinds;

/// A semaphore: the number of an exportable one, or the handle of any other Vulkan semaphore.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SemaphoreId {
    Exportable(u32),
    Internal(VulkanHandleKey),
}

/// A point in a queue or a stream. Once the replay reaches the point, the clock has the work that is done by then.
#[derive(Clone, Default)]
pub struct ProgressPoint(Arc<OnceLock<VectorClock>>);

pub enum ReplayStep {
    /// The next steps come after this work, such as the work that the host knew to be done when it enqueued the steps.
    Know(VectorClock),
    Wait(SemaphoreStep),
    Signal(SemaphoreStep),
    /// Earlier work in the first stages comes before later work in the second ones.
    Dependency(StageWorkKinds, StageWorkKinds),
    Record(ProgressPoint),
    WaitRecord(ProgressPoint),
    /// A wait for an unknown part of the earlier work. The wait counts as one for all earlier work.
    WaitForAllWork,
    /// A possible wait for any work, also for work enqueued later. Earlier work then counts as known to the host.
    UnseenOrder,
    Access(ReplayAccess),
}

/// An access to a range of an allocation, or a transfer of the range's ownership.
#[derive(Clone, Debug)]
pub struct ReplayAccess {
    pub memory: u32,
    pub range: MemoryRange,
    pub scope: StageWorkKinds,
    pub action: AccessAction,
    pub site: Arc<CallSite>,
}

#[derive(Clone, Copy, Debug)]
pub enum AccessAction {
    /// A use by the command or the function of this name.
    Use(AccessKind, &'static str),
    /// Vulkan acquires the ownership of the memory from CUDA.
    Acquire,
    /// Vulkan releases the ownership of the memory to CUDA.
    Release,
}

/// A wait for a semaphore, or a signal of one.
pub struct SemaphoreStep {
    pub semaphore: SemaphoreId,
    /// `None` for a binary semaphore.
    pub value: Option<u64>,
    /// The stages that wait for the semaphore, or that the signal waits for.
    pub scope: StageWorkKinds,
    pub site: Arc<CallSite>,
}

impl ReplayStep {
    /// Returns whether this step ends a wait for a semaphore's value, or for a binary semaphore.
    fn signals(&self, semaphore: SemaphoreId, value: Option<u64>) -> bool {
        matches!(self, Self::Signal(signal) if signal.semaphore == semaphore && signal.value >= value)
    }

    fn reaches(&self, point: &ProgressPoint) -> bool {
        matches!(self, Self::Record(record) if Arc::ptr_eq(&record.0, &point.0))
    }

    /// Returns whether this step waits, and `other` ends the wait.
    fn is_ended_by(&self, other: &Self) -> bool {
        match self {
            Self::Wait(wait) => other.signals(wait.semaphore, wait.value),
            Self::WaitRecord(record) => other.reaches(record),
            _ => false,
        }
    }
}

pub type AccessSink<'a> = &'a mut dyn FnMut(&mut Replay, QueueOrStream, ReplayAccess);

#[derive(Default)]
struct QueueOrStreamState {
    steps: VecDeque<ReplayStep>,
    clock: VectorClock,
    /// Accesses from before this time count as done: they are those of an earlier stream with the same handle.
    since: u64,
    /// The last enqueued step comes after this version of the host's clock.
    host_version: u64,
    /// The thread, if the stream is the default stream of a thread.
    thread: Option<i32>,
    is_destroyed: bool,
    /// The time of the last wait that the check does not see. `None` once the host knows that the wait is over.
    unseen_since: Option<u64>,
    last_wait: Option<Arc<CallSite>>,
    /// For each set of stages, the clock of the waits that cover only these stages.
    partial_waits: BTreeMap<StageWorkKinds, VectorClock>,
    /// For each kind of work, the time up to which the queue's copies are ordered before the next work of that kind.
    copies_ordered_until: [u64; StageWorkKinds::KINDS],
    last_signals: VecDeque<(u64, Arc<CallSite>)>,
}

impl QueueOrStreamState {
    /// Returns the work that the queue or stream waited for, at any stages.
    fn clock_of_past_waits(&self) -> VectorClock {
        self.partial_waits.values().fold(self.clock.clone(), VectorClock::merged_with)
    }

    /// Returns the time up to which copies are ordered before work of these stages.
    fn copies_ordered_until(&self, scope: StageWorkKinds, now: u64) -> u64 {
        let known = scope.kind_numbers().map(|kind| self.copies_ordered_until[kind]).max();
        if scope.overlaps_kinds(StageWorkKinds::COPIES) { now } else { known.unwrap_or_default() }
    }
}

/// The signals of a semaphore, in the order of the replay.
#[derive(Default)]
struct SemaphoreSignals {
    /// The newest signals: the value (0 for a binary semaphore), and the clock of the work done before the signal.
    signals: VecDeque<(u64, VectorClock)>,
    /// Whether the semaphore also has signals that the check does not see.
    is_foreign: bool,
    /// The last signal by a queue, by a stream and by the host.
    last_signals: [Option<LastSignal>; 3],
}

#[derive(Clone)]
struct LastSignal {
    /// `None` for the host.
    line: Option<QueueOrStream>,
    value: u64,
    time: u64,
    site: Arc<CallSite>,
}

pub struct DecreasingSignalPair {
    pub semaphore: SemaphoreId,
    /// The values of the earlier and of the later signal in the replay. `sites` has the calls.
    pub values: [u64; 2],
    pub sites: [Arc<CallSite>; 2],
}

#[derive(Default)]
pub struct Replay {
    lines: BTreeMap<QueueOrStream, QueueOrStreamState>,
    host: HostClock,
    /// The last time that has ended. Times are numbers, and the current time is the next one.
    past_times: u64,
    /// The merged clocks of the forgotten streams.
    forgotten: VectorClock,
    /// With this many queues and streams, the replay looks for ended streams again.
    cleanup_at: usize,
    /// The last work of the default stream.
    default_stream: Option<ProgressPoint>,
    semaphores: HashMap<SemaphoreId, SemaphoreSignals>,
    pub decreasing_signals: Vec<DecreasingSignalPair>,
}

/// With this many waiting steps, the replay gives up the order of a queue or stream.
const STEPS: usize = 4096;
/// A queue, a stream or a semaphore keeps at most this many signals.
const SIGNALS: usize = 32;
/// The length up to which the replay follows a chain of waits from one queue or stream to the next.
const DEPTH: u32 = 8;
/// If there are fewer queues and streams, the replay does not look for ended streams.
const MANY: usize = 256;
const DEFAULT_STREAM: QueueOrStream = QueueOrStream::BlockingStream(LEGACY);

impl Replay {
    fn line_state(&mut self, line: QueueOrStream) -> &mut QueueOrStreamState {
        self.lines.entry(line).or_insert_with(|| {
            let thread = line.stream_key().filter(|key| is_thread_default_stream(*key)).map(|_| thread_id());
            QueueOrStreamState { thread, ..QueueOrStreamState::default() }
        })
    }

    /// Records a new stream, which may have the handle of an old stream. The old stream's work counts as done.
    pub fn replace_stream(&mut self, line: QueueOrStream) {
        if self.lines.remove(&line).is_some() {
            self.advance_current_time();
            self.line_state(line).since = self.current_time();
        }
    }

    pub fn mark_line_destroyed(&mut self, line: QueueOrStream) {
        self.lines.entry(line).and_modify(|state| state.is_destroyed = true);
    }

    /// If there are many queues and streams, forgets the ended streams that have no steps left, and returns them.
    /// Otherwise returns an empty set. The caller must forget the streams' accesses too.
    pub fn forget_ended_streams(&mut self) -> BTreeSet<QueueOrStream> {
        if self.lines.len() < self.cleanup_at.max(MANY) {
            return BTreeSet::new();
        }
        let is_over = |state: &QueueOrStreamState| {
            let has_ended = state.is_destroyed || state.thread.is_some_and(|thread| !is_thread_alive(thread));
            has_ended && state.steps.is_empty()
        };
        let ended = self.lines.iter().filter(|(_, state)| is_over(state)).map(|(line, _)| *line);
        let ended = BTreeSet::from_iter(ended);
        for line in &ended {
            if let Some(state) = self.lines.remove(line) {
                self.forgotten.merge_clock(&state.clock);
            }
        }
        // Also forgets streams that ended before: the clock of an older event or step brings them back.
        let kept = BTreeSet::from_iter(self.lines.keys().copied());
        self.host.keep_lines(&kept);
        let of_lines =
            self.lines.values_mut().flat_map(|of| of.partial_waits.values_mut().chain([&mut of.clock]));
        let of_signals = self.semaphores.values_mut().flat_map(|of| &mut of.signals).map(|(_, clock)| clock);
        of_lines.chain(of_signals).chain([&mut self.forgotten]).for_each(|clock| clock.keep_lines(&kept));
        for last in self.semaphores.values_mut().flat_map(|of| &mut of.last_signals) {
            last.take_if(|last| last.line.is_some_and(|line| ended.contains(&line)));
        }
        self.cleanup_at = 2 * self.lines.len();
        ended
    }

    /// Orders the next step of a stream: the default stream and the blocking streams wait for each other's work.
    pub fn order_with_default_stream(&mut self, line: QueueOrStream) {
        if line == DEFAULT_STREAM {
            let mut known = self.forgotten.clone();
            let is_blocking =
                |of: &QueueOrStream| matches!(of, QueueOrStream::BlockingStream(_)) && *of != line;
            for other in Vec::from_iter(self.lines.keys().copied().filter(is_blocking)) {
                match self.lines.get(&other) {
                    Some(state) if state.steps.is_empty() => known.merge_clock(&state.clock),
                    _ => {
                        let record = self.record_progress(other);
                        self.enqueue_step(line, ReplayStep::WaitRecord(record));
                    }
                }
            }
            known.advance_clock(WaitTarget::AllBlockingStreams, self.advance_current_time());
            self.enqueue_step(line, ReplayStep::Know(known));
        } else if let (QueueOrStream::BlockingStream(_), Some(record)) = (line, self.default_stream.clone()) {
            self.enqueue_step(line, ReplayStep::WaitRecord(record));
        }
    }

    /// Makes blocking streams wait for the work that is in the default stream so far.
    pub fn record_default_stream_work(&mut self) {
        self.default_stream = Some(self.record_progress(DEFAULT_STREAM));
    }

    /// Records how far a queue or a stream has come, for work or a host that waits for this point.
    pub fn record_progress(&mut self, line: QueueOrStream) -> ProgressPoint {
        let record = ProgressPoint::default();
        self.enqueue_step(line, ReplayStep::Record(record.clone()));
        record
    }

    /// Enqueues a step, which comes after the work that the host knows to be done now.
    pub fn enqueue_step(&mut self, line: QueueOrStream, step: ReplayStep) {
        let version = self.host.version;
        let state = self.line_state(line);
        if state.host_version != version {
            state.host_version = version;
            state.steps.push_back(ReplayStep::Know(VectorClock::new_knowing_host(version)));
        }
        if state.steps.len() >= STEPS {
            // Keeps only transfers of ownership. The other steps may have been waits or signals: the order is unseen.
            state.steps.retain(|step| match step {
                ReplayStep::Access(access) => !matches!(access.action, AccessAction::Use(..)),
                _ => false,
            });
            state.steps.drain(..state.steps.len().saturating_sub(STEPS / 2));
            state.steps.push_front(ReplayStep::UnseenOrder);
        }
        state.steps.push_back(step);
    }

    fn clock_covers_work(&self, clock: &VectorClock, line: QueueOrStream, time: u64) -> bool {
        clock.has_reached(line, time) || self.host.had_host_reached(clock.host_version, line, time)
    }

    /// Returns whether an access is known to come before the next work of another queue or stream.
    pub fn is_known_before(&self, (line, time): (QueueOrStream, u64), other: QueueOrStream) -> bool {
        line.queue_of_copies_or_self() == other
            || self.lines.get(&line.queue_of_copies_or_self()).is_some_and(|state| time < state.since)
            || self.lines.get(&other).is_some_and(|state| self.clock_covers_work(&state.clock, line, time))
    }

    pub fn is_known_to_host(&self, (line, time): (QueueOrStream, u64)) -> bool {
        self.host.had_host_reached(self.host.version, line, time)
    }

    /// Returns whether a Vulkan queue has an access to the allocation that the replay has not run yet.
    pub fn has_queued_access(&self, memory: u32) -> bool {
        let queues = self.lines.iter().filter(|(line, _)| !line.is_stream());
        let mut steps = queues.flat_map(|(_, state)| &state.steps);
        steps.any(|step| matches!(step, ReplayStep::Access(access) if access.memory == memory))
    }

    /// Returns whether the next work of the queue or stream may run after work that is replayed later.
    pub fn may_work_run_later(&self, line: QueueOrStream) -> bool {
        self.lines.get(&line).is_some_and(|state| state.unseen_since.is_some())
    }

    pub fn current_time(&self) -> u64 {
        self.past_times + 1
    }

    /// Ends the current time, and returns the time that ended.
    fn advance_current_time(&mut self) -> u64 {
        self.past_times += 1;
        self.past_times
    }

    pub fn last_wait_site(&self, line: QueueOrStream) -> Option<Arc<CallSite>> {
        self.lines.get(&line)?.last_wait.clone()
    }

    pub fn first_signal_since(&self, (line, time): (QueueOrStream, u64)) -> Option<Arc<CallSite>> {
        let signals = &self.lines.get(&line)?.last_signals;
        signals.iter().find(|(at, _)| *at >= time).map(|(_, site)| site.clone())
    }

    /// Returns a signal since this time by another queue or stream of the same API.
    pub fn other_signal(&self, line: QueueOrStream, time: u64) -> Option<(QueueOrStream, Arc<CallSite>)> {
        let mut others = self.lines.keys().filter(|of| **of != line && of.is_stream() == line.is_stream());
        others.find_map(|of| Some((*of, self.first_signal_since((*of, time))?)))
    }

    /// Returns another queue or stream of the API of `line` that has waited, and whose next work comes after `access`.
    pub fn other_waiter(&self, access: (QueueOrStream, u64), line: QueueOrStream) -> Option<QueueOrStream> {
        let others = self.lines.keys().filter(|of| **of != line && of.is_stream() == line.is_stream());
        others.copied().find(|of| self.last_wait_site(*of).is_some() && self.is_known_before(access, *of))
    }

    /// Makes the next work of `by` count as coming after the work of `line` up to this time.
    pub fn assume_work_known(&mut self, (line, time): (QueueOrStream, u64), by: QueueOrStream) {
        self.line_state(by).clock.advance_clock(WaitTarget::Of(line), time);
    }

    /// Returns the clock for a wait for these stages at this point of the queue or stream. Later steps get later times.
    fn tick_clock(&mut self, line: QueueOrStream, scope: StageWorkKinds) -> VectorClock {
        let time = self.advance_current_time();
        let state = self.line_state(line);
        let copies = state.copies_ordered_until(scope, time);
        // Later signals of the queue come after this signal, whatever their stages.
        state.copies_ordered_until = state.copies_ordered_until.map(|known| known.max(copies));
        let mut clock = state.clock_of_past_waits();
        clock.advance_clock(WaitTarget::Of(line), time);
        clock.advance_clock(WaitTarget::Of(line.line_of_copies()), copies);
        clock
    }

    /// Before work in these stages, applies each wait that covers at least one of the stages.
    fn apply_partial_waits(&mut self, line: QueueOrStream, scope: StageWorkKinds) {
        let QueueOrStreamState { partial_waits, clock, .. } = self.line_state(line);
        partial_waits
            .iter()
            .filter(|(of, _)| of.overlaps_kinds(scope))
            .for_each(|(_, waited)| clock.merge_clock(waited));
        partial_waits.retain(|of, _| !of.overlaps_kinds(scope));
    }

    fn note_semaphore_wait(&mut self, line: QueueOrStream, scope: StageWorkKinds, clock: VectorClock) {
        let state = self.line_state(line);
        let of_all = scope == StageWorkKinds::ALL;
        let known = if of_all { &mut state.clock } else { state.partial_waits.entry(scope).or_default() };
        known.merge_clock(&clock);
    }

    /// Returns whether `other` waited for the access, but at other stages than those of its next work.
    pub fn has_partial_wait(&self, (line, time): (QueueOrStream, u64), other: QueueOrStream) -> bool {
        let waits = self.lines.get(&other).into_iter().flat_map(|state| &state.partial_waits);
        waits.into_iter().any(|(_, clock)| self.clock_covers_work(clock, line, time))
    }

    fn clock_of_all_work(&mut self) -> VectorClock {
        VectorClock::reaching_all_work(self.advance_current_time())
    }

    /// Records a possible wait of the host for unknown work: all work so far counts as known to be done.
    pub fn host_learns_all_work(&mut self) {
        let all = self.clock_of_all_work();
        self.host.learn_clock(&all);
    }

    pub fn mark_semaphore_foreign(&mut self, semaphore: SemaphoreId) {
        self.semaphores.entry(semaphore).or_default().is_foreign = true;
    }

    /// Forgets a destroyed semaphore. A new semaphore may get the same handle.
    pub fn forget_semaphore(&mut self, semaphore: SemaphoreId) {
        self.semaphores.remove(&semaphore);
    }

    /// Returns the clock that a queue, a stream or the host gets from a wait for a semaphore. `value` is a timeline's
    /// value, or `None` for a binary semaphore, whose signal the wait uses up. Returns `None` if the wait does not end
    /// yet.
    fn clock_of_signal(&mut self, semaphore: SemaphoreId, value: Option<u64>) -> Option<VectorClock> {
        let payload = self.semaphores.entry(semaphore).or_default();
        match value {
            Some(0) => Some(VectorClock::default()),
            Some(value) => {
                let at = payload.signals.iter().position(|(of, _)| *of >= value)?;
                let mut clocks = payload.signals.range(..=at).map(|(_, clock)| clock);
                let oldest = clocks.next().cloned();
                oldest.map(|oldest| clocks.fold(oldest, VectorClock::merged_with))
            }
            None => {
                let found = payload.signals.pop_front().map(|(_, clock)| clock);
                // vkAcquireNextImageKHR signals a semaphore unseen, so a wait without an enqueued signal ends at once.
                let is_internal = matches!(semaphore, SemaphoreId::Internal(_));
                found.or_else(|| {
                    (is_internal && !self.has_enqueued_signal(semaphore, None)).then(VectorClock::default)
                })
            }
        }
    }

    pub fn has_enqueued_signal(&self, semaphore: SemaphoreId, value: Option<u64>) -> bool {
        let is_replayed = |of: &SemaphoreSignals| of.signals.iter().any(|(signal, _)| Some(*signal) >= value);
        let mut steps = self.lines.values().flat_map(|line| &line.steps);
        value == Some(0)
            || self.semaphores.get(&semaphore).is_some_and(is_replayed)
            || steps.any(|step| step.signals(semaphore, value))
    }

    /// Records that a stream's host function has returned. The function may have waited for any work so far.
    pub fn end_host_function(&mut self, record: &ProgressPoint) {
        let all = self.clock_of_all_work();
        _ = record.0.set(all);
    }

    fn note_signal(&mut self, semaphore: SemaphoreId, value: Option<u64>, clock: VectorClock) {
        let payload = self.semaphores.entry(semaphore).or_default();
        payload.signals.push_back((value.unwrap_or(0), clock));
        if payload.signals.len() > SIGNALS {
            let oldest = payload.signals.pop_front().map(|(_, clock)| clock);
            if let (Some(_), Some(oldest)) = (value, oldest) {
                let (_, next) = &mut payload.signals[0];
                *next = oldest.merged_with(next);
            }
        }
    }

    /// Records a signal of a timeline by the host, or the timeline's initial value.
    pub fn note_host_signal(&mut self, semaphore: SemaphoreId, value: u64, site: Arc<CallSite>) {
        self.find_decreasing_signals(None, semaphore, value, &site);
        self.note_signal(semaphore, Some(value), VectorClock::new_knowing_host(self.host.version));
    }

    /// Records that the host saw a timeline's value. If the replay has no such signal, all work so far counts as done.
    pub fn note_host_wait_for_value(&mut self, semaphore: SemaphoreId, value: u64, accesses: AccessSink<'_>) {
        let known = self.clock_of_signal(semaphore, Some(value));
        let clock = known.or_else(|| {
            self.force_step(&|step| step.signals(semaphore, Some(value)), accesses, DEPTH);
            self.clock_of_signal(semaphore, Some(value))
        });
        match clock {
            Some(clock) => self.host.learn_clock(&clock),
            None => {
                self.host_learns_all_work();
                self.note_signal(semaphore, Some(value), VectorClock::new_knowing_host(self.host.version));
            }
        }
    }

    /// Records that the host found a point reached. If the replay cannot reach it, all work so far counts as done.
    pub fn note_host_wait_for_record(&mut self, record: Option<ProgressPoint>, accesses: AccessSink<'_>) {
        let Some(record) = record else { return self.host_learns_all_work() };
        if record.0.get().is_none() {
            self.force_step(&|step| step.reaches(&record), accesses, DEPTH);
        }
        match record.0.get() {
            Some(clock) => self.host.learn_clock(clock),
            None => self.host_learns_all_work(),
        }
    }

    /// Records that the host knows the work of these queues or streams to be done, and all work that they waited for.
    pub fn note_host_wait_for_work(&mut self, work: WaitTarget, accesses: AccessSink<'_>) {
        let lines = self.lines.keys().copied().filter(|line| work.includes_line(*line));
        for line in Vec::from_iter(lines) {
            self.force_steps_until(line, &|_| false, accesses, DEPTH);
            if let Some(state) = self.lines.get(&line) {
                self.host.learn_clock(&state.clock_of_past_waits());
            }
        }
        if work == WaitTarget::AllStreams {
            self.host.learn_clock(&self.forgotten);
        }
        let time = self.advance_current_time();
        self.host.learn_work(work, time);
        if let WaitTarget::Of(line) = work {
            self.host.learn_work(WaitTarget::Of(line.line_of_copies()), time);
        }
    }

    /// Runs a queue's or stream's steps up to the first step that is `needed`, even if earlier steps are blocked.
    fn force_step(&mut self, needed: &dyn Fn(&ReplayStep) -> bool, accesses: AccessSink<'_>, depth: u32) {
        let has_it = self.lines.iter().find(|(_, state)| state.steps.iter().any(needed));
        if let Some(line) = has_it.map(|(line, _)| *line) {
            self.force_steps_until(line, needed, accesses, depth);
        }
    }

    fn take_next_step(&mut self, line: QueueOrStream) -> Option<ReplayStep> {
        self.lines.get_mut(&line)?.steps.pop_front()
    }

    /// Runs the steps of `line` up to the first one that `is_last`, or all steps. Also runs what these wait for.
    fn force_steps_until(
        &mut self,
        line: QueueOrStream,
        is_last: &dyn Fn(&ReplayStep) -> bool,
        accesses: AccessSink<'_>,
        depth: u32,
    ) {
        while let Some(step) = self.take_next_step(line) {
            let is_last = is_last(&step);
            if let Some(blocked) = self.run_step(line, step, accesses) {
                if depth > 0 {
                    self.force_step(&|step| blocked.is_ended_by(step), accesses, depth - 1);
                }
                // If the signal is still missing, it came from a call that the check did not see.
                if self.run_step(line, blocked, accesses).is_some() {
                    self.order_line_after_all_work(line);
                }
            }
            if is_last {
                return;
            }
        }
    }

    /// Runs steps until the first step of each queue and stream has to wait.
    pub fn run_unblocked_steps(&mut self, accesses: AccessSink<'_>) {
        let mut has_run = true;
        while mem::take(&mut has_run) {
            let with_steps = self.lines.iter().filter(|(_, state)| !state.steps.is_empty());
            for line in Vec::from_iter(with_steps.map(|(line, _)| *line)) {
                while let Some(step) = self.take_next_step(line) {
                    if let Some(blocked) = self.run_step(line, step, accesses) {
                        self.line_state(line).steps.push_front(blocked);
                        break;
                    }
                    has_run = true;
                }
            }
        }
    }

    /// Runs a step, or returns it if it has to wait.
    fn run_step(
        &mut self,
        line: QueueOrStream,
        step: ReplayStep,
        accesses: AccessSink<'_>,
    ) -> Option<ReplayStep> {
        match step {
            ReplayStep::Know(clock) => {
                let state = self.lines.get_mut(&line)?;
                state.clock.merge_clock(&clock);
                let version = state.clock.host_version;
                state.unseen_since.take_if(|time| self.host.had_host_reached(version, line, *time));
            }
            ReplayStep::Wait(wait) => {
                if self.semaphores.get(&wait.semaphore).is_some_and(|of| of.is_foreign) {
                    self.assume_unseen_wait(line);
                } else if let Some(clock) = self.clock_of_signal(wait.semaphore, wait.value) {
                    self.note_semaphore_wait(line, wait.scope, clock);
                } else {
                    return Some(ReplayStep::Wait(wait));
                }
                self.line_state(line).last_wait = Some(wait.site);
            }
            ReplayStep::Signal(SemaphoreStep { semaphore, value, scope, site }) => {
                if let Some(value) = value {
                    self.find_decreasing_signals(Some(line), semaphore, value, &site);
                }
                let time = self.current_time();
                let state = self.line_state(line);
                state.last_signals.push_back((time, site));
                if state.last_signals.len() > SIGNALS {
                    state.last_signals.pop_front();
                }
                let clock = self.tick_clock(line, scope);
                self.note_signal(semaphore, value, clock);
            }
            ReplayStep::Dependency(from, to) => {
                for (scope, clock) in mem::take(&mut self.line_state(line).partial_waits) {
                    self.note_semaphore_wait(
                        line,
                        if scope.overlaps_kinds(from) { scope.union_kinds(to) } else { scope },
                        clock,
                    );
                }
                let time = self.advance_current_time();
                let state = self.line_state(line);
                let copies = state.copies_ordered_until(from, time);
                to.kind_numbers().for_each(|kind| {
                    state.copies_ordered_until[kind] = copies.max(state.copies_ordered_until[kind])
                });
            }
            ReplayStep::Record(record) => {
                let clock = self.tick_clock(line, StageWorkKinds::ALL);
                _ = record.0.set(clock);
            }
            ReplayStep::WaitRecord(record) => match record.0.get() {
                Some(clock) => self.line_state(line).clock.merge_clock(clock),
                None => return Some(ReplayStep::WaitRecord(record)),
            },
            ReplayStep::WaitForAllWork => self.order_line_after_all_work(line),
            ReplayStep::UnseenOrder => {
                self.host_learns_all_work();
                self.assume_unseen_wait(line);
            }
            ReplayStep::Access(access) => {
                self.apply_partial_waits(line, access.scope);
                accesses(self, line, access)
            }
        }
        None
    }

    fn order_line_after_all_work(&mut self, line: QueueOrStream) {
        let all = self.clock_of_all_work();
        self.line_state(line).clock.merge_clock(&all);
    }

    fn assume_unseen_wait(&mut self, line: QueueOrStream) {
        self.order_line_after_all_work(line);
        let time = self.current_time();
        self.line_state(line).unseen_since = Some(time);
    }

    /// Compares a timeline's new signal with earlier signals. A signal is of one of three kinds: by a queue, by a
    /// stream or by the host (`line` is `None`). Compares the new signal with the last signal of each of the other two
    /// kinds. Reports the two signals in these cases:
    ///
    /// - The new signal's value is not greater than the last signal's value.
    /// - One of the two signals is by a queue, the other is by a stream, and nothing orders the two signals.
    ///
    /// Reports nothing if the timeline also has signals that the check does not see. Skips a signal if the work of its
    /// queue or stream, or of the new signal's, may run later than in the replay.
    fn find_decreasing_signals(
        &mut self,
        line: Option<QueueOrStream>,
        semaphore: SemaphoreId,
        value: u64,
        site: &Arc<CallSite>,
    ) {
        let new = LastSignal { line, value, time: self.current_time(), site: site.clone() };
        let payload = self.semaphores.entry(semaphore).or_default();
        let is_foreign = payload.is_foreign;
        let mut others = payload.last_signals.clone();
        let own = line.map_or(2, |line| usize::from(line.is_stream()));
        (payload.last_signals[own], others[own]) = (Some(new), None);
        for other in others.into_iter().flatten().filter(|_| !is_foreign) {
            let mut lines = line.into_iter().chain(other.line);
            if lines.any(|line| self.may_work_run_later(line)) {
                continue;
            }
            let is_unordered = match (other.line, line) {
                (Some(other_line), Some(line)) => !self.is_known_before((other_line, other.time), line),
                _ => false,
            };
            if other.value >= value || is_unordered {
                let (values, sites) = ([other.value, value], [other.site, site.clone()]);
                self.decreasing_signals.push(DecreasingSignalPair { semaphore, values, sites });
                if let (Some(other_line), Some(line)) = (other.line, line) {
                    self.assume_work_known((other_line, other.time), line);
                }
                return;
            }
        }
    }
}
