//! The state of 32 threads.

use crate::program::{FIXED, Place, Program, SPECIALS, Source, Special, Vote};
use crate::values::{File, Longs, WARP, Words, map, write};

#[derive(Default)]
pub struct Warp {
    pub number: u32,
    /// Special registers, constants, and the registers of functions (program.rs).
    pub file: File,
    /// Where the kernel's own registers begin.
    own: u32,
    pub pc: Words,
    /// Where the function's registers and frame begin.
    pub base: Words,
    pub frame: Words,
    pub stacks: Vec<Vec<Return>>,
    /// Each thread's local memory, one after the other.
    pub local: Vec<u64>,
    /// Which threads are not at their end, wait at a barrier of the block, or for others of the warp.
    pub alive: u32,
    pub blocked: u32,
    pub syncing: u32,
    pub waits: Vec<Wait>,
    /// Which thread was first in its turn.
    pub turn: u32,
}

/// Where a function goes back to.
pub struct Return {
    pub pc: u32,
    pub base: u32,
    pub frame: u32,
    pub function: u32,
}

/// Threads at a barrier of the block.
pub struct Wait {
    pub threads: u32,
    pub id: usize,
    /// The barrier's result, and the register for it.
    pub result: Option<(Vote, u32)>,
}

/// A place in a program: the instruction, where its registers begin, and the threads that are there.
#[derive(Clone, Copy)]
pub struct At {
    pub pc: u32,
    pub base: u32,
    pub active: u32,
}

impl At {
    #[inline(always)]
    pub fn place(self, source: Source) -> usize {
        ((source & !FIXED) + if source & FIXED == 0 { self.base } else { 0 }) as usize
    }
}

impl Warp {
    pub fn new(number: u32, program: &Program, stride: usize, place: &Place) -> Self {
        let own = SPECIALS + program.constants.len();
        let mut file = File::default();
        file.grow(own + program.entry.registers as usize);
        for (at, constant) in (SPECIALS..).zip(&program.constants) {
            file.words[at] = [*constant as u32; WARP];
            file.longs[at] = [*constant; WARP];
            file.masks[at] = *constant as u32;
        }
        let stacks = (0..if program.calls { 32 } else { 0 }).map(|_| Vec::new()).collect();
        let (own, local) = (own as u32, vec![0; stride * 32 / 8]);
        let mut warp = Self { number, file, own, stacks, local, ..Self::default() };
        warp.fill(&program.specials, place, true);
        warp
    }

    pub fn bytes(&self) -> usize {
        self.file.masks.len() * (size_of::<Words>() + size_of::<Longs>()) + self.local.len() * 8
    }

    /// Writes the special registers: all, or those that differ from block to block.
    fn fill(&mut self, specials: &[Special], place: &Place, all: bool) {
        for (index, (name, value)) in specials.iter().enumerate() {
            if all || name.starts_with("%ctaid") {
                for lane in 0..WARP {
                    let value = value(place, self.number * 32 + lane as u32);
                    self.file.words[index][lane] = value;
                    self.file.longs[index][lane] = value.into();
                }
            }
        }
    }

    /// Puts all threads at the start of the kernel.
    pub fn start(&mut self, program: &Program, place: &Place) {
        let left = place.block.iter().product::<u32>() - self.number * 32;
        self.alive = if left >= 32 { !0 } else { (1 << left) - 1 };
        (self.blocked, self.syncing, self.turn) = (0, 0, 0);
        (self.pc, self.base, self.frame) = ([program.entry.start; 32], [self.own; 32], [0; 32]);
        self.waits.clear();
        self.stacks.iter_mut().for_each(Vec::clear);
        self.fill(&program.specials, place, false);
    }

    #[inline(always)]
    pub fn get(&self, at: At, source: Source) -> &Words {
        &self.file.words[at.place(source)]
    }

    /// One thread's value of a register, which has 64 bits or not.
    #[inline(always)]
    pub fn value(&self, at: At, source: Source, is_long: bool, lane: usize) -> u64 {
        let place = at.place(source);
        if is_long { self.file.longs[place][lane] } else { self.file.words[place][lane].into() }
    }

    /// Every thread's value of a register.
    #[inline(always)]
    pub fn longs(&self, at: At, source: Source, is_long: bool) -> Longs {
        if is_long { self.file.longs[at.place(source)] } else { map(self.get(at, source), u64::from) }
    }

    /// The threads for which a predicate is true.
    #[inline(always)]
    pub fn truth(&self, at: At, (source, not): (Source, bool)) -> u32 {
        let bits = self.file.masks[at.place(source)];
        if not { !bits } else { bits }
    }

    /// Writes a register of the active threads.
    #[inline(always)]
    pub fn set(&mut self, at: At, register: u32, values: &Words) {
        write(&mut self.file.words[at.place(register)], values, at.active);
    }

    /// Writes a register of 64 bits.
    #[inline(always)]
    pub fn set_long(&mut self, at: At, register: u32, values: &Longs) {
        write(&mut self.file.longs[at.place(register)], values, at.active);
    }

    pub fn set_truth(&mut self, at: At, register: u32, values: u32) {
        let to = &mut self.file.masks[at.place(register)];
        *to = *to & !at.active | values & at.active;
    }

    pub fn ready(&self) -> u32 {
        self.alive & !self.blocked & !self.syncing
    }

    #[inline(always)]
    pub fn jump(&mut self, threads: u32, pc: u32) {
        write(&mut self.pc, &[pc; WARP], threads);
    }
}

/// The lanes of a mask.
pub fn lanes(mask: u32) -> impl Iterator<Item = usize> {
    let mut rest = mask;
    std::iter::from_fn(move || {
        (rest != 0).then(|| {
            let lane = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            lane
        })
    })
}

/// Does something for each lane of a mask.
#[inline(always)]
pub fn each(mask: u32, one: impl FnMut(usize)) {
    if mask == !0 { (0..WARP).for_each(one) } else { lanes(mask).for_each(one) }
}

/// The mask of the lanes for which something is true.
pub fn mask_of(lanes: impl Iterator<Item = usize>) -> u32 {
    lanes.fold(0, |mask, lane| mask | 1 << lane)
}
