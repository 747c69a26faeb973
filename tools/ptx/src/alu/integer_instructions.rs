//! Integer arithmetic: sums, products, quotients, minima and maxima, dot products, and video instructions.

use super::lane_values::{AluOp, alu_op, int_op, op_by_type, signed_op};
use super::opcode::{AluRow, OWN_BITS, Opcode, PtxType, SATURATE, alu_row};

/// Defines the function of an instruction on pairs of 16-bit integers, signed or unsigned by the opcode's type.
macro_rules! pair_op {
    ($opcode:expr, |$a:ident, $b:ident| $result:expr) => {
        match $opcode.last_type() {
            PtxType::U16x2 => alu_op!(|a: u32, b: u32| map_halves(a, b, |$a, $b| $result)),
            _ => alu_op!(|a: u32, b: u32| map_signed_halves(a, b, |$a, $b| $result)),
        }
    };
}

pub const INTEGER_TABLE: &[AluRow] = &[
    alu_row("add", &["{int}"], |f| int_op!(f, |a, b| a.wrapping_add(b))),
    alu_row("add", &[".sat.s32"], |_| alu_op!(|a: i32, b: i32| a.saturating_add(b))),
    alu_row("add", &["{pairs}"], |f| pair_op!(f, |a, b| a.wrapping_add(b))),
    alu_row("sub", &["{int}"], |f| int_op!(f, |a, b| a.wrapping_sub(b))),
    alu_row("sub", &[".sat.s32"], |_| alu_op!(|a: i32, b: i32| a.saturating_sub(b))),
    alu_row("mul", &[".lo{int}"], |f| int_op!(f, |a, b| a.wrapping_mul(b))),
    alu_row("mul", &[".hi{int}"], |f| {
        int_op!(f, |a, b| ((a as i128).wrapping_mul(b as i128) >> T::BITS) as T)
    }),
    alu_row("mul", &[".wide(.u16|.u32|.s16|.s32)"], |f| match f.last_type() {
        PtxType::U16 => alu_op!(|a: u16, b: u16| u32::from(a) * u32::from(b)),
        PtxType::S16 => alu_op!(|a: i16, b: i16| i32::from(a) * i32::from(b)),
        PtxType::U32 => alu_op!(|a: u32, b: u32| u64::from(a) * u64::from(b)),
        _ => alu_op!(|a: i32, b: i32| i64::from(a) * i64::from(b)),
    }),
    alu_row("mad", &[".lo{int}"], |f| int_op!(f, |a, b, c| a.wrapping_mul(b).wrapping_add(c))),
    alu_row("mad", &[".hi{int}"], |f| {
        int_op!(f, |a, b, c| (((a as i128).wrapping_mul(b as i128) >> T::BITS) as T).wrapping_add(c))
    }),
    alu_row("mad", &[".hi.sat.s32"], |_| {
        alu_op!(|a: i32, b: i32, c: i32| (((i64::from(a) * i64::from(b)) >> 32) as i32).saturating_add(c))
    }),
    alu_row("mad", &[".wide(.u16|.u32|.s16|.s32)"], |f| match f.last_type() {
        PtxType::U16 => alu_op!(|a: u16, b: u16, c: u32| (u32::from(a) * u32::from(b)).wrapping_add(c)),
        PtxType::S16 => alu_op!(|a: i16, b: i16, c: i32| (i32::from(a) * i32::from(b)).wrapping_add(c)),
        PtxType::U32 => alu_op!(|a: u32, b: u32, c: u64| (u64::from(a) * u64::from(b)).wrapping_add(c)),
        _ => alu_op!(|a: i32, b: i32, c: i64| (i64::from(a) * i64::from(b)).wrapping_add(c)),
    }),
    alu_row("mul24", &["(.lo|.hi){int32}"], |f| {
        alu_op!(|flags; a: u32, b: u32| multiply_24(a, b, flags))
            .add_instruction_flags(f.sign_flags() | hi_modifier_flag(f))
    }),
    alu_row("mad24", &["(.lo|.hi){int32}"], |f| {
        let sum = alu_op!(|flags; a: u32, b: u32, c: u32| multiply_24(a, b, flags).wrapping_add(c));
        sum.add_instruction_flags(f.sign_flags() | hi_modifier_flag(f))
    }),
    alu_row("sad", &["{int}"], |f| {
        int_op!(f, |a, b, c| (if a > b { a.wrapping_sub(b) } else { b.wrapping_sub(a) }).wrapping_add(c))
    }),
    // PTX does not specify the results for a divisor of zero. On a GPU, all bits of them are ones (measured).
    alu_row("div", &["{int}"], |f| int_op!(f, |a, b| if b == 0 { !0 } else { a.wrapping_div(b) })),
    alu_row("rem", &["{int}"], |f| int_op!(f, |a, b| if b == 0 { !0 } else { a.wrapping_rem(b) })),
    alu_row("abs", &["{signed}"], |f| signed_op!(f, |a| a.wrapping_abs())),
    alu_row("neg", &["{signed}"], |f| signed_op!(f, |a| a.wrapping_neg())),
    alu_row("min", &["{int}"], |f| int_op!(f, |a, b| a.min(b))),
    alu_row("max", &["{int}"], |f| int_op!(f, |a, b| a.max(b))),
    alu_row("min", &[".relu.s32"], |_| alu_op!(|a: i32, b: i32| a.min(b).max(0))),
    alu_row("max", &[".relu.s32"], |_| alu_op!(|a: i32, b: i32| a.max(b).max(0))),
    alu_row("min", &["{pairs}"], |f| pair_op!(f, |a, b| a.min(b))),
    alu_row("max", &["{pairs}"], |f| pair_op!(f, |a, b| a.max(b))),
    alu_row("min", &[".relu.s16x2"], |_| {
        alu_op!(|a: u32, b: u32| map_signed_halves(a, b, |a, b| a.min(b).max(0)))
    }),
    alu_row("max", &[".relu.s16x2"], |_| {
        alu_op!(|a: u32, b: u32| map_signed_halves(a, b, |a, b| a.max(b).max(0)))
    }),
    alu_row("dp4a", &["{int32}{int32}"], |f| {
        alu_op!(|flags; a: u32, b: u32, c: u32| dot_product(a, b, c, 8, flags))
            .add_instruction_flags(f.sign_flags())
    }),
    alu_row("dp2a", &["(.lo|.hi){int32}{int32}"], |f| {
        let dot = alu_op!(|flags; a: u32, b: u32, c: u32| dot_product(a, b, c, 16, flags));
        dot.add_instruction_flags(f.sign_flags() | hi_modifier_flag(f))
    }),
    alu_row("vabsdiff4", &["(.u32.u32.u32|.s32.s32.s32)"], |f| {
        alu_op!(|flags; a: u32, b: u32, _c: u32| fold_byte_differences(a, b, flags, |all, i, one| all | one << (8 * i)))
            .add_instruction_flags(f.sign_flags())
    }),
    alu_row("vabsdiff4", &["(.u32.u32.u32.add|.s32.s32.s32.add)"], |f| {
        alu_op!(|flags; a: u32, b: u32, c: u32| {
            fold_byte_differences(a, b, flags, |sum, _, one| sum + one).wrapping_add(c)
        })
        .add_instruction_flags(f.sign_flags())
    }),
    // A modifier may name a second operation, on the first operation's result and the third operand.
    alu_row("vadd vsub vabsdiff vmin vmax", &["{int32}{int32}{int32}.sat?(.add|.min|.max)?"], select_video),
];

/// The flag of the modifier `.hi` in `mul24`, `mad24` and `dp2a`. The two bits below it say which types are signed.
const UPPER_HALF: u32 = 1 << 2;

fn hi_modifier_flag(opcode: &Opcode) -> u32 {
    if opcode.has_modifier("hi") { UPPER_HALF } else { 0 }
}

type VideoOp = fn(i64, i64) -> i64;

const VIDEO_OPS: [(&str, VideoOp); 5] = [
    ("add", |a, b| a + b),
    ("sub", |a, b| a - b),
    ("absdiff", |a, b| (a - b).abs()),
    ("min", |a, b| a.min(b)),
    ("max", |a, b| a.max(b)),
];

fn select_video(opcode: &Opcode) -> AluOp {
    let first = VIDEO_OPS.iter().position(|(name, _)| opcode.name[1..] == **name).unwrap_or(0);
    let second = VIDEO_OPS.iter().position(|(name, _)| opcode.has_modifier(name));
    let op = match second {
        None => alu_op!(|flags; a: u32, b: u32| compute_video(a, b, flags)),
        Some(_) => alu_op!(|flags; a: u32, b: u32, c: u32| {
            let first = widen_by_sign(compute_video(a, b, flags), flags, 0);
            video_op_in_flags(flags, 6)(first, widen_by_sign(c, flags, 0)) as u32
        }),
    };
    op.add_instruction_flags(opcode.sign_flags() | (first as u32) << 3 | (second.unwrap_or(0) as u32) << 6)
}

fn video_op_in_flags(flags: u32, place: u32) -> VideoOp {
    VIDEO_OPS[(flags >> (OWN_BITS + place) & 7) as usize].1
}

/// Returns a word as a number, which is signed if the opcode's type number `place` is signed.
fn widen_by_sign(word: u32, flags: u32, place: u32) -> i64 {
    if flags >> (OWN_BITS + place) & 1 == 1 { i64::from(word as i32) } else { i64::from(word) }
}

fn compute_video(a: u32, b: u32, flags: u32) -> u32 {
    let value = video_op_in_flags(flags, 3)(widen_by_sign(a, flags, 1), widen_by_sign(b, flags, 2));
    match (flags & SATURATE != 0, flags >> OWN_BITS & 1 == 1) {
        (false, _) => value as u32,
        (true, true) => value.clamp(i32::MIN.into(), i32::MAX.into()) as u32,
        (true, false) => value.clamp(0, u32::MAX.into()) as u32,
    }
}

#[inline(always)]
pub fn map_halves(a: u32, b: u32, one: impl Fn(u16, u16) -> u16) -> u32 {
    u32::from(one(a as u16, b as u16)) | u32::from(one((a >> 16) as u16, (b >> 16) as u16)) << 16
}

#[inline(always)]
fn map_signed_halves(a: u32, b: u32, one: impl Fn(i16, i16) -> i16) -> u32 {
    map_halves(a, b, |a, b| one(a as i16, b as i16) as u16)
}

fn multiply_24(a: u32, b: u32, flags: u32) -> u32 {
    let flags = flags >> OWN_BITS;
    let [a, b] = [a, b].map(|word| extract_subword(word, 0, 24, flags & 1));
    ((a * b) >> if flags & UPPER_HALF != 0 { 16 } else { 0 }) as u32
}

/// Returns part number `index` of a word. Each part has `bits` bits, and is a signed number if `sign` is 1.
fn extract_subword(word: u32, index: u32, bits: u32, sign: u32) -> i64 {
    let upper = word << (32 - bits * (index + 1));
    if sign == 1 { i64::from(upper as i32 >> (32 - bits)) } else { i64::from(upper >> (32 - bits)) }
}

fn dot_product(a: u32, b: u32, c: u32, width: u32, flags: u32) -> u32 {
    let flags = flags >> OWN_BITS;
    let first = if flags & UPPER_HALF != 0 { 2 } else { 0 };
    let product =
        |i| extract_subword(a, i, width, flags & 1) * extract_subword(b, i + first, 8, flags >> 1 & 1);
    c.wrapping_add((0..32 / width).map(product).sum::<i64>() as u32)
}

/// Folds the absolute differences of the bytes of `a` and `b`. `join` takes the result so far (at first 0), an index,
/// and the absolute difference of the bytes with this index. `join` returns the next result.
fn fold_byte_differences(a: u32, b: u32, flags: u32, join: impl Fn(u32, u32, u32) -> u32) -> u32 {
    let byte = |word, i| extract_subword(word, i, 8, flags >> OWN_BITS & 1);
    (0..4).fold(0, |all, i| join(all, i, (byte(a, i) - byte(b, i)).unsigned_abs() as u32))
}
