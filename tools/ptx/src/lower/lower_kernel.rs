//! A kernel, and the functions that it calls, one after the other in one program.

use std::collections::HashMap;

use super::fuse_multiply_add;
use super::lowering_context::{HIDDEN_REGISTERS, LoweringContext};
use super::symbol_names::{DYNAMIC_SHARED, ModuleSymbols, Symbol, SymbolScope};
use crate::alu::PtxType;
use crate::parse::ParsedFunction;
use crate::parse::load_error::{Result, unsupported};
use crate::program::address_spaces::{SHARED, WINDOW};
use crate::program::operations::{FunctionLayout, Kernel, KernelParameter, Operation};

/// Lowers a kernel.
pub fn lower_kernel<'a>(globals: &'a ModuleSymbols<'a>, entry: &'a ParsedFunction<'a>) -> Result<Kernel> {
    if let Some((line, directive)) = entry.refused {
        return unsupported(line, directive);
    }
    let mut ctx = LoweringContext::new(globals);
    ctx.lower_function(entry)?;
    let registers = ctx.declared_registers;
    ctx.program.entry = ctx.layout.clone();
    ctx.is_entry = false;
    while let Some(index) = ctx.pending_functions.pop() {
        if ctx.program.functions[index].is_some() {
            continue;
        }
        let function = &globals.module.functions[index];
        ctx.line = function.line;
        if function.body.is_none() {
            // On a GPU the driver supplies these functions.
            if matches!(function.name, "malloc" | "free") || function.name.starts_with("cuda") {
                return ctx.unsupported(function.name);
            }
            return ctx.invalid(format!("{} has no body", function.name));
        }
        // Noted before the function's body is lowered, since the body may call the function itself.
        ctx.program.functions[index] = Some(FunctionLayout::default());
        ctx.lower_function(function)?;
        ctx.program.functions[index] = Some(ctx.layout.clone());
    }
    ctx.place_dynamic_shared();
    let parameters =
        entry.parameters.iter().map(|p| KernelParameter { size: p.size, alignment: p.alignment });
    Ok(Kernel {
        name: entry.name.to_owned(),
        parameters: parameters.collect(),
        shared_bytes: ctx.shared_bytes,
        local_bytes: ctx.program.entry.frame as usize,
        constant_bytes: globals.module.variables.iter().filter(|v| v.space == "const").map(|v| v.size).sum(),
        registers,
        required_block: entry.required,
        max_threads: entry.most,
        program: ctx.program,
        memory: globals.memory.clone(),
        heap: globals.heap.clone(),
    })
}

impl<'a> LoweringContext<'a> {
    fn lower_function(&mut self, function: &'a ParsedFunction<'a>) -> Result {
        let first = self.program.code.len();
        self.layout =
            FunctionLayout { start: first as u32, registers: HIDDEN_REGISTERS, ..FunctionLayout::default() };
        self.declared_registers = 0;
        (self.line, self.input) = (function.line, function.linkage.input);
        self.scopes = vec![SymbolScope::default()];
        self.labels.clear();
        self.result_registers.clear();
        self.declare_parameters(function)?;
        let body = function.body.as_deref().unwrap_or_default();
        self.fused =
            if self.globals.module.is_debug { HashMap::new() } else { fuse_multiply_add::plan_fusions(body) };
        self.lower_block(body)?;
        if self.is_entry {
            self.push_operation(Operation::Exit);
        } else {
            self.push_return();
        }
        self.layout.frame = self.layout.frame.next_multiple_of(16);
        // Labels' numbers become places.
        let place = |label: u32, labels: &[Option<u32>]| labels[label as usize].unwrap_or(0);
        for instruction in &mut self.program.code[first..] {
            match &mut instruction.operation {
                Operation::Branch { to } => *to = place(*to, &self.labels),
                Operation::BranchOf { to, .. } => to.iter_mut().for_each(|to| *to = place(*to, &self.labels)),
                Operation::Call { registers, frame, .. } => {
                    (*registers, *frame) = (self.layout.registers, self.layout.frame);
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// A kernel's parameters are the launch's, those of a function are in its frame.
    fn declare_parameters(&mut self, function: &'a ParsedFunction<'a>) -> Result {
        let mut end = 0_usize;
        for (index, parameter) in function.results.iter().chain(&function.parameters).enumerate() {
            let name = if self.is_entry {
                let at = end.next_multiple_of(parameter.alignment);
                end = at + parameter.size;
                Symbol::Parameter(at as u64)
            } else {
                let at = self.allocate_in_frame(parameter.size, parameter.alignment)?;
                let is_result = index < function.results.len();
                let list = if is_result { &mut self.layout.results } else { &mut self.layout.parameters };
                list.push((at, parameter.size as u32));
                match PtxType::parse(parameter.kind) {
                    Some(kind) if parameter.space == "reg" => {
                        let register = self.new_registers(1)?;
                        if is_result {
                            self.result_registers.push((at, register, kind));
                        } else {
                            self.load_passed((at, register, kind));
                        }
                        Symbol::Register(register, kind)
                    }
                    _ => Symbol::Frame(at),
                }
            };
            self.scopes[0].names.insert(parameter.name, name);
        }
        Ok(())
    }

    /// Shared memory whose size the launch decides is behind all other.
    fn place_dynamic_shared(&mut self) {
        self.shared_bytes = self.shared_bytes.next_multiple_of(16);
        let end = self.shared_bytes as u64;
        for constant in &mut self.program.constants {
            for window in [0, SHARED << WINDOW] {
                if self.dynamic_shared.iter().any(|name| *constant == window | DYNAMIC_SHARED | name) {
                    *constant = window | end;
                }
            }
        }
    }
}
