//! What both APIs do to one allocation, in the order of the replay, and what is wrong with it.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::layer::objects::Does;
use crate::layer::site::Site;
use crate::rules::Rule;

use super::handles::Handle;
use super::orders::Orders;
use super::timelines::Order;

/// How many accesses and how many ranges are kept for each allocation.
const KEPT: usize = 64;

/// A range of an allocation. An image is the byte that it begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    pub start: u64,
    pub end: u64,
}

impl Range {
    pub fn new(start: u64, size: u64) -> Self {
        Self { start, end: start.saturating_add(size.max(1)) }
    }

    fn overlaps(&self, other: Self) -> bool {
        self.start < other.end && other.start < self.end
    }

    fn covers(&self, other: Self) -> bool {
        self.start <= other.start && other.end <= self.end
    }
}

/// What work does to an allocation.
#[derive(Clone, Debug)]
pub enum Deed {
    Use {
        memory: u32,
        range: Range,
        does: Does,
        site: Arc<Site>,
    },
    /// Vulkan acquires what CUDA wrote, or releases what it wrote itself.
    Acquire {
        memory: u32,
        range: Range,
    },
    Release {
        memory: u32,
        range: Range,
    },
}

impl Deed {
    pub fn memory(&self) -> u32 {
        match self {
            Self::Use { memory, .. } | Self::Acquire { memory, .. } | Self::Release { memory, .. } => *memory,
        }
    }
}

/// A buffer's range or an image, as a command names it.
#[derive(Clone, Copy, Debug)]
pub enum Extent {
    Buffer(Handle, u64, u64),
    Image(Handle),
}

/// What a command buffer does.
#[derive(Clone, Copy, Debug)]
pub enum Command {
    Read(Extent),
    Write(Extent),
    Acquire(Extent),
    Release(Extent),
    /// An image leaves the layout UNDEFINED.
    Layout(Handle),
}

/// What is wrong, with the calls that show it: the first is the one that came too early.
#[derive(Debug)]
pub struct Problem {
    pub rule: Rule,
    pub memory: u32,
    pub text: String,
    pub site: Arc<Site>,
    pub others: Vec<(&'static str, Arc<Site>)>,
}

#[derive(Clone)]
struct Access {
    range: Range,
    does: Does,
    order: Order,
    time: u64,
    site: Arc<Site>,
}

/// What is known of one allocation.
#[derive(Default)]
pub struct Memory {
    accesses: VecDeque<Access>,
    /// What Vulkan ever wrote: a kernel may have it to read.
    of_vulkan: VecDeque<Range>,
    /// What CUDA wrote and Vulkan did not acquire, and what Vulkan wrote and did not release.
    unmoved: [VecDeque<(Range, Arc<Site>)>; 2],
}

fn keep<T>(list: &mut VecDeque<T>, new: T) {
    if list.len() == KEPT {
        list.pop_front();
    }
    list.push_back(new);
}

/// The places in `unmoved`.
const OF_CUDA: usize = 0;
const OF_VULKAN: usize = 1;

fn api(is_cuda: bool) -> &'static str {
    if is_cuda { "CUDA" } else { "Vulkan" }
}

impl Memory {
    pub fn take(&mut self, orders: &mut Orders<Deed>, order: Order, deed: Deed) -> Option<Problem> {
        match deed {
            Deed::Use { memory, range, does, site } => {
                let does = match does {
                    Does::MayWrite if !self.of_vulkan.iter().any(|of| of.overlaps(range)) => Does::Write,
                    does => does,
                };
                let time = orders.now(order);
                self.used(orders, memory, Access { range, does, order, time, site })
            }
            Deed::Release { range, .. } => {
                self.unmoved[OF_VULKAN].retain(|(of, _)| !of.overlaps(range));
                None
            }
            Deed::Acquire { range, .. } => {
                self.unmoved[OF_CUDA].retain(|(of, _)| !of.overlaps(range));
                // Who acquires it takes it for written.
                let kernels = self.accesses.iter_mut().filter(|of| of.does == Does::MayWrite);
                kernels.filter(|of| of.range.overlaps(range)).for_each(|of| of.does = Does::Write);
                None
            }
        }
    }

    fn used(&mut self, orders: &mut Orders<Deed>, memory: u32, new: Access) -> Option<Problem> {
        let (is_cuda, range) = (new.order.is_stream(), new.range);
        let is_write = new.does == Does::Write;
        let conflicts = |old: &Access| {
            old.order.is_stream() != is_cuda
                && old.range.overlaps(range)
                && (old.does == Does::Write || (is_write && old.does == Does::Read))
        };
        let mut problem = None;
        for at in 0..self.accesses.len() {
            let old = &self.accesses[at];
            if !conflicts(old) || orders.is_before((old.order, old.time), new.order) {
                continue;
            }
            problem = Some(race(orders, memory, old, &new));
            // One finding is enough for what this line does from here on.
            orders.assume((old.order, old.time), new.order);
            break;
        }
        // What Vulkan overwrites need not be acquired.
        let [cuda, vulkan] = [OF_CUDA, OF_VULKAN].map(|of| {
            self.unmoved[of].iter().find(|(of, _)| of.overlaps(range)).map(|(_, site)| site.clone())
        });
        let unmoved = if is_cuda { vulkan } else { cuda.filter(|_| !is_write) };
        if let (None, Some(site)) = (&problem, unmoved) {
            let text = if is_cuda {
                "Vulkan wrote it and did not release it to VK_QUEUE_FAMILY_EXTERNAL."
            } else {
                "CUDA wrote it, and Vulkan did not acquire it from VK_QUEUE_FAMILY_EXTERNAL."
            };
            let others = vec![("It was written in", site)];
            let (rule, text) = (Rule::HandOver, text.to_owned());
            problem = Some(Problem { rule, memory, text, site: new.site.clone(), others });
        }
        self.unmoved[if is_cuda { OF_VULKAN } else { OF_CUDA }].retain(|(of, _)| !of.overlaps(range));
        if is_write {
            let own = if is_cuda { OF_CUDA } else { OF_VULKAN };
            self.unmoved[own].retain(|(of, _)| !range.covers(*of));
            keep(&mut self.unmoved[own], (range, new.site.clone()));
            if !is_cuda && !self.of_vulkan.iter().any(|of| of.covers(range)) {
                keep(&mut self.of_vulkan, range);
            }
        }
        let is_older =
            |old: &Access| old.order == new.order && old.does == new.does && range.covers(old.range);
        self.accesses.retain(|old| !is_older(old));
        keep(&mut self.accesses, new);
        problem
    }
}

/// Two accesses that no order is known of.
fn race(orders: &mut Orders<Deed>, memory: u32, old: &Access, new: &Access) -> Problem {
    let [first, second] = [old, new].map(|of| api(of.order.is_stream()));
    let signal = orders.line(old.order).signal_since(old.time).cloned();
    let wait = orders.line(new.order).wait.clone();
    let missing = match &signal {
        None => format!("{first} signals no semaphore behind that"),
        Some(_) => format!("{second} waits for no semaphore that {first} signals behind that"),
    };
    let (rule, text, title) = if old.does == Does::Write {
        let what = if new.does == Does::Write { "writes" } else { "uses" };
        (Rule::HandOver, format!("{first} writes it, {second} {what} it, and {missing}."), "It is written in")
    } else {
        let text = format!("{first} may still read it: {missing}, and {second} writes it again.");
        (Rule::WrittenTooEarly, text, "It is read in")
    };
    let behind = signal.map(|site| ("The first signal behind that is in", site));
    let before = wait.map(|site| ("The last wait before this is in", site));
    let others = [(title, old.site.clone())].into_iter().chain(behind).chain(before).collect();
    Problem { rule, memory, text, site: new.site.clone(), others }
}

#[cfg(test)]
mod tests {
    use super::super::orders::{Sem, Step};
    use super::*;

    const QUEUE: Order = Order::Queue(1);
    const STREAM: Order = Order::Stream(7);

    #[derive(Default)]
    struct Replay {
        orders: Orders<Deed>,
        memory: Memory,
        found: Vec<Rule>,
    }

    impl Replay {
        fn run(&mut self) {
            let Self { orders, memory, found } = self;
            orders.run(&mut |orders, order, deed| {
                found.extend(memory.take(orders, order, deed).map(|problem| problem.rule));
            });
        }

        fn push(&mut self, order: Order, step: Step<Deed>) -> &mut Self {
            self.orders.push(order, step);
            self.run();
            self
        }

        fn uses(&mut self, order: Order, does: Does) -> &mut Self {
            let (range, site) = (Range::new(0, 16), Arc::default());
            self.push(order, Step::Deed(Deed::Use { memory: 1, range, does, site }))
        }

        fn moves(&mut self, acquires: bool) -> &mut Self {
            let range = Range::new(0, 16);
            let [acquire, release] = [Deed::Acquire { memory: 1, range }, Deed::Release { memory: 1, range }];
            self.push(QUEUE, Step::Deed(if acquires { acquire } else { release }))
        }

        fn signals(&mut self, order: Order, value: u64) -> &mut Self {
            self.push(order, Step::Signal(Sem::Shared(1), Some(value), Arc::default()))
        }

        fn waits(&mut self, order: Order, value: u64) -> &mut Self {
            self.push(order, Step::Wait(Sem::Shared(1), Some(value), Arc::default()))
        }
    }

    #[test]
    fn a_hand_over_needs_both_the_signal_and_the_wait() {
        for (signals, waits) in [(true, true), (true, false), (false, false)] {
            let mut replay = Replay::default();
            replay.uses(STREAM, Does::Write);
            if signals {
                replay.signals(STREAM, 1);
            }
            if waits {
                replay.waits(QUEUE, 1);
            }
            replay.moves(true).uses(QUEUE, Does::Read);
            let expected = if signals && waits { vec![] } else { vec![Rule::HandOver] };
            assert_eq!(replay.found, expected, "{signals} {waits}");
        }
    }

    #[test]
    fn work_that_is_submitted_ahead_comes_behind_its_signal() {
        let mut replay = Replay::default();
        // The queue's frame is submitted first, and so is that of the next round.
        replay.waits(QUEUE, 1).moves(true).uses(QUEUE, Does::Read).moves(false).signals(QUEUE, 2);
        replay.waits(QUEUE, 3).moves(true).uses(QUEUE, Does::Read).moves(false).signals(QUEUE, 4);
        replay.uses(STREAM, Does::Write).signals(STREAM, 1);
        replay.waits(STREAM, 2).uses(STREAM, Does::Write).signals(STREAM, 3);
        assert_eq!(replay.found, []);
    }

    #[test]
    fn a_write_before_the_last_read_is_done_is_found() {
        for waits in [true, false] {
            let mut replay = Replay::default();
            replay.uses(STREAM, Does::Write).signals(STREAM, 1);
            replay.waits(QUEUE, 1).moves(true).uses(QUEUE, Does::Read).signals(QUEUE, 2);
            if waits {
                replay.waits(STREAM, 2);
            }
            replay.uses(STREAM, Does::Write);
            assert_eq!(replay.found, if waits { vec![] } else { vec![Rule::WrittenTooEarly] });
        }
    }

    #[test]
    fn what_the_host_waited_for_is_known_to_what_it_enqueues() {
        let mut replay = Replay::default();
        replay.uses(STREAM, Does::Write);
        replay.orders.host_waited_for(&|order| order == STREAM, &mut |_, _, _| {});
        replay.moves(true).uses(QUEUE, Does::Read);
        assert_eq!(replay.found, []);
    }

    /// As where OpenGL signals what a stream waits for: the host knows that a queue is done, which waited for the stream.
    #[test]
    fn what_a_finished_line_waited_for_is_done_too() {
        let mut replay = Replay::default();
        replay.push(STREAM, Step::Wait(Sem::Shared(2), None, Arc::default()));
        replay.uses(STREAM, Does::Write).signals(STREAM, 1);
        replay.waits(QUEUE, 1).moves(true).uses(QUEUE, Does::Read);
        let Replay { orders, memory, found } = &mut replay;
        for done in [QUEUE, STREAM] {
            orders.host_waited_for(&|order| order == done, &mut |orders, order, deed| {
                found.extend(memory.take(orders, order, deed).map(|problem| problem.rule));
            });
        }
        assert_eq!(replay.found, []);
    }

    #[test]
    fn a_kernel_that_has_what_vulkan_wrote_may_only_read_it() {
        for acquires in [true, false] {
            let mut replay = Replay::default();
            replay.uses(QUEUE, Does::Write).moves(false).signals(QUEUE, 1);
            replay.waits(STREAM, 1).uses(STREAM, Does::MayWrite);
            if acquires {
                replay.moves(true);
            }
            replay.uses(QUEUE, Does::Read);
            assert_eq!(replay.found, if acquires { vec![Rule::HandOver] } else { vec![] });
        }
    }

    #[test]
    fn a_signal_that_may_come_before_a_smaller_one_is_noted() {
        for waits in [true, false] {
            let mut replay = Replay::default();
            replay.signals(QUEUE, 1);
            if waits {
                replay.waits(STREAM, 1);
            }
            replay.signals(STREAM, 2);
            assert_eq!(replay.orders.overtakes.len(), usize::from(!waits));
        }
    }
}
