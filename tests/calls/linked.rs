//! The program that `run_linked_program` builds and runs. The program calls each function that the mock driver's cuda.h
//! or wrapper.h declares. The linker binds these functions to the mock driver.

mod every_function;

use std::ffi::c_int;
use std::ops::Range;

use cuda_external_sys::*;
use every_function::{NamedCall, MockReportFunction};

/// Defines `RECORDS` and `fields_of_record`. Each item in the macro's input has a record's name, and the paths of the
/// record's fields in C and in Rust: `CUDA_EXTERNAL_MEMORY_HANDLE_DESC { ".type" => .type_, }`.
macro_rules! records {
    ($($record:ident { $($path:literal => $(.$field:ident)+,)* })*) => {
        const RECORDS: &[&str] = &[$(stringify!($record)),*];

        fn fields_of_record(record: &str) -> Vec<(&'static str, Range<usize>)> {
            match record {
                $(stringify!($record) => {
                    let value = $record::default();
                    // SAFETY: `&raw const` takes the address of a field, which may be in a union, and reads nothing.
                    vec![$(($path, field_range(&value, unsafe { &raw const value$(.$field)+ }))),*]
                })*
                _ => Vec::new(),
            }
        }
    };
}

// The file defines `DECLARED`, the names of the functions that cuda.h or wrapper.h declares, and calls `records!`.
include!(concat!(env!("OUT_DIR"), "/fields.rs"));

/// Returns the field's range of bytes in a record. Asserts that these bytes of the record are zero.
fn field_range<R, F>(record: *const R, field: *const F) -> Range<usize> {
    // SAFETY: the field is a part of a live value, and has no padding.
    let bytes = unsafe { std::slice::from_raw_parts(field.cast::<u8>(), size_of::<F>()) };
    assert!(bytes.iter().all(|byte| *byte == 0), "the default of {} is not zero", std::any::type_name::<R>());
    let offset = field.addr() - record.addr();
    offset..offset + size_of::<F>()
}

unsafe extern "C" {
    fn mock_start_recording(code: c_int, report: MockReportFunction);
}

fn main() {
    RECORDS.iter().for_each(|record| drop(fields_of_record(record)));
    let is_declared = |call: &&NamedCall| DECLARED.contains(&call.0);
    let calls: Vec<NamedCall> = every_function::ALL.iter().filter(is_declared).copied().collect();
    every_function::compare_all_calls(mock_start_recording, &calls, Some(fields_of_record));
}
