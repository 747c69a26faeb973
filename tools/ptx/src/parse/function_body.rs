//! Parses the statements of a function, and their operands.

use super::declarations::PtxParser;
use super::load_error::{Result, invalid_at_line};
use super::syntax_tree::{Operand, ParsedInstruction, Statement};
use super::tokenizer::{NumberLiteral, Token};

impl<'a> PtxParser<'a> {
    pub fn parse_block(&mut self) -> Result<Vec<Statement<'a>>> {
        let mut out = Vec::new();
        while !self.take_mark('}') {
            match self.current_word() {
                "" if self.take_mark('{') => {
                    out.push(Statement::Block(self.parse_nested(Self::parse_block)?))
                }
                "" if self.take_mark(';') => {}
                "" if !self.is_at('@') => return self.expected_error("a statement"),
                ".loc" | ".file" => self.skip_line(),
                ".pragma" => self.skip_to_mark(';'),
                word if word.starts_with('.') => {
                    out.extend(self.parse_variables(';')?.into_iter().map(Statement::Variable));
                }
                word if self.tokens.get(self.position + 1).is_some_and(|next| next.0 == Token::Mark(':')) => {
                    self.position += 2;
                    match self.current_word() {
                        ".branchtargets" => {
                            self.position += 1;
                            out.push(Statement::Targets(word, self.parse_list(';', Self::parse_name)?));
                        }
                        // The interpreter does not need these directives: it checks a call against the called function.
                        ".callprototype" | ".calltargets" => self.skip_to_mark(';'),
                        _ => out.push(Statement::Label(word)),
                    }
                }
                _ => out.push(Statement::Instruction(self.parse_instruction()?)),
            }
        }
        Ok(out)
    }

    fn parse_instruction(&mut self) -> Result<ParsedInstruction<'a>> {
        let (line, mut guard) = (self.current_line(), None);
        if self.take_mark('@') {
            let not = self.take_mark('!');
            guard = Some((self.parse_name()?, not));
        }
        Ok(ParsedInstruction {
            line,
            guard,
            opcode: self.parse_name()?,
            operands: self.parse_list(';', Self::parse_operand)?,
        })
    }

    pub fn parse_operand(&mut self) -> Result<Operand<'a>> {
        let operand = match self.peek_token() {
            Some(Token::Mark('{')) => {
                let list = self.parse_after_bracket(|parser| parser.parse_list('}', Self::parse_operand))?;
                return Ok(Operand::Vector(list));
            }
            Some(Token::Mark('(')) => {
                let list = self.parse_after_bracket(|parser| parser.parse_list(')', Self::parse_operand))?;
                return Ok(Operand::List(list));
            }
            Some(Token::Mark('[')) => return self.parse_after_bracket(Self::parse_address),
            Some(Token::Mark('!')) => {
                self.position += 1;
                return self.parse_name().map(Operand::Not);
            }
            Some(Token::Word(_)) => self.parse_named_operand()?,
            _ => Operand::Number(self.parse_number()?),
        };
        if self.take_mark('|') {
            let second = self.parse_nested(Self::parse_operand)?;
            return Ok(Operand::Pair(Box::new([operand, second])));
        }
        Ok(operand)
    }

    fn parse_named_operand(&mut self) -> Result<Operand<'a>> {
        let name = self.parse_name()?;
        if let Some(size) = self.vectors.get(name) {
            return Ok(Operand::Vector((0..*size).map(|index| Operand::Component(name, index)).collect()));
        }
        let part = name.rsplit_once('.').filter(|(start, _)| self.vectors.contains_key(start));
        if let Some((vector, component)) = part {
            let letter = |letters: &str| letters.split("").skip(1).position(|letter| letter == component);
            return match letter("xyzw").or_else(|| letter("rgba")) {
                Some(index) if (index as u32) < self.vectors[vector] => {
                    Ok(Operand::Component(vector, index as u32))
                }
                _ => invalid_at_line(self.current_line(), format!("{name} is not a part of a vector")),
            };
        }
        if self.take_mark('+') {
            return Ok(Operand::Within(name, self.parse_integer()?));
        }
        if !self.take_mark('[') {
            return Ok(Operand::Name(name));
        }
        let register = if self.current_word().is_empty() { None } else { Some(self.parse_name()?) };
        let index = if register.is_none() || self.take_mark('+') { self.parse_integer()? } else { 0 };
        self.expect_mark(']')?;
        let size = self.element_bytes.get(name).copied();
        match (register, size, size.and_then(|size| index.checked_mul(size as i64))) {
            (Some(register), Some(size), _) => Ok(Operand::Element(name, size as u32, register, index)),
            (None, _, Some(offset)) => Ok(Operand::Within(name, offset)),
            _ => invalid_at_line(self.current_line(), format!("{name} has no element {index}")),
        }
    }

    fn parse_after_bracket<T>(&mut self, parse: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        self.position += 1;
        self.parse_nested(parse)
    }

    pub fn parse_number(&mut self) -> Result<NumberLiteral> {
        let (minus, not) = (self.take_mark('-'), self.take_mark('~'));
        let Some(&Token::Number(number)) = self.peek_token() else { return self.expected_error("a number") };
        self.position += 1;
        Ok(match number {
            NumberLiteral::Int(value) if not => NumberLiteral::Int(!value),
            NumberLiteral::Int(value) if minus => NumberLiteral::Int(value.wrapping_neg()),
            NumberLiteral::Double(value) if minus => NumberLiteral::Double(-value),
            NumberLiteral::Single(value) if minus => NumberLiteral::Single(value ^ 1 << 31),
            number => number,
        })
    }

    fn parse_address(&mut self) -> Result<Operand<'a>> {
        let (first, offset) = match self.parse_operand()? {
            Operand::Within(name, offset) => (Operand::Name(name), offset),
            first => (first, if self.take_mark('+') || self.is_at('-') { self.parse_integer()? } else { 0 }),
        };
        let mut parts = vec![first];
        while self.take_mark(',') {
            parts.push(self.parse_operand()?);
        }
        self.expect_mark(']')?;
        Ok(Operand::Address(parts, offset))
    }
}
