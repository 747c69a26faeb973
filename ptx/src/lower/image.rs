//! Surfaces and textures, by objects. The older references by name are refused.

use super::lowering::Lowering;
use super::names::Name;
use crate::error::{Result, invalid, unsupported};
use crate::parse::{Instruction, Operand};
use crate::program::{Geometry, Operation, Outside, Source, Texels};
use crate::values::{Opcode, Type};

const GEOMETRIES: &[(&str, Geometry)] = &[
    ("1d", Geometry { dimensions: 1, layered: false }),
    ("2d", Geometry { dimensions: 2, layered: false }),
    ("3d", Geometry { dimensions: 3, layered: false }),
    ("a1d", Geometry { dimensions: 1, layered: true }),
    ("a2d", Geometry { dimensions: 2, layered: true }),
];

/// The object of `[object]` or `[object, {x, y}]`, and the coordinates.
fn object<'i, 'a>(
    lowering: &mut Lowering<'a>,
    instruction: &'i Instruction<'a>,
    index: usize,
) -> Result<(Source, &'i [Operand<'a>])> {
    let line = instruction.line;
    let Some(Operand::Address(parts, 0)) = instruction.operands.get(index) else {
        return invalid(line, "an image expected");
    };
    let object = match &parts[0] {
        Operand::Name(name) => match lowering.find(line, name)? {
            Name::Register(register, _) => register,
            _ => return unsupported(line, "an image that is not an object in a register"),
        },
        _ => return invalid(line, "an image expected"),
    };
    Ok((object, &parts[1..]))
}

/// A geometry, and its coordinates: the layer is first.
fn coordinates(
    lowering: &mut Lowering,
    line: u32,
    opcode: &mut Opcode,
    given: &[Operand],
) -> Result<(Geometry, [Source; 4])> {
    let Some(geometry) = opcode.take_one(GEOMETRIES) else { return invalid(line, "a geometry expected") };
    let list = match given {
        [Operand::Vector(list)] => list.as_slice(),
        [one] => std::slice::from_ref(one),
        _ => return unsupported(line, "an image with offsets or another reference value"),
    };
    let least = geometry.dimensions + usize::from(geometry.layered);
    // Three coordinates are padded to four.
    if list.len() < least || list.len() > 4 {
        return invalid(line, format!("{least} coordinates expected"));
    }
    let mut at = [0; 4];
    for (at, operand) in at.iter_mut().zip(list) {
        *at = lowering.source(line, operand, true)?;
    }
    let first = at[0];
    at[list.len()..].fill(first);
    Ok((geometry, at))
}

fn surface<'a>(
    lowering: &mut Lowering<'a>,
    instruction: &Instruction<'a>,
    index: usize,
) -> Result<(Texels, usize)> {
    instruction.takes(2..=2)?;
    let (line, mut opcode) = (instruction.line, Opcode::new(instruction.opcode));
    let kind = opcode.kind();
    let outside = [("trap", Outside::Trap), ("clamp", Outside::Clamp), ("zero", Outside::Zero)];
    let outside = opcode.take_one(&outside).unwrap_or(Outside::Trap);
    let count = opcode.take_one(&[("v2", 2), ("v4", 4)]).unwrap_or(1);
    let (surface, given) = object(lowering, instruction, index)?;
    let (geometry, at) = coordinates(lowering, line, &mut opcode, given)?;
    Ok((Texels { surface, geometry, at, bytes: kind.bytes(), outside }, count))
}

pub fn surface_load<'a>(lowering: &mut Lowering<'a>, instruction: &Instruction<'a>) -> Result {
    let (texels, count) = surface(lowering, instruction, 1)?;
    let to = lowering.registers(instruction.line, &instruction.operands[0], count)?;
    lowering.push(instruction.line, Operation::SurfaceLoad { texels, to });
    Ok(())
}

pub fn surface_store<'a>(lowering: &mut Lowering<'a>, instruction: &Instruction<'a>) -> Result {
    let (texels, count) = surface(lowering, instruction, 0)?;
    let from = lowering.sources(instruction.line, &instruction.operands[1], false, count)?;
    lowering.push(instruction.line, Operation::SurfaceStore { texels, from });
    Ok(())
}

pub fn texture<'a>(lowering: &mut Lowering<'a>, instruction: &Instruction<'a>) -> Result {
    let (line, mut opcode) = (instruction.line, Opcode::new(instruction.opcode));
    let integers = opcode.take_type() == Some(Type::S32);
    let has_level = opcode.take("level");
    let count = if has_level { 3 } else { 2 };
    instruction.takes(count..=count)?;
    let (texture, given) = object(lowering, instruction, 1)?;
    let (geometry, at) = coordinates(lowering, line, &mut opcode, given)?;
    // The level of integer coordinates is an integer.
    if has_level && integers {
        return unsupported(line, instruction.opcode);
    }
    let level = if has_level { Some(lowering.source(line, &instruction.operands[2], true)?) } else { None };
    let to = lowering.registers(line, &instruction.operands[0], 4)?;
    lowering.push(line, Operation::Texture { texture, geometry, at, integers, level, to });
    Ok(())
}

/// `suq` and `txq`
pub fn query<'a>(lowering: &mut Lowering<'a>, instruction: &Instruction<'a>) -> Result {
    instruction.takes(2..=2)?;
    let (line, mut opcode) = (instruction.line, Opcode::new(instruction.opcode));
    let what = opcode.take_one(&[("width", 0), ("height", 1), ("depth", 2)]).unwrap_or(0);
    let (image, _) = object(lowering, instruction, 1)?;
    let to = lowering.to(line, &instruction.operands[0])?;
    lowering.push(line, Operation::Query { image, surface: opcode.name == "suq", what, to });
    Ok(())
}
