//! The threads of a warp, step by step. Of several places where threads are, the one in the function that was called last, and there
//! the first one, goes on, so that threads meet again. Every place has its turn, so threads of a warp may wait for each other.

use std::cmp::Reverse;
use std::sync::OnceLock;
use std::sync::atomic::{Ordering, fence};
use std::time::Instant;

use super::atomics::atomic;
use super::block::{Block, Slice};
use super::fault::{Bad, FaultKind, bad};
use super::warp::{At, Wait, Warp, bits};
use super::{lanes, mask_of};
use crate::program::{Operation, Predicate, Source, Space, Vote};
use crate::spaces::{LOCAL, WINDOW};

/// After so many instructions another place of the warp has its turn.
const TURN: u32 = 2048;
/// After so many instructions another warp has its turn.
const SLICE: u32 = 4 * TURN;

/// What the steps of some threads end with.
pub enum Next {
    /// The threads go on, or others at the place where they are now.
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
    at: At,
    /// The next place where other threads are.
    limit: u32,
}

impl Block<'_> {
    /// Runs a warp until it waits, ends, or others have their turn. A fault comes with its instruction.
    pub fn slice(&mut self, warp: &mut Warp, budget: &mut u32) -> Result<Slice, (u32, Bad)> {
        let all = SLICE.min(*budget);
        let mut left = all;
        while left > 0 {
            let ready = warp.ready();
            if ready == 0 {
                *budget -= all - left;
                return Ok(Slice::Idle);
            }
            let is_turn = left % TURN == 0 && left != all;
            let mut group = choose(warp, ready, is_turn);
            let most = if group.mask == ready { left } else { (left - 1) % TURN + 1 };
            let mut steps = most;
            let next = self.steps(warp, &mut group, &mut steps).map_err(|bad| (group.at.pc, bad))?;
            left -= most - steps;
            if matches!(next, Next::Leave) {
                *budget -= all - left;
                return Ok(Slice::Idle);
            }
        }
        *budget -= all;
        Ok(Slice::Over)
    }

    /// Runs threads that are at the same place, until others are there or their places differ.
    fn steps(&mut self, warp: &mut Warp, group: &mut Group, left: &mut u32) -> Answer<Next> {
        let program = &self.run.kernel.program;
        let base = group.at.base;
        let mut pc = group.at.pc;
        loop {
            if pc >= group.limit || *left == 0 {
                warp.jump(group.mask, pc);
                return Ok(Next::Choose);
            }
            *left -= 1;
            let instruction = &program.code[pc as usize];
            let active = match instruction.guard {
                None => group.mask,
                Some(guard) => group.mask & truth(self, warp, base, guard),
            };
            group.at = At { pc, base, active };
            pc += 1;
            if active == 0 {
                continue;
            }
            // The two most frequent kinds are done here.
            match &instruction.operation {
                Operation::Compute { compute, to, from } => {
                    let operands = from.map(|source| warp.get(program, base, source));
                    let mut values = [0; 32];
                    (compute.function)(&operands, &mut values, compute.flags);
                    warp.set(group.at, *to, &values);
                }
                Operation::Branch { to } if active == group.mask => pc = *to,
                other => match self.other(warp, group, pc, other)? {
                    Next::Go => {}
                    next => return Ok(next),
                },
            }
        }
    }

    /// Does what is not a computation. `next` is the place behind the instruction.
    fn other(
        &mut self,
        warp: &mut Warp,
        group: &mut Group,
        next: u32,
        operation: &Operation,
    ) -> Answer<Next> {
        let at = group.at;
        let active = at.active;
        match operation {
            Operation::Frame { to, offset, generic } => {
                let window = if *generic { LOCAL << WINDOW } else { 0 };
                let values = warp.frame.map(|frame| window | u64::from(frame + offset));
                warp.set(at, *to, &values);
            }
            Operation::Load { address, bytes, signed, to } => {
                self.load(warp, at, address, *bytes, *signed, to)?
            }
            Operation::Store { address, bytes, from } => self.store(warp, at, address, *bytes, from)?,
            Operation::Copy { to, from, bytes, given } => self.copy(warp, at, [to, from], *bytes, *given)?,
            Operation::Atomic { address, operation, kind, to, b, c } => {
                let pointers = self.pointers(warp, at, address, kind.bytes(), true)?;
                let [b, c] = [*b, *c].map(|source| self.get(warp, at, source));
                let (mut old, is_shared) = ([0; 32], address.space == Space::Shared);
                for lane in lanes(active) {
                    let operands = [b[lane], c[lane]];
                    // SAFETY: `pointers` has checked each active lane's.
                    old[lane] = unsafe { atomic(pointers[lane], *operation, *kind, operands, is_shared) };
                }
                if let Some(to) = to {
                    warp.set(at, *to, &old);
                }
            }
            Operation::Branch { to } => {
                warp.jump(group.mask, next);
                warp.jump(active, *to);
                return Ok(Next::Choose);
            }
            Operation::BranchOf { to, index } => {
                let index = *self.get(warp, at, *index);
                warp.jump(group.mask, next);
                for lane in lanes(active) {
                    let Some(to) = to.get(index[lane] as u32 as usize) else {
                        return bad(FaultKind::IllegalInstruction, lane, "a branch to no label of its list");
                    };
                    warp.pc[lane] = *to;
                }
                return Ok(Next::Choose);
            }
            Operation::Call { function, arguments, registers, frame, .. } => {
                warp.jump(group.mask & !active, next);
                self.call(warp, at, *function, arguments, [*registers, *frame])?;
                return Ok(Next::Choose);
            }
            Operation::Return => {
                warp.jump(group.mask, next);
                self.leave(warp, active);
                return Ok(Next::Choose);
            }
            Operation::Print { arguments, result } => self.print(warp, at, *arguments, *result)?,
            Operation::Assert { arguments } => return self.assert(warp, at, *arguments),
            Operation::Exit => {
                warp.alive &= !active;
                group.mask &= !active;
                if group.mask == 0 {
                    return Ok(Next::Choose);
                }
            }
            Operation::Trap => return bad(FaultKind::Trap, active.trailing_zeros() as usize, "trap"),
            Operation::Fence => fence(Ordering::SeqCst),
            Operation::Yield => {
                warp.jump(group.mask, next);
                std::thread::yield_now();
                return Ok(Next::Leave);
            }
            Operation::Barrier { id, count, waits, reduce } => {
                self.arrive(warp, at, *id, *count, *waits, *reduce)?;
                warp.jump(group.mask, next);
                return Ok(Next::Choose);
            }
            Operation::Together { what, members } => {
                let waits = self.meet(warp, at, what, *members, &mut group.mask)?;
                if waits != 0 {
                    warp.jump(group.mask, next);
                    warp.jump(waits, at.pc);
                    warp.syncing |= waits;
                    return Ok(Next::Choose);
                }
            }
            Operation::Active { to } => warp.set(at, *to, &[active.into(); 32]),
            Operation::Clock { to } => warp.set(at, *to, &[nanoseconds(); 32]),
            Operation::SurfaceLoad { texels, to } => self.surface_load(warp, at, texels, to)?,
            Operation::SurfaceStore { texels, from } => self.surface_store(warp, at, texels, from)?,
            Operation::Texture { .. } => self.texture(warp, at, operation)?,
            Operation::Query { image, surface, what, to } => {
                let (objects, mut values) = (*self.get(warp, at, *image), [0; 32]);
                for lane in lanes(active) {
                    values[lane] = self.image(lane, objects[lane], *surface)?.extent()[*what] as u64;
                }
                warp.set(at, *to, &values);
            }
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
        let word = |source: Source| self.get(warp, at, source)[leader] as u32;
        let (id, count) = (word(id) as usize, count.map(word));
        let votes = reduce.map(|(_, value, _)| truth(self, warp, at.base, value));
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
            let result = reduce.map(|(kind, _, to)| (kind, at.base + to as usize));
            warp.waits.push(Wait { threads: at.active, id, result });
        }
        Ok(())
    }
}

/// The threads for which a predicate has not the value that passes over an instruction.
fn truth(block: &Block, warp: &Warp, base: usize, (register, not): Predicate) -> u32 {
    let bits = bits(warp.get(&block.run.kernel.program, base, register));
    if not { !bits } else { bits }
}

/// Chooses the threads that go on: in their turn others than the first.
fn choose(warp: &mut Warp, ready: u32, is_turn: bool) -> Group {
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
    Group { mask, at: At { pc, base: base as usize, active: mask }, limit }
}

/// The time since the first question.
fn nanoseconds() -> u64 {
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_nanos() as u64
}
