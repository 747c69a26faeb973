//! Arithmetic of f16 and bf16, alone or in pairs: in doubles, rounded once.

use super::cells::{Compute, lanes};
use super::exact::{BF16, F16, F64, Format, Rounding};
use super::float::{extreme, rounded_to_odd};
use super::opcode::{FTZ, NAN, RELU, SAT, SIGNS, Type};

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

pub fn f16_to_f32(bits: u16) -> f32 {
    wide(F16, bits, false) as f32
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

#[inline(always)]
pub fn both(a: u32, b: u32, c: u32, one: impl Fn(u16, u16, u16) -> u16) -> u32 {
    let low = one(a as u16, b as u16, c as u16);
    u32::from(low) | u32::from(one((a >> 16) as u16, (b >> 16) as u16, (c >> 16) as u16)) << 16
}

/// One of the four types.
#[derive(Clone, Copy)]
pub enum Halves {
    One(Format),
    Two(Format),
}

/// The functions of an operation on doubles, for each of the four types.
macro_rules! halves {
    ($halves:expr, |$flags:ident; $($name:ident),*| $result:expr) => {
        match $halves {
            Halves::One(F16) => halves!(@one F16, |$flags; $($name),*| $result),
            Halves::One(_) => halves!(@one BF16, |$flags; $($name),*| $result),
            Halves::Two(F16) => halves!(@two F16, |$flags; $($name),*| $result),
            Halves::Two(_) => halves!(@two BF16, |$flags; $($name),*| $result),
        }
    };
    (@one $format:ident, |$flags:ident; $a:ident| $result:expr) => {
        lanes!(|$flags; $a: u16| { halves!(@wide $format $flags $a); narrow($format, $result, $flags) })
    };
    (@one $format:ident, |$flags:ident; $a:ident, $b:ident| $result:expr) => {
        lanes!(|$flags; $a: u16, $b: u16| { halves!(@wide $format $flags $a $b); narrow($format, $result, $flags) })
    };
    (@one $format:ident, |$flags:ident; $a:ident, $b:ident, $c:ident| $result:expr) => {
        lanes!(|$flags; $a: u16, $b: u16, $c: u16| {
            halves!(@wide $format $flags $a $b $c);
            narrow($format, $result, $flags)
        })
    };
    (@two $format:ident, |$flags:ident; $a:ident| $result:expr) => {
        lanes!(|$flags; $a: u32| both($a, 0, 0, |$a, _, _| {
            halves!(@wide $format $flags $a);
            narrow($format, $result, $flags)
        }))
    };
    (@two $format:ident, |$flags:ident; $a:ident, $b:ident| $result:expr) => {
        lanes!(|$flags; $a: u32, $b: u32| both($a, $b, 0, |$a, $b, _| {
            halves!(@wide $format $flags $a $b);
            narrow($format, $result, $flags)
        }))
    };
    (@two $format:ident, |$flags:ident; $a:ident, $b:ident, $c:ident| $result:expr) => {
        lanes!(|$flags; $a: u32, $b: u32, $c: u32| both($a, $b, $c, |$a, $b, $c| {
            halves!(@wide $format $flags $a $b $c);
            narrow($format, $result, $flags)
        }))
    };
    (@wide $format:ident $flags:ident $($name:ident)*) => { $(let $name = wide($format, $name, $flags & FTZ != 0);)* };
}
pub(super) use halves;

impl Halves {
    pub fn of(kind: Type) -> Option<Self> {
        Some(match kind {
            Type::F16 => Self::One(F16),
            Type::Bf16 => Self::One(BF16),
            Type::F16x2 => Self::Two(F16),
            Type::Bf16x2 => Self::Two(BF16),
            _ => return None,
        })
    }

    pub fn sum(self) -> Compute {
        halves!(self, |flags; a, b| rounded_to_odd(a, b))
    }

    pub fn difference(self) -> Compute {
        halves!(self, |flags; a, b| rounded_to_odd(a, -b))
    }

    /// The product is exact in a double.
    pub fn product(self) -> Compute {
        halves!(self, |flags; a, b| a * b)
    }

    pub fn fused(self) -> Compute {
        halves!(self, |flags; a, b, c| rounded_to_odd(a * b, c))
    }

    pub fn extreme(self, greatest: bool) -> Compute {
        const KEPT: u32 = NAN | SIGNS;
        if greatest {
            halves!(self, |flags; a, b| extreme(a as f32, b as f32, flags & KEPT, true).into())
        } else {
            halves!(self, |flags; a, b| extreme(a as f32, b as f32, flags & KEPT, false).into())
        }
    }

    pub fn absolute(self) -> Compute {
        halves!(self, |flags; a| a.abs())
    }

    pub fn negated(self) -> Compute {
        halves!(self, |flags; a| -a)
    }
}

/// The sums of halves, for atomic operations.
pub fn add_halves(kind: Type, a: u64, b: u64) -> u64 {
    let one = |format: Format, a: u16, b: u16| {
        narrow(format, rounded_to_odd(wide(format, a, false), wide(format, b, false)), 0)
    };
    match Halves::of(kind) {
        Some(Halves::One(format)) => one(format, a as u16, b as u16).into(),
        Some(Halves::Two(format)) => both(a as u32, b as u32, 0, |a, b, _| one(format, a, b)).into(),
        None => b,
    }
}
