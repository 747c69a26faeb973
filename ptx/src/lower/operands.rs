//! Operands: sources, registers that are written, predicates, vectors and addresses.

use super::lowering::{FIRST, Lowering, SECOND};
use super::names::Name;
use crate::error::{Result, invalid, unsupported};
use crate::parse::{Instruction, Number, Operand};
use crate::program::{Address, Operation, Predicate, Source, Space};
use crate::values::Type;

impl<'a> Lowering<'a> {
    /// An operand that is read. Decimal numbers are singles or doubles.
    pub fn source(&mut self, line: u32, operand: &Operand, single: bool) -> Result<Source> {
        match operand {
            Operand::Number(Number::Int(value)) => Ok(self.constant(*value)),
            Operand::Number(Number::Single(bits)) => Ok(self.constant((*bits).into())),
            Operand::Number(Number::Double(value)) => {
                let bits = if single { (*value as f32).to_bits().into() } else { value.to_bits() };
                Ok(self.constant(bits))
            }
            Operand::Name(name) => {
                if let Some(special) = self.special(line, name)? {
                    return Ok(special);
                }
                match self.find(line, name)? {
                    Name::Register(register, _) => Ok(register),
                    Name::Fixed(address) => Ok(self.fixed(address)),
                    Name::Shared(address) | Name::Parameter(address) => Ok(self.constant(address)),
                    Name::Frame(offset) => {
                        self.push(line, Operation::Frame { to: FIRST, offset, generic: false });
                        Ok(FIRST)
                    }
                }
            }
            _ => invalid(line, "an operand of another kind expected"),
        }
    }

    /// The operand with a number, as [`source`](Self::source) reads integers.
    pub fn operand(&mut self, instruction: &Instruction<'a>, index: usize) -> Result<Source> {
        self.source(instruction.line, &instruction.operands[index], false)
    }

    pub fn optional(&mut self, instruction: &Instruction<'a>, index: usize) -> Result<Option<Source>> {
        instruction
            .operands
            .get(index)
            .map(|operand| self.source(instruction.line, operand, false))
            .transpose()
    }

    pub fn register(&mut self, line: u32, operand: &Operand) -> Result<(u32, Type)> {
        match operand {
            // What is written there is not read.
            Operand::Name("_") => Ok((SECOND, Type::B64)),
            Operand::Name(name) => match self.find(line, name)? {
                Name::Register(register, kind) => Ok((register, kind)),
                _ => invalid(line, format!("{name} is not a register")),
            },
            _ => invalid(line, "a register expected"),
        }
    }

    /// A register that is written.
    pub fn to(&mut self, line: u32, operand: &Operand) -> Result<u32> {
        self.register(line, operand).map(|(register, _)| register)
    }

    /// `d` or `d|p`
    pub fn pair(&mut self, line: u32, operand: &Operand) -> Result<(u32, Option<u32>)> {
        match operand {
            Operand::Pair(pair) => Ok((self.to(line, &pair[0])?, Some(self.to(line, &pair[1])?))),
            one => Ok((self.to(line, one)?, None)),
        }
    }

    /// One register, or several in braces.
    pub fn registers(&mut self, line: u32, operand: &Operand, count: usize) -> Result<Box<[u32]>> {
        let registers: Box<[u32]> = match operand {
            Operand::Vector(all) => all.iter().map(|one| self.to(line, one)).collect::<Result<_>>()?,
            one => [self.to(line, one)?].into(),
        };
        has(line, registers, count)
    }

    pub fn sources(
        &mut self,
        line: u32,
        operand: &Operand,
        single: bool,
        count: usize,
    ) -> Result<Box<[Source]>> {
        let sources: Box<[u32]> = match operand {
            Operand::Vector(all) => {
                all.iter().map(|one| self.source(line, one, single)).collect::<Result<_>>()?
            }
            one => [self.source(line, one, single)?].into(),
        };
        has(line, sources, count)
    }

    pub fn predicate(&mut self, line: u32, operand: &Operand) -> Result<Predicate> {
        match operand {
            Operand::Not(name) => Ok((self.to(line, &Operand::Name(name))?, true)),
            one => Ok((self.source(line, one, false)?, false)),
        }
    }

    /// Where memory is accessed.
    pub fn place(&mut self, line: u32, operand: &Operand, space: Space) -> Result<Address> {
        let Operand::Address(parts, offset) = operand else { return invalid(line, "an address expected") };
        let [base] = parts.as_slice() else { return unsupported(line, "an address of several parts") };
        let mut address = Address { space, base: None, offset: *offset };
        let name = match base {
            Operand::Name(name) if self.special(line, name)?.is_none() => Some(self.find(line, name)?),
            _ => None,
        };
        match name {
            Some(Name::Frame(at)) => {
                return Ok(Address { space: Space::Local, base: None, offset: offset + i64::from(at) });
            }
            Some(Name::Shared(_)) if space == Space::Generic => address.space = Space::Shared,
            Some(Name::Parameter(_)) if space == Space::Generic => address.space = Space::Parameters,
            Some(Name::Fixed(_)) if space == Space::Generic => address.space = Space::Global,
            _ => {}
        }
        // A function's parameters are in its frame.
        if space == Space::Parameters && !self.is_entry {
            address.space = Space::Local;
        }
        address.base = Some(self.source(line, base, false)?);
        Ok(address)
    }
}

fn has(line: u32, list: Box<[u32]>, count: usize) -> Result<Box<[u32]>> {
    if list.len() == count { Ok(list) } else { invalid(line, format!("a vector of {count} expected")) }
}
