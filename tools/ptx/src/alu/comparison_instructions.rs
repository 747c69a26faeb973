//! Functions that return a predicate: `testp`, and the comparisons of `setp` and `set`.

use std::num::FpCategory;

use super::float_instructions::{flush_subnormal, half_to_f64};
use super::lane_values::{AluOp, alu_op, bits_op, int_op, op_by_type};
use super::opcode::{AluRow, BF16_OPERANDS, FTZ, OWN_BITS, Opcode, PtxType, ValueKind, alu_row};
use super::soft_float::{BF16, F16};

const TESTP_PATTERN: &str = "(.finite|.infinite|.number|.notanumber|.normal|.subnormal)(.f32|.f64)";

pub const COMPARISON_TABLE: &[AluRow] = &[alu_row("testp", &[TESTP_PATTERN], |f| {
    let test = match f.last_type() {
        PtxType::F32 => alu_op!(|flags; a: f32| is_in_classes(a.classify(), flags)),
        _ => alu_op!(|flags; a: f64| is_in_classes(a.classify(), flags)),
    };
    test.add_instruction_flags(f.value_by_modifier(FLOAT_CLASSES).unwrap_or(0))
})];

/// The classes that each modifier of `testp` accepts, as a sum of the numbers in `is_in_classes`. Zero counts as
/// normal (measured).
const FLOAT_CLASSES: &[(&str, u32)] =
    &[("finite", 12), ("infinite", 2), ("number", 14), ("notanumber", 1), ("normal", 8), ("subnormal", 4)];

fn is_in_classes(class: FpCategory, classes: u32) -> bool {
    let class = match class {
        FpCategory::Nan => 1,
        FpCategory::Infinite => 2,
        FpCategory::Subnormal => 4,
        _ => 8,
    };
    classes >> OWN_BITS & class != 0
}

/// The relations. A row has a relation's name, another name for unsigned numbers (empty if there is none), and a sum of
/// the cases in which the relation holds: 1 for `a < b`, 2 for `a == b`, and 4 for `a > b`.
const RELATIONS: [(&str, &str, u32); 7] = [
    ("lt", "lo", 1),
    ("eq", "", 2),
    ("le", "ls", 3),
    ("gt", "hi", 4),
    ("ne", "", 5),
    ("ge", "hs", 6),
    ("num", "", 7),
];
/// The case that one or both operands are NaNs. `nan` holds in this case only, and `ltu` in this case too.
const UNORDERED: u32 = 8;

fn relation_bits(opcode: &Opcode) -> u32 {
    let relation = opcode.text.split('.').nth(1).unwrap_or("");
    let find = |name: &str| RELATIONS.iter().find(|(signed, other, _)| [*signed, *other].contains(&name));
    match (find(relation), relation.strip_suffix('u').and_then(find)) {
        (Some((.., bits)), _) => *bits,
        (_, Some((.., bits))) => bits | UNORDERED,
        _ => UNORDERED,
    }
}

#[inline(always)]
fn relation_holds<T: PartialOrd>(a: T, b: T, flags: u32) -> bool {
    let bit = u32::from(a < b) | u32::from(a == b) << 1 | u32::from(a > b) << 2;
    flags >> OWN_BITS & if bit == 0 { UNORDERED } else { bit } != 0
}

/// Returns the function that compares two values of the opcode's last type, or the lower halves of two packed values.
pub fn select_comparison(opcode: &Opcode) -> AluOp {
    let (kind, relation) = (opcode.last_type(), relation_bits(opcode));
    macro_rules! by {
        ($operator:tt) => {
            match kind.number_class() {
                ValueKind::Bits => bits_op!(opcode, |a, b| a $operator b),
                _ => int_op!(opcode, |a, b| a $operator b),
            }
        };
    }
    let compare = match (kind, relation) {
        (PtxType::F32, _) => {
            alu_op!(|flags; a: f32, b: f32| relation_holds(flush_subnormal(a, flags), flush_subnormal(b, flags), flags))
        }
        (PtxType::F64, _) => alu_op!(|flags; a: f64, b: f64| relation_holds(a, b, flags)),
        (PtxType::F16x2 | PtxType::Bf16x2, _) => {
            alu_op!(|flags; a: u32, b: u32| compare_f16_or_bf16(a as u16, b as u16, flags))
        }
        (PtxType::F16 | PtxType::Bf16, _) => {
            alu_op!(|flags; a: u16, b: u16| compare_f16_or_bf16(a, b, flags))
        }
        (_, 1) => by!(<),
        (_, 2) => by!(==),
        (_, 3) => by!(<=),
        (_, 4) => by!(>),
        (_, 5) => by!(!=),
        _ => by!(>=),
    };
    compare.add_instruction_flags(relation).with_flags(opcode.flags)
}

fn compare_f16_or_bf16(a: u16, b: u16, flags: u32) -> bool {
    let format = if flags & BF16_OPERANDS == 0 { F16 } else { BF16 };
    let [a, b] = [a, b].map(|bits| half_to_f64(format, bits, flags & FTZ != 0));
    relation_holds(a, b, flags)
}
