//! tools/in_process/src/newest_cuda_constants.rs, from which the check and the driver in software know the
//! newest release, and the releases of each function, in the driver in software.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use crate::function_names::wrap_names;
use build_script::allowlist;
use test_support::headers;
use test_support::layout::releases;

pub fn newest_constants_text(_: &str) -> String {
    let include = headers(releases::newest_release()).unwrap_or_else(|error| panic!("{error}"));
    let read = |name| fs::read_to_string(include.join(name)).expect("dev/scripts/fetch-headers fetches it");
    format!(
        "//! What the newest release has, CUDA {}. Generated from its headers: cargo run -p generator\n\n\
         /// As CUDA_VERSION counts.\n\
         pub const VERSION: i32 = {};\n\n\
         /// Every flag of an array, those that the bindings lack included.\n\
         pub const ARRAY_FLAGS: u32 = {:#x};\n",
        releases::newest_release(),
        releases::newest_cuda_version_number(),
        array_flags(&read("cuda.h")),
    )
}

/// All values of `#define CUDA_ARRAY3D_LAYERED 0x01` and its like.
fn array_flags(header: &str) -> u32 {
    let values = header.lines().filter_map(|line| {
        let (_, value) = line.strip_prefix("#define CUDA_ARRAY3D_")?.split_once(" 0x")?;
        u32::from_str_radix(value.trim(), 16).ok()
    });
    values.fold(0, |all, flag| all | flag)
}

/// Functions that drivers for Linux do not have (measured, 535 and 555).
const OTHER_SYSTEMS: [&str; 2] = ["cuEventCreateFromEGLSync", "cuWGLGetDevice"];

/// Returns the releases with the functions that they are of: `2000,3020:_ptds,7000 MemcpyHtoD`.
/// `PFN_cuMemcpyHtoD_v3020` is the type of the second version, which came with CUDA 3.2, and
/// `PFN_cuMemcpyHtoD_v7000_ptds` that of the form for the thread's default stream. The last functions have no type.
pub fn function_releases(_: &str) -> String {
    let include = headers(releases::newest_release()).unwrap_or_else(|error| panic!("{error}"));
    let mut rows = BTreeMap::<String, (BTreeSet<u32>, BTreeSet<u32>, &str)>::new();
    for header in ["cudaTypedefs.h", "cudaGLTypedefs.h", "cudaEGLTypedefs.h", "cudaProfilerTypedefs.h"] {
        let text = fs::read_to_string(include.join(header)).expect("dev/scripts/fetch-headers fetches it");
        for word in text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')) {
            let of_function = word.strip_prefix("PFN_").and_then(|word| word.split_once("_v"));
            let Some((name, rest)) = of_function.filter(|(name, _)| !OTHER_SYSTEMS.contains(name)) else {
                continue;
            };
            let form = ["_ptsz", "_ptds"].into_iter().find(|form| rest.ends_with(form));
            let Ok(release) = rest.trim_end_matches(form.unwrap_or_default()).parse() else { continue };
            let row = rows.entry(name.to_owned()).or_default();
            match form {
                Some(form) => _ = (row.1.insert(release), row.2 = form),
                None => _ = row.0.insert(release),
            }
        }
    }
    let list = |all: &BTreeSet<u32>| Vec::from_iter(all.iter().map(u32::to_string)).join(",");
    let mut groups = BTreeMap::<String, Vec<&str>>::new();
    for (name, (plain, per_thread, form)) in &rows {
        let forms =
            if per_thread.is_empty() { String::new() } else { format!(":{form},{}", list(per_thread)) };
        groups.entry(list(plain) + &forms).or_default().push(name);
    }
    let base =
        |name: &str| name.split("_v").next().and_then(|name| name.split("_pt").next()).map(str::to_owned);
    let untyped = |name: &&str| base(name).is_none_or(|base| !rows.contains_key(&base));
    let mut untyped = Vec::from_iter(allowlist::OF_DRIVER.split_whitespace().filter(untyped));
    untyped.sort_unstable();
    groups.insert("none".to_owned(), untyped);
    let words = groups.iter().flat_map(|(releases, names)| {
        let names = names.iter().map(|name| name.trim_start_matches("cu").to_owned());
        [releases.clone()].into_iter().chain(names)
    });
    wrap_names(words).join("\n") + "\n"
}
