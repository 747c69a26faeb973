//! Generates tools/in_process/src/newest_release_constants.rs: the newest release's CUDA_VERSION and array flags, for
//! cuda-external-check and cuda-external-cpu.

use std::fs;

use test_support::fetched_headers;
use test_support::layout::releases;

pub fn constants_text(_: &str) -> String {
    let include = fetched_headers(releases::newest_release()).unwrap_or_else(|error| panic!("{error}"));
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

/// Returns all array flags of cuda.h, such as `#define CUDA_ARRAY3D_LAYERED 0x01`, combined.
fn array_flags(header: &str) -> u32 {
    let values = header.lines().filter_map(|line| {
        let (_, value) = line.strip_prefix("#define CUDA_ARRAY3D_")?.split_once(" 0x")?;
        u32::from_str_radix(value.trim(), 16).ok()
    });
    values.fold(0, |all, flag| all | flag)
}
