//! A kernel as a list of instructions, whose operands are registers, constants and places in that list.

use crate::values::{Compute, Lanes, Type};

/// Where an operand is: a register, a constant or a special register, as the upper bits say.
pub type Source = u32;
pub const CONSTANT: Source = 1 << 31;
pub const SPECIAL: Source = 1 << 30;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Special {
    Tid(usize),
    Ntid(usize),
    Ctaid(usize),
    Nctaid(usize),
    Lane,
    Warp,
    Warps,
    /// The lanes below, up to, from or above this one, or this one alone.
    Mask(LaneMask),
    /// The bytes of shared memory: those of the launch, and all.
    DynamicShared,
    TotalShared,
    Zero,
    One,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LaneMask {
    Equal,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Space {
    Generic,
    Global,
    Shared,
    Local,
    Parameters,
}

/// Where memory is accessed: a register's value in a space, or a place in the function's frame.
#[derive(Clone, Copy)]
pub struct Address {
    pub space: Space,
    /// `None` for the frame.
    pub base: Option<Source>,
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

/// What threads of a warp do together.
#[derive(Clone)]
pub enum Together {
    Barrier,
    Shuffle { mode: Shuffle, to: u32, inside: Option<u32>, value: Source, by: Source, limits: Source },
    Vote { kind: Vote, to: u32, value: Predicate },
    MatchAny { to: u32, value: Source, bits: u32 },
    MatchAll { to: u32, same: Option<u32>, value: Source, bits: u32 },
    Reduce { operation: Atomic, kind: Type, to: u32, value: Source },
}

/// What happens outside of a surface.
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

/// Where a surface is accessed, and how many bytes of each register.
#[derive(Clone, Copy)]
pub struct Texels {
    pub surface: Source,
    pub geometry: Geometry,
    pub at: [Source; 4],
    pub bytes: usize,
    pub outside: Outside,
}

#[derive(Clone)]
pub enum Operation {
    Compute {
        compute: Compute,
        to: u32,
        from: [Source; 4],
    },
    /// The address of a place in the frame, generic or in local memory.
    Frame {
        to: u32,
        offset: u32,
        generic: bool,
    },
    Load {
        address: Address,
        bytes: usize,
        signed: bool,
        to: Box<[u32]>,
    },
    Store {
        address: Address,
        bytes: usize,
        from: Box<[Source]>,
    },
    Atomic {
        address: Address,
        operation: Atomic,
        kind: Type,
        to: Option<u32>,
        b: Source,
        c: Source,
    },
    /// `cp.async`, which is done at once.
    Copy {
        to: Address,
        from: Address,
        bytes: usize,
        given: Option<Source>,
    },
    Branch {
        to: u32,
    },
    BranchOf {
        to: Box<[u32]>,
        index: Source,
    },
    /// The caller's registers and frame are before the callee's.
    Call {
        function: Source,
        arguments: Box<[u32]>,
        results: Box<[u32]>,
        registers: u32,
        frame: u32,
    },
    Print {
        arguments: [u32; 2],
        result: u32,
    },
    Assert {
        arguments: [u32; 3],
    },
    Return,
    Exit,
    Trap,
    Fence,
    Yield,
    Barrier {
        id: Source,
        count: Option<Source>,
        waits: bool,
        reduce: Option<(Vote, Predicate, u32)>,
    },
    Together {
        what: Together,
        members: Option<Source>,
    },
    Active {
        to: u32,
    },
    Clock {
        to: u32,
    },
    SurfaceLoad {
        texels: Texels,
        to: Box<[u32]>,
    },
    SurfaceStore {
        texels: Texels,
        from: Box<[Source]>,
    },
    Texture {
        texture: Source,
        geometry: Geometry,
        at: [Source; 4],
        integers: bool,
        level: Option<Source>,
        to: Box<[u32]>,
    },
    /// Columns, rows or slices.
    Query {
        image: Source,
        surface: bool,
        what: usize,
        to: u32,
    },
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
    pub constants: Vec<Lanes>,
    pub specials: Vec<Special>,
    pub functions: Vec<Option<Callee>>,
    pub calls: bool,
}
