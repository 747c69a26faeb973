//! The table of instructions that do more than compute a register from registers: the operands of each, and the
//! function that lowers it. The other instructions are in values/. An opcode that no row allows is refused.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::sync::{Mutex, PoisonError};

use super::lowering_context::LoweringContext;
use super::modifier_patterns;
use super::{control_flow::*, memory_instructions::*, mov_compare_carry::*};
use crate::alu::{ALU_TABLES, AluOp, AluRow, Opcode, PtxType};
use crate::parse::Operand;
use crate::parse::load_error::Result;

/// The function that makes operations of an instruction.
pub type LowerFunction = fn(&mut LoweringContext, &Opcode, &[Operand]) -> Result;

pub struct InstructionRow {
    name: &'static str,
    /// How many operands.
    pub operands: RangeInclusive<usize>,
    /// The patterns of its modifiers (modifier_patterns.rs).
    patterns: &'static [&'static str],
    pub lower: LowerFunction,
}

const fn instruction_row(
    name: &'static str,
    operands: RangeInclusive<usize>,
    patterns: &'static [&'static str],
    lower: LowerFunction,
) -> InstructionRow {
    InstructionRow { name, operands, patterns, lower }
}

#[rustfmt::skip]
const INSTRUCTION_TABLE: &[InstructionRow] = &[
    // Sums with a carry.
    instruction_row("add", 3..=3, &[".cc{word}"], lower_carry),
    instruction_row("addc", 3..=3, &[".cc?{word}"], lower_carry),
    instruction_row("sub", 3..=3, &[".cc{word}"], lower_carry),
    instruction_row("subc", 3..=3, &[".cc?{word}"], lower_carry),
    instruction_row("mad", 4..=4, &["(.lo|.hi).cc{word}"], lower_carry),
    instruction_row("madc", 4..=4, &["(.lo|.hi).cc?{word}"], lower_carry),
    // Comparisons and choices.
    instruction_row("setp", 3..=4, &["(.eq|.ne|.lt|.le|.gt|.ge|.lo|.ls|.hi|.hs){and}?(.u16|.u32|.u64)", "{order}{and}?{signed}",
        "(.eq|.ne){and}?{bits}", "{relation}{and}?.ftz?(.f32|.f64|.f16|.f16x2|.bf16|.bf16x2)"], lower_comparison),
    instruction_row("set", 3..=4, &["(.eq|.ne|.lt|.le|.gt|.ge|.lo|.ls|.hi|.hs){and}?(.u32|.s32|.f32)(.u16|.u32|.u64)",
        "{order}{and}?(.u32|.s32|.f32){signed}", "(.eq|.ne){and}?(.u32|.s32|.f32){bits}",
        "{relation}{and}?.ftz?(.u32|.s32|.f32)(.f32|.f64)",
        "{relation}{and}?.ftz?(.u16|.u32|.s16|.s32|.f16|.bf16|.f16x2|.bf16x2)(.f16|.f16x2|.bf16|.bf16x2)"],
        lower_comparison),
    // Memory.
    instruction_row("mov", 2..=2, &["(.pred|.f16|.f16x2|.bf16|.bf16x2)", "{plain}"], lower_mov),
    instruction_row("mov", 2..=2, &[".v2{plain}", ".v4(.b16|.b32|.u16|.u32|.s16|.s32|.f32)"], lower_mov_vector),
    instruction_row("ld", 2..=2,
        &["(.weak|.volatile|.relaxed|.acquire|.mmio.relaxed)?{scope}{space}{cache}.nc?{L1}{L2}{vec}{cell}"],
        lower_load),
    instruction_row("ldu", 2..=2, &["{space}{vec}{cell}"], lower_load),
    instruction_row("st", 2..=2, &["(.weak|.volatile|.relaxed|.release|.mmio.relaxed)?{scope}{space}{cache}{L1}{L2}{vec}{cell}"],
        lower_store),
    instruction_row("atom", 3..=4, &["{sem}(.and|.or|.xor)(.b32|.b64)", "{sem}.exch(.b32|.b64)", "{sem}.cas{bits}",
        "{sem}(.inc|.dec).u32",
        "{sem}.add(.u32|.s32|.u64|.s64|.f32|.f64)", "{sem}(.min|.max){word}",
        "{sem}.add.noftz(.f16|.f16x2|.bf16|.bf16x2)"], lower_atomic),
    instruction_row("red", 2..=2, &["{sem}(.and|.or|.xor)(.b32|.b64)", "{sem}(.inc|.dec).u32",
        "{sem}.add(.u32|.s32|.u64|.s64|.f32|.f64)",
        "{sem}(.min|.max){word}", "{sem}.add.noftz(.f16|.f16x2|.bf16|.bf16x2)"], lower_atomic),
    instruction_row("cvta", 2..=2, &["(.global|.const|.shared|.shared::cta|.local|.param|.param::entry).u64",
        ".to(.global|.const|.shared|.shared::cta|.local|.param|.param::entry).u64"], lower_cvta),
    instruction_row("isspacep", 2..=2, &["(.global|.const|.shared|.shared::cta|.local|.param|.param::entry)"], lower_isspacep),
    instruction_row("cp", 3..=4, &[".async(.ca|.cg)(.shared|.shared::cta).global{L2}"], lower_async_copy),
    instruction_row("cp", 0..=1, &[".async(.commit_group|.wait_group|.wait_all)"], lower_nothing),
    instruction_row("prefetch", 1..=1, &["(.global|.local)?(.L1|.L2)", ".global(.L2::evict_last|.L2::evict_normal)"],
        lower_nothing),
    instruction_row("prefetchu", 1..=1, &[".L1"], lower_nothing),
    instruction_row("discard", 2..=2, &[".global?.L2"], lower_nothing),
    instruction_row("applypriority", 2..=2, &[".global?.L2::evict_normal"], lower_nothing),
    instruction_row("membar", 0..=0, &["(.cta|.gl|.sys)"], lower_without_operands),
    instruction_row("fence", 0..=0, &["(.sc|.acq_rel|.acquire|.release)?(.cta|.cluster|.gpu|.sys)"], lower_without_operands),
    // The flow of control.
    instruction_row("bra", 1..=1, &[".uni?"], lower_branch),
    instruction_row("brx", 2..=2, &[".idx.uni?"], lower_indexed_branch),
    instruction_row("call", 1..=4, &[".uni?"], lower_call),
    instruction_row("ret", 0..=0, &[".uni?"], lower_without_operands),
    instruction_row("exit", 0..=0, &[""], lower_without_operands),
    instruction_row("trap", 0..=0, &[""], lower_without_operands),
    instruction_row("brkpt", 0..=0, &[""], lower_without_operands),
    instruction_row("nanosleep", 1..=1, &[".u32"], lower_without_operands),
    instruction_row("pmevent", 1..=1, &[".mask?"], lower_nothing),
    instruction_row("bar", 1..=2, &[".cta?(.sync|.arrive)"], lower_barrier),
    instruction_row("barrier", 1..=2, &[".cta?(.sync|.arrive).aligned?"], lower_barrier),
    instruction_row("bar", 3..=4, &[".cta?.red(.popc.u32|.and.pred|.or.pred)"], lower_reducing_barrier),
    instruction_row("barrier", 3..=4, &[".cta?.red(.popc|.and|.or).aligned?(.u32|.pred)"], lower_reducing_barrier),
    // Warps.
    instruction_row("bar", 1..=1, &[".warp.sync"], lower_warp_collective),
    instruction_row("shfl", 4..=5, &[".sync?(.up|.down|.bfly|.idx).b32"], lower_warp_collective),
    instruction_row("vote", 2..=3, &[".sync?(.all|.any|.uni).pred", ".sync?.ballot.b32"], lower_warp_collective),
    instruction_row("match", 3..=3, &["(.any|.all).sync(.b32|.b64)"], lower_warp_collective),
    instruction_row("redux", 3..=3, &[".sync(.add|.min|.max)(.u32|.s32)", ".sync(.and|.or|.xor).b32"], lower_warp_collective),
    instruction_row("activemask", 1..=1, &[".b32"], lower_warp_collective),
    instruction_row("elect", 2..=2, &[".sync"], lower_warp_collective),
    // Images.
    instruction_row("suld", 2..=2, &[".b{geometry}{cache}{vec}(.b8|.b16|.b32|.b64)(.trap|.clamp|.zero)"], lower_image),
    instruction_row("sust", 2..=2, &[".b{geometry}{cache}{vec}(.b8|.b16|.b32|.b64)(.trap|.clamp|.zero)"], lower_image),
    instruction_row("tex", 2..=3, &[".base?{geometry}.v4(.f32|.u32|.s32)(.f32|.s32)",
        ".level{geometry}.v4(.f32|.u32|.s32)(.f32|.s32)"], lower_image),
    instruction_row("suq", 2..=2, &["(.width|.height|.depth).b32"], lower_image),
    instruction_row("txq", 2..=2, &["(.width|.height|.depth).b32"], lower_image),
];

/// Instructions that a GPU runs.
#[rustfmt::skip]
const REFUSED_INSTRUCTIONS: &[&str] = &[
    "mma", "wmma", "wgmma", "ldmatrix", "stmatrix", "movmatrix", "tcgen05", "mbarrier", "clusterlaunchcontrol",
    "multimem", "tensormap", "mapa", "getctarank", "griddepcontrol", "setmaxnreg", "stacksave", "stackrestore",
    "alloca", "createpolicy", "istypep", "sured", "tld4", "vshl",
    "vshr", "vmad", "vset", "vadd2", "vsub2", "vavrg2", "vabsdiff2", "vmin2", "vmax2", "vset2", "vadd4",
    "vsub4", "vavrg4", "vmin4", "vmax4", "vset4",
];

/// Modifiers that PTX has, and no row. A modifier that is in neither is a mistake of the text.
#[rustfmt::skip]
const OTHER_MODIFIERS: &[&str] = &[
    "b128", "cluster", "cube", "e2m1x2", "e4m3", "e4m3x2", "e5m2", "e5m2x2", "global", "gpu", "grad",
    "L2::cache_hint", "multimem", "oob", "pack",
    "reduce", "rna", "rs", "satfinite", "scaled", "shared::cluster", "shared::cta", "tf32", "ue8m0x2", "unified",
    "wide", "x2", "x4",
];

/// The row that allows an opcode, or why there is none.
pub enum OpcodeMatch {
    Alu(&'static AluRow),
    Lowered(&'static InstructionRow),
    /// A GPU runs the instruction.
    Unsupported,
    Unknown,
    UnknownModifier,
}

/// An opcode that a row allows.
pub struct KnownOpcode {
    pub opcode: Opcode<'static>,
    pub lowering: OpcodeLowering,
}

pub enum OpcodeLowering {
    /// One operation, and the bits of its result.
    Alu(AluOp, u32),
    ByRow(&'static InstructionRow),
}

/// Returns an opcode that a row allows. Each is split and compared once in a process, which keeps it.
pub fn find_known_opcode(text: &str) -> std::result::Result<&'static KnownOpcode, OpcodeMatch> {
    static KNOWN: Mutex<BTreeMap<&str, &KnownOpcode>> = Mutex::new(BTreeMap::new());
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(found) = known.get(text) {
        return Ok(found);
    }
    let opcode = || Opcode::parse_opcode(text.to_owned().leak());
    let found = match match_opcode(text) {
        OpcodeMatch::Alu(row) => {
            let opcode = opcode();
            let op = (row.select_op)(&opcode).with_flags(opcode.flags);
            KnownOpcode { opcode, lowering: OpcodeLowering::Alu(op, op.result_bits()) }
        }
        OpcodeMatch::Lowered(row) => KnownOpcode { opcode: opcode(), lowering: OpcodeLowering::ByRow(row) },
        refused => return Err(refused),
    };
    let found = Box::leak(Box::new(found));
    known.insert(found.opcode.text, found);
    Ok(found)
}

fn match_opcode(opcode: &str) -> OpcodeMatch {
    let (name, modifiers) = modifier_patterns::split_opcode(opcode);
    let mut rows = INSTRUCTION_TABLE.iter().filter(|row| row.name == name);
    let mut names = ALU_TABLES.iter().copied().flatten().map(|row| row.name);
    if let Some(row) = modifier_patterns::find_alu_row(opcode) {
        OpcodeMatch::Alu(row)
    } else if let Some(row) = rows.find(|row| modifier_patterns::matches_any(row.patterns, modifiers)) {
        OpcodeMatch::Lowered(row)
    } else if REFUSED_INSTRUCTIONS.contains(&name) {
        OpcodeMatch::Unsupported
    } else if !names.any(|known| known == name) && !INSTRUCTION_TABLE.iter().any(|row| row.name == name) {
        OpcodeMatch::Unknown
    } else if has_unknown_modifier(opcode) {
        OpcodeMatch::UnknownModifier
    } else {
        OpcodeMatch::Unsupported
    }
}

/// Whether an opcode has a part that PTX does not have.
fn has_unknown_modifier(opcode: &str) -> bool {
    let values = ALU_TABLES.iter().copied().flatten().flat_map(|value| value.patterns);
    let patterns = Vec::from_iter(values.chain(INSTRUCTION_TABLE.iter().flat_map(|row| row.patterns)));
    let is_known = |part: &str| {
        PtxType::parse_opcode(part).is_some()
            || OTHER_MODIFIERS.contains(&part)
            || patterns.iter().any(|pattern| modifier_patterns::mentions_modifier(pattern, part))
    };
    !opcode.split('.').skip(1).all(is_known)
}
