//! A block with its shared memory, barriers and warps, and a warp with its registers.

use std::sync::Arc;

use super::kernel_launch::RunningLaunch;
use crate::alu::{LaneLongs, LaneWords, RegisterFile, WARP_SIZE, map_lanes, write_active_lanes};
use crate::program::image_sampling::Image;
use crate::program::operations::{
    KernelProgram, Predicate, READ_ONLY, ReadOnlyRegister, Register, SizedRegister, VoteMode,
};
use crate::program::special_registers::{SPECIAL_REGISTERS, SpecialRegisterInputs, grid_coordinates};

const CALL_STACK_BYTES: usize = 32 << 10;

#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub struct MemorySpan {
    pub start: u64,
    pub size: u64,
    /// The address in this process, for the first thread.
    pub host: u64,
    /// The distance from one thread's memory to the next thread's.
    pub apart: u64,
    pub is_read_only: bool,
}

#[derive(Clone, Copy, Default)]
pub struct BlockBarrier {
    pub arrived: u32,
    pub expected: Option<u32>,
    pub yes: u32,
    pub no: u32,
}

#[derive(Default)]
pub struct Warp {
    pub number: u32,
    /// The read-only registers of the kernel's functions, and then the registers of the functions that run.
    pub file: RegisterFile,
    /// The threads that run, and their instruction.
    pub at: ThreadGroup,
    pub pc: LaneWords,
    /// For each thread, where its function's registers, read-only registers and frame begin.
    pub base: LaneWords,
    pub read_only: LaneWords,
    pub frame: LaneWords,
    pub stacks: Vec<Vec<CallerFrame>>,
    /// The threads' local memories, one after another.
    pub local: Vec<u64>,
    /// The threads that have not exited.
    pub alive: u32,
    /// The threads that wait at a barrier of the block.
    pub blocked: u32,
    /// The threads that wait for others of the warp.
    pub syncing: u32,
    pub waits: Vec<BarrierWait>,
    /// The thread at which the last turn began.
    pub turn: u32,
}

pub struct CallerFrame {
    pub pc: u32,
    pub base: u32,
    pub read_only: u32,
    pub frame: u32,
    pub function: usize,
}

pub struct BarrierWait {
    pub threads: u32,
    pub id: usize,
    /// The barrier's result, and the register for it.
    pub result: Option<(VoteMode, u32)>,
}

/// Threads at the same instruction, and where their function's registers and read-only registers begin.
#[derive(Clone, Copy, Default)]
pub struct ThreadGroup {
    pub pc: u32,
    pub base: u32,
    pub read_only: u32,
    pub active: u32,
}

pub struct ThreadBlock<'a> {
    pub run: &'a RunningLaunch<'a>,
    pub place: SpecialRegisterInputs,
    pub shared: Vec<u64>,
    pub shared_bytes: usize,
    /// The bytes of local memory of a thread.
    pub stride: usize,
    pub warps: Vec<Warp>,
    pub barriers: [BlockBarrier; 16],
    /// The ranges of global memory that `find_global_span` has found, and the one that it returned last.
    pub spans: Vec<MemorySpan>,
    pub span: MemorySpan,
    /// The images that `find_image` has found, each with its object and whether the object is a surface.
    pub images: Vec<(u64, bool, Arc<Image>)>,
}

pub struct RunningWarp<'b, 'a> {
    pub block: &'b mut ThreadBlock<'a>,
    pub warp: Warp,
    /// The threads that run together. `warp.at.active` has those of them that do not skip the current instruction.
    pub mask: u32,
    /// The address in this process at which each active thread accesses memory.
    pub places: LaneLongs,
}

impl ThreadGroup {
    #[inline(always)]
    pub fn register_index(self, source: Register) -> usize {
        ((source & !READ_ONLY) + if source & READ_ONLY == 0 { self.base } else { self.read_only }) as usize
    }
}

impl Warp {
    pub fn new(number: u32, program: &KernelProgram, stride: usize, place: &SpecialRegisterInputs) -> Self {
        let mut file = RegisterFile::default();
        file.grow_registers(program.read_only.len() + program.entry.registers as usize);
        for (at, register) in program.read_only.iter().enumerate() {
            if let ReadOnlyRegister::Constant(value) = register {
                file.words[at] = [*value as u32; WARP_SIZE];
                file.longs[at] = [*value; WARP_SIZE];
                file.predicates[at] = *value as u32;
            }
        }
        let stacks = (0..if program.functions.is_empty() { 0 } else { 32 }).map(|_| Vec::new()).collect();
        let local = vec![0; stride * 32 / 8];
        let mut warp = Self { number, file, stacks, local, ..Self::default() };
        warp.write_specials(program, place, true);
        warp
    }

    pub fn warp_memory_bytes(&self) -> usize {
        self.file.predicates.len() * (size_of::<LaneWords>() + size_of::<LaneLongs>()) + self.local.len() * 8
    }

    /// Writes all special registers or, without `all`, only those that differ from block to block.
    fn write_specials(&mut self, program: &KernelProgram, place: &SpecialRegisterInputs, all: bool) {
        for (index, register) in program.read_only.iter().enumerate() {
            let ReadOnlyRegister::Special(special) = register else { continue };
            let (name, value) = SPECIAL_REGISTERS[*special];
            if all || name.starts_with("%ctaid") {
                for lane in 0..WARP_SIZE {
                    let value = value(place, self.number * 32 + lane as u32);
                    self.file.words[index][lane] = value;
                    self.file.longs[index][lane] = value.into();
                }
            }
        }
    }

    pub fn restart_for_block(&mut self, program: &KernelProgram, place: &SpecialRegisterInputs) {
        let left = place.block.iter().product::<u32>() - self.number * 32;
        self.alive = if left >= 32 { !0 } else { (1 << left) - 1 };
        (self.blocked, self.syncing, self.turn) = (0, 0, 0);
        (self.pc, self.base) = ([program.entry.start; 32], [program.read_only.len() as u32; 32]);
        (self.read_only, self.frame) = ([program.entry.read_only; 32], [0; 32]);
        self.waits.clear();
        self.stacks.iter_mut().for_each(Vec::clear);
        self.write_specials(program, place, false);
    }

    #[inline(always)]
    pub fn register_words(&self, source: Register) -> &LaneWords {
        &self.file.words[self.at.register_index(source)]
    }

    #[inline(always)]
    pub fn lane_value(&self, (source, is_long): SizedRegister, lane: usize) -> u64 {
        let place = self.at.register_index(source);
        if is_long { self.file.longs[place][lane] } else { self.file.words[place][lane].into() }
    }

    #[inline(always)]
    pub fn register_longs(&self, (source, is_long): SizedRegister) -> LaneLongs {
        if is_long {
            self.file.longs[self.at.register_index(source)]
        } else {
            map_lanes(self.register_words(source), u64::from)
        }
    }

    #[inline(always)]
    pub fn predicate_mask(&self, (source, not): Predicate) -> u32 {
        let bits = self.file.predicates[self.at.register_index(source)];
        if not { !bits } else { bits }
    }

    #[inline(always)]
    pub fn set_words(&mut self, register: u32, values: &LaneWords) {
        write_active_lanes(&mut self.file.words[self.at.register_index(register)], values, self.at.active);
    }

    #[inline(always)]
    pub fn set_longs(&mut self, register: u32, values: &LaneLongs) {
        write_active_lanes(&mut self.file.longs[self.at.register_index(register)], values, self.at.active);
    }

    /// Writes a 64-bit register, or a 32-bit register with the lower 32 bits of the values.
    pub fn set_sized(&mut self, (register, is_long): SizedRegister, values: &LaneLongs) {
        match is_long {
            true => self.set_longs(register, values),
            false => self.set_words(register, &map_lanes(values, |value| value as u32)),
        }
    }

    pub fn set_predicate(&mut self, register: u32, values: u32) {
        let to = &mut self.file.predicates[self.at.register_index(register)];
        *to = *to & !self.at.active | values & self.at.active;
    }

    pub fn ready_lanes(&self) -> u32 {
        self.alive & !self.blocked & !self.syncing
    }

    #[inline(always)]
    pub fn jump_to(&mut self, threads: u32, pc: u32) {
        write_active_lanes(&mut self.pc, &[pc; WARP_SIZE], threads);
    }
}

impl<'a> ThreadBlock<'a> {
    pub fn new(run: &'a RunningLaunch<'a>) -> Self {
        let program = &run.kernel.program;
        let threads: u32 = run.launch.block.iter().product();
        // A GPU allocates shared memory in units of 128 bytes. Dr.Jit's reductions read up to the end of the last unit.
        let shared_bytes = (run.kernel.shared_bytes + run.launch.shared_bytes as usize).next_multiple_of(128);
        let stack = if program.functions.is_empty() { 0 } else { CALL_STACK_BYTES };
        let stride = (program.entry.frame as usize + stack).next_multiple_of(16);
        let (launch, index) = (run.launch, [0; 3]);
        let shared = [launch.shared_bytes, shared_bytes as u32];
        let place = SpecialRegisterInputs { block: launch.block, grid: launch.grid, index, shared };
        let warps = (0..threads.div_ceil(32)).map(|number| Warp::new(number, program, stride, &place));
        let warps = warps.collect();
        Self {
            run,
            place,
            shared: vec![0; shared_bytes.div_ceil(8)],
            shared_bytes,
            stride,
            warps,
            barriers: [BlockBarrier::default(); 16],
            spans: Vec::new(),
            span: MemorySpan::default(),
            images: Vec::new(),
        }
    }

    pub fn block_memory_bytes(&self) -> usize {
        self.shared.len() * 8 + self.warps.iter().map(Warp::warp_memory_bytes).sum::<usize>()
    }

    pub fn restart_with_block(&mut self, number: u64) {
        self.place.index = grid_coordinates(number, self.run.launch.grid);
        self.barriers = [BlockBarrier::default(); 16];
        for warp in &mut self.warps {
            warp.restart_for_block(&self.run.kernel.program, &self.place);
        }
    }
}
