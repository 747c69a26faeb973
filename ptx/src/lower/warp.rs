//! What threads of a warp do together.

use super::lowering::Lowering;
use super::memory::ATOMICS;
use crate::error::{Result, unsupported};
use crate::parse::Instruction;
use crate::program::{Operation, Shuffle, Together, Vote};
use crate::values::Opcode;

fn push(lowering: &mut Lowering, line: u32, what: Together, members: Option<u32>) -> Result {
    lowering.push(line, Operation::Together { what, members });
    Ok(())
}

/// `bar.warp.sync`
pub fn barrier<'a>(lowering: &mut Lowering<'a>, instruction: &Instruction<'a>) -> Result {
    instruction.takes(1..=1)?;
    let members = lowering.optional(instruction, 0)?;
    push(lowering, instruction.line, Together::Barrier, members)
}

pub fn shuffle<'a>(lowering: &mut Lowering<'a>, instruction: &Instruction<'a>) -> Result {
    let (line, mut opcode) = (instruction.line, Opcode::new(instruction.opcode));
    let count = 4 + usize::from(opcode.take("sync"));
    instruction.takes(count..=count)?;
    let modes =
        [("up", Shuffle::Up), ("down", Shuffle::Down), ("bfly", Shuffle::Butterfly), ("idx", Shuffle::Index)];
    let Some(mode) = opcode.take_one(&modes) else { return unsupported(line, instruction.opcode) };
    let (to, inside) = lowering.pair(line, &instruction.operands[0])?;
    let value = lowering.operand(instruction, 1)?;
    let by = lowering.operand(instruction, 2)?;
    let limits = lowering.operand(instruction, 3)?;
    let members = lowering.optional(instruction, 4)?;
    push(lowering, line, Together::Shuffle { mode, to, inside, value, by, limits }, members)
}

pub fn vote<'a>(lowering: &mut Lowering<'a>, instruction: &Instruction<'a>) -> Result {
    let (line, mut opcode) = (instruction.line, Opcode::new(instruction.opcode));
    let count = 2 + usize::from(opcode.take("sync"));
    instruction.takes(count..=count)?;
    let kinds = [("all", Vote::All), ("any", Vote::Any), ("uni", Vote::Uniform), ("ballot", Vote::Ballot)];
    let Some(kind) = opcode.take_one(&kinds) else { return unsupported(line, instruction.opcode) };
    let to = lowering.to(line, &instruction.operands[0])?;
    let value = lowering.predicate(line, &instruction.operands[1])?;
    let members = lowering.optional(instruction, 2)?;
    push(lowering, line, Together::Vote { kind, to, value }, members)
}

/// `match`
pub fn find_equal<'a>(lowering: &mut Lowering<'a>, instruction: &Instruction<'a>) -> Result {
    instruction.takes(3..=3)?;
    let (line, mut opcode) = (instruction.line, Opcode::new(instruction.opcode));
    let bits = opcode.kind().bits();
    let (to, same) = lowering.pair(line, &instruction.operands[0])?;
    let value = lowering.operand(instruction, 1)?;
    let members = lowering.optional(instruction, 2)?;
    let what = if opcode.take("all") {
        Together::MatchAll { to, same, value, bits }
    } else {
        Together::MatchAny { to, value, bits }
    };
    push(lowering, line, what, members)
}

/// `redux`
pub fn reduce<'a>(lowering: &mut Lowering<'a>, instruction: &Instruction<'a>) -> Result {
    instruction.takes(3..=3)?;
    let (line, mut opcode) = (instruction.line, Opcode::new(instruction.opcode));
    let kind = opcode.kind();
    let Some(operation) = opcode.take_one(ATOMICS) else { return unsupported(line, instruction.opcode) };
    let to = lowering.to(line, &instruction.operands[0])?;
    let value = lowering.operand(instruction, 1)?;
    let members = lowering.optional(instruction, 2)?;
    push(lowering, line, Together::Reduce { operation, kind, to, value }, members)
}

pub fn active<'a>(lowering: &mut Lowering<'a>, instruction: &Instruction<'a>) -> Result {
    instruction.takes(1..=1)?;
    let to = lowering.to(instruction.line, &instruction.operands[0])?;
    lowering.push(instruction.line, Operation::Active { to });
    Ok(())
}
