//! The meaning of names: registers, variables, functions, labels and special registers.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use crate::alu::PtxType;
use crate::parse::{ParsedModule, SymbolLinkage};
use crate::program::module_memory::ModuleMemory;
use crate::program::operations::SharedVariableId;

pub struct ModuleSymbols<'a> {
    pub module: &'a ParsedModule<'a>,
    /// The generic addresses of variables in global and constant memory, and of functions.
    pub addresses: SymbolAddresses<'a>,
    pub memory: Arc<ModuleMemory>,
}

/// The addresses of symbols, by a number and a name. If only one input of the linker sees the name, the number is this
/// input's number. If all inputs see the name, the number is 0.
#[derive(Default)]
pub struct SymbolAddresses<'a>(HashMap<(u32, &'a str), u64>);

impl<'a> SymbolAddresses<'a> {
    pub fn set_symbol_address(&mut self, linkage: SymbolLinkage, name: &'a str, address: u64) {
        self.0.insert((linkage.private_to_input(), name), address);
    }

    pub fn find_symbol_address(&self, input: u32, name: &str) -> Option<u64> {
        self.0.get(&(input, name)).or_else(|| self.0.get(&(0, name))).copied()
    }
}

#[derive(Clone, Copy)]
pub enum Symbol {
    Register(u32, PtxType),
    Frame(u32),
    Shared(SharedVariableId),
    Parameter(u64),
    /// The generic address of a variable in global or constant memory, or of a function.
    Fixed(u64),
}

#[derive(Default)]
pub struct SymbolScope<'a> {
    pub names: HashMap<Cow<'a, str>, Symbol>,
    pub labels: HashMap<&'a str, usize>,
    pub targets: HashMap<&'a str, &'a [&'a str]>,
}

/// The prefixes of special registers that this interpreter does not support.
pub const REFUSED_PREFIXES: [&str; 8] =
    ["%cluster", "%ncluster", "%is_explicit", "%pm", "%envreg", "%aggr_", "%current_graph", "%reserved_smem"];

/// The clocks, which are special registers. In this interpreter only `mov` can read them, and all count nanoseconds.
pub const CLOCKS: [&str; 6] =
    ["%clock", "%clock_hi", "%clock64", "%globaltimer", "%globaltimer_lo", "%globaltimer_hi"];
