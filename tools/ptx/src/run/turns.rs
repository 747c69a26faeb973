//! Chooses the block that runs next. A block that did not end in its turn waits for another turn. If none of the
//! waiting blocks ends in a round, more blocks are started, since the waiting blocks may wait for them.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

use super::block::Block;
use super::fault::Fault;
use super::launch::Run;

/// A launch of fewer threads runs in the caller's thread.
const SMALL: u64 = 2048;
/// The blocks that have started use at most so many bytes.
const LARGEST: usize = 1 << 30;

struct Queue<'a> {
    /// The next block to start.
    next: u64,
    blocks: u64,
    waiting: VecDeque<Box<Block<'a>>>,
    /// The turns since a block ended.
    fruitless: usize,
    /// How many blocks may start before those that wait.
    credit: usize,
    fault: Option<Fault>,
}

enum Next<'a> {
    Start(u64),
    Resume(Box<Block<'a>>),
    Done,
}

impl<'a> Queue<'a> {
    fn next(&mut self) -> Next<'a> {
        if self.fruitless > self.waiting.len() && !self.waiting.is_empty() {
            let bytes: usize = self.waiting.iter().map(|block| block.bytes()).sum();
            (self.fruitless, self.credit) = (0, if bytes < LARGEST { self.waiting.len() } else { 0 });
        }
        if self.next < self.blocks && (self.waiting.is_empty() || self.credit > 0) {
            self.credit = self.credit.saturating_sub(1);
            self.next += 1;
            return Next::Start(self.next - 1);
        }
        self.waiting.pop_front().map_or(Next::Done, Next::Resume)
    }
}

fn lock<'m, 'a>(queue: &'m Mutex<Queue<'a>>) -> MutexGuard<'m, Queue<'a>> {
    queue.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs all blocks.
pub fn run(run: &Run, blocks: u64) -> Result<(), Fault> {
    let queue = Queue { next: 0, blocks, waiting: VecDeque::new(), fruitless: 0, credit: 0, fault: None };
    let (queue, stop) = (Mutex::new(queue), AtomicBool::new(false));
    let threads: u32 = run.launch.block.iter().product();
    let workers = match run.launch.workers {
        _ if blocks.saturating_mul(threads.into()) <= SMALL => 1,
        0 => thread::available_parallelism().map_or(1, usize::from),
        workers => workers,
    };
    let workers = workers.min(blocks.try_into().unwrap_or(usize::MAX));
    thread::scope(|scope| {
        for _ in 1..workers {
            scope.spawn(|| work(run, &queue, &stop));
        }
        work(run, &queue, &stop);
    });
    lock(&queue).fault.take().map_or(Ok(()), Err)
}

fn work<'a>(run: &'a Run<'a>, queue: &Mutex<Queue<'a>>, stop: &AtomicBool) {
    // A block that ended is started again as another one.
    let mut spare: Option<Box<Block>> = None;
    while !stop.load(Ordering::Relaxed) {
        let next = lock(queue).next();
        let mut block = match next {
            Next::Start(index) => {
                let mut block = spare.take().unwrap_or_else(|| Box::new(Block::new(run)));
                block.start(index);
                block
            }
            Next::Resume(block) => block,
            Next::Done => return,
        };
        let turn = block.turn(stop);
        let mut queue = lock(queue);
        match turn {
            Ok(true) => {
                queue.fruitless = 0;
                spare = Some(block);
            }
            Ok(false) => {
                queue.fruitless += 1;
                queue.waiting.push_back(block);
            }
            Err(fault) => {
                stop.store(true, Ordering::Relaxed);
                queue.fault.get_or_insert(fault);
            }
        }
    }
}
