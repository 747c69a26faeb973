//! A kernel as a list of operations, whose operands are places in the registers of a warp.

use std::ops::Range;

use crate::values::{Compute, Type};

/// The shared memory of a block, in bytes, on a GPU of compute capability 9.0. A kernel's own variables must fit in.
pub const SHARED: usize = 227 << 10;

/// The number of a register: of the function's own, or with [`FIXED`] of those that the whole program has.
pub type Source = u32;
pub const FIXED: Source = 1 << 31;
/// The special registers are first. Then come the constants, and the functions' registers.
pub const SPECIALS: usize = 32;

/// A block's place in a launch, for its special registers.
pub struct Place {
    pub block: [u32; 3],
    pub grid: [u32; 3],
    pub index: [u32; 3],
    /// The bytes of shared memory: those of the launch, and all.
    pub shared: [u32; 2],
}

/// The name of a special register, and its value for a thread of a block.
pub type Special = (&'static str, fn(&Place, u32) -> u32);

/// Returns where the thread or the block with a number is, in a block or a grid of a size.
pub fn coordinates(number: u64, size: [u32; 3]) -> [u32; 3] {
    let [x, y, _] = size.map(u64::from);
    [number % x, number / x % y, number / x / y].map(|index| index as u32)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Space {
    Generic,
    Global,
    Shared,
    Local,
    Parameters,
}

/// The place of a memory access: a register's value in a space, or a place in the function's frame.
#[derive(Clone, Copy)]
pub struct Address {
    pub space: Space,
    /// A register, and whether it has 64 bits. `None` for the frame.
    pub base: Option<(Source, bool)>,
    pub offset: i64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Atomic {
    Add,
    Min,
    Max,
    Inc,
    Dec,
    Exchange,
    Compare,
    And,
    Or,
    Xor,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Vote {
    All,
    Any,
    Uniform,
    /// Each thread's answer as a bit. A barrier counts them.
    Ballot,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shuffle {
    Up,
    Down,
    Butterfly,
    Index,
}

/// A predicate that is read, and whether its opposite is meant.
pub type Predicate = (Source, bool);

/// An operation of several threads of a warp, and the registers for its results.
#[derive(Clone, Copy)]
pub enum Together {
    Barrier,
    Shuffle { mode: Shuffle, to: u32, inside: Option<u32>, value: Source, by: Source, limits: Source },
    Vote { kind: Vote, to: u32, value: Predicate },
    MatchAny { to: u32, value: Source, bits: u32 },
    MatchAll { to: u32, same: Option<u32>, value: Source, bits: u32 },
    Reduce { operation: Atomic, kind: Type, to: u32, value: Source },
    Active { to: u32 },
    Elect { to: u32, is_elected: Option<u32> },
}

/// The behavior outside of a surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outside {
    Trap,
    Clamp,
    Zero,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Geometry {
    pub dimensions: usize,
    pub layered: bool,
}

/// An operation on an image: loads or stores a number of bytes of each register, samples texels, or returns the number
/// of columns, rows or slices of a surface or texture.
#[derive(Clone, Copy)]
pub enum Texels {
    Load(usize, Outside),
    Store(usize, Outside),
    Sample { integers: bool, level: Option<Source> },
    Query { is_surface: bool, axis: usize },
}

/// Where a register may have 64 bits, a flag says so. `Frame` is the address of a place in the frame. `Copy` is
/// `cp.async`, which is done at once. A `Call` has the sizes of the caller's registers and frame; those of the callee
/// follow them.
#[derive(Clone)]
pub enum Operation {
    Compute { compute: Compute, to: u32, from: [Source; 4] },
    Frame { to: u32, offset: u32, window: u64 },
    Load { address: Address, bytes: usize, signed: bool, to: Box<[(u32, bool)]> },
    Store { address: Address, bytes: usize, from: Box<[(Source, bool)]> },
    Atomic { address: Address, operation: Atomic, kind: Type, to: Option<u32>, b: Source, c: Source },
    Copy { to: Address, from: Address, bytes: usize, given: Option<Source> },
    Branch { to: u32 },
    BranchOf { to: Box<[u32]>, index: Source },
    Call { function: Source, arguments: Box<[u32]>, results: Box<[u32]>, registers: u32, frame: u32 },
    Print { arguments: [u32; 2], result: u32 },
    Assert { arguments: [u32; 3] },
    Return,
    Exit,
    Trap,
    Fence,
    Yield,
    Barrier { id: Source, count: Option<Source>, waits: bool, reduce: Option<(Vote, Predicate, u32)> },
    Together { what: Together, members: Option<Source> },
    Clock { to: u32, shift: u32 },
    Image { what: Texels, object: Source, geometry: Geometry, at: [Source; 4], registers: Box<[Source]> },
}

pub struct Instruction {
    /// A predicate, and its value for which the instruction is passed over.
    pub guard: Option<Predicate>,
    pub line: u32,
    pub operation: Operation,
}

/// A function in the list.
#[derive(Clone, Default)]
pub struct Callee {
    pub start: u32,
    /// How many registers it has.
    pub registers: u32,
    pub frame: u32,
    /// The offsets in the frame, and the sizes.
    pub parameters: Vec<(u32, u32)>,
    pub results: Vec<(u32, u32)>,
}

#[derive(Default)]
pub struct Program {
    pub entry: Callee,
    pub code: Vec<Instruction>,
    pub constants: Vec<u64>,
    pub specials: Vec<Special>,
    pub functions: Vec<Option<Callee>>,
    pub calls: bool,
}

/// A kernel's parameter, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameter {
    pub size: usize,
    pub alignment: usize,
}

/// A kernel that can run.
pub struct Kernel {
    pub name: String,
    pub parameters: Vec<Parameter>,
    /// The bytes of shared memory that the kernel declares, to which a launch may add.
    pub shared: usize,
    /// The bytes of local memory of each thread, and of the module's constants.
    pub local: usize,
    pub constant: usize,
    /// The registers that the text declares. A GPU needs fewer.
    pub registers: u32,
    /// The only block that the kernel runs with.
    pub required: Option<[u32; 3]>,
    /// The largest number of threads in a block.
    pub most: Option<u32>,
    pub(crate) program: Program,
    /// The module's variables.
    pub(crate) memory: Range<u64>,
}
