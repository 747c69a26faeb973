//! `load` mode: the mock driver is loaded in the driver's place.

use std::ffi::c_void;
use std::mem::transmute;
use std::path::Path;
use std::ptr::NonNull;
use std::sync::Barrier;
use std::thread;

use cuda_external_sys::load_from;
use libtest_mimic::Trial;
use test_support::{self as support, Need};

use crate::case;
use crate::every_function::{self, ALL, Record};
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
    let record = load_mock_driver();
    let start = Barrier::new(THREADS);
    thread::scope(|scope| {
        for seed in 0..THREADS {
            let start = &start;
            scope.spawn(move || {
                start.wait();
                every_function::compare(record, ALL, None, seed, CODE);
            });
        }
    });
    every_function::compare_all(record, ALL, None);
}

fn load_mock_driver() -> Record {
    #[cfg(target_os = "linux")]
    crate::mock_driver::build_for_this_build();
    let path = support::mock_driver().expect("it was built");
    // SAFETY: it is made for these tests.
    let driver = unsafe { load_from(path) }.unwrap_or_else(|error| panic!("{error}"));
    let symbol = driver.symbol(c"mock_record").expect("it is the mock driver");
    // SAFETY: it has this type, by mock.h.
    unsafe { transmute::<NonNull<c_void>, Record>(symbol) }
}
