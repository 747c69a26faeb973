//! Comparisons, which return a predicate, and choices by one.

use super::cells::{Compute, lanes};
use super::exact::{BF16, F16};
use super::float::flush;
use super::halves::wide;
use super::opcode::{FTZ, Opcode, Type};

macro_rules! whole {
    ($name:ident, $t:ident) => {
        match $name {
            "eq" => lanes!(|a: $t, b: $t| a == b),
            "ne" => lanes!(|a: $t, b: $t| a != b),
            "lt" | "lo" => lanes!(|a: $t, b: $t| a < b),
            "le" | "ls" => lanes!(|a: $t, b: $t| a <= b),
            "gt" | "hi" => lanes!(|a: $t, b: $t| a > b),
            "ge" | "hs" => lanes!(|a: $t, b: $t| a >= b),
            _ => return None,
        }
    };
}

/// A comparison of floats, by its bits: less, equal, greater, unordered.
fn relation(name: &str) -> Option<u32> {
    Some(match name {
        "lt" => 1,
        "eq" => 2,
        "le" => 3,
        "gt" => 4,
        "ne" => 5,
        "ge" => 6,
        "num" => 7,
        "nan" => 8,
        "ltu" => 9,
        "equ" => 10,
        "leu" => 11,
        "gtu" => 12,
        "neu" => 13,
        "geu" => 14,
        _ => return None,
    })
}

#[inline(always)]
fn holds<T: PartialOrd>(a: T, b: T, flags: u32) -> bool {
    let bit = u32::from(a < b) | u32::from(a == b) << 1 | u32::from(a > b) << 2;
    flags >> 8 & if bit == 0 { 8 } else { bit } != 0
}

/// Returns the comparison of two values by the name of the relation.
pub fn comparison(name: &str, kind: Type, ftz: bool) -> Option<Compute> {
    let compare = match kind {
        Type::U16 | Type::B16 => whole!(name, u16),
        Type::U32 | Type::B32 => whole!(name, u32),
        Type::U64 | Type::B64 => whole!(name, u64),
        Type::S16 => whole!(name, i16),
        Type::S32 => whole!(name, i32),
        Type::S64 => whole!(name, i64),
        Type::F32 if ftz => lanes!(|flags; a: f32, b: f32| holds(flush(a, FTZ), flush(b, FTZ), flags)),
        Type::F32 => lanes!(|flags; a: f32, b: f32| holds(a, b, flags)),
        Type::F64 => lanes!(|flags; a: f64, b: f64| holds(a, b, flags)),
        Type::F16 => lanes!(|flags; a: u16, b: u16| {
            holds(wide(F16, a, flags & FTZ != 0), wide(F16, b, flags & FTZ != 0), flags)
        }),
        Type::Bf16 => {
            lanes!(|flags; a: u16, b: u16| holds(wide(BF16, a, false), wide(BF16, b, false), flags))
        }
        _ => return None,
    };
    let relation = if kind.format().is_some() { relation(name)? << 8 } else { 0 };
    Some(Compute { flags: relation | if ftz { FTZ } else { 0 }, single: kind == Type::F32, ..compare })
}

/// `testp`
pub fn test(opcode: &mut Opcode, kind: Type, _: u32) -> Option<Compute> {
    macro_rules! test {
        ($t:ident) => {
            match opcode.take_first()? {
                "finite" => lanes!(|a: $t| a.is_finite()),
                "infinite" => lanes!(|a: $t| a.is_infinite()),
                "number" => lanes!(|a: $t| !a.is_nan()),
                "notanumber" => lanes!(|a: $t| a.is_nan()),
                // Zero is normal, too (measured).
                "normal" => lanes!(|a: $t| a.is_normal() || a == 0.0),
                "subnormal" => lanes!(|a: $t| a.is_subnormal()),
                _ => return None,
            }
        };
    }
    Some(if kind == Type::F32 { test!(f32) } else { test!(f64) })
}

/// `selp`
pub fn select(_: &mut Opcode, _: Type, _: u32) -> Option<Compute> {
    Some(lanes!(|a: u64, b: u64, p: bool| if p { a } else { b }))
}

/// `slct`, whose last type is the one of the number that decides.
pub fn choose_by_sign(opcode: &mut Opcode, by: Type, _: u32) -> Option<Compute> {
    opcode.take_type()?;
    Some(match by {
        Type::S32 => lanes!(|a: u64, b: u64, c: i32| if c >= 0 { a } else { b }),
        _ => lanes!(|flags; a: u64, b: u64, c: f32| if flush(c, flags) >= 0.0 { a } else { b }),
    })
}
