//! `load` mode: the mock driver is loaded in the driver's place.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::path::Path;
use std::sync::Barrier;
use std::{mem, thread};

use cuda_external_sys::load_from;
use libtest_mimic::Trial;
use test_support::{self as support, Need};

use crate::case;
use crate::every_function::{self, ALL, Control};
#[cfg(target_os = "linux")]
use crate::loader::program;
#[cfg(windows)]
use crate::windows::program;

pub fn trials(needs: &[Need]) -> Vec<Trial> {
    let process = |name: &str, run| case::trial(name, needs, program, run);
    support::tests! {
        process => every_function_loaded;
    }
}

/// In many threads, and then with every code. All threads begin with functions that nobody has called: each slot is
/// resolved by several at once.
fn every_function_loaded(_: &Path) {
    const THREADS: usize = 8;
    const CODE: u32 = 9140;
    let control = control();
    let start = Barrier::new(THREADS);
    thread::scope(|scope| {
        for seed in 0..THREADS {
            let (start, control) = (&start, &control);
            scope.spawn(move || {
                start.wait();
                every_function::compare(control, ALL, None, seed, CODE);
            });
        }
    });
    every_function::compare_all(&control, ALL, None);
}

fn control() -> Control {
    #[cfg(target_os = "linux")]
    crate::mock_driver::build_for_this_build();
    let path = support::mock_driver().expect("it was built");
    // SAFETY: it is made for these tests.
    let driver = unsafe { load_from(path) }.unwrap_or_else(|error| panic!("{error}"));
    let symbol = |name: &CStr| driver.symbol(name).expect("it is the mock driver").as_ptr();
    // SAFETY: the mock driver's functions have these types, by mock.h.
    unsafe {
        Control {
            record: mem::transmute::<*mut c_void, unsafe extern "C" fn(c_int)>(symbol(c"mock_record")),
            text: mem::transmute::<*mut c_void, unsafe extern "C" fn() -> *const c_char>(symbol(
                c"mock_text",
            )),
        }
    }
}
