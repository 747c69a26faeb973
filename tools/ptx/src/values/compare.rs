//! Comparisons, which return a predicate.

use std::num::FpCategory;

use super::cells::{Compute, bits, by_type, ints, lanes};
use super::exact::{BF16, F16};
use super::float::{flush, wide};
use super::form::{BRAIN, FTZ, Form, OWN, Sort, Type, Value, value};

const TESTS: &str = "(.finite|.infinite|.number|.notanumber|.normal|.subnormal)(.f32|.f64)";

pub const TABLE: &[Value] = &[value("testp", &[TESTS], |f| {
    let test = match f.kind() {
        Type::F32 => lanes!(|flags; a: f32| is_in(a.classify(), flags)),
        _ => lanes!(|flags; a: f64| is_in(a.classify(), flags)),
    };
    Some(test.with(f.one(CLASSES)? << OWN))
})];

/// The classes of `testp`, as bits: NaN, infinite, subnormal, all other numbers. Zero is normal, too (measured).
const CLASSES: &[(&str, u32)] =
    &[("finite", 12), ("infinite", 2), ("number", 14), ("notanumber", 1), ("normal", 8), ("subnormal", 4)];

fn is_in(class: FpCategory, classes: u32) -> bool {
    let class = match class {
        FpCategory::Nan => 1,
        FpCategory::Infinite => 2,
        FpCategory::Subnormal => 4,
        _ => 8,
    };
    classes >> OWN & class != 0
}

/// The relations, as bits: less, equal, greater, unordered.
pub const RELATIONS: &[(&str, u32)] = &[
    ("lt", 1),
    ("lo", 1),
    ("eq", 2),
    ("le", 3),
    ("ls", 3),
    ("gt", 4),
    ("hi", 4),
    ("ne", 5),
    ("ge", 6),
    ("hs", 6),
    ("num", 7),
    ("nan", 8),
    ("ltu", 9),
    ("equ", 10),
    ("leu", 11),
    ("gtu", 12),
    ("neu", 13),
    ("geu", 14),
];

#[inline(always)]
fn is_so<T: PartialOrd>(a: T, b: T, flags: u32) -> bool {
    let bit = u32::from(a < b) | u32::from(a == b) << 1 | u32::from(a > b) << 2;
    flags >> OWN & if bit == 0 { 8 } else { bit } != 0
}

/// The comparison of two values of the form's last type; of a pair, of the lower halves.
pub fn comparison(form: &Form) -> Option<Compute> {
    let (kind, relation) = (form.kind(), form.one(RELATIONS)?);
    macro_rules! with {
        ($operator:tt) => { if kind.sort() == Sort::Bits { bits!(form, |a, b| a $operator b) } else { ints!(form, |a, b| a $operator b) } };
    }
    let compare = match (kind, relation) {
        (Type::F32, _) => lanes!(|flags; a: f32, b: f32| is_so(flush(a, flags), flush(b, flags), flags)),
        (Type::F64, _) => lanes!(|flags; a: f64, b: f64| is_so(a, b, flags)),
        (Type::F16x2 | Type::Bf16x2, _) => lanes!(|flags; a: u32, b: u32| halves(a as u16, b as u16, flags)),
        (Type::F16 | Type::Bf16, _) => lanes!(|flags; a: u16, b: u16| halves(a, b, flags)),
        (_, 1) => with!(<)?,
        (_, 2) => with!(==)?,
        (_, 3) => with!(<=)?,
        (_, 4) => with!(>)?,
        (_, 5) => with!(!=)?,
        _ => with!(>=)?,
    };
    Some(compare.with(relation << OWN | form.flags))
}

fn halves(a: u16, b: u16, flags: u32) -> bool {
    let format = if flags & BRAIN == 0 { F16 } else { BF16 };
    let [a, b] = [a, b].map(|bits| wide(format, bits, flags & FTZ != 0));
    is_so(a, b, flags)
}
