//! Links lowered functions into the program of a kernel. Each function is lowered once, and copied into each kernel that
//! calls it. Linking numbers the registers that all functions of a program share, and places shared variables.

use std::collections::HashMap;

use super::symbol_names::{ProgramWideValue, SPECIAL_REGISTERS, SharedVariableId};
use crate::parse::load_error::{Result, invalid_at_line};
use crate::program::operations::{
    FunctionLayout, ImageInstruction, ImageOp, Kernel, KernelProgram, MAX_SHARED_BYTES,
    MAX_SPECIAL_REGISTERS, MemoryOperand, Operation, PROGRAM_WIDE, ProgramInstruction, Register,
    WarpCollective,
};

/// The functions of a module, each of which is lowered when a kernel first needs it.
pub type LoweringCache = Vec<Option<Result<LoweredFunction>>>;

/// The operations of one function before linking: a program-wide register has its number in `values`.
#[derive(Default)]
pub struct LoweredFunction {
    pub line: u32,
    pub code: Vec<ProgramInstruction>,
    pub layout: FunctionLayout,
    pub values: Vec<ProgramWideValue>,
    /// The shared variables, each with its size and alignment.
    pub shared: Vec<(SharedVariableId, usize, usize)>,
    pub declared_registers: u32,
    pub calls: bool,
    pub callees: Vec<usize>,
}

/// The functions of a kernel, the entry first, with the places of the shared variables.
pub struct KernelLinkPlan {
    functions: Vec<usize>,
    template: Kernel,
    places: HashMap<SharedVariableId, u64>,
}

impl KernelLinkPlan {
    /// Places the shared variables. Those whose size the launch decides are behind all others.
    pub fn new(functions: Vec<usize>, mut template: Kernel, lowered: &LoweringCache) -> Result<Self> {
        let (mut places, mut end, mut dynamic) = (HashMap::new(), 0_usize, Vec::new());
        for index in &functions {
            let Some(Ok(function)) = &lowered[*index] else { continue };
            for (variable, size, alignment) in &function.shared {
                if *size == 0 {
                    dynamic.push(*variable);
                } else if !places.contains_key(variable) {
                    let at = end.next_multiple_of(*alignment);
                    places.insert(*variable, at as u64);
                    end = at + size;
                }
            }
            if end > MAX_SHARED_BYTES {
                let what = format!("more than {MAX_SHARED_BYTES} bytes of shared variables");
                return invalid_at_line(function.line, what);
            }
        }
        template.shared_bytes = end.next_multiple_of(16);
        places.extend(dynamic.into_iter().map(|variable| (variable, template.shared_bytes as u64)));
        Ok(Self { functions, template, places })
    }

    /// Returns the kernel, which has a copy of each function.
    pub fn link_kernel(&self, lowered: &LoweringCache) -> Kernel {
        let mut program = KernelProgram { functions: vec![None; lowered.len()], ..KernelProgram::default() };
        let mut known = HashMap::new();
        for (place, index) in self.functions.iter().enumerate() {
            let Some(Ok(function)) = &lowered[*index] else { continue };
            let numbers = function.values.iter().map(|value| {
                let bits = match value {
                    ProgramWideValue::Special(special) => {
                        return *known.entry(*value).or_insert_with(|| {
                            program.specials.push(SPECIAL_REGISTERS[*special]);
                            program.specials.len() - 1
                        });
                    }
                    ProgramWideValue::Constant(bits) => *bits,
                    ProgramWideValue::SharedAddress(variable) => self.places[variable],
                };
                *known.entry(ProgramWideValue::Constant(bits)).or_insert_with(|| {
                    program.constants.push(bits);
                    MAX_SPECIAL_REGISTERS + program.constants.len() - 1
                })
            });
            let numbers = Vec::from_iter(numbers);
            let start = program.code.len() as u32;
            for instruction in &function.code {
                let mut instruction = instruction.clone();
                let mut renumber = |register: &mut Register| {
                    if *register & PROGRAM_WIDE != 0 {
                        *register = PROGRAM_WIDE | numbers[(*register & !PROGRAM_WIDE) as usize] as u32;
                    }
                };
                instruction.guard.iter_mut().for_each(|(register, _)| renumber(register));
                for_each_read_register(&mut instruction.operation, &mut renumber);
                match &mut instruction.operation {
                    Operation::Branch { to } => *to += start,
                    Operation::BranchOf { to, .. } => to.iter_mut().for_each(|to| *to += start),
                    _ => {}
                }
                program.code.push(instruction);
            }
            program.calls |= function.calls;
            let mut layout = function.layout.clone();
            layout.start = start;
            match place {
                0 => program.entry = layout,
                _ => program.functions[*index] = Some(layout),
            }
        }
        Kernel { program, ..self.template.clone() }
    }
}

fn for_each_read_register(operation: &mut Operation, renumber: &mut impl FnMut(&mut Register)) {
    let mut base = |address: &mut MemoryOperand| address.base.iter_mut().for_each(|(base, _)| renumber(base));
    match operation {
        Operation::Load { from: address, .. }
        | Operation::Store { to: address, .. }
        | Operation::Atomic { address, .. } => base(address),
        Operation::Copy { to, from, .. } => [to, from].into_iter().for_each(base),
        _ => {}
    }
    match operation {
        Operation::Compute { from, .. } => from.iter_mut().for_each(renumber),
        Operation::Store { from, .. } => from.iter_mut().for_each(|(register, _)| renumber(register)),
        Operation::Atomic { b, c, .. } => [b, c].into_iter().for_each(renumber),
        Operation::Copy { count, .. } => renumber(count),
        Operation::BranchOf { index: register, .. } | Operation::Call { function: register, .. } => {
            renumber(register)
        }
        Operation::Barrier { id, count, reduce, .. } => {
            [id].into_iter().chain(count).for_each(&mut *renumber);
            reduce.iter_mut().for_each(|(_, (register, _), _)| renumber(register));
        }
        Operation::Collective { collective, members } => {
            match collective {
                WarpCollective::Shuffle { value, b, c, .. } => {
                    [value, b, c].into_iter().for_each(&mut *renumber)
                }
                WarpCollective::Vote { value: (value, _), .. }
                | WarpCollective::MatchAny { value: (value, _), .. }
                | WarpCollective::MatchAll { value: (value, _), .. }
                | WarpCollective::Reduce { value, .. } => renumber(value),
                WarpCollective::Barrier | WarpCollective::Active { .. } | WarpCollective::Elect { .. } => {}
            }
            members.iter_mut().for_each(renumber);
        }
        Operation::Image(ImageInstruction { op, object, at, texel, .. }) => {
            if let ImageOp::Sample { level: Some(level), .. } = op {
                renumber(level);
            }
            let texel = texel.iter_mut().map(|(register, _)| register);
            [object].into_iter().chain(at).chain(texel).for_each(renumber);
        }
        Operation::Load { .. }
        | Operation::Frame { .. }
        | Operation::Branch { .. }
        | Operation::Print { .. }
        | Operation::Allocate { .. }
        | Operation::Free { .. }
        | Operation::Assert { .. }
        | Operation::Return
        | Operation::Exit
        | Operation::Trap
        | Operation::Fence
        | Operation::Yield
        | Operation::Clock { .. } => {}
    }
}
