//! Integers: sums, products and quotients.

use super::lanes::{AluOp, alu_op, int_op, op_by_type, signed_op};
use super::opcode::{AluRow, OWN_BITS, Opcode, PtxType, SATURATE, alu_row};

/// The function of two signed or two unsigned halves, by the opcode's type.
macro_rules! pair_op {
    ($opcode:expr, |$a:ident, $b:ident| $result:expr) => {
        Some(match $opcode.last_type() {
            PtxType::U16x2 => alu_op!(|a: u32, b: u32| map_halves(a, b, |$a, $b| $result)),
            _ => alu_op!(|a: u32, b: u32| map_signed_halves(a, b, |$a, $b| $result)),
        })
    };
}

pub const INTEGER_TABLE: &[AluRow] = &[
    alu_row("add", &["{int}"], |f| int_op!(f, |a, b| a.wrapping_add(b))),
    alu_row("add", &[".sat.s32"], |_| Some(alu_op!(|a: i32, b: i32| a.saturating_add(b)))),
    alu_row("add", &["{pairs}"], |f| pair_op!(f, |a, b| a.wrapping_add(b))),
    alu_row("sub", &["{int}"], |f| int_op!(f, |a, b| a.wrapping_sub(b))),
    alu_row("sub", &[".sat.s32"], |_| Some(alu_op!(|a: i32, b: i32| a.saturating_sub(b)))),
    alu_row("mul", &[".lo{int}"], |f| int_op!(f, |a, b| a.wrapping_mul(b))),
    alu_row("mul", &[".hi{int}"], |f| {
        int_op!(f, |a, b| ((a as i128).wrapping_mul(b as i128) >> T::BITS) as T)
    }),
    alu_row("mul", &[".wide(.u16|.u32|.s16|.s32)"], |f| match f.last_type() {
        PtxType::U16 => Some(alu_op!(|a: u16, b: u16| u32::from(a) * u32::from(b))),
        PtxType::S16 => Some(alu_op!(|a: i16, b: i16| i32::from(a) * i32::from(b))),
        PtxType::U32 => Some(alu_op!(|a: u32, b: u32| u64::from(a) * u64::from(b))),
        _ => Some(alu_op!(|a: i32, b: i32| i64::from(a) * i64::from(b))),
    }),
    alu_row("mad", &[".lo{int}"], |f| int_op!(f, |a, b, c| a.wrapping_mul(b).wrapping_add(c))),
    alu_row("mad", &[".hi{int}"], |f| {
        int_op!(f, |a, b, c| (((a as i128).wrapping_mul(b as i128) >> T::BITS) as T).wrapping_add(c))
    }),
    alu_row("mad", &[".hi.sat.s32"], |_| {
        Some(alu_op!(
            |a: i32, b: i32, c: i32| (((i64::from(a) * i64::from(b)) >> 32) as i32).saturating_add(c)
        ))
    }),
    alu_row("mad", &[".wide(.u16|.u32|.s16|.s32)"], |f| match f.last_type() {
        PtxType::U16 => Some(alu_op!(|a: u16, b: u16, c: u32| (u32::from(a) * u32::from(b)).wrapping_add(c))),
        PtxType::S16 => Some(alu_op!(|a: i16, b: i16, c: i32| (i32::from(a) * i32::from(b)).wrapping_add(c))),
        PtxType::U32 => Some(alu_op!(|a: u32, b: u32, c: u64| (u64::from(a) * u64::from(b)).wrapping_add(c))),
        _ => Some(alu_op!(|a: i32, b: i32, c: i64| (i64::from(a) * i64::from(b)).wrapping_add(c))),
    }),
    alu_row("mul24", &["(.lo|.hi)(.u32|.s32)"], |f| {
        let product = alu_op!(|flags; a: u32, b: u32| product_24(a, b, flags));
        Some(product.with_flags(
            u32::from(f.has_modifier("hi")) << OWN_BITS
                | u32::from(f.last_type().is_signed()) << (OWN_BITS + 1),
        ))
    }),
    alu_row("mad24", &["(.lo|.hi)(.u32|.s32)"], |f| {
        let sum = alu_op!(|flags; a: u32, b: u32, c: u32| product_24(a, b, flags).wrapping_add(c));
        Some(sum.with_flags(
            u32::from(f.has_modifier("hi")) << OWN_BITS
                | u32::from(f.last_type().is_signed()) << (OWN_BITS + 1),
        ))
    }),
    alu_row("sad", &["{int}"], |f| {
        int_op!(f, |a, b, c| (if a > b { a.wrapping_sub(b) } else { b.wrapping_sub(a) }).wrapping_add(c))
    }),
    // PTX leaves a division by zero open. A GPU returns ones (measured).
    alu_row("div", &["{int}"], |f| int_op!(f, |a, b| if b == 0 { !0 } else { a.wrapping_div(b) })),
    alu_row("rem", &["{int}"], |f| int_op!(f, |a, b| if b == 0 { !0 } else { a.wrapping_rem(b) })),
    alu_row("abs", &["{signed}"], |f| signed_op!(f, |a| a.wrapping_abs())),
    alu_row("neg", &["{signed}"], |f| signed_op!(f, |a| a.wrapping_neg())),
    alu_row("min", &["{int}"], |f| int_op!(f, |a, b| a.min(b))),
    alu_row("max", &["{int}"], |f| int_op!(f, |a, b| a.max(b))),
    alu_row("min", &[".relu.s32"], |_| Some(alu_op!(|a: i32, b: i32| a.min(b).max(0)))),
    alu_row("max", &[".relu.s32"], |_| Some(alu_op!(|a: i32, b: i32| a.max(b).max(0)))),
    alu_row("min", &["{pairs}"], |f| pair_op!(f, |a, b| a.min(b))),
    alu_row("max", &["{pairs}"], |f| pair_op!(f, |a, b| a.max(b))),
    alu_row("min", &[".relu.s16x2"], |_| {
        Some(alu_op!(|a: u32, b: u32| map_signed_halves(a, b, |a, b| a.min(b).max(0))))
    }),
    alu_row("max", &[".relu.s16x2"], |_| {
        Some(alu_op!(|a: u32, b: u32| map_signed_halves(a, b, |a, b| a.max(b).max(0))))
    }),
    alu_row("dp4a", &["(.u32|.s32)(.u32|.s32)"], |f| {
        let dot = alu_op!(|flags; a: u32, b: u32, c: u32| dot_product(a, b, c, [8, 8], 0, flags));
        Some(dot.with_flags(
            u32::from(f.first_type().is_signed()) << OWN_BITS
                | u32::from(f.last_type().is_signed()) << (OWN_BITS + 1),
        ))
    }),
    alu_row("dp2a", &["(.lo|.hi)(.u32|.s32)(.u32|.s32)"], |f| {
        let dot = if f.has_modifier("lo") {
            alu_op!(|flags; a: u32, b: u32, c: u32| dot_product(a, b, c, [16, 8], 0, flags))
        } else {
            alu_op!(|flags; a: u32, b: u32, c: u32| dot_product(a, b, c, [16, 8], 2, flags))
        };
        Some(dot.with_flags(
            u32::from(f.first_type().is_signed()) << OWN_BITS
                | u32::from(f.last_type().is_signed()) << (OWN_BITS + 1),
        ))
    }),
    alu_row("vabsdiff4", &["(.u32.u32.u32|.s32.s32.s32).add?"], |f| {
        let all = alu_op!(|flags; a: u32, b: u32, c: u32| byte_differences(a, b, c, flags));
        Some(all.with_flags(
            u32::from(f.has_modifier("add")) << OWN_BITS
                | u32::from(f.last_type().is_signed()) << (OWN_BITS + 1),
        ))
    }),
    alu_row("vadd", VIDEO, |f| select_video(f, VideoOp::Add)),
    alu_row("vsub", VIDEO, |f| select_video(f, VideoOp::Subtract)),
    alu_row("vabsdiff", VIDEO, |f| select_video(f, VideoOp::Difference)),
    alu_row("vmin", VIDEO, |f| select_video(f, VideoOp::Least)),
    alu_row("vmax", VIDEO, |f| select_video(f, VideoOp::Greatest)),
];

/// Three types, and a second operation with a third operand.
const VIDEO: &[&str] = &["(.u32|.s32)(.u32|.s32)(.u32|.s32).sat?(.add|.min|.max)?"];

#[derive(Clone, Copy)]
enum VideoOp {
    Add,
    Subtract,
    Difference,
    Least,
    Greatest,
}

const VIDEO_OPS: [VideoOp; 5] =
    [VideoOp::Add, VideoOp::Subtract, VideoOp::Difference, VideoOp::Least, VideoOp::Greatest];

/// The flags have the signs of the three types, and the numbers of both operations.
fn select_video(opcode: &Opcode, op: VideoOp) -> Option<AluOp> {
    let second =
        opcode.modifier_value(&[("add", VideoOp::Add), ("min", VideoOp::Least), ("max", VideoOp::Greatest)]);
    let signs =
        (0..).zip(&opcode.types).fold(0, |signs, (at, kind)| signs | u32::from(kind.is_signed()) << at);
    let flags = (signs | (op as u32) << 3 | second.map_or(0, |second| second as u32) << 6) << OWN_BITS;
    Some(
        match second {
            None => alu_op!(|flags; a: u32, b: u32| run_video(a, b, flags) as u32),
            Some(_) => alu_op!(|flags; a: u32, b: u32, c: u32| run_second_video(a, b, c, flags)),
        }
        .with_flags(flags),
    )
}

impl VideoOp {
    fn apply_op(self, a: i64, b: i64) -> i64 {
        match self {
            Self::Add => a + b,
            Self::Subtract => a - b,
            Self::Difference => (a - b).abs(),
            Self::Least => a.min(b),
            Self::Greatest => a.max(b),
        }
    }
}

/// A word as one of the three types has it.
fn video_operand(word: u32, flags: u32, place: u32) -> i64 {
    if flags >> (OWN_BITS + place) & 1 == 1 { i64::from(word as i32) } else { i64::from(word) }
}

fn run_video(a: u32, b: u32, flags: u32) -> i64 {
    let op = VIDEO_OPS[(flags >> (OWN_BITS + 3) & 7) as usize];
    let value = op.apply_op(video_operand(a, flags, 1), video_operand(b, flags, 2));
    match (flags & SATURATE != 0, flags >> OWN_BITS & 1 == 1) {
        (false, _) => value,
        (true, true) => value.clamp(i32::MIN.into(), i32::MAX.into()),
        (true, false) => value.clamp(0, u32::MAX.into()),
    }
}

fn run_second_video(a: u32, b: u32, c: u32, flags: u32) -> u32 {
    let second = VIDEO_OPS[(flags >> (OWN_BITS + 6) & 7) as usize];
    let first = video_operand(run_video(a, b, flags) as u32, flags, 0);
    second.apply_op(first, video_operand(c, flags, 0)) as u32
}

/// The function of the lower and of the upper halves of two words.
#[inline(always)]
pub fn map_halves(a: u32, b: u32, one: impl Fn(u16, u16) -> u16) -> u32 {
    u32::from(one(a as u16, b as u16)) | u32::from(one((a >> 16) as u16, (b >> 16) as u16)) << 16
}

#[inline(always)]
fn map_signed_halves(a: u32, b: u32, one: impl Fn(i16, i16) -> i16) -> u32 {
    map_halves(a, b, |a, b| one(a as i16, b as i16) as u16)
}

/// A part of the product of two numbers of 24 bits, which has 48 bits.
fn product_24(a: u32, b: u32, flags: u32) -> u32 {
    let (is_upper, is_signed) = (flags >> OWN_BITS & 1 == 1, flags >> (OWN_BITS + 1) & 1 == 1);
    let cut =
        |word: u32| i64::from(if is_signed { (word << 8) as i32 >> 8 } else { (word & 0xff_ffff) as i32 });
    ((cut(a) * cut(b)) >> if is_upper { 16 } else { 0 }) as u32
}

/// A part of a word of this width, with a sign or without.
fn extract_subword(word: u32, index: u32, bits: u32, is_signed: bool) -> i64 {
    let upper = word << (32 - bits * (index + 1));
    i64::from(upper as i32 >> (32 - bits)) & if is_signed { !0 } else { (1 << bits) - 1 }
}

/// The sum of products of parts, of which the second word's begin with `first`.
fn dot_product(a: u32, b: u32, c: u32, widths: [u32; 2], first: u32, flags: u32) -> u32 {
    let signed = [flags >> OWN_BITS & 1 == 1, flags >> (OWN_BITS + 1) & 1 == 1];
    let product =
        |i| extract_subword(a, i, widths[0], signed[0]) * extract_subword(b, i + first, widths[1], signed[1]);
    c.wrapping_add((0..32 / widths[0]).map(product).sum::<i64>() as u32)
}

/// The differences of bytes without their sign, side by side or with their sum added to a number.
fn byte_differences(a: u32, b: u32, c: u32, flags: u32) -> u32 {
    let is_signed = flags >> (OWN_BITS + 1) & 1 == 1;
    let one =
        |i| (extract_subword(a, i, 8, is_signed) - extract_subword(b, i, 8, is_signed)).unsigned_abs() as u32;
    if flags >> OWN_BITS & 1 == 1 {
        return (0..4).fold(c, |sum, i| sum.wrapping_add(one(i)));
    }
    (0..4).fold(0, |all, i| all | one(i) << (8 * i))
}
