//! The functions in the driver's headers. The stub library for the linker has all of them, except Direct3D's.

use std::collections::BTreeMap;

/// Lists each function in the driver's headers, except Direct3D's, by its name without `cu`. `=2000,_v2=3020` precedes
/// functions that came with CUDA 2.0 and have a symbol with the suffix `_v2` since CUDA 3.2. `=none` precedes functions
/// for which the headers name no release, or which drivers for Linux lack. Generated: `cargo run -p generator`
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
