//! The functions in the driver's headers, without Direct3D's. The stub library for the linker has all of them.

use std::collections::BTreeMap;

/// The functions' names without `cu`, in groups. The releases of a group's functions precede the names. `MemAlloc` is
/// in the group `=2000,_v2=3020`: cuMemAlloc came with CUDA 2.0, and cuMemAlloc_v2 with CUDA 3.2. The group `=none` has
/// the functions of which the headers name no release, and the functions that drivers for Linux lack.
///
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
