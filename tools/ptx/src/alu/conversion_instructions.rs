//! `cvt`: conversions between integers and floats of any width.

use super::float_instructions::{clamp_result, flush_subnormal};
use super::lane_values::{AluOp, alu_op, op_by_type};
use super::opcode::{
    AluRow, BF16_OPERANDS, FTZ, ModifierPatterns, OWN_BITS, Opcode, PtxType, SATURATE, TO_INTEGER, alu_row,
};
use super::soft_float::{self, BF16, ExactNumber, F16, F32, FloatFormat, RoundingMode};

// The positions of the source type and of the result type in the flags of `cvt`.
const FROM_SHIFT: u32 = OWN_BITS;
const TO_SHIFT: u32 = OWN_BITS + 8;

pub const CONVERSION_TABLE: &[AluRow] = &[
    alu_row(
        "cvt",
        &["(.rn|.rz).relu?(.f16x2|.bf16x2).f32"],
        |_| alu_op!(|flags; a: u32, b: u32| round_pair_to_halves(a, b, flags)),
    ),
    alu_row("cvt", &[".pack.sat.u16.s32"], |_| {
        alu_op!(|a: i32, b: i32| (a.clamp(0, 65535) << 16 | b.clamp(0, 65535)) as u32)
    }),
    alu_row("cvt", &[".pack.sat.s16.s32"], |_| {
        alu_op!(|a: i32, b: i32| (a.clamp(-32768, 32767) << 16 | b.clamp(-32768, 32767) & 0xffff) as u32)
    }),
    alu_row("cvt", CVT_PATTERNS, select_conversion),
];

const CVT_PATTERNS: ModifierPatterns = &[
    ".sat?{byte}{byte}",
    "{whole}.ftz?.sat?{byte}(.f16|.bf16|.f32|.f64)",
    "{rnd}.sat?(.f16|.bf16|.f32|.f64){byte}",
    "{whole}?.ftz?.sat?.f32.f32",
    "{whole}?.sat?(.f64.f64|.f16.f16)",
    "{whole}.bf16.bf16",
    ".ftz?.sat?(.f32.f16|.f32.bf16|.f64.f32)",
    ".sat?.f64.f16",
    ".f64.bf16",
    "{rnd}.ftz?.sat?(.f32.f64|.f16.f32)",
    "{rnd}.sat?.f16.f64",
    "(.rn|.rz).relu?(.f16|.bf16).f32",
    "{rnd}.bf16.f64",
];

fn select_conversion(opcode: &Opcode) -> AluOp {
    let (from, to) = (opcode.last_type(), opcode.first_type());
    let chosen = native_conversion(from, to, opcode.flags & !BF16_OPERANDS).unwrap_or_else(|| {
        match (from.bits(), to.bits()) {
            (64, 64) => alu_op!(|flags; a: u64| convert_exactly(a, flags)),
            (64, _) => alu_op!(|flags; a: u64| convert_exactly(a, flags) as u32),
            (_, 64) => alu_op!(|flags; a: u32| convert_exactly(a.into(), flags)),
            _ => alu_op!(|flags; a: u32| convert_exactly(a.into(), flags) as u32),
        }
    });
    chosen.with_flags((from as u32) << FROM_SHIFT | (to as u32) << TO_SHIFT)
}

/// Returns the function of a frequent conversion, computed without soft_float.rs, or `None` for another conversion.
fn native_conversion(from: PtxType, to: PtxType, flags: u32) -> Option<AluOp> {
    use PtxType::{F32, F64, S8, S16, S32, S64, U8, U16, U32, U64};
    macro_rules! to {
        ($rust:ident) => {
            op_by_type!(
                from,
                [U8 => u8, U16 => u16, U32 => u32, U64 => u64, S8 => i8, S16 => i16, S32 => i32, S64 => i64],
                (|a| a as $rust)
            )
        };
    }
    if flags & SATURATE == 0 && from.float_format().is_none() {
        return Some(match to {
            U8 => to!(u8),
            U16 => to!(u16),
            U32 => to!(u32),
            U64 => to!(u64),
            S8 => to!(i8),
            S16 => to!(i16),
            S32 => to!(i32),
            S64 => to!(i64),
            F32 if flags == 0 => to!(f32),
            F64 if flags == 0 => to!(f64),
            _ => return None,
        });
    }
    const TO_ZERO: u32 = TO_INTEGER | 1;
    Some(match (from, to, flags) {
        (F32, S32, TO_ZERO) => alu_op!(|a: f32| a as i32),
        (F32, U32, TO_ZERO) => alu_op!(|a: f32| a as u32),
        (F32, S32, TO_INTEGER) => alu_op!(|a: f32| a.round_ties_even() as i32),
        (F32, F64, 0) => {
            alu_op!(|a: f32| copy_nan_payload(F32, F64, a.to_bits().into(), f64::from(a).to_bits()))
        }
        (F64, F32, 0) => {
            alu_op!(|a: f64| copy_nan_payload(F64, F32, a.to_bits(), (a as f32).to_bits().into()) as u32)
        }
        (PtxType::Bf16, F32, 0) => alu_op!(|a: u16| u32::from(a) << 16),
        // A conversion to the same format leaves even a NaN unchanged.
        (F64, F64, 0) => alu_op!(|a: u64| a),
        (F32, F32, 0) => alu_op!(|a: u32| a),
        _ => return None,
    })
}

/// Returns `out`, or if `bits` is a NaN, a quiet NaN with the sign and the upper fraction bits of `bits` (measured).
#[inline(always)]
fn copy_nan_payload(from: PtxType, to: PtxType, bits: u64, out: u64) -> u64 {
    let (Some(source), Some(format)) = (from.float_format(), to.float_format()) else { return out };
    let size = bits & (source.infinity() | ((1 << source.fraction_bits) - 1));
    if size <= source.infinity() {
        return out;
    }
    let digits = bits << (64 - source.fraction_bits);
    let sign = format.sign_bit(bits >> (from.bits() - 1) & 1 == 1);
    sign | format.infinity() | 1 << (format.fraction_bits - 1) | digits >> (64 - format.fraction_bits)
}

fn round_pair_to_halves(high: u32, low: u32, flags: u32) -> u32 {
    let format = if flags & BF16_OPERANDS == 0 { F16 } else { BF16 };
    let half = |bits: u32| {
        let number = F32.unpack_float(bits.into());
        clamp_result(format, format.pack_float(number, RoundingMode::mode_of_flags(flags)), flags) as u32
    };
    half(high) << 16 | half(low)
}

fn convert_exactly(bits: u64, flags: u32) -> u64 {
    let [from, to] = [FROM_SHIFT, TO_SHIFT].map(|shift| PtxType::ALL[(flags >> shift & 31) as usize]);
    let rounding = RoundingMode::mode_of_flags(flags);
    let Some(source) = from.float_format() else { return convert_integer(bits, from, to, flags) };
    // With `.ftz`, a conversion to f16 keeps a subnormal operand (measured).
    let kept = if to == PtxType::F16 { flags & !FTZ } else { flags };
    let flushed = |bits: u64| flush_subnormal(f32::from_bits(bits as u32), kept).to_bits().into();
    let bits = if from == PtxType::F32 { flushed(bits) } else { bits & (!0 >> (64 - from.bits())) };
    let number = source.unpack_float(bits);
    let Some(format) = to.float_format() else {
        let (least, most) = to.integer_range();
        // The PTX manual states the results for a NaN.
        let nan = match (from == PtxType::F64 || to.bits() == 64, to.is_signed()) {
            (true, true) => least as u64,
            (true, false) => 1 << (to.bits() - 1),
            _ => 0,
        };
        return soft_float::to_integer(number, rounding, least, most).map_or(nan, |value| value as u64);
    };
    let out = if flags & TO_INTEGER != 0 {
        round_to_integer(format, number, rounding, bits)
    } else {
        format.pack_float(number, rounding)
    };
    let out = clamp_result(format, if to == PtxType::F32 { flushed(out) } else { out }, flags);
    if flags & SATURATE != 0 {
        return out;
    }
    if from == PtxType::F32 && to == PtxType::F64 && flags & FTZ != 0 && number == ExactNumber::Nan {
        return 0x7fff_ffff_e000_0000;
    }
    let is_kept = from == PtxType::F64 || to == PtxType::F64;
    if is_kept && !(from == PtxType::F32 && flags & FTZ != 0) {
        copy_nan_payload(from, to, bits, out)
    } else {
        out
    }
}

fn convert_integer(bits: u64, from: PtxType, to: PtxType, flags: u32) -> u64 {
    let mask = (1_i128 << from.bits()) - 1;
    let value = i128::from(bits) & mask;
    let is_negative = from.is_signed() && value >> (from.bits() - 1) & 1 == 1;
    let value = if is_negative { value - mask - 1 } else { value };
    let Some(format) = to.float_format() else {
        let (least, most) = to.integer_range();
        return value.clamp(least, most) as u64;
    };
    let bits = format.pack_integer(value, RoundingMode::mode_of_flags(flags));
    clamp_result(format, bits, flags)
}

/// Rounds a number to an integer in the same format. The result keeps the sign, even if the result is zero.
fn round_to_integer(format: FloatFormat, number: ExactNumber, rounding: RoundingMode, bits: u64) -> u64 {
    const LARGE: i128 = 1 << 100;
    let ExactNumber::Finite(negative, ..) = number else { return format.pack_float(number, rounding) };
    match soft_float::to_integer(number, rounding, -LARGE, LARGE) {
        Some(0) => format.pack_float(ExactNumber::Finite(negative, 0, 0), rounding),
        Some(value) if value.abs() < LARGE => format.pack_integer(value, RoundingMode::Nearest),
        _ => bits,
    }
}
