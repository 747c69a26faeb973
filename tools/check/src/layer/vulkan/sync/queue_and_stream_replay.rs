//! The order in which the work of both APIs runs: a replay of the enqueued work, with clocks.
//!
//! Each queue and each stream has a list of steps. A step runs as soon as the signals that it waits for are known to
//! come, so work that is submitted ahead of its signal is compared after that signal. A clock of each queue and stream
//! says how far the others are known to be done. If an order is possible that the check cannot see, that order is
//! assumed.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::sync::Arc;

use crate::layer::host_process::current_process::CallSite;
use crate::layer::vulkan::sync::queue_or_stream::QueueOrStream;
use crate::layer::vulkan::sync::replay_access::ReplayAccess;
use crate::layer::vulkan::sync::vector_clock::{VectorClock, WaitedWork};
use crate::layer::vulkan::utils::object_key::VulkanHandleKey;
use crate::layer::vulkan::utils::stage_scope::StageScope;

/// A semaphore: one that was made to be exported, by its number, or another one of Vulkan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SemaphoreId {
    Exportable(u32),
    Internal(VulkanHandleKey),
}

pub enum ReplayStep {
    /// What the host knew when it enqueued the next steps.
    HostClock(Arc<VectorClock>),
    Wait(SemaphoreStep),
    Signal(SemaphoreStep),
    /// What is before it in these stages comes before what is behind it in those.
    Dependency(StageScope, StageScope),
    /// An event of CUDA is recorded, or a fence signaled: by its number.
    Record(u64),
    WaitRecord(u64),
    /// A VkEvent, which the host may set and reset too.
    Event(VulkanHandleKey, EventAction),
    /// The host may learn from here that the work has come so far.
    TellHost,
    /// A wait for something that is before this, and not seen.
    WaitForAllWork,
    /// A wait for something that is not seen. What follows may come after any other work, and the host may learn how
    /// far the work has come.
    UnseenOrder,
    Access(ReplayAccess),
}

/// A wait for a semaphore, or its signal.
pub struct SemaphoreStep {
    pub semaphore: SemaphoreId,
    /// A binary semaphore has none.
    pub value: Option<u64>,
    /// The stages that wait, or that are waited for.
    pub scope: StageScope,
    pub site: Arc<CallSite>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventAction {
    Set,
    Reset,
    Wait,
}

enum StepBlocker {
    Signal(SemaphoreId, Option<u64>),
    Record(u64),
    Event(VulkanHandleKey),
}

impl StepBlocker {
    fn of_step(step: &ReplayStep) -> Option<Self> {
        match step {
            ReplayStep::Wait(wait) => Some(Self::Signal(wait.semaphore, wait.value)),
            ReplayStep::WaitRecord(number) => Some(Self::Record(*number)),
            ReplayStep::Event(event, EventAction::Wait) => Some(Self::Event(*event)),
            _ => None,
        }
    }

    fn is_met_by(&self, step: &ReplayStep) -> bool {
        match (self, step) {
            (Self::Signal(semaphore, value), ReplayStep::Signal(signal)) => {
                signal.semaphore == *semaphore && signal.value >= *value
            }
            (Self::Record(number), ReplayStep::Record(of)) => of == number,
            (Self::Event(event), ReplayStep::Event(of, EventAction::Set)) => of == event,
            _ => false,
        }
    }
}

pub type AccessSink<'a> = &'a mut dyn FnMut(&mut Replay, QueueOrStream, ReplayAccess);

#[derive(Default)]
pub struct QueueOrStreamState {
    steps: VecDeque<ReplayStep>,
    clock: VectorClock,
    /// Accesses from before this time count as done: the handle was another stream's, or the state was forgotten.
    since: u64,
    /// The version of the host's clock that the last step knows.
    host_version: u64,
    /// The time of a wait that is not seen, until the host knows that it is over.
    unseen_since: Option<u64>,
    last_wait: Option<Arc<CallSite>>,
    /// What was waited for by some stages only.
    partial_waits: BTreeMap<StageScope, VectorClock>,
    /// Up to which time copies come before what follows, for each kind of work.
    copies_before: [u64; StageScope::KINDS],
    last_signals: VecDeque<(u64, Arc<CallSite>)>,
}

impl QueueOrStreamState {
    /// Up to which time copies come before work of these stages.
    fn copies_before(&self, scope: StageScope, now: u64) -> u64 {
        let known = scope.kind_numbers().map(|kind| self.copies_before[kind]).max();
        if scope.meets_scope(StageScope::COPIES) { now } else { known.unwrap_or_default() }
    }

    /// The first signal from a time on.
    pub fn first_signal_since(&self, time: u64) -> Option<&Arc<CallSite>> {
        self.last_signals.iter().find(|(at, _)| *at >= time).map(|(_, site)| site)
    }
}

/// The signals of a semaphore, in the order of the replay.
#[derive(Default)]
struct SemaphorePayload {
    /// Each signal with its value, and with what is known after it and after those before it.
    signals: VecDeque<(u64, VectorClock)>,
    /// It has signals that are not seen.
    is_foreign: bool,
    last_of_queues: Option<LastSignal>,
    last_of_streams: Option<LastSignal>,
    last_of_host: Option<LastSignal>,
}

#[derive(Clone)]
struct LastSignal {
    /// `None` for the host.
    line: Option<QueueOrStream>,
    value: u64,
    time: u64,
    site: Arc<CallSite>,
}

/// Two signals of a timeline whose values do not grow in the order of the work.
pub struct DecreasingSignals {
    pub semaphore: SemaphoreId,
    /// The value and the call of the earlier one in the replay, and those of the later one.
    pub values: [u64; 2],
    pub sites: [Arc<CallSite>; 2],
}

#[derive(Default)]
pub struct Replay {
    lines: BTreeMap<QueueOrStream, QueueOrStreamState>,
    /// The queues and streams that have steps, and those that did something which the host does not know.
    with_steps: BTreeSet<QueueOrStream>,
    unknown_to_host: BTreeSet<QueueOrStream>,
    host: Arc<VectorClock>,
    host_version: u64,
    /// How many times there were. The current one is the next.
    past_times: u64,
    /// The time at which queues and streams were forgotten that may come again.
    forgotten: u64,
    semaphores: HashMap<SemaphoreId, SemaphorePayload>,
    /// The events that are set.
    set_events: HashMap<VulkanHandleKey, VectorClock>,
    records: HashMap<u64, VectorClock>,
    last_record: u64,
    pub decreasing_signals: Vec<DecreasingSignals>,
    /// Whether the check sees every signal.
    pub is_complete: bool,
}

/// How many steps may wait in a queue or stream, how many signals and how many records are kept: the oldest go first.
const STEPS: usize = 4096;
const SIGNALS: usize = 32;
const RECORDS: u64 = 4096;
/// How many queues and streams are kept. The clock of each has an entry for each other one.
const LINES: usize = 256;
/// The number of queues and streams that a chain of waits is followed over.
const DEPTH: u32 = 8;

impl Replay {
    pub fn queue_or_stream_state(&mut self, line: QueueOrStream) -> &mut QueueOrStreamState {
        if !self.lines.contains_key(&line) {
            if self.lines.len() >= LINES {
                self.forget_idle();
            }
            let new = QueueOrStreamState {
                // It may be one that was forgotten, which knew something.
                clock: VectorClock::reaching_all_work(self.forgotten),
                since: self.current_time(),
                ..QueueOrStreamState::default()
            };
            self.lines.insert(line, new);
        }
        self.lines.get_mut(&line).expect("it was inserted")
    }

    fn forget_idle(&mut self) {
        self.forgotten = self.end_current_time();
        let is_idle = |state: &QueueOrStreamState| state.steps.is_empty() && state.unseen_since.is_none();
        let idle = self.lines.iter().filter(|(_, state)| is_idle(state)).map(|(line, _)| *line);
        for line in idle.collect::<Vec<_>>() {
            self.forget_queue_or_stream(line);
        }
    }

    /// Forgets a queue or a stream: what it did so far counts as done.
    pub fn forget_queue_or_stream(&mut self, line: QueueOrStream) {
        if self.lines.remove(&line).is_some() {
            self.end_current_time();
            self.with_steps.remove(&line);
            self.unknown_to_host.remove(&line);
            Arc::make_mut(&mut self.host).forget_line(line);
        }
    }

    /// Enqueues a step, after what the host knows now.
    pub fn enqueue_step(&mut self, line: QueueOrStream, step: ReplayStep) {
        let (version, host) = (self.host_version, self.host.clone());
        let state = self.queue_or_stream_state(line);
        if state.host_version != version {
            state.host_version = version;
            state.steps.push_back(ReplayStep::HostClock(host));
        }
        // Of the accesses between them there may have been too many.
        if let (ReplayStep::Dependency(from, to), Some(ReplayStep::Dependency(first, last))) =
            (&step, state.steps.back_mut())
        {
            (*first, *last) = (first.union_with(*from), last.union_with(*to));
            return;
        }
        if state.steps.len() >= 4 * STEPS {
            // The steps that it waits for do not come.
            state.steps.clear();
            state.steps.push_back(ReplayStep::UnseenOrder);
        }
        state.steps.push_back(step);
        self.with_steps.insert(line);
    }

    /// Whether another access may wait. Those that have no room are not seen.
    pub fn has_room_for_access(&mut self, line: QueueOrStream) -> bool {
        self.queue_or_stream_state(line).steps.len() < STEPS
    }

    /// The streams that did something which the host does not know, or that have something to do.
    pub fn unfinished_streams(&self) -> Vec<QueueOrStream> {
        self.with_steps.union(&self.unknown_to_host).copied().collect()
    }

    /// A number for an event or a fence.
    pub fn new_record_number(&mut self) -> u64 {
        self.last_record += 1;
        self.records.remove(&self.last_record.wrapping_sub(RECORDS));
        self.last_record
    }

    /// Whether an access is known to be before what another queue or stream does next.
    pub fn is_known_before(&self, (line, time): (QueueOrStream, u64), other: QueueOrStream) -> bool {
        line.owning_queue() == other
            || self.lines.get(&line.owning_queue()).is_none_or(|state| time < state.since)
            || self.lines.get(&other).is_some_and(|state| state.clock.has_reached(line, time))
    }

    pub fn is_known_to_host(&self, (line, time): (QueueOrStream, u64)) -> bool {
        self.host.has_reached(line, time)
    }

    /// Whether a queue has work on an allocation that is not replayed yet.
    pub fn has_queued_access(&self, memory: u32) -> bool {
        let queues = self.lines.iter().filter(|(line, _)| !line.is_stream());
        let mut steps = queues.flat_map(|(_, state)| &state.steps);
        steps.any(|step| matches!(step, ReplayStep::Access(access) if access.memory == memory))
    }

    /// Whether the work may come after work that is replayed later.
    pub fn may_run_later(&self, line: QueueOrStream) -> bool {
        self.lines.get(&line).is_some_and(|state| state.unseen_since.is_some())
    }

    pub fn current_time(&self) -> u64 {
        self.past_times + 1
    }

    /// Ends the current time, and returns it.
    fn end_current_time(&mut self) -> u64 {
        self.past_times += 1;
        self.past_times
    }

    pub fn last_wait_site(&mut self, line: QueueOrStream) -> Option<Arc<CallSite>> {
        self.queue_or_stream_state(line).last_wait.clone()
    }

    /// A signal since then by another queue, or by another stream, of the same API.
    pub fn signal_elsewhere(
        &self,
        (line, time): (QueueOrStream, u64),
    ) -> Option<(QueueOrStream, Arc<CallSite>)> {
        let others = self.lines.iter().filter(|(of, _)| **of != line && of.is_stream() == line.is_stream());
        others.into_iter().find_map(|(of, state)| Some((*of, state.first_signal_since(time)?.clone())))
    }

    /// From here on, what another queue or stream did counts as known.
    pub fn assume_known(&mut self, (line, time): (QueueOrStream, u64), by: QueueOrStream) {
        self.queue_or_stream_state(by).clock.advance_clock(WaitedWork::Of(line), time);
    }

    /// The clock as others learn it here. What follows is later.
    fn tick_clock(&mut self, line: QueueOrStream) -> VectorClock {
        self.tick_clock_of_stages(line, StageScope::ALL)
    }

    /// The same for who waits for these stages alone.
    fn tick_clock_of_stages(&mut self, line: QueueOrStream, scope: StageScope) -> VectorClock {
        let time = self.end_current_time();
        let state = self.queue_or_stream_state(line);
        let copies = state.copies_before(scope, time);
        // Later signals of the queue come after this one, whatever their stages.
        state.copies_before = state.copies_before.map(|known| known.max(copies));
        let mut clock = state.clock.clone();
        clock.advance_clock(WaitedWork::Of(line), time);
        clock.advance_clock(WaitedWork::Of(line.own_copies()), copies);
        state.partial_waits.values().for_each(|waited| clock.merge_clock(waited));
        clock
    }

    /// Work of these stages comes next: what they waited for is known.
    fn apply_partial_waits(&mut self, line: QueueOrStream, scope: StageScope) {
        let QueueOrStreamState { partial_waits, clock, .. } = self.queue_or_stream_state(line);
        partial_waits
            .iter()
            .filter(|(of, _)| of.meets_scope(scope))
            .for_each(|(_, waited)| clock.merge_clock(waited));
        partial_waits.retain(|of, _| !of.meets_scope(scope));
    }

    fn note_wait(&mut self, line: QueueOrStream, scope: StageScope, clock: VectorClock) {
        let state = self.queue_or_stream_state(line);
        let of_all = scope == StageScope::ALL;
        let known = if of_all { &mut state.clock } else { state.partial_waits.entry(scope).or_default() };
        known.merge_clock(&clock);
    }

    /// Whether a wait knows of an access and does not cover the stages of what comes next.
    pub fn has_partial_wait(&self, (line, time): (QueueOrStream, u64), other: QueueOrStream) -> bool {
        let waits = self.lines.get(&other).into_iter().flat_map(|state| &state.partial_waits);
        waits.into_iter().any(|(_, clock)| clock.has_reached(line, time))
    }

    fn clock_of_all_work(&mut self) -> VectorClock {
        VectorClock::reaching_all_work(self.end_current_time())
    }

    fn host_learns(&mut self, clock: &VectorClock) {
        Arc::make_mut(&mut self.host).merge_clock(clock);
        self.host_version += 1;
    }

    /// The host learned something in a way that does not show what: all that is done so far counts as known.
    pub fn host_learns_all_work(&mut self) {
        let all = self.clock_of_all_work();
        self.host_learns(&all);
        self.unknown_to_host.clear();
    }

    /// A semaphore whose signals are not all seen.
    pub fn mark_foreign(&mut self, semaphore: SemaphoreId) {
        self.semaphores.entry(semaphore).or_default().is_foreign = true;
    }

    /// Forgets a semaphore that ends. Its handle may come again.
    pub fn forget_semaphore(&mut self, semaphore: SemaphoreId) {
        self.semaphores.remove(&semaphore);
    }

    /// The host sets or resets an event, or destroys it.
    pub fn note_host_event(&mut self, event: VulkanHandleKey, is_set: bool) {
        self.set_events.remove(&event);
        if is_set {
            self.set_events.insert(event, VectorClock::clone(&self.host));
        }
    }

    /// Returns the clock that a wait takes from its signal, if the signal is there.
    fn clock_of_signal(&mut self, semaphore: SemaphoreId, value: Option<u64>) -> Option<VectorClock> {
        let payload = self.semaphores.entry(semaphore).or_default();
        match value {
            Some(0) => Some(VectorClock::default()),
            Some(value) => {
                let found = payload.signals.iter().find(|(of, _)| *of >= value);
                found.map(|(_, clock)| clock.clone())
            }
            None => {
                let found = payload.signals.pop_front().map(|(_, clock)| clock);
                // One that presentation signals.
                let is_internal = matches!(semaphore, SemaphoreId::Internal(_));
                found.or_else(|| {
                    (is_internal && !self.has_queued_signal(semaphore)).then(VectorClock::default)
                })
            }
        }
    }

    fn has_queued_signal(&self, semaphore: SemaphoreId) -> bool {
        let steps =
            self.with_steps.iter().filter_map(|line| self.lines.get(line)).flat_map(|line| &line.steps);
        steps
            .into_iter()
            .any(|step| matches!(step, ReplayStep::Signal(signal) if signal.semaphore == semaphore))
    }

    /// A function of the host returned that a stream waits for. Whatever is done by now, it may have waited for.
    pub fn end_host_function(&mut self, record: u64) {
        let all = self.clock_of_all_work();
        self.records.insert(record, all);
    }

    fn note_signal(&mut self, semaphore: SemaphoreId, value: Option<u64>, clock: VectorClock) {
        let payload = self.semaphores.entry(semaphore).or_default();
        let mut all = clock;
        if let (Some(_), Some((_, last))) = (value, payload.signals.back()) {
            all.merge_clock(last);
        }
        payload.signals.push_back((value.unwrap_or(0), all));
        if payload.signals.len() > SIGNALS {
            payload.signals.pop_front();
        }
    }

    /// The host signals a timeline, or the timeline begins with a value.
    pub fn note_host_signal(&mut self, semaphore: SemaphoreId, value: u64, site: Arc<CallSite>) {
        self.find_decreasing_signals(None, semaphore, value, &site);
        self.note_signal(semaphore, Some(value), VectorClock::clone(&self.host));
    }

    /// The host knows that a timeline has reached a value. If its signal is not seen, all work so far counts as done.
    pub fn note_host_wait_for_value(&mut self, semaphore: SemaphoreId, value: u64, accesses: AccessSink<'_>) {
        let known = self.clock_of_signal(semaphore, Some(value));
        let clock = known.or_else(|| {
            self.force_step(&StepBlocker::Signal(semaphore, Some(value)), accesses, DEPTH);
            self.clock_of_signal(semaphore, Some(value))
        });
        match clock {
            Some(clock) => self.host_learns(&clock),
            None if self.is_complete => {}
            None => self.host_learns_all_work(),
        }
    }

    /// The host knows that the recorded work is done. If the record is not known, all work so far counts as done.
    pub fn note_host_wait_for_record(&mut self, record: Option<u64>, accesses: AccessSink<'_>) {
        if let Some(record) = record.filter(|record| !self.records.contains_key(record)) {
            self.force_step(&StepBlocker::Record(record), accesses, DEPTH);
        }
        match record.and_then(|record| self.records.get(&record).cloned()) {
            Some(clock) => self.host_learns(&clock),
            None => self.host_learns_all_work(),
        }
    }

    /// The host knows that all steps of some queues or streams are done, and what they waited for.
    pub fn note_host_wait_for_work(&mut self, work: WaitedWork, accesses: AccessSink<'_>) {
        for line in self.unfinished_streams().into_iter().filter(|line| work.includes_line(*line)) {
            self.force_steps_until(line, None, accesses, DEPTH);
            let clock = self.tick_clock(line);
            self.host_learns(&clock);
            self.unknown_to_host.remove(&line);
        }
        let time = self.end_current_time();
        Arc::make_mut(&mut self.host).advance_clock(work, time);
        self.host_version += 1;
    }

    /// Runs a step that is needed, even if something that it waits for is not known.
    fn force_step(&mut self, needed: &StepBlocker, accesses: AccessSink<'_>, depth: u32) {
        let has_it = |line: &&QueueOrStream| {
            self.lines.get(line).is_some_and(|state| state.steps.iter().any(|step| needed.is_met_by(step)))
        };
        if let Some(line) = self.with_steps.iter().find(has_it).copied() {
            self.force_steps_until(line, Some(needed), accesses, depth);
        }
    }

    fn next_step(&mut self, line: QueueOrStream) -> Option<ReplayStep> {
        let step = self.lines.get_mut(&line).and_then(|state| state.steps.pop_front());
        if step.is_none() {
            self.with_steps.remove(&line);
        }
        step
    }

    /// Runs the steps up to one, or all. What they wait for is done too.
    fn force_steps_until(
        &mut self,
        line: QueueOrStream,
        until: Option<&StepBlocker>,
        accesses: AccessSink<'_>,
        depth: u32,
    ) {
        while let Some(step) = self.next_step(line) {
            let is_last = until.is_some_and(|needed| needed.is_met_by(&step));
            if let Some(blocked) = self.run_step(line, step, accesses) {
                let blocker = StepBlocker::of_step(&blocked);
                if let Some(blocker) = blocker.filter(|_| depth > 0) {
                    self.force_step(&blocker, accesses, depth - 1);
                }
                // Where the signal is still not there, it came from outside of the check's view, and is over.
                if self.run_step(line, blocked, accesses).is_some() && !self.is_complete {
                    self.wait_for_all_work(line);
                }
            }
            if is_last {
                return;
            }
        }
    }

    pub fn run_unblocked_steps(&mut self, accesses: AccessSink<'_>) {
        let mut goes_on = true;
        while goes_on {
            goes_on = false;
            for line in self.with_steps.clone() {
                while let Some(step) = self.next_step(line) {
                    if let Some(blocked) = self.run_step(line, step, accesses) {
                        self.queue_or_stream_state(line).steps.push_front(blocked);
                        break;
                    }
                    goes_on = true;
                }
            }
        }
    }

    /// Runs a step, or returns it where it has to wait.
    fn run_step(
        &mut self,
        line: QueueOrStream,
        step: ReplayStep,
        accesses: AccessSink<'_>,
    ) -> Option<ReplayStep> {
        self.unknown_to_host.insert(line);
        match step {
            ReplayStep::HostClock(clock) => {
                let state = self.queue_or_stream_state(line);
                state.clock.merge_clock(&clock);
                state.unseen_since = state.unseen_since.filter(|time| !clock.has_reached(line, *time));
            }
            ReplayStep::Wait(wait) => {
                if self.semaphores.get(&wait.semaphore).is_some_and(|of| of.is_foreign) {
                    self.note_unseen_wait(line);
                } else if let Some(clock) = self.clock_of_signal(wait.semaphore, wait.value) {
                    self.note_wait(line, wait.scope, clock);
                } else {
                    return Some(ReplayStep::Wait(wait));
                }
                self.queue_or_stream_state(line).last_wait = Some(wait.site);
            }
            ReplayStep::Signal(SemaphoreStep { semaphore, value, scope, site }) => {
                if let Some(value) = value {
                    self.find_decreasing_signals(Some(line), semaphore, value, &site);
                }
                let time = self.current_time();
                let signals = &mut self.queue_or_stream_state(line).last_signals;
                signals.push_back((time, site));
                if signals.len() > SIGNALS {
                    signals.pop_front();
                }
                let clock = self.tick_clock_of_stages(line, scope);
                self.note_signal(semaphore, value, clock);
            }
            ReplayStep::Dependency(from, to) => {
                for (scope, clock) in std::mem::take(&mut self.queue_or_stream_state(line).partial_waits) {
                    self.note_wait(
                        line,
                        if scope.meets_scope(from) { scope.union_with(to) } else { scope },
                        clock,
                    );
                }
                let time = self.end_current_time();
                let state = self.queue_or_stream_state(line);
                let copies = state.copies_before(from, time);
                to.kind_numbers()
                    .for_each(|kind| state.copies_before[kind] = copies.max(state.copies_before[kind]));
            }
            ReplayStep::Record(number) => {
                let clock = self.tick_clock(line);
                self.records.insert(number, clock);
            }
            ReplayStep::WaitRecord(number) => match self.records.get(&number).cloned() {
                Some(clock) => self.queue_or_stream_state(line).clock.merge_clock(&clock),
                None if number > self.last_record.saturating_sub(RECORDS) => return Some(step),
                // A record that is so old is done.
                None => self.wait_for_all_work(line),
            },
            ReplayStep::Event(event, EventAction::Set) => {
                let clock = self.tick_clock(line);
                self.set_events.insert(event, clock);
            }
            ReplayStep::Event(event, EventAction::Reset) => _ = self.set_events.remove(&event),
            ReplayStep::Event(event, EventAction::Wait) => match self.set_events.get(&event).cloned() {
                Some(clock) => self.queue_or_stream_state(line).clock.merge_clock(&clock),
                None => return Some(step),
            },
            ReplayStep::TellHost => {
                let clock = self.tick_clock(line);
                self.host_learns(&clock);
            }
            ReplayStep::WaitForAllWork => self.wait_for_all_work(line),
            ReplayStep::UnseenOrder => {
                self.host_learns_all_work();
                self.note_unseen_wait(line);
            }
            ReplayStep::Access(access) => {
                self.apply_partial_waits(line, access.scope);
                accesses(self, line, access)
            }
        }
        None
    }

    fn wait_for_all_work(&mut self, line: QueueOrStream) {
        let all = self.clock_of_all_work();
        self.queue_or_stream_state(line).clock.merge_clock(&all);
    }

    fn note_unseen_wait(&mut self, line: QueueOrStream) {
        self.wait_for_all_work(line);
        let time = self.current_time();
        self.queue_or_stream_state(line).unseen_since = Some(time);
    }

    /// The values of a timeline grow: a signal must be known to come after those of smaller values by the other API,
    /// and none has a greater value before. Other code compares the signals of one API.
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
        let SemaphorePayload { last_of_queues, last_of_streams, last_of_host, .. } = payload;
        let (own, others) = match line {
            None => (last_of_host, [last_of_queues, last_of_streams]),
            Some(line) if line.is_stream() => (last_of_streams, [last_of_queues, last_of_host]),
            Some(_) => (last_of_queues, [last_of_streams, last_of_host]),
        };
        *own = Some(new);
        for other in others.map(|other| other.clone()).into_iter().flatten().filter(|_| !is_foreign) {
            let mut lines = line.into_iter().chain(other.line);
            if lines.any(|line| self.may_run_later(line)) {
                continue;
            }
            let is_unordered = match (other.line, line) {
                (Some(other_line), Some(line)) => !self.is_known_before((other_line, other.time), line),
                _ => false,
            };
            if other.value >= value || is_unordered {
                let (values, sites) = ([other.value, value], [other.site, site.clone()]);
                self.decreasing_signals.push(DecreasingSignals { semaphore, values, sites });
                if let (Some(other_line), Some(line)) = (other.line, line) {
                    self.assume_known((other_line, other.time), line);
                }
                return;
            }
        }
    }
}
