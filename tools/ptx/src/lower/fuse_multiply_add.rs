//! Joins a product and a sum or a difference into one `fma`, only where ptxas does so too (measured).

use std::collections::HashMap;
use std::ptr;

use crate::parse::{Operand, ParsedInstruction, Statement};

/// A sum (`add` or `sub`), one operand of which is a product (`mul`). The sum becomes an `fma` of the product's two
/// operands and the sum's other operand. For `sub`, one operand of the `fma` is negated.
#[derive(Clone, Copy)]
pub struct FusedSum<'a> {
    pub product: &'a ParsedInstruction<'a>,
    /// Which operand of the sum the product is: 1 or 2.
    pub place: usize,
}

/// The sums that become an `fma`, by the addresses of their [`ParsedInstruction`]s.
pub type FmaFusions<'a> = HashMap<usize, FusedSum<'a>>;

fn unrounded_arithmetic<'a>(instruction: &ParsedInstruction<'a>, name: &str) -> Option<(bool, &'a str)> {
    const TYPES: [&str; 6] = ["f32", "f64", "f16", "f16x2", "bf16", "bf16x2"];
    let (own_name, modifiers) = instruction.opcode.split_once('.')?;
    let is_sum = matches!(own_name, "add" | "sub") && name == "add";
    let rest = modifiers.strip_prefix("ftz.").unwrap_or(modifiers);
    let kind = rest.strip_prefix("sat.").filter(|_| is_sum).unwrap_or(rest);
    let fits = (is_sum || own_name == name) && TYPES.contains(&kind) && instruction.operands.len() == 3;
    fits.then_some((modifiers.starts_with("ftz."), kind))
}

fn for_each_operand_name<'a>(operand: &Operand<'a>, each: &mut dyn FnMut(&'a str)) {
    match operand {
        Operand::Name(name)
        | Operand::Component(name, _)
        | Operand::Not(name)
        | Operand::Element(_, _, name, _) => each(name),
        Operand::Number(_) | Operand::Within(..) => {}
        Operand::Vector(all) | Operand::List(all) | Operand::Address(all, _) => {
            all.iter().for_each(|one| for_each_operand_name(one, each));
        }
        Operand::Pair(pair) => pair.iter().for_each(|one| for_each_operand_name(one, each)),
    }
}

type InstructionInBlock<'a> = (&'a ParsedInstruction<'a>, u32);

fn collect_instructions<'a>(
    all: &'a [Statement<'a>],
    block: &mut u32,
    out: &mut Vec<InstructionInBlock<'a>>,
) {
    for statement in all {
        match statement {
            Statement::Label(_) => *block += 1,
            Statement::Block(inner) => collect_instructions(inner, block, out),
            Statement::Instruction(instruction) => {
                out.push((instruction, *block));
                let name = instruction.opcode.split('.').next().unwrap_or("");
                *block += u32::from(matches!(name, "bra" | "brx" | "call" | "ret" | "exit" | "trap"));
            }
            _ => {}
        }
    }
}

/// Returns the sums and differences of a function that become an `fma`.
pub fn plan_fusions<'a>(statements: &'a [Statement<'a>]) -> FmaFusions<'a> {
    let (mut all, mut uses, mut products) = (Vec::new(), HashMap::<_, usize>::new(), HashMap::new());
    let mut written = HashMap::<_, Vec<usize>>::new();
    collect_instructions(statements, &mut 0, &mut all);
    for (index, (instruction, _)) in all.iter().enumerate() {
        for (place, operand) in instruction.operands.iter().enumerate() {
            for_each_operand_name(operand, &mut |name| {
                *uses.entry(name).or_default() += 1;
                if place == 0 {
                    written.entry(name).or_default().push(index);
                }
            });
        }
        if let Some((name, _)) = instruction.guard {
            *uses.entry(name).or_default() += 1;
        } else if let (Some(_), [Operand::Name(to), ..]) =
            (unrounded_arithmetic(instruction, "mul"), &*instruction.operands)
        {
            products.insert(*to, index);
        }
    }
    // If operand number `place` of a sum is a product that may be joined with the sum, returns the product's register.
    let product_at = |index: usize, place: usize| -> Option<&'a str> {
        let (sum, block) = all[index];
        let kind = unrounded_arithmetic(sum, "add")?;
        let (Operand::Name(name), Operand::Name(to)) = (&sum.operands[place], &sum.operands[0]) else {
            return None;
        };
        let at = *products.get(name)?;
        let (product, of) = all[at];
        let is_changed = |operand: &Operand<'a>| match operand {
            Operand::Name(name) => written.get(name).is_some_and(|places| {
                let after = places.partition_point(|place| *place <= at);
                places.get(after).is_some_and(|place| *place < index)
            }),
            _ => false,
        };
        let fits = at < index && of == block && unrounded_arithmetic(product, "mul") == Some(kind);
        let stays = fits && !product.operands[1..].iter().any(is_changed);
        let is_twice = sum.operands[1] == sum.operands[2];
        let is_own = sum.guard.is_some() && to == name;
        (stays && !is_twice && !is_own).then_some(*name)
    };
    let mut joined = HashMap::<&str, usize>::new();
    for name in (0..all.len()).flat_map(|index| [1, 2].map(|place| product_at(index, place))).flatten() {
        *joined.entry(name).or_default() += 1;
    }
    let (mut kept, mut plan) = (Vec::new(), FmaFusions::new());
    for (index, (sum, _)) in all.iter().enumerate() {
        let candidate = |place: usize| product_at(index, place).map(|name| (place, name));
        let is_free = |(_, name): &(usize, &'a str)| uses[name] == joined[name] + 1 && !kept.contains(name);
        let Some((place, name)) = [1, 2].into_iter().filter_map(candidate).find(is_free) else { continue };
        kept.extend(product_at(index, 3 - place));
        plan.insert(ptr::from_ref(*sum).addr(), FusedSum { product: all[products[name]].0, place });
    }
    plan
}
