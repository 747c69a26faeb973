//! Links lowered functions into a kernel: lays out shared variables and read-only registers.

use std::collections::HashMap;

use crate::parse::load_error::{Result, invalid_at_line};
use crate::program::operations::{
    FunctionLayout, Kernel, MAX_SHARED_BYTES, ProgramInstruction, ReadOnlyRegister, SharedVariableId,
};

/// The lowered functions of a module, and their operations. A function is `None` until a kernel needs it.
#[derive(Default)]
pub struct LoweredModule {
    pub functions: Vec<Option<Result<LoweredFunction>>>,
    pub code: Vec<ProgramInstruction>,
}

#[derive(Default)]
pub struct LoweredFunction {
    pub line: u32,
    /// The operations, until `lower_function` moves them to [`LoweredModule::code`].
    pub code: Vec<ProgramInstruction>,
    pub layout: FunctionLayout,
    pub read_only: Vec<ReadOnlyRegister>,
    /// The shared variables that the function uses, each with its size and alignment.
    pub shared: Vec<(SharedVariableId, usize, usize)>,
    pub declared_registers: u32,
    pub callees: Vec<usize>,
}

/// Links the functions of a kernel. The first one is the entry.
pub fn link_kernel(functions: &[usize], mut kernel: Kernel, lowered: &LoweredModule) -> Result<Kernel> {
    let functions = Vec::from_iter(functions.iter().map(|index| match &lowered.functions[*index] {
        Some(Ok(function)) => (*index, function),
        _ => unreachable!("each function of a kernel is lowered"),
    }));
    let (entry, entry_function) = functions[0];
    kernel.registers = entry_function.declared_registers;
    kernel.local_bytes = entry_function.layout.frame as usize;
    // The launch decides the size of variables of size 0. They all begin at one address, after the other variables.
    let (mut places, mut end, mut dynamic) = (HashMap::new(), 0_usize, Vec::new());
    for (_, function) in &functions {
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
    kernel.shared_bytes = end.next_multiple_of(16);
    places.extend(dynamic.into_iter().map(|variable| (variable, kernel.shared_bytes as u64)));
    let program = &mut kernel.program;
    for (index, function) in functions {
        let read_only = program.read_only.len() as u32;
        program.functions.insert(index, FunctionLayout { read_only, ..function.layout.clone() });
        program.read_only.extend(function.read_only.iter().map(|register| match register {
            ReadOnlyRegister::SharedAddress(variable) => ReadOnlyRegister::Constant(places[variable]),
            other => *other,
        }));
    }
    // The entry is removed from the functions that may be called.
    program.entry = program.functions.remove(&entry).unwrap_or_default();
    Ok(kernel)
}
