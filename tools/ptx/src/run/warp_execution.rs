//! Runs the threads of a warp, step by step. If threads are at several places, those in the most recently called
//! function go on, and among these the ones at the first place, so that threads meet again. Every place gets its turn,
//! so threads of a warp may wait for each other.

use std::cmp::Reverse;
use std::sync::OnceLock;
use std::sync::atomic::{Ordering, fence};
use std::time::Instant;

use super::atomic_operations::apply_atomic;
use super::kernel_fault::{BoxedFault, FaultKind, FaultResult, thread_fault};
use super::thread_block::ThreadBlock;
use super::warp_state::{BarrierWait, ThreadGroup, Warp, lanes_in, mask_of_lanes};
use crate::alu::{OperandPlaces, WARP_SIZE, map_lanes};
use crate::program::address_spaces::pointer_to;
use crate::program::operations::{AddressSpace, Operation, Predicate, Register, VoteMode};

/// The number of instructions after which another place of the warp has its turn.
const TURN_INSTRUCTIONS: u32 = 2048;
/// After so many instructions another warp has its turn.
const SLICE_INSTRUCTIONS: u32 = 4 * TURN_INSTRUCTIONS;

/// How a warp continues after a step of some threads.
pub enum StepResult {
    /// The same threads go on, or other threads at the place where these are now.
    Go,
    /// It is chosen again who goes on.
    Choose,
    /// The warp's turn is over.
    Leave,
}

/// Where some threads are, and when they stop.
struct ScheduledGroup {
    mask: u32,
    pc: u32,
    base: u32,
    /// The next place where other threads are.
    limit: u32,
}

impl ThreadBlock<'_> {
    /// Runs a warp until it waits or ends, or until another warp has its turn. Returns whether a thread sleeps or all wait.
    /// A fault is returned with the instruction that caused it.
    pub fn run_slice(&mut self, warp: &mut Warp, budget: &mut u32) -> Result<bool, (u32, BoxedFault)> {
        let (all, mut is_idle) = (SLICE_INSTRUCTIONS.min(*budget), false);
        let mut left = all;
        while left > 0 && !is_idle {
            let ready = warp.ready_lanes();
            if ready == 0 {
                is_idle = true;
                break;
            }
            let is_turn = left % TURN_INSTRUCTIONS == 0 && left != all;
            let group = choose_group(warp, ready, is_turn);
            let most = if group.mask == ready { left } else { (left - 1) % TURN_INSTRUCTIONS + 1 };
            let mut steps = most;
            is_idle = matches!(self.run_group(warp, group, &mut steps)?, StepResult::Leave);
            left -= most - steps;
        }
        *budget -= all - left;
        Ok(is_idle)
    }

    /// Runs threads that are at the same place, until others are there or their places differ.
    fn run_group(
        &mut self,
        warp: &mut Warp,
        group: ScheduledGroup,
        left: &mut u32,
    ) -> Result<StepResult, (u32, BoxedFault)> {
        let program = &self.run.kernel.program;
        let ScheduledGroup { mut mask, mut pc, base, limit } = group;
        loop {
            if pc >= limit || *left == 0 {
                warp.jump_to(mask, pc);
                return Ok(StepResult::Choose);
            }
            *left -= 1;
            let instruction = &program.code[pc as usize];
            let mut at = ThreadGroup { pc, base, active: mask };
            if let Some(guard) = instruction.guard {
                at.active &= warp.predicate_mask(at, guard);
            }
            pc += 1;
            if at.active == 0 {
                continue;
            }
            // The two most frequent kinds are done here.
            match &instruction.operation {
                Operation::Compute { compute, to, from } => {
                    let from = from.map(|source| at.register_index(source));
                    let call = OperandPlaces {
                        from,
                        to: at.register_index(*to),
                        active: at.active,
                        flags: compute.flags,
                    };
                    (compute.function)(&mut warp.file, &call);
                }
                Operation::Branch { to } if at.active == mask => pc = *to,
                other => match self.run_operation(warp, &mut mask, at, other).map_err(|bad| (at.pc, bad))? {
                    StepResult::Go => {}
                    next => return Ok(next),
                },
            }
        }
    }

    /// Runs an instruction that is not a computation.
    fn run_operation(
        &mut self,
        warp: &mut Warp,
        mask: &mut u32,
        at: ThreadGroup,
        operation: &Operation,
    ) -> FaultResult<StepResult> {
        let (active, next) = (at.active, at.pc + 1);
        match operation {
            Operation::Frame { to, offset, window } => {
                let places = map_lanes(&warp.frame, |frame| frame + offset);
                warp.set_words(at, *to, &places);
                warp.set_longs(at, *to, &map_lanes(&places, |place| window | u64::from(place)));
            }
            Operation::Load { address, bytes, signed, to } => {
                self.load_lanes(warp, at, address, (*bytes, *signed), to)?
            }
            Operation::Store { address, bytes, from } => self.store_lanes(warp, at, address, *bytes, from)?,
            Operation::Copy { to, from, bytes, given } => {
                self.copy_async(warp, at, [to, from], *bytes, *given)?
            }
            Operation::Atomic { address, op, kind, to, b, c } => {
                let places = &mut [0; WARP_SIZE];
                self.find_addresses(warp, at, address, kind.bytes(), true, places)?;
                let (mut old, is_shared) = ([0; WARP_SIZE], address.space == AddressSpace::Shared);
                for lane in lanes_in(active) {
                    let operands = [b, c].map(|source| warp.lane_value(at, *source, kind.bits() == 64, lane));
                    // SAFETY: `places` has checked each active lane's.
                    old[lane] =
                        unsafe { apply_atomic(pointer_to(places[lane]), *op, *kind, operands, is_shared) };
                }
                match to {
                    Some(to) if kind.bits() == 64 => warp.set_longs(at, *to, &old),
                    Some(to) => warp.set_words(at, *to, &map_lanes(&old, |value| value as u32)),
                    None => {}
                }
            }
            Operation::Branch { to } => {
                warp.jump_to(*mask, next);
                warp.jump_to(active, *to);
                return Ok(StepResult::Choose);
            }
            Operation::BranchOf { to, index } => {
                let index = *warp.register_words(at, *index);
                warp.jump_to(*mask, next);
                for lane in lanes_in(active) {
                    let Some(to) = to.get(index[lane] as usize) else {
                        return thread_fault(
                            FaultKind::IllegalInstruction,
                            lane,
                            "a branch to no label of its list",
                        );
                    };
                    warp.pc[lane] = *to;
                }
                return Ok(StepResult::Choose);
            }
            Operation::Call { function, arguments, registers, frame, .. } => {
                warp.jump_to(*mask & !active, next);
                self.call_function(warp, at, *function, arguments, [*registers, *frame])?;
                return Ok(StepResult::Choose);
            }
            Operation::Return => {
                warp.jump_to(*mask, next);
                self.return_from_call(warp, active);
                return Ok(StepResult::Choose);
            }
            Operation::Print { arguments, result } => self.run_printf(warp, at, *arguments, *result)?,
            Operation::Allocate { size, result } => {
                for lane in lanes_in(active) {
                    let bytes = self.read_argument(warp, lane, *size, 8)?;
                    let address = self.run.kernel.heap.allocate_bytes(bytes);
                    self.write_result(warp, lane, *result, (address, 8))?;
                }
            }
            Operation::Free { address } => {
                for lane in lanes_in(active) {
                    self.run.kernel.heap.free_allocation(self.read_argument(warp, lane, *address, 8)?);
                }
            }
            Operation::Assert { arguments } => return self.run_assert(warp, at, *arguments),
            Operation::Exit => {
                warp.alive &= !active;
                // Those that wait see whether it was for these.
                warp.syncing = 0;
                *mask &= !active;
                if *mask == 0 {
                    return Ok(StepResult::Choose);
                }
            }
            Operation::Trap => {
                return thread_fault(FaultKind::Trap, active.trailing_zeros() as usize, "trap");
            }
            Operation::Fence => fence(Ordering::SeqCst),
            Operation::Yield => {
                warp.jump_to(*mask, next);
                std::thread::yield_now();
                return Ok(StepResult::Leave);
            }
            Operation::Barrier { id, count, wait, reduce } => {
                self.arrive_at_barrier(warp, at, *id, *count, *wait, *reduce)?;
                warp.jump_to(*mask, next);
                return Ok(StepResult::Choose);
            }
            Operation::Collective { collective, members } => {
                let waits = self.run_collective(warp, at, collective, *members, mask)?;
                if waits != 0 {
                    warp.jump_to(*mask, next);
                    warp.jump_to(waits, at.pc);
                    warp.syncing |= waits;
                    return Ok(StepResult::Choose);
                }
            }
            Operation::Clock { to, shift } => {
                let now = nanoseconds_since_start() >> shift;
                warp.set_words(at, *to, &[now as u32; WARP_SIZE]);
                warp.set_longs(at, *to, &[now; WARP_SIZE]);
            }
            Operation::Image { .. } => self.run_image_op(warp, at, operation)?,
            Operation::Compute { .. } => unreachable!("a computation is done in `run_group`"),
        }
        Ok(StepResult::Go)
    }

    /// Threads arrive at a barrier of the block.
    fn arrive_at_barrier(
        &mut self,
        warp: &mut Warp,
        at: ThreadGroup,
        id: Register,
        count: Option<Register>,
        waits: bool,
        reduce: Option<(VoteMode, Predicate, u32)>,
    ) -> FaultResult {
        let leader = at.active.trailing_zeros() as usize;
        let word = |source: Register| warp.register_words(at, source)[leader];
        let (id, count) = (word(id) as usize, count.map(word));
        let votes = reduce.map(|(_, value, _)| warp.predicate_mask(at, value));
        let Some(barrier) = self.barriers.get_mut(id) else {
            return thread_fault(FaultKind::IllegalInstruction, leader, format!("the barrier {id}, of 16"));
        };
        // A count is one of whole warps.
        let is_whole = count.is_some() && at.active == warp.alive;
        barrier.arrived += if is_whole { 32 } else { at.active.count_ones() };
        barrier.expected = count;
        if let Some(votes) = votes {
            barrier.yes += (votes & at.active).count_ones();
            barrier.no += (!votes & at.active).count_ones();
        }
        if waits {
            warp.blocked |= at.active;
            let result = reduce.map(|(kind, _, to)| (kind, at.base + to));
            warp.waits.push(BarrierWait { threads: at.active, id, result });
        }
        Ok(())
    }
}

/// Chooses the threads that go on: in their turn others than the first.
fn choose_group(warp: &mut Warp, ready: u32, is_turn: bool) -> ScheduledGroup {
    let first = ready.trailing_zeros() as usize;
    let is_first = |lane: usize| (warp.pc[lane], warp.base[lane]) == (warp.pc[first], warp.base[first]);
    let (pc, base) = (warp.pc[first], warp.base[first]);
    if (0..WARP_SIZE).fold(0, |mask, lane| mask | u32::from(is_first(lane)) << lane) & ready == ready {
        return ScheduledGroup { mask: ready, pc, base, limit: u32::MAX };
    }
    let by_place = |lane: &usize| (Reverse(warp.base[*lane]), warp.pc[*lane]);
    let mut leader = lanes_in(ready).min_by_key(by_place).expect("a thread that is ready");
    if is_turn {
        warp.turn = (warp.turn + 7) % 32;
        let turned = ready.rotate_right(warp.turn);
        leader = (turned.trailing_zeros() + warp.turn) as usize % 32;
    }
    let (pc, base) = (warp.pc[leader], warp.base[leader]);
    let same_function = mask_of_lanes(lanes_in(ready).filter(|lane| warp.base[*lane] == base));
    let mask = mask_of_lanes(lanes_in(same_function).filter(|lane| warp.pc[*lane] == pc));
    let later = lanes_in(same_function).map(|lane| warp.pc[lane]).filter(|other| *other > pc && !is_turn);
    let limit = later.min().unwrap_or(u32::MAX);
    ScheduledGroup { mask, pc, base, limit }
}

/// The time since the first question.
fn nanoseconds_since_start() -> u64 {
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_nanos() as u64
}
