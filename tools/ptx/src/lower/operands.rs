//! Operands: sources, registers that are written, predicates, vectors and addresses.

use super::lowering_context::{LoweringContext, TEMP_1};
use super::symbol_names::{REFUSED_PREFIXES, SPECIAL_REGISTERS, Symbol};
use crate::alu::{EXPECT_B32, Expected, NumberClass, PtxType, alu_op};
use crate::parse::load_error::Result;
use crate::parse::{Literal, Operand};
use crate::program::address_spaces::{FUNCTIONS, WINDOW};
use crate::program::operations::{AddressSpace, MemoryOperand, Operation, PROGRAM_WIDE, Predicate, Register};

pub const EXPECT_PRED: Expected = (1, NumberClass::Bits);

impl<'a> LoweringContext<'a> {
    pub fn find_symbol(&mut self, name: &str) -> Result<Symbol> {
        if let Some(found) = self.scopes.iter().rev().find_map(|scope| scope.find_in_scope(name)) {
            return Ok(found);
        }
        let (globals, input) = (self.globals, self.input);
        if let Some(address) = globals.addresses.find_address(input, name) {
            return Ok(Symbol::Fixed(address));
        }
        let shared = globals.module.variables.iter().enumerate();
        let shared = shared.filter(|(_, v)| v.name == name && v.space == "shared");
        let seen = shared.filter(|(_, v)| [0, input].contains(&v.linkage.seen_by()));
        match seen.max_by_key(|(_, v)| v.linkage.seen_by()) {
            Some((number, variable)) => {
                Ok(self.declare_shared(Some(number), variable.size, variable.alignment))
            }
            None => self.invalid(format!("{name} is not declared")),
        }
    }

    pub fn label_operand(&self, operand: &Operand) -> Result<u32> {
        let Operand::Name(name) = operand else { return self.invalid("a label expected") };
        let found = self.scopes.iter().rev().find_map(|scope| scope.labels.get(name));
        found.map_or_else(|| self.invalid(format!("{name} is not a label")), |label| Ok(*label as u32))
    }

    /// Returns the special register of a name, or `None` for another name.
    pub fn special_register(&mut self, name: &str) -> Result<Option<Register>> {
        // Most names are registers with a number, which no special register has.
        let is_numbered = name.ends_with(|letter: char| letter.is_ascii_digit());
        let special = SPECIAL_REGISTERS.iter().find(|(known, _)| !is_numbered && *known == name);
        let Some(special) = special else {
            let is_refused = REFUSED_PREFIXES.iter().any(|start| name.starts_with(start))
                && self.find_symbol(name).is_err();
            return if is_refused { self.unsupported(name) } else { Ok(None) };
        };
        let list = &mut self.function.specials;
        let index = list.iter().position(|(known, _)| *known == name).unwrap_or_else(|| {
            list.push(*special);
            list.len() - 1
        });
        Ok(Some(PROGRAM_WIDE | index as u32))
    }

    /// A register, and whether it has 64 bits. One of another width is refused, and one for integers where floats are meant.
    fn check_register(
        &self,
        (register, kind): (u32, PtxType),
        want: Expected,
        or_wider: bool,
    ) -> Result<(u32, bool)> {
        let ((bits, class), (expected_bits, expected_class)) = (kind.register_class(), want);
        let is_wide_enough =
            bits == expected_bits || (or_wider && bits > expected_bits && kind != PtxType::Pred);
        if !is_wide_enough
            || (class != NumberClass::Bits && expected_class != NumberClass::Bits && class != expected_class)
        {
            let expected = format!("{expected_bits} bits of {expected_class:?} are expected");
            return self.invalid(format!("a register of {kind:?} where {expected}"));
        }
        Ok((register, bits == 64))
    }

    /// A register of a vector.
    fn check_component(
        &mut self,
        name: &str,
        index: u32,
        want: Expected,
        or_wider: bool,
    ) -> Result<(u32, bool)> {
        match self.find_symbol(name)? {
            Symbol::Register(first, kind) => self.check_register((first + index, kind), want, or_wider),
            _ => self.invalid(format!("{name} is not a vector")),
        }
    }

    /// An operand that is read.
    pub fn lower_source(&mut self, operand: &Operand, want: Expected) -> Result<Register> {
        Ok(self.read_operand(operand, want, false)?.0)
    }

    /// An operand whose register may be wider than the value, and whether the register of 64 bits is read.
    pub fn source_or_wider(&mut self, operand: &Operand, want: Expected) -> Result<(Register, bool)> {
        self.read_operand(operand, want, true)
    }

    fn read_operand(
        &mut self,
        operand: &Operand,
        want: Expected,
        or_wider: bool,
    ) -> Result<(Register, bool)> {
        let bits = match operand {
            // A predicate is true for all threads or for none.
            Operand::Not(name) if want.0 == EXPECT_PRED.0 => {
                let (from, to) =
                    (self.lower_source(&Operand::Name(name), EXPECT_PRED)?, self.new_registers(1)?);
                self.push_alu_op(alu_op!(|p: bool| !p), to, &[from]);
                return Ok((to, false));
            }
            Operand::Number(Literal::Int(value)) if want == EXPECT_PRED => {
                u64::from(*value != 0).wrapping_neg()
            }
            Operand::Number(number) => number.literal_bits(want.0),
            Operand::Name(name) => {
                if let Some(special) = self.special_register(name)? {
                    return Ok((special, true));
                }
                match self.find_symbol(name)? {
                    Symbol::Register(register, kind) => {
                        return self.check_register((register, kind), want, or_wider);
                    }
                    Symbol::Fixed(address) | Symbol::Parameter(address) => address,
                    Symbol::Shared(variable) => return Ok((self.shared_register(variable), true)),
                    Symbol::Frame(offset) => {
                        let to = self.new_registers(1)?;
                        self.push_operation(Operation::Frame { to, offset, window: 0 });
                        return Ok((to, true));
                    }
                }
            }
            Operand::Component(name, index) => return self.check_component(name, *index, want, or_wider),
            Operand::Within(name, offset) if !matches!(self.find_symbol(name)?, Symbol::Register(..)) => {
                let parts =
                    [self.lower_source(&Operand::Name(name), want)?, self.constant_register(*offset as u64)];
                let sum = match want.0 {
                    64 => alu_op!(|a: u64, b: u64| a.wrapping_add(b)),
                    _ => alu_op!(|a: u32, b: u32| a.wrapping_add(b)),
                };
                let to = self.new_registers(1)?;
                self.push_alu_op(sum, to, &parts);
                return Ok((to, true));
            }
            _ => return self.invalid("an operand of another kind expected"),
        };
        if bits >> WINDOW == FUNCTIONS && matches!(operand, Operand::Name(_)) {
            self.function.callees.push((bits & 0xffff_ffff) as usize);
        }
        Ok((self.constant_register(bits), true))
    }

    /// A word that is read, as most instructions take them.
    pub fn word_source(&mut self, operand: &Operand) -> Result<Register> {
        self.lower_source(operand, EXPECT_B32)
    }

    pub fn optional_word(&mut self, operands: &[Operand], index: usize) -> Result<Option<Register>> {
        operands.get(index).map(|operand| self.word_source(operand)).transpose()
    }

    /// A register that is written.
    pub fn lower_target(&mut self, operand: &Operand, want: Expected) -> Result<u32> {
        Ok(self.written_operand(operand, want, false)?.0)
    }

    /// A register that may be wider than the value, and whether it has 64 bits.
    pub fn target_or_wider(&mut self, operand: &Operand, want: Expected) -> Result<(u32, bool)> {
        self.written_operand(operand, want, true)
    }

    fn written_operand(&mut self, operand: &Operand, want: Expected, or_wider: bool) -> Result<(u32, bool)> {
        match operand {
            // What is written to `_` is not read.
            Operand::Name("_") => Ok((TEMP_1, want.0 == 64)),
            Operand::Name(name) => match self.find_symbol(name)? {
                Symbol::Register(register, kind) => self.check_register((register, kind), want, or_wider),
                _ => self.invalid(format!("{name} is not a register")),
            },
            Operand::Component(name, index) => self.check_component(name, *index, want, or_wider),
            _ => self.invalid("a register expected"),
        }
    }

    /// `d` or `d|p`
    pub fn lower_target_pair(&mut self, operand: &Operand, want: Expected) -> Result<(u32, Option<u32>)> {
        match operand {
            Operand::Pair(pair) => {
                Ok((self.lower_target(&pair[0], want)?, Some(self.lower_target(&pair[1], EXPECT_PRED)?)))
            }
            one => Ok((self.lower_target(one, want)?, None)),
        }
    }

    /// One operand, or several in braces.
    pub fn vector_elements<'o, 't>(
        &self,
        operand: &'o Operand<'t>,
        count: usize,
    ) -> Result<&'o [Operand<'t>]> {
        let list = match operand {
            Operand::Vector(all) => all.as_slice(),
            one => std::slice::from_ref(one),
        };
        if list.len() == count { Ok(list) } else { self.invalid(format!("a vector of {count} expected")) }
    }

    pub fn predicate_operand(&mut self, operand: &Operand) -> Result<Predicate> {
        match operand {
            Operand::Not(name) => Ok((self.lower_source(&Operand::Name(name), EXPECT_PRED)?, true)),
            one => Ok((self.lower_source(one, EXPECT_PRED)?, false)),
        }
    }

    /// Where memory is accessed.
    pub fn address_operand(&mut self, operand: &Operand, space: AddressSpace) -> Result<MemoryOperand> {
        let (base, offset) = match operand {
            Operand::Address(parts, offset) => {
                let [base] = parts.as_slice() else {
                    return self.unsupported("an address of several parts");
                };
                (base, offset)
            }
            Operand::Within(name, offset) => (&Operand::Name(name), offset),
            Operand::Element(name, ..) => {
                if matches!(self.find_symbol(name)?, Symbol::Parameter(_) | Symbol::Register(..)) {
                    return self.unsupported(format!("an element of {name} by a register"));
                }
                (operand, &0)
            }
            _ => return self.invalid("an address expected"),
        };
        let mut address = MemoryOperand { space, base: None, offset: *offset };
        let name = match base {
            Operand::Name(name) if self.special_register(name)?.is_none() => Some(self.find_symbol(name)?),
            Operand::Element(name, ..) => Some(self.find_symbol(name)?),
            _ => None,
        };
        match name {
            Some(Symbol::Frame(at)) if matches!(base, Operand::Name(_)) => {
                return Ok(MemoryOperand {
                    space: AddressSpace::Local,
                    base: None,
                    offset: offset + i64::from(at),
                });
            }
            Some(Symbol::Frame(_)) => address.space = AddressSpace::Local,
            Some(Symbol::Shared(_)) if space == AddressSpace::Generic => address.space = AddressSpace::Shared,
            Some(Symbol::Parameter(_)) if space == AddressSpace::Generic => {
                address.space = AddressSpace::Parameters
            }
            Some(Symbol::Fixed(_)) if space == AddressSpace::Generic => address.space = AddressSpace::Global,
            _ => {}
        }
        // A function's parameters are in its frame.
        if space == AddressSpace::Parameters && !self.is_entry {
            address.space = AddressSpace::Local;
        }
        address.base = Some(match base {
            // As ptxas makes it: 32 bits wrap, and are then an address.
            Operand::Element(name, size, register, plus) => {
                let [size, plus] =
                    [u64::from(*size), *plus as u64].map(|number| self.constant_register(number));
                let index = self.word_source(&Operand::Name(register))?;
                let to = self.new_registers(1)?;
                let bytes = alu_op!(|a: u32, plus: u32, size: u32| a.wrapping_add(plus).wrapping_mul(size));
                self.push_alu_op(bytes, to, &[index, plus, size]);
                let base = self.lower_source(&Operand::Name(name), EXPECT_B32)?;
                self.push_alu_op(
                    alu_op!(|base: u64, bytes: u32| base.wrapping_add(u64::from(bytes))),
                    to,
                    &[base, to],
                );
                (to, true)
            }
            _ => self.source_or_wider(base, EXPECT_B32)?,
        });
        Ok(address)
    }
}
