//! Writes tools/in_process/src/newest_release.rs, from which the check and the driver in software know the newest release.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;

use test_support::headers;
use test_support::layout::releases;

pub const FILE: &str = "tools/in_process/src/newest_release.rs";

pub fn file_text() -> String {
    let include = headers(releases::newest()).unwrap_or_else(|error| panic!("{error}"));
    let read = |name| fs::read_to_string(include.join(name)).expect("dev/scripts/fetch-headers fetches it");
    let mut text = format!(
        "//! What the newest release has, CUDA {}. Generated from its headers: cargo run -p generator\n\n\
         /// As CUDA_VERSION counts.\n\
         pub const VERSION: i32 = {};\n\n\
         /// Every flag of an array, those that the bindings lack included.\n\
         pub const ARRAY_FLAGS: u32 = {:#x};\n\n\
         /// Later versions of functions since CUDA 11.0, and the release that brought each.\n\
         pub const LATER_VERSIONS: &[(&str, i32)] = &[\n",
        releases::newest(),
        releases::newest_number(),
        array_flags(&read("cuda.h")),
    );
    for (name, release) in later_versions(&read("cudaTypedefs.h")) {
        let _ = writeln!(text, "    (\"{name}\", {release}),");
    }
    text + "];\n"
}

/// All values of `#define CUDA_ARRAY3D_LAYERED 0x01` and its like.
fn array_flags(header: &str) -> u32 {
    let values = header.lines().filter_map(|line| {
        let (_, value) = line.strip_prefix("#define CUDA_ARRAY3D_")?.split_once(" 0x")?;
        u32::from_str_radix(value.trim(), 16).ok()
    });
    values.fold(0, |all, flag| all | flag)
}

/// `PFN_cuGraphAddNode_v12030` is the type of the second version, which is called `cuGraphAddNode_v2`.
fn later_versions(header: &str) -> BTreeMap<String, u32> {
    let mut releases: BTreeMap<&str, BTreeSet<u32>> = BTreeMap::new();
    for word in header.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')) {
        let of_function = word.strip_prefix("PFN_").and_then(|word| word.split_once("_v"));
        if let Some((name, Ok(release))) = of_function.map(|(name, number)| (name, number.parse())) {
            releases.entry(name).or_default().insert(release);
        }
    }
    let versions = releases.iter().flat_map(|(name, all)| (1..).zip(all).map(move |of| (name, of)));
    let later = versions.filter(|(_, (version, release))| *version > 1 && **release > 11000);
    later.map(|(name, (version, release))| (format!("{name}_v{version}"), *release)).collect()
}
