//! Hides the layer's functions that the driver lacks, since programs use dlsym to find out which functions exist.

use std::ffi::c_void;
use std::path::Path;

use libloading::Library;
use object::{Object, ObjectSection, ObjectSymbol};

/// The size of an `Elf64_Sym`, and the offsets of the fields `st_info` and `st_shndx`.
const SYMBOL_SIZE: usize = 24;
const INFO: usize = 4;
const SECTION: usize = 6;
/// The value of `st_info` for a function that need not be defined (STB_WEAK, STT_FUNC).
const WEAK_FUNCTION: u8 = 0x22;

/// Returns the layer's bytes without the exports that `driver` lacks, or the same bytes if `driver` does not open.
pub fn hide_functions_driver_lacks(layer: &[u8], driver: &Path) -> Vec<u8> {
    let mut layer = layer.to_vec();
    for at in find_symbols_driver_lacks(&layer, driver).unwrap_or_default() {
        layer[at + INFO] = WEAK_FUNCTION;
        layer[at + SECTION..at + SYMBOL_SIZE].fill(0);
    }
    layer
}

/// Returns the offsets of `layer`'s symbols for CUDA functions that neither the driver nor its dependencies export.
fn find_symbols_driver_lacks(layer: &[u8], driver: &Path) -> Option<Vec<usize>> {
    // SAFETY: the driver's initializers may run: the driver is loaded already, or an outer check has chosen it.
    let driver = unsafe { Library::new(driver) }.ok()?;
    // SAFETY: nothing uses the address.
    let has = |name: &[u8]| unsafe { driver.get::<*const c_void>(name) }.is_ok();
    let file = object::File::parse(layer).ok()?;
    let start = file.section_by_name(".dynsym")?.file_range()?.0 as usize;
    let is_lacking = |name: &[u8]| name.starts_with(b"cu") && !has(name);
    let lacking = file.dynamic_symbols().filter(|symbol| symbol.is_definition());
    let lacking = lacking.filter(|symbol| symbol.name_bytes().is_ok_and(is_lacking));
    let places = lacking.map(|symbol| start + symbol.index().0 * SYMBOL_SIZE).collect();
    // Unloading a driver may crash.
    std::mem::forget(driver);
    Some(places)
}
