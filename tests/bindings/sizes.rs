//! The sizes and offsets in docs/replace-declarations.md are those of the types.

use std::fmt::Write as _;
use std::mem::{offset_of, size_of};

use cuda_external_sys::*;
use libtest_mimic::Trial;

use crate::{assert_file, support};

const FILE: &str = "docs/replace-declarations.md";
const PAGE: &str = include_str!("../../docs/replace-declarations.md");
const HEAD: &str = "| struct | size | offsets |\n|---|---|---|\n";

pub fn all() -> Vec<Trial> {
    let test = |name: &str, run: fn()| support::test(&format!("sizes::{name}"), &[], run);
    vec![test("the_page_has_those_of_the_types", the_page_has_those_of_the_types)]
}

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

fn the_page_has_those_of_the_types() {
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
    let (before, table) = PAGE.split_once(HEAD).expect("the page has the table");
    let (_, after) = table.split_once("\n\n").expect("the table ends");
    assert_file(FILE, &format!("{before}{HEAD}{}\n\n{after}", rows.join("\n")));
}
