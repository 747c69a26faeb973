//! Runs the threads of a warp, also if the threads are at different instructions.

use std::cmp::Reverse;
use std::sync::OnceLock;
use std::sync::atomic::{Ordering, fence};
use std::time::Instant;

use super::atomic_operations::{atomic_result, update_atomic};
use super::kernel_fault::{FaultKind, FaultResult, thread_fault};
use super::thread_block::{BarrierWait, RunningWarp, ThreadGroup, Warp};
use crate::alu::{OperandPlaces, WARP_SIZE, lanes_in, map_lanes, mask_of_lanes};
use crate::program::address_spaces::host_pointer_to;
use crate::program::operations::{AddressSpace, Operation, Register};

/// The number of instructions after which threads at another instruction have their turn.
const TURN_INSTRUCTIONS: u32 = 2048;
/// The number of instructions after which another warp has its turn.
const SLICE_INSTRUCTIONS: u32 = 4 * TURN_INSTRUCTIONS;

pub enum WarpStepResult {
    /// The threads in `mask` continue with the next instruction.
    Go,
    /// The threads jumped, wait, ended or reached a limit: `choose_group` must choose the threads that run next.
    Choose,
    /// The warp's turn is over.
    Leave,
}

impl RunningWarp<'_, '_> {
    /// Runs the warp until its turn ends. Returns whether a thread yielded or no thread is ready.
    pub fn run_warp_slice(&mut self, budget: &mut u32) -> FaultResult<bool> {
        let (all, mut is_idle) = (SLICE_INSTRUCTIONS.min(*budget), false);
        let mut left = all;
        while left > 0 && !is_idle {
            let ready = self.warp.ready_lanes();
            if ready == 0 {
                is_idle = true;
                break;
            }
            let is_turn = left % TURN_INSTRUCTIONS == 0 && left != all;
            let (group, limit) = choose_group(&mut self.warp, ready, is_turn);
            let most = if group.active == ready { left } else { (left - 1) % TURN_INSTRUCTIONS + 1 };
            let mut steps = most;
            is_idle = matches!(self.run_group(group, limit, &mut steps)?, WarpStepResult::Leave);
            left -= most - steps;
        }
        *budget -= all - left;
        Ok(is_idle)
    }

    /// Runs the threads of `group`, which are at the same instruction. Each instruction reduces `left` by 1. Stops in
    /// three cases: the next instruction is `limit` or a later one, `left` is 0, or `run_operation` does not return
    /// `Go`.
    fn run_group(&mut self, group: ThreadGroup, limit: u32, left: &mut u32) -> FaultResult<WarpStepResult> {
        let program = &self.block.run.kernel.program;
        let mut pc = group.pc;
        self.mask = group.active;
        loop {
            if pc >= limit || *left == 0 {
                self.warp.jump_to(self.mask, pc);
                return Ok(WarpStepResult::Choose);
            }
            *left -= 1;
            let instruction = &program.code[pc as usize];
            let mut at = ThreadGroup { pc, active: self.mask, ..group };
            if let Some((predicate, not)) = instruction.guard {
                let bits = self.warp.file.predicates[at.register_index(predicate)];
                at.active &= if not { !bits } else { bits };
            }
            pc += 1;
            if at.active == 0 {
                continue;
            }
            // The most frequent operations run here, without a call of `run_operation`.
            match &instruction.operation {
                Operation::Compute { compute, to, from } => {
                    let from = from.map(|source| at.register_index(source));
                    let to = at.register_index(*to);
                    let places = OperandPlaces { from, to, active: at.active, flags: compute.flags };
                    (compute.function)(&mut self.warp.file, &places);
                }
                Operation::Branch { to } if at.active == self.mask => pc = *to,
                other => {
                    self.warp.at = at;
                    match self.run_operation(other)? {
                        WarpStepResult::Go => {}
                        next => return Ok(next),
                    }
                }
            }
        }
    }

    fn run_operation(&mut self, operation: &Operation) -> FaultResult<WarpStepResult> {
        let warp = &mut self.warp;
        let (active, next) = (warp.at.active, warp.at.pc + 1);
        let leader = active.trailing_zeros() as usize;
        match operation {
            Operation::Frame { to, offset, window } => {
                let places = map_lanes(&warp.frame, |frame| frame + offset);
                warp.set_words(*to, &places);
                warp.set_longs(*to, &map_lanes(&places, |place| window | u64::from(place)));
            }
            Operation::Load { from, kind, to } => self.load_lanes(from, *kind, to)?,
            Operation::Store { to, kind, from } => self.store_lanes(to, *kind, from)?,
            Operation::Copy { to, from, bytes, count } => self.copy_async([to, from], *bytes, *count)?,
            Operation::Atomic { address, op, kind, to, b, c } => {
                self.resolve_addresses(address, kind.bytes(), true)?;
                let (mut old, is_long) = ([0; WARP_SIZE], kind.bits() == 64);
                let is_shared = address.space == AddressSpace::Shared;
                for lane in lanes_in(active) {
                    let operands = [*b, *c].map(|source| self.warp.lane_value((source, is_long), lane));
                    let place = host_pointer_to(self.places[lane]);
                    let change = |old| atomic_result(*op, *kind, old, operands, is_shared);
                    // SAFETY: `resolve_addresses` has checked that the place of each active lane is aligned and valid.
                    old[lane] = unsafe { update_atomic(place, kind.bits(), change) };
                }
                if let Some(to) = to {
                    self.warp.set_sized((*to, is_long), &old);
                }
            }
            Operation::Branch { to } => {
                warp.jump_to(self.mask, next);
                warp.jump_to(active, *to);
                return Ok(WarpStepResult::Choose);
            }
            Operation::BranchOf { to, index } => {
                let index = *warp.register_words(*index);
                warp.jump_to(self.mask, next);
                for lane in lanes_in(active) {
                    let Some(to) = to.get(index[lane] as usize) else {
                        let what = "a branch to no label of its list";
                        return thread_fault(FaultKind::IllegalInstruction, lane, what);
                    };
                    warp.pc[lane] = *to;
                }
                return Ok(WarpStepResult::Choose);
            }
            Operation::Call { function, arguments, registers, frame, .. } => {
                warp.jump_to(self.mask & !active, next);
                self.call_function(*function, arguments, [*registers, *frame])?;
                return Ok(WarpStepResult::Choose);
            }
            Operation::Return => {
                warp.jump_to(self.mask, next);
                self.return_from_call();
                return Ok(WarpStepResult::Choose);
            }
            Operation::Print { arguments, result } => self.run_printf(*arguments, *result)?,
            Operation::Allocate { size, result } => {
                for lane in lanes_in(active) {
                    let bytes = self.read_call_argument(lane, *size, 8)?;
                    let address = self.block.run.kernel.memory.heap.allocate_bytes(bytes);
                    self.write_call_result(lane, *result, address, 8)?;
                }
            }
            Operation::Free { address } => {
                for lane in lanes_in(active) {
                    let address = self.read_call_argument(lane, *address, 8)?;
                    self.block.run.kernel.memory.heap.free_allocation(address);
                }
            }
            Operation::Assert { arguments } => return self.run_assert(*arguments),
            Operation::Exit => {
                warp.alive &= !active;
                // The threads that wait in a collective try again: they may wait only for the threads that exit here.
                warp.syncing = 0;
                self.mask &= !active;
                if self.mask == 0 {
                    return Ok(WarpStepResult::Choose);
                }
            }
            Operation::Trap => return thread_fault(FaultKind::Trap, leader, "trap"),
            Operation::Fence => fence(Ordering::SeqCst),
            Operation::Yield => {
                warp.jump_to(self.mask, next);
                std::thread::yield_now();
                return Ok(WarpStepResult::Leave);
            }
            Operation::Barrier { id, count, wait, reduce } => {
                let word = |source: Register| warp.register_words(source)[leader];
                let (id, count) = (word(*id) as usize, count.map(word));
                let Some(barrier) = self.block.barriers.get_mut(id) else {
                    let what = format!("the barrier {id}, of 16");
                    return thread_fault(FaultKind::IllegalInstruction, leader, what);
                };
                // For a barrier with a count, a warp that arrives whole counts as 32 threads, even if it has fewer.
                let is_whole = count.is_some() && active == warp.alive;
                barrier.arrived += if is_whole { 32 } else { active.count_ones() };
                barrier.expected = count;
                if let Some((_, value, _)) = reduce {
                    let votes = warp.predicate_mask(*value);
                    barrier.yes += (votes & active).count_ones();
                    barrier.no += (!votes & active).count_ones();
                }
                if *wait {
                    warp.blocked |= active;
                    let result = reduce.map(|(kind, _, to)| (kind, warp.at.base + to));
                    warp.waits.push(BarrierWait { threads: active, id, result });
                }
                warp.jump_to(self.mask, next);
                return Ok(WarpStepResult::Choose);
            }
            Operation::Collective { collective, members } => {
                let waits = self.run_collective(collective, *members)?;
                if waits != 0 {
                    let warp = &mut self.warp;
                    warp.jump_to(self.mask, next);
                    warp.jump_to(waits, next - 1);
                    warp.syncing |= waits;
                    return Ok(WarpStepResult::Choose);
                }
            }
            Operation::Clock { to, shift } => {
                static START: OnceLock<Instant> = OnceLock::new();
                let now = START.get_or_init(Instant::now).elapsed().as_nanos() as u64 >> shift;
                warp.set_words(*to, &[now as u32; WARP_SIZE]);
                warp.set_longs(*to, &[now; WARP_SIZE]);
            }
            Operation::Image(image) => self.run_image_op(image)?,
            Operation::Compute { .. } => unreachable!("a computation is done in `run_group`"),
        }
        Ok(WarpStepResult::Go)
    }
}

/// Returns the threads that run next, and the instruction before which they stop, or `u32::MAX` if there is none.
///
/// The threads in the innermost call run first. Among these threads, those at the lowest instruction run first: the
/// threads of a warp can then meet again at a later instruction. If `is_turn` is true, the choice rotates among all
/// threads, so that no thread waits forever.
fn choose_group(warp: &mut Warp, ready: u32, is_turn: bool) -> (ThreadGroup, u32) {
    let first = ready.trailing_zeros() as usize;
    let is_at = |lane: usize, pc: u32, base: u32| (warp.pc[lane], warp.base[lane]) == (pc, base);
    let (pc, base) = (warp.pc[first], warp.base[first]);
    if (0..WARP_SIZE).fold(0, |mask, lane| mask | u32::from(is_at(lane, pc, base)) << lane) & ready == ready {
        return (ThreadGroup { pc, base, read_only: warp.read_only[first], active: ready }, u32::MAX);
    }
    let by_place = |lane: &usize| (Reverse(warp.base[*lane]), warp.pc[*lane]);
    let mut leader = lanes_in(ready).min_by_key(by_place).expect("a thread that is ready");
    if is_turn {
        warp.turn = (warp.turn + 7) % 32;
        let turned = ready.rotate_right(warp.turn);
        leader = (turned.trailing_zeros() + warp.turn) as usize % 32;
    }
    let (pc, base) = (warp.pc[leader], warp.base[leader]);
    let active = mask_of_lanes(lanes_in(ready).filter(|lane| is_at(*lane, pc, base)));
    let same_function = lanes_in(ready).filter(|lane| warp.base[*lane] == base);
    let later = same_function.map(|lane| warp.pc[lane]).filter(|other| *other > pc && !is_turn);
    (ThreadGroup { pc, base, read_only: warp.read_only[leader], active }, later.min().unwrap_or(u32::MAX))
}
