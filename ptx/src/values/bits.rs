//! Logic, shifts, and fields of bits.

use super::cells::{Compute, ints, lanes};
use super::opcode::{Opcode, Type};

macro_rules! logic {
    ($name:ident, |$($operand:ident),*| $bits:expr, $bools:expr) => {
        pub fn $name(_: &mut Opcode, kind: Type, _: u32) -> Option<Compute> {
            if kind == Type::Pred {
                return Some($bools);
            }
            Some(ints!(kind, (B16 u16, B32 u32, B64 u64), |$($operand),*| $bits))
        }
    };
}
logic!(and, |a, b| a & b, lanes!(|a: bool, b: bool| a & b));
logic!(or, |a, b| a | b, lanes!(|a: bool, b: bool| a | b));
logic!(exclusive_or, |a, b| a ^ b, lanes!(|a: bool, b: bool| a ^ b));
logic!(not, |a| !a, lanes!(|a: bool| !a));

/// `cnot`
pub fn is_zero(_: &mut Opcode, kind: Type, _: u32) -> Option<Compute> {
    Some(ints!(kind, (B16 u16, B32 u32, B64 u64), |a| T::from(a == 0)))
}

pub fn count_ones(_: &mut Opcode, kind: Type, _: u32) -> Option<Compute> {
    Some(ints!(kind, (B32 u32, B64 u64), |a| a.count_ones()))
}

pub fn count_leading(_: &mut Opcode, kind: Type, _: u32) -> Option<Compute> {
    Some(ints!(kind, (B32 u32, B64 u64), |a| a.leading_zeros()))
}

pub fn reverse(_: &mut Opcode, kind: Type, _: u32) -> Option<Compute> {
    Some(ints!(kind, (B32 u32, B64 u64), |a| a.reverse_bits()))
}

/// The place of the first bit that is not the sign: from the bottom, or from the top with `from_top`.
fn leading(value: u64, width: u32, signed: bool, from_top: bool) -> u32 {
    let value = if signed && value >> (width - 1) & 1 == 1 { !value & (!0 >> (64 - width)) } else { value };
    if value == 0 {
        return !0;
    }
    let from_bottom = 63 - value.leading_zeros();
    if from_top { width - 1 - from_bottom } else { from_bottom }
}

/// `bfind`
pub fn find_leading(opcode: &mut Opcode, kind: Type, _: u32) -> Option<Compute> {
    Some(match (kind, opcode.take("shiftamt")) {
        (Type::U32, false) => lanes!(|a: u32| leading(a.into(), 32, false, false)),
        (Type::U32, true) => lanes!(|a: u32| leading(a.into(), 32, false, true)),
        (Type::S32, false) => lanes!(|a: u32| leading(a.into(), 32, true, false)),
        (Type::S32, true) => lanes!(|a: u32| leading(a.into(), 32, true, true)),
        (Type::U64, false) => lanes!(|a: u64| leading(a, 64, false, false)),
        (Type::U64, true) => lanes!(|a: u64| leading(a, 64, false, true)),
        (Type::S64, false) => lanes!(|a: u64| leading(a, 64, true, false)),
        (Type::S64, true) => lanes!(|a: u64| leading(a, 64, true, true)),
        _ => return None,
    })
}

fn extract(a: u64, at: u32, length: u32, width: u32, signed: bool) -> u64 {
    if length == 0 {
        return 0;
    }
    let sign = signed && a >> at.saturating_add(length - 1).min(width - 1) & 1 == 1;
    let shifted = if at >= width { 0 } else { a >> at };
    let count = length.min(width.saturating_sub(at));
    let mask = if count >= 64 { !0 } else { (1 << count) - 1 };
    (shifted & mask) | if sign { !mask } else { 0 }
}

fn insert(a: u64, b: u64, at: u32, length: u32) -> u64 {
    let mask = if length >= 64 { !0 } else { (1_u64 << length) - 1 };
    if at >= 64 { b } else { b & !(mask << at) | (a & mask) << at }
}

/// `bfe`. Places and lengths have 8 bits, and in the forms of 64 bits all 32 (measured).
pub fn extract_field(_: &mut Opcode, kind: Type, _: u32) -> Option<Compute> {
    Some(match kind {
        Type::U32 => lanes!(|a: u32, b: u8, c: u8| extract(a.into(), b.into(), c.into(), 32, false) as u32),
        Type::S32 => lanes!(|a: u32, b: u8, c: u8| extract(a.into(), b.into(), c.into(), 32, true) as u32),
        Type::U64 => lanes!(|a: u64, b: u32, c: u32| extract(a, b, c, 64, false)),
        Type::S64 => lanes!(|a: u64, b: u32, c: u32| extract(a, b, c, 64, true)),
        _ => return None,
    })
}

/// `bfi`
pub fn insert_field(_: &mut Opcode, kind: Type, _: u32) -> Option<Compute> {
    Some(match kind {
        Type::B32 => {
            lanes!(|a: u32, b: u32, c: u8, d: u8| insert(a.into(), b.into(), c.into(), d.into()) as u32)
        }
        Type::B64 => lanes!(|a: u64, b: u64, c: u32, d: u32| insert(a, b, c, d)),
        _ => return None,
    })
}

/// Whether a place beyond the word is the word's end, or begins again at its start.
const WRAPS: &[(&str, bool)] = &[("clamp", false), ("wrap", true)];

/// `bmsk`
pub fn mask(opcode: &mut Opcode, _: Type, _: u32) -> Option<Compute> {
    Some(match opcode.take_one(WRAPS)? {
        false => lanes!(|a: u32, b: u32| insert(!0, 0, a, b) as u32),
        true => lanes!(|a: u32, b: u32| insert(!0, 0, a & 31, b & 31) as u32),
    })
}

/// `szext`
pub fn sign_extend(opcode: &mut Opcode, kind: Type, _: u32) -> Option<Compute> {
    Some(match (opcode.take_one(WRAPS)?, kind.is_signed()) {
        (false, false) => lanes!(|a: u32, b: u32| extract(a.into(), 0, b.min(32), 32, false) as u32),
        (false, true) => lanes!(|a: u32, b: u32| extract(a.into(), 0, b.min(32), 32, true) as u32),
        (true, false) => lanes!(|a: u32, b: u32| extract(a.into(), 0, b & 31, 32, false) as u32),
        (true, true) => lanes!(|a: u32, b: u32| extract(a.into(), 0, b & 31, 32, true) as u32),
    })
}

fn joined(low: u32, high: u32) -> u64 {
    u64::from(high) << 32 | u64::from(low)
}

/// Bytes of two words. The fourth bit of a choice repeats the byte's sign.
fn permute(a: u32, b: u32, choices: [u32; 4]) -> u32 {
    let bytes = joined(a, b).to_le_bytes();
    u32::from_le_bytes(choices.map(|choice| {
        let byte = bytes[choice as usize & 7];
        if choice & 8 == 0 { byte } else { (byte as i8 >> 7) as u8 }
    }))
}

/// `prmt`, of which a mode derives the choices from two bits.
pub fn byte_permute(opcode: &mut Opcode, _: Type, _: u32) -> Option<Compute> {
    let modes = [("f4e", 1), ("b4e", 2), ("rc8", 3), ("ecl", 4), ("ecr", 5), ("rc16", 6)];
    Some(match opcode.take_one(&modes) {
        None => lanes!(|a: u32, b: u32, c: u32| permute(a, b, [0, 4, 8, 12].map(|at| c >> at & 15))),
        Some(mode) => {
            let all = lanes!(|mode; a: u32, b: u32, c: u32| {
                let c = c & 3;
                permute(a, b, [0, 1, 2, 3].map(|i| match mode {
                    1 => c + i,
                    2 => c.wrapping_sub(i) & 7,
                    3 => c,
                    4 => c.max(i),
                    5 => c.min(i),
                    _ => (c & 1) * 2 + (i & 1),
                }))
            });
            Compute { flags: mode, ..all }
        }
    })
}

/// `lop3`
pub fn table_of_three(_: &mut Opcode, _: Type, _: u32) -> Option<Compute> {
    Some(lanes!(|a: u32, b: u32, c: u32, table: u32| {
        let term = |i: u32| {
            (table >> i & 1).wrapping_neg()
                & if i & 4 == 0 { !a } else { a }
                & if i & 2 == 0 { !b } else { b }
                & if i & 1 == 0 { !c } else { c }
        };
        term(0) | term(1) | term(2) | term(3) | term(4) | term(5) | term(6) | term(7)
    }))
}

/// `shf`
pub fn funnel(opcode: &mut Opcode, _: Type, _: u32) -> Option<Compute> {
    let left = opcode.take_one(&[("l", true), ("r", false)])?;
    Some(match (left, opcode.take_one(WRAPS)?) {
        (true, true) => lanes!(|a: u32, b: u32, c: u32| ((joined(a, b) << (c & 31)) >> 32) as u32),
        (true, false) => lanes!(|a: u32, b: u32, c: u32| ((joined(a, b) << c.min(32)) >> 32) as u32),
        (false, true) => lanes!(|a: u32, b: u32, c: u32| (joined(a, b) >> (c & 31)) as u32),
        (false, false) => lanes!(|a: u32, b: u32, c: u32| (joined(a, b) >> c.min(32)) as u32),
    })
}

pub fn shift_left(_: &mut Opcode, kind: Type, _: u32) -> Option<Compute> {
    Some(match kind {
        Type::B16 => lanes!(|a: u16, b: u32| if b > 15 { 0 } else { a << b }),
        Type::B32 => lanes!(|a: u32, b: u32| if b > 31 { 0 } else { a << b }),
        Type::B64 => lanes!(|a: u64, b: u32| if b > 63 { 0 } else { a << b }),
        _ => return None,
    })
}

pub fn shift_right(_: &mut Opcode, kind: Type, _: u32) -> Option<Compute> {
    Some(match kind {
        Type::B16 | Type::U16 => lanes!(|a: u16, b: u32| if b > 15 { 0 } else { a >> b }),
        Type::B32 | Type::U32 => lanes!(|a: u32, b: u32| if b > 31 { 0 } else { a >> b }),
        Type::B64 | Type::U64 => lanes!(|a: u64, b: u32| if b > 63 { 0 } else { a >> b }),
        Type::S16 => lanes!(|a: i16, b: u32| a >> b.min(15)),
        Type::S32 => lanes!(|a: i32, b: u32| a >> b.min(31)),
        Type::S64 => lanes!(|a: i64, b: u32| a >> b.min(63)),
        _ => return None,
    })
}
