//! What threads of a warp do together: they wait until all members of their mask have come.

use super::atomics::changed;
use super::block::Block;
use super::fault::{Bad, FaultKind, bad};
use super::warp::{At, Warp, bits};
use super::{lanes, mask_of};
use crate::program::{Shuffle, Source, Together, Vote};
use crate::values::Lanes;

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
        let is_here = |lane: &usize| warp.pc[*lane] == at.pc && warp.base[*lane] as usize == at.base;
        let mut rest = at.active | mask_of(lanes(warp.syncing).filter(is_here));
        let members = members.map(|source| *self.get(warp, at, source));
        let mut waits = 0;
        while rest != 0 {
            let leader = rest.trailing_zeros() as usize;
            let mut group = rest;
            if let Some(members) = members {
                let all = members[leader] as u32;
                group = mask_of(lanes(rest).filter(|lane| members[*lane] as u32 == all));
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
            self.together(warp, At { active: group, ..at }, what);
        }
        *mask &= !waits;
        Ok(waits)
    }

    fn together(&self, warp: &mut Warp, at: At, what: &Together) {
        let joined = at.active;
        match what {
            Together::Barrier => {}
            Together::Shuffle { mode, to, inside, value, by, limits } => {
                let [value, by, limits] = [value, by, limits].map(|source| self.get(warp, at, *source));
                let (out, found) = shuffle(*mode, joined, value, by, limits);
                warp.set(at, *to, &out);
                if let Some(inside) = inside {
                    warp.set(at, *inside, &found);
                }
            }
            Together::Vote { kind, to, value: (value, not) } => {
                let value = (bits(self.get(warp, at, *value)) ^ if *not { !0 } else { 0 }) & joined;
                let answer = match kind {
                    Vote::All => u32::from(value == joined),
                    Vote::Any => u32::from(value != 0),
                    Vote::Uniform => u32::from(value == 0 || value == joined),
                    Vote::Ballot => value,
                };
                warp.set(at, *to, &[answer.into(); 32]);
            }
            Together::MatchAny { to, value, bits } => {
                let values = self.get(warp, at, *value).map(|value| value & (!0 >> (64 - bits)));
                let mut out = [0; 32];
                for lane in lanes(joined) {
                    out[lane] = mask_of(lanes(joined).filter(|other| values[*other] == values[lane])).into();
                }
                warp.set(at, *to, &out);
            }
            Together::MatchAll { to, same, value, bits } => {
                let values = self.get(warp, at, *value).map(|value| value & (!0 >> (64 - bits)));
                let first = values[joined.trailing_zeros() as usize];
                let is_same = lanes(joined).all(|lane| values[lane] == first);
                warp.set(at, *to, &[if is_same { joined.into() } else { 0 }; 32]);
                if let Some(same) = same {
                    warp.set(at, *same, &[is_same.into(); 32]);
                }
            }
            Together::Reduce { operation, kind, to, value } => {
                let values = self.get(warp, at, *value);
                let all = lanes(joined).map(|lane| values[lane]);
                let value = all.reduce(|a, b| changed(*operation, *kind, a, [b, 0], false)).unwrap_or(0);
                warp.set(at, *to, &[value; 32]);
            }
        }
    }
}

/// Each thread's value from another one, and whether that is inside of the thread's segment.
fn shuffle(mode: Shuffle, joined: u32, value: &Lanes, by: &Lanes, limits: &Lanes) -> (Lanes, Lanes) {
    let (mut out, mut found) = ([0; 32], [0; 32]);
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
        out[lane] = value[if is_inside { from as usize & 31 } else { lane }];
        found[lane] = u64::from(is_inside);
    }
    (out, found)
}
