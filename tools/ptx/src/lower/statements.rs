//! Statements: declarations, labels, and instructions as the tables have them.

use super::contract::Fused;
use super::lowering::{FIRST, Lowering, SECOND};
use super::names::{Name, Scope};
use super::syntax::compute;
use super::table::{self, Found};
use crate::error::Result;
use crate::parse::{self, Instruction, Operand, Statement};
use crate::program::{self, Operation};
use crate::values::{Compute, Form, Type, lanes};

impl<'a> Lowering<'a> {
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
            let negate = compute(&format!("neg.{}", modifiers.replace("sat.", "")));
            self.compute(negate, SECOND, &[from[negated]]);
            from[negated] = SECOND;
        }
        let to = self.to(&sum.operands[0], want)?;
        self.compute(compute(&format!("fma.rn.{modifiers}")), to, &from);
        Ok(())
    }
}
