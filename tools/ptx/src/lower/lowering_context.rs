//! The state while a function is lowered, with the function's operations so far.

use std::collections::HashMap;

use super::function_linking::LoweredFunction;
use super::fuse_multiply_add::FmaFusions;
use super::symbol_names::{ModuleSymbols, Symbol, SymbolScope};
use crate::alu::{AluOp, PtxType};
use crate::parse::ParsedFunction;
use crate::parse::load_error::{Result, invalid_at_line};
use crate::program::operations::{
    FunctionLayout, MemoryOperand, Operation, ProgramInstruction, READ_ONLY, ReadOnlyRegister, Register,
    SharedVariableId,
};

// Registers that every function has: two for intermediate results, and the carry.
pub const TEMP_0: u32 = 0;
pub const TEMP_1: u32 = 1;
pub const CARRY: u32 = 2;
/// The registers for the two results of a comparison.
pub const COMPARISON_RESULTS: [u32; 2] = [3, 4];
/// The register for a negated predicate that is combined with a comparison's results, or for a new carry.
pub const COMBINED_PREDICATE: u32 = 5;
pub const HIDDEN_REGISTERS: u32 = 6;

/// An argument or a result that is a register: its offset in the frame, the register, and the type.
pub type RegisterArgument = (u32, u32, PtxType);

const MAX_REGISTERS: u32 = 1 << 16;

pub struct LoweringContext<'a> {
    pub globals: &'a ModuleSymbols<'a>,
    index: usize,
    pub parsed: &'a ParsedFunction<'a>,
    pub function: LoweredFunction,
    known_values: HashMap<ReadOnlyRegister, Register>,
    pub scopes: Vec<SymbolScope<'a>>,
    pub line: u32,
    /// The index of the operation that follows each label, or `None` until the label is lowered.
    pub labels: Vec<Option<u32>>,
    pub result_registers: Vec<RegisterArgument>,
    pub fused: FmaFusions<'a>,
}

impl<'a> LoweringContext<'a> {
    pub fn new(globals: &'a ModuleSymbols<'a>, index: usize) -> Self {
        let parsed = &globals.module.functions[index];
        let layout = FunctionLayout { registers: HIDDEN_REGISTERS, ..FunctionLayout::default() };
        Self {
            globals,
            index,
            parsed,
            function: LoweredFunction { line: parsed.line, layout, ..LoweredFunction::default() },
            known_values: HashMap::new(),
            scopes: vec![SymbolScope::default()],
            line: parsed.line,
            labels: Vec::new(),
            result_registers: Vec::new(),
            fused: FmaFusions::new(),
        }
    }

    pub fn invalid<T>(&self, what: impl Into<String>) -> Result<T> {
        invalid_at_line(self.line, what)
    }

    pub fn unsupported<T>(&self, name: impl std::fmt::Display) -> Result<T> {
        crate::parse::load_error::unsupported_at_line(self.line, name)
    }

    pub fn read_only_register(&mut self, value: ReadOnlyRegister) -> Register {
        let values = &mut self.function.read_only;
        *self.known_values.entry(value).or_insert_with(|| {
            values.push(value);
            READ_ONLY | (values.len() - 1) as u32
        })
    }

    pub fn constant_register(&mut self, bits: u64) -> Register {
        self.read_only_register(ReadOnlyRegister::Constant(bits))
    }

    pub fn push_operation(&mut self, operation: Operation) {
        self.function.code.push(ProgramInstruction { guard: None, line: self.line, operation });
    }

    pub fn push_alu_op(&mut self, compute: AluOp, to: u32, operands: &[Register]) {
        let mut from = [operands[0]; 4];
        from[..operands.len()].copy_from_slice(operands);
        self.push_operation(Operation::Compute { compute, to, from });
    }

    /// Adds registers to the function, and returns the number of the first.
    pub fn new_registers(&mut self, count: u32) -> Result<u32> {
        let function = &mut self.function;
        function.declared_registers = function.declared_registers.saturating_add(count);
        if function.declared_registers > MAX_REGISTERS {
            return self.unsupported(format!("a function with more than {MAX_REGISTERS} registers"));
        }
        function.layout.registers += count;
        Ok(function.layout.registers - count)
    }

    pub fn allocate_in_frame(&mut self, size: usize, alignment: usize) -> Result<u32> {
        let at = (self.function.layout.frame as usize).next_multiple_of(alignment);
        // The limit of a thread's local memory on a GPU.
        if at + size > 512 << 10 {
            return self.invalid("more than 512 KiB of local memory");
        }
        self.function.layout.frame = (at + size) as u32;
        Ok(at as u32)
    }

    pub fn store_register_argument(&mut self, (at, register, kind): RegisterArgument) {
        let from = [(register, kind.bits() == 64)].into();
        self.push_operation(Operation::Store { to: MemoryOperand::in_frame(at.into()), kind, from });
    }

    pub fn load_register_argument(&mut self, (at, register, kind): RegisterArgument) {
        let to = [(register, kind.bits() == 64)].into();
        self.push_operation(Operation::Load { from: MemoryOperand::in_frame(at.into()), kind, to });
    }

    pub fn push_exit_or_return(&mut self) {
        if self.parsed.is_entry {
            return self.push_operation(Operation::Exit);
        }
        self.result_registers.clone().into_iter().for_each(|passed| self.store_register_argument(passed));
        self.push_operation(Operation::Return);
    }

    /// Adds a shared variable: the module's variable `number`, or without a number a new variable of the function.
    pub fn declare_shared(&mut self, number: Option<usize>, size: usize, alignment: usize) -> Symbol {
        let own = SharedVariableId::OfFunction(self.index, self.function.shared.len());
        let variable = number.map_or(own, SharedVariableId::OfModule);
        if self.function.shared.iter().all(|(known, ..)| *known != variable) {
            self.function.shared.push((variable, size, alignment));
        }
        Symbol::Shared(variable)
    }
}
