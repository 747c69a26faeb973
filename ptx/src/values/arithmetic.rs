//! Sums, products and quotients of integers.

use super::cells::{Compute, ints, lanes};
use super::opcode::{Opcode, SAT, Type};

pub fn add(_: &mut Opcode, kind: Type, flags: u32) -> Option<Compute> {
    Some(match flags {
        SAT => lanes!(|a: i32, b: i32| a.saturating_add(b)),
        _ => ints!(kind, |a, b| a.wrapping_add(b)),
    })
}

pub fn subtract(_: &mut Opcode, kind: Type, flags: u32) -> Option<Compute> {
    Some(match flags {
        SAT => lanes!(|a: i32, b: i32| a.saturating_sub(b)),
        _ => ints!(kind, |a, b| a.wrapping_sub(b)),
    })
}

/// Which half of a product, or all of it.
const PARTS: &[(&str, u8)] = &[("lo", 0), ("hi", 1), ("wide", 2)];

pub fn multiply(opcode: &mut Opcode, kind: Type, _: u32) -> Option<Compute> {
    Some(match opcode.take_one(PARTS)? {
        0 => ints!(kind, |a, b| a.wrapping_mul(b)),
        1 => ints!(kind, |a, b| ((a as i128).wrapping_mul(b as i128) >> T::BITS) as T),
        _ => match kind {
            Type::U16 => lanes!(|a: u16, b: u16| u32::from(a) * u32::from(b)),
            Type::S16 => lanes!(|a: i16, b: i16| i32::from(a) * i32::from(b)),
            Type::U32 => lanes!(|a: u32, b: u32| u64::from(a) * u64::from(b)),
            Type::S32 => lanes!(|a: i32, b: i32| i64::from(a) * i64::from(b)),
            _ => return None,
        },
    })
}

pub fn multiply_add(opcode: &mut Opcode, kind: Type, flags: u32) -> Option<Compute> {
    Some(match opcode.take_one(PARTS)? {
        0 => ints!(kind, |a, b, c| a.wrapping_mul(b).wrapping_add(c)),
        1 if flags & SAT != 0 => {
            lanes!(|a: i32, b: i32, c: i32| (((i64::from(a) * i64::from(b)) >> 32) as i32).saturating_add(c))
        }
        1 => {
            ints!(kind, |a, b, c| (((a as i128).wrapping_mul(b as i128) >> T::BITS) as T).wrapping_add(c))
        }
        _ => match kind {
            Type::U16 => lanes!(|a: u16, b: u16, c: u32| (u32::from(a) * u32::from(b)).wrapping_add(c)),
            Type::S16 => lanes!(|a: i16, b: i16, c: i32| (i32::from(a) * i32::from(b)).wrapping_add(c)),
            Type::U32 => lanes!(|a: u32, b: u32, c: u64| (u64::from(a) * u64::from(b)).wrapping_add(c)),
            Type::S32 => lanes!(|a: i32, b: i32, c: i64| (i64::from(a) * i64::from(b)).wrapping_add(c)),
            _ => return None,
        },
    })
}

/// The product of two numbers of 24 bits, in 48 bits.
fn product_24(a: u32, b: u32, signed: bool) -> i64 {
    let cut = |word: u32| {
        if signed { i64::from((word << 8) as i32 >> 8) } else { i64::from(word & 0xff_ffff) }
    };
    cut(a) * cut(b)
}

/// `mul24` and `mad24`.
pub fn multiply_24(opcode: &mut Opcode, kind: Type, _: u32) -> Option<Compute> {
    let low = opcode.take_one(&[("lo", true), ("hi", false)])?;
    Some(match (opcode.name == "mad24", low, kind.is_signed()) {
        (false, true, true) => lanes!(|a: u32, b: u32| product_24(a, b, true) as u32),
        (false, true, false) => lanes!(|a: u32, b: u32| product_24(a, b, false) as u32),
        (false, false, true) => lanes!(|a: u32, b: u32| (product_24(a, b, true) >> 16) as u32),
        (false, false, false) => lanes!(|a: u32, b: u32| (product_24(a, b, false) >> 16) as u32),
        (true, true, true) => {
            lanes!(|a: u32, b: u32, c: u32| (product_24(a, b, true) as u32).wrapping_add(c))
        }
        (true, true, false) => {
            lanes!(|a: u32, b: u32, c: u32| (product_24(a, b, false) as u32).wrapping_add(c))
        }
        (true, false, true) => {
            lanes!(|a: u32, b: u32, c: u32| ((product_24(a, b, true) >> 16) as u32).wrapping_add(c))
        }
        (true, false, false) => {
            lanes!(|a: u32, b: u32, c: u32| ((product_24(a, b, false) >> 16) as u32).wrapping_add(c))
        }
    })
}

/// `sad`
pub fn sum_of_differences(_: &mut Opcode, kind: Type, _: u32) -> Option<Compute> {
    Some(ints!(kind, |a, b, c| (if a > b { a.wrapping_sub(b) } else { b.wrapping_sub(a) }).wrapping_add(c)))
}

/// PTX leaves a division by zero open. A GPU returns ones (measured).
pub fn divide(_: &mut Opcode, kind: Type, _: u32) -> Option<Compute> {
    Some(ints!(kind, |a, b| if b == 0 { !0 } else { a.wrapping_div(b) }))
}

pub fn remainder(_: &mut Opcode, kind: Type, _: u32) -> Option<Compute> {
    Some(ints!(kind, |a, b| if b == 0 { !0 } else { a.wrapping_rem(b) }))
}

pub fn absolute(_: &mut Opcode, kind: Type, _: u32) -> Option<Compute> {
    Some(ints!(kind, (S16 i16, S32 i32, S64 i64), |a| a.wrapping_abs()))
}

pub fn negate(_: &mut Opcode, kind: Type, _: u32) -> Option<Compute> {
    Some(ints!(kind, (S16 i16, S32 i32, S64 i64), |a| a.wrapping_neg()))
}

/// `min` and `max`
pub fn extreme(opcode: &mut Opcode, kind: Type, flags: u32) -> Option<Compute> {
    Some(match (opcode.name, flags) {
        ("min", 0) => ints!(kind, |a, b| a.min(b)),
        ("max", 0) => ints!(kind, |a, b| a.max(b)),
        // `.relu`, of S32 alone.
        ("min", _) => lanes!(|a: i32, b: i32| a.min(b).max(0)),
        _ => lanes!(|a: i32, b: i32| a.max(b).max(0)),
    })
}

/// Products of bytes, or of halves and two of the bytes. The lowest bits of the kind say which side has a sign.
fn dot(a: u32, b: u32, c: u32, kind: u32) -> u32 {
    let part = |word: u32, index: u32, bits: u32, signed: bool| {
        let shifted = word << (32 - bits * (index + 1));
        if signed { i64::from(shifted as i32 >> (32 - bits)) } else { i64::from(shifted >> (32 - bits)) }
    };
    let (first, second) = (kind & 1 != 0, kind & 2 != 0);
    let sum: i64 = match kind >> 2 {
        0 => (0..4).map(|i| part(a, i, 8, first) * part(b, i, 8, second)).sum(),
        half => (0..2).map(|i| part(a, i, 16, first) * part(b, i + 2 * (half - 1), 8, second)).sum(),
    };
    c.wrapping_add(sum as u32)
}

/// `dp4a` and `dp2a`
pub fn dot_products(opcode: &mut Opcode, second: Type, _: u32) -> Option<Compute> {
    let first = opcode.take_type()?;
    let signs = u32::from(first.is_signed()) | u32::from(second.is_signed()) << 1;
    let width = if opcode.name == "dp4a" { 0 } else { 1 + opcode.take_one(&[("lo", 0), ("hi", 1)])? };
    let all = lanes!(|kind; a: u32, b: u32, c: u32| dot(a, b, c, kind));
    Some(Compute { flags: width * 4 + signs, ..all })
}
