//! Lowers copies, comparisons and sums with a carry, which may become several operations.

use super::lowering_context::{
    CARRY, COMBINED_PREDICATE, COMPARISON_RESULTS, LoweringContext, TEMP_0, TEMP_1,
};
use super::modifier_patterns::alu_op_of;
use super::operand_lowering::EXPECT_PRED;
use super::symbol_names::CLOCKS;
use crate::alu::{AluOp, Opcode, OperandClass, PtxType, alu_op, select_comparison};
use crate::parse::Operand;
use crate::parse::load_error::Result;
use crate::program::operations::Operation;

pub fn lower_mov(ctx: &mut LoweringContext, opcode: &Opcode, operands: &[Operand]) -> Result {
    let kind = opcode.last_type();
    let bits = kind.bits();
    match operands {
        [Operand::Vector(to), from] => {
            let part = vector_part_bits(ctx, opcode, to.len())?;
            let from = ctx.lower_source(from, OperandClass::of_bits(bits))?;
            // Copies the source first, since it may be one of the results.
            let widen = if bits == 64 { alu_op!(|a: u64| a) } else { alu_op!(|a: u32| u64::from(a)) };
            ctx.push_alu_op(widen, TEMP_0, &[from]);
            for (index, to) in (0..).zip(to) {
                let to = ctx.lower_target(to, OperandClass::of_bits(part.max(16)))?;
                let take = alu_op!(|flags; a: u64| (a >> (flags & 255)) as u32 & !0 >> (32 - (flags >> 8)));
                ctx.push_alu_op(take.with_flags(index * part + (part << 8)), to, &[TEMP_0]);
            }
        }
        [to, Operand::Vector(from)] => {
            let part = vector_part_bits(ctx, opcode, from.len())?;
            let to = ctx.lower_target(to, OperandClass::of_bits(bits))?;
            let list = ctx.lower_source_list(from, OperandClass::of_bits(part.max(16)))?;
            let join = match (from.len(), part) {
                (2, 8) => alu_op!(|a: u8, b: u8| u16::from(a) | u16::from(b) << 8),
                (2, 16) => alu_op!(|a: u16, b: u16| u32::from(a) | u32::from(b) << 16),
                (2, 32) => alu_op!(|a: u32, b: u32| u64::from(a) | u64::from(b) << 32),
                (4, 8) => alu_op!(|a: u8, b: u8, c: u8, d: u8| u32::from_le_bytes([a, b, c, d])),
                _ => alu_op!(|a: u16, b: u16, c: u16, d: u16| {
                    u64::from(a) | u64::from(b) << 16 | u64::from(c) << 32 | u64::from(d) << 48
                }),
            };
            ctx.push_alu_op(join, to, &list);
        }
        [to, Operand::Name(name)] if CLOCKS.contains(name) => {
            let to = ctx.lower_target(to, kind.operand_class())?;
            ctx.push_operation(Operation::Clock { to, shift: if name.ends_with("_hi") { 32 } else { 0 } });
        }
        _ => {
            let from = ctx.lower_source(&operands[1], kind.operand_class())?;
            let to = ctx.lower_target(&operands[0], kind.operand_class())?;
            ctx.push_alu_op(copy_op(bits), to, &[from]);
        }
    }
    Ok(())
}

fn copy_op(bits: u32) -> AluOp {
    match bits {
        1 => alu_op!(|a: bool| a),
        64 => alu_op!(|a: u64| a),
        _ => alu_op!(|a: u32| a),
    }
}

/// Lowers `mov.v2` and `mov.v4`. Copies all sources first, since a source may be one of the results.
pub fn lower_mov_vector(ctx: &mut LoweringContext, opcode: &Opcode, operands: &[Operand]) -> Result {
    let (kind, count) = (opcode.last_type(), if opcode.has_modifier("v2") { 2 } else { 4 });
    let (between, copy) = (ctx.new_registers(count)?, copy_op(kind.bits()));
    for (to, from) in (between..).zip(ctx.vector_elements(&operands[1], count as usize)?) {
        let from = ctx.lower_source(from, kind.operand_class())?;
        ctx.push_alu_op(copy, to, &[from]);
    }
    for (from, to) in (between..).zip(ctx.vector_elements(&operands[0], count as usize)?) {
        let to = ctx.lower_target(to, kind.operand_class())?;
        ctx.push_alu_op(copy, to, &[from]);
    }
    Ok(())
}

fn vector_part_bits(ctx: &LoweringContext, opcode: &Opcode, count: usize) -> Result<u32> {
    match (opcode.last_type().bits(), count) {
        (bits @ (16 | 32 | 64), 2) | (bits @ (32 | 64), 4) => Ok(bits / count as u32),
        _ => ctx.unsupported(opcode.text),
    }
}

pub fn lower_comparison(ctx: &mut LoweringContext, opcode: &Opcode, operands: &[Operand]) -> Result {
    let compare = select_comparison(opcode);
    let want = opcode.last_type().operand_class();
    let is_two = matches!(opcode.last_type(), PtxType::F16x2 | PtxType::Bf16x2);
    let from = [ctx.lower_source(&operands[1], want)?, ctx.lower_source(&operands[2], want)?];
    if opcode.name == "setp" && operands.len() == 3 && !is_two && !matches!(operands[0], Operand::Pair(_)) {
        let to = ctx.lower_target(&operands[0], EXPECT_PRED)?;
        ctx.push_alu_op(compare, to, &from);
        return Ok(());
    }
    let [first, second] = COMPARISON_RESULTS;
    ctx.push_alu_op(compare, first, &from);
    if is_two {
        for (to, from) in [TEMP_0, TEMP_1].into_iter().zip(from) {
            ctx.push_alu_op(alu_op!(|a: u32| a >> 16), to, &[from]);
        }
        ctx.push_alu_op(compare, second, &[TEMP_0, TEMP_1]);
    } else {
        ctx.push_alu_op(alu_op!(|p: bool| !p), second, &[first]);
    }
    if let Some(operand) = operands.get(3) {
        let (mut by, not) = ctx.predicate_operand(operand)?;
        if not {
            ctx.push_alu_op(alu_op!(|p: bool| !p), COMBINED_PREDICATE, &[by]);
            by = COMBINED_PREDICATE;
        }
        for answer in COMPARISON_RESULTS {
            let both = match (opcode.has_modifier("and"), opcode.has_modifier("or")) {
                (true, _) => alu_op!(|p: bool, q: bool| p & q),
                (_, true) => alu_op!(|p: bool, q: bool| p | q),
                _ => alu_op!(|p: bool, q: bool| p ^ q),
            };
            ctx.push_alu_op(both, answer, &[answer, by]);
        }
    }
    if opcode.name == "set" {
        let to = ctx.lower_target(&operands[0], OperandClass::of_bits(opcode.first_type().bits()))?;
        let value = if is_two {
            alu_op!(|flags; p: bool, q: bool| if p { flags & 0xffff } else { 0 } | if q { flags << 16 } else { 0 })
        } else {
            alu_op!(|flags; p: bool| if p { flags } else { 0 })
        };
        let value = value.with_flags(bits_of_true(opcode.first_type()));
        ctx.push_alu_op(value, to, &COMPARISON_RESULTS[..value.operand_bits.len()]);
        return Ok(());
    }
    let (to, other) = ctx.lower_target_pair(&operands[0], EXPECT_PRED)?;
    ctx.push_alu_op(copy_op(1), to, &[first]);
    if let Some(other) = other {
        ctx.push_alu_op(copy_op(1), other, &[second]);
    }
    Ok(())
}

fn bits_of_true(result: PtxType) -> u32 {
    match result {
        PtxType::F32 => 0x3f80_0000,
        PtxType::F16 | PtxType::F16x2 => 0x3c00,
        PtxType::Bf16 | PtxType::Bf16x2 => 0x3f80,
        _ => !0,
    }
}

/// Lowers `add`, `sub` and `mad` with a carry. The carry of a difference is 1 if nothing is borrowed (measured).
pub fn lower_carry(ctx: &mut LoweringContext, opcode: &Opcode, operands: &[Operand]) -> Result {
    let (want, bits) = (opcode.last_type().operand_class(), opcode.last_type().bits());
    let [to, rest @ ..] = operands else { return ctx.invalid(opcode.text) };
    let mut from = ctx.lower_source_list(rest, want)?;
    let to = ctx.lower_target(to, want)?;
    if opcode.name.starts_with("mad") {
        let part = if opcode.has_modifier("hi") { "hi" } else { "lo" };
        let sign = if opcode.last_type().is_signed() { 's' } else { 'u' };
        let product = alu_op_of(&format!("mul.{part}.{sign}{bits}"));
        ctx.push_alu_op(product, TEMP_0, &from[..2]);
        from = vec![TEMP_0, from[2]];
    }
    let is_difference = opcode.name.starts_with("sub");
    if is_difference {
        let inverted = if bits == 64 { alu_op!(|a: u64| !a) } else { alu_op!(|a: u32| !a) };
        ctx.push_alu_op(inverted, TEMP_0, &[from[1]]);
        from[1] = TEMP_0;
    }
    let given = match opcode.name.ends_with('c') {
        true => CARRY,
        false => ctx.constant_register(if is_difference { !0 } else { 0 }),
    };
    let all = [from[0], from[1], given];
    let [sum, carry] = if bits == 64 {
        [
            alu_op!(|a: u64, b: u64, c: bool| a.wrapping_add(b).wrapping_add(c.into())),
            alu_op!(|a: u64, b: u64, c: bool| (u128::from(a) + u128::from(b) + u128::from(c)) >> 64 != 0),
        ]
    } else {
        [
            alu_op!(|a: u32, b: u32, c: bool| a.wrapping_add(b).wrapping_add(c.into())),
            alu_op!(|a: u32, b: u32, c: bool| (u64::from(a) + u64::from(b) + u64::from(c)) >> 32 != 0),
        ]
    };
    ctx.push_alu_op(carry, COMBINED_PREDICATE, &all);
    ctx.push_alu_op(sum, to, &all);
    if opcode.has_modifier("cc") {
        ctx.push_alu_op(copy_op(1), CARRY, &[COMBINED_PREDICATE]);
    }
    Ok(())
}
