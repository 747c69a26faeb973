//! Operands: sources, registers that are written, predicates, vectors and addresses.

use super::lowering::{FIRST, Lowering, SECOND};
use super::names::Name;
use crate::error::Result;
use crate::parse::{Number, Operand};
use crate::program::{Address, Operation, Predicate, Source, Space};
use crate::values::{Sort, Type};

impl<'a> Lowering<'a> {
    /// A register, and its type.
    fn register(&mut self, operand: &Operand) -> Result<(u32, Type)> {
        match operand {
            Operand::Name(name) => match self.find(name)? {
                Name::Register(register, kind) => Ok((register, kind)),
                _ => self.invalid(format!("{name} is not a register")),
            },
            _ => self.invalid("a register expected"),
        }
    }

    /// Refuses a register of another width, or one for integers where floats are meant.
    fn check(&self, register: Type, bits: u32, sort: Sort, or_wider: bool) -> Result {
        let is_wide_enough =
            register.bits() == bits || (or_wider && register.bits() > bits && register != Type::Pred);
        let is_other = register.sort() != Sort::Bits && sort != Sort::Bits && register.sort() != sort;
        if is_wide_enough && !is_other {
            return Ok(());
        }
        self.invalid(format!("a register of {register:?} where {bits} bits of {sort:?} are expected"))
    }

    /// An operand that is read.
    pub fn source(&mut self, operand: &Operand, bits: u32, sort: Sort) -> Result<Source> {
        self.read(operand, bits, sort, false)
    }

    pub fn source_of_at_least(&mut self, operand: &Operand, bits: u32, sort: Sort) -> Result<Source> {
        self.read(operand, bits, sort, true)
    }

    fn read(&mut self, operand: &Operand, bits: u32, sort: Sort, or_wider: bool) -> Result<Source> {
        match operand {
            // A predicate is true for all threads or for none.
            Operand::Number(Number::Int(value)) if bits == 1 => {
                Ok(self.constant(if *value == 0 { 0 } else { !0 }))
            }
            Operand::Number(Number::Int(value)) => Ok(self.constant(*value)),
            Operand::Number(Number::Single(single)) => Ok(self.constant((*single).into())),
            Operand::Number(Number::Double(value)) if bits == 32 => {
                Ok(self.constant((*value as f32).to_bits().into()))
            }
            Operand::Number(Number::Double(value)) => Ok(self.constant(value.to_bits())),
            Operand::Name(name) => {
                if let Some(special) = self.special(name)? {
                    return Ok(special);
                }
                match self.find(name)? {
                    Name::Register(register, kind) => {
                        self.check(kind, bits, sort, or_wider)?;
                        Ok(register)
                    }
                    Name::Fixed(address) => Ok(self.fixed(address)),
                    Name::Shared(address) | Name::Parameter(address) => Ok(self.constant(address)),
                    Name::Frame(offset) => {
                        self.push(Operation::Frame { to: FIRST, offset, generic: false, wide: true });
                        Ok(FIRST)
                    }
                }
            }
            _ => self.invalid("an operand of another kind expected"),
        }
    }

    /// A word that is read, as most instructions take them.
    pub fn word(&mut self, operand: &Operand) -> Result<Source> {
        self.source(operand, 32, Sort::Bits)
    }

    pub fn optional(&mut self, operands: &[Operand], index: usize) -> Result<Option<Source>> {
        operands.get(index).map(|operand| self.word(operand)).transpose()
    }

    /// A register that is written. What is written to `_` is not read.
    pub fn to(&mut self, operand: &Operand, bits: u32, sort: Sort) -> Result<u32> {
        if *operand == Operand::Name("_") {
            return Ok(SECOND);
        }
        let (register, kind) = self.register(operand)?;
        self.check(kind, bits, sort, false)?;
        Ok(register)
    }

    /// A register that may be wider than the value, and whether it has 64 bits.
    pub fn destination_of_at_least(
        &mut self,
        operand: &Operand,
        bits: u32,
        sort: Sort,
    ) -> Result<(u32, bool)> {
        if *operand == Operand::Name("_") {
            return Ok((SECOND, true));
        }
        let (register, kind) = self.register(operand)?;
        self.check(kind, bits, sort, true)?;
        Ok((register, kind.bits() == 64))
    }

    /// `d` or `d|p`
    pub fn pair(&mut self, operand: &Operand, bits: u32) -> Result<(u32, Option<u32>)> {
        match operand {
            Operand::Pair(pair) => {
                Ok((self.to(&pair[0], bits, Sort::Bits)?, Some(self.to(&pair[1], 1, Sort::Bits)?)))
            }
            one => Ok((self.to(one, bits, Sort::Bits)?, None)),
        }
    }

    /// One operand, or several in braces.
    pub fn vector<'o>(&self, operand: &'o Operand<'a>, count: usize) -> Result<&'o [Operand<'a>]> {
        let list = match operand {
            Operand::Vector(all) => all.as_slice(),
            one => std::slice::from_ref(one),
        };
        if list.len() == count { Ok(list) } else { self.invalid(format!("a vector of {count} expected")) }
    }

    pub fn predicate(&mut self, operand: &Operand) -> Result<Predicate> {
        match operand {
            Operand::Not(name) => Ok((self.source(&Operand::Name(name), 1, Sort::Bits)?, true)),
            one => Ok((self.source(one, 1, Sort::Bits)?, false)),
        }
    }

    /// Where memory is accessed.
    pub fn place(&mut self, operand: &Operand, space: Space) -> Result<Address> {
        let Operand::Address(parts, offset) = operand else { return self.invalid("an address expected") };
        let [base] = parts.as_slice() else { return self.unsupported("an address of several parts") };
        let mut address = Address { space, base: None, offset: *offset };
        let name = match base {
            Operand::Name(name) if self.special(name)?.is_none() => Some(self.find(name)?),
            _ => None,
        };
        // A special register has one word, and a constant two.
        let mut wide = name.is_some() || matches!(base, Operand::Number(_));
        match name {
            Some(Name::Frame(at)) => {
                return Ok(Address { space: Space::Local, base: None, offset: offset + i64::from(at) });
            }
            Some(Name::Shared(_)) if space == Space::Generic => address.space = Space::Shared,
            Some(Name::Parameter(_)) if space == Space::Generic => address.space = Space::Parameters,
            Some(Name::Fixed(_)) if space == Space::Generic => address.space = Space::Global,
            Some(Name::Register(_, kind)) => wide = kind.bits() == 64,
            _ => {}
        }
        // A function's parameters are in its frame.
        if space == Space::Parameters && !self.is_entry {
            address.space = Space::Local;
        }
        address.base = Some((self.source_of_at_least(base, 32, Sort::Bits)?, wide));
        Ok(address)
    }
}
