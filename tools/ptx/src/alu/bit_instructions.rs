//! Instructions on bits: logic, shifts, counts, bit fields, permutations and selections.

use super::float_instructions::flush_subnormal;
use super::lane_values::{alu_op, bits_op, int_op, op_by_type, signed_op};
use super::opcode::{AluRow, FTZ, ModifierPatterns, OWN_BITS, PtxType, alu_row};

const LOGIC_PATTERNS: ModifierPatterns = &["(.pred|.b16|.b32|.b64)"];

/// Defines the function of a logic instruction, for predicates or for bits, as the opcode's type requires.
macro_rules! logic_op {
    ($opcode:expr, |$($name:ident),*| $result:expr) => {
        if $opcode.last_type() == PtxType::Pred {
            alu_op!(|$($name: bool),*| $result)
        } else {
            bits_op!($opcode, |$($name),*| $result)
        }
    };
}

/// Defines the function of `shf` or `szext`, which limits the operand `$by` to 32 or, with `.wrap`, takes it modulo 32.
macro_rules! clamped_op {
    ($opcode:expr, $by:ident, |$($name:ident: $type:ty),*| $result:expr) => {
        if $opcode.has_modifier("wrap") {
            alu_op!(|$($name: $type),*| { let $by = $by & 31; $result })
        } else {
            alu_op!(|$($name: $type),*| { let $by = $by.min(32); $result })
        }
    };
}

pub const BIT_TABLE: &[AluRow] = &[
    alu_row("and", LOGIC_PATTERNS, |f| logic_op!(f, |a, b| a & b)),
    alu_row("or", LOGIC_PATTERNS, |f| logic_op!(f, |a, b| a | b)),
    alu_row("xor", LOGIC_PATTERNS, |f| logic_op!(f, |a, b| a ^ b)),
    alu_row("not", LOGIC_PATTERNS, |f| logic_op!(f, |a| !a)),
    alu_row("cnot", &["{bits}"], |f| bits_op!(f, |a| T::from(a == 0))),
    alu_row("shl", &["{bits}"], |f| bits_op!(f, |a, b: u32| if b < T::BITS { a << b } else { 0 })),
    alu_row("shr", &["{bits}", "(.u16|.u32|.u64)"], |f| {
        bits_op!(f, |a, b: u32| if b < T::BITS { a >> b } else { 0 })
    }),
    alu_row("shr", &["{signed}"], |f| int_op!(f, |a, b: u32| a >> b.min(T::BITS - 1))),
    alu_row("shf", &[".l(.clamp|.wrap).b32"], |f| {
        clamped_op!(f, c, |a: u32, b: u32, c: u32| ((join_words(a, b) << c) >> 32) as u32)
    }),
    alu_row("shf", &[".r(.clamp|.wrap).b32"], |f| {
        clamped_op!(f, c, |a: u32, b: u32, c: u32| (join_words(a, b) >> c) as u32)
    }),
    alu_row("popc", &["(.b32|.b64)"], |f| bits_op!(f, |a| a.count_ones())),
    alu_row("clz", &["(.b32|.b64)"], |f| bits_op!(f, |a| a.leading_zeros())),
    alu_row("brev", &["(.b32|.b64)"], |f| bits_op!(f, |a| a.reverse_bits())),
    alu_row("bfind", &["(.u32|.u64)"], |f| bits_op!(f, |a| highest_bit_place(a.leading_zeros(), T::BITS))),
    alu_row("bfind", &["(.s32|.s64)"], |f| {
        signed_op!(f, |a| highest_bit_place((a ^ a >> (T::BITS - 1)).leading_zeros(), T::BITS))
    }),
    alu_row("bfind", &[".shiftamt(.u32|.u64)"], |f| {
        bits_op!(f, |a| if a == 0 { !0 } else { a.leading_zeros() })
    }),
    alu_row("bfind", &[".shiftamt(.s32|.s64)"], |f| {
        signed_op!(f, |a| if a == a >> (T::BITS - 1) { !0 } else { (a ^ a >> (T::BITS - 1)).leading_zeros() })
    }),
    // `bfe` and `bfi` of 32 bits use the lower 8 bits of position and length. Those of 64 bits use all 32 (measured).
    alu_row("bfe", &["{word}"], |f| {
        let extract = match f.last_type().bits() {
            32 => alu_op!(|flags; a: u32, b: u32, c: u32| {
                extract_field(a.into(), b & 255, c & 255, 32, flags) as u32
            }),
            _ => alu_op!(|flags; a: u64, b: u32, c: u32| extract_field(a, b, c, 64, flags)),
        };
        extract.add_instruction_flags(f.sign_flags())
    }),
    alu_row("bfi", &[".b32"], |_| {
        alu_op!(|a: u32, b: u32, c: u32, d: u32| insert_field(a.into(), b.into(), c & 255, d & 255) as u32)
    }),
    alu_row("bfi", &[".b64"], |_| alu_op!(|a: u64, b: u64, c: u32, d: u32| insert_field(a, b, c, d))),
    alu_row("bmsk", &[".clamp.b32"], |_| alu_op!(|a: u32, b: u32| insert_field(!0, 0, a, b) as u32)),
    alu_row("bmsk", &[".wrap.b32"], |_| alu_op!(|a: u32, b: u32| insert_field(!0, 0, a & 31, b & 31) as u32)),
    alu_row("szext", &["(.clamp|.wrap).u32"], |f| {
        clamped_op!(f, b, |a: u32, b: u32| extract_field(a.into(), 0, b, 32, 0) as u32)
    }),
    alu_row("szext", &["(.clamp|.wrap).s32"], |f| {
        clamped_op!(f, b, |a: u32, b: u32| extract_field(a.into(), 0, b, 32, SIGNED_FIELD) as u32)
    }),
    alu_row("prmt", &[".b32"], |_| {
        alu_op!(|a: u32, b: u32, c: u32| permute_bytes(a, b, [0, 4, 8, 12].map(|at| c >> at & 15)))
    }),
    alu_row("prmt", &[".b32(.f4e|.b4e|.rc8|.ecl|.ecr|.rc16)"], |f| {
        let modes = [("f4e", 0), ("b4e", 1), ("rc8", 2), ("ecl", 3), ("ecr", 4)];
        alu_op!(|flags; a: u32, b: u32, c: u32| permute_bytes_by_mode(a, b, c & 3, flags >> OWN_BITS))
            .add_instruction_flags(f.value_by_modifier(&modes).unwrap_or(5))
    }),
    alu_row("lop3", &[".b32"], |_| alu_op!(|a: u32, b: u32, c: u32, table: u32| lop3(a, b, c, table))),
    alu_row("fns", &[".b32"], |_| {
        alu_op!(|mask: u32, base: u32, offset: i32| find_nth_set(mask, base, offset))
    }),
    alu_row("selp", &["{plain}"], |f| bits_op!(f, |a, b, p: bool| if p { a } else { b })),
    alu_row("slct", &["{plain}.s32"], |f| {
        bits_op!(f.first_type(), |a, b, c: i32| if c >= 0 { a } else { b })
    }),
    alu_row("slct", &["{plain}.f32"], |f| {
        bits_op!(f.first_type(), |a, b, c: f32| if c >= 0.0 { a } else { b })
    }),
    alu_row("slct", &[".ftz{plain}.f32"], |f| {
        bits_op!(f.first_type(), |a, b, c: f32| if flush_subnormal(c, FTZ) >= 0.0 { a } else { b })
    }),
];

/// Returns the position of the highest set bit of a value with `zeros` leading zeros, or `u32::MAX` if no bit is set.
fn highest_bit_place(zeros: u32, bits: u32) -> u32 {
    if zeros == bits { !0 } else { bits - 1 - zeros }
}

const SIGNED_FIELD: u32 = 1 << OWN_BITS;

fn extract_field(a: u64, at: u32, length: u32, width: u32, flags: u32) -> u64 {
    if length == 0 {
        return 0;
    }
    let sign = flags & SIGNED_FIELD != 0 && a >> at.saturating_add(length - 1).min(width - 1) & 1 == 1;
    let shifted = if at >= width { 0 } else { a >> at };
    let count = length.min(width.saturating_sub(at));
    let mask = if count >= 64 { !0 } else { (1 << count) - 1 };
    (shifted & mask) | if sign { !mask } else { 0 }
}

fn insert_field(a: u64, b: u64, at: u32, length: u32) -> u64 {
    let mask = if length >= 64 { !0 } else { (1_u64 << length) - 1 };
    if at >= 64 { b } else { b & !(mask << at) | (a & mask) << at }
}

#[inline(always)]
fn join_words(low: u32, high: u32) -> u64 {
    u64::from(high) << 32 | u64::from(low)
}

/// Returns the four bytes that `choices` selects. Bits 0 to 2 of a number in `choices` select a byte of `a` (0 to 3) or
/// of `b` (4 to 7). If bit 3 is set, the sign bit of the selected byte fills the returned byte.
fn permute_bytes(a: u32, b: u32, choices: [u32; 4]) -> u32 {
    let bytes = join_words(a, b).to_le_bytes();
    u32::from_le_bytes(choices.map(|choice| {
        let byte = bytes[choice as usize & 7];
        if choice & 8 == 0 { byte } else { (byte as i8 >> 7) as u8 }
    }))
}

/// Computes `prmt` with a mode, of which `modes` in [`BIT_TABLE`] has the number (5: `.rc16`). `c` is from 0 to 3.
fn permute_bytes_by_mode(a: u32, b: u32, c: u32, mode: u32) -> u32 {
    let choices = [0, 1, 2, 3].map(|i| match mode {
        0 => c + i,
        1 => c.wrapping_sub(i) & 7,
        2 => c,
        3 => c.max(i),
        4 => c.min(i),
        _ => (c & 1) * 2 + (i & 1),
    });
    permute_bytes(a, b, choices)
}

/// Computes `lop3`: at each position, the operands' bits form a number n, and the result's bit is bit n of `table`.
#[inline(always)]
fn lop3(a: u32, b: u32, c: u32, table: u32) -> u32 {
    (0..8).fold(0, |all, i: u32| {
        let term = if i & 4 == 0 { !a } else { a }
            & if i & 2 == 0 { !b } else { b }
            & if i & 1 == 0 { !c } else { c };
        all | (table >> i & 1).wrapping_neg() & term
    })
}

/// Computes `fns`: returns the position of the `|offset|`-th set bit of `mask` from the bit `base` up (down if `offset`
/// is negative), or `u32::MAX` if there is none. If `offset` is 0, only the bit `base` counts.
fn find_nth_set(mask: u32, base: u32, offset: i32) -> u32 {
    let steps = 0..if offset == 0 { 1 } else { 32 };
    let places = steps.map(|step| if offset < 0 { base.wrapping_sub(step) } else { base.wrapping_add(step) });
    let mut set = places.filter(|place| *place < 32 && mask >> place & 1 == 1);
    set.nth(offset.unsigned_abs().saturating_sub(1) as usize).unwrap_or(!0)
}
