//! The table of sizes and offsets in docs/replace-declarations.md is that of the types.

use std::fmt::Write as _;
use std::mem::{offset_of, size_of};

use cuda_external_sys::*;

const PAGE: &str = include_str!("../docs/replace-declarations.md");

/// The table's row of a struct: its size, and the offset of each field that is named here.
macro_rules! row {
    ($name:ident: $($($field:ident).+),+) => {{
        let offsets: Vec<(&str, usize)> = vec![
            $((concat!($(".", stringify!($field)),+), offset_of!($name, $($field).+))),+
        ];
        let mut row = format!("| `{}` | {} | ", stringify!($name), size_of::<$name>());
        for (position, (field, offset)) in offsets.iter().enumerate() {
            let separator = if position == 0 { "" } else { ", " };
            write!(row, "{separator}`{}` {offset}", &field[1..]).expect("a String takes everything");
        }
        row + " |"
    }};
}

#[test]
#[cfg(target_pointer_width = "64")]
fn the_page_has_the_types_sizes_and_offsets() {
    let rows = [
        row!(CUDA_EXTERNAL_MEMORY_HANDLE_DESC: type_, handle, size, flags, reserved),
        row!(CUDA_EXTERNAL_MEMORY_HANDLE_DESC_handle: fd, win32.handle, win32.name, nvSciBufObject),
        row!(CUDA_EXTERNAL_MEMORY_BUFFER_DESC: offset, size, flags, reserved),
        row!(CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC: offset, arrayDesc, numLevels, reserved),
        row!(CUDA_ARRAY3D_DESCRIPTOR: Width, Height, Depth, Format, NumChannels, Flags),
        row!(CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC: type_, handle, flags, reserved),
        row!(CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_handle: fd, win32.handle, win32.name, nvSciSyncObj),
        row!(CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS: params.fence.value, params.nvSciSync.fence,
            params.keyedMutex.key, params.reserved, flags, reserved),
        row!(CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS: params.fence.value, params.nvSciSync.fence,
            params.keyedMutex.key, params.keyedMutex.timeoutMs, params.reserved, flags, reserved),
        row!(CUDA_EXT_SEM_SIGNAL_NODE_PARAMS: extSemArray, paramsArray, numExtSems),
        row!(CUDA_EXT_SEM_WAIT_NODE_PARAMS: extSemArray, paramsArray, numExtSems),
    ];
    let (_, table) =
        PAGE.split_once("| struct | size | offsets |\n|---|---|---|\n").expect("the page has the table");
    let (table, _) = table.split_once("\n\n").expect("the table ends");
    assert_eq!(table.trim_end(), rows.join("\n"), "docs/replace-declarations.md");
}
