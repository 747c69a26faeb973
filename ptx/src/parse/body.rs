//! The statements of a function, and their operands.

use super::declarations::Parser;
use super::tokens::{Number, Token};
use super::tree::{Instruction, Operand, Statement, size_of};
use crate::error::{Result, invalid, unsupported};

impl<'a> Parser<'a> {
    /// Parses statements up to the closing brace.
    pub fn block(&mut self) -> Result<Vec<Statement<'a>>> {
        let mut out = Vec::new();
        while !self.take('}') {
            match self.word() {
                "" if self.take('{') => out.push(Statement::Block(self.nested(Self::block)?)),
                "" if self.is('@') => out.push(Statement::Instruction(self.instruction()?)),
                "" if self.take(';') => {}
                "" => return self.expected("a statement"),
                ".loc" | ".file" => self.skip_line(),
                ".pragma" => self.skip_to(';'),
                ".reg" => self.registers(&mut out)?,
                word if word.starts_with('.') => {
                    out.extend(self.variables(';')?.into_iter().map(Statement::Variable));
                    self.expect(';')?;
                }
                word if self.peek_after(1) == Some(&Token::Mark(':')) => {
                    self.at += 2;
                    self.labeled(word, &mut out)?;
                }
                _ => out.push(Statement::Instruction(self.instruction()?)),
            }
        }
        Ok(out)
    }

    fn registers(&mut self, out: &mut Vec<Statement<'a>>) -> Result {
        let line = self.line();
        self.at += 1;
        let kind = self.name()?;
        if size_of(kind).is_none() {
            return unsupported(line, format!("registers of {kind}"));
        }
        loop {
            let name = self.name()?;
            let count = if self.take('<') {
                let count = u32::try_from(self.integer()?).ok().filter(|count| *count <= 1 << 16);
                let Some(count) = count else { return invalid(line, format!("too many registers {name}")) };
                self.expect('>')?;
                Some(count)
            } else {
                None
            };
            out.push(Statement::Registers(line, &kind[1..], name, count));
            if !self.take(',') {
                return self.expect(';');
            }
        }
    }

    /// A place in the code, a list of them, or the type of a call.
    fn labeled(&mut self, label: &'a str, out: &mut Vec<Statement<'a>>) -> Result {
        match self.word() {
            ".branchtargets" => {
                self.at += 1;
                let mut targets = vec![self.name()?];
                while self.take(',') {
                    targets.push(self.name()?);
                }
                self.expect(';')?;
                out.push(Statement::Targets(label, targets));
            }
            // The call's own operands say what is passed.
            ".callprototype" | ".calltargets" => self.skip_to(';'),
            _ => out.push(Statement::Label(label)),
        }
        Ok(())
    }

    fn instruction(&mut self) -> Result<Instruction<'a>> {
        let (line, mut guard) = (self.line(), None);
        if self.take('@') {
            let not = self.take('!');
            guard = Some((self.name()?, not));
        }
        let (opcode, operands) = (self.name()?, self.list(';')?);
        Ok(Instruction { line, guard, opcode, operands })
    }

    fn list(&mut self, end: char) -> Result<Vec<Operand<'a>>> {
        let mut out = Vec::new();
        while !self.take(end) {
            out.push(self.operand()?);
            if !self.is(end) {
                self.expect(',')?;
            }
        }
        Ok(out)
    }

    pub fn operand(&mut self) -> Result<Operand<'a>> {
        if self.take('{') {
            return self.nested(|parser| parser.list('}')).map(Operand::Vector);
        }
        if self.take('(') {
            return self.nested(|parser| parser.list(')')).map(Operand::List);
        }
        if self.take('[') {
            return self.nested(Self::address);
        }
        if self.take('!') {
            return self.name().map(Operand::Not);
        }
        let minus = self.take('-');
        let operand = match self.peek() {
            Some(&Token::Number(number)) => {
                self.at += 1;
                Operand::Number(match number {
                    Number::Int(value) if minus => Number::Int(value.wrapping_neg()),
                    Number::Double(value) if minus => Number::Double(-value),
                    Number::Single(value) if minus => Number::Single(value ^ 1 << 31),
                    number => number,
                })
            }
            Some(Token::Word(_)) if !minus => Operand::Name(self.name()?),
            _ => return self.expected("an operand"),
        };
        if self.take('|') {
            let second = self.nested(Self::operand)?;
            return Ok(Operand::Pair(Box::new([operand, second])));
        }
        Ok(operand)
    }

    fn address(&mut self) -> Result<Operand<'a>> {
        let (mut parts, mut offset) = (vec![self.operand()?], 0);
        if self.take('+') || self.is('-') {
            offset = self.integer()?;
        }
        while self.take(',') {
            parts.push(self.operand()?);
        }
        self.expect(']')?;
        Ok(Operand::Address(parts, offset))
    }
}
