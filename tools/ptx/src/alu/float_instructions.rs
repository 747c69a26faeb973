//! Arithmetic with Rust's floats. soft_float.rs computes in rounding modes other than `.rn`, and rounds to halves.

use super::lane_values::{
    AluOp, LaneValue, OperandPlaces, RegisterFile, WARP_SIZE, alu_op, compute_each_lane, map_lanes,
};
use super::opcode::{
    AluRow, BF16_OPERANDS, FTZ, ModifierPatterns, OWN_BITS, Opcode, PROPAGATE_NAN, PtxType, RELU, SATURATE,
    XOR_SIGN, alu_row,
};
use super::soft_float::{BF16, ExactNumber, F16, F32, F64, FloatFormat, RoundingMode};

const SUM_PATTERNS: ModifierPatterns =
    &["{rnd}?.ftz?.sat?.f32", "{rnd}?.f64", ".rn?.ftz?.sat?{halves}", ".rn?{brains}"];
const FMA_PATTERNS: ModifierPatterns =
    &["{rnd}.ftz?.sat?.f32", "{rnd}.f64", ".rn.ftz?(.sat|.relu)?{halves}", ".rn.relu?{brains}"];
const ROUNDED_PATTERNS: ModifierPatterns = &["{rnd}.ftz?.f32", "{rnd}.f64"];
const SIGN_PATTERNS: ModifierPatterns = &[".ftz?.f32", ".f64", ".ftz?{halves}", "{brains}"];
const MIN_MAX_PATTERNS: ModifierPatterns =
    &[".ftz?.NaN?(.xorsign.abs)?(.f32|.f16|.f16x2)", ".NaN?(.xorsign.abs)?{brains}", ".f64"];
const APPROXIMATE_PATTERNS: ModifierPatterns = &[".approx.ftz?.f32"];

/// Defines the functions of an operation:
/// - In rounding modes other than `.rn`, `$exact` computes singles and doubles.
/// - In `.rn`, `$native` computes doubles, and singles without `.ftz` and `.sat`.
/// - In `.rn`, `$wide` computes a double for halves, and for singles with `.ftz` or `.sat`. The double is then rounded.
/// - `$order` lists the operands. If an operand of type `.f64` is a NaN, the result is the first NaN in `$order`, made
///   quiet.
macro_rules! float_op {
    (
        $opcode:expr, |$($name:ident),*| $native:expr, $wide:expr,
        |$format:ident, $rounding:ident| $exact:expr, $order:expr
    ) => {
        match ($opcode.last_type(), $opcode.flags) {
            (PtxType::F32, 0) => alu_op!(|$($name: f32),*| canonical_f32($native)),
            (PtxType::F32, flags) if flags & 3 == 0 => alu_op!(|flags; $($name: f32),*| {
                $(let $name = f64::from(flush_subnormal($name, flags));)*
                let wide = $wide;
                finish_f32(flush_tiny_before_rounding(wide as f32, wide, flags), flags)
            }),
            (PtxType::F32, _) => alu_op!(|flags; $($name: f32),*| {
                compute_exact_f32(|$format, [$($name),*], $rounding| $exact, [$($name),*], flags)
            }),
            (PtxType::F64, 0) => alu_op!(|$($name: f64),*| propagate_nan($order, $native)),
            (PtxType::F64, _) => alu_op!(|flags; $($name: f64),*| {
                let ($format, $rounding) = (F64, RoundingMode::mode_of_flags(flags));
                let bits = {
                    $(let $name = $name.to_bits();)*
                    $exact
                };
                propagate_nan($order, f64::from_bits(bits))
            }),
            (kind, _) => half_op!(kind, |flags; $($name),*| $wide),
        }
    };
}

/// Defines the functions of an operation for f16 and bf16, alone or in pairs. `$result` computes a double, and
/// `compute_half` rounds it.
macro_rules! half_op {
    ($kind:expr, |$flags:ident; $($name:ident),*| $result:expr) => {
        if $kind.bits() == 16 {
            alu_op!(|$flags; $($name: u16),*| { compute_half([$($name),*], $flags, |[$($name),*]| $result) })
        } else {
            alu_op!(|$flags; $($name: u32),*| {
                let lower = compute_half([$($name as u16),*], $flags, |[$($name),*]| $result);
                let upper = compute_half([$(($name >> 16) as u16),*], $flags, |[$($name),*]| $result);
                u32::from(lower) | u32::from(upper) << 16
            })
        }
    };
}

/// Defines `abs` or `neg`. A NaN of type `.f64` keeps its sign. Other NaNs become the canonical NaN (both measured).
macro_rules! sign_op {
    ($kind:expr, |$name:ident| $result:expr) => {
        match $kind {
            PtxType::F32 => alu_op!(|flags; $name: f32| {
                let $name = flush_subnormal($name, flags);
                canonical_f32($result)
            }),
            PtxType::F64 => alu_op!(|$name: f64| if $name.is_nan() { quieten_nan($name) } else { $result }),
            kind => half_op!(kind, |flags; $name| $result),
        }
    };
}

/// Defines the functions of an approximation. The functions compute doubles, and round or truncate the doubles. A GPU's
/// result may be less exact.
macro_rules! approximate_op {
    ($opcode:expr, |$name:ident| $result:expr) => {
        match $opcode.last_type() {
            PtxType::F32 => alu_op!(|flags; a: f32| {
                let $name = f64::from(flush_subnormal(a, flags));
                finish_f32(($result) as f32, flags)
            }),
            // A GPU ignores the lower 32 bits of the operand, and clears the lower 32 bits of the result. If the
            // operand is a NaN, the result's bits are always the same (all three: manual). For a negative operand,
            // `rsqrt` gives the same NaN (measured).
            PtxType::F64 => alu_op!(|flags; a: u64| {
                let $name = f64::from_bits(keep_upper_32_bits(a, flags));
                let result = $result;
                if result.is_nan() { 0x7fff_ffff << 32 } else { keep_upper_32_bits(result.to_bits(), flags) }
            }),
            kind => half_op!(kind, |flags; $name| $result),
        }
    };
}

pub const FLOAT_TABLE: &[AluRow] = &[
    alu_row("add", SUM_PATTERNS, |f| {
        float_op!(f, |a, b| a + b, add_rounding_to_odd(a, b), |f, r| f.soft_add(a, b, r), [b, a])
    }),
    alu_row("sub", SUM_PATTERNS, |f| {
        float_op!(f, |a, b| a - b, add_rounding_to_odd(a, -b), |f, r| f.soft_add(a, f.negate(b), r), [b, a])
    }),
    alu_row("mul", SUM_PATTERNS, |f| float_op!(f, |a, b| a * b, a * b, |f, r| f.soft_mul(a, b, r), [b, a])),
    alu_row("fma", FMA_PATTERNS, select_fma),
    alu_row("mad", &["{rnd}.ftz?.sat?.f32", "{rnd}.f64"], select_fma),
    // On a GPU, `div.full` is an approximation. Here it returns the quotient, rounded to the nearest.
    alu_row("div", &["{rnd}.ftz?.f32", "{rnd}.f64", ".full.ftz?.f32"], |f| {
        float_op!(f, |a, b| a / b, a / b, |f, r| f.soft_div(a, b, r), [a, b])
    }),
    // A GPU computes `div.approx` as a product with the divisor's reciprocal. The reciprocal is zero if the divisor's
    // absolute value is greater than 2^126 (measured).
    alu_row("div", APPROXIMATE_PATTERNS, |_| {
        alu_op!(|flags; a: f32, b: f32| {
            let (a, b) = (flush_subnormal(a, flags), flush_subnormal(b, flags));
            let is_large = b.abs() > 8.507_059e37 && b.is_finite();
            finish_f32(if is_large { a * 0_f32.copysign(b) } else { a / b }, flags)
        })
    }),
    alu_row("rcp", ROUNDED_PATTERNS, |f| {
        float_op!(f, |a| 1.0 / a, 1.0 / a, |f, r| f.soft_div(f.bits_of_one(), a, r), [a])
    }),
    alu_row("sqrt", ROUNDED_PATTERNS, |f| {
        float_op!(f, |a| a.sqrt(), a.sqrt(), |f, r| f.soft_sqrt(a, r), [a])
    }),
    alu_row("rcp", &[".approx.ftz?.f32", ".approx.ftz.f64"], |f| approximate_op!(f, |a| 1.0 / a)),
    alu_row("sqrt", APPROXIMATE_PATTERNS, |f| approximate_op!(f, |a| a.sqrt())),
    alu_row("rsqrt", &[".approx.ftz?.f32", ".approx.ftz.f64"], |f| approximate_op!(f, |a| 1.0 / a.sqrt())),
    alu_row("rsqrt", &[".approx.f64"], |_| alu_op!(|a: f64| propagate_nan([a], rsqrt_f64(a)))),
    alu_row("sin", APPROXIMATE_PATTERNS, |f| approximate_op!(f, |a| a.sin())),
    alu_row("cos", APPROXIMATE_PATTERNS, |f| approximate_op!(f, |a| a.cos())),
    alu_row("lg2", APPROXIMATE_PATTERNS, |f| approximate_op!(f, |a| a.log2())),
    alu_row("ex2", &[".approx.ftz?.f32", ".approx{halves}", ".approx.ftz{brains}"], |f| {
        approximate_op!(f, |a| a.exp2())
    }),
    alu_row("tanh", &[".approx(.f32|.f16|.f16x2|.bf16|.bf16x2)"], |f| approximate_op!(f, |a| a.tanh())),
    alu_row("abs", SIGN_PATTERNS, |f| sign_op!(f.last_type(), |a| a.abs())),
    alu_row("neg", SIGN_PATTERNS, |f| sign_op!(f.last_type(), |a| -a)),
    alu_row("min", MIN_MAX_PATTERNS, |f| select_min_max(f.last_type())),
    alu_row("max", MIN_MAX_PATTERNS, |f| select_min_max(f.last_type()).with_flags(GREATEST)),
    // The result has the sign of the first operand and the magnitude of the second one.
    alu_row("copysign", &[".f32"], |_| alu_op!(|a: f32, b: f32| b.copysign(a))),
    alu_row("copysign", &[".f64"], |_| alu_op!(|a: f64, b: f64| b.copysign(a))),
];

/// Computes `rsqrt.approx.f64` with the operations that ptxas generates for compute capability 9.0. The tests compare
/// the results with an H200's.
fn rsqrt_f64(a: f64) -> f64 {
    if a.is_subnormal() {
        return rsqrt_f64(a * 2_f64.powi(54)) * 2_f64.powi(27);
    }
    let upper = |value: f64| f64::from_bits(keep_upper_32_bits(value.to_bits(), 0));
    let first = upper(1.0 / upper(a).sqrt());
    let error = (-first * first).mul_add(a, 1.0);
    let refined = error.mul_add(0.375, 0.5).mul_add(first * error, first);
    if refined.is_nan() { 1.0 / a.sqrt() } else { refined }
}

/// The flag of `max`: the larger operand is the result.
const GREATEST: u32 = 1 << OWN_BITS;

fn select_min_max(kind: PtxType) -> AluOp {
    match kind {
        PtxType::F32 => alu_op!(|flags; a: f32, b: f32| min_max_f32(a, b, flags)),
        PtxType::F64 => alu_op!(|flags; a: f64, b: f64| min_max_f64(a, b, flags)),
        kind => half_op!(kind, |flags; a, b| min_max_f32(a as f32, b as f32, flags & !FTZ).into()),
    }
}

fn select_fma(f: &Opcode) -> AluOp {
    if f.last_type() == PtxType::F32 && f.flags == 0 {
        return AluOp { function: fma_f32_lanes, flags: 0, operand_bits: &[32; 3] };
    }
    float_op!(
        f,
        |a, b, c| a.mul_add(b, c),
        add_rounding_to_odd(a * b, c),
        |f, r| f.soft_fma(a, b, c, r),
        [b, c, a]
    )
}

/// Computes `fma.rn.f32` for a warp. Each sum is rounded to a double, and then to a single. The second rounding may be
/// wrong if the double is halfway between two singles, or is subnormal as a single. If a thread has such a double,
/// `add_rounding_to_odd` computes the sums of all threads.
fn fma_f32_lanes(file: &mut RegisterFile, call: &OperandPlaces) -> u32 {
    let rows = [0, 1, 2].map(|place| f32::register_row(file, call.from[place]));
    let get = |thread: usize| rows.map(|row| f64::from(f32::lane_of_row(row, thread)));
    let (mut doubtful, mut sums) = (0, [0.0_f64; WARP_SIZE]);
    for (thread, sum) in sums.iter_mut().enumerate() {
        let [a, b, c] = get(thread);
        *sum = a * b + c;
    }
    for sum in sums {
        let (low, high) = (sum.to_bits() as u32, (sum.to_bits() >> 32) as u32 & 0x7fff_ffff);
        doubtful |= u32::from(low << 3 == 1 << 31) | u32::from((high < 0x3810_0000) & (high != 0));
    }
    let results = if doubtful == 0 {
        map_lanes(&sums, |sum| canonical_f32(sum as f32))
    } else {
        compute_each_lane(|thread| {
            let [a, b, c] = get(thread);
            canonical_f32(add_rounding_to_odd(a * b, c) as f32)
        })
    };
    LaneValue::write_register(&results, file, call)
}

/// Replaces a NaN by the canonical one. Works on bits, since the compiler may replace one NaN by another.
#[inline(always)]
pub fn canonical_f32(value: f32) -> f32 {
    let bits = value.to_bits();
    f32::from_bits(if bits & 0x7fff_ffff > 0x7f80_0000 { 0x7fff_ffff } else { bits })
}

/// Returns `value` if it is not a NaN. If `value` is a NaN, returns the first NaN in `order`, made quiet (measured), or
/// the canonical NaN if `order` has no NaN.
#[inline(always)]
pub fn propagate_nan<const N: usize>(order: [f64; N], value: f64) -> f64 {
    if value.to_bits() & !(1 << 63) <= 0x7ff0 << 48 {
        return value;
    }
    let is_nan = |one: &&f64| one.to_bits() & !(1 << 63) > 0x7ff0 << 48;
    order.iter().find(is_nan).map_or(f64::from_bits(0xfff8 << 48), |nan| quieten_nan(*nan))
}

#[inline(always)]
pub fn quieten_nan(value: f64) -> f64 {
    let bits = value.to_bits();
    f64::from_bits(if bits & !(1 << 63) > 0x7ff0 << 48 { bits | 1 << 51 } else { bits })
}

const LEAST_NORMAL_F32: f64 = f32::MIN_POSITIVE as f64;

/// Returns `value`, or with `.ftz` a zero if `wide`, the result before rounding, is subnormal as a single (measured).
#[inline(always)]
fn flush_tiny_before_rounding(value: f32, wide: f64, flags: u32) -> f32 {
    if flags & FTZ != 0 && wide != 0.0 && wide.abs() < LEAST_NORMAL_F32 {
        0_f32.copysign(wide as f32)
    } else {
        value
    }
}

#[inline(always)]
pub fn flush_subnormal(value: f32, flags: u32) -> f32 {
    let bits = value.to_bits();
    f32::from_bits(if flags & FTZ != 0 && bits & 0x7f80_0000 == 0 { bits & 1 << 31 } else { bits })
}

#[inline(always)]
pub fn finish_f32(value: f32, flags: u32) -> f32 {
    let value = canonical_f32(flush_subnormal(value, flags));
    if flags & SATURATE == 0 {
        value
    } else if value.is_nan() || value <= 0.0 {
        0.0
    } else {
        value.min(1.0)
    }
}

/// Returns the sum of two doubles, rounded to odd, so that rounding the sum once more gives the right result.
#[inline(always)]
pub fn add_rounding_to_odd(product: f64, c: f64) -> f64 {
    let sum = product + c;
    let part = sum - product;
    let error = (product - (sum - part)) + (c - part);
    let step = if (error > 0.0) == (sum > 0.0) { 1 } else { !0 };
    let is_inexact = (error > 0.0) | (error < 0.0);
    let bits = sum.to_bits();
    f64::from_bits(bits.wrapping_add(if is_inexact & (bits & 1 == 0) { step } else { 0 }))
}

/// Computes an operation on singles in a rounding mode other than `.rn`.
fn compute_exact_f32<const N: usize>(
    operation: impl Fn(FloatFormat, [u64; N], RoundingMode) -> u64,
    operands: [f32; N],
    flags: u32,
) -> f32 {
    let operands = operands.map(|value| flush_subnormal(value, flags));
    let singles = operands.map(|value| value.to_bits().into());
    let value = operation(F32, singles, RoundingMode::mode_of_flags(flags));
    let wide = operation(F64, operands.map(|value| f64::from(value).to_bits()), RoundingMode::Zero);
    finish_f32(flush_tiny_before_rounding(f32::from_bits(value as u32), f64::from_bits(wide), flags), flags)
}

fn keep_upper_32_bits(bits: u64, flags: u32) -> u64 {
    let is_subnormal = flags & FTZ != 0 && bits & 0x7ff0 << 48 == 0;
    bits & if is_subnormal { 1 << 63 } else { !0xffff_ffff }
}

#[inline(always)]
fn min_max_f32(a: f32, b: f32, flags: u32) -> f32 {
    let sign = (a.to_bits() ^ b.to_bits()) & 1 << 31;
    let (a, b) = if flags & XOR_SIGN == 0 { (a, b) } else { (a.abs(), b.abs()) };
    let (a, b) = (flush_subnormal(a, flags), flush_subnormal(b, flags));
    let b_first = if a == b { a.is_sign_negative() } else { b > a } == (flags & GREATEST != 0);
    let chosen = match (a.is_nan(), b.is_nan()) {
        (false, false) if b_first => b,
        (false, false) => a,
        _ if flags & PROPAGATE_NAN != 0 => return canonical_f32(f32::NAN),
        (true, true) => return canonical_f32(f32::NAN),
        (true, false) => b,
        (false, true) => a,
    };
    if flags & XOR_SIGN == 0 { chosen } else { f32::from_bits(chosen.to_bits() | sign) }
}

fn min_max_f64(a: f64, b: f64, flags: u32) -> f64 {
    let b_first = if a == b { a.is_sign_negative() } else { b > a } == (flags & GREATEST != 0);
    quieten_nan(if a.is_nan() || (!b.is_nan() && b_first) { b } else { a })
}

#[inline(always)]
fn compute_half<const N: usize>(operands: [u16; N], flags: u32, operation: impl Fn([f64; N]) -> f64) -> u16 {
    let format = if flags & BF16_OPERANDS == 0 { F16 } else { BF16 };
    f64_to_half(format, operation(operands.map(|bits| half_to_f64(format, bits, flags & FTZ != 0))), flags)
}

#[inline(always)]
pub fn half_to_f64(format: FloatFormat, bits: u16, flush: bool) -> f64 {
    if format == BF16 {
        return f32::from_bits(u32::from(bits) << 16).into();
    }
    let (exponent, fraction) = (bits >> 10 & 31, bits & 0x3ff);
    let size = match exponent {
        0 if flush => 0.0,
        // The last bit of a subnormal half has the weight 2^-24.
        0 => f64::from(fraction) / 16_777_216.0,
        31 if fraction == 0 => f64::INFINITY,
        31 => f64::NAN,
        _ => f64::from_bits(u64::from(exponent + 1008) << 52 | u64::from(fraction) << 42),
    };
    if bits & 0x8000 == 0 { size } else { -size }
}

/// Rounds a result to a half, and limits it by `clamp_result`. With `.ftz`, an f16 result becomes zero if it is
/// subnormal before rounding.
pub fn f64_to_half(format: FloatFormat, value: f64, flags: u32) -> u16 {
    let bits = format.pack_float(F64.unpack_float(value.to_bits()), RoundingMode::Nearest);
    let is_tiny = format == F16 && flags & FTZ != 0 && value.abs() < 1.0 / 16384.0;
    let bits = if is_tiny { bits & format.sign_bit(true) } else { bits };
    clamp_result(format, bits, flags) as u16
}

/// Limits a result: with `.sat` to the range from 0 to 1, where a NaN becomes 0, and with `.relu` to at least 0.
pub fn clamp_result(format: FloatFormat, bits: u64, flags: u32) -> u64 {
    match format.unpack_float(bits) {
        _ if flags & (SATURATE | RELU) == 0 => bits,
        ExactNumber::Finite(true, ..) | ExactNumber::Infinite(true) => 0,
        ExactNumber::Nan if flags & SATURATE == 0 => bits,
        ExactNumber::Nan => 0,
        _ if flags & SATURATE != 0 => bits.min(format.bits_of_one()),
        _ => bits,
    }
}

/// Returns the sum of an atomic addition. In global memory, subnormal numbers count as zero (measured).
pub fn atomic_add_f32(a: u32, b: u32, is_global: bool) -> u32 {
    let flags = if is_global { FTZ } else { 0 };
    let [a, b] = [a, b].map(|bits| flush_subnormal(f32::from_bits(bits), flags));
    finish_f32(a + b, flags).to_bits()
}

/// If both operands are NaNs, the sum is `new` in global memory, and `old`, made quiet, in shared memory (measured).
pub fn atomic_add_f64(old: u64, new: u64, is_shared: bool) -> u64 {
    let [a, b] = [old, new].map(f64::from_bits);
    match [new, old].into_iter().find(|bits| f64::from_bits(*bits).is_nan()) {
        Some(nan) if !is_shared => nan,
        _ => propagate_nan([a, b], a + b).to_bits(),
    }
}

pub fn atomic_add_halves(kind: PtxType, a: u64, b: u64) -> u64 {
    let flags = if kind.float_format() == Some(BF16) { BF16_OPERANDS } else { 0 };
    let one = |a: u16, b: u16| compute_half([a, b], flags, |[a, b]| add_rounding_to_odd(a, b));
    if kind.bits() == 16 {
        one(a as u16, b as u16).into()
    } else {
        super::integer_instructions::map_halves(a as u32, b as u32, one).into()
    }
}
