//! Branches, calls, ends, barriers, and what the threads of a warp do together.

use super::lowering_context::{LoweringContext, PassedInRegister};
use super::memory_instructions::ATOMIC_OPS;
use super::operands::EXPECT_PRED;
use super::symbol_names::Symbol;
use crate::alu::{EXPECT_B32, EXPECT_B64, NumberClass, Opcode, PtxType};
use crate::parse::Operand;
use crate::parse::load_error::Result;
use crate::program::address_spaces::{FUNCTIONS, WINDOW};
use crate::program::operations::{Operation, ShuffleMode, VoteMode, WarpCollective};

/// Instructions without an effect here: those of caches, and copies that are done at once.
pub fn lower_nothing<'a>(_: &mut LoweringContext<'a>, _: &Opcode, _: &[Operand<'a>]) -> Result {
    Ok(())
}

/// Instructions without operands that count.
pub fn lower_without_operands<'a>(
    context: &mut LoweringContext<'a>,
    opcode: &Opcode,
    _: &[Operand<'a>],
) -> Result {
    if opcode.name == "ret" && !context.is_entry {
        context.push_return();
        return Ok(());
    }
    context.push_operation(match opcode.name {
        "ret" | "exit" => Operation::Exit,
        "nanosleep" => Operation::Yield,
        "membar" | "fence" => Operation::Fence,
        _ => Operation::Trap,
    });
    Ok(())
}

pub fn lower_branch<'a>(context: &mut LoweringContext<'a>, _: &Opcode, operands: &[Operand<'a>]) -> Result {
    let to = context.label_operand(&operands[0])?;
    context.push_operation(Operation::Branch { to });
    Ok(())
}

/// `brx.idx`
pub fn lower_indexed_branch<'a>(
    context: &mut LoweringContext<'a>,
    _: &Opcode,
    operands: &[Operand<'a>],
) -> Result {
    let targets = match &operands[1] {
        Operand::Name(list) => context.scopes.iter().rev().find_map(|scope| scope.targets.get(list).copied()),
        _ => None,
    };
    let Some(targets) = targets else { return context.invalid("a list of labels expected") };
    let to =
        targets.iter().map(|target| context.label_operand(&Operand::Name(target))).collect::<Result<_>>()?;
    let index = context.word_source(&operands[0])?;
    context.push_operation(Operation::BranchOf { to, index });
    Ok(())
}

/// `call (results), function, (arguments), prototype`
pub fn lower_call<'a>(context: &mut LoweringContext<'a>, _: &Opcode, operands: &[Operand<'a>]) -> Result {
    let (results, rest) = match operands {
        [Operand::List(results), rest @ ..] => (results.as_slice(), rest),
        rest => (&[][..], rest),
    };
    let (function, arguments) = match rest {
        [Operand::Name(function), Operand::List(arguments), ..] => (*function, arguments.as_slice()),
        [Operand::Name(function), ..] => (*function, &[][..]),
        _ => return context.invalid("a call of what is not a function"),
    };
    let ((results, taken), (arguments, given)) =
        (frame_places(context, results)?, frame_places(context, arguments)?);
    given.into_iter().for_each(|passed| context.store_passed(passed));
    let operation = match (function, &*arguments, &*results) {
        ("vprintf", &[format, list], &[result]) => Operation::Print { arguments: [format, list], result },
        ("__assertfail", &[message, file, number, ..], _) => {
            Operation::Assert { arguments: [message, file, number] }
        }
        _ => {
            let function = match context.find_symbol(function)? {
                Symbol::Fixed(address) if address >> WINDOW == FUNCTIONS => {
                    require_matching_arguments(context, address, [arguments.len(), results.len()])?;
                    context.source_register(&Operand::Name(function), EXPECT_B64)?
                }
                Symbol::Register(..) => {
                    lower_every_function(context);
                    context.source_register(&Operand::Name(function), EXPECT_B64)?
                }
                _ => return context.invalid(format!("{function} is not a function")),
            };
            context.program.calls = true;
            Operation::Call { function, arguments, results, registers: 0, frame: 0 }
        }
    };
    context.push_operation(operation);
    taken.into_iter().for_each(|passed| context.load_passed(passed));
    Ok(())
}

/// Refuses a call with other arguments than the function has.
fn require_matching_arguments(context: &LoweringContext, address: u64, given: [usize; 2]) -> Result {
    let function = &context.globals.module.functions[(address & 0xffff_ffff) as usize];
    if given == [function.parameters.len(), function.results.len()] && !function.is_entry {
        return Ok(());
    }
    context.invalid(format!("a call of {} with other arguments than it has", function.name))
}

/// A function by its address may be any.
fn lower_every_function(context: &mut LoweringContext) {
    let all = context.globals.module.functions.iter().enumerate();
    let callable = all.filter(|(_, function)| !function.is_entry && function.body.is_some());
    context.pending_functions.extend(callable.map(|(index, _)| index));
}

/// Where a call's arguments are in the frame. A register gets a place there.
fn frame_places(
    context: &mut LoweringContext,
    list: &[Operand],
) -> Result<(Box<[u32]>, Vec<PassedInRegister>)> {
    let mut registers = Vec::new();
    let place_of = |operand: &Operand| match operand {
        Operand::Name(name) => match context.find_symbol(name)? {
            Symbol::Frame(offset) => Ok(offset),
            Symbol::Register(register, kind) if kind != PtxType::Pred => {
                let at = context.allocate_in_frame(8, 8)?;
                registers.push((at, register, kind));
                Ok(at)
            }
            _ => context.unsupported("a call with a predicate as its argument"),
        },
        _ => context.unsupported("a call with a number as its argument"),
    };
    let places = list.iter().map(place_of).collect::<Result<_>>()?;
    Ok((places, registers))
}

/// `bar` and `barrier`
pub fn lower_barrier<'a>(
    context: &mut LoweringContext<'a>,
    opcode: &Opcode,
    operands: &[Operand<'a>],
) -> Result {
    let (id, count) = (context.word_source(&operands[0])?, context.optional_word(operands, 1)?);
    context.push_operation(Operation::Barrier {
        id,
        count,
        waits: opcode.has_modifier("sync"),
        reduce: None,
    });
    Ok(())
}

/// `bar.red`
pub fn lower_reducing_barrier<'a>(
    context: &mut LoweringContext<'a>,
    opcode: &Opcode,
    operands: &[Operand<'a>],
) -> Result {
    let kind =
        opcode.modifier_value(&[("popc", VoteMode::Ballot), ("and", VoteMode::All)]).unwrap_or(VoteMode::Any);
    let [to, id, count @ .., value] = operands else { return context.invalid(opcode.text) };
    let to =
        context.destination_register(to, if kind == VoteMode::Ballot { EXPECT_B32 } else { EXPECT_PRED })?;
    let value = context.predicate_operand(value)?;
    let (id, count) = (context.word_source(id)?, context.optional_word(count, 0)?);
    context.push_operation(Operation::Barrier { id, count, waits: true, reduce: Some((kind, value, to)) });
    Ok(())
}

/// Operations that the threads of a warp do together. The last operand has the members.
pub fn lower_warp_collective<'a>(
    context: &mut LoweringContext<'a>,
    opcode: &Opcode,
    operands: &[Operand<'a>],
) -> Result {
    let (rest, members) = match (opcode.has_modifier("sync"), operands) {
        (true, [rest @ .., members]) => (rest, Some(context.word_source(members)?)),
        _ => (operands, None),
    };
    let kind = opcode.last_type();
    let what = match (opcode.name, rest) {
        ("bar", []) => WarpCollective::Barrier,
        ("shfl", [to, value, by, limits]) => {
            let modes =
                [("up", ShuffleMode::Up), ("down", ShuffleMode::Down), ("bfly", ShuffleMode::Butterfly)];
            let mode = opcode.modifier_value(&modes).unwrap_or(ShuffleMode::Index);
            let (to, inside) = context.destination_pair(to, EXPECT_B32)?;
            let (value, by, limits) =
                (context.word_source(value)?, context.word_source(by)?, context.word_source(limits)?);
            WarpCollective::Shuffle { mode, to, inside, value, by, limits }
        }
        ("vote", [to, value]) => {
            let kinds = [("all", VoteMode::All), ("any", VoteMode::Any), ("uni", VoteMode::Uniform)];
            let kind = opcode.modifier_value(&kinds).unwrap_or(VoteMode::Ballot);
            let to = context
                .destination_register(to, if kind == VoteMode::Ballot { EXPECT_B32 } else { EXPECT_PRED })?;
            WarpCollective::Vote { kind, to, value: context.predicate_operand(value)? }
        }
        ("match", [to, value]) => {
            let ((to, same), bits) = (context.destination_pair(to, EXPECT_B32)?, kind.bits());
            let value = context.source_register(value, (bits, NumberClass::Bits))?;
            match opcode.has_modifier("all") {
                true => WarpCollective::MatchAll { to, same, value, bits },
                false => WarpCollective::MatchAny { to, value, bits },
            }
        }
        ("redux", [to, value]) => {
            let Some(operation) = opcode.modifier_value(ATOMIC_OPS) else {
                return context.unsupported(opcode.text);
            };
            let to = context.destination_register(to, kind.expected())?;
            WarpCollective::Reduce {
                operation,
                kind,
                to,
                value: context.source_register(value, kind.expected())?,
            }
        }
        ("activemask", [to]) => WarpCollective::Active { to: context.destination_register(to, EXPECT_B32)? },
        ("elect", [to]) => {
            let (to, is_elected) = context.destination_pair(to, EXPECT_B32)?;
            WarpCollective::Elect { to, is_elected }
        }
        _ => return context.wrong_operand_count(opcode, operands),
    };
    context.push_operation(Operation::Collective { what, members });
    Ok(())
}
