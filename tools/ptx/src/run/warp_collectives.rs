//! Instructions that threads of a warp do together: each waits until all members of its mask have come.

use super::atomic_operations::atomic_result;
use super::kernel_fault::{FaultKind, FaultResult, thread_fault};
use super::thread_block::ThreadBlock;
use super::warp_state::{ThreadGroup, Warp, lanes_in, mask_of_lanes};
use crate::alu::{LaneWords, WARP_SIZE};
use crate::program::operations::{Register, ShuffleMode, VoteMode, WarpCollective};

impl ThreadBlock<'_> {
    /// Does an instruction for each mask whose threads are all here, and adds them to `mask`. Returns the threads that wait.
    pub fn run_collective(
        &mut self,
        warp: &mut Warp,
        at: ThreadGroup,
        what: &WarpCollective,
        members: Option<Register>,
        mask: &mut u32,
    ) -> FaultResult<u32> {
        let is_here = |lane: &usize| warp.pc[*lane] == at.pc && warp.base[*lane] == at.base;
        let mut rest = at.active | mask_of_lanes(lanes_in(warp.syncing).filter(is_here));
        let members = members.map(|source| *warp.register_words(at, source));
        let mut waits = 0;
        while rest != 0 {
            let leader = rest.trailing_zeros() as usize;
            let mut group = rest;
            if let Some(members) = members {
                let all = members[leader];
                group = mask_of_lanes(lanes_in(rest).filter(|lane| members[*lane] == all));
                if group & !all != 0 {
                    return thread_fault(
                        FaultKind::IllegalInstruction,
                        leader,
                        "a thread is not in its own mask",
                    );
                }
                if all & warp.alive & !group != 0 {
                    waits |= group;
                    rest &= !group;
                    continue;
                }
            }
            rest &= !group;
            warp.syncing &= !group;
            *mask |= group;
            perform_collective(warp, ThreadGroup { active: group, ..at }, *what);
        }
        *mask &= !waits;
        Ok(waits)
    }
}

fn perform_collective(warp: &mut Warp, at: ThreadGroup, what: WarpCollective) {
    let joined = at.active;
    let all_if = |yes: bool| if yes { !0 } else { 0 };
    match what {
        WarpCollective::Barrier => {}
        WarpCollective::Shuffle { mode, to, valid, value, b, c } => {
            let [value, b, c] = [value, b, c].map(|source| warp.register_words(at, source));
            let (out, found) = shuffle_lanes(mode, joined, warp.alive, value, b, c);
            warp.set_words(at, to, &out);
            if let Some(valid) = valid {
                warp.set_predicate(at, valid, found);
            }
        }
        WarpCollective::Vote { kind, to, value } => {
            let value = warp.predicate_mask(at, value) & joined;
            match kind {
                VoteMode::All => warp.set_predicate(at, to, all_if(value == joined)),
                VoteMode::Any => warp.set_predicate(at, to, all_if(value != 0)),
                VoteMode::Uniform => warp.set_predicate(at, to, all_if(value == 0 || value == joined)),
                VoteMode::Ballot => warp.set_words(at, to, &[value; WARP_SIZE]),
            }
        }
        WarpCollective::MatchAny { to, value, bits } => {
            let mut out = [0; WARP_SIZE];
            lanes_in(joined).for_each(|lane| out[lane] = lanes_with_same_value(warp, at, value, bits, lane));
            warp.set_words(at, to, &out);
        }
        WarpCollective::MatchAll { to, same, value, bits } => {
            let is_same =
                lanes_with_same_value(warp, at, value, bits, joined.trailing_zeros() as usize) == joined;
            warp.set_words(at, to, &[if is_same { joined } else { 0 }; WARP_SIZE]);
            if let Some(same) = same {
                warp.set_predicate(at, same, all_if(is_same));
            }
        }
        WarpCollective::Reduce { op, kind, to, value } => {
            let values = warp.register_words(at, value);
            let all = lanes_in(joined).map(|lane| values[lane].into());
            let value = all.reduce(|a, b| atomic_result(op, kind, a, [b, 0], false)).unwrap_or(0);
            warp.set_words(at, to, &[value as u32; WARP_SIZE]);
        }
        WarpCollective::Active { to } => warp.set_words(at, to, &[joined; WARP_SIZE]),
        WarpCollective::Elect { to, is_elected } => {
            let leader = joined.trailing_zeros();
            warp.set_words(at, to, &[leader; WARP_SIZE]);
            if let Some(is_elected) = is_elected {
                warp.set_predicate(at, is_elected, 1 << leader);
            }
        }
    }
}

/// The threads that have the same value as one of them.
fn lanes_with_same_value(warp: &Warp, at: ThreadGroup, value: Register, bits: u32, lane: usize) -> u32 {
    let get = |lane| warp.lane_value(at, value, bits == 64, lane);
    mask_of_lanes(lanes_in(at.active).filter(|other| get(*other) == get(lane)))
}

/// Returns the value that each thread gets from another thread, and whether that other thread is in the same segment.
/// A thread that has exited gives 0, as on the measured GPU.
fn shuffle_lanes(
    mode: ShuffleMode,
    joined: u32,
    alive: u32,
    value: &LaneWords,
    by: &LaneWords,
    limits: &LaneWords,
) -> (LaneWords, u32) {
    let (mut out, mut found) = ([0; WARP_SIZE], 0);
    for lane in lanes_in(joined) {
        let own = lane as i32;
        let [by, limit, segment] = [by[lane], limits[lane], limits[lane] >> 8].map(|word| word as i32 & 31);
        let (least, most) = (own & segment, own & segment | limit & !segment);
        let (from, is_inside) = match mode {
            ShuffleMode::Up => (own - by, own - by >= most),
            ShuffleMode::Down => (own + by, own + by <= most),
            ShuffleMode::Butterfly => (own ^ by, own ^ by <= most),
            ShuffleMode::Index => (least | by & !segment, least | by & !segment <= most),
        };
        let from = if is_inside { from as usize & 31 } else { lane };
        out[lane] = if alive >> from & 1 == 1 { value[from] } else { 0 };
        found |= u32::from(is_inside) << lane;
    }
    (out, found)
}
