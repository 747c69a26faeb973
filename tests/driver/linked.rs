//! A program of its own: the calls, with the functions bound by the linker. The stand-in is linked
//! in the driver's place.

#[path = "."]
mod driver {
    pub mod calls;
    pub mod pattern;
}

use std::ffi::{c_char, c_int};

use cuda_external_sys::*;
use driver::calls::{self, Control};
use driver::pattern::Field;

// `fields`, of every element type's fields.
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
    fn stand_in_record(on: c_int);
    fn stand_in_answer(code: c_int);
    fn stand_in_text() -> *const c_char;
}

fn main() {
    let control = Control { record: stand_in_record, answer: stand_in_answer, text: stand_in_text };
    match calls::all(&control, fields) {
        Ok(counts) => println!("{counts}"),
        Err(words) => {
            eprintln!("error: {words}");
            std::process::exit(1);
        }
    }
}
