//! Instructions that threads of a warp execute together. With `.sync`, a thread waits for all threads in its mask that
//! have not exited.

use super::atomic_operations::atomic_result;
use super::kernel_fault::{FaultKind, FaultResult, thread_fault};
use super::thread_block::{RunningWarp, Warp};
use crate::alu::{LaneWords, WARP_SIZE, lanes_in, mask_of_lanes};
use crate::program::operations::{Register, ShuffleMode, SizedRegister, VoteMode, WarpCollective};

impl RunningWarp<'_, '_> {
    /// Runs a collective for each mask whose threads have all arrived or exited. Returns the threads that must wait.
    pub fn run_collective(&mut self, what: &WarpCollective, members: Option<Register>) -> FaultResult<u32> {
        let (at, warp) = (self.warp.at, &mut self.warp);
        let is_here = |lane: &usize| (warp.pc[*lane], warp.base[*lane]) == (at.pc, at.base);
        let mut rest = at.active | mask_of_lanes(lanes_in(warp.syncing).filter(is_here));
        let members = members.map(|source| *warp.register_words(source));
        let mut waits = 0;
        while rest != 0 {
            let leader = rest.trailing_zeros() as usize;
            let mut group = rest;
            if let Some(members) = members {
                let all = members[leader];
                group = mask_of_lanes(lanes_in(rest).filter(|lane| members[*lane] == all));
                if group & !all != 0 {
                    let what = "a thread is not in its own mask";
                    return thread_fault(FaultKind::IllegalInstruction, leader, what);
                }
                if all & warp.alive & !group != 0 {
                    waits |= group;
                    rest &= !group;
                    continue;
                }
            }
            rest &= !group;
            warp.syncing &= !group;
            self.mask |= group;
            warp.at.active = group;
            perform_collective(warp, *what);
        }
        self.mask &= !waits;
        Ok(waits)
    }
}

fn perform_collective(warp: &mut Warp, what: WarpCollective) {
    let joined = warp.at.active;
    let (leader, all_if) = (joined.trailing_zeros(), |yes: bool| if yes { !0 } else { 0 });
    let set_if_named = |warp: &mut Warp, register: Option<u32>, values: u32| {
        register.into_iter().for_each(|register| warp.set_predicate(register, values));
    };
    match what {
        WarpCollective::Barrier => {}
        WarpCollective::Shuffle { mode, to, valid, value, b, c } => {
            let (out, found) = shuffle_lanes(warp, mode, [value, b, c]);
            warp.set_words(to, &out);
            set_if_named(warp, valid, found);
        }
        WarpCollective::Vote { kind, to, value } => {
            let value = warp.predicate_mask(value) & joined;
            match kind {
                VoteMode::All => warp.set_predicate(to, all_if(value == joined)),
                VoteMode::Any => warp.set_predicate(to, all_if(value != 0)),
                VoteMode::Uniform => warp.set_predicate(to, all_if(value == 0 || value == joined)),
                VoteMode::Ballot => warp.set_words(to, &[value; WARP_SIZE]),
            }
        }
        WarpCollective::MatchAny { to, value } => {
            let mut out = [0; WARP_SIZE];
            lanes_in(joined).for_each(|lane| out[lane] = lanes_with_same_value(warp, value, lane));
            warp.set_words(to, &out);
        }
        WarpCollective::MatchAll { to, same, value } => {
            let is_same = lanes_with_same_value(warp, value, leader as usize) == joined;
            warp.set_words(to, &[if is_same { joined } else { 0 }; WARP_SIZE]);
            set_if_named(warp, same, all_if(is_same));
        }
        WarpCollective::Reduce { op, kind, to, value } => {
            let values = warp.register_words(value);
            let all = lanes_in(joined).map(|lane| values[lane].into());
            let value = all.reduce(|a, b| atomic_result(op, kind, a, [b, 0], false)).unwrap_or(0);
            warp.set_words(to, &[value as u32; WARP_SIZE]);
        }
        WarpCollective::Active { to } => warp.set_words(to, &[joined; WARP_SIZE]),
        WarpCollective::Elect { to, is_elected } => {
            warp.set_words(to, &[leader; WARP_SIZE]);
            set_if_named(warp, is_elected, 1 << leader);
        }
    }
}

/// Returns the active threads whose value equals that of the thread `lane`.
fn lanes_with_same_value(warp: &Warp, value: SizedRegister, lane: usize) -> u32 {
    let get = |lane| warp.lane_value(value, lane);
    mask_of_lanes(lanes_in(warp.at.active).filter(|other| get(*other) == get(lane)))
}

/// Returns each thread's result of `shfl`, and the threads whose source lane is in range. The value of a lane that has
/// exited is 0 (measured).
fn shuffle_lanes(warp: &Warp, mode: ShuffleMode, operands: [Register; 3]) -> (LaneWords, u32) {
    let [value, by, limits] = operands.map(|source| warp.register_words(source));
    let (mut out, mut found) = ([0; WARP_SIZE], 0);
    for lane in lanes_in(warp.at.active) {
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
        out[lane] = if warp.alive >> from & 1 == 1 { value[from] } else { 0 };
        found |= u32::from(is_inside) << lane;
    }
    (out, found)
}
