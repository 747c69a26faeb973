//! Arithmetic of floats. Rounding to the nearest is the processor's; the other directions are in exact.rs. Halves are
//! computed as doubles and rounded once.

use super::cells::{Call, Cell, Compute, File, Results, WARP, lanes};
use super::exact::{BF16, F16, F32, F64, Format, Rounding};
use super::form::{BRAIN, FTZ, Form, NAN, OWN, RELU, SAT, SIGNS, Type, Value, value};

const SUM: &[&str] = &["{rnd}?.ftz?.sat?.f32", "{rnd}?.f64", ".rn?.ftz?.sat?{halves}", ".rn?{brains}"];
const FUSED: &[&str] =
    &["{rnd}.ftz?.sat?.f32", "{rnd}.f64", ".rn.ftz?(.sat|.relu)?{halves}", ".rn.relu?{brains}"];
const ROUNDED: &[&str] = &["{rnd}.ftz?.f32", "{rnd}.f64"];
const SIGN: &[&str] = &[".ftz?.f32", ".f64", ".ftz?{halves}", "{brains}"];
const EXTREME: &[&str] = &[
    ".ftz?.NaN?(.xorsign.abs)?.f32",
    ".f64",
    ".ftz?.NaN?(.xorsign.abs)?{halves}",
    ".NaN?(.xorsign.abs)?{brains}",
];
const APPROXIMATE: &[&str] = &[".approx.ftz?.f32"];

/// Defines the functions of one operation: on singles, on singles as doubles, on doubles, and on halves as doubles.
/// The last argument is the order in which the operands of doubles are searched for a NaN.
macro_rules! operation {
    ($form:expr, $exact:expr, |$($name:ident),*| $single:expr, $wide:expr, $double:expr, $order:expr) => {
        Some(match ($form.kind(), $form.flags) {
            (Type::F32, 0) => lanes!(|$($name: f32),*| canonical($single)),
            (Type::F32, flags) if flags & 3 == 0 => lanes!(|flags; $($name: f32),*| {
                $(let $name = flush($name, flags);)*
                let value = $single;
                let wide = {
                    $(let $name = f64::from($name);)*
                    $wide
                };
                finish(flush_tiny(value, wide, flags), flags)
            }),
            (Type::F32, _) => lanes!(|flags; $($name: f32),*| exact_32($exact, &[$($name),*], flags)),
            (Type::F64, 0) => lanes!(|$($name: f64),*| propagate($order, $double)),
            (Type::F64, _) => lanes!(|flags; $($name: f64),*| {
                propagate($order, exact_64($exact, &[$($name),*], flags))
            }),
            (kind, _) => halves!(kind, |flags; $($name),*| $wide),
        })
    };
}

/// The functions of an operation on doubles for f16 and bf16, alone or in pairs.
macro_rules! halves {
    ($kind:expr, |$flags:ident; $($name:ident),*| $result:expr) => {
        if $kind.bits() == 16 {
            lanes!(|$flags; $($name: u16),*| { half([$($name),*], $flags, |[$($name),*]| $result) })
        } else {
            lanes!(|$flags; $($name: u32),*| {
                let lower = half([$($name as u16),*], $flags, |[$($name),*]| $result);
                let upper = half([$(($name >> 16) as u16),*], $flags, |[$($name),*]| $result);
                u32::from(lower) | u32::from(upper) << 16
            })
        }
    };
}

/// An approximation. Here it is computed in doubles and rounded once: a GPU's is at most a few units of the last place off.
macro_rules! approximate {
    ($form:expr, |$name:ident| $result:expr) => {
        Some(match $form.kind() {
            Type::F32 => lanes!(|flags; a: f32| {
                let $name = f64::from(flush(a, flags));
                finish(($result) as f32, flags)
            }),
            // A GPU reads and writes the upper 32 bits.
            Type::F64 => lanes!(|flags; a: u64| {
                let $name = f64::from_bits(upper(a, flags));
                upper(($result).to_bits(), flags)
            }),
            kind => halves!(kind, |flags; $name| $result),
        })
    };
}

pub const TABLE: &[Value] = &[
    value("add", SUM, |f| {
        operation!(f, |f, [a, b, _], r| f.add(a, b, r), |a, b| a + b, odd(a, b), a + b, [b, a])
    }),
    value("sub", SUM, |f| {
        operation!(f, |f, [a, b, _], r| f.add(a, f.negated(b), r), |a, b| a - b, odd(a, -b), a - b, [b, a])
    }),
    value("mul", SUM, |f| {
        operation!(f, |f, [a, b, _], r| f.mul(a, b, r), |a, b| a * b, a * b, a * b, [b, a])
    }),
    value("fma", FUSED, fused_multiply),
    value("mad", &["{rnd}.ftz?.sat?.f32", "{rnd}.f64"], fused_multiply),
    value("div", ROUNDED, |f| {
        operation!(f, |f, [a, b, _], r| f.div(a, b, r), |a, b| a / b, a / b, a / b, [a, b])
    }),
    // The product with the reciprocal, which is zero for large numbers (measured).
    value("div", APPROXIMATE, |_| {
        Some(lanes!(|flags; a: f32, b: f32| {
            let (a, b) = (flush(a, flags), flush(b, flags));
            let is_large = b.abs() > 8.507_059e37 && b.is_finite();
            finish(if is_large { a * 0_f32.copysign(b) } else { a / b }, flags)
        }))
    }),
    value("div", &[".full.ftz?.f32"], |_| {
        Some(lanes!(|flags; a: f32, b: f32| {
            let (a, b) = (flush(a, flags), flush(b, flags));
            finish(flush_tiny(a / b, f64::from(a) / f64::from(b), flags), flags)
        }))
    }),
    value("rcp", ROUNDED, |f| {
        operation!(f, |f, [a, ..], r| f.div(f.one(), a, r), |a| 1.0 / a, 1.0 / a, 1.0 / a, [a])
    }),
    value("sqrt", ROUNDED, |f| {
        operation!(f, |f, [a, ..], r| f.sqrt(a, r), |a| a.sqrt(), a.sqrt(), a.sqrt(), [a])
    }),
    value("rcp", &[".approx.ftz?.f32", ".approx.ftz.f64"], |f| approximate!(f, |a| 1.0 / a)),
    value("sqrt", APPROXIMATE, |f| approximate!(f, |a| a.sqrt())),
    value("rsqrt", &[".approx.ftz?.f32", ".approx.ftz?.f64"], |f| approximate!(f, |a| 1.0 / a.sqrt())),
    value("sin", APPROXIMATE, |f| approximate!(f, |a| a.sin())),
    value("cos", APPROXIMATE, |f| approximate!(f, |a| a.cos())),
    value("lg2", APPROXIMATE, |f| approximate!(f, |a| a.log2())),
    value("ex2", &[".approx.ftz?.f32", ".approx{halves}", ".approx.ftz{brains}"], |f| {
        approximate!(f, |a| a.exp2())
    }),
    value("tanh", &[".approx(.f32|.f16|.f16x2|.bf16|.bf16x2)"], |f| approximate!(f, |a| a.tanh())),
    value("abs", SIGN, |f| {
        Some(match f.kind() {
            Type::F32 => lanes!(|flags; a: f32| canonical(flush(a, flags).abs())),
            // The sign of a NaN stays (measured).
            Type::F64 => lanes!(|a: f64| if a.is_nan() { quiet(a) } else { a.abs() }),
            kind => halves!(kind, |flags; a| a.abs()),
        })
    }),
    value("neg", SIGN, |f| {
        Some(match f.kind() {
            Type::F32 => lanes!(|flags; a: f32| canonical(-flush(a, flags))),
            Type::F64 => lanes!(|a: f64| if a.is_nan() { quiet(a) } else { -a }),
            kind => halves!(kind, |flags; a| -a),
        })
    }),
    value("min", EXTREME, |f| Some(extremes(f.kind()))),
    value("max", EXTREME, |f| Some(extremes(f.kind()).with(GREATEST))),
    // The sign of the first operand, and the digits of the second one.
    value("copysign", &[".f32"], |_| Some(lanes!(|a: f32, b: f32| b.copysign(a)))),
    value("copysign", &[".f64"], |_| Some(lanes!(|a: f64, b: f64| b.copysign(a)))),
];

/// The larger operand is the result.
const GREATEST: u32 = 1 << OWN;

fn extremes(kind: Type) -> Compute {
    match kind {
        Type::F32 => lanes!(|flags; a: f32, b: f32| extreme(a, b, flags)),
        Type::F64 => lanes!(|flags; a: f64, b: f64| extreme_64(a, b, flags)),
        kind => halves!(kind, |flags; a, b| extreme(a as f32, b as f32, flags & !FTZ).into()),
    }
}

fn fused_multiply(f: &Form) -> Option<Compute> {
    if f.kind() == Type::F32 && f.flags == 0 {
        return Some(Compute { function: fused_singles, flags: 0, takes: &[32; 3] });
    }
    operation!(
        f,
        |f, [a, b, c], r| f.fma(a, b, c, r),
        |a, b, c| odd(f64::from(a) * f64::from(b), c.into()) as f32,
        odd(a * b, c),
        a.mul_add(b, c),
        [b, c, a]
    )
}

/// `fma.rn.f32`, the most frequent instruction. It is computed in doubles and rounded to a single. This second
/// rounding is right, except where the double lies halfway between two singles or is subnormal as a single.
fn fused_singles(file: &mut File, call: &Call) -> u32 {
    let [a, b, c] = [0, 1, 2].map(|place| f32::row(file, call.from[place]));
    let get = |thread: usize| [a, b, c].map(|row| f64::from(f32::get(row, thread)));
    let (mut doubtful, mut sums) = (0, [0.0_f64; WARP]);
    for (thread, sum) in sums.iter_mut().enumerate() {
        let [a, b, c] = get(thread);
        *sum = a * b + c;
    }
    for sum in sums {
        let (low, high) = (sum.to_bits() as u32, (sum.to_bits() >> 32) as u32 & 0x7fff_ffff);
        doubtful |= u32::from(low << 3 == 1 << 31) | u32::from((high < 0x3810_0000) & (high != 0));
    }
    if doubtful == 0 {
        return Results::of(|thread| canonical(sums[thread] as f32)).write(file, call);
    }
    let exact = |thread| {
        let [a, b, c] = get(thread);
        canonical(odd(a * b, c) as f32)
    };
    Results::of(exact).write(file, call)
}

/// The only NaN that operations on singles return. Its bits are written out, since the compiler may replace one NaN by
/// another.
#[inline(always)]
pub fn canonical(value: f32) -> f32 {
    let bits = value.to_bits();
    f32::from_bits(if bits & 0x7fff_ffff > 0x7f80_0000 { 0x7fff_ffff } else { bits })
}

/// A result in doubles. A NaN is the first one of the operands, in the instruction's own order, made quiet (measured).
#[inline(always)]
pub fn propagate<const N: usize>(order: [f64; N], value: f64) -> f64 {
    if value.to_bits() & !(1 << 63) <= 0x7ff0 << 48 {
        return value;
    }
    let is_nan = |one: &&f64| one.to_bits() & !(1 << 63) > 0x7ff0 << 48;
    order.iter().find(is_nan).map_or(f64::from_bits(0xfff8 << 48), |nan| quiet(*nan))
}

/// The bits of a NaN, which does not signal, with the sign that it has.
#[inline(always)]
pub fn quiet(value: f64) -> f64 {
    let bits = value.to_bits();
    f64::from_bits(if bits & !(1 << 63) > 0x7ff0 << 48 { bits | 1 << 51 } else { bits })
}

/// The least normal single.
const TINY: f64 = f32::MIN_POSITIVE as f64;

/// With `.ftz`, what is subnormal before it is rounded is zero (measured). `wide` is the result in more digits.
#[inline(always)]
fn flush_tiny(value: f32, wide: f64, flags: u32) -> f32 {
    if flags & FTZ != 0 && wide != 0.0 && wide.abs() < TINY { 0_f32.copysign(wide as f32) } else { value }
}

#[inline(always)]
pub fn flush(value: f32, flags: u32) -> f32 {
    let bits = value.to_bits();
    f32::from_bits(if flags & FTZ != 0 && bits & 0x7f80_0000 == 0 { bits & 1 << 31 } else { bits })
}

/// The end of an operation on singles.
#[inline(always)]
pub fn finish(value: f32, flags: u32) -> f32 {
    let value = canonical(flush(value, flags));
    if flags & SAT == 0 {
        value
    } else if value.is_nan() || value <= 0.0 {
        0.0
    } else {
        value.min(1.0)
    }
}

/// The sum of doubles, rounded to an odd number, so that a second rounding is right.
#[inline(always)]
pub fn odd(product: f64, c: f64) -> f64 {
    let sum = product + c;
    let part = sum - product;
    let error = (product - (sum - part)) + (c - part);
    let step = if (error > 0.0) == (sum > 0.0) { 1 } else { !0 };
    let is_inexact = (error > 0.0) | (error < 0.0);
    let bits = sum.to_bits();
    f64::from_bits(bits.wrapping_add(if is_inexact & (bits & 1 == 0) { step } else { 0 }))
}

/// The function of exact.rs for an operation.
type Exact = fn(Format, [u64; 3], Rounding) -> u64;

fn exact<const N: usize>(operation: Exact, format: Format, operands: [u64; N], rounding: Rounding) -> u64 {
    let mut all = [0; 3];
    all[..N].copy_from_slice(&operands);
    operation(format, all, rounding)
}

/// An operation on singles in another rounding.
fn exact_32<const N: usize>(operation: Exact, operands: &[f32; N], flags: u32) -> f32 {
    let operands = operands.map(|value| flush(value, flags));
    let singles = operands.map(|value| value.to_bits().into());
    let value = exact(operation, F32, singles, Rounding::from_bits(flags));
    let wide = exact(operation, F64, operands.map(|value| f64::from(value).to_bits()), Rounding::Zero);
    finish(flush_tiny(f32::from_bits(value as u32), f64::from_bits(wide), flags), flags)
}

fn exact_64<const N: usize>(operation: Exact, operands: &[f64; N], flags: u32) -> f64 {
    f64::from_bits(exact(operation, F64, operands.map(f64::to_bits), Rounding::from_bits(flags)))
}

/// The bits of a double that approximations have.
fn upper(bits: u64, flags: u32) -> u64 {
    let is_subnormal = flags & FTZ != 0 && bits & 0x7ff0 << 48 == 0;
    bits & if is_subnormal { 1 << 63 } else { !0xffff_ffff }
}

/// The smaller or the larger operand. -0 is smaller than 0. A NaN is the result only if both are NaNs, or with `.NaN`.
#[inline(always)]
fn extreme(a: f32, b: f32, flags: u32) -> f32 {
    let sign = (a.to_bits() ^ b.to_bits()) & 1 << 31;
    let (a, b) = if flags & SIGNS == 0 { (a, b) } else { (a.abs(), b.abs()) };
    let (a, b) = (flush(a, flags), flush(b, flags));
    let b_first = if a == b { a.is_sign_negative() } else { b > a } == (flags & GREATEST != 0);
    let chosen = match (a.is_nan(), b.is_nan()) {
        (false, false) if b_first => b,
        (false, false) => a,
        _ if flags & NAN != 0 => return canonical(f32::NAN),
        (true, true) => return canonical(f32::NAN),
        (true, false) => b,
        (false, true) => a,
    };
    if flags & SIGNS == 0 { chosen } else { f32::from_bits(chosen.to_bits() | sign) }
}

fn extreme_64(a: f64, b: f64, flags: u32) -> f64 {
    let b_first = if a == b { a.is_sign_negative() } else { b > a } == (flags & GREATEST != 0);
    quiet(if a.is_nan() || (!b.is_nan() && b_first) { b } else { a })
}

/// An operation on halves.
#[inline(always)]
fn half<const N: usize>(operands: [u16; N], flags: u32, operation: impl Fn([f64; N]) -> f64) -> u16 {
    let format = if flags & BRAIN == 0 { F16 } else { BF16 };
    narrow(format, operation(operands.map(|bits| wide(format, bits, flags & FTZ != 0))), flags)
}

/// Returns the value of a half.
#[inline(always)]
pub fn wide(format: Format, bits: u16, flush: bool) -> f64 {
    if format == BF16 {
        return f32::from_bits(u32::from(bits) << 16).into();
    }
    let (exponent, fraction) = (bits >> 10 & 31, bits & 0x3ff);
    let size = match exponent {
        0 if flush => 0.0,
        // The power of two of the last digit of subnormal numbers.
        0 => f64::from(fraction) / 16_777_216.0,
        31 if fraction == 0 => f64::INFINITY,
        31 => f64::NAN,
        _ => f64::from_bits(u64::from(exponent + 1008) << 52 | u64::from(fraction) << 42),
    };
    if bits & 0x8000 == 0 { size } else { -size }
}

/// Rounds, and ends an operation. With `.ftz`, what is subnormal before it is rounded is zero.
pub fn narrow(format: Format, value: f64, flags: u32) -> u16 {
    let bits = format.pack(F64.unpack(value.to_bits()), Rounding::Nearest) as u16;
    let is_nan = bits & 0x7fff > format.infinite() as u16;
    let one = format.one() as u16;
    let is_tiny = format == F16 && flags & FTZ != 0 && value.abs() < 1.0 / 16384.0;
    let bits = if is_tiny { bits & 0x8000 } else { bits };
    if flags & SAT != 0 {
        return if is_nan || bits & 0x8000 != 0 { 0 } else { bits.min(one) };
    }
    if flags & RELU != 0 && !is_nan && bits & 0x8000 != 0 {
        return 0;
    }
    bits
}

/// The sum of an atomic addition. In global memory, subnormal numbers are zero (measured).
pub fn add_f32(a: u32, b: u32, is_global: bool) -> u32 {
    let flags = if is_global { FTZ } else { 0 };
    let [a, b] = [a, b].map(|bits| flush(f32::from_bits(bits), flags));
    finish(a + b, flags).to_bits()
}

/// In global memory a NaN stays as it is, the new one before the old one; in shared memory the old one is first (measured).
pub fn add_f64(old: u64, new: u64, is_shared: bool) -> u64 {
    let [a, b] = [old, new].map(f64::from_bits);
    match [new, old].into_iter().find(|bits| f64::from_bits(*bits).is_nan()) {
        Some(nan) if !is_shared => nan,
        _ => propagate([a, b], a + b).to_bits(),
    }
}

pub fn add_halves(kind: Type, a: u64, b: u64) -> u64 {
    let flags = if kind.format() == Some(BF16) { BRAIN } else { 0 };
    let one = |a: u16, b: u16| half([a, b], flags, |[a, b]| odd(a, b));
    if kind.bits() == 16 {
        one(a as u16, b as u16).into()
    } else {
        super::integers::each_half(a as u32, b as u32, one).into()
    }
}
