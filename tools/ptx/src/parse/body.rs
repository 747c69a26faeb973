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
                "" if self.take(';') => {}
                "" if !self.is('@') => return self.expected("a statement"),
                ".loc" | ".file" => self.skip_line(),
                ".pragma" => self.skip_to(';'),
                ".reg" => self.registers(&mut out)?,
                word if word.starts_with('.') => {
                    out.extend(self.variables(';')?.into_iter().map(Statement::Variable));
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
        let statements = self.list(';', |parser| {
            let (name, mut count) = (parser.name()?, None);
            if parser.take('<') {
                count = u32::try_from(parser.integer()?).ok().filter(|count| *count <= 1 << 16);
                if count.is_none() {
                    return invalid(line, format!("too many registers {name}"));
                }
                parser.expect('>')?;
            }
            Ok(Statement::Registers(line, &kind[1..], name, count))
        })?;
        out.extend(statements);
        Ok(())
    }

    /// A place in the code, a list of them, or the type of a call.
    fn labeled(&mut self, label: &'a str, out: &mut Vec<Statement<'a>>) -> Result {
        match self.word() {
            ".branchtargets" => {
                self.at += 1;
                out.push(Statement::Targets(label, self.list(';', Self::name)?));
            }
            // The operands of the call say what is passed.
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
        Ok(Instruction { line, guard, opcode: self.name()?, operands: self.list(';', Self::operand)? })
    }

    pub fn operand(&mut self) -> Result<Operand<'a>> {
        let operand = match self.peek() {
            Some(Token::Mark('{')) => {
                return self.inside(|parser| parser.list('}', Self::operand)).map(Operand::Vector);
            }
            Some(Token::Mark('(')) => {
                return self.inside(|parser| parser.list(')', Self::operand)).map(Operand::List);
            }
            Some(Token::Mark('[')) => return self.inside(Self::address),
            Some(Token::Mark('!')) => {
                self.at += 1;
                return self.name().map(Operand::Not);
            }
            Some(Token::Word(_)) => self.named()?,
            _ => Operand::Number(self.number()?),
        };
        if self.take('|') {
            let second = self.nested(Self::operand)?;
            return Ok(Operand::Pair(Box::new([operand, second])));
        }
        Ok(operand)
    }

    fn named(&mut self) -> Result<Operand<'a>> {
        let name = self.name()?;
        if self.take('+') {
            return Ok(Operand::Within(name, self.integer()?));
        }
        if !self.take('[') {
            return Ok(Operand::Name(name));
        }
        let register = if let Some(Token::Word(_)) = self.peek() { Some(self.name()?) } else { None };
        let index = if register.is_none() || self.take('+') { self.integer()? } else { 0 };
        self.expect(']')?;
        let size = self.elements.get(name).copied();
        match (register, size, size.and_then(|size| index.checked_mul(size as i64))) {
            (Some(register), Some(size), _) => Ok(Operand::Element(name, size as u32, register, index)),
            (None, _, Some(offset)) => Ok(Operand::Within(name, offset)),
            _ => invalid(self.line(), format!("{name} has no element {index}")),
        }
    }

    /// Parses the inside of a bracket that opens here.
    fn inside<T>(&mut self, parse: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        self.at += 1;
        self.nested(parse)
    }

    pub fn number(&mut self) -> Result<Number> {
        let (minus, not) = (self.take('-'), self.take('~'));
        let Some(&Token::Number(number)) = self.peek() else { return self.expected("a number") };
        self.at += 1;
        Ok(match number {
            Number::Int(value) if not => Number::Int(!value),
            Number::Int(value) if minus => Number::Int(value.wrapping_neg()),
            Number::Double(value) if minus => Number::Double(-value),
            Number::Single(value) if minus => Number::Single(value ^ 1 << 31),
            number => number,
        })
    }

    fn address(&mut self) -> Result<Operand<'a>> {
        let (first, offset) = match self.operand()? {
            Operand::Within(name, offset) => (Operand::Name(name), offset),
            first => (first, if self.take('+') || self.is('-') { self.integer()? } else { 0 }),
        };
        let mut parts = vec![first];
        while self.take(',') {
            parts.push(self.operand()?);
        }
        self.expect(']')?;
        Ok(Operand::Address(parts, offset))
    }
}
