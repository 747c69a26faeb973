//! Lowers loads, stores, atomic operations, address conversions, and instructions on surfaces and textures.

use super::lowering_context::LoweringContext;
use super::operand_lowering::EXPECT_PRED;
use super::symbol_names::Symbol;
use crate::alu::{EXPECT_B32, EXPECT_B64, Opcode, OperandClass, ValueKind, alu_op};
use crate::parse::load_error::Result;
use crate::parse::{NumberLiteral, Operand};
use crate::program::address_spaces::{LOCAL, PARAMETERS, SHARED, WINDOW, window_of};
use crate::program::operations::{
    AddressSpace, AtomicOp, ImageDimensionality, ImageInstruction, ImageOp, Operation, Register,
    SurfaceClampMode,
};

/// The address spaces, each with the upper bits of its generic addresses. Constants are in global memory.
const ADDRESS_SPACES: &[(&str, (AddressSpace, u64))] = &[
    ("global", (AddressSpace::Global, 0)),
    ("const", (AddressSpace::Global, 0)),
    ("shared", (AddressSpace::Shared, SHARED)),
    ("shared::cta", (AddressSpace::Shared, SHARED)),
    ("local", (AddressSpace::Local, LOCAL)),
    ("param", (AddressSpace::Parameters, PARAMETERS)),
    ("param::entry", (AddressSpace::Parameters, PARAMETERS)),
    ("param::func", (AddressSpace::Parameters, PARAMETERS)),
];
const VECTOR_SIZES: &[(&str, usize)] = &[("v2", 2), ("v4", 4), ("v8", 8)];

fn address_space(opcode: &Opcode) -> AddressSpace {
    opcode.value_by_modifier(ADDRESS_SPACES).map_or(AddressSpace::Generic, |(space, _)| space)
}

pub fn lower_load(ctx: &mut LoweringContext, opcode: &Opcode, operands: &[Operand]) -> Result {
    let (kind, from) = (opcode.last_type(), ctx.address_operand(&operands[1], address_space(opcode))?);
    let list = ctx.vector_elements(&operands[0], opcode.value_by_modifier(VECTOR_SIZES).unwrap_or(1))?;
    let want = kind.operand_class().allow_wider();
    let to = list.iter().map(|to| ctx.sized_target(to, want)).collect::<Result<_>>()?;
    ctx.push_operation(Operation::Load { from, kind, to });
    if opcode.has_modifier("acquire") {
        ctx.push_operation(Operation::Fence);
    }
    Ok(())
}

pub fn lower_store(ctx: &mut LoweringContext, opcode: &Opcode, operands: &[Operand]) -> Result {
    let (kind, to) = (opcode.last_type(), ctx.address_operand(&operands[0], address_space(opcode))?);
    let list = ctx.vector_elements(&operands[1], opcode.value_by_modifier(VECTOR_SIZES).unwrap_or(1))?;
    let want = kind.operand_class().allow_wider();
    let from = list.iter().map(|from| ctx.sized_source(from, want)).collect::<Result<_>>()?;
    if opcode.has_modifier("release") {
        ctx.push_operation(Operation::Fence);
    }
    ctx.push_operation(Operation::Store { to, kind, from });
    Ok(())
}

pub fn lower_atomic(ctx: &mut LoweringContext, opcode: &Opcode, operands: &[Operand]) -> Result {
    let (kind, op) = (opcode.last_type(), opcode.value_by_modifier(AtomicOp::NAMES).unwrap_or(AtomicOp::Add));
    // `red` has no result.
    let (to, rest) = match (opcode.name, operands) {
        ("atom", [to, rest @ ..]) => (Some(ctx.lower_target(to, kind.operand_class())?), rest),
        _ => (None, operands),
    };
    if rest.len() != if op == AtomicOp::Compare { 3 } else { 2 } {
        return ctx.wrong_operand_count(opcode, operands);
    }
    let b = ctx.lower_source(&rest[1], kind.operand_class())?;
    let c = rest.get(2).map_or(Ok(b), |c| ctx.lower_source(c, kind.operand_class()))?;
    let address = ctx.address_operand(&rest[0], address_space(opcode))?;
    ctx.push_operation(Operation::Atomic { address, op, kind, to, b, c });
    Ok(())
}

pub fn lower_async_copy(ctx: &mut LoweringContext, opcode: &Opcode, operands: &[Operand]) -> Result {
    let Operand::Number(NumberLiteral::Int(bytes @ (4 | 8 | 16))) = operands[2] else {
        return ctx.unsupported(opcode.text);
    };
    let count = ctx.lower_optional_word(operands, 3)?.unwrap_or_else(|| ctx.constant_register(bytes));
    let to = ctx.address_operand(&operands[0], AddressSpace::Shared)?;
    let from = ctx.address_operand(&operands[1], AddressSpace::Global)?;
    ctx.push_operation(Operation::Copy { to, from, bytes: bytes as usize, count });
    Ok(())
}

/// The registers that may contain an address: registers of 64-bit integers or bits, not of floats.
const EXPECT_U64: OperandClass = OperandClass { class: ValueKind::Integer, ..EXPECT_B64 };

pub fn lower_cvta(ctx: &mut LoweringContext, opcode: &Opcode, operands: &[Operand]) -> Result {
    let window = opcode.value_by_modifier(ADDRESS_SPACES).map_or(0, |(_, window)| window);
    let to = ctx.lower_target(&operands[0], EXPECT_U64)?;
    if let (Operand::Name(name), false) = (&operands[1], opcode.has_modifier("to")) {
        if let Ok(Symbol::Frame(offset)) = ctx.find_symbol(name) {
            ctx.push_operation(Operation::Frame { to, offset, window: LOCAL << WINDOW });
            return Ok(());
        }
    }
    let from = ctx.lower_source(&operands[1], EXPECT_U64)?;
    // A function's parameters, unlike a kernel's, are in the function's frame, which is local memory.
    let window = if window == PARAMETERS && !ctx.parsed.is_entry { LOCAL } else { window };
    let (compute, operand) = match (window, opcode.has_modifier("to")) {
        (0, _) => (alu_op!(|a: u64| a), from),
        (_, true) => (alu_op!(|a: u64, b: u64| a & b), ctx.constant_register(!(0xffff << WINDOW))),
        (_, false) => (alu_op!(|a: u64, b: u64| a | b), ctx.constant_register(window << WINDOW)),
    };
    ctx.push_alu_op(compute, to, &[from, operand]);
    Ok(())
}

pub fn lower_isspacep(ctx: &mut LoweringContext, opcode: &Opcode, operands: &[Operand]) -> Result {
    let window = match opcode.value_by_modifier(ADDRESS_SPACES) {
        Some((_, window)) if !opcode.has_modifier("const") => window as u32,
        // Constants are in global memory and have no window: the result is false.
        _ => !0,
    };
    let to = ctx.lower_target(&operands[0], EXPECT_PRED)?;
    let from = ctx.lower_source(&operands[1], EXPECT_U64)?;
    let is_in = alu_op!(|flags; a: u64| window_of(a) == u64::from(flags));
    ctx.push_alu_op(is_in.with_flags(window), to, &[from]);
    Ok(())
}

const IMAGE_GEOMETRIES: &[(&str, ImageDimensionality)] = &[
    ("1d", ImageDimensionality { dimensions: 1, layered: false }),
    ("2d", ImageDimensionality { dimensions: 2, layered: false }),
    ("3d", ImageDimensionality { dimensions: 3, layered: false }),
    ("a1d", ImageDimensionality { dimensions: 1, layered: true }),
    ("a2d", ImageDimensionality { dimensions: 2, layered: true }),
];

/// Lowers `[object]` or `[object, {x, y}]`. Refuses a surface or a texture that is not an object in a register, for
/// example a variable.
fn image_operand(
    ctx: &mut LoweringContext,
    opcode: &Opcode,
    operand: &Operand,
    want: OperandClass,
) -> Result<(Register, ImageDimensionality, [Register; 4])> {
    let Operand::Address(parts, 0) = operand else { return ctx.invalid("an image expected") };
    let object = match &parts[0] {
        Operand::Name(name) if matches!(ctx.find_symbol(name)?, Symbol::Register(..)) => {
            ctx.lower_source(&parts[0], EXPECT_B64)?
        }
        _ => return ctx.unsupported("an image that is not an object in a register"),
    };
    let Some(geometry) = opcode.value_by_modifier(IMAGE_GEOMETRIES) else {
        return Ok((object, IMAGE_GEOMETRIES[0].1, [0; 4]));
    };
    let list = match &parts[1..] {
        [Operand::Vector(list)] => list.as_slice(),
        [one] => std::slice::from_ref(one),
        _ => return ctx.unsupported("an image with offsets or another reference value"),
    };
    let least = geometry.dimensions + usize::from(geometry.layered);
    // PTX spells three coordinates as a vector of four, of which the last has no meaning.
    if list.len() < least || list.len() > 4 {
        return ctx.invalid(format!("{least} coordinates expected"));
    }
    let mut at = [0; 4];
    for (index, (at, operand)) in at.iter_mut().zip(list).enumerate() {
        let is_layer = geometry.layered && index == 0;
        *at = ctx.lower_source(operand, if is_layer { EXPECT_B32 } else { want })?;
    }
    let first = at[0];
    at[list.len()..].fill(first);
    Ok((object, geometry, at))
}

pub fn lower_image(ctx: &mut LoweringContext, opcode: &Opcode, operands: &[Operand]) -> Result {
    let (bytes, class) = (opcode.last_type().bytes(), opcode.last_type().number_class());
    let outside = opcode.value_by_modifier(SurfaceClampMode::NAMES).unwrap_or(SurfaceClampMode::Trap);
    let mut coordinates = OperandClass { class: ValueKind::Integer, ..EXPECT_B32 };
    let (place, results, op) = match opcode.name {
        "suld" => (1, 0, ImageOp::Load(bytes, outside)),
        "sust" => (0, 1, ImageOp::Store(bytes, outside)),
        "tex" => {
            if opcode.has_modifier("level") == (operands.len() == 2) {
                return ctx.unsupported(opcode.text);
            }
            // With integer coordinates, the mip level is an integer too.
            coordinates.class = class;
            let level = operands.get(2).map(|level| ctx.lower_source(level, coordinates)).transpose()?;
            (1, 0, ImageOp::Sample { integers: class == ValueKind::Integer, level })
        }
        _ => {
            let axis = opcode.value_by_modifier(&[("width", 0), ("height", 1), ("depth", 2)]).unwrap_or(0);
            (1, 0, ImageOp::Query { is_surface: opcode.name == "suq", axis })
        }
    };
    let (object, geometry, at) = image_operand(ctx, opcode, &operands[place], coordinates)?;
    let want = OperandClass::of_bits(opcode.last_type().bits()).allow_wider();
    let list =
        ctx.vector_elements(&operands[results], opcode.value_by_modifier(VECTOR_SIZES).unwrap_or(1))?;
    let register = |operand: &Operand| match op {
        ImageOp::Store(..) => ctx.sized_source(operand, want),
        ImageOp::Load(..) => ctx.sized_target(operand, want),
        _ => Ok((ctx.lower_target(operand, EXPECT_B32)?, false)),
    };
    let texel = list.iter().map(register).collect::<Result<_>>()?;
    ctx.push_operation(Operation::Image(ImageInstruction { op, object, geometry, at, texel }));
    Ok(())
}
