//! The functions in the driver's headers, without Direct3D's. The stub library for the linker has all of them.

use std::collections::BTreeMap;

/// Each line has the releases of a group of functions, and the functions' names without `cu`. `MemAlloc` is in the
/// group `=2000,_v2=3020`: cuMemAlloc came with CUDA 2.0, and cuMemAlloc_v2 with CUDA 3.2. The group `=none` has the
/// functions of which the headers name no release, and the functions that drivers for Linux lack.
///
/// Generated: `cargo run -p generator`
const DRIVER_FUNCTIONS: &str = include_str!("driver_exports.txt");

/// Returns the symbols in the list, each with the first release that has the symbol, if the list names a release.
pub fn driver_symbols() -> BTreeMap<String, Option<u32>> {
    let mut symbols = BTreeMap::new();
    for (versions, names) in DRIVER_FUNCTIONS.lines().filter_map(|line| line.split_once(' ')) {
        for (suffix, release) in versions.split(',').filter_map(|version| version.split_once('=')) {
            symbols.extend(names.split(' ').map(|name| (format!("cu{name}{suffix}"), release.parse().ok())));
        }
    }
    symbols
}
