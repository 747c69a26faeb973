//! The state of 32 threads.

use super::lanes;
use crate::program::{CONSTANT, Callee, LaneMask, Program, SPECIAL, Source, Special, Vote};
use crate::values::Lanes;

#[derive(Default)]
pub struct Warp {
    pub number: u32,
    pub registers: Vec<Lanes>,
    specials: Vec<Lanes>,
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
    /// What the barrier returns, and in which register.
    pub result: Option<(Vote, usize)>,
}

/// A place in a program: the instruction, where its registers begin, and the threads that are there.
#[derive(Clone, Copy)]
pub struct At {
    pub pc: u32,
    pub base: usize,
    pub active: u32,
}

/// What a launch's special registers depend on.
pub struct Place {
    pub block: [u32; 3],
    pub grid: [u32; 3],
    pub index: [u32; 3],
    pub shared: [u32; 2],
}

impl Warp {
    pub fn new(number: u32, program: &Program, stride: usize) -> Self {
        Self {
            number,
            registers: vec![[0; 32]; program.entry.registers as usize],
            specials: vec![[0; 32]; program.specials.len()],
            stacks: (0..if program.calls { 32 } else { 0 }).map(|_| Vec::new()).collect(),
            local: vec![0; stride * 32 / 8],
            ..Self::default()
        }
    }

    pub fn bytes(&self) -> usize {
        self.registers.len() * size_of::<Lanes>() + self.local.len() * 8
    }

    /// Puts all threads at the start of the kernel.
    pub fn start(&mut self, entry: &Callee, specials: &[Special], place: &Place) {
        let threads: u32 = place.block.iter().product();
        let left = threads - self.number * 32;
        self.alive = if left >= 32 { !0 } else { (1 << left) - 1 };
        (self.blocked, self.syncing, self.turn) = (0, 0, 0);
        (self.pc, self.base, self.frame) = ([entry.start; 32], [0; 32], [0; 32]);
        self.waits.clear();
        self.stacks.iter_mut().for_each(Vec::clear);
        for (special, to) in specials.iter().zip(&mut self.specials) {
            for (lane, to) in (0..).zip(to) {
                *to = place.value(*special, self.number, lane).into();
            }
        }
    }

    #[inline(always)]
    pub fn get<'a>(&'a self, program: &'a Program, base: usize, source: Source) -> &'a Lanes {
        if source & CONSTANT != 0 {
            &program.constants[(source & !CONSTANT) as usize]
        } else if source & SPECIAL != 0 {
            &self.specials[(source & !SPECIAL) as usize]
        } else {
            &self.registers[base + source as usize]
        }
    }

    /// Writes a register of the active threads.
    #[inline(always)]
    pub fn set(&mut self, at: At, register: u32, values: &Lanes) {
        let to = &mut self.registers[at.base + register as usize];
        put(to, values, at.active);
    }

    pub fn ready(&self) -> u32 {
        self.alive & !self.blocked & !self.syncing
    }

    pub fn jump(&mut self, threads: u32, pc: u32) {
        lanes(threads).for_each(|lane| self.pc[lane] = pc);
    }
}

#[inline(always)]
pub fn put(to: &mut Lanes, values: &Lanes, active: u32) {
    if active == !0 {
        *to = *values;
        return;
    }
    for lane in 0..32 {
        if active >> lane & 1 == 1 {
            to[lane] = values[lane];
        }
    }
}

/// The threads for which a predicate is true.
#[inline(always)]
pub fn bits(predicate: &Lanes) -> u32 {
    predicate.iter().enumerate().fold(0, |mask, (lane, value)| mask | ((*value as u32 & 1) << lane))
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
            Special::Mask(LaneMask::Equal) => 1 << lane,
            Special::Mask(LaneMask::Less) => (1 << lane) - 1,
            Special::Mask(LaneMask::LessOrEqual) => !0 >> (31 - lane),
            Special::Mask(LaneMask::Greater) => !(!0 >> (31 - lane)),
            Special::Mask(LaneMask::GreaterOrEqual) => !0 << lane,
            Special::DynamicShared => self.shared[0],
            Special::TotalShared => self.shared[1],
            Special::Zero => 0,
            Special::One => 1,
        }
    }
}
