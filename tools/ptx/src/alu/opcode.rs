//! An opcode's parts (its name, its modifiers and its types), and the type of the rows in `ALU_TABLES`.

use super::lane_values::AluOp;
use super::soft_float::{BF16, F16, F32, F64, FloatFormat};

macro_rules! types {
    ($($variant:ident $name:literal $bits:literal),*) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum PtxType { $($variant),* }

        impl PtxType {
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            pub fn parse_type(name: &str) -> Option<Self> {
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

/// Defines an enum of modifiers, each with its name in an opcode.
macro_rules! modifier_enum {
    ($(#[$doc:meta])* $type:ident { $($variant:ident $name:literal),* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $type { $($variant),* }

        impl $type {
            pub const NAMES: &'static [(&'static str, Self)] = &[$(($name, Self::$variant)),*];
        }
    };
}
pub(crate) use modifier_enum;

/// The registers that an operand may name: their width, their kind of value, and whether wider ones are accepted too.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct OperandClass {
    pub bits: u32,
    pub class: ValueKind,
    pub allow_wider: bool,
}

pub const EXPECT_B32: OperandClass = OperandClass::of_bits(32);
pub const EXPECT_B64: OperandClass = OperandClass::of_bits(64);

impl OperandClass {
    pub const fn of_bits(bits: u32) -> Self {
        Self { bits, class: ValueKind::Bits, allow_wider: false }
    }

    pub fn allow_wider(self) -> Self {
        Self { allow_wider: true, ..self }
    }
}

/// The kind of value in a register. Registers of bits hold any kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueKind {
    Bits,
    Integer,
    Float,
}

impl PtxType {
    /// Returns the type itself. The macros of lane_values.rs call this function on an opcode or a type.
    pub fn last_type(self) -> Self {
        self
    }

    pub fn bytes(self) -> usize {
        self.bits() as usize / 8
    }

    pub fn is_signed(self) -> bool {
        matches!(self, Self::S8 | Self::S16 | Self::S32 | Self::S64 | Self::S16x2)
    }

    pub fn number_class(self) -> ValueKind {
        match self {
            Self::Pred | Self::B8 | Self::B16 | Self::B32 | Self::B64 => ValueKind::Bits,
            _ if self.float_format().is_some() => ValueKind::Float,
            _ => ValueKind::Integer,
        }
    }

    pub fn operand_class(self) -> OperandClass {
        OperandClass { class: self.number_class(), ..OperandClass::of_bits(self.bits()) }
    }

    pub fn float_format(self) -> Option<FloatFormat> {
        Some(match self {
            Self::F16 | Self::F16x2 => F16,
            Self::Bf16 | Self::Bf16x2 => BF16,
            Self::F32 => F32,
            Self::F64 => F64,
            _ => return None,
        })
    }

    pub fn integer_range(self) -> (i128, i128) {
        let bits = self.bits();
        if self.is_signed() { (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) } else { (0, (1 << bits) - 1) }
    }
}

// Bits 0 and 1 of an instruction's flags are the rounding mode.

/// `.ftz`: subnormal numbers count as zero.
pub const FTZ: u32 = 4;
/// `.sat`: results are limited to the range from 0 to 1, or to the range of the integer type.
pub const SATURATE: u32 = 8;
/// `.rni`, `.rzi`, `.rmi`, `.rpi`: the result is rounded to an integer, even if its format is a float's.
pub const TO_INTEGER: u32 = 16;
/// `.NaN`: if an operand is a NaN, the result is a NaN.
pub const PROPAGATE_NAN: u32 = 32;
/// `.relu`: a negative result becomes zero.
pub const RELU: u32 = 64;
/// `.xorsign.abs`: the absolute values are compared, and the result has the sign of the operands' product.
pub const XOR_SIGN: u32 = 128;
/// The operands that are halves have the format bf16.
pub const BF16_OPERANDS: u32 = 256;
/// From this bit on, flags have a different meaning for each instruction.
pub const OWN_BITS: u32 = 9;

impl AluOp {
    pub fn add_instruction_flags(self, flags: u32) -> Self {
        self.with_flags(flags << OWN_BITS)
    }
}

const FLAG_MODIFIERS: &[(&str, u32)] = &[
    ("rz", 1),
    ("rm", 2),
    ("rp", 3),
    ("rni", TO_INTEGER),
    ("rzi", TO_INTEGER | 1),
    ("rmi", TO_INTEGER | 2),
    ("rpi", TO_INTEGER | 3),
    ("ftz", FTZ),
    ("sat", SATURATE),
    ("NaN", PROPAGATE_NAN),
    ("relu", RELU),
    ("xorsign", XOR_SIGN),
    ("bf16", BF16_OPERANDS),
    ("bf16x2", BF16_OPERANDS),
];

pub struct Opcode<'a> {
    pub text: &'a str,
    pub name: &'a str,
    modifiers: Vec<&'a str>,
    pub types: Vec<PtxType>,
    pub flags: u32,
}

impl<'a> Opcode<'a> {
    pub fn parse_opcode(opcode: &'a str) -> Self {
        let mut modifiers = opcode.split('.');
        let (name, modifiers) = (modifiers.next().unwrap_or(""), Vec::from_iter(modifiers));
        let types = modifiers.iter().filter_map(|part| PtxType::parse_type(part)).collect();
        let flags = FLAG_MODIFIERS.iter().filter(|(name, _)| modifiers.contains(name));
        let flags = flags.fold(0, |flags, (_, flag)| flags | flag);
        Self { text: opcode, name, modifiers, types, flags }
    }

    pub fn has_modifier(&self, part: &str) -> bool {
        self.modifiers.contains(&part)
    }

    /// Returns the value of the first modifier in `known` that the opcode has.
    pub fn value_by_modifier<T: Copy>(&self, known: &[(&str, T)]) -> Option<T> {
        known.iter().find(|(name, _)| self.has_modifier(name)).map(|(_, value)| *value)
    }

    pub fn last_type(&self) -> PtxType {
        self.types.last().copied().unwrap_or(PtxType::B32)
    }

    pub fn first_type(&self) -> PtxType {
        self.types.first().copied().unwrap_or(PtxType::B32)
    }

    /// Returns a mask of the signed types. Bit 0 is 1 if the opcode's first type is signed.
    pub fn sign_flags(&self) -> u32 {
        (0..).zip(&self.types).fold(0, |signs, (at, kind)| signs | u32::from(kind.is_signed()) << at)
    }

    /// Returns the kind of value that all types have, or `Bits` if the kinds differ.
    pub fn number_class(&self) -> ValueKind {
        let first = self.first_type().number_class();
        if self.types.iter().all(|kind| kind.number_class() == first) { first } else { ValueKind::Bits }
    }
}

/// The patterns of modifiers that an instruction may have (lower/modifier_patterns.rs).
pub type ModifierPatterns = &'static [&'static str];
type AluSelector = fn(&Opcode) -> AluOp;

pub struct AluRow {
    /// One instruction name, or several with spaces between them.
    pub names: &'static str,
    pub patterns: ModifierPatterns,
    pub select_op: AluSelector,
}

pub const fn alu_row(names: &'static str, patterns: ModifierPatterns, select_op: AluSelector) -> AluRow {
    AluRow { names, patterns, select_op }
}
