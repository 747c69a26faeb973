//! The order in which the work of both APIs runs: a replay of the enqueued work, with clocks.
//!
//! Each queue and each stream is a line of steps. A step runs as soon as the signals that it waits for are known to
//! come, so work that is submitted ahead of its signal is compared after that signal. A clock of each line says how
//! far each other line is known to be done. If an order is possible that the check cannot see, that order is assumed.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::Arc;

use crate::layer::host_process::call_site::CallSite;

use crate::layer::vulkan::sync::queue_or_stream::QueueOrStream;
use crate::layer::vulkan::utils::object_key::ObjectKey;

/// How far each line is done.
pub type Clock = BTreeMap<QueueOrStream, u64>;

fn join(clock: &mut Clock, other: &Clock) {
    for (order, at) in other {
        let known = clock.entry(*order).or_default();
        *known = (*at).max(*known);
    }
}

/// A semaphore: one that was made to be exported, by its number, or another one of Vulkan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SemaphoreId {
    Exportable(u32),
    Internal(ObjectKey),
}

/// The steps of a line, in order. `D` is the data that the reader of the replay gets.
pub enum ReplayStep<D> {
    /// The host's clock when it enqueued the next steps.
    Host(Clock),
    /// A binary semaphore has no value.
    Wait(SemaphoreId, Option<u64>, Arc<CallSite>),
    Signal(SemaphoreId, Option<u64>, Arc<CallSite>),
    /// An event is recorded, or a fence signaled: by its number.
    Record(u64),
    WaitRecord(u64),
    /// The host may learn from here that the line has come so far.
    TellHost,
    /// Something that orders in a way which is not seen.
    Unknown,
    /// The line may wait here for anything, also for what is enqueued later, and the host may learn how far it is.
    UnseenOrder,
    Access(D),
}

/// The condition that a step waits for.
enum Blocker {
    Signal(SemaphoreId, Option<u64>),
    Record(u64),
}

impl Blocker {
    fn of_step<D>(step: &ReplayStep<D>) -> Option<Self> {
        match step {
            ReplayStep::Wait(semaphore, value, _) => Some(Self::Signal(*semaphore, *value)),
            ReplayStep::WaitRecord(number) => Some(Self::Record(*number)),
            _ => None,
        }
    }

    fn is_met_by<D>(&self, step: &ReplayStep<D>) -> bool {
        match (self, step) {
            (Self::Signal(semaphore, value), ReplayStep::Signal(of, signaled, _)) => {
                of == semaphore && signaled >= value
            }
            (Self::Record(number), ReplayStep::Record(of)) => of == number,
            _ => false,
        }
    }
}

/// The function that receives what a line does.
pub type AccessSink<'a, D> = &'a mut dyn FnMut(&mut Replay<D>, QueueOrStream, D);

pub struct LineState<D> {
    steps: VecDeque<ReplayStep<D>>,
    clock: Clock,
    now: u64,
    /// The host's time at the last look.
    host: u64,
    /// From when on the line may be behind anything that is enqueued before the host has waited for it.
    unseen_since: Option<u64>,
    /// The last wait, and the last signals with their times.
    pub wait: Option<Arc<CallSite>>,
    signals: VecDeque<(u64, Arc<CallSite>)>,
}

impl<D> LineState<D> {
    /// The clock as others learn it here. What follows is later.
    fn tick_clock(&mut self, order: QueueOrStream) -> Clock {
        self.clock.insert(order, self.now);
        self.now += 1;
        self.clock.clone()
    }

    /// The first signal from a time on.
    pub fn first_signal_since(&self, time: u64) -> Option<&Arc<CallSite>> {
        self.signals.iter().find(|(at, _)| *at >= time).map(|(_, site)| site)
    }
}

/// The signals of a semaphore, in the order of the replay.
#[derive(Default)]
struct SemaphorePayload {
    /// Each signal with its value, and with what is known after it and after those before it.
    signals: VecDeque<(u64, Clock)>,
    /// It has signals that are not seen.
    is_foreign: bool,
    /// The last signal of each line: the value, the time and the call.
    last: BTreeMap<QueueOrStream, (u64, u64, Arc<CallSite>)>,
}

/// A signal that may come before a smaller one of another line: its semaphore, both values and both calls.
pub struct UnorderedSignals {
    pub semaphore: SemaphoreId,
    pub values: [u64; 2],
    pub sites: [Arc<CallSite>; 2],
}

pub struct Replay<D> {
    lines: BTreeMap<QueueOrStream, LineState<D>>,
    host: Clock,
    host_version: u64,
    semaphores: HashMap<SemaphoreId, SemaphorePayload>,
    records: HashMap<u64, Clock>,
    made: u64,
    pub unordered_signals: Vec<UnorderedSignals>,
    /// Whether the check sees every signal of the semaphore.
    pub is_complete: bool,
}

impl<D> Default for Replay<D> {
    fn default() -> Self {
        let (lines, semaphores, records) = Default::default();
        Self {
            lines,
            semaphores,
            records,
            host: Clock::new(),
            host_version: 1,
            made: 0,
            unordered_signals: Vec::new(),
            is_complete: false,
        }
    }
}

/// How many steps wait in a line, how many signals and how many records are kept: the oldest go first.
const STEPS: usize = 4096;
const SIGNALS: usize = 32;
const RECORDS: u64 = 4096;
/// The number of lines that a chain of waits is followed over.
const DEPTH: u32 = 8;

impl<D> Replay<D> {
    pub fn line_state(&mut self, order: QueueOrStream) -> &mut LineState<D> {
        let new = || LineState {
            steps: VecDeque::new(),
            clock: Clock::new(),
            now: 1,
            host: 0,
            unseen_since: None,
            wait: None,
            signals: VecDeque::new(),
        };
        self.lines.entry(order).or_insert_with(new)
    }

    pub fn known_lines(&self) -> Vec<QueueOrStream> {
        self.lines.keys().copied().collect()
    }

    /// Enqueues a step, behind what the host knows now.
    pub fn enqueue_step(&mut self, order: QueueOrStream, step: ReplayStep<D>) {
        let (version, host) = (self.host_version, self.host.clone());
        let line = self.line_state(order);
        if line.host != version {
            line.host = version;
            line.steps.push_back(ReplayStep::Host(host));
        }
        line.steps.push_back(step);
    }

    /// A number for an event or a fence.
    pub fn new_record_number(&mut self) -> u64 {
        self.made += 1;
        self.records.remove(&self.made.wrapping_sub(RECORDS));
        self.made
    }

    /// Whether a step at a time of a line is before what another line does next.
    pub fn is_known_before(&mut self, (order, time): (QueueOrStream, u64), other: QueueOrStream) -> bool {
        let is_unseen = |line: &LineState<D>, at: u64| line.unseen_since.is_some_and(|since| at >= since);
        order == other
            || self.line_state(other).clock.get(&order).is_some_and(|at| *at >= time)
            || is_unseen(self.line_state(order), time)
            || is_unseen(self.line_state(other), u64::MAX)
    }

    pub fn current_time(&mut self, order: QueueOrStream) -> u64 {
        self.line_state(order).now
    }

    /// From here on, what another line did counts as known.
    pub fn assume_known(&mut self, (order, time): (QueueOrStream, u64), by: QueueOrStream) {
        let known = self.line_state(by).clock.entry(order).or_default();
        *known = time.max(*known);
    }

    fn clock_of_all_work(&mut self) -> Clock {
        let mut all = Clock::new();
        for (order, line) in &mut self.lines {
            join(&mut all, &line.tick_clock(*order));
        }
        all
    }

    fn host_learns(&mut self, clock: &Clock) {
        join(&mut self.host, clock);
        self.host_version += 1;
    }

    /// A semaphore whose signals are not all seen.
    pub fn mark_foreign(&mut self, semaphore: SemaphoreId) {
        self.semaphores.entry(semaphore).or_default().is_foreign = true;
    }

    /// Forgets a semaphore that ends. Its handle may come again.
    pub fn forget_semaphore(&mut self, semaphore: SemaphoreId) {
        self.semaphores.remove(&semaphore);
    }

    /// Returns the clock that a wait takes from its signal, if the signal is there.
    fn clock_of_signal(&mut self, semaphore: SemaphoreId, value: Option<u64>) -> Option<Clock> {
        let payload = self.semaphores.entry(semaphore).or_default();
        if payload.is_foreign {
            return Some(self.clock_of_all_work());
        }
        match value {
            Some(0) => Some(Clock::new()),
            Some(value) => {
                let found = payload.signals.iter().find(|(of, _)| *of >= value);
                found.map(|(_, clock)| clock.clone())
            }
            None => {
                let found = payload.signals.pop_front().map(|(_, clock)| clock);
                // One that presentation signals.
                found.or_else(|| {
                    (matches!(semaphore, SemaphoreId::Internal(_)) && !self.has_queued_signal(semaphore))
                        .then(Clock::new)
                })
            }
        }
    }

    fn has_queued_signal(&self, semaphore: SemaphoreId) -> bool {
        let steps = self.lines.values().flat_map(|line| &line.steps);
        steps.into_iter().any(|step| matches!(step, ReplayStep::Signal(of, ..) if *of == semaphore))
    }

    fn note_signal(&mut self, semaphore: SemaphoreId, value: Option<u64>, clock: Clock) {
        let payload = self.semaphores.entry(semaphore).or_default();
        let mut all = clock;
        if let (Some(_), Some((_, last))) = (value, payload.signals.back()) {
            join(&mut all, last);
        }
        payload.signals.push_back((value.unwrap_or(0), all));
        if payload.signals.len() > SIGNALS {
            payload.signals.pop_front();
        }
    }

    /// The host signals a timeline, or the timeline begins with a value.
    pub fn note_host_signal(&mut self, semaphore: SemaphoreId, value: u64) {
        self.note_signal(semaphore, Some(value), self.host.clone());
    }

    /// The host knows that a timeline has reached a value.
    pub fn note_host_wait_for_value(&mut self, semaphore: SemaphoreId, value: u64, deeds: AccessSink<'_, D>) {
        let need = Blocker::Signal(semaphore, Some(value));
        let known = self.clock_of_signal(semaphore, Some(value));
        let clock = known.or_else(|| {
            self.force_step(&need, deeds);
            self.clock_of_signal(semaphore, Some(value))
        });
        if let Some(clock) = clock {
            self.host_learns(&clock);
        }
    }

    /// The host knows that the recorded work is done. If the record is not known, all earlier work counts as done.
    pub fn note_host_wait_for_record(&mut self, record: Option<u64>, deeds: AccessSink<'_, D>) {
        if let Some(record) = record.filter(|record| !self.records.contains_key(record)) {
            self.force_step(&Blocker::Record(record), deeds);
        }
        let clock = record.and_then(|record| self.records.get(&record).cloned());
        let clock = clock.unwrap_or_else(|| self.clock_of_all_work());
        self.host_learns(&clock);
    }

    /// The host knows that all steps of these lines are done.
    pub fn note_host_wait_for_lines(
        &mut self,
        is_done: &dyn Fn(QueueOrStream) -> bool,
        deeds: AccessSink<'_, D>,
    ) {
        for order in self.known_lines().into_iter().filter(|order| is_done(*order)) {
            self.force_line(order, None, deeds, DEPTH);
            let line = self.line_state(order);
            line.unseen_since = None;
            let clock = line.tick_clock(order);
            self.host_learns(&clock);
        }
    }

    /// Runs a step that is needed, even if something that it waits for is not known.
    fn force_step(&mut self, need: &Blocker, deeds: AccessSink<'_, D>) {
        self.force_step_at_depth(need, deeds, DEPTH);
    }

    fn force_step_at_depth(&mut self, need: &Blocker, deeds: AccessSink<'_, D>, depth: u32) {
        let mut lines = self.lines.iter();
        let found = lines.find(|(_, line)| line.steps.iter().any(|step| need.is_met_by(step)));
        if let Some(order) = found.map(|(order, _)| *order) {
            self.force_line(order, Some(need), deeds, depth);
        }
    }

    /// Runs a line up to a step, or to its end. What its steps wait for is done too.
    fn force_line(
        &mut self,
        order: QueueOrStream,
        until: Option<&Blocker>,
        deeds: AccessSink<'_, D>,
        depth: u32,
    ) {
        while let Some(step) = self.line_state(order).steps.pop_front() {
            let is_last = until.is_some_and(|need| need.is_met_by(&step));
            if let Some(blocked) = self.run_step(order, step, false, deeds) {
                if let Some(need) = Blocker::of_step(&blocked).filter(|_| depth > 0) {
                    self.force_step_at_depth(&need, deeds, depth - 1);
                }
                self.run_step(order, blocked, true, deeds);
            }
            if is_last {
                return;
            }
        }
    }

    /// Runs every step that can run.
    pub fn run_unblocked_steps(&mut self, deeds: AccessSink<'_, D>) {
        let mut goes_on = true;
        while goes_on {
            goes_on = false;
            for order in self.known_lines() {
                while let Some(step) = self.line_state(order).steps.pop_front() {
                    let is_long = self.line_state(order).steps.len() > STEPS;
                    if let Some(blocked) = self.run_step(order, step, is_long, deeds) {
                        self.line_state(order).steps.push_front(blocked);
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
        order: QueueOrStream,
        step: ReplayStep<D>,
        run_synchronous_copy: bool,
        deeds: AccessSink<'_, D>,
    ) -> Option<ReplayStep<D>> {
        match step {
            ReplayStep::Host(clock) => join(&mut self.line_state(order).clock, &clock),
            ReplayStep::Wait(semaphore, value, ref site) => match self.clock_of_signal(semaphore, value) {
                Some(clock) => {
                    let line = self.line_state(order);
                    line.wait = Some(site.clone());
                    join(&mut line.clock, &clock);
                }
                None if !run_synchronous_copy => return Some(step),
                None if self.is_complete => {}
                // The signal came from outside the check's view.
                None => return self.run_step(order, ReplayStep::Unknown, true, deeds),
            },
            ReplayStep::Signal(semaphore, value, site) => {
                self.find_unordered_signals(order, semaphore, value, &site);
                let line = self.line_state(order);
                line.signals.push_back((line.now, site));
                if line.signals.len() > SIGNALS {
                    line.signals.pop_front();
                }
                let clock = line.tick_clock(order);
                self.note_signal(semaphore, value, clock);
            }
            ReplayStep::Record(number) => {
                let clock = self.line_state(order).tick_clock(order);
                self.records.insert(number, clock);
            }
            ReplayStep::WaitRecord(number) => match self.records.get(&number).cloned() {
                Some(clock) => join(&mut self.line_state(order).clock, &clock),
                // A record that is so old is done. A later record is waited for.
                None if number > self.made.saturating_sub(RECORDS) && !run_synchronous_copy => {
                    return Some(step);
                }
                None => return self.run_step(order, ReplayStep::Unknown, true, deeds),
            },
            ReplayStep::TellHost => {
                let clock = self.line_state(order).tick_clock(order);
                self.host_learns(&clock);
            }
            ReplayStep::Unknown => {
                let all = self.clock_of_all_work();
                join(&mut self.line_state(order).clock, &all);
            }
            ReplayStep::UnseenOrder => {
                let all = self.clock_of_all_work();
                self.host_learns(&all);
                let line = self.line_state(order);
                join(&mut line.clock, &all);
                line.unseen_since.get_or_insert(line.now);
            }
            ReplayStep::Access(deed) => deeds(self, order, deed),
        }
        None
    }

    /// A timeline must have passed a smaller value before. Records the pairs of signals whose order is not known.
    fn find_unordered_signals(
        &mut self,
        order: QueueOrStream,
        semaphore: SemaphoreId,
        value: Option<u64>,
        site: &Arc<CallSite>,
    ) {
        let (Some(value), now) = (value, self.line_state(order).now) else { return };
        let payload = self.semaphores.entry(semaphore).or_default();
        let others = payload.last.iter().filter(|(other, _)| other.is_stream() != order.is_stream());
        let others: Vec<_> = others.map(|(other, last)| (*other, last.clone())).collect();
        payload.last.insert(order, (value, now, site.clone()));
        if payload.is_foreign {
            return;
        }
        for (other, (smaller, time, of_smaller)) in others {
            if smaller < value && !self.is_known_before((other, time), order) {
                let sites = [of_smaller, site.clone()];
                self.unordered_signals.push(UnorderedSignals { semaphore, values: [smaller, value], sites });
                self.assume_known((other, time), order);
            }
        }
    }
}
