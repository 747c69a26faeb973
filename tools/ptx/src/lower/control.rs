//! Branches, calls, ends, barriers, and what the threads of a warp do together.

use super::lowering::{Lowering, Passed};
use super::memory::ATOMICS;
use super::names::Name;
use super::operands::TRUTH;
use crate::error::Result;
use crate::parse::Operand;
use crate::program::{Operation, Shuffle, Together, Vote};
use crate::spaces::{FUNCTIONS, WINDOW};
use crate::values::{Form, LONG, Sort, Type, WORD};

/// Instructions without an effect here: those of caches, and copies that are done at once.
pub fn nothing<'a>(_: &mut Lowering<'a>, _: &Form, _: &[Operand<'a>]) -> Result {
    Ok(())
}

/// Instructions without operands that count.
pub fn alone<'a>(lowering: &mut Lowering<'a>, form: &Form, _: &[Operand<'a>]) -> Result {
    if form.name == "ret" && !lowering.is_entry {
        lowering.leave();
        return Ok(());
    }
    lowering.push(match form.name {
        "ret" | "exit" => Operation::Exit,
        "nanosleep" => Operation::Yield,
        "membar" | "fence" => Operation::Fence,
        _ => Operation::Trap,
    });
    Ok(())
}

pub fn branch<'a>(lowering: &mut Lowering<'a>, _: &Form, operands: &[Operand<'a>]) -> Result {
    let to = lowering.label(&operands[0])?;
    lowering.push(Operation::Branch { to });
    Ok(())
}

/// `brx.idx`
pub fn branch_of<'a>(lowering: &mut Lowering<'a>, _: &Form, operands: &[Operand<'a>]) -> Result {
    let targets = match &operands[1] {
        Operand::Name(list) => {
            lowering.scopes.iter().rev().find_map(|scope| scope.targets.get(list).copied())
        }
        _ => None,
    };
    let Some(targets) = targets else { return lowering.invalid("a list of labels expected") };
    let to = targets.iter().map(|target| lowering.label(&Operand::Name(target))).collect::<Result<_>>()?;
    let index = lowering.word(&operands[0])?;
    lowering.push(Operation::BranchOf { to, index });
    Ok(())
}

/// `call (results), function, (arguments), prototype`
pub fn call<'a>(lowering: &mut Lowering<'a>, _: &Form, operands: &[Operand<'a>]) -> Result {
    let (results, rest) = match operands {
        [Operand::List(results), rest @ ..] => (results.as_slice(), rest),
        rest => (&[][..], rest),
    };
    let (function, arguments) = match rest {
        [Operand::Name(function), Operand::List(arguments), ..] => (*function, arguments.as_slice()),
        [Operand::Name(function), ..] => (*function, &[][..]),
        _ => return lowering.invalid("a call of what is not a function"),
    };
    let ((results, taken), (arguments, given)) = (places(lowering, results)?, places(lowering, arguments)?);
    given.into_iter().for_each(|passed| lowering.store_passed(passed));
    let operation = match (function, &*arguments, &*results) {
        ("vprintf", &[format, list], &[result]) => Operation::Print { arguments: [format, list], result },
        ("__assertfail", &[message, file, number, ..], _) => {
            Operation::Assert { arguments: [message, file, number] }
        }
        _ => {
            let function = match lowering.find(function)? {
                Name::Fixed(address) if address >> WINDOW == FUNCTIONS => {
                    fits(lowering, address, [arguments.len(), results.len()])?;
                    lowering.source(&Operand::Name(function), LONG)?
                }
                Name::Register(..) => {
                    every_function(lowering);
                    lowering.source(&Operand::Name(function), LONG)?
                }
                _ => return lowering.invalid(format!("{function} is not a function")),
            };
            lowering.program.calls = true;
            Operation::Call { function, arguments, results, registers: 0, frame: 0 }
        }
    };
    lowering.push(operation);
    taken.into_iter().for_each(|passed| lowering.load_passed(passed));
    Ok(())
}

/// Refuses a call with other arguments than the function has.
fn fits(lowering: &Lowering, address: u64, given: [usize; 2]) -> Result {
    let function = &lowering.globals.module.functions[(address & 0xffff_ffff) as usize];
    if given == [function.parameters.len(), function.results.len()] && !function.is_entry {
        return Ok(());
    }
    lowering.invalid(format!("a call of {} with other arguments than it has", function.name))
}

/// A function by its address may be any.
fn every_function(lowering: &mut Lowering) {
    let all = lowering.globals.module.functions.iter().enumerate();
    let callable = all.filter(|(_, function)| !function.is_entry && function.body.is_some());
    lowering.to_do.extend(callable.map(|(index, _)| index));
}

/// Where a call's arguments are in the frame. A register gets a place there.
fn places(lowering: &mut Lowering, list: &[Operand]) -> Result<(Box<[u32]>, Vec<Passed>)> {
    let mut registers = Vec::new();
    let one = |operand: &Operand| match operand {
        Operand::Name(name) => match lowering.find(name)? {
            Name::Frame(offset) => Ok(offset),
            Name::Register(register, kind) if kind != Type::Pred => {
                let at = lowering.place_in_frame(8, 8)?;
                registers.push((at, register, kind));
                Ok(at)
            }
            _ => lowering.unsupported("a call with a predicate as its argument"),
        },
        _ => lowering.unsupported("a call with a number as its argument"),
    };
    let places = list.iter().map(one).collect::<Result<_>>()?;
    Ok((places, registers))
}

/// `bar` and `barrier`
pub fn barrier<'a>(lowering: &mut Lowering<'a>, form: &Form, operands: &[Operand<'a>]) -> Result {
    let (id, count) = (lowering.word(&operands[0])?, lowering.optional(operands, 1)?);
    lowering.push(Operation::Barrier { id, count, waits: form.has("sync"), reduce: None });
    Ok(())
}

/// `bar.red`
pub fn reducing_barrier<'a>(lowering: &mut Lowering<'a>, form: &Form, operands: &[Operand<'a>]) -> Result {
    let kind = form.one(&[("popc", Vote::Ballot), ("and", Vote::All)]).unwrap_or(Vote::Any);
    let [to, id, count @ .., value] = operands else { return lowering.invalid(form.opcode) };
    let to = lowering.to(to, if kind == Vote::Ballot { WORD } else { TRUTH })?;
    let value = lowering.predicate(value)?;
    let (id, count) = (lowering.word(id)?, lowering.optional(count, 0)?);
    lowering.push(Operation::Barrier { id, count, waits: true, reduce: Some((kind, value, to)) });
    Ok(())
}

/// Operations that the threads of a warp do together. The last operand has the members.
pub fn together<'a>(lowering: &mut Lowering<'a>, form: &Form, operands: &[Operand<'a>]) -> Result {
    let (rest, members) = match (form.has("sync"), operands) {
        (true, [rest @ .., members]) => (rest, Some(lowering.word(members)?)),
        _ => (operands, None),
    };
    let kind = form.kind();
    let what = match (form.name, rest) {
        ("bar", []) => Together::Barrier,
        ("shfl", [to, value, by, limits]) => {
            let modes = [("up", Shuffle::Up), ("down", Shuffle::Down), ("bfly", Shuffle::Butterfly)];
            let mode = form.one(&modes).unwrap_or(Shuffle::Index);
            let (to, inside) = lowering.pair(to, WORD)?;
            let (value, by, limits) = (lowering.word(value)?, lowering.word(by)?, lowering.word(limits)?);
            Together::Shuffle { mode, to, inside, value, by, limits }
        }
        ("vote", [to, value]) => {
            let kinds = [("all", Vote::All), ("any", Vote::Any), ("uni", Vote::Uniform)];
            let kind = form.one(&kinds).unwrap_or(Vote::Ballot);
            let to = lowering.to(to, if kind == Vote::Ballot { WORD } else { TRUTH })?;
            Together::Vote { kind, to, value: lowering.predicate(value)? }
        }
        ("match", [to, value]) => {
            let ((to, same), bits) = (lowering.pair(to, WORD)?, kind.bits());
            let value = lowering.source(value, (bits, Sort::Bits))?;
            match form.has("all") {
                true => Together::MatchAll { to, same, value, bits },
                false => Together::MatchAny { to, value, bits },
            }
        }
        ("redux", [to, value]) => {
            let Some(operation) = form.one(ATOMICS) else { return lowering.unsupported(form.opcode) };
            let to = lowering.to(to, kind.want())?;
            Together::Reduce { operation, kind, to, value: lowering.source(value, kind.want())? }
        }
        ("activemask", [to]) => Together::Active { to: lowering.to(to, WORD)? },
        ("elect", [to]) => {
            let (to, is_elected) = lowering.pair(to, WORD)?;
            Together::Elect { to, is_elected }
        }
        _ => return lowering.arity(form, operands),
    };
    lowering.push(Operation::Together { what, members });
    Ok(())
}
