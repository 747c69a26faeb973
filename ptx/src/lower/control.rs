//! Branches, calls, ends, and barriers of a block.

use super::lowering::Lowering;
use super::names::Name;
use crate::error::{Result, invalid, unsupported};
use crate::parse::{Instruction, Operand};
use crate::program::{Operation, Vote};
use crate::spaces::{FUNCTIONS, WINDOW};
use crate::values::Opcode;

/// What has no effect here: caches, and copies that are done at once.
pub fn nothing<'a>(_: &mut Lowering<'a>, _: &Instruction<'a>) -> Result {
    Ok(())
}

macro_rules! simple {
    ($($name:ident $takes:literal $operation:expr;)*) => {
        $(pub fn $name<'a>(lowering: &mut Lowering<'a>, instruction: &Instruction<'a>) -> Result {
            instruction.takes($takes..=$takes)?;
            lowering.push(instruction.line, $operation);
            Ok(())
        })*
    };
}
simple! {
    exit 0 Operation::Exit;
    trap 0 Operation::Trap;
    fence 0 Operation::Fence;
    sleep 1 Operation::Yield;
}

pub fn leave<'a>(lowering: &mut Lowering<'a>, instruction: &Instruction<'a>) -> Result {
    instruction.takes(0..=0)?;
    let operation = if lowering.is_entry { Operation::Exit } else { Operation::Return };
    lowering.push(instruction.line, operation);
    Ok(())
}

pub fn branch<'a>(lowering: &mut Lowering<'a>, instruction: &Instruction<'a>) -> Result {
    instruction.takes(1..=1)?;
    let to = lowering.label(instruction.line, &instruction.operands[0])?;
    lowering.push(instruction.line, Operation::Branch { to });
    Ok(())
}

/// `brx.idx`
pub fn branch_of<'a>(lowering: &mut Lowering<'a>, instruction: &Instruction<'a>) -> Result {
    instruction.takes(2..=2)?;
    let line = instruction.line;
    let targets = match &instruction.operands[1] {
        Operand::Name(list) => {
            lowering.scopes.iter().rev().find_map(|scope| scope.targets.get(list).copied())
        }
        _ => None,
    };
    let Some(targets) = targets else { return invalid(line, "a list of labels expected") };
    let places = targets.iter().map(|target| lowering.label(line, &Operand::Name(target)));
    let to = places.collect::<Result<_>>()?;
    let index = lowering.operand(instruction, 0)?;
    lowering.push(line, Operation::BranchOf { to, index });
    Ok(())
}

/// `call (results), function, (arguments), prototype`
pub fn call<'a>(lowering: &mut Lowering<'a>, instruction: &Instruction<'a>) -> Result {
    let line = instruction.line;
    let (results, rest) = match instruction.operands.as_slice() {
        [Operand::List(results), rest @ ..] => (results.as_slice(), rest),
        rest => (&[][..], rest),
    };
    let (function, arguments) = match rest {
        [Operand::Name(function), Operand::List(arguments), ..] => (*function, arguments.as_slice()),
        [Operand::Name(function), ..] => (*function, &[][..]),
        _ => return invalid(line, "a call of what is not a function"),
    };
    let (results, arguments) = (places(lowering, line, results)?, places(lowering, line, arguments)?);
    let operation = match (function, &*arguments, &*results) {
        ("vprintf", &[format, list], &[result]) => Operation::Print { arguments: [format, list], result },
        ("__assertfail", &[message, file, number, ..], _) => {
            Operation::Assert { arguments: [message, file, number] }
        }
        _ => {
            let function = match lowering.find(line, function)? {
                Name::Fixed(address) if address >> WINDOW == FUNCTIONS => {
                    fits(lowering, line, address, [arguments.len(), results.len()])?;
                    lowering.fixed(address)
                }
                Name::Register(register, _) => {
                    every_function(lowering);
                    register
                }
                _ => return invalid(line, format!("{function} is not a function")),
            };
            lowering.program.calls = true;
            Operation::Call { function, arguments, results, registers: 0, frame: 0 }
        }
    };
    lowering.push(line, operation);
    Ok(())
}

/// Refuses a call with other arguments than the function has.
fn fits(lowering: &Lowering, line: u32, address: u64, given: [usize; 2]) -> Result {
    let function = &lowering.globals.module.functions[(address & 0xffff_ffff) as usize];
    if given == [function.parameters.len(), function.results.len()] && !function.is_entry {
        return Ok(());
    }
    invalid(line, format!("a call of {} with other arguments than it has", function.name))
}

/// A function by its address may be any.
fn every_function(lowering: &mut Lowering) {
    let all = lowering.globals.module.functions.iter().enumerate();
    let callable = all.filter(|(_, function)| !function.is_entry && function.body.is_some());
    lowering.to_do.extend(callable.map(|(index, _)| index));
}

/// Where a call's arguments are in the frame.
fn places(lowering: &mut Lowering, line: u32, list: &[Operand]) -> Result<Box<[u32]>> {
    let one = |operand: &Operand| match operand {
        Operand::Name(name) => match lowering.find(line, name)? {
            Name::Frame(offset) => Ok(offset),
            _ => unsupported(line, "a call with a register as its argument"),
        },
        _ => unsupported(line, "a call with a number as its argument"),
    };
    list.iter().map(one).collect()
}

pub fn barrier<'a>(lowering: &mut Lowering<'a>, instruction: &Instruction<'a>) -> Result {
    instruction.takes(1..=2)?;
    let waits = Opcode::new(instruction.opcode).take("sync");
    let (id, count) = (lowering.operand(instruction, 0)?, lowering.optional(instruction, 1)?);
    lowering.push(instruction.line, Operation::Barrier { id, count, waits, reduce: None });
    Ok(())
}

/// `bar.red`
pub fn reducing_barrier<'a>(lowering: &mut Lowering<'a>, instruction: &Instruction<'a>) -> Result {
    instruction.takes(3..=4)?;
    let line = instruction.line;
    let kinds = [("popc", Vote::Ballot), ("and", Vote::All), ("or", Vote::Any)];
    let kind = Opcode::new(instruction.opcode).take_one(&kinds).unwrap_or(Vote::Any);
    let last = instruction.operands.len() - 1;
    let to = lowering.to(line, &instruction.operands[0])?;
    let value = lowering.predicate(line, &instruction.operands[last])?;
    let id = lowering.operand(instruction, 1)?;
    let count = if last == 3 { lowering.optional(instruction, 2)? } else { None };
    lowering.push(line, Operation::Barrier { id, count, waits: true, reduce: Some((kind, value, to)) });
    Ok(())
}
