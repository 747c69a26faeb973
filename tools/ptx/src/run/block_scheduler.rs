//! Runs a kernel's blocks in turns and, in a block's turn, its warps in turns. A block that has not ended after its
//! turn goes to the queue `waiting`. New blocks start in two cases:
//! - `waiting` is empty.
//! - All blocks in `waiting` have had a turn, none has ended, and their memory is less than `MAX_WAITING_BYTES`. The
//!   blocks in `waiting` may need a block that has not started.

use std::collections::VecDeque;
use std::mem::take;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

use super::kernel_fault::{FaultKind, KernelFault, ThreadFault};
use super::kernel_launch::{DeviceMemory, LaunchParams, RunningLaunch};
use super::thread_block::{BlockBarrier, RunningWarp, ThreadBlock, ThreadGroup, Warp};
use crate::alu::{WARP_SIZE, lanes_in};
use crate::program::operations::{Kernel, Operation, VoteMode, WarpCollective};
use crate::program::special_registers::grid_coordinates;

/// A launch of at most this many CUDA threads runs only in the thread that calls [`Kernel::run`].
const INLINE_THREADS: u64 = 2048;
/// `choose_next_block` does not renew `credit` while the blocks in `waiting` have this many bytes of memory or more.
const MAX_WAITING_BYTES: usize = 1 << 30;
/// The number of instructions after which a block's turn ends, counted over all its warps.
const TURN_INSTRUCTIONS: u32 = 1 << 18;

struct BlockQueue<'a> {
    next: u64,
    blocks: u64,
    waiting: VecDeque<Box<ThreadBlock<'a>>>,
    /// The number of turns since a block last ended, or since `choose_next_block` last reset this number.
    fruitless: usize,
    /// How many new blocks may start before a block in `waiting` has its next turn.
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

impl Kernel {
    /// Runs the kernel until it ends or has a fault.
    ///
    /// # Panics
    ///
    /// Panics if the number or the sizes of the arguments are not those of the parameters, if a block has no thread or
    /// more than 1,024, or if the number of blocks does not fit 64 bits.
    pub fn run(&self, launch: &LaunchParams, memory: &dyn DeviceMemory) -> Result<(), KernelFault> {
        let threads = launch.block.iter().fold(1_u64, |product, size| product.saturating_mul((*size).into()));
        assert!((1..=1024).contains(&threads), "a block of {threads} threads");
        let blocks = launch.grid.iter().try_fold(1_u64, |product, size| product.checked_mul((*size).into()));
        let blocks = blocks.expect("a grid of so many blocks");
        let parameters = self.lay_out_arguments(launch.arguments);
        let run = &RunningLaunch { kernel: self, launch, memory, parameters };
        let queue =
            BlockQueue { next: 0, blocks, waiting: VecDeque::new(), fruitless: 0, credit: 0, fault: None };
        let (queue, stop) = (Mutex::new(queue), AtomicBool::new(false));
        let workers = match launch.workers {
            _ if blocks.saturating_mul(threads) <= INLINE_THREADS => 1,
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

    fn lay_out_arguments(&self, arguments: &[&[u8]]) -> Vec<u64> {
        assert_eq!(arguments.len(), self.parameters.len(), "arguments");
        let mut bytes = Vec::new();
        for (argument, parameter) in arguments.iter().zip(&self.parameters) {
            assert_eq!(argument.len(), parameter.size, "the bytes of an argument");
            bytes.resize(bytes.len().next_multiple_of(parameter.alignment), 0);
            bytes.extend_from_slice(argument);
        }
        bytes.resize(bytes.len().next_multiple_of(8), 0);
        let words = bytes.chunks_exact(8);
        words.map(|word| u64::from_ne_bytes(word.try_into().expect("eight bytes"))).collect()
    }
}

fn run_worker_thread<'a>(run: &'a RunningLaunch<'a>, queue: &Mutex<BlockQueue<'a>>, stop: &AtomicBool) {
    // A block that has ended. Its memory is for the next block that this worker starts.
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

impl ThreadBlock<'_> {
    /// Runs the block until the block ends, its turn is over, or `stop` is true. Returns false if its turn is over.
    pub fn run_block_turn(&mut self, stop: &AtomicBool) -> Result<bool, KernelFault> {
        let mut left = TURN_INSTRUCTIONS;
        loop {
            let (mut ran, mut all_idle) = (false, true);
            for number in 0..self.warps.len() {
                if self.warps[number].ready_lanes() == 0 && !self.release_warp_barriers(number) {
                    continue;
                }
                ran = true;
                let (warp, places) = (take(&mut self.warps[number]), [0; WARP_SIZE]);
                let mut running = RunningWarp { block: self, warp, mask: 0, places };
                let result = running.run_warp_slice(&mut left);
                let warp = running.warp;
                let result = result.map_err(|bad| self.locate_fault(&warp, warp.at.pc, *bad));
                self.warps[number] = warp;
                // The block is not idle if a barrier opens, since threads of other warps become ready.
                let is_idle = result?;
                all_idle &= !self.open_full_barriers() && is_idle;
            }
            if stop.load(Ordering::Relaxed) || self.warps.iter().all(|warp| warp.alive == 0) {
                return Ok(true);
            }
            if !ran {
                return Err(self.deadlock_fault());
            }
            let is_any_ready = self.warps.iter().any(|warp| warp.ready_lanes() != 0);
            if left == 0 || (all_idle && is_any_ready) {
                return Ok(false);
            }
        }
    }

    /// Releases the threads of a warp if all threads that have not exited wait at `bar.warp.sync` instructions. The
    /// threads may wait at different instructions. Returns whether the threads were released.
    fn release_warp_barriers(&mut self, number: usize) -> bool {
        let (program, warp) = (&self.run.kernel.program, &mut self.warps[number]);
        let is_barrier = |lane: usize| {
            let operation = &program.code[warp.pc[lane] as usize].operation;
            matches!(operation, Operation::Collective { collective: WarpCollective::Barrier, .. })
        };
        let joins = warp.syncing != 0 && warp.syncing == warp.alive && lanes_in(warp.syncing).all(is_barrier);
        if joins {
            lanes_in(warp.syncing).for_each(|lane| warp.pc[lane] += 1);
            warp.syncing = 0;
        }
        joins
    }

    fn deadlock_fault(&self) -> KernelFault {
        let warp = self.warps.iter().find(|warp| warp.alive != 0).expect("a warp that is alive");
        let lane = warp.alive.trailing_zeros() as usize;
        // The pc of a thread that waits at a barrier of the block is already that of the next instruction.
        let pc = warp.pc[lane].saturating_sub(u32::from(warp.blocked >> lane & 1 == 1));
        let what = "threads wait for others, which do not come".to_owned();
        self.locate_fault(warp, pc, ThreadFault { kind: FaultKind::Deadlock, lane, what })
    }

    fn locate_fault(&self, warp: &Warp, pc: u32, bad: ThreadFault) -> KernelFault {
        let kernel = self.run.kernel;
        KernelFault {
            kind: bad.kind,
            kernel: kernel.name.clone(),
            line: kernel.program.code.get(pc as usize).map_or(0, |instruction| instruction.line),
            block: self.place.index,
            thread: grid_coordinates(u64::from(warp.number) * 32 + bad.lane as u64, self.run.launch.block),
            what: bad.what,
        }
    }

    /// Opens the barriers at which enough threads have arrived. Returns whether one has opened.
    fn open_full_barriers(&mut self) -> bool {
        let mut is_open = false;
        let alive: u32 = self.warps.iter().map(|warp| warp.alive.count_ones()).sum();
        for (id, barrier) in self.barriers.iter_mut().enumerate() {
            if barrier.arrived == 0 || barrier.arrived < barrier.expected.unwrap_or(alive) {
                continue;
            }
            for warp in &mut self.warps {
                let waits = take(&mut warp.waits);
                let (open, still) = waits.into_iter().partition::<Vec<_>, _>(|wait| wait.id == id);
                warp.waits = still;
                for wait in open {
                    warp.blocked &= !wait.threads;
                    let Some((kind, register)) = wait.result else { continue };
                    warp.at = ThreadGroup { base: register, active: wait.threads, ..ThreadGroup::default() };
                    match kind {
                        VoteMode::Ballot => warp.set_words(0, &[barrier.yes; WARP_SIZE]),
                        VoteMode::All => warp.set_predicate(0, if barrier.no == 0 { !0 } else { 0 }),
                        _ => warp.set_predicate(0, if barrier.yes == 0 { 0 } else { !0 }),
                    }
                }
            }
            *barrier = BlockBarrier::default();
            is_open = true;
        }
        is_open
    }
}
