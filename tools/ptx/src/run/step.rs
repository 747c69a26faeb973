//! Runs the threads of a warp, step by step. If threads are at several places, those in the most recently called
//! function go on, and among these the ones at the first place, so that threads meet again. Every place gets its turn,
//! so threads of a warp may wait for each other.

use std::cmp::Reverse;
use std::sync::OnceLock;
use std::sync::atomic::{Ordering, fence};
use std::time::Instant;

use super::atomics::atomic;
use super::block::Block;
use super::fault::{Bad, FaultKind, bad};
use super::warp::{At, Wait, Warp, lanes, mask_of};
use crate::program::{Operation, Predicate, Source, Space, Vote};
use crate::spaces::pointer;
use crate::values::{Call, WARP, map};

/// The number of instructions after which another place of the warp has its turn.
const TURN: u32 = 2048;
/// After so many instructions another warp has its turn.
const SLICE: u32 = 4 * TURN;

/// How a warp continues after a step of some threads.
pub enum Next {
    /// The same threads go on, or other threads at the place where these are now.
    Go,
    /// It is chosen again who goes on.
    Choose,
    /// The warp's turn is over.
    Leave,
}

type Answer<T = ()> = Result<T, Bad>;

/// Where some threads are, and when they stop.
struct Group {
    mask: u32,
    pc: u32,
    base: u32,
    /// The next place where other threads are.
    limit: u32,
}

impl Block<'_> {
    /// Runs a warp until it waits or ends, or until another warp has its turn. Returns whether a thread sleeps or all wait.
    /// A fault is returned with the instruction that caused it.
    pub fn slice(&mut self, warp: &mut Warp, budget: &mut u32) -> Result<bool, (u32, Bad)> {
        let (all, mut is_idle) = (SLICE.min(*budget), false);
        let mut left = all;
        while left > 0 && !is_idle {
            let ready = warp.ready();
            if ready == 0 {
                is_idle = true;
                break;
            }
            let is_turn = left % TURN == 0 && left != all;
            let group = choose(warp, ready, is_turn);
            let most = if group.mask == ready { left } else { (left - 1) % TURN + 1 };
            let mut steps = most;
            is_idle = matches!(self.steps(warp, group, &mut steps)?, Next::Leave);
            left -= most - steps;
        }
        *budget -= all - left;
        Ok(is_idle)
    }

    /// Runs threads that are at the same place, until others are there or their places differ.
    fn steps(&mut self, warp: &mut Warp, group: Group, left: &mut u32) -> Result<Next, (u32, Bad)> {
        let program = &self.run.kernel.program;
        let Group { mut mask, mut pc, base, limit } = group;
        loop {
            if pc >= limit || *left == 0 {
                warp.jump(mask, pc);
                return Ok(Next::Choose);
            }
            *left -= 1;
            let instruction = &program.code[pc as usize];
            let mut at = At { pc, base, active: mask };
            if let Some(guard) = instruction.guard {
                at.active &= warp.truth(at, guard);
            }
            pc += 1;
            if at.active == 0 {
                continue;
            }
            // The two most frequent kinds are done here.
            match &instruction.operation {
                Operation::Compute { compute, to, from } => {
                    let from = from.map(|source| at.place(source));
                    let call = Call { from, to: at.place(*to), active: at.active, flags: compute.flags };
                    (compute.function)(&mut warp.file, &call);
                }
                Operation::Branch { to } if at.active == mask => pc = *to,
                other => match self.other(warp, &mut mask, at, other).map_err(|bad| (at.pc, bad))? {
                    Next::Go => {}
                    next => return Ok(next),
                },
            }
        }
    }

    /// Runs an instruction that is not a computation.
    fn other(&mut self, warp: &mut Warp, mask: &mut u32, at: At, operation: &Operation) -> Answer<Next> {
        let (active, next) = (at.active, at.pc + 1);
        match operation {
            Operation::Frame { to, offset, window } => {
                let places = map(&warp.frame, |frame| frame + offset);
                warp.set(at, *to, &places);
                warp.set_long(at, *to, &map(&places, |place| window | u64::from(place)));
            }
            Operation::Load { address, bytes, signed, to } => {
                self.load(warp, at, address, (*bytes, *signed), to)?
            }
            Operation::Store { address, bytes, from } => self.store(warp, at, address, *bytes, from)?,
            Operation::Copy { to, from, bytes, given } => self.copy(warp, at, [to, from], *bytes, *given)?,
            Operation::Atomic { address, operation, kind, to, b, c } => {
                let places = &mut [0; WARP];
                self.places(warp, at, address, kind.bytes(), true, places)?;
                let (mut old, is_shared) = ([0; WARP], address.space == Space::Shared);
                for lane in lanes(active) {
                    let operands = [b, c].map(|source| warp.value(at, *source, kind.bits() == 64, lane));
                    // SAFETY: `places` has checked each active lane's.
                    old[lane] =
                        unsafe { atomic(pointer(places[lane]), *operation, *kind, operands, is_shared) };
                }
                match to {
                    Some(to) if kind.bits() == 64 => warp.set_long(at, *to, &old),
                    Some(to) => warp.set(at, *to, &map(&old, |value| value as u32)),
                    None => {}
                }
            }
            Operation::Branch { to } => {
                warp.jump(*mask, next);
                warp.jump(active, *to);
                return Ok(Next::Choose);
            }
            Operation::BranchOf { to, index } => {
                let index = *warp.get(at, *index);
                warp.jump(*mask, next);
                for lane in lanes(active) {
                    let Some(to) = to.get(index[lane] as usize) else {
                        return bad(FaultKind::IllegalInstruction, lane, "a branch to no label of its list");
                    };
                    warp.pc[lane] = *to;
                }
                return Ok(Next::Choose);
            }
            Operation::Call { function, arguments, registers, frame, .. } => {
                warp.jump(*mask & !active, next);
                self.call(warp, at, *function, arguments, [*registers, *frame])?;
                return Ok(Next::Choose);
            }
            Operation::Return => {
                warp.jump(*mask, next);
                self.leave(warp, active);
                return Ok(Next::Choose);
            }
            Operation::Print { arguments, result } => self.print(warp, at, *arguments, *result)?,
            Operation::Assert { arguments } => return self.assert(warp, at, *arguments),
            Operation::Exit => {
                warp.alive &= !active;
                // Those that wait see whether it was for these.
                warp.syncing = 0;
                *mask &= !active;
                if *mask == 0 {
                    return Ok(Next::Choose);
                }
            }
            Operation::Trap => return bad(FaultKind::Trap, active.trailing_zeros() as usize, "trap"),
            Operation::Fence => fence(Ordering::SeqCst),
            Operation::Yield => {
                warp.jump(*mask, next);
                std::thread::yield_now();
                return Ok(Next::Leave);
            }
            Operation::Barrier { id, count, waits, reduce } => {
                self.arrive(warp, at, *id, *count, *waits, *reduce)?;
                warp.jump(*mask, next);
                return Ok(Next::Choose);
            }
            Operation::Together { what, members } => {
                let waits = self.meet(warp, at, what, *members, mask)?;
                if waits != 0 {
                    warp.jump(*mask, next);
                    warp.jump(waits, at.pc);
                    warp.syncing |= waits;
                    return Ok(Next::Choose);
                }
            }
            Operation::Clock { to, shift } => {
                let now = nanoseconds() >> shift;
                warp.set(at, *to, &[now as u32; WARP]);
                warp.set_long(at, *to, &[now; WARP]);
            }
            Operation::Image { .. } => self.access_image(warp, at, operation)?,
            Operation::Compute { .. } => unreachable!("a computation is done in `steps`"),
        }
        Ok(Next::Go)
    }

    /// Threads arrive at a barrier of the block.
    fn arrive(
        &mut self,
        warp: &mut Warp,
        at: At,
        id: Source,
        count: Option<Source>,
        waits: bool,
        reduce: Option<(Vote, Predicate, u32)>,
    ) -> Answer {
        let leader = at.active.trailing_zeros() as usize;
        let word = |source: Source| warp.get(at, source)[leader];
        let (id, count) = (word(id) as usize, count.map(word));
        let votes = reduce.map(|(_, value, _)| warp.truth(at, value));
        let Some(barrier) = self.barriers.get_mut(id) else {
            return bad(FaultKind::IllegalInstruction, leader, format!("the barrier {id}, of 16"));
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
            warp.waits.push(Wait { threads: at.active, id, result });
        }
        Ok(())
    }
}

/// Chooses the threads that go on: in their turn others than the first.
fn choose(warp: &mut Warp, ready: u32, is_turn: bool) -> Group {
    let first = ready.trailing_zeros() as usize;
    let is_first = |lane: usize| (warp.pc[lane], warp.base[lane]) == (warp.pc[first], warp.base[first]);
    let (pc, base) = (warp.pc[first], warp.base[first]);
    if (0..WARP).fold(0, |mask, lane| mask | u32::from(is_first(lane)) << lane) & ready == ready {
        return Group { mask: ready, pc, base, limit: u32::MAX };
    }
    let by_place = |lane: &usize| (Reverse(warp.base[*lane]), warp.pc[*lane]);
    let mut leader = lanes(ready).min_by_key(by_place).expect("a thread that is ready");
    if is_turn {
        warp.turn = (warp.turn + 7) % 32;
        let turned = ready.rotate_right(warp.turn);
        leader = (turned.trailing_zeros() + warp.turn) as usize % 32;
    }
    let (pc, base) = (warp.pc[leader], warp.base[leader]);
    let same_function = mask_of(lanes(ready).filter(|lane| warp.base[*lane] == base));
    let mask = mask_of(lanes(same_function).filter(|lane| warp.pc[*lane] == pc));
    let later = lanes(same_function).map(|lane| warp.pc[lane]).filter(|other| *other > pc && !is_turn);
    let limit = later.min().unwrap_or(u32::MAX);
    Group { mask, pc, base, limit }
}

/// The time since the first question.
fn nanoseconds() -> u64 {
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_nanos() as u64
}
