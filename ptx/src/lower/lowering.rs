//! The state while a kernel is lowered, and the instructions that were made.

use std::collections::HashMap;

use super::contract::{Fused, Plan};
use super::names::{Globals, Name, Scope};
use super::table::{self, Found};
use crate::error::{Result, invalid};
use crate::parse::{self, Instruction, Operand, Statement};
use crate::program::{self, Callee, FIXED, Operation, Program, SPECIALS, Source};
use crate::values::{Compute, Form, Type, lanes};

// Registers that every function has: two for intermediate results, and the carry.
pub const FIRST: u32 = 0;
pub const SECOND: u32 = 1;
pub const CARRY: u32 = 2;
/// Predicates: the answers of a comparison, and what is combined with them.
pub const ANSWERS: [u32; 2] = [3, 4];
pub const BY: u32 = 5;
pub const HIDDEN: u32 = 6;

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

    /// Returns the offset of a new place in shared memory.
    pub fn place_in_shared(&mut self, size: usize, alignment: usize) -> Result<u64> {
        let at = self.shared.next_multiple_of(alignment);
        self.shared = at + size;
        if self.shared > crate::SHARED {
            return self.invalid(format!("more than {} bytes of shared variables", crate::SHARED));
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
                self.line = *line;
                let Some(kind) = Type::parse(kind) else {
                    return self.unsupported(format!("registers of .{kind}"));
                };
                let first = self.new_registers(count.unwrap_or(1))?;
                if !self.scope().declare_registers(name, first, *count, kind) {
                    return self.invalid(format!("{name} is declared twice"));
                }
            }
            Statement::Variable(variable) => self.variable(variable)?,
            Statement::Instruction(instruction) => self.guarded(instruction)?,
        }
        Ok(())
    }

    fn variable(&mut self, variable: &'a parse::Variable<'a>) -> Result {
        let parse::Variable { line, size, alignment, name, space, .. } = *variable;
        self.line = line;
        let place = match space {
            "local" | "param" => Name::Frame(self.place_in_frame(size, alignment)?),
            "shared" => Name::Shared(self.place_in_shared(size, alignment)?),
            _ => return self.unsupported(format!("a variable of .{space} in a function")),
        };
        self.scope().names.insert(name, place);
        Ok(())
    }

    /// Lowers an instruction and the predicate before it. One that became several operations is jumped over.
    fn guarded(&mut self, instruction: &'a Instruction<'a>) -> Result {
        self.line = instruction.line;
        let first = self.program.code.len();
        self.instruction(instruction)?;
        let Some((name, not)) = instruction.guard else { return Ok(()) };
        let (register, _) = self.predicate(&Operand::Name(name))?;
        match &mut self.program.code[first..] {
            [] => {}
            [one] => one.guard = Some((register, not)),
            // The predicate may be one of the results.
            _ => {
                let jump = Operation::Branch { to: self.labels.len() as u32 };
                let jump =
                    program::Instruction { guard: Some((register, !not)), line: self.line, operation: jump };
                self.program.code.insert(first, jump);
                self.labels.push(Some(self.program.code.len() as u32));
            }
        }
        Ok(())
    }

    fn instruction(&mut self, instruction: &'a Instruction<'a>) -> Result {
        let (form, operands) = (Form::new(instruction.opcode), instruction.operands.as_slice());
        match table::find(instruction.opcode) {
            Found::Other(row) if row.operands.contains(&operands.len()) => (row.lower)(self, &form, operands),
            Found::Value(value) => match (value.choose)(&form) {
                Some(compute) if operands.len() == 1 + compute.takes.len() => {
                    self.value(instruction, &form, compute.with(form.flags))
                }
                Some(_) => self.arity(&form, operands),
                None => self.unsupported(form.opcode),
            },
            Found::Other(_) => self.arity(&form, operands),
            Found::Name if table::has_unknown_part(form.opcode) => {
                self.invalid(format!("{}: no such modifier", form.opcode))
            }
            Found::Refused | Found::Name => self.unsupported(form.opcode),
            Found::Nothing => self.invalid(format!("{} is not an instruction", form.opcode)),
        }
    }

    pub fn arity(&self, form: &Form, operands: &[Operand]) -> Result {
        self.invalid(format!("{} with {} operands", form.opcode, operands.len()))
    }

    fn value(&mut self, instruction: &'a Instruction<'a>, form: &Form, compute: Compute) -> Result {
        if let Some(fused) = self.fused.get(&std::ptr::from_ref(instruction).addr()).copied() {
            return self.joined(instruction, form, fused);
        }
        let [to, operands @ ..] = instruction.operands.as_slice() else { return Ok(()) };
        if form.name == "cvt" && compute.takes.len() == 1 {
            return self.converted(form, compute, to, &operands[0]);
        }
        let mut from = [0; 4];
        for ((from, operand), bits) in from.iter_mut().zip(operands).zip(compute.takes) {
            *from = self.source(operand, (*bits, form.sort()))?;
        }
        let to = self.to(to, (compute.gives(), form.sort()))?;
        self.compute(compute, to, &from[..operands.len()]);
        Ok(())
    }

    /// A conversion, whose registers may be wider than its types.
    fn converted(&mut self, form: &Form, compute: Compute, to: &Operand, operand: &Operand) -> Result {
        let (kind, result) = (form.kind(), form.first());
        assert_eq!(compute.gives() == 64, result.bits() == 64, "{}", form.opcode);
        let (mut from, is_wide) = self.source_or_wider(operand, kind.want())?;
        if is_wide && kind.bits() != 64 {
            self.compute(lanes!(|a: u64| a as u32), FIRST, &[from]);
            from = FIRST;
        }
        let (register, wide) = self.register_or_wider(to, result.want())?;
        if !wide || result.bits() == 64 {
            self.compute(compute, register, &[from]);
            return Ok(());
        }
        self.compute(compute, FIRST, &[from]);
        let extend =
            if result.is_signed() { lanes!(|a: i32| i64::from(a)) } else { lanes!(|a: u32| u64::from(a)) };
        self.compute(extend, register, &[FIRST]);
        Ok(())
    }

    /// Makes one `fma` of a sum and its product. For a difference, one operand is negated.
    fn joined(&mut self, sum: &Instruction<'a>, form: &Form, fused: Fused<'a>) -> Result {
        let (_, modifiers) = sum.opcode.split_once('.').unwrap_or_default();
        let want = form.kind().want();
        let parts = [&fused.product.operands[1], &fused.product.operands[2], &sum.operands[3 - fused.place]];
        let mut from = Vec::new();
        for part in parts {
            from.push(self.source(part, want)?);
        }
        if form.name == "sub" {
            let negated = if fused.place == 1 { 2 } else { 0 };
            let negate = table::compute(&format!("neg.{}", modifiers.replace("sat.", "")));
            self.compute(negate, SECOND, &[from[negated]]);
            from[negated] = SECOND;
        }
        let to = self.to(&sum.operands[0], want)?;
        self.compute(table::compute(&format!("fma.rn.{modifiers}")), to, &from);
        Ok(())
    }
}
