//! What is known while a kernel is lowered, and the instructions that were made.

use std::collections::HashMap;

use super::contract::{Fused, Plan};
use super::names::{Globals, Scope};
use super::table::{self, Does, Found, Row};
use crate::error::{Result, invalid, unsupported};
use crate::parse::{self, Instruction, Statement};
use crate::program::{self, CONSTANT, Callee, Operation, Program, Source};
use crate::values::{self, Compute, Type};

// Registers that every function has: the carry, and two for intermediate results.
pub const CARRY: u32 = 0;
pub const FIRST: u32 = 1;
pub const SECOND: u32 = 2;
pub const HIDDEN: u32 = 3;

/// A function's registers are at most so many.
const REGISTERS: u32 = 1 << 16;

pub struct Lowering<'a> {
    pub globals: &'a Globals<'a>,
    pub program: Program,
    /// Constants that the program has already.
    known: HashMap<u64, Source>,
    pub scopes: Vec<Scope<'a>>,
    /// The function that is being read.
    pub callee: Callee,
    pub is_entry: bool,
    /// Where each label is, once it was met.
    pub labels: Vec<Option<u32>>,
    /// Functions that are called and not read yet.
    pub to_do: Vec<usize>,
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
            callee: Callee::default(),
            is_entry: true,
            labels: Vec::new(),
            to_do: Vec::new(),
            shared: 0,
            shared_names: HashMap::new(),
            fused: Plan::new(),
            dynamic: Vec::new(),
        }
    }

    pub fn constant(&mut self, bits: u64) -> Source {
        let constants = &mut self.program.constants;
        *self.known.entry(bits).or_insert_with(|| {
            constants.push([bits; 32]);
            CONSTANT | (constants.len() - 1) as u32
        })
    }

    pub fn push(&mut self, line: u32, operation: Operation) {
        self.program.code.push(program::Instruction { guard: None, line, operation });
    }

    pub fn compute(&mut self, line: u32, compute: Compute, to: u32, operands: &[Source]) {
        let mut from = [operands[0]; 4];
        from[..operands.len()].copy_from_slice(operands);
        self.push(line, Operation::Compute { compute, to, from });
    }

    /// Adds registers to the function, and returns the first one.
    pub fn new_registers(&mut self, line: u32, count: u32) -> Result<u32> {
        let first = self.callee.registers;
        if count > REGISTERS - first {
            return unsupported(line, format!("a function with more than {REGISTERS} registers"));
        }
        self.callee.registers += count;
        Ok(first)
    }

    /// Returns the offset of a new place in the frame.
    pub fn place_in_frame(&mut self, line: u32, size: usize, alignment: usize) -> Result<u32> {
        let at = (self.callee.frame as usize).next_multiple_of(alignment);
        // As much as a thread has on a GPU.
        if at + size > 512 << 10 {
            return invalid(line, "more than 512 KiB of local memory");
        }
        self.callee.frame = (at + size) as u32;
        Ok(at as u32)
    }

    /// Returns the offset of a new place in shared memory.
    pub fn place_in_shared(&mut self, line: u32, size: usize, alignment: usize) -> Result<u64> {
        let at = self.shared.next_multiple_of(alignment);
        self.shared = at + size;
        if self.shared > crate::SHARED {
            return invalid(line, format!("more than {} bytes of shared variables", crate::SHARED));
        }
        Ok(at as u64)
    }

    pub fn block(&mut self, statements: &'a [Statement<'a>]) -> Result {
        let mut scope = Scope::default();
        for statement in statements {
            match statement {
                Statement::Label(name) => {
                    scope.labels.insert(name, self.labels.len());
                    self.labels.push(None);
                }
                Statement::Targets(name, targets) => drop(scope.targets.insert(name, targets)),
                _ => {}
            }
        }
        self.scopes.push(scope);
        for statement in statements {
            self.statement(statement)?;
        }
        self.scopes.pop();
        Ok(())
    }

    fn scope(&mut self) -> &mut Scope<'a> {
        self.scopes.last_mut().expect("a function has a scope")
    }

    fn statement(&mut self, statement: &'a Statement<'a>) -> Result {
        match statement {
            Statement::Label(name) => {
                let label = self.scope().labels[name];
                self.labels[label] = Some(self.program.code.len() as u32);
            }
            Statement::Targets(..) => {}
            Statement::Block(inner) => self.block(inner)?,
            Statement::Registers(line, kind, name, count) => {
                let Some(kind) = Type::parse(kind) else {
                    return unsupported(*line, format!("registers of .{kind}"));
                };
                let first = self.new_registers(*line, count.unwrap_or(1))?;
                self.scope().declare_registers(name, first, *count, kind);
            }
            Statement::Variable(variable) => self.variable(variable)?,
            Statement::Instruction(instruction) => self.guarded(instruction)?,
        }
        Ok(())
    }

    fn variable(&mut self, variable: &'a parse::Variable<'a>) -> Result {
        use super::names::Name;
        let parse::Variable { line, size, alignment, name, space, .. } = *variable;
        let place = match space {
            "local" | "param" => Name::Frame(self.place_in_frame(line, size, alignment)?),
            "shared" => Name::Shared(self.place_in_shared(line, size, alignment)?),
            _ => return unsupported(line, format!("a variable of .{space} in a function")),
        };
        self.scope().names.insert(name, place);
        Ok(())
    }

    /// Lowers an instruction and the predicate before it. One that became several operations is jumped over.
    fn guarded(&mut self, instruction: &'a Instruction<'a>) -> Result {
        let (line, first) = (instruction.line, self.program.code.len());
        self.instruction(instruction)?;
        let Some((name, not)) = instruction.guard else { return Ok(()) };
        let (register, kind) = self.register(line, &parse::Operand::Name(name))?;
        if kind != Type::Pred {
            return invalid(line, format!("{name} is not a predicate"));
        }
        match &mut self.program.code[first..] {
            [] => {}
            [one] => one.guard = Some((register, not)),
            // The predicate may be one of the results.
            _ => {
                let jump = Operation::Branch { to: self.labels.len() as u32 };
                let jump = program::Instruction { guard: Some((register, !not)), line, operation: jump };
                self.program.code.insert(first, jump);
                self.labels.push(Some(self.program.code.len() as u32));
            }
        }
        Ok(())
    }

    fn instruction(&mut self, instruction: &'a Instruction<'a>) -> Result {
        let (line, opcode) = (instruction.line, instruction.opcode);
        match table::find(opcode) {
            Found::Row(Row { does: Does::Other(lower), .. }) => lower(self, instruction),
            Found::Row(Row { does: Does::Value(choose), .. }) => match values::find(*choose, opcode) {
                Some(compute) => self.value(instruction, compute),
                None => unsupported(line, opcode),
            },
            Found::Row(_) | Found::Name => unsupported(line, opcode),
            Found::Nothing => invalid(line, format!("{opcode} is not an instruction")),
        }
    }

    fn value(&mut self, instruction: &Instruction<'a>, compute: Compute) -> Result {
        let line = instruction.line;
        instruction.takes(1 + compute.takes..=1 + compute.takes)?;
        if let Some(fused) = self.fused.get(&std::ptr::from_ref(instruction).addr()).copied() {
            return self.joined(instruction, fused, compute.single);
        }
        let mut from = [0; 4];
        for (from, operand) in from.iter_mut().zip(&instruction.operands[1..]) {
            *from = self.source(line, operand, compute.single)?;
        }
        let to = self.to(line, &instruction.operands[0])?;
        self.compute(line, compute, to, &from[..compute.takes]);
        Ok(())
    }
}

impl<'a> Lowering<'a> {
    /// A sum and its product as one `fma`: of a difference, an operand is negated.
    fn joined(&mut self, sum: &Instruction<'a>, fused: Fused<'a>, single: bool) -> Result {
        let (line, [_, a, b]) = (sum.line, [0, 1, 2].map(|at| &fused.product.operands[at]));
        let other = &sum.operands[3 - fused.place];
        let mut from =
            [self.source(line, a, single)?, self.source(line, b, single)?, self.source(line, other, single)?];
        let (name, modifiers) = sum.opcode.split_once('.').unwrap_or_default();
        let found = |choose, opcode: String| values::find(choose, &opcode).expect("a row of the table");
        if name == "sub" {
            let negated = if fused.place == 1 { 2 } else { 0 };
            let negate = found(values::float_negate, format!("neg.{}", modifiers.replace("sat.", "")));
            self.compute(line, negate, SECOND, &[from[negated]]);
            from[negated] = SECOND;
        }
        let to = self.to(line, &sum.operands[0])?;
        self.compute(line, found(values::float_fused, format!("fma.rn.{modifiers}")), to, &from);
        Ok(())
    }
}

impl Instruction<'_> {
    /// Refuses another number of operands.
    pub fn takes(&self, count: std::ops::RangeInclusive<usize>) -> Result {
        if count.contains(&self.operands.len()) {
            return Ok(());
        }
        invalid(self.line, format!("{} with {} operands", self.opcode, self.operands.len()))
    }
}
