//! An opcode's parts: its name, its modifiers and its types. And the tables of what instructions compute.

use super::cells::Compute;
use super::exact::{BF16, F16, F32, F64, Format};

macro_rules! types {
    ($($variant:ident $name:literal $bits:literal),*) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Type { $($variant),* }

        impl Type {
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            pub fn parse(name: &str) -> Option<Self> {
                match name { $($name => Some(Self::$variant),)* _ => None }
            }

            pub fn bits(self) -> u32 {
                match self { $(Self::$variant => $bits),* }
            }
        }
    };
}
types!(
    Pred "pred" 1, B8 "b8" 8, B16 "b16" 16, B32 "b32" 32, B64 "b64" 64, U8 "u8" 8, U16 "u16" 16, U32 "u32" 32,
    U64 "u64" 64, S8 "s8" 8, S16 "s16" 16, S32 "s32" 32, S64 "s64" 64, F16 "f16" 16, F16x2 "f16x2" 32,
    Bf16 "bf16" 16, Bf16x2 "bf16x2" 32, U16x2 "u16x2" 32, S16x2 "s16x2" 32, F32 "f32" 32, F64 "f64" 64
);

/// What an operand holds: its bits and their sort.
pub type Want = (u32, Sort);
pub const WORD: Want = (32, Sort::Bits);
pub const LONG: Want = (64, Sort::Bits);

/// The kind of value in a register. Registers of bits hold any kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sort {
    Bits,
    Integer,
    Float,
}

impl Type {
    /// For the macros of cells.rs, which take a form or a type.
    pub fn kind(self) -> Self {
        self
    }

    pub fn bytes(self) -> usize {
        self.bits() as usize / 8
    }

    pub fn is_signed(self) -> bool {
        matches!(self, Self::S8 | Self::S16 | Self::S32 | Self::S64 | Self::S16x2)
    }

    pub fn sort(self) -> Sort {
        match self {
            Self::Pred | Self::B8 | Self::B16 | Self::B32 | Self::B64 => Sort::Bits,
            _ if self.format().is_some() => Sort::Float,
            _ => Sort::Integer,
        }
    }

    pub fn want(self) -> Want {
        (self.bits(), self.sort())
    }

    /// Returns the format of a float, or of each of two.
    pub fn format(self) -> Option<Format> {
        Some(match self {
            Self::F16 | Self::F16x2 => F16,
            Self::Bf16 | Self::Bf16x2 => BF16,
            Self::F32 => F32,
            Self::F64 => F64,
            _ => return None,
        })
    }

    /// Returns the range of an integer type.
    pub fn range(self) -> (i128, i128) {
        let bits = self.bits();
        if self.is_signed() { (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) } else { (0, (1 << bits) - 1) }
    }
}

// The flags of an instruction. The two lowest bits are the rounding.
/// Subnormal numbers are zero.
pub const FTZ: u32 = 4;
/// Results are between 0 and 1, or inside the range of an integer.
pub const SAT: u32 = 8;
/// The result is an integer, also in a float's format.
pub const INTEGER: u32 = 16;
/// A NaN among the operands is the result.
pub const NAN: u32 = 32;
/// A negative result is zero.
pub const RELU: u32 = 64;
/// The result has the product's sign, and the operands have none.
pub const SIGNS: u32 = 128;
/// Halves are of the format bf16.
pub const BRAIN: u32 = 256;
/// From here on, bits of one instruction's own.
pub const OWN: u32 = 9;

const FLAGS: &[(&str, u32)] = &[
    ("rn", 0),
    ("rz", 1),
    ("rm", 2),
    ("rp", 3),
    ("rni", INTEGER),
    ("rzi", INTEGER | 1),
    ("rmi", INTEGER | 2),
    ("rpi", INTEGER | 3),
    ("ftz", FTZ),
    ("sat", SAT),
    ("NaN", NAN),
    ("relu", RELU),
    ("xorsign", SIGNS),
    ("bf16", BRAIN),
    ("bf16x2", BRAIN),
];

pub struct Form<'a> {
    pub opcode: &'a str,
    pub name: &'a str,
    parts: Vec<&'a str>,
    pub types: Vec<Type>,
    pub flags: u32,
}

impl<'a> Form<'a> {
    pub fn new(opcode: &'a str) -> Self {
        let mut parts = opcode.split('.');
        let (name, parts) = (parts.next().unwrap_or(""), Vec::from_iter(parts));
        let types = parts.iter().filter_map(|part| Type::parse(part)).collect();
        let flags = FLAGS.iter().filter(|(name, _)| parts.contains(name));
        let flags = flags.fold(0, |flags, (_, flag)| flags | flag);
        Self { opcode, name, parts, types, flags }
    }

    pub fn has(&self, part: &str) -> bool {
        self.parts.contains(&part)
    }

    /// Returns what the first part that is known stands for.
    pub fn one<T: Copy>(&self, known: &[(&str, T)]) -> Option<T> {
        known.iter().find(|(name, _)| self.has(name)).map(|(_, value)| *value)
    }

    /// Returns the last type.
    pub fn kind(&self) -> Type {
        self.types.last().copied().unwrap_or(Type::B32)
    }

    pub fn first(&self) -> Type {
        self.types.first().copied().unwrap_or(Type::B32)
    }

    /// Returns what the types have in common.
    pub fn sort(&self) -> Sort {
        let first = self.first().sort();
        if self.types.iter().all(|kind| kind.sort() == first) { first } else { Sort::Bits }
    }
}

/// A row of the tables of values: an instruction whose result depends on its operands alone.
pub struct Value {
    pub name: &'static str,
    /// The patterns of its modifiers (lower/syntax.rs).
    pub takes: &'static [&'static str],
    /// Chooses the function for a form that a pattern allows.
    pub choose: fn(&Form) -> Option<Compute>,
}

pub const fn value(
    name: &'static str,
    takes: &'static [&'static str],
    choose: fn(&Form) -> Option<Compute>,
) -> Value {
    Value { name, takes, choose }
}
