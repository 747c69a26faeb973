//! Arithmetic of singles and doubles. Rounding to the nearest is the processor's; other directions are exact.rs's.

use super::cells::{Compute, lanes};
use super::exact::{F32, F64, Format, Rounding};
use super::halves::Halves;
use super::opcode::{FTZ, NAN, Opcode, SAT, SIGNS, Type};

/// The one NaN of singles. By its bits: to the compiler all NaNs are the same.
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

/// `a * b + c`, rounded once. The sum of doubles is rounded to an odd number, so that the second rounding is right.
#[inline(always)]
pub fn fused(a: f32, b: f32, c: f32) -> f32 {
    rounded_to_odd(f64::from(a) * f64::from(b), f64::from(c)) as f32
}

#[inline(always)]
pub fn rounded_to_odd(product: f64, c: f64) -> f64 {
    let sum = product + c;
    let part = sum - product;
    let error = (product - (sum - part)) + (c - part);
    let step = if (error > 0.0) == (sum > 0.0) { 1 } else { !0 };
    let is_inexact = (error > 0.0) | (error < 0.0);
    let bits = sum.to_bits();
    f64::from_bits(bits.wrapping_add(if is_inexact & (bits & 1 == 0) { step } else { 0 }))
}

/// What exact.rs does for an operation.
type Exact = fn(Format, [u64; 3], Rounding) -> u64;

/// An operation on singles in another rounding.
fn exact_32(operation: Exact, operands: [f32; 3], flags: u32) -> f32 {
    let operands = operands.map(|value| flush(value, flags));
    let value = operation(F32, operands.map(|value| value.to_bits().into()), Rounding::from_bits(flags));
    let wide = operation(F64, operands.map(|value| f64::from(value).to_bits()), Rounding::Zero);
    finish(flush_tiny(f32::from_bits(value as u32), f64::from_bits(wide), flags), flags)
}

/// The functions of one operation: of singles, of singles in doubles, and of doubles; and the order in which doubles' NaNs count.
macro_rules! operation {
    ($kind:ident, $flags:ident, $exact:expr, |$($name:ident),*| $single:expr, $wide:expr, $double:expr, $order:expr) => {
        match $kind {
            Type::F32 if $flags == 0 => operation!(@ f32 ($($name)*) |_flags| canonical($single)),
            Type::F32 if $flags & 3 == 0 => operation!(@ f32 ($($name)*) |flags| {
                $(let $name = flush($name, flags);)*
                let value = $single;
                let wide = {
                    $(let $name = f64::from($name);)*
                    $wide
                };
                finish(flush_tiny(value, wide, flags), flags)
            }),
            Type::F32 => operation!(@ f32 ($($name)*) |flags| {
                let mut operands = [0.0; 3];
                operands[..[$($name),*].len()].copy_from_slice(&[$($name),*]);
                exact_32($exact, operands, flags)
            }),
            Type::F64 if $flags == 0 => operation!(@ f64 ($($name)*) |_flags| propagate($order, $double)),
            Type::F64 => operation!(@ f64 ($($name)*) |flags| {
                let mut operands = [0; 3];
                operands[..[$($name),*].len()].copy_from_slice(&[$($name.to_bits()),*]);
                let exact: Exact = $exact;
                propagate($order, f64::from_bits(exact(F64, operands, Rounding::from_bits(flags))))
            }),
            _ => return None,
        }
    };
    (@ $t:ident ($a:ident) |$flags:ident| $e:expr) => { lanes!(|$flags; $a: $t| $e) };
    (@ $t:ident ($a:ident $b:ident) |$flags:ident| $e:expr) => { lanes!(|$flags; $a: $t, $b: $t| $e) };
    (@ $t:ident ($a:ident $b:ident $c:ident) |$flags:ident| $e:expr) => {
        lanes!(|$flags; $a: $t, $b: $t, $c: $t| $e)
    };
}

pub fn float_add(_: &mut Opcode, kind: Type, flags: u32) -> Option<Compute> {
    if let Some(halves) = Halves::of(kind) {
        return Some(halves.sum());
    }
    Some(operation!(kind, flags, |f, [a, b, _], r| f.add(a, b, r), |a, b| a + b, a + b, a + b, [b, a]))
}

pub fn float_subtract(_: &mut Opcode, kind: Type, flags: u32) -> Option<Compute> {
    if let Some(halves) = Halves::of(kind) {
        return Some(halves.difference());
    }
    Some(operation!(
        kind,
        flags,
        |f, [a, b, _], r| f.add(a, f.negated(b), r),
        |a, b| a - b,
        a - b,
        a - b,
        [b, a]
    ))
}

pub fn float_multiply(_: &mut Opcode, kind: Type, flags: u32) -> Option<Compute> {
    if let Some(halves) = Halves::of(kind) {
        return Some(halves.product());
    }
    Some(operation!(kind, flags, |f, [a, b, _], r| f.mul(a, b, r), |a, b| a * b, a * b, a * b, [b, a]))
}

/// `fma` and `mad`
pub fn float_fused(_: &mut Opcode, kind: Type, flags: u32) -> Option<Compute> {
    if let Some(halves) = Halves::of(kind) {
        return Some(halves.fused());
    }
    Some(operation!(
        kind,
        flags,
        |f, [a, b, c], r| f.fma(a, b, c, r),
        |a, b, c| fused(a, b, c),
        rounded_to_odd(a * b, c),
        a.mul_add(b, c),
        [b, c, a]
    ))
}

pub fn float_divide(opcode: &mut Opcode, kind: Type, flags: u32) -> Option<Compute> {
    if opcode.take("approx") {
        // The product with the reciprocal, which is zero for large numbers (measured).
        return Some(lanes!(|flags; a: f32, b: f32| {
            let (a, b) = (flush(a, flags), flush(b, flags));
            let is_large = b.abs() > 8.507_059e37 && b.is_finite();
            finish(if is_large { a * 0_f32.copysign(b) } else { a / b }, flags)
        }));
    }
    opcode.take("full");
    Some(operation!(kind, flags, |f, [a, b, _], r| f.div(a, b, r), |a, b| a / b, a / b, a / b, [a, b]))
}

pub fn reciprocal(_: &mut Opcode, kind: Type, flags: u32) -> Option<Compute> {
    Some(operation!(kind, flags, |f, [a, ..], r| f.div(f.one(), a, r), |a| 1.0 / a, 1.0 / a, 1.0 / a, [a]))
}

pub fn square_root(_: &mut Opcode, kind: Type, flags: u32) -> Option<Compute> {
    Some(operation!(kind, flags, |f, [a, ..], r| f.sqrt(a, r), |a| a.sqrt(), a.sqrt(), a.sqrt(), [a]))
}

pub fn float_absolute(_: &mut Opcode, kind: Type, _: u32) -> Option<Compute> {
    Some(match kind {
        Type::F32 => lanes!(|flags; a: f32| canonical(flush(a, flags).abs())),
        // The sign of a NaN stays (measured).
        Type::F64 => lanes!(|a: f64| if a.is_nan() { quiet(a) } else { a.abs() }),
        _ => Halves::of(kind)?.absolute(),
    })
}

pub fn float_negate(_: &mut Opcode, kind: Type, _: u32) -> Option<Compute> {
    Some(match kind {
        Type::F32 => lanes!(|flags; a: f32| canonical(-flush(a, flags))),
        Type::F64 => lanes!(|a: f64| if a.is_nan() { quiet(a) } else { -a }),
        _ => Halves::of(kind)?.negated(),
    })
}

/// The lesser or the greater one. Of two zeros, the negative one is less. A NaN is the result only if both are, or by `.NaN`.
#[inline(always)]
pub fn extreme(a: f32, b: f32, flags: u32, greatest: bool) -> f32 {
    let sign = (a.to_bits() ^ b.to_bits()) & 1 << 31;
    let (a, b) = if flags & SIGNS == 0 { (a, b) } else { (a.abs(), b.abs()) };
    let (a, b) = (flush(a, flags), flush(b, flags));
    let b_first = if a == b { a.is_sign_negative() == greatest } else { (b > a) == greatest };
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

fn extreme_64(a: f64, b: f64, greatest: bool) -> f64 {
    let b_first = if a == b { a.is_sign_negative() == greatest } else { (b > a) == greatest };
    quiet(if a.is_nan() || (!b.is_nan() && b_first) { b } else { a })
}

/// `min` and `max`
pub fn float_extreme(opcode: &mut Opcode, kind: Type, _: u32) -> Option<Compute> {
    opcode.take("abs");
    Some(match (kind, opcode.name == "max") {
        (Type::F32, false) => lanes!(|flags; a: f32, b: f32| extreme(a, b, flags, false)),
        (Type::F32, true) => lanes!(|flags; a: f32, b: f32| extreme(a, b, flags, true)),
        (Type::F64, false) => lanes!(|a: f64, b: f64| extreme_64(a, b, false)),
        (Type::F64, true) => lanes!(|a: f64, b: f64| extreme_64(a, b, true)),
        (_, greatest) => Halves::of(kind)?.extreme(greatest),
    })
}

/// `copysign`: the sign of the first operand, and the digits of the second one.
pub fn copy_sign(_: &mut Opcode, kind: Type, _: u32) -> Option<Compute> {
    Some(match kind {
        Type::F32 => lanes!(|a: f32, b: f32| b.copysign(a)),
        _ => lanes!(|a: f64, b: f64| b.copysign(a)),
    })
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
