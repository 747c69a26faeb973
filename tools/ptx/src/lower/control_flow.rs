//! Lowers branches, calls, exits, fences, barriers, and instructions that the threads of a warp execute together.

use super::lowering_context::{LoweringContext, RegisterArgument};
use super::operand_lowering::EXPECT_PRED;
use super::symbol_names::Symbol;
use crate::alu::{EXPECT_B32, EXPECT_B64, Opcode, OperandClass, PtxType};
use crate::parse::Operand;
use crate::parse::load_error::Result;
use crate::program::address_spaces::{FUNCTIONS, WINDOW};
use crate::program::operations::{AtomicOp, Operation, ShuffleMode, VoteMode, WarpCollective};

/// Lowers an instruction that has no effect here, such as a prefetch, or a wait for `cp.async`, which copies at once.
pub fn lower_to_nothing(_: &mut LoweringContext, _: &Opcode, _: &[Operand]) -> Result {
    Ok(())
}

pub fn lower_without_operands(ctx: &mut LoweringContext, opcode: &Opcode, _: &[Operand]) -> Result {
    match opcode.name {
        "ret" => ctx.push_exit_or_return(),
        "exit" => ctx.push_operation(Operation::Exit),
        "nanosleep" => ctx.push_operation(Operation::Yield),
        "membar" | "fence" => ctx.push_operation(Operation::Fence),
        _ => ctx.push_operation(Operation::Trap),
    }
    Ok(())
}

pub fn lower_branch(ctx: &mut LoweringContext, _: &Opcode, operands: &[Operand]) -> Result {
    let to = ctx.label_operand(&operands[0])?;
    ctx.push_operation(Operation::Branch { to });
    Ok(())
}

pub fn lower_indexed_branch(ctx: &mut LoweringContext, _: &Opcode, operands: &[Operand]) -> Result {
    let targets = match &operands[1] {
        Operand::Name(list) => ctx.scopes.iter().rev().find_map(|scope| scope.targets.get(list).copied()),
        _ => None,
    };
    let Some(targets) = targets else { return ctx.invalid("a list of labels expected") };
    let to = targets.iter().map(|target| ctx.label_operand(&Operand::Name(target))).collect::<Result<_>>()?;
    let index = ctx.lower_word(&operands[0])?;
    ctx.push_operation(Operation::BranchOf { to, index });
    Ok(())
}

/// Lowers `call (results), function, (arguments), prototype`.
pub fn lower_call(ctx: &mut LoweringContext, _: &Opcode, operands: &[Operand]) -> Result {
    let (results, rest) = match operands {
        [Operand::List(results), rest @ ..] => (results.as_slice(), rest),
        rest => (&[][..], rest),
    };
    let (function, arguments) = match rest {
        [Operand::Name(function), Operand::List(arguments), ..] => (*function, arguments.as_slice()),
        [Operand::Name(function), ..] => (*function, &[][..]),
        _ => return ctx.invalid("a call of what is not a function"),
    };
    let ((results, taken), (arguments, given)) =
        (caller_frame_offsets(ctx, results)?, caller_frame_offsets(ctx, arguments)?);
    given.into_iter().for_each(|passed| ctx.store_register_argument(passed));
    let operation = match (function, &*arguments, &*results) {
        ("vprintf", &[format, list], &[result]) => Operation::Print { arguments: [format, list], result },
        ("malloc", &[size], &[result]) if has_no_body(ctx, function) => Operation::Allocate { size, result },
        ("free", &[address], &[]) if has_no_body(ctx, function) => Operation::Free { address },
        ("__assertfail", &[message, file, number, ..], _) => {
            Operation::Assert { arguments: [message, file, number] }
        }
        _ => {
            let module = ctx.globals.module.functions.iter().enumerate();
            match ctx.find_symbol(function)? {
                Symbol::Fixed(address) if address >> WINDOW == FUNCTIONS => {
                    let callee = &ctx.globals.module.functions[(address & 0xffff_ffff) as usize];
                    let expected = [callee.parameters.len(), callee.results.len()];
                    if callee.is_entry || expected != [arguments.len(), results.len()] {
                        return ctx.invalid(format!("a call of {function} with other arguments than it has"));
                    }
                }
                // A call through a register may call any function that has a body and is not a kernel.
                Symbol::Register(..) => {
                    let callable = module.filter(|(_, callee)| !callee.is_entry && callee.body.is_some());
                    ctx.function.callees.extend(callable.map(|(index, _)| index));
                }
                _ => return ctx.invalid(format!("{function} is not a function")),
            }
            let function = ctx.lower_source(&Operand::Name(function), EXPECT_B64)?;
            Operation::Call { function, arguments, results, registers: 0, frame: 0 }
        }
    };
    ctx.push_operation(operation);
    taken.into_iter().for_each(|passed| ctx.load_register_argument(passed));
    Ok(())
}

fn has_no_body(ctx: &LoweringContext, name: &str) -> bool {
    let mut functions = ctx.globals.module.functions.iter();
    functions.any(|function| function.name == name && function.body.is_none())
}

/// Returns the offsets of a call's arguments or results in the caller's frame, and which of them are registers.
fn caller_frame_offsets(
    ctx: &mut LoweringContext,
    list: &[Operand],
) -> Result<(Box<[u32]>, Vec<RegisterArgument>)> {
    let mut registers = Vec::new();
    let place_of = |operand: &Operand| match operand {
        Operand::Name(name) => match ctx.find_symbol(name)? {
            Symbol::Frame(offset) => Ok(offset),
            Symbol::Register(register, kind) if kind != PtxType::Pred => {
                let at = ctx.allocate_in_frame(8, 8)?;
                registers.push((at, register, kind));
                Ok(at)
            }
            _ => ctx.unsupported("a call with a predicate as its argument"),
        },
        _ => ctx.unsupported("a call with a number as its argument"),
    };
    let places = list.iter().map(place_of).collect::<Result<_>>()?;
    Ok((places, registers))
}

pub fn lower_barrier(ctx: &mut LoweringContext, opcode: &Opcode, operands: &[Operand]) -> Result {
    let (rest, reduce) = match (opcode.has_modifier("red"), operands) {
        (true, [to, rest @ .., value]) => {
            let kinds = [("popc", VoteMode::Ballot), ("and", VoteMode::All)];
            let kind = opcode.value_by_modifier(&kinds).unwrap_or(VoteMode::Any);
            let to = ctx.lower_target(to, vote_result_class(kind))?;
            (rest, Some((kind, ctx.predicate_operand(value)?, to)))
        }
        _ => (operands, None),
    };
    let (id, count) = (ctx.lower_word(&rest[0])?, ctx.lower_optional_word(rest, 1)?);
    ctx.push_operation(Operation::Barrier { id, count, wait: !opcode.has_modifier("arrive"), reduce });
    Ok(())
}

fn vote_result_class(kind: VoteMode) -> OperandClass {
    if kind == VoteMode::Ballot { EXPECT_B32 } else { EXPECT_PRED }
}

/// Lowers an instruction that threads of a warp execute together. With `.sync`, the last operand is the threads' mask.
pub fn lower_warp_collective(ctx: &mut LoweringContext, opcode: &Opcode, operands: &[Operand]) -> Result {
    let (rest, members) = match (opcode.has_modifier("sync"), operands) {
        (true, [rest @ .., members]) => (rest, Some(ctx.lower_word(members)?)),
        _ => (operands, None),
    };
    let kind = opcode.last_type();
    let collective = match (opcode.name, rest) {
        ("bar", []) => WarpCollective::Barrier,
        ("shfl", [to, value, b, c]) => {
            let mode = opcode.value_by_modifier(ShuffleMode::NAMES).unwrap_or(ShuffleMode::Index);
            let (to, valid) = ctx.lower_target_pair(to, EXPECT_B32)?;
            let (value, b, c) = (ctx.lower_word(value)?, ctx.lower_word(b)?, ctx.lower_word(c)?);
            WarpCollective::Shuffle { mode, to, valid, value, b, c }
        }
        ("vote", [to, value]) => {
            let kind = opcode.value_by_modifier(VoteMode::NAMES).unwrap_or(VoteMode::Ballot);
            let to = ctx.lower_target(to, vote_result_class(kind))?;
            WarpCollective::Vote { kind, to, value: ctx.predicate_operand(value)? }
        }
        ("match", [to, value]) => {
            let (to, same) = ctx.lower_target_pair(to, EXPECT_B32)?;
            let value = (ctx.lower_source(value, OperandClass::of_bits(kind.bits()))?, kind.bits() == 64);
            match opcode.has_modifier("all") {
                true => WarpCollective::MatchAll { to, same, value },
                false => WarpCollective::MatchAny { to, value },
            }
        }
        ("redux", [to, value]) => {
            let op = opcode.value_by_modifier(AtomicOp::NAMES).unwrap_or(AtomicOp::Add);
            let to = ctx.lower_target(to, kind.operand_class())?;
            WarpCollective::Reduce { op, kind, to, value: ctx.lower_source(value, kind.operand_class())? }
        }
        ("activemask", [to]) => WarpCollective::Active { to: ctx.lower_target(to, EXPECT_B32)? },
        ("elect", [to]) => {
            let (to, is_elected) = ctx.lower_target_pair(to, EXPECT_B32)?;
            WarpCollective::Elect { to, is_elected }
        }
        _ => return ctx.wrong_operand_count(opcode, operands),
    };
    ctx.push_operation(Operation::Collective { collective, members });
    Ok(())
}
