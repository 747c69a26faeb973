//! The table of instructions that do more than compute a register from registers: the operands of each, and the
//! function that lowers it. The other instructions are in values/. An opcode that no row allows is refused.

use std::ops::RangeInclusive;

use super::lowering::Lowering;
use super::{control, memory, registers, syntax};
use crate::error::Result;
use crate::parse::Operand;
use crate::values::{Form, TABLES, Type, Value};

/// The function that makes operations of an instruction.
pub type Lower = for<'a> fn(&mut Lowering<'a>, &Form, &[Operand<'a>]) -> Result;

pub struct Row {
    name: &'static str,
    /// How many operands.
    pub operands: RangeInclusive<usize>,
    /// The patterns of its modifiers (syntax.rs).
    takes: &'static [&'static str],
    pub lower: Lower,
}

const fn other(
    name: &'static str,
    operands: RangeInclusive<usize>,
    takes: &'static [&'static str],
    lower: Lower,
) -> Row {
    Row { name, operands, takes, lower }
}

#[rustfmt::skip]
const TABLE: &[Row] = &[
    // Sums with a carry.
    other("add", 3..=3, &[".cc{word}"], registers::carry),
    other("addc", 3..=3, &[".cc?{word}"], registers::carry),
    other("sub", 3..=3, &[".cc{word}"], registers::carry),
    other("subc", 3..=3, &[".cc?{word}"], registers::carry),
    other("mad", 4..=4, &["(.lo|.hi).cc{word}"], registers::carry),
    other("madc", 4..=4, &["(.lo|.hi).cc?{word}"], registers::carry),
    // Comparisons and choices.
    other("setp", 3..=4, &["(.eq|.ne|.lt|.le|.gt|.ge|.lo|.ls|.hi|.hs){and}?(.u16|.u32|.u64)", "{order}{and}?{signed}",
        "(.eq|.ne){and}?{bits}", "{relation}{and}?.ftz?(.f32|.f64|.f16|.f16x2|.bf16|.bf16x2)"], registers::compare),
    other("set", 3..=4, &["(.eq|.ne|.lt|.le|.gt|.ge|.lo|.ls|.hi|.hs){and}?(.u32|.s32|.f32)(.u16|.u32|.u64)",
        "{order}{and}?(.u32|.s32|.f32){signed}", "(.eq|.ne){and}?(.u32|.s32|.f32){bits}",
        "{relation}{and}?.ftz?(.u32|.s32|.f32)(.f32|.f64)",
        "{relation}{and}?.ftz?(.u16|.u32|.s16|.s32|.f16|.bf16|.f16x2|.bf16x2)(.f16|.f16x2|.bf16|.bf16x2)"], registers::compare),
    // Memory.
    other("mov", 2..=2, &["(.pred|.f16|.f16x2|.bf16|.bf16x2)", "{plain}"], registers::copy),
    other("mov", 2..=2, &[".v2{plain}", ".v4(.b16|.b32|.u16|.u32|.s16|.s32|.f32)"], registers::copy_vector),
    other("ld", 2..=2, &["(.weak|.volatile|.relaxed|.acquire|.mmio.relaxed)?{scope}{space}{cache}.nc?{L1}{L2}{vec}{cell}"], memory::load),
    other("ldu", 2..=2, &["{space}{vec}{cell}"], memory::load),
    other("st", 2..=2, &["(.weak|.volatile|.relaxed|.release|.mmio.relaxed)?{scope}{space}{cache}{L1}{L2}{vec}{cell}"], memory::store),
    other("atom", 3..=4, &["{sem}(.and|.or|.xor)(.b32|.b64)", "{sem}.exch(.b32|.b64)", "{sem}.cas{bits}", "{sem}(.inc|.dec).u32",
        "{sem}.add(.u32|.s32|.u64|.s64|.f32|.f64)", "{sem}(.min|.max){word}", "{sem}.add.noftz(.f16|.f16x2|.bf16|.bf16x2)"], memory::atomic),
    other("red", 2..=2, &["{sem}(.and|.or|.xor)(.b32|.b64)", "{sem}(.inc|.dec).u32", "{sem}.add(.u32|.s32|.u64|.s64|.f32|.f64)",
        "{sem}(.min|.max){word}", "{sem}.add.noftz(.f16|.f16x2|.bf16|.bf16x2)"], memory::atomic),
    other("cvta", 2..=2, &["(.global|.const|.shared|.shared::cta|.local|.param|.param::entry).u64",
        ".to(.global|.const|.shared|.shared::cta|.local|.param|.param::entry).u64"], memory::to_generic),
    other("isspacep", 2..=2, &["(.global|.const|.shared|.shared::cta|.local|.param|.param::entry)"], memory::is_in_space),
    other("cp", 3..=4, &[".async(.ca|.cg)(.shared|.shared::cta).global{L2}"], memory::copy),
    other("cp", 0..=1, &[".async(.commit_group|.wait_group|.wait_all)"], control::nothing),
    other("prefetch", 1..=1, &["(.global|.local)?(.L1|.L2)", ".global(.L2::evict_last|.L2::evict_normal)"], control::nothing),
    other("prefetchu", 1..=1, &[".L1"], control::nothing),
    other("discard", 2..=2, &[".global?.L2"], control::nothing),
    other("applypriority", 2..=2, &[".global?.L2::evict_normal"], control::nothing),
    other("membar", 0..=0, &["(.cta|.gl|.sys)"], control::alone),
    other("fence", 0..=0, &["(.sc|.acq_rel|.acquire|.release)?(.cta|.cluster|.gpu|.sys)"], control::alone),
    // The flow of control.
    other("bra", 1..=1, &[".uni?"], control::branch),
    other("brx", 2..=2, &[".idx.uni?"], control::branch_of),
    other("call", 1..=4, &[".uni?"], control::call),
    other("ret", 0..=0, &[".uni?"], control::alone),
    other("exit", 0..=0, &[""], control::alone),
    other("trap", 0..=0, &[""], control::alone),
    other("brkpt", 0..=0, &[""], control::alone),
    other("nanosleep", 1..=1, &[".u32"], control::alone),
    other("pmevent", 1..=1, &[".mask?"], control::nothing),
    other("bar", 1..=2, &[".cta?(.sync|.arrive)"], control::barrier),
    other("barrier", 1..=2, &[".cta?(.sync|.arrive).aligned?"], control::barrier),
    other("bar", 3..=4, &[".cta?.red(.popc.u32|.and.pred|.or.pred)"], control::reducing_barrier),
    other("barrier", 3..=4, &[".cta?.red(.popc|.and|.or).aligned?(.u32|.pred)"], control::reducing_barrier),
    // Warps.
    other("bar", 1..=1, &[".warp.sync"], control::together),
    other("shfl", 4..=5, &[".sync?(.up|.down|.bfly|.idx).b32"], control::together),
    other("vote", 2..=3, &[".sync?(.all|.any|.uni).pred", ".sync?.ballot.b32"], control::together),
    other("match", 3..=3, &["(.any|.all).sync(.b32|.b64)"], control::together),
    other("redux", 3..=3, &[".sync(.add|.min|.max)(.u32|.s32)", ".sync(.and|.or|.xor).b32"], control::together),
    other("activemask", 1..=1, &[".b32"], control::together),
    other("elect", 2..=2, &[".sync"], control::together),
    // Images.
    other("suld", 2..=2, &[".b{geometry}{cache}{vec}(.b8|.b16|.b32|.b64)(.trap|.clamp|.zero)"], memory::image),
    other("sust", 2..=2, &[".b{geometry}{cache}{vec}(.b8|.b16|.b32|.b64)(.trap|.clamp|.zero)"], memory::image),
    other("tex", 2..=3, &[".base?{geometry}.v4(.f32|.u32|.s32)(.f32|.s32)", ".level{geometry}.v4(.f32|.u32|.s32)(.f32|.s32)"], memory::image),
    other("suq", 2..=2, &["(.width|.height|.depth).b32"], memory::image),
    other("txq", 2..=2, &["(.width|.height|.depth).b32"], memory::image),
];

/// Instructions that a GPU runs.
#[rustfmt::skip]
const REFUSED: &[&str] = &[
    "mma", "wmma", "wgmma", "ldmatrix", "stmatrix", "movmatrix", "tcgen05", "mbarrier", "clusterlaunchcontrol",
    "multimem", "tensormap", "mapa", "getctarank", "griddepcontrol", "setmaxnreg", "stacksave", "stackrestore",
    "alloca", "createpolicy", "istypep", "sured", "tld4", "vadd", "vsub", "vabsdiff", "vmin", "vmax", "vshl",
    "vshr", "vmad", "vset", "vadd2", "vsub2", "vavrg2", "vabsdiff2", "vmin2", "vmax2", "vset2", "vadd4",
    "vsub4", "vavrg4", "vmin4", "vmax4", "vset4",
];

/// Modifiers that PTX has, and no row. A modifier that is in neither is a mistake of the text.
#[rustfmt::skip]
const MODIFIERS: &[&str] = &[
    "b128", "cluster", "cube", "e2m1x2", "e4m3", "e4m3x2", "e5m2", "e5m2x2", "global", "gpu", "grad", "L2::cache_hint", "multimem", "oob", "pack",
    "reduce", "rna", "rs", "satfinite", "scaled", "shared::cluster", "shared::cta", "tf32", "ue8m0x2", "unified", "wide", "x2", "x4",
];

/// The rows of an opcode.
pub enum Found {
    Value(&'static Value),
    Other(&'static Row),
    Refused,
    /// Some row has the name.
    Name,
    Nothing,
}

/// Returns the row that allows an opcode.
pub fn find(opcode: &str) -> Found {
    let (name, modifiers) = syntax::split(opcode);
    let mut rows = TABLE.iter().filter(|row| row.name == name);
    let mut names =
        TABLES.iter().copied().flatten().map(|value| value.name).chain(TABLE.iter().map(|row| row.name));
    if let Some(value) = syntax::value(opcode) {
        Found::Value(value)
    } else if let Some(row) = rows.find(|row| syntax::allow(row.takes, modifiers)) {
        Found::Other(row)
    } else if names.any(|known| known == name) {
        Found::Name
    } else if REFUSED.contains(&name) {
        Found::Refused
    } else {
        Found::Nothing
    }
}

/// Whether an opcode has a part that PTX does not have.
pub fn has_unknown_part(opcode: &str) -> bool {
    let values = TABLES.iter().copied().flatten().flat_map(|value| value.takes);
    let patterns = Vec::from_iter(values.chain(TABLE.iter().flat_map(|row| row.takes)));
    let is_known = |part: &str| {
        Type::parse(part).is_some()
            || MODIFIERS.contains(&part)
            || patterns.iter().any(|pattern| syntax::mentions(pattern, part))
    };
    !opcode.split('.').skip(1).all(is_known)
}
