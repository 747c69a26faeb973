//! Instructions that threads of a warp do together: each waits until all members of its mask have come.

use super::atomics::changed;
use super::block::Block;
use super::fault::{Bad, FaultKind, bad};
use super::warp::{At, Warp, lanes, mask_of};
use crate::program::{Shuffle, Source, Together, Vote};
use crate::values::{WARP, Words};

impl Block<'_> {
    /// Does an instruction for each mask whose threads are all here, and adds them to `mask`. Returns the threads that wait.
    pub fn meet(
        &mut self,
        warp: &mut Warp,
        at: At,
        what: &Together,
        members: Option<Source>,
        mask: &mut u32,
    ) -> Result<u32, Bad> {
        let is_here = |lane: &usize| warp.pc[*lane] == at.pc && warp.base[*lane] == at.base;
        let mut rest = at.active | mask_of(lanes(warp.syncing).filter(is_here));
        let members = members.map(|source| *warp.get(at, source));
        let mut waits = 0;
        while rest != 0 {
            let leader = rest.trailing_zeros() as usize;
            let mut group = rest;
            if let Some(members) = members {
                let all = members[leader];
                group = mask_of(lanes(rest).filter(|lane| members[*lane] == all));
                if group & !all != 0 {
                    return bad(FaultKind::IllegalInstruction, leader, "a thread is not in its own mask");
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
            together(warp, At { active: group, ..at }, *what);
        }
        *mask &= !waits;
        Ok(waits)
    }
}

fn together(warp: &mut Warp, at: At, what: Together) {
    let joined = at.active;
    let all_if = |yes: bool| if yes { !0 } else { 0 };
    match what {
        Together::Barrier => {}
        Together::Shuffle { mode, to, inside, value, by, limits } => {
            let [value, by, limits] = [value, by, limits].map(|source| warp.get(at, source));
            let (out, found) = shuffle(mode, joined, warp.alive, value, by, limits);
            warp.set(at, to, &out);
            if let Some(inside) = inside {
                warp.set_truth(at, inside, found);
            }
        }
        Together::Vote { kind, to, value } => {
            let value = warp.truth(at, value) & joined;
            match kind {
                Vote::All => warp.set_truth(at, to, all_if(value == joined)),
                Vote::Any => warp.set_truth(at, to, all_if(value != 0)),
                Vote::Uniform => warp.set_truth(at, to, all_if(value == 0 || value == joined)),
                Vote::Ballot => warp.set(at, to, &[value; WARP]),
            }
        }
        Together::MatchAny { to, value, bits } => {
            let mut out = [0; WARP];
            lanes(joined).for_each(|lane| out[lane] = equal(warp, at, value, bits, lane));
            warp.set(at, to, &out);
        }
        Together::MatchAll { to, same, value, bits } => {
            let is_same = equal(warp, at, value, bits, joined.trailing_zeros() as usize) == joined;
            warp.set(at, to, &[if is_same { joined } else { 0 }; WARP]);
            if let Some(same) = same {
                warp.set_truth(at, same, all_if(is_same));
            }
        }
        Together::Reduce { operation, kind, to, value } => {
            let values = warp.get(at, value);
            let all = lanes(joined).map(|lane| values[lane].into());
            let value = all.reduce(|a, b| changed(operation, kind, a, [b, 0], false)).unwrap_or(0);
            warp.set(at, to, &[value as u32; WARP]);
        }
        Together::Active { to } => warp.set(at, to, &[joined; WARP]),
        Together::Elect { to, is_elected } => {
            let leader = joined.trailing_zeros();
            warp.set(at, to, &[leader; WARP]);
            if let Some(is_elected) = is_elected {
                warp.set_truth(at, is_elected, 1 << leader);
            }
        }
    }
}

/// The threads that have the same value as one of them.
fn equal(warp: &Warp, at: At, value: Source, bits: u32, lane: usize) -> u32 {
    let get = |lane| warp.value(at, value, bits == 64, lane);
    mask_of(lanes(at.active).filter(|other| get(*other) == get(lane)))
}

/// Returns the value that each thread gets from another thread, and whether that other thread is in the same segment.
/// A thread that has exited gives 0, as on the measured GPU.
fn shuffle(
    mode: Shuffle,
    joined: u32,
    alive: u32,
    value: &Words,
    by: &Words,
    limits: &Words,
) -> (Words, u32) {
    let (mut out, mut found) = ([0; WARP], 0);
    for lane in lanes(joined) {
        let own = lane as i32;
        let [by, limit, segment] = [by[lane], limits[lane], limits[lane] >> 8].map(|word| word as i32 & 31);
        let (least, most) = (own & segment, own & segment | limit & !segment);
        let (from, is_inside) = match mode {
            Shuffle::Up => (own - by, own - by >= most),
            Shuffle::Down => (own + by, own + by <= most),
            Shuffle::Butterfly => (own ^ by, own ^ by <= most),
            Shuffle::Index => (least | by & !segment, least | by & !segment <= most),
        };
        let from = if is_inside { from as usize & 31 } else { lane };
        out[lane] = if alive >> from & 1 == 1 { value[from] } else { 0 };
        found |= u32::from(is_inside) << lane;
    }
    (out, found)
}
