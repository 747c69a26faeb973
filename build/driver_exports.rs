//! The functions in the driver's headers, without Direct3D's. The stub library for the linker has all of them.

use std::collections::BTreeMap;

/// `=2000,_v2=3020` precedes names such as `MemAlloc`: cuMemAlloc came with CUDA 2.0, and cuMemAlloc_v2 with CUDA 3.2.
/// `=none` means that the headers name no release, or that drivers for Linux lack the function.
/// Generated: `cargo run -p generator`
const DRIVER_FUNCTIONS: &str = include_str!("driver_exports.txt");

/// Returns the symbols in the list, each with the first release that has the symbol, if the list names a release.
pub fn driver_symbols() -> BTreeMap<String, Option<u32>> {
    let (mut symbols, mut versions) = (BTreeMap::new(), "");
    for word in DRIVER_FUNCTIONS.split_whitespace() {
        if word.contains('=') {
            versions = word;
            continue;
        }
        for (suffix, release) in versions.split(',').filter_map(|version| version.split_once('=')) {
            symbols.insert(format!("cu{word}{suffix}"), release.parse().ok());
        }
    }
    symbols
}
