//! A kernel as a list of operations, whose operands are registers of a warp.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::module_memory::ModuleMemory;
use crate::alu::{AluOp, PtxType, modifier_enum};

/// The largest shared memory of a block, in bytes, on a GPU of compute capability 9.0.
pub const MAX_SHARED_BYTES: usize = 227 << 10;

/// The number of a function's register or, with the bit [`READ_ONLY`], of one of its read-only registers.
pub type Register = u32;
pub const READ_ONLY: Register = 1 << 31;
/// A register, and whether an operation uses its 64-bit value instead of its 32-bit value.
pub type SizedRegister = (Register, bool);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddressSpace {
    Generic,
    Global,
    Shared,
    Local,
    Parameters,
}

/// The address of a memory access: `offset` plus a register's value, or plus the start of the function's frame.
#[derive(Clone, Copy)]
pub struct MemoryOperand {
    pub space: AddressSpace,
    /// `None` for the frame.
    pub base: Option<SizedRegister>,
    pub offset: i64,
}

impl MemoryOperand {
    pub fn in_frame(offset: i64) -> Self {
        Self { space: AddressSpace::Local, base: None, offset }
    }
}

modifier_enum!(
    /// The operations of `atom`, `red` and `redux`.
    AtomicOp {
        Add "add", Min "min", Max "max", Inc "inc", Dec "dec", Exchange "exch", Compare "cas", And "and", Or "or",
        Xor "xor"
    }
);
modifier_enum!(
    /// What `vote` and `bar.red` compute from the predicates of threads. For `vote`, `Ballot` computes the mask of the
    /// threads whose predicate is true. For `bar.red`, `Ballot` computes the number of these threads.
    VoteMode { All "all", Any "any", Uniform "uni", Ballot "ballot" }
);
modifier_enum!(ShuffleMode { Up "up", Down "down", Butterfly "bfly", Index "idx" });
modifier_enum!(
    /// What an access outside of a surface does.
    SurfaceClampMode { Trap "trap", Clamp "clamp", Zero "zero" }
);

/// A predicate that is read, and whether it is negated.
pub type Predicate = (Register, bool);

/// The reduction of `bar.red`: the mode, the threads' predicate, and the register for the result.
pub type BarrierReduction = (VoteMode, Predicate, u32);

#[derive(Clone, Copy)]
pub enum WarpCollective {
    Barrier,
    Shuffle { mode: ShuffleMode, to: u32, valid: Option<u32>, value: Register, b: Register, c: Register },
    Vote { kind: VoteMode, to: u32, value: Predicate },
    MatchAny { to: u32, value: SizedRegister },
    MatchAll { to: u32, same: Option<u32>, value: SizedRegister },
    Reduce { op: AtomicOp, kind: PtxType, to: u32, value: Register },
    Active { to: u32 },
    Elect { to: u32, is_elected: Option<u32> },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImageDimensionality {
    pub dimensions: usize,
    pub layered: bool,
}

/// An operation on an image. The number in `Load` and `Store` is how many bytes each register loads or stores.
#[derive(Clone, Copy)]
pub enum ImageOp {
    Load(usize, SurfaceClampMode),
    Store(usize, SurfaceClampMode),
    Sample { integers: bool, level: Option<Register> },
    Query { is_surface: bool, axis: usize },
}

/// An instruction `suld`, `sust`, `tex`, `suq` or `txq`. `object` is the register of the surface or texture object.
/// `at` are the registers of the coordinates. `texel` are the registers of the texel or, for `suq` and `txq`, the
/// register for the size.
pub struct ImageInstruction {
    pub op: ImageOp,
    pub object: Register,
    pub geometry: ImageDimensionality,
    pub at: [Register; 4],
    pub texel: Box<[SizedRegister]>,
}

/// What a `ProgramInstruction` does. `Copy` is `cp.async`, but ends only when all bytes are copied. In `Call`,
/// `registers` is the number of the caller's registers, and `frame` is the size of the caller's frame in bytes.
pub enum Operation {
    Compute { compute: AluOp, to: u32, from: [Register; 4] },
    Frame { to: u32, offset: u32, window: u64 },
    Load { from: MemoryOperand, kind: PtxType, to: Box<[SizedRegister]> },
    Store { to: MemoryOperand, kind: PtxType, from: Box<[SizedRegister]> },
    Atomic { address: MemoryOperand, op: AtomicOp, kind: PtxType, to: Option<u32>, b: Register, c: Register },
    Copy { to: MemoryOperand, from: MemoryOperand, bytes: usize, count: Register },
    Branch { to: u32 },
    BranchOf { to: Box<[u32]>, index: Register },
    Call { function: Register, arguments: Box<[u32]>, results: Box<[u32]>, registers: u32, frame: u32 },
    Print { arguments: [u32; 2], result: u32 },
    Allocate { size: u32, result: u32 },
    Free { address: u32 },
    Assert { arguments: [u32; 3] },
    Return,
    Exit,
    Trap,
    Fence,
    Yield,
    Barrier { id: Register, count: Option<Register>, wait: bool, reduce: Option<BarrierReduction> },
    Collective { collective: WarpCollective, members: Option<Register> },
    Clock { to: u32, shift: u32 },
    Image(ImageInstruction),
}

pub struct ProgramInstruction {
    /// A predicate, and the value of the predicate for which a thread skips the instruction.
    pub guard: Option<Predicate>,
    pub line: u32,
    pub operation: Operation,
}

#[derive(Clone, Default)]
pub struct FunctionLayout {
    pub start: u32,
    /// Where the read-only registers of the function begin in the register file.
    pub read_only: u32,
    pub registers: u32,
    pub frame: u32,
    /// The offset in the frame and the size of each parameter.
    pub parameters: Vec<(u32, u32)>,
    pub results: Vec<(u32, u32)>,
}

/// A shared variable, by its number in the module, or by a function's number and the variable's number in the function.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub enum SharedVariableId {
    OfModule(usize),
    OfFunction(usize, usize),
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub enum ReadOnlyRegister {
    /// A special register, by its index in `SPECIAL_REGISTERS`.
    Special(usize),
    Constant(u64),
    /// The address of a shared variable. `link_kernel` replaces it by a `Constant`.
    SharedAddress(SharedVariableId),
}

#[derive(Clone, Default)]
pub struct KernelProgram {
    pub entry: FunctionLayout,
    /// The operations of all lowered functions of the module.
    pub code: Arc<[ProgramInstruction]>,
    /// The read-only registers of the kernel's functions. The register file of each warp begins with them.
    pub read_only: Vec<ReadOnlyRegister>,
    /// The functions that the kernel may call, by their numbers in the module.
    pub functions: BTreeMap<usize, FunctionLayout>,
}

/// The size and the alignment of a kernel's parameter, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KernelParameter {
    pub size: usize,
    pub alignment: usize,
}

/// A kernel that can run, also after its module is dropped.
#[derive(Clone)]
pub struct Kernel {
    pub name: String,
    pub parameters: Vec<KernelParameter>,
    /// The bytes of the shared variables of the kernel and of the functions that it may call. A launch may add more.
    pub shared_bytes: usize,
    /// The bytes of local memory of each thread, without the frames of called functions.
    pub local_bytes: usize,
    /// The bytes of the module's constants.
    pub constant_bytes: usize,
    /// The number of registers that the kernel's text declares or lowering adds, without those of called functions.
    pub registers: u32,
    /// The only block size that the kernel allows.
    pub required_block: Option<[u32; 3]>,
    /// The largest number of threads that the kernel allows in a block.
    pub max_threads: Option<u32>,
    pub(crate) program: KernelProgram,
    pub(crate) memory: Arc<ModuleMemory>,
}
