//! Lowers statements: declarations, labels, and instructions by the rows of the tables.

use std::borrow::Cow;

use super::fuse_multiply_add::FusedSum;
use super::instruction_table::{self, KnownOpcode, OpcodeLowering};
use super::lowering_context::{LoweringContext, TEMP_0, TEMP_1};
use super::modifier_patterns::{alu_op_of, split_opcode};
use super::symbol_names::{Symbol, SymbolScope};
use crate::alu::{AluOp, Opcode, OperandClass, PtxType, alu_op};
use crate::parse::load_error::Result;
use crate::parse::{Operand, ParsedInstruction, ParsedVariable, Statement};
use crate::program::operations::{Operation, ProgramInstruction};

impl<'a> LoweringContext<'a> {
    pub fn lower_block(&mut self, statements: &'a [Statement<'a>]) -> Result {
        let mut scope = SymbolScope::default();
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
            self.lower_statement(statement)?;
        }
        self.scopes.pop();
        Ok(())
    }

    fn current_scope(&mut self) -> &mut SymbolScope<'a> {
        self.scopes.last_mut().expect("a function has a scope")
    }

    fn lower_statement(&mut self, statement: &'a Statement<'a>) -> Result {
        match statement {
            Statement::Label(name) => {
                let label = self.current_scope().labels[name];
                self.labels[label] = Some(self.function.code.len() as u32);
            }
            Statement::Targets(..) => {}
            Statement::Block(inner) => self.lower_block(inner)?,
            Statement::Variable(variable) => self.declare_variable(variable)?,
            Statement::Instruction(instruction) => self.lower_guarded(instruction)?,
        }
        Ok(())
    }

    fn declare_variable(&mut self, variable: &'a ParsedVariable<'a>) -> Result {
        let ParsedVariable { line, size, alignment, name, kind, space, count, vector, .. } = *variable;
        self.line = line;
        for number in 0..count.unwrap_or(1) {
            let symbol = match (space, PtxType::parse_type(kind)) {
                ("local" | "param", _) => Symbol::Frame(self.allocate_in_frame(size, alignment)?),
                ("shared", _) => self.declare_shared(None, size, alignment),
                ("reg", Some(kind)) => Symbol::Register(self.new_registers(vector)?, kind),
                ("reg", None) => return self.unsupported(format!("registers of .{kind}")),
                _ => return self.unsupported(format!("a variable of .{space} in a function")),
            };
            // `%r<5>` declares `%r0` to `%r4`.
            let name = count.map_or(Cow::Borrowed(name), |_| format!("{name}{number}").into());
            if self.current_scope().names.insert(name, symbol).is_some() && space == "reg" {
                return self.invalid(format!("{} is declared twice", variable.name));
            }
        }
        Ok(())
    }

    /// Lowers an instruction and its guard. If the instruction becomes several operations, a branch before them skips
    /// them in threads whose guard is false.
    fn lower_guarded(&mut self, instruction: &'a ParsedInstruction<'a>) -> Result {
        self.line = instruction.line;
        let first = self.function.code.len();
        self.lower_instruction(instruction)?;
        let Some((name, not)) = instruction.guard else { return Ok(()) };
        let (register, _) = self.predicate_operand(&Operand::Name(name))?;
        match &mut self.function.code[first..] {
            [] => {}
            [one] => one.guard = Some((register, not)),
            // One of the operations may write the guard's register, so only a branch before them reads it.
            _ => {
                let jump = Operation::Branch { to: self.labels.len() as u32 };
                let jump =
                    ProgramInstruction { guard: Some((register, !not)), line: self.line, operation: jump };
                self.function.code.insert(first, jump);
                self.labels.push(Some(self.function.code.len() as u32));
            }
        }
        Ok(())
    }

    fn lower_instruction(&mut self, instruction: &'a ParsedInstruction<'a>) -> Result {
        let (text, operands) = (instruction.opcode, instruction.operands.as_slice());
        let Some(known) = instruction_table::find_known_opcode(text) else {
            let (name, _) = split_opcode(text);
            return match instruction_table::is_ptx_instruction(name) {
                true => self.unsupported(text),
                false => self.invalid(format!("{text} is not an instruction")),
            };
        };
        match &known.lowering {
            OpcodeLowering::ByRow(row) if row.operands.contains(&operands.len()) => {
                (row.lower)(self, &known.opcode, operands)
            }
            OpcodeLowering::Alu(op, _) if operands.len() == 1 + op.operand_bits.len() => {
                self.lower_alu(instruction, known)
            }
            _ => self.wrong_operand_count(&known.opcode, operands),
        }
    }

    pub fn wrong_operand_count(&self, opcode: &Opcode, operands: &[Operand]) -> Result {
        self.invalid(format!("{} with {} operands", opcode.text, operands.len()))
    }

    fn lower_alu(&mut self, instruction: &'a ParsedInstruction<'a>, known: &KnownOpcode) -> Result {
        let KnownOpcode { opcode, lowering: OpcodeLowering::Alu(alu, result_bit_width) } = known else {
            unreachable!("called for values")
        };
        if let Some(fused) = self.fused.get(&std::ptr::from_ref(instruction).addr()).copied() {
            return self.lower_fused_sum(instruction, opcode, fused);
        }
        let [to, operands @ ..] = instruction.operands.as_slice() else { return Ok(()) };
        if opcode.name == "cvt" && alu.operand_bits.len() == 1 {
            return self.lower_conversion(opcode, *alu, to, &operands[0]);
        }
        let class = opcode.number_class();
        let mut from = [0; 4];
        for ((from, operand), bits) in from.iter_mut().zip(operands).zip(alu.operand_bits) {
            *from = self.lower_source(operand, OperandClass { class, ..OperandClass::of_bits(*bits) })?;
        }
        let to = self.lower_target(to, OperandClass { class, ..OperandClass::of_bits(*result_bit_width) })?;
        self.push_alu_op(*alu, to, &from[..operands.len()]);
        Ok(())
    }

    /// Lowers a conversion, whose registers may be wider than its types.
    fn lower_conversion(&mut self, opcode: &Opcode, alu: AluOp, to: &Operand, from: &Operand) -> Result {
        let (kind, result) = (opcode.last_type(), opcode.first_type());
        let (mut from, is_wide) = self.sized_source(from, kind.operand_class().allow_wider())?;
        if is_wide && kind.bits() != 64 {
            self.push_alu_op(alu_op!(|a: u64| a as u32), TEMP_0, &[from]);
            from = TEMP_0;
        }
        let (to, is_wide) = self.sized_target(to, result.operand_class().allow_wider())?;
        if !is_wide || result.bits() == 64 {
            self.push_alu_op(alu, to, &[from]);
            return Ok(());
        }
        self.push_alu_op(alu, TEMP_0, &[from]);
        let extend =
            if result.is_signed() { alu_op!(|a: i32| i64::from(a)) } else { alu_op!(|a: u32| u64::from(a)) };
        self.push_alu_op(extend, to, &[TEMP_0]);
        Ok(())
    }

    /// Lowers a sum and the product in it to one `fma`. For a difference, negates one operand of the `fma`.
    fn lower_fused_sum(&mut self, sum: &ParsedInstruction, opcode: &Opcode, fused: FusedSum) -> Result {
        let (_, modifiers) = sum.opcode.split_once('.').unwrap_or_default();
        let want = opcode.last_type().operand_class();
        let mut from = self.lower_source_list(&fused.product.operands[1..], want)?;
        from.push(self.lower_source(&sum.operands[3 - fused.place], want)?);
        if opcode.name == "sub" {
            let negated = if fused.place == 1 { 2 } else { 0 };
            let negate = alu_op_of(&format!("neg.{}", modifiers.replace("sat.", "")));
            self.push_alu_op(negate, TEMP_1, &[from[negated]]);
            from[negated] = TEMP_1;
        }
        let to = self.lower_target(&sum.operands[0], want)?;
        self.push_alu_op(alu_op_of(&format!("fma.rn.{modifiers}")), to, &from);
        Ok(())
    }
}
