//! The table of instructions: what each takes, what does it, and what it is tested by. An opcode that no row allows is refused.

use super::lowering::Lowering;
use super::{control, image, memory, registers, syntax, warp};
use crate::error::Result;
use crate::parse::Instruction;
use crate::values::{self, Choose};

/// What makes operations of an instruction.
pub type Lower = for<'a> fn(&mut Lowering<'a>, &Instruction<'a>) -> Result;

#[derive(Clone, Copy)]
pub enum Does {
    /// Computes a register from registers.
    Value(Choose),
    Other(Lower),
    /// A GPU runs it.
    Refused,
}

/// Where an instruction is tested: on operands of every form beside a GPU, in kernels, or nowhere.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tested {
    Forms,
    Kernels,
    Refusals,
}

pub struct Row {
    pub name: &'static str,
    /// The patterns of its modifiers (syntax.rs).
    pub takes: &'static [&'static str],
    pub does: Does,
    pub tested: Tested,
}

const fn value(name: &'static str, takes: &'static [&'static str], choose: Choose) -> Row {
    Row { name, takes, does: Does::Value(choose), tested: Tested::Forms }
}

const fn other(name: &'static str, takes: &'static [&'static str], lower: Lower) -> Row {
    Row { name, takes, does: Does::Other(lower), tested: Tested::Kernels }
}

const fn refused(name: &'static str) -> Row {
    Row { name, takes: &[], does: Does::Refused, tested: Tested::Refusals }
}

/// The floats of sums and products.
const SUM: &[&str] = &["{rnd}?.ftz?.sat?.f32", "{rnd}?.f64", ".rn?.ftz?.sat?{halves}", ".rn?{brains}"];
const SIGN: &[&str] = &[".ftz?.f32", ".f64", ".ftz?{halves}", "{brains}"];
const EXTREME: &[&str] = &[
    ".ftz?.NaN?(.xorsign.abs)?.f32",
    ".f64",
    ".ftz?.NaN?(.xorsign.abs)?{halves}",
    ".NaN?(.xorsign.abs)?{brains}",
];
const LOGIC: &[&str] = &["(.pred|.b16|.b32|.b64)"];

#[rustfmt::skip]
pub const TABLE: &[Row] = &[
    // Integers.
    value("add", &["{int}", ".sat.s32"], values::add),
    value("sub", &["{int}", ".sat.s32"], values::subtract),
    value("mul", &["(.lo|.hi){int}", ".wide(.u16|.u32|.s16|.s32)"], values::multiply),
    value("mad", &["(.lo|.hi){int}", ".wide(.u16|.u32|.s16|.s32)", ".hi.sat.s32"], values::multiply_add),
    value("mul24", &["(.lo|.hi)(.u32|.s32)"], values::multiply_24),
    value("mad24", &["(.lo|.hi)(.u32|.s32)"], values::multiply_24),
    value("sad", &["{int}"], values::sum_of_differences),
    value("div", &["{int}"], values::divide),
    value("rem", &["{int}"], values::remainder),
    value("abs", &["{signed}"], values::absolute),
    value("neg", &["{signed}"], values::negate),
    value("min", &["{int}", ".relu.s32"], values::extreme),
    value("max", &["{int}", ".relu.s32"], values::extreme),
    value("dp4a", &["(.u32|.s32)(.u32|.s32)"], values::dot_products),
    value("dp2a", &["(.lo|.hi)(.u32|.s32)(.u32|.s32)"], values::dot_products),
    other("add", &[".cc{word}"], registers::carry),
    other("addc", &[".cc?{word}"], registers::carry),
    other("sub", &[".cc{word}"], registers::carry),
    other("subc", &[".cc?{word}"], registers::carry),
    other("mad", &["(.lo|.hi).cc{word}"], registers::carry),
    other("madc", &["(.lo|.hi).cc?{word}"], registers::carry),
    // Bits.
    value("and", LOGIC, values::and),
    value("or", LOGIC, values::or),
    value("xor", LOGIC, values::exclusive_or),
    value("not", LOGIC, values::not),
    value("cnot", &["{bits}"], values::is_zero),
    value("shl", &["{bits}"], values::shift_left),
    value("shr", &["{bits}", "{int}"], values::shift_right),
    value("shf", &["(.l|.r)(.clamp|.wrap).b32"], values::funnel),
    value("popc", &["(.b32|.b64)"], values::count_ones),
    value("clz", &["(.b32|.b64)"], values::count_leading),
    value("brev", &["(.b32|.b64)"], values::reverse),
    value("bfind", &[".shiftamt?{word}"], values::find_leading),
    value("bfe", &["{word}"], values::extract_field),
    value("bfi", &["(.b32|.b64)"], values::insert_field),
    value("bmsk", &["(.clamp|.wrap).b32"], values::mask),
    value("szext", &["(.clamp|.wrap)(.u32|.s32)"], values::sign_extend),
    value("prmt", &[".b32(.f4e|.b4e|.rc8|.ecl|.ecr|.rc16)?"], values::byte_permute),
    value("lop3", &[".b32"], values::table_of_three),
    // Floats.
    value("add", SUM, values::float_add),
    value("sub", SUM, values::float_subtract),
    value("mul", SUM, values::float_multiply),
    value("fma", &["{rnd}.ftz?.sat?.f32", "{rnd}.f64", ".rn.ftz?(.sat|.relu)?{halves}", ".rn.relu?{brains}"], values::float_fused),
    value("mad", &["{rnd}.ftz?.sat?.f32", "{rnd}.f64"], values::float_fused),
    value("div", &["(.approx|.full).ftz?.f32", "{rnd}.ftz?.f32", "{rnd}.f64"], values::float_divide),
    value("rcp", &["{rnd}.ftz?.f32", "{rnd}.f64"], values::reciprocal),
    value("rcp", &[".approx.ftz?.f32", ".approx.ftz.f64"], values::quick_reciprocal),
    value("sqrt", &["{rnd}.ftz?.f32", "{rnd}.f64"], values::square_root),
    value("sqrt", &[".approx.ftz?.f32"], values::quick_square_root),
    value("rsqrt", &[".approx.ftz?.f32", ".approx.ftz?.f64"], values::reciprocal_root),
    value("sin", &[".approx.ftz?.f32"], values::sine),
    value("cos", &[".approx.ftz?.f32"], values::cosine),
    value("lg2", &[".approx.ftz?.f32"], values::logarithm),
    value("ex2", &[".approx.ftz?.f32", ".approx{halves}", ".approx.ftz{brains}"], values::exponential),
    value("tanh", &[".approx(.f32|.f16|.f16x2|.bf16|.bf16x2)"], values::tangent),
    value("abs", SIGN, values::float_absolute),
    value("neg", SIGN, values::float_negate),
    value("min", EXTREME, values::float_extreme),
    value("max", EXTREME, values::float_extreme),
    value("copysign", &["(.f32|.f64)"], values::copy_sign),
    value("testp", &["(.finite|.infinite|.number|.notanumber|.normal|.subnormal)(.f32|.f64)"], values::test),
    // Conversions.
    value("cvt", &[
        ".sat?{byte}{byte}", "{whole}.ftz?.sat?{byte}(.f16|.bf16|.f32|.f64)",
        "{rnd}.sat?(.f16|.bf16|.f32|.f64){byte}",
        "{whole}?.ftz?.sat?.f32.f32", "{whole}?.sat?.f64.f64", "{whole}?.sat?.f16.f16", "{whole}.bf16.bf16",
        ".ftz?.sat?.f32.f16", ".ftz?.sat?.f32.bf16", ".ftz?.sat?.f64.f32", ".sat?.f64.f16", ".f64.bf16",
        "{rnd}.ftz?.sat?.f32.f64", "{rnd}.ftz?.sat?.f16.f32", "{rnd}.sat?.f16.f64",
        "(.rn|.rz).relu?.f16.f32", "(.rn|.rz).relu?.bf16.f32", "{rnd}.bf16.f64", "(.rn|.rz).relu?(.f16x2|.bf16x2).f32",
    ], values::convert),
    // Comparisons and choices.
    other("setp", &["(.eq|.ne|.lt|.le|.gt|.ge|.lo|.ls|.hi|.hs){and}?(.u16|.u32|.u64)", "{order}{and}?{signed}",
        "(.eq|.ne){and}?{bits}", "{relation}{and}?.ftz?(.f32|.f64|.f16|.f16x2|.bf16|.bf16x2)"], registers::compare),
    other("set", &["(.eq|.ne|.lt|.le|.gt|.ge|.lo|.ls|.hi|.hs){and}?(.u32|.s32|.f32)(.u16|.u32|.u64)",
        "{order}{and}?(.u32|.s32|.f32){signed}", "(.eq|.ne){and}?(.u32|.s32|.f32){bits}",
        "{relation}{and}?.ftz?(.u32|.s32|.f32)(.f32|.f64)",
        "{relation}{and}?.ftz?(.u16|.u32|.s16|.s32|.f16|.bf16|.f16x2|.bf16x2)(.f16|.f16x2|.bf16|.bf16x2)"], registers::compare),
    value("selp", &["{plain}"], values::select),
    value("slct", &["{plain}.s32", ".ftz?{plain}.f32"], values::choose_by_sign),
    // Memory.
    other("mov", &["(.pred|.f16|.f16x2|.bf16|.bf16x2)", "{plain}"], registers::copy),
    other("ld", &["(.weak|.volatile|.relaxed|.acquire|.mmio.relaxed)?{scope}{space}{cache}.nc?{L1}{L2}{vec}{cell}"], memory::load),
    other("ldu", &["{space}{vec}{cell}"], memory::load),
    other("st", &["(.weak|.volatile|.relaxed|.release|.mmio.relaxed)?{scope}{space}{cache}{L1}{L2}{vec}{cell}"], memory::store),
    other("atom", &["{sem}(.and|.or|.xor)(.b32|.b64)", "{sem}.exch(.b32|.b64)", "{sem}.cas{bits}", "{sem}(.inc|.dec).u32",
        "{sem}.add(.u32|.s32|.u64|.s64|.f32|.f64)", "{sem}(.min|.max){word}", "{sem}.add.noftz(.f16|.f16x2|.bf16|.bf16x2)"], memory::atomic),
    other("red", &["{sem}(.and|.or|.xor)(.b32|.b64)", "{sem}(.inc|.dec).u32", "{sem}.add(.u32|.s32|.u64|.s64|.f32|.f64)",
        "{sem}(.min|.max){word}", "{sem}.add.noftz(.f16|.f16x2|.bf16|.bf16x2)"], memory::atomic),
    other("cvta", &["(.global|.const|.shared|.shared::cta|.local|.param|.param::entry).u64",
        ".to(.global|.const|.shared|.shared::cta|.local|.param|.param::entry).u64"], memory::to_generic),
    other("isspacep", &["(.global|.const|.shared|.shared::cta|.local|.param|.param::entry)"], memory::is_in_space),
    other("cp", &[".async(.ca|.cg)(.shared|.shared::cta).global{L2}"], memory::copy),
    other("cp", &[".async(.commit_group|.wait_group|.wait_all)"], control::nothing),
    other("prefetch", &["(.global|.local)?(.L1|.L2)", ".global(.L2::evict_last|.L2::evict_normal)"], control::nothing),
    other("prefetchu", &[".L1"], control::nothing),
    other("discard", &[".global?.L2"], control::nothing),
    other("applypriority", &[".global?.L2::evict_normal"], control::nothing),
    other("membar", &["(.cta|.gl|.sys)"], control::fence),
    other("fence", &["(.sc|.acq_rel|.acquire|.release)?(.cta|.cluster|.gpu|.sys)"], control::fence),
    // The flow of control.
    other("bra", &[".uni?"], control::branch),
    other("brx", &[".idx.uni?"], control::branch_of),
    other("call", &[".uni?"], control::call),
    other("ret", &[".uni?"], control::leave),
    other("exit", &[""], control::exit),
    other("trap", &[""], control::trap),
    other("brkpt", &[""], control::trap),
    other("nanosleep", &[".u32"], control::sleep),
    other("pmevent", &[".mask?"], control::nothing),
    other("bar", &[".cta?(.sync|.arrive)"], control::barrier),
    other("barrier", &[".cta?(.sync|.arrive).aligned?"], control::barrier),
    other("bar", &[".cta?.red(.popc.u32|.and.pred|.or.pred)"], control::reducing_barrier),
    other("barrier", &[".cta?.red(.popc|.and|.or).aligned?(.u32|.pred)"], control::reducing_barrier),
    // Warps.
    other("bar", &[".warp.sync"], warp::barrier),
    other("shfl", &[".sync?(.up|.down|.bfly|.idx).b32"], warp::shuffle),
    other("vote", &[".sync?(.all|.any|.uni).pred", ".sync?.ballot.b32"], warp::vote),
    other("match", &["(.any|.all).sync(.b32|.b64)"], warp::find_equal),
    other("redux", &[".sync(.add|.min|.max)(.u32|.s32)", ".sync(.and|.or|.xor).b32"], warp::reduce),
    other("activemask", &[".b32"], warp::active),
    // Images.
    other("suld", &[".b{geometry}{cache}{vec}(.b8|.b16|.b32|.b64)(.trap|.clamp|.zero)"], image::surface_load),
    other("sust", &[".b{geometry}{cache}{vec}(.b8|.b16|.b32|.b64)(.trap|.clamp|.zero)"], image::surface_store),
    other("tex", &[".base?{geometry}.v4(.f32|.u32|.s32)(.f32|.s32)", ".level{geometry}.v4(.f32|.u32|.s32)(.f32|.s32)"], image::texture),
    other("suq", &["(.width|.height|.depth).b32"], image::query),
    other("txq", &["(.width|.height|.depth).b32"], image::query),
    // What a GPU runs.
    refused("mma"), refused("wmma"), refused("wgmma"), refused("ldmatrix"), refused("stmatrix"), refused("movmatrix"),
    refused("tcgen05"), refused("mbarrier"), refused("clusterlaunchcontrol"), refused("multimem"), refused("tensormap"),
    refused("elect"), refused("mapa"), refused("getctarank"), refused("griddepcontrol"), refused("setmaxnreg"),
    refused("stacksave"), refused("stackrestore"), refused("alloca"), refused("createpolicy"), refused("istypep"),
    refused("sured"), refused("tld4"), refused("fns"), refused("vadd"), refused("vsub"), refused("vabsdiff"),
    refused("vmin"), refused("vmax"), refused("vshl"), refused("vshr"), refused("vmad"), refused("vset"), refused("vadd2"),
    refused("vsub2"), refused("vavrg2"), refused("vabsdiff2"), refused("vmin2"), refused("vmax2"), refused("vset2"),
    refused("vadd4"), refused("vsub4"), refused("vavrg4"), refused("vabsdiff4"), refused("vmin4"), refused("vmax4"), refused("vset4"),
];

/// What is known of an opcode.
pub enum Found {
    Row(&'static Row),
    /// The name is PTX's.
    Name,
    Nothing,
}

/// Returns the row that allows an opcode.
pub fn find(opcode: &str) -> Found {
    let end = opcode.find('.').unwrap_or(opcode.len());
    let (name, modifiers) = opcode.split_at(end);
    let mut found = Found::Nothing;
    for row in TABLE.iter().filter(|row| row.name == name) {
        if row.takes.iter().any(|pattern| syntax::allows(pattern, modifiers)) {
            return Found::Row(row);
        }
        found = Found::Name;
    }
    found
}

/// Returns every opcode that computes a register from registers, as the table allows them.
pub fn forms() -> Vec<String> {
    let rows = TABLE.iter().filter(|row| row.tested == Tested::Forms);
    rows.flat_map(|row| row.takes.iter().flat_map(|pattern| syntax::expand(row.name, pattern))).collect()
}
