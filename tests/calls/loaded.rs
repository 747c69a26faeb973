//! `load` mode: this program again as a child, which finds the mock driver as it would find the driver.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::path::Path;
#[cfg(target_os = "linux")]
use std::path::PathBuf;
use std::sync::Barrier;
#[cfg(target_os = "linux")]
use std::sync::OnceLock;
use std::{mem, thread};

use cuda_external_sys::*;
use libtest_mimic::Trial;
use test_support::{self as support, Need};

use crate::case;
use crate::every_function::{self, Control};
#[cfg(target_os = "linux")]
use crate::{layout::releases, mock_driver};

pub fn trials(needs: &[Need]) -> Vec<Trial> {
    let test = |name, case: &'static str| {
        support::test(name, needs, move || print!("{}", case::run(case, directory())))
    };
    vec![
        test("every_function_loaded", "calls"),
        test("every_function_loaded_in_many_threads", "calls_in_threads"),
    ]
}

/// The directory of the mock driver for this build's bindings. It is made once, and other programs find it there:
/// `support::mock_driver`.
#[cfg(target_os = "linux")]
fn directory() -> &'static Path {
    static DIRECTORY: OnceLock<PathBuf> = OnceLock::new();
    DIRECTORY.get_or_init(|| {
        let directory = support::mock_driver_directory();
        let include = releases::this_builds_header().expect("the test needs it");
        let built = mock_driver::build(&releases::this_builds(), &include, &directory);
        built.unwrap_or_else(|text| panic!("{text}"));
        directory
    })
}

/// The child finds the mock driver by a variable.
#[cfg(windows)]
fn directory() -> &'static Path {
    Path::new("")
}

/// What the child does. It returns false where it is not one of these cases.
pub fn child(case: &str) -> bool {
    match case {
        "calls" => {
            let counts = every_function::all(&control(), None, |_| Vec::new());
            println!("loaded: {}", counts.unwrap_or_else(|text| panic!("{text}")));
        }
        "calls_in_threads" => threads(),
        _ => return false,
    }
    true
}

fn control() -> Control {
    #[cfg(not(windows))]
    let driver = load();
    // A driver is found in the system directory alone: load this one by its path.
    #[cfg(windows)]
    // SAFETY: it is made for these tests.
    let driver = unsafe { load_from(support::mock_driver().expect("the parent has it")) };
    let driver = driver.unwrap_or_else(|error| panic!("{error}"));
    let symbol = |name: &CStr| driver.symbol(name).expect("the mock driver was found first").as_ptr();
    // SAFETY: the mock driver's functions have these types, by mock.h.
    unsafe {
        Control {
            record: mem::transmute::<*mut c_void, unsafe extern "C" fn(c_int)>(symbol(c"mock_record")),
            return_: mem::transmute::<*mut c_void, unsafe extern "C" fn(c_int)>(symbol(c"mock_return")),
            text: mem::transmute::<*mut c_void, unsafe extern "C" fn() -> *const c_char>(symbol(
                c"mock_text",
            )),
        }
    }
}

/// All threads begin with functions that nobody has called: each slot is resolved by several at once.
fn threads() {
    const THREADS: usize = 8;
    const CODE: u32 = 9140;
    let control = control();
    let start = Barrier::new(THREADS);
    let calls: usize = thread::scope(|scope| {
        let one = |seed| {
            let (start, control) = (&start, &control);
            scope.spawn(move || {
                start.wait();
                let counts = every_function::once(control, seed, CODE, None, |_| Vec::new());
                counts.unwrap_or_else(|text| panic!("{text}")).calls
            })
        };
        let threads: Vec<_> = (0..THREADS).map(one).collect();
        threads.into_iter().map(|thread| thread.join().expect("its calls arrived")).sum()
    });
    println!("{THREADS} threads, {calls} calls");
}
