//! Operands: sources, registers that are written, predicates, vectors and addresses.

use super::lowering::{Lowering, SECOND};
use super::names::{DYNAMIC, Name, OTHERS, SPECIAL};
use crate::error::Result;
use crate::parse::{Number, Operand};
use crate::program::{Address, FIXED, Operation, Predicate, Source, Space};
use crate::spaces::{FUNCTIONS, WINDOW};
use crate::values::{Sort, Type, WORD, Want, lanes};

pub const TRUTH: Want = (1, Sort::Bits);

impl<'a> Lowering<'a> {
    pub fn find(&mut self, name: &str) -> Result<Name> {
        if let Some(found) = self.scopes.iter().rev().find_map(|scope| scope.find(name)) {
            return Ok(found);
        }
        let globals = self.globals;
        if let Some(address) = globals.addresses.get(name) {
            return Ok(Name::Fixed(*address));
        }
        if let Some(at) = self.shared_names.get(name) {
            return Ok(Name::Shared(*at));
        }
        let variable = globals.module.variables.iter().find(|v| v.name == name && v.space == "shared");
        let Some(variable) = variable else { return self.invalid(format!("{name} is not declared")) };
        let at = if variable.size == 0 {
            let number = self.dynamic.len() as u64;
            self.dynamic.push(number);
            DYNAMIC | number
        } else {
            self.place_in_shared(variable.size, variable.alignment)?
        };
        self.shared_names.insert(variable.name, at);
        Ok(Name::Shared(at))
    }

    pub fn label(&self, operand: &Operand) -> Result<u32> {
        let Operand::Name(name) = operand else { return self.invalid("a label expected") };
        let found = self.scopes.iter().rev().find_map(|scope| scope.labels.get(name));
        found.map_or_else(|| self.invalid(format!("{name} is not a label")), |label| Ok(*label as u32))
    }

    /// Returns the special register of a name, or `None` for another name.
    pub fn special(&mut self, name: &str) -> Result<Option<Source>> {
        let Some(special) = SPECIAL.iter().find(|(known, _)| *known == name) else {
            let is_refused = OTHERS.iter().any(|start| name.starts_with(start)) && self.find(name).is_err();
            return if is_refused { self.unsupported(name) } else { Ok(None) };
        };
        let list = &mut self.program.specials;
        let index = list.iter().position(|(known, _)| *known == name).unwrap_or_else(|| {
            list.push(*special);
            list.len() - 1
        });
        Ok(Some(FIXED | index as u32))
    }

    /// A register, and whether it has 64 bits. One of another width is refused, and one for integers where floats are meant.
    fn register(&self, (register, kind): (u32, Type), want: Want, or_wider: bool) -> Result<(u32, bool)> {
        let ((bits, sort), (wanted, wanted_sort)) = (kind.want(), want);
        let is_wide_enough = bits == wanted || (or_wider && bits > wanted && kind != Type::Pred);
        if !is_wide_enough || (sort != Sort::Bits && wanted_sort != Sort::Bits && sort != wanted_sort) {
            let expected = format!("{wanted} bits of {wanted_sort:?} are expected");
            return self.invalid(format!("a register of {kind:?} where {expected}"));
        }
        Ok((register, bits == 64))
    }

    /// An operand that is read.
    pub fn source(&mut self, operand: &Operand, want: Want) -> Result<Source> {
        Ok(self.read(operand, want, false)?.0)
    }

    /// An operand whose register may be wider than the value, and whether the register of 64 bits is read.
    pub fn source_or_wider(&mut self, operand: &Operand, want: Want) -> Result<(Source, bool)> {
        self.read(operand, want, true)
    }

    fn read(&mut self, operand: &Operand, want: Want, or_wider: bool) -> Result<(Source, bool)> {
        let bits = match operand {
            // A predicate is true for all threads or for none.
            Operand::Not(name) if want.0 == TRUTH.0 => {
                let (from, to) = (self.source(&Operand::Name(name), TRUTH)?, self.new_registers(1)?);
                self.compute(lanes!(|p: bool| !p), to, &[from]);
                return Ok((to, false));
            }
            Operand::Number(Number::Int(value)) if want == TRUTH => {
                if *value == 0 {
                    0
                } else {
                    !0
                }
            }
            Operand::Number(number) => number.bits(want.0),
            Operand::Name(name) => {
                if let Some(special) = self.special(name)? {
                    return Ok((special, true));
                }
                match self.find(name)? {
                    Name::Register(register, kind) => return self.register((register, kind), want, or_wider),
                    Name::Fixed(address) | Name::Shared(address) | Name::Parameter(address) => address,
                    Name::Frame(offset) => {
                        let to = self.new_registers(1)?;
                        self.push(Operation::Frame { to, offset, window: 0 });
                        return Ok((to, true));
                    }
                }
            }
            Operand::Within(name, offset) if !matches!(self.find(name)?, Name::Register(..)) => {
                let parts = [self.source(&Operand::Name(name), want)?, self.constant(*offset as u64)];
                let sum = match want.0 {
                    64 => lanes!(|a: u64, b: u64| a.wrapping_add(b)),
                    _ => lanes!(|a: u32, b: u32| a.wrapping_add(b)),
                };
                let to = self.new_registers(1)?;
                self.compute(sum, to, &parts);
                return Ok((to, true));
            }
            _ => return self.invalid("an operand of another kind expected"),
        };
        if bits >> WINDOW == FUNCTIONS && matches!(operand, Operand::Name(_)) {
            self.to_do.push((bits & 0xffff_ffff) as usize);
        }
        Ok((self.constant(bits), true))
    }

    /// A word that is read, as most instructions take them.
    pub fn word(&mut self, operand: &Operand) -> Result<Source> {
        self.source(operand, WORD)
    }

    pub fn optional(&mut self, operands: &[Operand], index: usize) -> Result<Option<Source>> {
        operands.get(index).map(|operand| self.word(operand)).transpose()
    }

    /// A register that is written.
    pub fn to(&mut self, operand: &Operand, want: Want) -> Result<u32> {
        Ok(self.written(operand, want, false)?.0)
    }

    /// A register that may be wider than the value, and whether it has 64 bits.
    pub fn register_or_wider(&mut self, operand: &Operand, want: Want) -> Result<(u32, bool)> {
        self.written(operand, want, true)
    }

    fn written(&mut self, operand: &Operand, want: Want, or_wider: bool) -> Result<(u32, bool)> {
        match operand {
            // What is written to `_` is not read.
            Operand::Name("_") => Ok((SECOND, want.0 == 64)),
            Operand::Name(name) => match self.find(name)? {
                Name::Register(register, kind) => self.register((register, kind), want, or_wider),
                _ => self.invalid(format!("{name} is not a register")),
            },
            _ => self.invalid("a register expected"),
        }
    }

    /// `d` or `d|p`
    pub fn pair(&mut self, operand: &Operand, want: Want) -> Result<(u32, Option<u32>)> {
        match operand {
            Operand::Pair(pair) => Ok((self.to(&pair[0], want)?, Some(self.to(&pair[1], TRUTH)?))),
            one => Ok((self.to(one, want)?, None)),
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
            Operand::Not(name) => Ok((self.source(&Operand::Name(name), TRUTH)?, true)),
            one => Ok((self.source(one, TRUTH)?, false)),
        }
    }

    /// Where memory is accessed.
    pub fn place(&mut self, operand: &Operand<'a>, space: Space) -> Result<Address> {
        let (base, offset) = match operand {
            Operand::Address(parts, offset) => {
                let [base] = parts.as_slice() else { return self.unsupported("an address of several parts") };
                (base, offset)
            }
            Operand::Within(name, offset) => (&Operand::Name(name), offset),
            Operand::Element(name, ..) => {
                if matches!(self.find(name)?, Name::Parameter(_) | Name::Register(..)) {
                    return self.unsupported(format!("an element of {name} by a register"));
                }
                (operand, &0)
            }
            _ => return self.invalid("an address expected"),
        };
        let mut address = Address { space, base: None, offset: *offset };
        let name = match base {
            Operand::Name(name) if self.special(name)?.is_none() => Some(self.find(name)?),
            Operand::Element(name, ..) => Some(self.find(name)?),
            _ => None,
        };
        match name {
            Some(Name::Frame(at)) if matches!(base, Operand::Name(_)) => {
                return Ok(Address { space: Space::Local, base: None, offset: offset + i64::from(at) });
            }
            Some(Name::Frame(_)) => address.space = Space::Local,
            Some(Name::Shared(_)) if space == Space::Generic => address.space = Space::Shared,
            Some(Name::Parameter(_)) if space == Space::Generic => address.space = Space::Parameters,
            Some(Name::Fixed(_)) if space == Space::Generic => address.space = Space::Global,
            _ => {}
        }
        // A function's parameters are in its frame.
        if space == Space::Parameters && !self.is_entry {
            address.space = Space::Local;
        }
        address.base = Some(match base {
            // As ptxas makes it: 32 bits wrap, and are then an address.
            Operand::Element(name, size, register, plus) => {
                let [size, plus] = [u64::from(*size), *plus as u64].map(|number| self.constant(number));
                let index = self.word(&Operand::Name(register))?;
                let to = self.new_registers(1)?;
                let bytes = lanes!(|a: u32, plus: u32, size: u32| a.wrapping_add(plus).wrapping_mul(size));
                self.compute(bytes, to, &[index, plus, size]);
                let base = self.source(&Operand::Name(name), WORD)?;
                self.compute(
                    lanes!(|base: u64, bytes: u32| base.wrapping_add(u64::from(bytes))),
                    to,
                    &[base, to],
                );
                (to, true)
            }
            _ => self.source_or_wider(base, WORD)?,
        });
        Ok(address)
    }
}
