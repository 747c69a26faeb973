//! Generates tools/in_process/src/newest_release_constants.rs from the newest cuda.h.

use std::fs;

use test_support::fetched_headers;
use test_support::layout::releases;

pub fn constants_text(_: &str) -> String {
    let include = fetched_headers(releases::newest_release()).unwrap_or_else(|error| panic!("{error}"));
    let read = |name| fs::read_to_string(include.join(name)).expect("dev/scripts/fetch-headers fetches it");
    format!(
        "//! Constants from the cuda.h of CUDA {}, the newest release. Generated: cargo run -p generator\n\n\
         /// The value of CUDA_VERSION.\n\
         pub const VERSION: i32 = {};\n\n\
         /// All flags of an array, combined, also those that cuda-external-sys does not bind.\n\
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
