//! Lowers a kernel and the functions that it calls. A function that several kernels call is lowered once.

use std::collections::HashSet;

use super::function_linking::{self, LoweredFunction, LoweredModule};
use super::fuse_multiply_add;
use super::lowering_context::LoweringContext;
use super::symbol_names::{ModuleSymbols, Symbol};
use crate::alu::PtxType;
use crate::parse::load_error::{Result, unsupported_at_line};
use crate::program::operations::{Kernel, KernelParameter, KernelProgram, Operation, ProgramInstruction};

/// The names of libcudadevrt's functions begin with `cuda` or, from CUDA 12 on, with `__cudaCDP2`.
fn is_supplied_by_cuda(function: &str) -> bool {
    ["malloc", "free"].contains(&function)
        || ["cuda", "__cudaCDP2"].iter().any(|start| function.starts_with(start))
}

/// Lowers a kernel and the functions that it calls. The caller must then set the kernel's operations, `program.code`.
pub fn lower_kernel(globals: &ModuleSymbols, entry: usize, lowered: &mut LoweredModule) -> Result<Kernel> {
    let (mut functions, mut known, mut next) = (vec![entry], HashSet::from([entry]), 0);
    while let Some(&index) = functions.get(next) {
        let lower = || LoweringContext::new(globals, index).lower_function(&mut lowered.code);
        let function = lowered.functions[index].get_or_insert_with(lower).as_ref().map_err(Clone::clone)?;
        functions.extend(function.callees.iter().filter(|callee| known.insert(**callee)));
        next += 1;
    }
    let function = &globals.module.functions[entry];
    let parameters = function.parameters.iter();
    let constants = globals.module.variables.iter().filter(|variable| variable.space == "const");
    let kernel = Kernel {
        name: function.name.to_owned(),
        parameters: parameters.map(|p| KernelParameter { size: p.size, alignment: p.alignment }).collect(),
        shared_bytes: 0,
        local_bytes: 0,
        constant_bytes: constants.map(|variable| variable.size).sum(),
        required_block: function.required,
        registers: 0,
        max_threads: function.most,
        program: KernelProgram::default(),
        memory: globals.memory.clone(),
    };
    function_linking::link_kernel(&functions, kernel, lowered)
}

impl<'a> LoweringContext<'a> {
    fn lower_function(mut self, all_code: &mut Vec<ProgramInstruction>) -> Result<LoweredFunction> {
        let function = self.parsed;
        if let Some((line, directive)) = function.refused {
            return unsupported_at_line(line, directive);
        }
        let Some(body) = &function.body else {
            if is_supplied_by_cuda(function.name) {
                return self.unsupported(function.name);
            }
            return self.invalid(format!("{} has no body", function.name));
        };
        self.declare_parameters()?;
        if !self.globals.module.is_debug {
            self.fused = fuse_multiply_add::plan_fusions(body);
        }
        self.lower_block(body)?;
        self.push_exit_or_return();
        let LoweredFunction { code, layout, .. } = &mut self.function;
        layout.frame = layout.frame.next_multiple_of(16);
        layout.start = all_code.len() as u32;
        let place = |label: &mut u32| *label = layout.start + self.labels[*label as usize].unwrap_or(0);
        for instruction in code.iter_mut() {
            match &mut instruction.operation {
                Operation::Branch { to } => place(to),
                Operation::BranchOf { to, .. } => to.iter_mut().for_each(place),
                Operation::Call { registers, frame, .. } => {
                    (*registers, *frame) = (layout.registers, layout.frame);
                }
                _ => {}
            }
        }
        all_code.append(code);
        Ok(self.function)
    }

    /// Declares a kernel's parameters in the launch's memory, or a function's parameters and results in its frame.
    fn declare_parameters(&mut self) -> Result {
        let (function, mut end) = (self.parsed, 0_usize);
        for (index, parameter) in function.results.iter().chain(&function.parameters).enumerate() {
            let name = if function.is_entry {
                let at = end.next_multiple_of(parameter.alignment);
                end = at + parameter.size;
                Symbol::Parameter(at as u64)
            } else {
                let at = self.allocate_in_frame(parameter.size, parameter.alignment)?;
                let is_result = index < function.results.len();
                let layout = &mut self.function.layout;
                let list = if is_result { &mut layout.results } else { &mut layout.parameters };
                list.push((at, parameter.size as u32));
                match PtxType::parse_type(parameter.kind) {
                    Some(kind) if parameter.space == "reg" => {
                        let register = self.new_registers(1)?;
                        if is_result {
                            self.result_registers.push((at, register, kind));
                        } else {
                            self.load_register_argument((at, register, kind));
                        }
                        Symbol::Register(register, kind)
                    }
                    _ => Symbol::Frame(at),
                }
            };
            self.scopes[0].names.insert(parameter.name.into(), name);
        }
        Ok(())
    }
}
