//! The table of instructions that do more than compute a register from registers. alu/ has the other instructions.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::sync::{Mutex, PoisonError};

use super::lowering_context::LoweringContext;
use super::modifier_patterns::{self, is_named, matches_any_pattern};
use super::{control_flow::*, memory_instructions::*, mov_compare_carry::*};
use crate::alu::{ALU_TABLES, AluOp, ModifierPatterns, Opcode};
use crate::parse::Operand;
use crate::parse::load_error::Result;

pub type LowerInstructionFn = fn(&mut LoweringContext, &Opcode, &[Operand]) -> Result;

pub struct InstructionRow {
    names: &'static str,
    pub operands: RangeInclusive<usize>,
    patterns: ModifierPatterns,
    pub lower: LowerInstructionFn,
}

const fn lowered_by(
    names: &'static str,
    operands: RangeInclusive<usize>,
    patterns: ModifierPatterns,
    lower: LowerInstructionFn,
) -> InstructionRow {
    InstructionRow { names, operands, patterns, lower }
}

#[rustfmt::skip]
const INSTRUCTION_TABLE: &[InstructionRow] = &[
    // Sums with a carry.
    lowered_by("add sub", 3..=3, &[".cc{word}"], lower_carry),
    lowered_by("addc subc", 3..=3, &[".cc?{word}"], lower_carry),
    lowered_by("mad", 4..=4, &["(.lo|.hi).cc{word}"], lower_carry),
    lowered_by("madc", 4..=4, &["(.lo|.hi).cc?{word}"], lower_carry),
    // Comparisons.
    lowered_by("setp", 3..=4, &["{unsigned_order}{and}?(.u16|.u32|.u64)", "{order}{and}?{signed}",
        "(.eq|.ne){and}?{bits}", "{relation}{and}?.ftz?(.f32|.f64|.f16|.f16x2|.bf16|.bf16x2)"], lower_comparison),
    lowered_by("set", 3..=4, &["{unsigned_order}{and}?(.u32|.s32|.f32)(.u16|.u32|.u64)",
        "{order}{and}?(.u32|.s32|.f32){signed}", "(.eq|.ne){and}?(.u32|.s32|.f32){bits}",
        "{relation}{and}?.ftz?(.u32|.s32|.f32)(.f32|.f64)",
        "{relation}{and}?.ftz?(.u16|.u32|.s16|.s32|.f16|.bf16|.f16x2|.bf16x2)(.f16|.f16x2|.bf16|.bf16x2)"],
        lower_comparison),
    // Memory.
    lowered_by("mov", 2..=2, &["(.pred|.f16|.f16x2|.bf16|.bf16x2)", "{plain}"], lower_mov),
    lowered_by("mov", 2..=2, &[".v2{plain}", ".v4(.b16|.b32|.u16|.u32|.s16|.s32|.f32)"], lower_mov_vector),
    lowered_by("ld", 2..=2, &["{load}?{scope}{space}{cache}.nc?{L1}{L2}{vec}{cell}"], lower_load),
    lowered_by("ldu", 2..=2, &["{space}{vec}{cell}"], lower_load),
    lowered_by("st", 2..=2, &["{store}?{scope}{space}{cache}{L1}{L2}{vec}{cell}"], lower_store),
    lowered_by("atom", 3..=4, &["{sem}.exch(.b32|.b64)", "{sem}.cas{bits}"], lower_atomic),
    lowered_by("atom", 3..=3, ATOMIC_PATTERNS, lower_atomic),
    lowered_by("red", 2..=2, ATOMIC_PATTERNS, lower_atomic),
    lowered_by("cvta", 2..=2, &["{window}.u64", ".to{window}.u64"], lower_cvta),
    lowered_by("isspacep", 2..=2, &["{window}"], lower_isspacep),
    lowered_by("cp", 3..=4, &[".async(.ca|.cg)(.shared|.shared::cta).global{L2}"], lower_async_copy),
    lowered_by("cp", 0..=1, &[".async(.commit_group|.wait_group|.wait_all)"], lower_to_nothing),
    lowered_by("prefetch", 1..=1, &["(.global|.local)?(.L1|.L2)", ".global(.L2::evict_last|.L2::evict_normal)"],
        lower_to_nothing),
    lowered_by("prefetchu", 1..=1, &[".L1"], lower_to_nothing),
    lowered_by("discard", 2..=2, &[".global?.L2"], lower_to_nothing),
    lowered_by("applypriority", 2..=2, &[".global?.L2::evict_normal"], lower_to_nothing),
    lowered_by("membar", 0..=0, &["(.cta|.gl|.sys)"], lower_without_operands),
    lowered_by("fence", 0..=0, &["(.sc|.acq_rel|.acquire|.release)?(.cta|.cluster|.gpu|.sys)"],
        lower_without_operands),
    // The flow of control.
    lowered_by("bra", 1..=1, &[".uni?"], lower_branch),
    lowered_by("brx", 2..=2, &[".idx.uni?"], lower_indexed_branch),
    lowered_by("call", 1..=4, &[".uni?"], lower_call),
    lowered_by("ret", 0..=0, &[".uni?"], lower_without_operands),
    lowered_by("exit trap brkpt", 0..=0, &[""], lower_without_operands),
    lowered_by("nanosleep", 1..=1, &[".u32"], lower_without_operands),
    lowered_by("pmevent", 1..=1, &[".mask?"], lower_to_nothing),
    lowered_by("bar", 1..=2, &[".cta?(.sync|.arrive)"], lower_barrier),
    lowered_by("barrier", 1..=2, &[".cta?(.sync|.arrive).aligned?"], lower_barrier),
    lowered_by("bar", 3..=4, &[".cta?.red(.popc.u32|.and.pred|.or.pred)"], lower_barrier),
    lowered_by("barrier", 3..=4, &[".cta?.red(.popc|.and|.or).aligned?(.u32|.pred)"], lower_barrier),
    // Instructions that the threads of a warp execute together.
    lowered_by("bar", 1..=1, &[".warp.sync"], lower_warp_collective),
    lowered_by("shfl", 4..=5, &[".sync?(.up|.down|.bfly|.idx).b32"], lower_warp_collective),
    lowered_by("vote", 2..=3, &[".sync?(.all|.any|.uni).pred", ".sync?.ballot.b32"], lower_warp_collective),
    lowered_by("match", 3..=3, &["(.any|.all).sync(.b32|.b64)"], lower_warp_collective),
    lowered_by("redux", 3..=3, &[".sync(.add|.min|.max){int32}", ".sync{and}.b32"], lower_warp_collective),
    lowered_by("activemask", 1..=1, &[".b32"], lower_warp_collective),
    lowered_by("elect", 2..=2, &[".sync"], lower_warp_collective),
    // Images.
    lowered_by("suld sust", 2..=2, &[".b{geometry}{cache}{vec}(.b8|.b16|.b32|.b64)(.trap|.clamp|.zero)"], lower_image),
    lowered_by("tex", 2..=3, &["(.base|.level)?{geometry}.v4(.f32|.u32|.s32)(.f32|.s32)"], lower_image),
    lowered_by("suq txq", 2..=2, &["(.width|.height|.depth).b32"], lower_image),
];

const ATOMIC_PATTERNS: ModifierPatterns = &[
    "{sem}(.and|.or|.xor)(.b32|.b64)",
    "{sem}(.inc|.dec).u32",
    "{sem}.add(.u32|.s32|.u64|.s64|.f32|.f64)",
    "{sem}(.min|.max){word}",
    "{sem}.add.noftz(.f16|.f16x2|.bf16|.bf16x2)",
];

/// Instructions of PTX that no row of a table allows. A kernel with one of them is unsupported, not invalid.
#[rustfmt::skip]
const REFUSED_INSTRUCTIONS: &[&str] = &[
    "mma", "wmma", "wgmma", "ldmatrix", "stmatrix", "movmatrix", "tcgen05", "mbarrier", "clusterlaunchcontrol",
    "multimem", "tensormap", "mapa", "getctarank", "griddepcontrol", "setmaxnreg", "stacksave", "stackrestore",
    "alloca", "createpolicy", "istypep", "sured", "tld4", "vshl",
    "vshr", "vmad", "vset", "vadd2", "vsub2", "vavrg2", "vabsdiff2", "vmin2", "vmax2", "vset2", "vadd4",
    "vsub4", "vavrg4", "vmin4", "vmax4", "vset4",
];

pub struct KnownOpcode {
    pub opcode: Opcode<'static>,
    pub lowering: OpcodeLowering,
}

pub enum OpcodeLowering {
    /// One operation, and the width of its result in bits.
    Alu(AluOp, u32),
    ByRow(&'static InstructionRow),
}

/// Returns how to lower an opcode, or `None` if no row allows it. `KNOWN` keeps the opcodes that a row allows, so that
/// a process searches the tables only once for each of these opcodes.
pub fn find_known_opcode(text: &str) -> Option<&'static KnownOpcode> {
    static KNOWN: Mutex<BTreeMap<&str, &KnownOpcode>> = Mutex::new(BTreeMap::new());
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(found) = known.get(text) {
        return Some(found);
    }
    let lowering = match_opcode(text)?;
    let opcode = Opcode::parse_opcode(text.to_owned().leak());
    let found = Box::leak(Box::new(KnownOpcode { opcode, lowering }));
    known.insert(found.opcode.text, found);
    Some(found)
}

fn match_opcode(text: &str) -> Option<OpcodeLowering> {
    if modifier_patterns::find_alu_row(text).is_some() {
        let op = modifier_patterns::alu_op_of(text);
        return Some(OpcodeLowering::Alu(op, op.result_bit_width()));
    }
    let (name, modifiers) = modifier_patterns::split_opcode(text);
    let mut rows = INSTRUCTION_TABLE.iter().filter(|row| is_named(row.names, name));
    rows.find(|row| matches_any_pattern(row.patterns, modifiers)).map(OpcodeLowering::ByRow)
}

pub fn is_ptx_instruction(name: &str) -> bool {
    let alu_names = ALU_TABLES.iter().copied().flatten().map(|row| row.names);
    let mut names = alu_names.chain(INSTRUCTION_TABLE.iter().map(|row| row.names));
    REFUSED_INSTRUCTIONS.contains(&name) || names.any(|names| is_named(names, name))
}
