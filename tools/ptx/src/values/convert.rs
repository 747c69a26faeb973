//! `cvt`: between integers and floats of any width.

use super::cells::{Compute, by_type, lanes};
use super::exact::{self, BF16, F16, F32, Format, Number, Rounding};
use super::float::flush;
use super::form::{BRAIN, FTZ, Form, INTEGER, OWN, RELU, SAT, Type, Value, value};

// Where the flags have the two types.
const FROM: u32 = OWN;
const TO: u32 = OWN + 8;

pub const TABLE: &[Value] = &[
    value("cvt", &["(.rn|.rz).relu?(.f16x2|.bf16x2).f32"], |_| {
        Some(lanes!(|flags; a: u32, b: u32| pack_halves(a, b, flags)))
    }),
    value("cvt", &[".pack.sat(.u16|.s16).s32"], |f| {
        Some(match f.first() {
            Type::U16 => lanes!(|a: i32, b: i32| (a.clamp(0, 65535) << 16 | b.clamp(0, 65535)) as u32),
            _ => lanes!(
                |a: i32, b: i32| (a.clamp(-32768, 32767) << 16 | b.clamp(-32768, 32767) & 0xffff) as u32
            ),
        })
    }),
    value(
        "cvt",
        &[
            ".sat?{byte}{byte}",
            "{whole}.ftz?.sat?{byte}(.f16|.bf16|.f32|.f64)",
            "{rnd}.sat?(.f16|.bf16|.f32|.f64){byte}",
            "{whole}?.ftz?.sat?.f32.f32",
            "{whole}?.sat?.f64.f64",
            "{whole}?.sat?.f16.f16",
            "{whole}.bf16.bf16",
            ".ftz?.sat?.f32.f16",
            ".ftz?.sat?.f32.bf16",
            ".ftz?.sat?.f64.f32",
            ".sat?.f64.f16",
            ".f64.bf16",
            "{rnd}.ftz?.sat?.f32.f64",
            "{rnd}.ftz?.sat?.f16.f32",
            "{rnd}.sat?.f16.f64",
            "(.rn|.rz).relu?.f16.f32",
            "(.rn|.rz).relu?.bf16.f32",
            "{rnd}.bf16.f64",
        ],
        convert,
    ),
];

fn convert(form: &Form) -> Option<Compute> {
    let (from, to) = (form.kind(), form.first());
    let types = (from as u32) << FROM | (to as u32) << TO;
    let chosen = quick(from, to, form.flags & !BRAIN).unwrap_or_else(|| match (from.bits(), to.bits()) {
        (64, 64) => lanes!(|flags; a: u64| any(a, flags)),
        (64, _) => lanes!(|flags; a: u64| any(a, flags) as u32),
        (_, 64) => lanes!(|flags; a: u32| any(a.into(), flags)),
        _ => lanes!(|flags; a: u32| any(a.into(), flags) as u32),
    });
    Some(chosen.with(types))
}

/// The frequent conversions, by the processor.
fn quick(from: Type, to: Type, flags: u32) -> Option<Compute> {
    use Type::{F32, F64, S8, S16, S32, S64, U8, U16, U32, U64};
    macro_rules! to {
        ($rust:ident) => {
            by_type!(
                from,
                [U8 => u8, U16 => u16, U32 => u32, U64 => u64, S8 => i8, S16 => i16, S32 => i32, S64 => i64],
                (|a| a as $rust)
            )
        };
    }
    if flags & SAT == 0 && from.format().is_none() {
        return match to {
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
            _ => None,
        };
    }
    const TO_ZERO: u32 = INTEGER | 1;
    Some(match (from, to, flags) {
        (F32, S32, TO_ZERO) => lanes!(|a: f32| a as i32),
        (F32, U32, TO_ZERO) => lanes!(|a: f32| a as u32),
        (F32, S32, INTEGER) => lanes!(|a: f32| a.round_ties_even() as i32),
        (F32, F64, 0) => lanes!(|a: f32| keep_nan(F32, F64, a.to_bits().into(), f64::from(a).to_bits())),
        (F64, F32, 0) => lanes!(|a: f64| keep_nan(F64, F32, a.to_bits(), (a as f32).to_bits().into()) as u32),
        (Type::Bf16, F32, 0) => lanes!(|a: u16| u32::from(a) << 16),
        // The bits as they are.
        (F64, F64, 0) => lanes!(|a: u64| a),
        (F32, F32, 0) => lanes!(|a: u32| a),
        _ => return None,
    })
}

/// From and to doubles, a NaN keeps its sign and the upper digits, and is made quiet (measured).
#[inline(always)]
fn keep_nan(from: Type, to: Type, bits: u64, out: u64) -> u64 {
    let (Some(source), Some(format)) = (from.format(), to.format()) else { return out };
    let size = bits & (source.infinite() | ((1 << source.fraction) - 1));
    if size <= source.infinite() {
        return out;
    }
    let digits = bits << (64 - source.fraction);
    let sign = format.sign(bits >> (from.bits() - 1) & 1 == 1);
    sign | format.infinite() | 1 << (format.fraction - 1) | digits >> (64 - format.fraction)
}

/// Two floats become the halves of one word.
fn pack_halves(high: u32, low: u32, flags: u32) -> u32 {
    let format = if flags & BRAIN == 0 { F16 } else { BF16 };
    let half = |bits: u32| {
        let number = F32.unpack(bits.into());
        relu(format, format.pack(number, Rounding::from_bits(flags)), flags) as u32
    };
    half(high) << 16 | half(low)
}

fn relu(format: Format, bits: u64, flags: u32) -> u64 {
    let is_negative = matches!(format.unpack(bits), Number::Infinite(true) | Number::Finite(true, ..));
    if flags & RELU != 0 && is_negative { 0 } else { bits }
}

/// Any conversion of one value. The flags have both types.
fn any(bits: u64, flags: u32) -> u64 {
    let [from, to] = [FROM, TO].map(|shift| Type::ALL[(flags >> shift & 31) as usize]);
    let rounding = Rounding::from_bits(flags);
    let Some(source) = from.format() else { return of_integer(bits, from, to, flags) };
    // The operand of a conversion to f16 is not flushed (measured).
    let kept = if to == Type::F16 { flags & !FTZ } else { flags };
    let flushed = |bits: u64| flush(f32::from_bits(bits as u32), kept).to_bits().into();
    let bits = if from == Type::F32 { flushed(bits) } else { bits & (!0 >> (64 - from.bits())) };
    let number = source.unpack(bits);
    let Some(format) = to.format() else {
        let (least, most) = to.range();
        // PTX: the bits of the least integer, but zero from and to narrower types.
        let nan = match (from == Type::F64 || to.bits() == 64, to.is_signed()) {
            (true, true) => least as u64,
            (true, false) => 1 << (to.bits() - 1),
            _ => 0,
        };
        return exact::to_int(number, rounding, least, most).map_or(nan, |value| value as u64);
    };
    let out = if flags & INTEGER != 0 {
        whole(format, number, rounding, bits)
    } else {
        format.pack(number, rounding)
    };
    let out = relu(format, if to == Type::F32 { flushed(out) } else { out }, flags);
    if flags & SAT != 0 {
        return saturate(format, out);
    }
    if from == Type::F32 && to == Type::F64 && flags & FTZ != 0 && number == Number::Nan {
        return 0x7fff_ffff_e000_0000;
    }
    let is_kept = from == Type::F64 || to == Type::F64;
    if is_kept && !(from == Type::F32 && flags & FTZ != 0) { keep_nan(from, to, bits, out) } else { out }
}

fn of_integer(bits: u64, from: Type, to: Type, flags: u32) -> u64 {
    let mask = (1_i128 << from.bits()) - 1;
    let value = i128::from(bits) & mask;
    let is_negative = from.is_signed() && value >> (from.bits() - 1) & 1 == 1;
    let value = if is_negative { value - mask - 1 } else { value };
    let Some(format) = to.format() else {
        let (least, most) = to.range();
        return value.clamp(least, most) as u64;
    };
    let bits = format.of_int(value, Rounding::from_bits(flags));
    if flags & SAT == 0 { bits } else { saturate(format, bits) }
}

/// An integer in the same format, with its sign, also of zero.
fn whole(format: Format, number: Number, rounding: Rounding, bits: u64) -> u64 {
    const LARGE: i128 = 1 << 100;
    let Number::Finite(negative, ..) = number else { return format.pack(number, rounding) };
    match exact::to_int(number, rounding, -LARGE, LARGE) {
        Some(0) => format.pack(Number::Finite(negative, 0, 0), rounding),
        Some(value) if value.abs() < LARGE => format.of_int(value, Rounding::Nearest),
        _ => bits,
    }
}

fn saturate(format: Format, bits: u64) -> u64 {
    match format.unpack(bits) {
        Number::Nan | Number::Finite(true, ..) | Number::Infinite(true) => 0,
        Number::Infinite(false) => format.one(),
        Number::Finite(..) => bits.min(format.one()),
    }
}
