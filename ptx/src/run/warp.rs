//! The state of 32 threads.

use super::lanes;
use crate::program::{Callee, FIXED, Program, SPECIALS, Source, Special, Vote};
use crate::values::{WARP, Words, map, words, write};

#[derive(Default)]
pub struct Warp {
    pub number: u32,
    /// Special registers, constants, and the registers of functions (program.rs).
    pub file: Vec<u32>,
    /// Where the kernel's own registers begin.
    own: u32,
    pub pc: [u32; 32],
    /// Where the function's registers and frame begin.
    pub base: [u32; 32],
    pub frame: [u32; 32],
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
    pub result: Option<(Vote, usize)>,
}

/// A place in a program: the instruction, where its registers begin, and the threads that are there.
#[derive(Clone, Copy)]
pub struct At {
    pub pc: u32,
    pub base: usize,
    pub active: u32,
}

impl At {
    #[inline(always)]
    pub fn place(self, source: Source) -> usize {
        (source & !FIXED) as usize + if source & FIXED == 0 { self.base } else { 0 }
    }
}

/// A block's place in a launch, for its special registers.
pub struct Place {
    pub block: [u32; 3],
    pub grid: [u32; 3],
    pub index: [u32; 3],
    pub shared: [u32; 2],
}

impl Warp {
    pub fn new(number: u32, program: &Program, stride: usize, place: &Place) -> Self {
        let mut file = vec![0; SPECIALS];
        for constant in &program.constants {
            file.extend([*constant as u32; WARP]);
            file.extend([(*constant >> 32) as u32; WARP]);
        }
        let own = file.len() as u32;
        file.resize(file.len() + program.entry.registers as usize, 0);
        let stacks = (0..if program.calls { 32 } else { 0 }).map(|_| Vec::new()).collect();
        let mut warp = Self { number, file, own, stacks, local: vec![0; stride * 32 / 8], ..Self::default() };
        warp.fill(&program.specials, place, true);
        warp
    }

    pub fn bytes(&self) -> usize {
        self.file.len() * 4 + self.local.len() * 8
    }

    /// Writes the special registers: all, or those that differ from block to block.
    fn fill(&mut self, specials: &[Special], place: &Place, all: bool) {
        for (special, to) in specials.iter().zip(self.file.chunks_exact_mut(WARP)) {
            if all || matches!(special, Special::Ctaid(_)) {
                for (lane, to) in (0..).zip(to) {
                    *to = place.value(*special, self.number, lane);
                }
            }
        }
    }

    /// Puts all threads at the start of the kernel.
    pub fn start(&mut self, entry: &Callee, specials: &[Special], place: &Place) {
        let threads: u32 = place.block.iter().product();
        let left = threads - self.number * 32;
        self.alive = if left >= 32 { !0 } else { (1 << left) - 1 };
        (self.blocked, self.syncing, self.turn) = (0, 0, 0);
        (self.pc, self.base, self.frame) = ([entry.start; 32], [self.own; 32], [0; 32]);
        self.waits.clear();
        self.stacks.iter_mut().for_each(Vec::clear);
        self.fill(specials, place, false);
    }

    #[inline(always)]
    pub fn get(&self, at: At, source: Source) -> &Words {
        words(&self.file, at.place(source))
    }

    /// One thread's value of 64 bits.
    #[inline(always)]
    pub fn long(&self, at: At, source: Source, lane: usize) -> u64 {
        let place = at.place(source) + lane;
        u64::from(self.file[place]) | u64::from(self.file[place + WARP]) << 32
    }

    /// The threads for which a predicate is true.
    #[inline(always)]
    pub fn truth(&self, at: At, (source, not): (Source, bool)) -> u32 {
        let bits = self.file[at.place(source)];
        if not { !bits } else { bits }
    }

    /// Writes a register of the active threads.
    #[inline(always)]
    pub fn set(&mut self, at: At, register: u32, values: &Words) {
        write(&mut self.file, at.base + register as usize, values, at.active);
    }

    /// Writes a register of 64 bits.
    #[inline(always)]
    pub fn set_long(&mut self, at: At, register: u32, values: &[u64; WARP]) {
        self.set(at, register, &map(values, |value| value as u32));
        self.set(at, register + WARP as u32, &map(values, |value| (value >> 32) as u32));
    }

    pub fn set_truth(&mut self, at: At, register: u32, values: u32) {
        let to = &mut self.file[at.base + register as usize];
        *to = *to & !at.active | values & at.active;
    }

    pub fn ready(&self) -> u32 {
        self.alive & !self.blocked & !self.syncing
    }

    pub fn jump(&mut self, threads: u32, pc: u32) {
        lanes(threads).for_each(|lane| self.pc[lane] = pc);
    }
}

impl Place {
    fn value(&self, special: Special, warp: u32, lane: u32) -> u32 {
        let [width, height, _] = self.block;
        let thread = warp * 32 + lane;
        match special {
            Special::Tid(0) => thread % width,
            Special::Tid(1) => thread / width % height,
            Special::Tid(_) => thread / width / height,
            Special::Ntid(axis) => self.block[axis],
            Special::Ctaid(axis) => self.index[axis],
            Special::Nctaid(axis) => self.grid[axis],
            Special::Lane => lane,
            Special::Warp => warp,
            Special::Warps => self.block.iter().product::<u32>().div_ceil(32),
            Special::LanesEqual => 1 << lane,
            Special::LanesLess => (1 << lane) - 1,
            Special::LanesLessOrEqual => !0 >> (31 - lane),
            Special::LanesGreater => !(!0 >> (31 - lane)),
            Special::LanesGreaterOrEqual => !0 << lane,
            Special::DynamicShared => self.shared[0],
            Special::TotalShared => self.shared[1],
            Special::Zero => 0,
            Special::One => 1,
        }
    }
}
