//! Copies, comparisons and sums with a carry: instructions on registers that are more than one function of their operands.

use super::lowering::{ANSWERS, BY, CARRY, FIRST, Lowering, SECOND};
use super::names::is_clock;
use super::operands::TRUTH;
use super::syntax::compute;
use crate::error::Result;
use crate::parse::Operand;
use crate::program::Operation;
use crate::values::{Form, Sort, Type, comparison, lanes};

/// `mov`, also between a register and a vector.
pub fn copy<'a>(lowering: &mut Lowering<'a>, form: &Form, operands: &[Operand<'a>]) -> Result {
    let (kind, (bits, sort)) = (form.kind(), form.kind().want());
    match operands {
        [Operand::Vector(to), from] => {
            let part = part_of(lowering, form, to.len())?;
            let from = lowering.source(from, (bits, Sort::Bits))?;
            // The source may be one of the results.
            let widen = if bits == 64 { lanes!(|a: u64| a) } else { lanes!(|a: u32| u64::from(a)) };
            lowering.compute(widen, FIRST, &[from]);
            for (index, to) in (0..).zip(to) {
                let to = lowering.to(to, (part.max(16), Sort::Bits))?;
                let take = lanes!(|flags; a: u64| (a >> (flags & 255)) as u32 & !0 >> (32 - (flags >> 8)));
                lowering.compute(take.with(index * part + (part << 8)), to, &[FIRST]);
            }
        }
        [to, Operand::Vector(from)] => {
            let part = part_of(lowering, form, from.len())?;
            let to = lowering.to(to, (bits, Sort::Bits))?;
            let list = from.iter().map(|one| lowering.source(one, (part.max(16), Sort::Bits)));
            let list = list.collect::<Result<Vec<_>>>()?;
            let join = match (from.len(), part) {
                (2, 8) => lanes!(|a: u8, b: u8| u16::from(a) | u16::from(b) << 8),
                (2, 16) => lanes!(|a: u16, b: u16| u32::from(a) | u32::from(b) << 16),
                (2, 32) => lanes!(|a: u32, b: u32| u64::from(a) | u64::from(b) << 32),
                (4, 8) => lanes!(|a: u8, b: u8, c: u8, d: u8| u32::from_le_bytes([a, b, c, d])),
                _ => lanes!(|a: u16, b: u16, c: u16, d: u16| {
                    u64::from(a) | u64::from(b) << 16 | u64::from(c) << 32 | u64::from(d) << 48
                }),
            };
            lowering.compute(join, to, &list);
        }
        [to, Operand::Name(name)] if is_clock(name) => {
            let to = lowering.to(to, (bits, sort))?;
            // Every clock counts nanoseconds.
            lowering.push(Operation::Clock { to, shift: if name.ends_with("_hi") { 32 } else { 0 } });
        }
        _ => {
            let copy = match bits {
                1 => lanes!(|a: bool| a),
                64 => lanes!(|a: u64| a),
                _ => lanes!(|a: u32| a),
            };
            let from = lowering.source(&operands[1], kind.want())?;
            let to = lowering.to(&operands[0], kind.want())?;
            lowering.compute(copy, to, &[from]);
        }
    }
    Ok(())
}

/// `mov.v2` and `mov.v4`. A source may be one of the results.
pub fn copy_vector<'a>(lowering: &mut Lowering<'a>, form: &Form, operands: &[Operand<'a>]) -> Result {
    let (kind, count) = (form.kind(), if form.has("v2") { 2 } else { 4 });
    let between = lowering.new_registers(count)?;
    let copy = if kind.bits() == 64 { lanes!(|a: u64| a) } else { lanes!(|a: u32| a) };
    for (to, from) in (between..).zip(lowering.vector(&operands[1], count as usize)?) {
        let from = lowering.source(from, kind.want())?;
        lowering.compute(copy, to, &[from]);
    }
    for (from, to) in (between..).zip(lowering.vector(&operands[0], count as usize)?) {
        let to = lowering.to(to, kind.want())?;
        lowering.compute(copy, to, &[from]);
    }
    Ok(())
}

/// The bits of each part of a vector.
fn part_of(lowering: &Lowering, form: &Form, count: usize) -> Result<u32> {
    match (form.kind().bits(), count) {
        (bits @ (16 | 32 | 64), 2) | (bits @ (32 | 64), 4) => Ok(bits / count as u32),
        _ => lowering.unsupported(form.opcode),
    }
}

/// `setp` and `set`: an answer and its opposite, or of pairs the answers of the lower and the upper halves.
pub fn compare<'a>(lowering: &mut Lowering<'a>, form: &Form, operands: &[Operand<'a>]) -> Result {
    let Some(compare) = comparison(form) else { return lowering.unsupported(form.opcode) };
    let want = form.kind().want();
    let is_two = matches!(form.kind(), Type::F16x2 | Type::Bf16x2);
    let from = [lowering.source(&operands[1], want)?, lowering.source(&operands[2], want)?];
    if form.name == "setp" && operands.len() == 3 && !is_two && !matches!(operands[0], Operand::Pair(_)) {
        let to = lowering.to(&operands[0], TRUTH)?;
        lowering.compute(compare, to, &from);
        return Ok(());
    }
    let [first, second] = ANSWERS;
    lowering.compute(compare, first, &from);
    if is_two {
        for (to, from) in [FIRST, SECOND].into_iter().zip(from) {
            lowering.compute(lanes!(|a: u32| a >> 16), to, &[from]);
        }
        lowering.compute(compare, second, &[FIRST, SECOND]);
    } else {
        lowering.compute(lanes!(|p: bool| !p), second, &[first]);
    }
    if let Some(operand) = operands.get(3) {
        let (mut by, not) = lowering.predicate(operand)?;
        if not {
            lowering.compute(lanes!(|p: bool| !p), BY, &[by]);
            by = BY;
        }
        for answer in ANSWERS {
            let both = match (form.has("and"), form.has("or")) {
                (true, _) => lanes!(|p: bool, q: bool| p & q),
                (_, true) => lanes!(|p: bool, q: bool| p | q),
                _ => lanes!(|p: bool, q: bool| p ^ q),
            };
            lowering.compute(both, answer, &[answer, by]);
        }
    }
    if form.name == "set" {
        let to = lowering.to(&operands[0], (form.first().bits(), Sort::Bits))?;
        let value = if is_two {
            lanes!(|flags; p: bool, q: bool| if p { flags & 0xffff } else { 0 } | if q { flags << 16 } else { 0 })
        } else {
            lanes!(|flags; p: bool| if p { flags } else { 0 })
        };
        lowering.compute(value.with(true_bits(form.first())), to, &ANSWERS[..value.takes.len()]);
        return Ok(());
    }
    let (to, other) = lowering.pair(&operands[0], TRUTH)?;
    lowering.compute(lanes!(|p: bool| p), to, &[first]);
    if let Some(other) = other {
        lowering.compute(lanes!(|p: bool| p), other, &[second]);
    }
    Ok(())
}

/// The value that `set` writes for true: all bits, or the number one.
fn true_bits(result: Type) -> u32 {
    match result {
        Type::F32 => 0x3f80_0000,
        Type::F16 | Type::F16x2 => 0x3c00,
        Type::Bf16 | Type::Bf16x2 => 0x3f80,
        _ => !0,
    }
}

/// `add.cc`, `addc`, `sub.cc`, `subc`, `mad.cc` and `madc`. A difference is computed as the sum with the inverted
/// operand; its carry is 1 if nothing is borrowed (measured).
pub fn carry<'a>(lowering: &mut Lowering<'a>, form: &Form, operands: &[Operand<'a>]) -> Result {
    let want @ (bits, _) = form.kind().want();
    let [to, rest @ ..] = operands else { return lowering.invalid(form.opcode) };
    let mut from = Vec::new();
    for operand in rest {
        from.push(lowering.source(operand, want)?);
    }
    let to = lowering.to(to, want)?;
    if form.name.starts_with("mad") {
        let part = if form.has("hi") { "hi" } else { "lo" };
        let sign = if form.kind().is_signed() { 's' } else { 'u' };
        let product = compute(&format!("mul.{part}.{sign}{bits}"));
        lowering.compute(product, FIRST, &from[..2]);
        from = vec![FIRST, from[2]];
    }
    let is_difference = form.name.starts_with("sub");
    if is_difference {
        let inverted = if bits == 64 { lanes!(|a: u64| !a) } else { lanes!(|a: u32| !a) };
        lowering.compute(inverted, FIRST, &[from[1]]);
        from[1] = FIRST;
    }
    let given = match form.name.ends_with('c') {
        true => CARRY,
        false => lowering.constant(if is_difference { !0 } else { 0 }),
    };
    let all = [from[0], from[1], given];
    let [sum, carry] = if bits == 64 {
        [
            lanes!(|a: u64, b: u64, c: bool| a.wrapping_add(b).wrapping_add(c.into())),
            lanes!(|a: u64, b: u64, c: bool| (u128::from(a) + u128::from(b) + u128::from(c)) >> 64 != 0),
        ]
    } else {
        [
            lanes!(|a: u32, b: u32, c: bool| a.wrapping_add(b).wrapping_add(c.into())),
            lanes!(|a: u32, b: u32, c: bool| (u64::from(a) + u64::from(b) + u64::from(c)) >> 32 != 0),
        ]
    };
    lowering.compute(carry, BY, &all);
    lowering.compute(sum, to, &all);
    if form.has("cc") {
        lowering.compute(lanes!(|c: bool| c), CARRY, &[BY]);
    }
    Ok(())
}
