//! Calls: how `load` mode finds the driver, and what of each call arrives in C and comes back, by a mock driver that is
//! compiled from the real cuda.h. The functions are called as they are loaded, and as the linker binds them.

mod case;
mod every_function;
#[cfg(target_os = "linux")]
#[path = "../bindings/layout/mod.rs"]
mod layout;
#[cfg(target_os = "linux")]
mod loader;
#[cfg(target_os = "linux")]
mod mock_driver;
#[cfg(windows)]
mod windows;

use std::ffi::c_void;
use std::mem::transmute;
use std::path::Path;
use std::process::ExitCode;
use std::ptr::NonNull;
use std::sync::Barrier;
use std::thread;

use cuda_external_sys::{BINDINGS, load_from};
#[cfg(target_os = "linux")]
use libtest_mimic::Trial;
use test_support::{self as support, Need};

use every_function::{ALL, Record};
#[cfg(windows)]
use windows as loader;

fn main() -> ExitCode {
    #[cfg(target_os = "linux")]
    let needs = [
        Need::new("c-compiler", &support::compiler()),
        Need::new("headers", &layout::releases::this_builds_header()),
    ];
    #[cfg(windows)]
    let needs = [Need::new("mock-driver", &support::mock_driver())];
    let process = |name: &str, run| case::trial(name, &needs, loader::program, run);
    let mut trials = support::tests! {
        [] => the_constant_names_the_bindings_source;
        process => every_function_loaded;
    };
    trials.extend(loader::trials(&needs[0]));
    #[cfg(target_os = "linux")]
    trials.extend(linked(&needs[0]));
    // On Windows, one of them puts a file where the others must find none.
    support::run(trials, cfg!(windows).then_some(1))
}

/// The build script says by its metadata what it made.
fn the_constant_names_the_bindings_source() {
    let printed = include_str!(concat!(env!("OUT_DIR"), "/../output"));
    let line = format!("cargo::metadata=BINDINGS={}", format!("{BINDINGS:?}").to_lowercase());
    assert!(printed.lines().any(|printed| printed == line), "{line} is not in {printed}");
}

/// In many threads, and then with every code. All threads begin with functions that nobody has called: each slot is
/// resolved by several at once.
fn every_function_loaded(_: &Path) {
    const THREADS: usize = 8;
    const CODE: u32 = 9140;
    #[cfg(target_os = "linux")]
    mock_driver::build_for_this_build();
    let path = support::mock_driver().expect("it was built");
    // SAFETY: it is made for these tests.
    let driver = unsafe { load_from(path) }.unwrap_or_else(|error| panic!("{error}"));
    let symbol = driver.symbol(c"mock_record").expect("it is the mock driver");
    // SAFETY: it has this type, by mock.h.
    let record = unsafe { transmute::<NonNull<c_void>, Record>(symbol) };
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

#[cfg(target_os = "linux")]
type Edits = &'static [(&'static str, &'static str)];

/// Tests of bindings that the linker binds: the release, edits of its bindings, and the error that shows them. The structs
/// of the releases differ: before the node parameters grew, before the enums that came with 12.3, and the newest.
#[cfg(target_os = "linux")]
const LINKED: [(&str, &str, Edits, &str); 6] = [
    ("every_function_linked_11.7", "11.7", &[], ""),
    ("every_function_linked_12.2", "12.2", &[], ""),
    ("every_function_linked_13.5", "13.5", &[], ""),
    (
        "a_call_sees_two_fields_in_the_wrong_order",
        "13.5",
        &[(
            "pub struct CUDA_EXTERNAL_MEMORY_BUFFER_DESC {\npub offset: c_ulonglong,\npub size: c_ulonglong,",
            "pub struct CUDA_EXTERNAL_MEMORY_BUFFER_DESC {\npub size: c_ulonglong,\npub offset: c_ulonglong,",
        )],
        "cuExternalMemoryGetMappedBuffer: Rust and C differ",
    ),
    (
        "a_call_sees_a_union_that_is_a_struct",
        "13.5",
        &[(
            "pub union CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_h",
            "pub struct CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_h",
        )],
        "cuImportExternalSemaphore: Rust and C differ",
    ),
    (
        "a_call_sees_an_argument_that_is_too_wide",
        "13.5",
        &[("numExtSems: c_uint,\nstream: CUstream,", "numExtSems: c_ulonglong,\nstream: CUstream,")],
        "conflicting types for",
    ),
];

#[cfg(target_os = "linux")]
fn linked(compiler: &Need) -> Vec<Trial> {
    use layout::releases;

    let generation = Need::feature("bindgen", cfg!(feature = "bindgen"));
    let libclang = Need::new("libclang", &support::libclang());
    let trials = LINKED.map(|(name, release, edits, error)| {
        let header = Need::new("headers", &support::headers(release));
        let needs = [generation.clone(), compiler.clone(), libclang.clone(), header];
        support::test(name, &needs, move || {
            let bindings = releases::edited(&releases::generated(release, &releases::target()), edits);
            let include = support::headers(release).expect("the test needs it");
            match mock_driver::run_linked(&bindings, &include, &releases::directory("calls", name)) {
                Ok(()) => assert!(error.is_empty(), "all calls arrived"),
                Err(text) => assert!(!error.is_empty() && text.contains(error), "{text}"),
            }
        })
    });
    trials.into()
}
