//! Tests how `load` mode finds a driver, and whether calls pass unchanged from Rust to a mock driver in C and back.

mod every_function;
#[cfg(target_os = "linux")]
mod loader;
#[cfg(target_os = "linux")]
mod mock_driver;
mod process_per_test;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod real_drivers;
#[cfg(windows)]
mod windows_dll_search;

use std::ffi::c_void;
use std::mem::transmute;
use std::path::Path;
use std::process::ExitCode;
use std::ptr::NonNull;
use std::sync::Barrier;
use std::thread;

use cuda_external_sys::{BINDINGS, BINDINGS_SOURCE, Bindings, CUDA_VERSION, load_from};
use test_support::{self as support, Need};

use every_function::{ALL, MockRecordFunction};
#[cfg(windows)]
use windows_dll_search as loader;

fn main() -> ExitCode {
    #[cfg(target_os = "linux")]
    let needs = [
        Need::new("c-compiler", &support::find_compiler()),
        Need::new("headers", &mock_driver::include_of_this_build()),
    ];
    #[cfg(windows)]
    let needs = [Need::new("mock-driver", &support::mock_driver_library())];
    let process =
        |name: &str, run| process_per_test::process_trial(name, &needs, loader::this_program_searching, run);
    let mut trials = support::tests! {
        [] => the_constants_name_the_bindings_source;
        process => every_function_loaded;
    };
    #[cfg(target_os = "linux")]
    {
        let no_driver = loader::no_driver_need();
        trials.extend(loader::trials(&needs[0], &no_driver));
        #[cfg(target_arch = "x86_64")]
        trials.extend(real_drivers::trials(&no_driver));
        trials.extend(mock_driver::linked_trials(&needs[0]));
    }
    #[cfg(windows)]
    trials.extend(loader::trials(&needs[0]));
    // On Windows the tests run one at a time, since one test puts a driver where the other tests must find none.
    support::run_trials(trials, cfg!(windows).then_some(1))
}

/// CUDA_EXTERNAL_SYS_INCLUDE is empty for embedded bindings. For generated ones, `BINDINGS_SOURCE` names the release.
fn the_constants_name_the_bindings_source() {
    let (major, minor) = (CUDA_VERSION / 1000, CUDA_VERSION % 1000 / 10);
    let (bindings, source) = match env!("CUDA_EXTERNAL_SYS_INCLUDE") {
        "" => (Bindings::Embedded, "embedded: ".to_owned()),
        _ => (Bindings::Generated, format!("generated from CUDA {major}.{minor}, found ")),
    };
    assert_eq!(BINDINGS, bindings);
    assert!(BINDINGS_SOURCE.starts_with(&source), "{BINDINGS_SOURCE}");
}

/// Eight threads start at the same time, so that several threads look up the same function.
fn every_function_loaded(_: &Path) {
    const THREADS: usize = 8;
    #[cfg(target_os = "linux")]
    let declared = {
        let names = mock_driver::build_for_this_build();
        Vec::from_iter(ALL.iter().filter(|(name, _)| names.iter().any(|declared| declared == name)).copied())
    };
    // Windows's mock driver is made from the newest header.
    #[cfg(not(target_os = "linux"))]
    let declared = ALL.to_vec();
    let path = support::mock_driver_library().expect("it was built");
    // SAFETY: the library is the mock driver. The functions that this test calls have the types in cuda.h.
    let driver = unsafe { load_from(path) }.unwrap_or_else(|error| panic!("{error}"));
    let symbol = driver.symbol(c"mock_start_recording").expect("it is the mock driver");
    // SAFETY: mock.h declares the function with this type.
    let record = unsafe { transmute::<NonNull<c_void>, MockRecordFunction>(symbol) };
    let start = Barrier::new(THREADS);
    let calls = &|seed| {
        start.wait();
        every_function::compare_calls_with_code(record, &declared, None, seed, 9140);
    };
    thread::scope(|scope| {
        for seed in 0..THREADS {
            scope.spawn(move || calls(seed));
        }
    });
    every_function::compare_all_calls(record, &declared, None);
}
