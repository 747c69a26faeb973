//! Lowers operands: sources, registers for results, predicates, vectors and addresses.

use super::lowering_context::{LoweringContext, TEMP_1};
use super::symbol_names::{REFUSED_PREFIXES, Symbol};
use crate::alu::{EXPECT_B32, OperandClass, PtxType, ValueKind, alu_op};
use crate::parse::load_error::Result;
use crate::parse::{NumberLiteral, Operand};
use crate::program::address_spaces::{FUNCTIONS, WINDOW};
use crate::program::operations::{
    AddressSpace, MemoryOperand, Operation, Predicate, ReadOnlyRegister, Register, SizedRegister,
};
use crate::program::special_registers::SPECIAL_REGISTERS;

pub const EXPECT_PRED: OperandClass = OperandClass::of_bits(1);

impl<'a> LoweringContext<'a> {
    pub fn find_symbol(&mut self, name: &str) -> Result<Symbol> {
        if let Some(found) = self.scopes.iter().rev().find_map(|scope| scope.names.get(name).copied()) {
            return Ok(found);
        }
        let (globals, input) = (self.globals, self.parsed.linkage.input);
        if let Some(address) = globals.addresses.find_symbol_address(input, name) {
            return Ok(Symbol::Fixed(address));
        }
        let shared = globals.module.variables.iter().enumerate();
        let shared = shared.filter(|(_, v)| v.name == name && v.space == "shared");
        let seen = shared.filter(|(_, v)| [0, input].contains(&v.linkage.private_to_input()));
        match seen.max_by_key(|(_, v)| v.linkage.private_to_input()) {
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

    pub fn special_register(&mut self, name: &str) -> Result<Option<Register>> {
        // No name in `SPECIAL_REGISTERS` ends with a digit, so names such as `%r1` need no search.
        let is_numbered = name.ends_with(|letter: char| letter.is_ascii_digit());
        let special = SPECIAL_REGISTERS.iter().position(|(known, _)| !is_numbered && *known == name);
        if let Some(special) = special {
            return Ok(Some(self.read_only_register(ReadOnlyRegister::Special(special))));
        }
        let is_refused = REFUSED_PREFIXES.iter().any(|start| name.starts_with(start));
        if is_refused && self.find_symbol(name).is_err() { self.unsupported(name) } else { Ok(None) }
    }

    /// Refuses a register whose width or kind of value does not fit `want`. `ValueKind::Bits` fits every kind.
    fn check_register(&self, symbol: Symbol, want: OperandClass) -> Result<SizedRegister> {
        let Symbol::Register(register, kind) = symbol else { return self.invalid("a register expected") };
        let (bits, class) = (kind.bits(), kind.number_class());
        let is_wide_enough =
            bits == want.bits || (want.allow_wider && bits > want.bits && kind != PtxType::Pred);
        let is_any = class == ValueKind::Bits || want.class == ValueKind::Bits;
        if !is_wide_enough || !(is_any || class == want.class) {
            let expected = format!("{} bits of {:?} are expected", want.bits, want.class);
            return self.invalid(format!("a register of {kind:?} where {expected}"));
        }
        Ok((register, bits == 64))
    }

    fn find_vector_component(&mut self, vector: &str, index: u32) -> Result<Symbol> {
        Ok(match self.find_symbol(vector)? {
            Symbol::Register(first, kind) => Symbol::Register(first + index, kind),
            other => other,
        })
    }

    pub fn lower_source(&mut self, operand: &Operand, want: OperandClass) -> Result<Register> {
        Ok(self.sized_source(operand, want)?.0)
    }

    pub fn sized_source(&mut self, operand: &Operand, want: OperandClass) -> Result<SizedRegister> {
        let bits = match operand {
            Operand::Not(name) if want.bits == EXPECT_PRED.bits => {
                let from = self.lower_source(&Operand::Name(name), EXPECT_PRED)?;
                let to = self.new_registers(1)?;
                self.push_alu_op(alu_op!(|p: bool| !p), to, &[from]);
                return Ok((to, false));
            }
            // A number as a predicate is true for all threads or for none.
            Operand::Number(NumberLiteral::Int(value)) if want == EXPECT_PRED => {
                u64::from(*value != 0).wrapping_neg()
            }
            Operand::Number(number) => number.literal_bits(want.bits),
            Operand::Name(name) => {
                if let Some(special) = self.special_register(name)? {
                    return Ok((special, true));
                }
                match self.find_symbol(name)? {
                    Symbol::Fixed(address) | Symbol::Parameter(address) => address,
                    Symbol::Shared(variable) => {
                        return Ok((
                            self.read_only_register(ReadOnlyRegister::SharedAddress(variable)),
                            true,
                        ));
                    }
                    Symbol::Frame(offset) => {
                        let to = self.new_registers(1)?;
                        self.push_operation(Operation::Frame { to, offset, window: 0 });
                        return Ok((to, true));
                    }
                    register => return self.check_register(register, want),
                }
            }
            Operand::Component(name, index) => {
                let register = self.find_vector_component(name, *index)?;
                return self.check_register(register, want);
            }
            Operand::Within(name, offset) if !matches!(self.find_symbol(name)?, Symbol::Register(..)) => {
                let parts =
                    [self.lower_source(&Operand::Name(name), want)?, self.constant_register(*offset as u64)];
                let sum = match want.bits {
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

    pub fn lower_source_list(&mut self, operands: &[Operand], want: OperandClass) -> Result<Vec<Register>> {
        operands.iter().map(|operand| self.lower_source(operand, want)).collect()
    }

    pub fn lower_word(&mut self, operand: &Operand) -> Result<Register> {
        self.lower_source(operand, EXPECT_B32)
    }

    pub fn lower_optional_word(&mut self, operands: &[Operand], index: usize) -> Result<Option<Register>> {
        operands.get(index).map(|operand| self.lower_word(operand)).transpose()
    }

    pub fn lower_target(&mut self, operand: &Operand, want: OperandClass) -> Result<u32> {
        Ok(self.sized_target(operand, want)?.0)
    }

    pub fn sized_target(&mut self, operand: &Operand, want: OperandClass) -> Result<SizedRegister> {
        let register = match operand {
            // A value that is written to `_` is never read.
            Operand::Name("_") => return Ok((TEMP_1, want.bits == 64)),
            Operand::Name(name) => self.find_symbol(name)?,
            Operand::Component(name, index) => self.find_vector_component(name, *index)?,
            _ => return self.invalid("a register expected"),
        };
        self.check_register(register, want)
    }

    /// Lowers `d` or `d|p`: a result, and a predicate if there is one.
    pub fn lower_target_pair(&mut self, operand: &Operand, want: OperandClass) -> Result<(u32, Option<u32>)> {
        match operand {
            Operand::Pair(pair) => {
                Ok((self.lower_target(&pair[0], want)?, Some(self.lower_target(&pair[1], EXPECT_PRED)?)))
            }
            one => Ok((self.lower_target(one, want)?, None)),
        }
    }

    /// Returns the elements of `{a, b}`, or one operand alone.
    pub fn vector_elements<'o>(&self, operand: &'o Operand<'o>, count: usize) -> Result<&'o [Operand<'o>]> {
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

    pub fn address_operand(&mut self, operand: &Operand, space: AddressSpace) -> Result<MemoryOperand> {
        let (base, offset) = match operand {
            Operand::Address(parts, offset) => match parts.as_slice() {
                [base] => (base, *offset),
                _ => return self.unsupported("an address of several parts"),
            },
            Operand::Within(name, offset) => (&Operand::Name(name), *offset),
            Operand::Element(..) => (operand, 0),
            _ => return self.invalid("an address expected"),
        };
        let symbol = match base {
            Operand::Name(name) if self.special_register(name)?.is_none() => Some(self.find_symbol(name)?),
            Operand::Element(name, ..) => Some(self.find_symbol(name)?),
            _ => None,
        };
        let is_generic = space == AddressSpace::Generic;
        let space = match symbol {
            Some(Symbol::Frame(at)) if matches!(base, Operand::Name(_)) => {
                return Ok(MemoryOperand::in_frame(offset + i64::from(at)));
            }
            Some(Symbol::Frame(_)) => AddressSpace::Local,
            // A function's parameters, unlike a kernel's, are in the function's frame, which is local memory.
            _ if space == AddressSpace::Parameters && !self.parsed.is_entry => AddressSpace::Local,
            Some(Symbol::Shared(_)) if is_generic => AddressSpace::Shared,
            Some(Symbol::Parameter(_)) if is_generic => AddressSpace::Parameters,
            Some(Symbol::Fixed(_)) if is_generic => AddressSpace::Global,
            _ => space,
        };
        let base = match (base, symbol) {
            (Operand::Element(name, ..), Some(Symbol::Parameter(_) | Symbol::Register(..))) => {
                return self.unsupported(format!("an element of {name} by a register"));
            }
            // The offset of the element wraps at 32 bits before the addition to `base`, as in the code that ptxas
            // generates.
            (Operand::Element(name, size, register, plus), _) => {
                let element = alu_op!(|base: u64, index: u32, plus: u32, size: u32| {
                    base.wrapping_add(index.wrapping_add(plus).wrapping_mul(size).into())
                });
                let start = self.lower_source(&Operand::Name(name), EXPECT_B32)?;
                let index = self.lower_word(&Operand::Name(register))?;
                let [plus, size] =
                    [*plus as u64, u64::from(*size)].map(|number| self.constant_register(number));
                let to = self.new_registers(1)?;
                self.push_alu_op(element, to, &[start, index, plus, size]);
                (to, true)
            }
            _ => self.sized_source(base, EXPECT_B32.allow_wider())?,
        };
        Ok(MemoryOperand { space, base: Some(base), offset })
    }
}
