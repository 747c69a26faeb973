//! A program of its own: the calls, with the functions bound by the linker. The mock driver is linked in the driver's
//! place.

#[allow(dead_code)] // the parts of `load` mode
mod every_function;
mod pattern;

use std::ffi::{c_char, c_int};

use cuda_external_sys::*;
use every_function::Control;
use pattern::Field;

// What the mock driver's header declares, the records, and `fields` of each.
include!(concat!(env!("OUT_DIR"), "/fields.rs"));

/// Where the field is in a record, whose default is zero there.
fn field<R, F>(record: *const R, field: *const F) -> Field {
    let size = size_of::<F>();
    // SAFETY: the field is a part of a live value, and has no padding.
    let bytes = unsafe { std::slice::from_raw_parts(field.cast::<u8>(), size) };
    assert!(bytes.iter().all(|byte| *byte == 0), "the default of {} is not zero", std::any::type_name::<R>());
    Field { offset: field.addr() - record.addr(), size }
}

unsafe extern "C" {
    fn mock_record(on: c_int);
    fn mock_return(code: c_int);
    fn mock_text() -> *const c_char;
}

fn main() {
    let zeroes: usize = RECORDS.iter().map(|name| fields(name).len()).sum();
    let control = Control { record: mock_record, return_: mock_return, text: mock_text };
    match every_function::all(&control, Some(DECLARED), fields) {
        Ok(counts) => println!("{counts}; {zeroes} fields of defaults"),
        Err(text) => {
            eprintln!("error: {text}");
            std::process::exit(1);
        }
    }
}
