//! An opcode's parts: its name, its modifiers and its types.

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
    Bf16 "bf16" 16, Bf16x2 "bf16x2" 32, F32 "f32" 32, F64 "f64" 64
);

impl Type {
    pub fn bytes(self) -> usize {
        self.bits() as usize / 8
    }

    pub fn is_signed(self) -> bool {
        matches!(self, Self::S8 | Self::S16 | Self::S32 | Self::S64)
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
];

/// An opcode's parts. Whoever knows one takes it.
pub struct Opcode<'a> {
    pub name: &'a str,
    rest: Vec<&'a str>,
}

impl<'a> Opcode<'a> {
    pub fn new(opcode: &'a str) -> Self {
        let mut parts = opcode.split('.');
        Self { name: parts.next().unwrap_or(""), rest: parts.collect() }
    }

    pub fn take(&mut self, modifier: &str) -> bool {
        let found = self.rest.iter().position(|part| *part == modifier);
        found.map(|at| self.rest.remove(at)).is_some()
    }

    /// Takes the first known one.
    pub fn take_one<T: Copy>(&mut self, known: &[(&str, T)]) -> Option<T> {
        known.iter().find(|(name, _)| self.take(name)).map(|(_, value)| *value)
    }

    pub fn take_first(&mut self) -> Option<&'a str> {
        (!self.rest.is_empty()).then(|| self.rest.remove(0))
    }

    /// Takes the last part that is a type.
    pub fn take_type(&mut self) -> Option<Type> {
        let (at, kind) =
            self.rest.iter().enumerate().rev().find_map(|(at, part)| Some((at, Type::parse(part)?)))?;
        self.rest.remove(at);
        Some(kind)
    }

    /// Takes the last type of an opcode whose patterns all have one.
    pub fn kind(&mut self) -> Type {
        self.take_type().expect("the table's patterns have a type")
    }

    pub fn take_flags(&mut self) -> u32 {
        FLAGS.iter().filter(|(name, _)| self.take(name)).fold(0, |flags, (_, flag)| flags | flag)
    }

    pub fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }
}

/// What chooses the function of an opcode, by its last type and its flags.
pub type Choose = fn(&mut Opcode, Type, u32) -> Option<Compute>;

/// Returns what an opcode computes, or `None` for one with a part that is not known.
pub fn find(choose: Choose, opcode: &str) -> Option<Compute> {
    let mut opcode = Opcode::new(opcode);
    let kind = opcode.take_type()?;
    let flags = opcode.take_flags();
    let chosen = choose(&mut opcode, kind, flags)?;
    let chosen = Compute { flags: chosen.flags | flags, single: kind == Type::F32, ..chosen };
    opcode.is_empty().then_some(chosen)
}
