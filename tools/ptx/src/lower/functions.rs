//! A kernel, and the functions that it calls, one after the other in one program.

use std::collections::HashMap;

use super::contract;
use super::lowering::{HIDDEN, Lowering};
use super::names::{DYNAMIC, Globals, Name, Scope};
use crate::error::{Result, unsupported};
use crate::parse::Function;
use crate::program::{Callee, Kernel, Operation, Parameter};
use crate::spaces::{SHARED, WINDOW};
use crate::values::Type;

/// Lowers a kernel.
pub fn kernel<'a>(globals: &'a Globals<'a>, entry: &'a Function<'a>) -> Result<Kernel> {
    if let Some((line, directive)) = entry.refused {
        return unsupported(line, directive);
    }
    let mut lowering = Lowering::new(globals);
    lowering.function(entry)?;
    let registers = lowering.declared;
    lowering.program.entry = lowering.callee.clone();
    lowering.is_entry = false;
    while let Some(index) = lowering.to_do.pop() {
        if lowering.program.functions[index].is_some() {
            continue;
        }
        let function = &globals.module.functions[index];
        lowering.line = function.line;
        if function.body.is_none() {
            // On a GPU the driver supplies these functions.
            if matches!(function.name, "malloc" | "free") || function.name.starts_with("cuda") {
                return lowering.unsupported(function.name);
            }
            return lowering.invalid(format!("{} has no body", function.name));
        }
        // Noted before the function's body is lowered, since the body may call the function itself.
        lowering.program.functions[index] = Some(Callee::default());
        lowering.function(function)?;
        lowering.program.functions[index] = Some(lowering.callee.clone());
    }
    lowering.place_dynamic();
    let parameters = entry.parameters.iter().map(|p| Parameter { size: p.size, alignment: p.alignment });
    Ok(Kernel {
        name: entry.name.to_owned(),
        parameters: parameters.collect(),
        shared: lowering.shared,
        local: lowering.program.entry.frame as usize,
        constant: globals.module.variables.iter().filter(|v| v.space == "const").map(|v| v.size).sum(),
        registers,
        required: entry.required,
        most: entry.most,
        program: lowering.program,
        memory: globals.memory.clone(),
    })
}

impl<'a> Lowering<'a> {
    fn function(&mut self, function: &'a Function<'a>) -> Result {
        let first = self.program.code.len();
        self.callee = Callee { start: first as u32, registers: HIDDEN, ..Callee::default() };
        self.declared = 0;
        self.line = function.line;
        self.scopes = vec![Scope::default()];
        self.labels.clear();
        self.results.clear();
        self.parameters(function)?;
        let body = function.body.as_deref().unwrap_or_default();
        self.fused = if self.globals.module.is_debug { HashMap::new() } else { contract::plan(body) };
        self.block(body)?;
        if self.is_entry {
            self.push(Operation::Exit);
        } else {
            self.leave();
        }
        self.callee.frame = self.callee.frame.next_multiple_of(16);
        // Labels' numbers become places.
        let place = |label: u32, labels: &[Option<u32>]| labels[label as usize].unwrap_or(0);
        for instruction in &mut self.program.code[first..] {
            match &mut instruction.operation {
                Operation::Branch { to } => *to = place(*to, &self.labels),
                Operation::BranchOf { to, .. } => to.iter_mut().for_each(|to| *to = place(*to, &self.labels)),
                Operation::Call { registers, frame, .. } => {
                    (*registers, *frame) = (self.callee.registers, self.callee.frame);
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// A kernel's parameters are the launch's, those of a function are in its frame.
    fn parameters(&mut self, function: &'a Function<'a>) -> Result {
        let mut end = 0_usize;
        for (index, parameter) in function.results.iter().chain(&function.parameters).enumerate() {
            let name = if self.is_entry {
                let at = end.next_multiple_of(parameter.alignment);
                end = at + parameter.size;
                Name::Parameter(at as u64)
            } else {
                let at = self.place_in_frame(parameter.size, parameter.alignment)?;
                let is_result = index < function.results.len();
                let list = if is_result { &mut self.callee.results } else { &mut self.callee.parameters };
                list.push((at, parameter.size as u32));
                match Type::parse(parameter.kind) {
                    Some(kind) if parameter.space == "reg" => {
                        let register = self.new_registers(1)?;
                        if is_result {
                            self.results.push((at, register, kind));
                        } else {
                            self.load_passed((at, register, kind));
                        }
                        Name::Register(register, kind)
                    }
                    _ => Name::Frame(at),
                }
            };
            self.scopes[0].names.insert(parameter.name, name);
        }
        Ok(())
    }

    /// Shared memory whose size the launch decides is behind all other.
    fn place_dynamic(&mut self) {
        self.shared = self.shared.next_multiple_of(16);
        let end = self.shared as u64;
        for constant in &mut self.program.constants {
            for window in [0, SHARED << WINDOW] {
                if self.dynamic.iter().any(|name| *constant == window | DYNAMIC | name) {
                    *constant = window | end;
                }
            }
        }
    }
}
