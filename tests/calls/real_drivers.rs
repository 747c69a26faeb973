//! Loads the libraries of NVIDIA's drivers. Calling a function that a library lacks must return an error.

use std::env;
use std::ffi::CString;
use std::path::Path;

use cuda_external_sys::*;

use libtest_mimic::Trial;
use test_support::{self as support, Need};

use crate::every_function::{ALL, CallArguments};
use crate::loader::this_program_searching;
use crate::process_per_test::{self, call_cu_init};

pub fn trials(no_driver: &Need) -> Vec<Trial> {
    let need = |driver| Need::new("driver-libraries", &support::driver_library(driver));
    let all: Vec<Need> = support::listed_drivers().into_iter().map(need).collect();
    let of_one = support::listed_drivers().into_iter().zip(all).map(|(driver, library)| {
        let name = format!("real_drivers::driver_{driver}");
        process_per_test::process_trial(
            &name,
            &[library, no_driver.clone()],
            this_program_searching,
            a_driver_loads_and_what_it_lacks_is_an_answer,
        )
    });
    of_one.collect()
}

/// This process tests one driver, whose number is at the end of the test's name.
fn a_driver_loads_and_what_it_lacks_is_an_answer(_: &Path) {
    let name = env::var(process_per_test::TEST_NAME).expect("the parent sets it");
    let (_, number) = name.rsplit_once('_').expect("the name ends in the driver's number");
    let path = support::driver_library(number).expect("the test needs it");
    // SAFETY: the file is NVIDIA's libcuda.so.1, whose initializers may run in any process.
    let driver = unsafe { load_from(path) }.unwrap_or_else(|error| panic!("{error}"));
    assert!(driver.version() >= 11000, "{}", driver.version());
    for (name, call) in ALL {
        let symbol = driver.exact_symbol(&CString::new(*name).expect("a name"));
        if symbol.is_none() {
            assert_eq!(
                call(&mut CallArguments::new(0, None)),
                CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND,
                "{name}"
            );
        }
    }
    assert_eq!(call_cu_init(), CUDA_ERROR_NO_DEVICE);
}
