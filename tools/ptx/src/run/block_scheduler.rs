//! Chooses the block that runs next. A block that did not end in its turn waits for another turn. If all waiting blocks
//! had a turn and none ended, more blocks are started, since the waiting blocks may wait for the new ones.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

use super::kernel_fault::KernelFault;
use super::kernel_launch::RunningLaunch;
use super::thread_block::ThreadBlock;

/// A launch of at most this many threads runs in the caller's thread.
const INLINE_THREADS: u64 = 2048;
/// While the waiting blocks have this many bytes of memory, no other block starts.
const MAX_WAITING_BYTES: usize = 1 << 30;

struct BlockQueue<'a> {
    next: u64,
    blocks: u64,
    waiting: VecDeque<Box<ThreadBlock<'a>>>,
    /// The number of turns since a block ended or `credit` was renewed.
    fruitless: usize,
    /// How many new blocks may start before a waiting block has its turn.
    credit: usize,
    fault: Option<KernelFault>,
}

enum NextBlock<'a> {
    Start(u64),
    Resume(Box<ThreadBlock<'a>>),
    Done,
}

impl<'a> BlockQueue<'a> {
    fn choose_next_block(&mut self) -> NextBlock<'a> {
        if self.fruitless > self.waiting.len() && !self.waiting.is_empty() {
            let bytes: usize = self.waiting.iter().map(|block| block.block_memory_bytes()).sum();
            (self.fruitless, self.credit) =
                (0, if bytes < MAX_WAITING_BYTES { self.waiting.len() } else { 0 });
        }
        if self.next < self.blocks && (self.waiting.is_empty() || self.credit > 0) {
            self.credit = self.credit.saturating_sub(1);
            self.next += 1;
            return NextBlock::Start(self.next - 1);
        }
        self.waiting.pop_front().map_or(NextBlock::Done, NextBlock::Resume)
    }
}

fn lock_queue<'m, 'a>(queue: &'m Mutex<BlockQueue<'a>>) -> MutexGuard<'m, BlockQueue<'a>> {
    queue.lock().unwrap_or_else(PoisonError::into_inner)
}

pub fn run_blocks(run: &RunningLaunch, blocks: u64) -> Result<(), KernelFault> {
    let queue =
        BlockQueue { next: 0, blocks, waiting: VecDeque::new(), fruitless: 0, credit: 0, fault: None };
    let (queue, stop) = (Mutex::new(queue), AtomicBool::new(false));
    let threads: u32 = run.launch.block.iter().product();
    let workers = match run.launch.workers {
        _ if blocks.saturating_mul(threads.into()) <= INLINE_THREADS => 1,
        0 => thread::available_parallelism().map_or(1, usize::from),
        workers => workers,
    };
    let workers = workers.min(blocks.try_into().unwrap_or(usize::MAX));
    thread::scope(|scope| {
        for _ in 1..workers {
            // If the system cannot start another thread, there are fewer workers.
            _ = thread::Builder::new().spawn_scoped(scope, || run_worker_thread(run, &queue, &stop));
        }
        run_worker_thread(run, &queue, &stop);
    });
    lock_queue(&queue).fault.take().map_or(Ok(()), Err)
}

fn run_worker_thread<'a>(run: &'a RunningLaunch<'a>, queue: &Mutex<BlockQueue<'a>>, stop: &AtomicBool) {
    // The memory of a block that ended is used again for the next block.
    let mut spare: Option<Box<ThreadBlock>> = None;
    while !stop.load(Ordering::Relaxed) {
        let next = lock_queue(queue).choose_next_block();
        let mut block = match next {
            NextBlock::Start(index) => {
                let mut block = spare.take().unwrap_or_else(|| Box::new(ThreadBlock::new(run)));
                block.restart_with_block(index);
                block
            }
            NextBlock::Resume(block) => block,
            NextBlock::Done => return,
        };
        let turn = block.run_block_turn(stop);
        let mut queue = lock_queue(queue);
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
