//! Integers: sums, products and quotients.

use super::cells::{by_type, ints, lanes, signed};
use super::form::{OWN, Type, Value, value};

/// The function of two signed or two unsigned halves, by the form's type.
macro_rules! pairs {
    ($form:expr, |$a:ident, $b:ident| $result:expr) => {
        Some(match $form.kind() {
            Type::U16x2 => lanes!(|a: u32, b: u32| each_half(a, b, |$a, $b| $result)),
            _ => lanes!(|a: u32, b: u32| each_half_signed(a, b, |$a, $b| $result)),
        })
    };
}

pub const TABLE: &[Value] = &[
    value("add", &["{int}"], |f| ints!(f, |a, b| a.wrapping_add(b))),
    value("add", &[".sat.s32"], |_| Some(lanes!(|a: i32, b: i32| a.saturating_add(b)))),
    value("add", &["{pairs}"], |f| pairs!(f, |a, b| a.wrapping_add(b))),
    value("sub", &["{int}"], |f| ints!(f, |a, b| a.wrapping_sub(b))),
    value("sub", &[".sat.s32"], |_| Some(lanes!(|a: i32, b: i32| a.saturating_sub(b)))),
    value("mul", &[".lo{int}"], |f| ints!(f, |a, b| a.wrapping_mul(b))),
    value("mul", &[".hi{int}"], |f| ints!(f, |a, b| ((a as i128).wrapping_mul(b as i128) >> T::BITS) as T)),
    value("mul", &[".wide(.u16|.u32|.s16|.s32)"], |f| match f.kind() {
        Type::U16 => Some(lanes!(|a: u16, b: u16| u32::from(a) * u32::from(b))),
        Type::S16 => Some(lanes!(|a: i16, b: i16| i32::from(a) * i32::from(b))),
        Type::U32 => Some(lanes!(|a: u32, b: u32| u64::from(a) * u64::from(b))),
        _ => Some(lanes!(|a: i32, b: i32| i64::from(a) * i64::from(b))),
    }),
    value("mad", &[".lo{int}"], |f| ints!(f, |a, b, c| a.wrapping_mul(b).wrapping_add(c))),
    value("mad", &[".hi{int}"], |f| {
        ints!(f, |a, b, c| (((a as i128).wrapping_mul(b as i128) >> T::BITS) as T).wrapping_add(c))
    }),
    value("mad", &[".hi.sat.s32"], |_| {
        Some(
            lanes!(|a: i32, b: i32, c: i32| (((i64::from(a) * i64::from(b)) >> 32) as i32).saturating_add(c)),
        )
    }),
    value("mad", &[".wide(.u16|.u32|.s16|.s32)"], |f| match f.kind() {
        Type::U16 => Some(lanes!(|a: u16, b: u16, c: u32| (u32::from(a) * u32::from(b)).wrapping_add(c))),
        Type::S16 => Some(lanes!(|a: i16, b: i16, c: i32| (i32::from(a) * i32::from(b)).wrapping_add(c))),
        Type::U32 => Some(lanes!(|a: u32, b: u32, c: u64| (u64::from(a) * u64::from(b)).wrapping_add(c))),
        _ => Some(lanes!(|a: i32, b: i32, c: i64| (i64::from(a) * i64::from(b)).wrapping_add(c))),
    }),
    value("mul24", &["(.lo|.hi)(.u32|.s32)"], |f| {
        let product = lanes!(|flags; a: u32, b: u32| product_24(a, b, flags));
        Some(product.with(u32::from(f.has("hi")) << OWN | u32::from(f.kind().is_signed()) << (OWN + 1)))
    }),
    value("mad24", &["(.lo|.hi)(.u32|.s32)"], |f| {
        let sum = lanes!(|flags; a: u32, b: u32, c: u32| product_24(a, b, flags).wrapping_add(c));
        Some(sum.with(u32::from(f.has("hi")) << OWN | u32::from(f.kind().is_signed()) << (OWN + 1)))
    }),
    value("sad", &["{int}"], |f| {
        ints!(f, |a, b, c| (if a > b { a.wrapping_sub(b) } else { b.wrapping_sub(a) }).wrapping_add(c))
    }),
    // PTX leaves a division by zero open. A GPU returns ones (measured).
    value("div", &["{int}"], |f| ints!(f, |a, b| if b == 0 { !0 } else { a.wrapping_div(b) })),
    value("rem", &["{int}"], |f| ints!(f, |a, b| if b == 0 { !0 } else { a.wrapping_rem(b) })),
    value("abs", &["{signed}"], |f| signed!(f, |a| a.wrapping_abs())),
    value("neg", &["{signed}"], |f| signed!(f, |a| a.wrapping_neg())),
    value("min", &["{int}"], |f| ints!(f, |a, b| a.min(b))),
    value("max", &["{int}"], |f| ints!(f, |a, b| a.max(b))),
    value("min", &[".relu.s32"], |_| Some(lanes!(|a: i32, b: i32| a.min(b).max(0)))),
    value("max", &[".relu.s32"], |_| Some(lanes!(|a: i32, b: i32| a.max(b).max(0)))),
    value("min", &["{pairs}"], |f| pairs!(f, |a, b| a.min(b))),
    value("max", &["{pairs}"], |f| pairs!(f, |a, b| a.max(b))),
    value("min", &[".relu.s16x2"], |_| {
        Some(lanes!(|a: u32, b: u32| each_half_signed(a, b, |a, b| a.min(b).max(0))))
    }),
    value("max", &[".relu.s16x2"], |_| {
        Some(lanes!(|a: u32, b: u32| each_half_signed(a, b, |a, b| a.max(b).max(0))))
    }),
    value("dp4a", &["(.u32|.s32)(.u32|.s32)"], |f| {
        let dot = lanes!(|flags; a: u32, b: u32, c: u32| dot(a, b, c, [8, 8], 0, flags));
        Some(dot.with(u32::from(f.first().is_signed()) << OWN | u32::from(f.kind().is_signed()) << (OWN + 1)))
    }),
    value("dp2a", &["(.lo|.hi)(.u32|.s32)(.u32|.s32)"], |f| {
        let dot = if f.has("lo") {
            lanes!(|flags; a: u32, b: u32, c: u32| dot(a, b, c, [16, 8], 0, flags))
        } else {
            lanes!(|flags; a: u32, b: u32, c: u32| dot(a, b, c, [16, 8], 2, flags))
        };
        Some(dot.with(u32::from(f.first().is_signed()) << OWN | u32::from(f.kind().is_signed()) << (OWN + 1)))
    }),
    value("vabsdiff4", &["(.u32.u32.u32|.s32.s32.s32).add?"], |f| {
        let all = lanes!(|flags; a: u32, b: u32, c: u32| differences(a, b, c, flags));
        Some(all.with(u32::from(f.has("add")) << OWN | u32::from(f.kind().is_signed()) << (OWN + 1)))
    }),
];

/// The function of the lower and of the upper halves of two words.
#[inline(always)]
pub fn each_half(a: u32, b: u32, one: impl Fn(u16, u16) -> u16) -> u32 {
    u32::from(one(a as u16, b as u16)) | u32::from(one((a >> 16) as u16, (b >> 16) as u16)) << 16
}

#[inline(always)]
fn each_half_signed(a: u32, b: u32, one: impl Fn(i16, i16) -> i16) -> u32 {
    each_half(a, b, |a, b| one(a as i16, b as i16) as u16)
}

/// A part of the product of two numbers of 24 bits, which has 48 bits.
fn product_24(a: u32, b: u32, flags: u32) -> u32 {
    let (is_upper, is_signed) = (flags >> OWN & 1 == 1, flags >> (OWN + 1) & 1 == 1);
    let cut =
        |word: u32| i64::from(if is_signed { (word << 8) as i32 >> 8 } else { (word & 0xff_ffff) as i32 });
    ((cut(a) * cut(b)) >> if is_upper { 16 } else { 0 }) as u32
}

/// A part of a word of this width, with a sign or without.
fn part(word: u32, index: u32, bits: u32, is_signed: bool) -> i64 {
    let upper = word << (32 - bits * (index + 1));
    i64::from(upper as i32 >> (32 - bits)) & if is_signed { !0 } else { (1 << bits) - 1 }
}

/// The sum of products of parts, of which the second word's begin with `first`.
fn dot(a: u32, b: u32, c: u32, widths: [u32; 2], first: u32, flags: u32) -> u32 {
    let signed = [flags >> OWN & 1 == 1, flags >> (OWN + 1) & 1 == 1];
    let product = |i| part(a, i, widths[0], signed[0]) * part(b, i + first, widths[1], signed[1]);
    c.wrapping_add((0..32 / widths[0]).map(product).sum::<i64>() as u32)
}

/// The differences of bytes without their sign, side by side or with their sum added to a number.
fn differences(a: u32, b: u32, c: u32, flags: u32) -> u32 {
    let is_signed = flags >> (OWN + 1) & 1 == 1;
    let one = |i| (part(a, i, 8, is_signed) - part(b, i, 8, is_signed)).unsigned_abs() as u32;
    if flags >> OWN & 1 == 1 {
        return (0..4).fold(c, |sum, i| sum.wrapping_add(one(i)));
    }
    (0..4).fold(0, |all, i| all | one(i) << (8 * i))
}
