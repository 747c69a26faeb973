use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use crate::lower::{self, LoweredModule, ModuleSymbols, SymbolAddresses};
use crate::parse::load_error::{LoadError, LoadErrorKind, Result, invalid_at_line, unsupported_at_line};
use crate::parse::{self, InitialValue, ParsedVariable, type_bytes};
use crate::program::address_spaces::{FUNCTIONS, WINDOW, host_pointer_to};
use crate::program::module_memory::{DeviceHeap, ModuleMemory};
use crate::program::operations::Kernel;

const KNOWN_TARGETS: std::ops::RangeInclusive<u32> = 10..=121;
const MAX_VARIABLES_BYTES: usize = 1 << 30;

const FIRST_VARIABLE_ALIGNMENT: usize = 4096;

/// A loaded module.
pub struct Module {
    kernels: Vec<(String, Result<Kernel>)>,
    variables: Vec<(String, u64, usize)>,
    memory: Arc<ModuleMemory>,
}

impl Module {
    /// Loads a module from its text. Returns an error in three cases:
    /// - The text is not PTX, breaks a rule of PTX, or has no known `.target`.
    /// - A directive, a module variable or a numbered list of vector registers (`.reg .v2 .b32 %x<4>`) is unsupported.
    /// - The module has kernels, and all are refused.
    ///
    /// If a kernel or a function has a directive for clusters, `load_ptx` refuses only this kernel, or the kernels that
    /// may call this function. A function that no kernel can call is only parsed: `load_ptx` does not look for invalid
    /// instructions in such a function.
    pub fn load_ptx(text: &str) -> std::result::Result<Self, LoadError> {
        let start = text.trim_start();
        if ![".version", "//", "/*"].iter().any(|first| start.starts_with(first)) {
            return not_ptx_error();
        }
        let parsed = parse::parse_module(text)?;
        if parsed.version == 0.0 {
            return not_ptx_error();
        }
        let target = parsed.target.strip_prefix("sm_").map(|name| name.trim_end_matches(['a', 'f']));
        if !target.is_some_and(|name| name.parse().is_ok_and(|sm| KNOWN_TARGETS.contains(&sm))) {
            return invalid_at_line(1, "a known .target expected");
        }
        let defined = parsed.variables.iter().filter(|v| !v.linkage.is_extern && !v.linkage.is_local);
        let defined = HashSet::<&str>::from_iter(defined.map(|variable| variable.name));
        // The variables of global and constant memory with their offsets, and the size of all of them.
        let (mut in_memory, mut size) = (Vec::new(), 0_usize);
        for variable in parsed.variables.iter().filter(|v| matches!(v.space, "global" | "const")) {
            if variable.linkage.is_extern && defined.contains(variable.name) {
                continue;
            }
            let at = size.next_multiple_of(variable.alignment.max(16));
            size = at + variable.size;
            in_memory.push((variable, at));
            if size > MAX_VARIABLES_BYTES {
                return unsupported_at_line(variable.line, "variables of more than 1 GiB");
            }
        }
        let count = (size + FIRST_VARIABLE_ALIGNMENT).div_ceil(8);
        let mut words = vec![0_u64; count];
        let start = words.as_mut_ptr().expose_provenance().next_multiple_of(FIRST_VARIABLE_ALIGNMENT) as u64;
        let mut addresses = SymbolAddresses::default();
        for (index, function) in parsed.functions.iter().enumerate() {
            addresses.set_symbol_address(function.linkage, function.name, FUNCTIONS << WINDOW | index as u64);
        }
        let mut variables = Vec::new();
        for (variable, at) in &in_memory {
            addresses.set_symbol_address(variable.linkage, variable.name, start + *at as u64);
            variables.push((variable.name.to_owned(), start + *at as u64, variable.size));
        }
        for (variable, at) in in_memory {
            write_initial_values(variable, start + at as u64, &addresses)?;
        }
        let range = start..start + size.max(1) as u64;
        let memory = ModuleMemory { variables: range, _words: words, heap: DeviceHeap::default() };
        let globals = ModuleSymbols { module: &parsed, addresses, memory: Arc::new(memory) };
        let entries = parsed.functions.iter().enumerate();
        let entries = entries.filter(|(_, function)| function.is_entry && function.body.is_some());
        let mut lowered = LoweredModule::default();
        lowered.functions.resize_with(parsed.functions.len(), || None);
        let mut kernels = Vec::new();
        for (index, entry) in entries {
            let kernel = lower::lower_kernel(&globals, index, &mut lowered);
            if let Some(error) = kernel.as_ref().err().filter(|error| error.kind == LoadErrorKind::Invalid) {
                return Err(error.clone());
            }
            kernels.push((entry.name.to_owned(), kernel));
        }
        let code = Arc::from(lowered.code);
        for kernel in kernels.iter_mut().flat_map(|(_, kernel)| kernel) {
            kernel.program.code = Arc::clone(&code);
        }
        match kernels.iter().find_map(|(_, kernel)| kernel.as_ref().err()) {
            Some(error) if kernels.iter().all(|(_, kernel)| kernel.is_err()) => Err(error.clone()),
            _ => Ok(Self { kernels, variables, memory: globals.memory }),
        }
    }

    /// Returns the names of all kernels in the order of the text, including those that this crate refuses.
    pub fn kernels(&self) -> impl Iterator<Item = &str> {
        self.kernels.iter().map(|(name, _)| name.as_str())
    }

    /// Returns a kernel, or the reason why this crate refuses the kernel. Returns `None` if the module has no kernel of
    /// this name.
    pub fn kernel(&self, name: &str) -> Option<std::result::Result<&Kernel, &LoadError>> {
        let (_, kernel) = self.kernels.iter().find(|(known, _)| known == name)?;
        Some(kernel.as_ref())
    }

    /// Returns the address of a variable in global or constant memory, and its size in bytes. Returns `None` if the
    /// module has no such variable of this name.
    pub fn variable(&self, name: &str) -> Option<(u64, usize)> {
        let (_, address, size) = self.variables.iter().find(|(known, ..)| known == name)?;
        Some((*address, *size))
    }

    /// Returns the range of addresses that contains all variables in global and constant memory, or `None` if the
    /// module has none.
    pub fn memory(&self) -> Option<Range<u64>> {
        (!self.variables.is_empty()).then(|| self.memory.variables.clone())
    }
}

fn not_ptx_error<T>() -> Result<T> {
    Err(LoadError { kind: LoadErrorKind::NotPtx, line: 1, what: "not PTX".to_owned() })
}

/// Returns the version of PTX that a text declares, or `None` if the text declares no version. A driver refuses a text
/// whose version is newer than all versions that the driver knows.
pub fn ptx_version_of(text: &str) -> Option<f64> {
    text.split(".version").nth(1)?.split_whitespace().next()?.parse().ok()
}

fn write_initial_values(variable: &ParsedVariable, start: u64, addresses: &SymbolAddresses) -> Result {
    let element = type_bytes(variable.kind).unwrap_or(8).min(8);
    if variable.values.len() * element > variable.size {
        return invalid_at_line(variable.line, format!("{} has too many values", variable.name));
    }
    for (index, value) in variable.values.iter().enumerate() {
        let bits = match value {
            InitialValue::Number(number) => number.literal_bits(8 * element as u32),
            InitialValue::Address(name, plus) => {
                match addresses.find_symbol_address(variable.linkage.input, name) {
                    Some(address) => address.wrapping_add_signed(*plus),
                    None => return invalid_at_line(variable.line, format!("{name} has no address")),
                }
            }
        };
        let bytes = &bits.to_le_bytes()[..element];
        // SAFETY: `load_ptx` has allocated the variable at `start`, the check above shows that all values fit, and no
        // kernel can run before `load_ptx` returns.
        unsafe {
            host_pointer_to(start).add(index * element).copy_from_nonoverlapping(bytes.as_ptr(), element)
        };
    }
    Ok(())
}
