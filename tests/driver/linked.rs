//! A program of its own: the calls, with the functions bound by the linker. The stand-in is linked
//! in the driver's place.

#[path = "."]
mod driver {
    pub mod calls;
    pub mod pattern;
}

use std::ffi::{c_char, c_int};

use driver::calls::{self, Control};

unsafe extern "C" {
    fn stand_in_record(on: c_int);
    fn stand_in_answer(code: c_int);
    fn stand_in_text() -> *const c_char;
}

fn main() {
    let control = Control { record: stand_in_record, answer: stand_in_answer, text: stand_in_text };
    match calls::all(&control) {
        Ok(counts) => println!("{counts}"),
        Err(words) => {
            eprintln!("error: {words}");
            std::process::exit(1);
        }
    }
}
