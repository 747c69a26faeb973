//! Copies, comparisons and sums with a carry: instructions on registers that are more than one function of their operands.

use super::lowering::{CARRY, FIRST, Lowering, SECOND};
use super::names::{Name, is_clock};
use crate::error::{Result, invalid, unsupported};
use crate::parse::{Instruction, Operand};
use crate::program::{Operation, Source};
use crate::values::{self, Choose, Compute, Opcode, Type};

fn of_predicates(choose: Choose, name: &str) -> Compute {
    values::find(choose, name).expect("a row of the table")
}

/// `mov`, also between a register and a vector.
pub fn copy<'a>(lowering: &mut Lowering<'a>, instruction: &Instruction<'a>) -> Result {
    instruction.takes(2..=2)?;
    let line = instruction.line;
    let kind = Opcode::new(instruction.opcode).kind();
    match instruction.operands.as_slice() {
        [Operand::Vector(to), from] => {
            let Some(bits) = part_of(kind, to.len()) else { return unsupported(line, instruction.opcode) };
            let from = lowering.source(line, from, false)?;
            // The source may be one of the results.
            lowering.compute(line, values::copy(), FIRST, &[from]);
            for (index, to) in to.iter().enumerate() {
                let to = lowering.to(line, to)?;
                lowering.compute(line, values::part(index as u32 * bits, bits), to, &[FIRST]);
            }
        }
        [to, Operand::Vector(from)] => {
            let join = part_of(kind, from.len()).and_then(|bits| values::join(from.len(), bits));
            let Some(join) = join else { return unsupported(line, instruction.opcode) };
            let from =
                from.iter().map(|one| lowering.source(line, one, false)).collect::<Result<Vec<_>>>()?;
            let to = lowering.to(line, to)?;
            lowering.compute(line, join, to, &from);
        }
        [to, from] => {
            let to = lowering.to(line, to)?;
            match from {
                Operand::Name(name) if is_clock(name) => clock(lowering, line, to, name),
                Operand::Name(name) if lowering.special(line, name)?.is_none() => {
                    match lowering.find(line, name)? {
                        Name::Frame(offset) => {
                            lowering.push(line, Operation::Frame { to, offset, generic: false })
                        }
                        _ => copy_one(lowering, line, to, from, kind)?,
                    }
                }
                _ => copy_one(lowering, line, to, from, kind)?,
            }
        }
        _ => return invalid(line, instruction.opcode),
    }
    Ok(())
}

fn copy_one(lowering: &mut Lowering, line: u32, to: u32, from: &Operand, kind: Type) -> Result {
    let from = lowering.source(line, from, kind == Type::F32)?;
    lowering.compute(line, values::copy(), to, &[from]);
    Ok(())
}

fn part_of(kind: Type, count: usize) -> Option<u32> {
    matches!((kind.bits(), count), (16 | 32, 2) | (64, 2) | (32 | 64, 4)).then(|| kind.bits() / count as u32)
}

/// Every clock counts nanoseconds.
fn clock(lowering: &mut Lowering, line: u32, to: u32, name: &str) {
    if name.ends_with("_hi") {
        lowering.push(line, Operation::Clock { to: FIRST });
        lowering.compute(line, values::part(32, 32), to, &[FIRST]);
    } else {
        lowering.push(line, Operation::Clock { to });
    }
}

/// `setp` and `set`. Of two halves in a word, each is compared.
pub fn compare<'a>(lowering: &mut Lowering<'a>, instruction: &Instruction<'a>) -> Result {
    let (line, mut opcode) = (instruction.line, Opcode::new(instruction.opcode));
    let kind = opcode.kind();
    let result = if opcode.name == "set" { opcode.take_type() } else { None };
    let ftz = opcode.take("ftz");
    let by: Option<(Choose, &str)> = opcode.take_one(&[
        ("and", (values::and as Choose, "and.pred")),
        ("or", (values::or, "or.pred")),
        ("xor", (values::exclusive_or, "xor.pred")),
    ]);
    let (one, is_two) = match kind {
        Type::F16x2 => (Type::F16, true),
        Type::Bf16x2 => (Type::Bf16, true),
        one => (one, false),
    };
    let compare = opcode.take_first().and_then(|name| values::comparison(name, one, ftz));
    let Some(compare) = compare else { return unsupported(line, instruction.opcode) };
    let count = 3 + usize::from(by.is_some());
    instruction.takes(count..=count)?;
    let operands = [
        lowering.source(line, &instruction.operands[1], compare.single)?,
        lowering.source(line, &instruction.operands[2], compare.single)?,
    ];
    let (to, second) = lowering.pair(line, &instruction.operands[0])?;
    if by.is_none() && second.is_none() && result.is_none() && !is_two {
        lowering.compute(line, compare, to, &operands);
        return Ok(());
    }
    let first = lowering.new_registers(line, 5)?;
    let answers = [first, first + 1];
    lowering.compute(line, compare, answers[0], &operands);
    if is_two {
        let upper = [first + 2, first + 3];
        for (to, from) in upper.iter().zip(operands) {
            lowering.compute(line, values::part(16, 16), *to, &[from]);
        }
        lowering.compute(line, compare, answers[1], &upper);
    } else {
        lowering.compute(line, values::inverted(), answers[1], &[answers[0]]);
    }
    if let Some((choose, name)) = by {
        let (mut by, not) = lowering.predicate(line, &instruction.operands[3])?;
        if not {
            lowering.compute(line, values::inverted(), first + 4, &[by]);
            by = first + 4;
        }
        for answer in answers {
            lowering.compute(line, of_predicates(choose, name), answer, &[answer, by]);
        }
    }
    let Some(result) = result else {
        lowering.compute(line, of_predicates(values::and, "and.pred"), to, &[answers[0], answers[0]]);
        if let Some(second) = second {
            lowering.compute(line, of_predicates(values::and, "and.pred"), second, &[answers[1], answers[1]]);
        }
        return Ok(());
    };
    let value = values::value_if(true_bits(result));
    if !is_two {
        lowering.compute(line, value, to, &[answers[0]]);
        return Ok(());
    }
    let Some(join) = values::join(2, 16) else { return unsupported(line, instruction.opcode) };
    for answer in answers {
        lowering.compute(line, value, answer, &[answer]);
    }
    lowering.compute(line, join, to, &answers);
    Ok(())
}

/// What `set` writes for true: all bits, or the number one.
fn true_bits(result: Type) -> u32 {
    match result {
        Type::F32 => 0x3f80_0000,
        Type::F16 | Type::F16x2 => 0x3c00,
        Type::Bf16 | Type::Bf16x2 => 0x3f80,
        _ => !0,
    }
}

/// `add.cc`, `addc`, `sub.cc`, `subc`, `mad.cc` and `madc`. A difference is the sum with what is inverted, and
/// its carry is 1 where nothing is borrowed (measured).
pub fn carry<'a>(lowering: &mut Lowering<'a>, instruction: &Instruction<'a>) -> Result {
    let (line, mut opcode) = (instruction.line, Opcode::new(instruction.opcode));
    let kind = opcode.kind();
    let (reads, writes) = (opcode.name.ends_with('c'), opcode.take("cc"));
    let is_product = opcode.name.starts_with("mad");
    let is_difference = opcode.name.starts_with("sub");
    let Some([sum, carry]) = values::carry(kind.bits()) else { return unsupported(line, instruction.opcode) };
    let count = if is_product { 4 } else { 3 };
    instruction.takes(count..=count)?;
    let mut from = Vec::new();
    for index in 1..count {
        from.push(lowering.operand(instruction, index)?);
    }
    let to = lowering.to(line, &instruction.operands[0])?;
    if is_product {
        let part = if opcode.take("hi") { "hi" } else { "lo" };
        let sign = if kind.is_signed() { 's' } else { 'u' };
        let product = values::find(values::multiply, &format!("mul.{part}.{sign}{}", kind.bits()));
        let Some(product) = product else { return unsupported(line, instruction.opcode) };
        lowering.compute(line, product, FIRST, &from[..2]);
        from = vec![FIRST, from[2]];
    }
    if is_difference {
        lowering.compute(line, values::inverted(), FIRST, &[from[1]]);
        from[1] = FIRST;
    }
    let given: Source = if reads { CARRY } else { lowering.constant(u64::from(is_difference)) };
    let all = [from[0], from[1], given];
    lowering.compute(line, carry, SECOND, &all);
    lowering.compute(line, sum, to, &all);
    if writes {
        lowering.compute(line, values::copy(), CARRY, &[SECOND]);
    }
    Ok(())
}
