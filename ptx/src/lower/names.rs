//! The meaning of names: registers, variables, functions, labels and special registers.

use std::collections::HashMap;
use std::ops::Range;

use super::lowering::{Lowering, words_of};
use crate::error::Result;
use crate::parse::{Module, Operand};
use crate::program::{FIXED, Source, Special};
use crate::spaces::{FUNCTIONS, WINDOW};
use crate::values::{Type, WARP};

/// A module's statements, with the addresses of its variables.
pub struct Globals<'a> {
    pub module: &'a Module<'a>,
    /// The generic addresses of variables in global and constant memory, and of functions.
    pub addresses: HashMap<&'a str, u64>,
    /// The variables' memory.
    pub memory: Range<u64>,
}

#[derive(Clone, Copy)]
pub enum Name {
    Register(u32, Type),
    Frame(u32),
    Shared(u64),
    Parameter(u64),
    /// A generic address that does not change: of global or constant memory, or a function's.
    Fixed(u64),
}

#[derive(Default)]
pub struct Scope<'a> {
    pub names: HashMap<&'a str, Name>,
    /// `%r<5>`: the first register, how many, and their type.
    ranges: HashMap<&'a str, (u32, u32, Type)>,
    pub labels: HashMap<&'a str, usize>,
    pub targets: HashMap<&'a str, &'a [&'a str]>,
}

impl<'a> Scope<'a> {
    /// Returns whether the name is new.
    pub fn declare_registers(&mut self, name: &'a str, first: u32, count: Option<u32>, kind: Type) -> bool {
        match count {
            Some(count) => self.ranges.insert(name, (first, count, kind)).is_none(),
            None => self.names.insert(name, Name::Register(first, kind)).is_none(),
        }
    }

    fn find(&self, name: &str) -> Option<Name> {
        if let Some(found) = self.names.get(name) {
            return Some(*found);
        }
        // A range's name may end with digits itself.
        let digits = name.len() - name.trim_end_matches(|letter: char| letter.is_ascii_digit()).len();
        (name.len() - digits..name.len()).find_map(|at| {
            let (first, count, kind) = self.ranges.get(&name[..at])?;
            let number: u32 = name[at..].parse().ok()?;
            (number < *count).then(|| Name::Register(first + number * words_of(*kind), *kind))
        })
    }
}

/// Stands for the start of the launch's shared memory until it is known, with the variable's number.
pub const DYNAMIC: u64 = 0x7fff_dead_0000;

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

    /// Returns a generic address as an operand.
    pub fn fixed(&mut self, address: u64) -> Source {
        if address >> WINDOW == FUNCTIONS {
            self.to_do.push((address & 0xffff_ffff) as usize);
        }
        self.constant(address)
    }

    /// Returns the special register of a name, or `None` for another name.
    pub fn special(&mut self, name: &str) -> Result<Option<Source>> {
        let (stem, axis) = match name.split_once('.') {
            Some((stem, axis @ ("x" | "y" | "z"))) => (stem, "xyz".find(axis)),
            _ => (name, None),
        };
        let special = match (stem, axis) {
            ("%tid", Some(axis)) => Special::Tid(axis),
            ("%ntid", Some(axis)) => Special::Ntid(axis),
            ("%ctaid", Some(axis)) => Special::Ctaid(axis),
            ("%nctaid", Some(axis)) => Special::Nctaid(axis),
            ("%laneid", None) => Special::Lane,
            ("%warpid", None) => Special::Warp,
            ("%nwarpid", None) => Special::Warps,
            // One processor runs everything.
            ("%smid" | "%gridid", None) => Special::Zero,
            ("%nsmid", None) => Special::One,
            ("%lanemask_eq", None) => Special::LanesEqual,
            ("%lanemask_lt", None) => Special::LanesLess,
            ("%lanemask_le", None) => Special::LanesLessOrEqual,
            ("%lanemask_gt", None) => Special::LanesGreater,
            ("%lanemask_ge", None) => Special::LanesGreaterOrEqual,
            ("%dynamic_smem_size", None) => Special::DynamicShared,
            ("%total_smem_size", None) => Special::TotalShared,
            ("WARP_SZ", None) => return Ok(Some(self.constant(32))),
            _ if is_clock(name) => return Ok(None),
            _ if OTHERS.iter().any(|start| name.starts_with(start)) && self.find(name).is_err() => {
                return self.unsupported(name);
            }
            _ => return Ok(None),
        };
        let list = &mut self.program.specials;
        let index = list.iter().position(|known| *known == special).unwrap_or_else(|| {
            list.push(special);
            list.len() - 1
        });
        Ok(Some(FIXED | (index * WARP) as u32))
    }
}

/// How the names of special registers begin that are refused.
const OTHERS: [&str; 8] =
    ["%cluster", "%ncluster", "%is_explicit", "%pm", "%envreg", "%aggr_", "%current_graph", "%reserved_smem"];

/// Whether a name is a clock's, which `mov` reads.
pub fn is_clock(name: &str) -> bool {
    matches!(
        name,
        "%clock" | "%clock_hi" | "%clock64" | "%globaltimer" | "%globaltimer_lo" | "%globaltimer_hi"
    )
}
