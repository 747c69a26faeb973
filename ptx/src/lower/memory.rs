//! Loads, stores, atomic operations, and addresses.

use super::lowering::Lowering;
use super::names::Name;
use crate::error::{Result, unsupported};
use crate::parse::{Instruction, Number, Operand};
use crate::program::{Atomic, Operation, Space};
use crate::spaces::{LOCAL, PARAMETERS, SHARED, WINDOW};
use crate::values::{self, Opcode, Type};

/// Constants are in global memory.
const SPACES: &[(&str, Space)] = &[
    ("global", Space::Global),
    ("const", Space::Global),
    ("shared", Space::Shared),
    ("shared::cta", Space::Shared),
    ("local", Space::Local),
    ("param", Space::Parameters),
    ("param::entry", Space::Parameters),
    ("param::func", Space::Parameters),
];
const VECTORS: &[(&str, usize)] = &[("v2", 2), ("v4", 4), ("v8", 8)];

/// The type, the space and the vector's length of an access.
fn access(opcode: &mut Opcode) -> (Type, Space, usize) {
    let kind = opcode.kind();
    let space = opcode.take_one(SPACES).unwrap_or(Space::Generic);
    (kind, space, opcode.take_one(VECTORS).unwrap_or(1))
}

pub fn load<'a>(lowering: &mut Lowering<'a>, instruction: &Instruction<'a>) -> Result {
    instruction.takes(2..=2)?;
    let (line, mut opcode) = (instruction.line, Opcode::new(instruction.opcode));
    let (kind, space, count) = access(&mut opcode);
    let address = lowering.place(line, &instruction.operands[1], space)?;
    let to = lowering.registers(line, &instruction.operands[0], count)?;
    lowering.push(line, Operation::Load { address, bytes: kind.bytes(), signed: kind.is_signed(), to });
    if opcode.take("acquire") {
        lowering.push(line, Operation::Fence);
    }
    Ok(())
}

pub fn store<'a>(lowering: &mut Lowering<'a>, instruction: &Instruction<'a>) -> Result {
    instruction.takes(2..=2)?;
    let (line, mut opcode) = (instruction.line, Opcode::new(instruction.opcode));
    let (kind, space, count) = access(&mut opcode);
    let from = lowering.sources(line, &instruction.operands[1], kind == Type::F32, count)?;
    let address = lowering.place(line, &instruction.operands[0], space)?;
    if opcode.take("release") {
        lowering.push(line, Operation::Fence);
    }
    lowering.push(line, Operation::Store { address, bytes: kind.bytes(), from });
    Ok(())
}

/// The operations of `atom`, `red` and `redux`.
pub const ATOMICS: &[(&str, Atomic)] = &[
    ("add", Atomic::Add),
    ("min", Atomic::Min),
    ("max", Atomic::Max),
    ("inc", Atomic::Inc),
    ("dec", Atomic::Dec),
    ("exch", Atomic::Exchange),
    ("cas", Atomic::Compare),
    ("and", Atomic::And),
    ("or", Atomic::Or),
    ("xor", Atomic::Xor),
];

pub fn atomic<'a>(lowering: &mut Lowering<'a>, instruction: &Instruction<'a>) -> Result {
    let (line, mut opcode) = (instruction.line, Opcode::new(instruction.opcode));
    let (kind, space, _) = access(&mut opcode);
    let Some(operation) = opcode.take_one(ATOMICS) else { return unsupported(line, instruction.opcode) };
    // `red` has no result.
    let at = usize::from(opcode.name == "atom");
    let count = at + if operation == Atomic::Compare { 3 } else { 2 };
    instruction.takes(count..=count)?;
    let to = if at == 1 { Some(lowering.to(line, &instruction.operands[0])?) } else { None };
    let b = lowering.source(line, &instruction.operands[at + 1], kind == Type::F32)?;
    let c = lowering.optional(instruction, at + 2)?.unwrap_or(b);
    let address = lowering.place(line, &instruction.operands[at], space)?;
    lowering.push(line, Operation::Atomic { address, operation, kind, to, b, c });
    Ok(())
}

/// `cp.async`
pub fn copy<'a>(lowering: &mut Lowering<'a>, instruction: &Instruction<'a>) -> Result {
    instruction.takes(3..=4)?;
    let line = instruction.line;
    let Operand::Number(Number::Int(bytes @ (4 | 8 | 16))) = instruction.operands[2] else {
        return unsupported(line, instruction.opcode);
    };
    let given = lowering.optional(instruction, 3)?;
    let to = lowering.place(line, &instruction.operands[0], Space::Shared)?;
    let from = lowering.place(line, &instruction.operands[1], Space::Global)?;
    lowering.push(line, Operation::Copy { to, from, bytes: bytes as usize, given });
    Ok(())
}

/// The windows of generic addresses: 0 for memory that is everybody's.
const WINDOWS: &[(&str, u64)] = &[
    ("global", 0),
    ("const", 0),
    ("shared", SHARED),
    ("shared::cta", SHARED),
    ("local", LOCAL),
    ("param", PARAMETERS),
    ("param::entry", PARAMETERS),
];

/// `cvta`
pub fn to_generic<'a>(lowering: &mut Lowering<'a>, instruction: &Instruction<'a>) -> Result {
    instruction.takes(2..=2)?;
    let (line, mut opcode) = (instruction.line, Opcode::new(instruction.opcode));
    let from_generic = opcode.take("to");
    let Some(window) = opcode.take_one(WINDOWS) else { return unsupported(line, instruction.opcode) };
    let to = lowering.to(line, &instruction.operands[0])?;
    if let (Operand::Name(name), false) = (&instruction.operands[1], from_generic) {
        if let Ok(Name::Frame(offset)) = lowering.find(line, name) {
            lowering.push(line, Operation::Frame { to, offset, generic: true });
            return Ok(());
        }
    }
    let from = lowering.operand(instruction, 1)?;
    // A function's parameters are in its frame.
    let window = if window == PARAMETERS && !lowering.is_entry { LOCAL } else { window };
    let (compute, operand) = match (window, from_generic) {
        (0, _) => (Some(values::copy()), from),
        (_, true) => (values::find(values::and, "and.b64"), lowering.constant(!(0xffff << WINDOW))),
        (_, false) => (values::find(values::or, "or.b64"), lowering.constant(window << WINDOW)),
    };
    lowering.compute(line, compute.expect("a row of the table"), to, &[from, operand]);
    Ok(())
}

/// `isspacep`
pub fn is_in_space<'a>(lowering: &mut Lowering<'a>, instruction: &Instruction<'a>) -> Result {
    instruction.takes(2..=2)?;
    let (line, mut opcode) = (instruction.line, Opcode::new(instruction.opcode));
    // Constants are in global memory: what is one is not known.
    let windows =
        [("global", 1), ("shared", 2), ("shared::cta", 2), ("local", 4), ("param", 8), ("param::entry", 8)];
    let Some(windows) = opcode.take_one(&windows) else { return unsupported(line, instruction.opcode) };
    let to = lowering.to(line, &instruction.operands[0])?;
    let from = lowering.operand(instruction, 1)?;
    lowering.compute(line, values::window_is(windows), to, &[from]);
    Ok(())
}
