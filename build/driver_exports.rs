//! The functions that the driver exports. The stub library for the linker has all of them.

use std::collections::BTreeMap;

/// Every function in the driver's headers except Direct3D's: names without `cu`, in groups that have the same versions.
/// `=2000,_v2=3020` precedes the functions whose first version came with CUDA 2.0 and whose `_v2` came with CUDA 3.2.
/// The headers name no release for the functions after `=none`. Generated: `cargo run -p generator`
const DRIVER_FUNCTIONS: &str = include_str!("driver_exports.txt");

/// Returns the symbols that the driver exports, each with the first release that has it, if a header says which.
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
