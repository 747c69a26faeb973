//! The state while a kernel is lowered, and the instructions that were made.

use std::collections::HashMap;

use super::contract::Plan;
use super::names::{Globals, Scope};
use crate::error::{Result, invalid};
use crate::program::{self, Address, Callee, FIXED, Operation, Program, SPECIALS, Source, Space};
use crate::values::{Compute, Type};

// Registers that every function has: two for intermediate results, and the carry.
pub const FIRST: u32 = 0;
pub const SECOND: u32 = 1;
pub const CARRY: u32 = 2;
/// Predicates: the answers of a comparison, and what is combined with them.
pub const ANSWERS: [u32; 2] = [3, 4];
pub const BY: u32 = 5;
pub const HIDDEN: u32 = 6;

/// An argument or a result in a register: its place in the frame, the register, and the type.
pub type Passed = (u32, u32, Type);

/// A function declares at most so many registers.
const REGISTERS: u32 = 1 << 16;

pub struct Lowering<'a> {
    pub globals: &'a Globals<'a>,
    pub program: Program,
    /// Constants that the program has already.
    known: HashMap<u64, Source>,
    pub scopes: Vec<Scope<'a>>,
    /// The line that is being read.
    pub line: u32,
    /// The function that is being read, and how many registers it declares.
    pub callee: Callee,
    pub declared: u32,
    pub is_entry: bool,
    /// Where each label is, once it was met.
    pub labels: Vec<Option<u32>>,
    /// Functions that are called and not read yet.
    pub to_do: Vec<usize>,
    /// Results of the function that are in registers.
    pub results: Vec<Passed>,
    /// The bytes of shared memory, and where its variables of the module are.
    pub shared: usize,
    pub shared_names: HashMap<&'a str, u64>,
    /// Sums of the function that are joined with a product.
    pub fused: Plan<'a>,
    /// Variables whose size the launch decides: their placeholders.
    pub dynamic: Vec<u64>,
}

impl<'a> Lowering<'a> {
    pub fn new(globals: &'a Globals<'a>) -> Self {
        let functions = vec![None; globals.module.functions.len()];
        Self {
            globals,
            program: Program { functions, ..Program::default() },
            known: HashMap::new(),
            scopes: Vec::new(),
            line: 0,
            callee: Callee::default(),
            declared: 0,
            is_entry: true,
            labels: Vec::new(),
            to_do: Vec::new(),
            results: Vec::new(),
            shared: 0,
            shared_names: HashMap::new(),
            fused: Plan::new(),
            dynamic: Vec::new(),
        }
    }

    pub fn invalid<T>(&self, what: impl Into<String>) -> Result<T> {
        invalid(self.line, what)
    }

    pub fn unsupported<T>(&self, name: impl std::fmt::Display) -> Result<T> {
        crate::error::unsupported(self.line, name)
    }

    pub fn constant(&mut self, bits: u64) -> Source {
        let constants = &mut self.program.constants;
        *self.known.entry(bits).or_insert_with(|| {
            constants.push(bits);
            FIXED | (SPECIALS + constants.len() - 1) as u32
        })
    }

    pub fn push(&mut self, operation: Operation) {
        self.program.code.push(program::Instruction { guard: None, line: self.line, operation });
    }

    pub fn compute(&mut self, compute: Compute, to: u32, operands: &[Source]) {
        let mut from = [operands[0]; 4];
        from[..operands.len()].copy_from_slice(operands);
        self.push(Operation::Compute { compute, to, from });
    }

    /// Adds registers to the function, and returns the first one.
    pub fn new_registers(&mut self, count: u32) -> Result<u32> {
        self.declared = self.declared.saturating_add(count);
        if self.declared > REGISTERS {
            return self.unsupported(format!("a function with more than {REGISTERS} registers"));
        }
        let first = self.callee.registers;
        self.callee.registers += count;
        Ok(first)
    }

    /// Returns the offset of a new place in the frame.
    pub fn place_in_frame(&mut self, size: usize, alignment: usize) -> Result<u32> {
        let at = (self.callee.frame as usize).next_multiple_of(alignment);
        // As much as a thread has on a GPU.
        if at + size > 512 << 10 {
            return self.invalid("more than 512 KiB of local memory");
        }
        self.callee.frame = (at + size) as u32;
        Ok(at as u32)
    }

    pub fn store_passed(&mut self, (at, register, kind): Passed) {
        let address = Address { space: Space::Local, base: None, offset: at.into() };
        self.push(Operation::Store {
            address,
            bytes: kind.bytes(),
            from: [(register, kind.bits() == 64)].into(),
        });
    }

    pub fn load_passed(&mut self, (at, register, kind): Passed) {
        let address = Address { space: Space::Local, base: None, offset: at.into() };
        let to = [(register, kind.bits() == 64)].into();
        self.push(Operation::Load { address, bytes: kind.bytes(), signed: false, to });
    }

    /// The end of a function that is called.
    pub fn leave(&mut self) {
        self.results.clone().into_iter().for_each(|passed| self.store_passed(passed));
        self.push(Operation::Return);
    }

    /// Returns the offset of a new place in shared memory.
    pub fn place_in_shared(&mut self, size: usize, alignment: usize) -> Result<u64> {
        let at = self.shared.next_multiple_of(alignment);
        self.shared = at + size;
        if self.shared > program::SHARED {
            return self.invalid(format!("more than {} bytes of shared variables", program::SHARED));
        }
        Ok(at as u64)
    }
}
