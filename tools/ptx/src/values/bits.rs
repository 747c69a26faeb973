//! Logic, shifts, fields of bits, and choices.

use super::cells::{bits, by_type, ints, lanes, signed};
use super::float::flush;
use super::form::{FTZ, OWN, Type, Value, value};

const LOGIC: &[&str] = &["(.pred|.b16|.b32|.b64)"];

/// The functions of an instruction on bits, which predicates have too.
macro_rules! logic {
    ($form:expr, |$($name:ident),*| $result:expr) => {
        if $form.kind() == Type::Pred {
            Some(lanes!(|$($name: bool),*| $result))
        } else {
            bits!($form, |$($name),*| $result)
        }
    };
}

/// The function of a form by a number that is at most 32, or by `.wrap` begins again at 0.
macro_rules! clamped {
    ($form:expr, $by:ident, |$($name:ident: $type:ty),*| $result:expr) => {
        Some(if $form.has("wrap") {
            lanes!(|$($name: $type),*| { let $by = $by & 31; $result })
        } else {
            lanes!(|$($name: $type),*| { let $by = $by.min(32); $result })
        })
    };
}

pub const TABLE: &[Value] = &[
    value("and", LOGIC, |f| logic!(f, |a, b| a & b)),
    value("or", LOGIC, |f| logic!(f, |a, b| a | b)),
    value("xor", LOGIC, |f| logic!(f, |a, b| a ^ b)),
    value("not", LOGIC, |f| logic!(f, |a| !a)),
    value("cnot", &["{bits}"], |f| bits!(f, |a| T::from(a == 0))),
    value("shl", &["{bits}"], |f| bits!(f, |a, b: u32| if b < T::BITS { a << b } else { 0 })),
    value("shr", &["{bits}", "(.u16|.u32|.u64)"], |f| {
        bits!(f, |a, b: u32| if b < T::BITS { a >> b } else { 0 })
    }),
    value("shr", &["{signed}"], |f| ints!(f, |a, b: u32| a >> b.min(T::BITS - 1))),
    value("shf", &[".l(.clamp|.wrap).b32"], |f| {
        clamped!(f, c, |a: u32, b: u32, c: u32| ((joined(a, b) << c) >> 32) as u32)
    }),
    value("shf", &[".r(.clamp|.wrap).b32"], |f| {
        clamped!(f, c, |a: u32, b: u32, c: u32| (joined(a, b) >> c) as u32)
    }),
    value("popc", &["(.b32|.b64)"], |f| bits!(f, |a| a.count_ones())),
    value("clz", &["(.b32|.b64)"], |f| bits!(f, |a| a.leading_zeros())),
    value("brev", &["(.b32|.b64)"], |f| bits!(f, |a| a.reverse_bits())),
    value("bfind", &["(.u32|.u64)"], |f| bits!(f, |a| leading(a.leading_zeros(), T::BITS))),
    value("bfind", &["(.s32|.s64)"], |f| {
        signed!(f, |a| leading((a ^ a >> (T::BITS - 1)).leading_zeros(), T::BITS))
    }),
    value("bfind", &[".shiftamt(.u32|.u64)"], |f| bits!(f, |a| if a == 0 { !0 } else { a.leading_zeros() })),
    value("bfind", &[".shiftamt(.s32|.s64)"], |f| {
        signed!(f, |a| if a == a >> (T::BITS - 1) { !0 } else { (a ^ a >> (T::BITS - 1)).leading_zeros() })
    }),
    // Places and lengths have 8 bits, and in the forms of 64 bits all 32 (measured).
    value("bfe", &["{word}"], |f| {
        let extract = match f.kind().bits() {
            32 => {
                lanes!(|flags; a: u32, b: u32, c: u32| extract(a.into(), b & 255, c & 255, 32, flags) as u32)
            }
            _ => lanes!(|flags; a: u64, b: u32, c: u32| extract(a, b, c, 64, flags)),
        };
        Some(extract.with(u32::from(f.kind().is_signed()) << OWN))
    }),
    value("bfi", &["(.b32|.b64)"], |f| match f.kind() {
        Type::B32 => {
            Some(lanes!(|a: u32, b: u32, c: u32, d: u32| insert(a.into(), b.into(), c & 255, d & 255) as u32))
        }
        _ => Some(lanes!(|a: u64, b: u64, c: u32, d: u32| insert(a, b, c, d))),
    }),
    value("bmsk", &[".clamp.b32"], |_| Some(lanes!(|a: u32, b: u32| insert(!0, 0, a, b) as u32))),
    value("bmsk", &[".wrap.b32"], |_| Some(lanes!(|a: u32, b: u32| insert(!0, 0, a & 31, b & 31) as u32))),
    value("szext", &["(.clamp|.wrap).u32"], |f| {
        clamped!(f, b, |a: u32, b: u32| extract(a.into(), 0, b, 32, 0) as u32)
    }),
    value("szext", &["(.clamp|.wrap).s32"], |f| {
        clamped!(f, b, |a: u32, b: u32| extract(a.into(), 0, b, 32, SIGNED) as u32)
    }),
    value("prmt", &[".b32"], |_| {
        Some(lanes!(|a: u32, b: u32, c: u32| permute(a, b, [0, 4, 8, 12].map(|at| c >> at & 15))))
    }),
    value("prmt", &[".b32(.f4e|.b4e|.rc8|.ecl|.ecr|.rc16)"], |f| {
        let mode = f.one(&[("f4e", 0), ("b4e", 1), ("rc8", 2), ("ecl", 3), ("ecr", 4), ("rc16", 5)])?;
        Some(
            lanes!(|flags; a: u32, b: u32, c: u32| permute_by_mode(a, b, c & 3, flags >> OWN))
                .with(mode << OWN),
        )
    }),
    value("lop3", &[".b32"], |_| Some(lanes!(|a: u32, b: u32, c: u32, table: u32| lookup(a, b, c, table)))),
    value("fns", &[".b32"], |_| {
        Some(lanes!(|mask: u32, base: u32, offset: i32| find_set(mask, base, offset)))
    }),
    value("selp", &["{plain}"], |f| bits!(f, |a, b, p: bool| if p { a } else { b })),
    value("slct", &["{plain}.s32"], |f| bits!(f.first(), |a, b, c: i32| if c >= 0 { a } else { b })),
    value("slct", &["{plain}.f32"], |f| bits!(f.first(), |a, b, c: f32| if c >= 0.0 { a } else { b })),
    value("slct", &[".ftz{plain}.f32"], |f| {
        bits!(f.first(), |a, b, c: f32| if flush(c, FTZ) >= 0.0 { a } else { b })
    }),
];

/// The place of the first bit of a word with so many zeros before it.
fn leading(zeros: u32, bits: u32) -> u32 {
    if zeros == bits { !0 } else { bits - 1 - zeros }
}

/// The flag of a field with a sign.
const SIGNED: u32 = 1 << OWN;

fn extract(a: u64, at: u32, length: u32, width: u32, flags: u32) -> u64 {
    if length == 0 {
        return 0;
    }
    let sign = flags & SIGNED != 0 && a >> at.saturating_add(length - 1).min(width - 1) & 1 == 1;
    let shifted = if at >= width { 0 } else { a >> at };
    let count = length.min(width.saturating_sub(at));
    let mask = if count >= 64 { !0 } else { (1 << count) - 1 };
    (shifted & mask) | if sign { !mask } else { 0 }
}

fn insert(a: u64, b: u64, at: u32, length: u32) -> u64 {
    let mask = if length >= 64 { !0 } else { (1_u64 << length) - 1 };
    if at >= 64 { b } else { b & !(mask << at) | (a & mask) << at }
}

#[inline(always)]
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

/// Bytes whose choices follow from two bits.
fn permute_by_mode(a: u32, b: u32, c: u32, mode: u32) -> u32 {
    let choices = [0, 1, 2, 3].map(|i| match mode {
        0 => c + i,
        1 => c.wrapping_sub(i) & 7,
        2 => c,
        3 => c.max(i),
        4 => c.min(i),
        _ => (c & 1) * 2 + (i & 1),
    });
    permute(a, b, choices)
}

/// `lop3`: the bits of a table, by the bits of three words.
#[inline(always)]
fn lookup(a: u32, b: u32, c: u32, table: u32) -> u32 {
    (0..8).fold(0, |all, i: u32| {
        let term = if i & 4 == 0 { !a } else { a }
            & if i & 2 == 0 { !b } else { b }
            & if i & 1 == 0 { !c } else { c };
        all | (table >> i & 1).wrapping_neg() & term
    })
}

/// `fns`: the place of the n-th bit that is set, from a place on, upwards or downwards.
fn find_set(mask: u32, base: u32, offset: i32) -> u32 {
    let places =
        (0..32).map(|step| if offset < 0 { base.wrapping_sub(step) } else { base.wrapping_add(step) });
    let set = places.filter(|place| *place < 32 && mask >> place & 1 == 1);
    let count = offset.unsigned_abs().saturating_sub(1) as usize;
    let most = if offset == 0 { 1 } else { 32 };
    set.take_while(|place| most > 1 || *place == base).nth(count).unwrap_or(!0)
}
