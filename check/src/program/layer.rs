//! The layer's file for a driver: without the functions that this driver lacks, since programs look up by dlsym what is there.

use std::collections::HashSet;
use std::fs::File;
use std::path::Path;

use object::{Object, ObjectSection, ObjectSymbol, ReadCache};

/// ELF's symbol of 64 bits: the places of its fields, and a function that need not be defined.
const SIZE: usize = 24;
const INFO: usize = 4;
const SECTION: usize = 6;
const WEAK_FUNCTION: u8 = 0x22;

/// The layer as it is where the driver's functions cannot be read.
pub fn with_functions_of(driver: &Path, layer: &[u8]) -> Vec<u8> {
    let mut layer = layer.to_vec();
    let places = functions(driver).and_then(|functions| without(&layer, &functions));
    for at in places.unwrap_or_default() {
        layer[at + INFO] = WEAK_FUNCTION;
        layer[at + SECTION..at + SIZE].fill(0);
    }
    layer
}

/// What a driver exports.
fn functions(driver: &Path) -> Option<HashSet<Vec<u8>>> {
    let cache = ReadCache::new(File::open(driver).ok()?);
    let file = object::File::parse(&cache).ok()?;
    let defined = file.dynamic_symbols().filter(|symbol| symbol.is_definition());
    let names: HashSet<_> = defined.filter_map(|symbol| Some(symbol.name_bytes().ok()?.to_vec())).collect();
    names.contains(&b"cuInit"[..]).then_some(names)
}

/// Where the symbols of the driver's functions lie that are not among these.
fn without(layer: &[u8], functions: &HashSet<Vec<u8>>) -> Option<Vec<usize>> {
    let file = object::File::parse(layer).ok()?;
    let start = file.section_by_name(".dynsym")?.file_range()?.0 as usize;
    let is_lacking = |name: &[u8]| name.starts_with(b"cu") && !functions.contains(name);
    let lacking = file.dynamic_symbols().filter(|symbol| symbol.is_definition());
    let lacking = lacking.filter(|symbol| symbol.name_bytes().is_ok_and(is_lacking));
    Some(lacking.map(|symbol| start + symbol.index().0 * SIZE).collect())
}
