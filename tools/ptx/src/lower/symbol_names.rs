//! The meaning of names: registers, variables, functions, labels and special registers.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use crate::alu::PtxType;
use crate::parse::{ParsedModule, SymbolLinkage};
use crate::program::device_heap::DeviceHeap;
use crate::program::operations::{SpecialRegister, grid_coordinates};

pub struct ModuleSymbols<'a> {
    pub module: &'a ParsedModule<'a>,
    /// The generic addresses of variables in global and constant memory, and of functions.
    pub addresses: SymbolAddresses<'a>,
    pub memory: Range<u64>,
    pub heap: Arc<DeviceHeap>,
}

/// Addresses by names. The number is the input of the linker that alone sees the name, or 0.
#[derive(Default)]
pub struct SymbolAddresses<'a>(HashMap<(u32, &'a str), u64>);

impl<'a> SymbolAddresses<'a> {
    pub fn set_symbol_address(&mut self, linkage: SymbolLinkage, name: &'a str, address: u64) {
        self.0.insert((linkage.private_to_input(), name), address);
    }

    /// Returns the address of a name as an input sees it.
    pub fn find_symbol_address(&self, input: u32, name: &str) -> Option<u64> {
        self.0.get(&(input, name)).or_else(|| self.0.get(&(0, name))).copied()
    }
}

/// A variable in shared memory: its number in the module, or its function and its number there.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub enum SharedVariableId {
    OfModule(usize),
    OfFunction(usize, usize),
}

/// The value of a read-only register.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub enum ReadOnlyValue {
    /// By its place in [`SPECIAL_REGISTERS`].
    Special(usize),
    Constant(u64),
    /// A constant whose value depends on the kernel.
    SharedAddress(SharedVariableId),
}

#[derive(Clone, Copy)]
pub enum Symbol {
    Register(u32, PtxType),
    Frame(u32),
    Shared(SharedVariableId),
    Parameter(u64),
    /// A generic address that does not change: of global or constant memory, or a function's.
    Fixed(u64),
}

#[derive(Default)]
pub struct SymbolScope<'a> {
    pub names: HashMap<Cow<'a, str>, Symbol>,
    pub labels: HashMap<&'a str, usize>,
    pub targets: HashMap<&'a str, &'a [&'a str]>,
}

/// The special registers, with the value of each for a thread of a block. Clocks are read by `mov`.
#[rustfmt::skip]
pub const SPECIAL_REGISTERS: &[SpecialRegister] = &[
    ("%tid.x", |place, thread| grid_coordinates(thread.into(), place.block)[0]),
    ("%tid.y", |place, thread| grid_coordinates(thread.into(), place.block)[1]),
    ("%tid.z", |place, thread| grid_coordinates(thread.into(), place.block)[2]),
    ("%ntid.x", |place, _| place.block[0]),
    ("%ntid.y", |place, _| place.block[1]),
    ("%ntid.z", |place, _| place.block[2]),
    ("%ctaid.x", |place, _| place.index[0]),
    ("%ctaid.y", |place, _| place.index[1]),
    ("%ctaid.z", |place, _| place.index[2]),
    ("%nctaid.x", |place, _| place.grid[0]),
    ("%nctaid.y", |place, _| place.grid[1]),
    ("%nctaid.z", |place, _| place.grid[2]),
    ("%laneid", |_, thread| thread % 32),
    ("%warpid", |_, thread| thread / 32),
    ("%nwarpid", |place, _| place.block.iter().product::<u32>().div_ceil(32)),
    // All blocks run on one multiprocessor.
    ("%smid", |_, _| 0),
    ("%gridid", |_, _| 0),
    ("%nsmid", |_, _| 1),
    ("%lanemask_eq", |_, thread| 1 << (thread % 32)),
    ("%lanemask_lt", |_, thread| (1 << (thread % 32)) - 1),
    ("%lanemask_le", |_, thread| !0 >> (31 - thread % 32)),
    ("%lanemask_gt", |_, thread| !(!0 >> (31 - thread % 32))),
    ("%lanemask_ge", |_, thread| !0 << (thread % 32)),
    ("%dynamic_smem_size", |place, _| place.shared[0]),
    ("%total_smem_size", |place, _| place.shared[1]),
    ("WARP_SZ", |_, _| 32),
];

/// The prefixes of the names of special registers that are refused.
pub const REFUSED_PREFIXES: [&str; 8] =
    ["%cluster", "%ncluster", "%is_explicit", "%pm", "%envreg", "%aggr_", "%current_graph", "%reserved_smem"];

/// The special registers that only `mov` reads. Every clock counts nanoseconds.
pub const CLOCKS: [&str; 6] =
    ["%clock", "%clock_hi", "%clock64", "%globaltimer", "%globaltimer_lo", "%globaltimer_hi"];
