//! The slot of a function in `load` mode: it starts at a resolver, which replaces itself. A failure is not remembered,
//! threads that come at once are all answered, and who takes the address from the slot sees what was written before it.

use std::ffi::c_void;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, Ordering};
use std::sync::{Barrier, Mutex, PoisonError};
use std::thread;

use crate::CUresult;

/// What the macro asks, answered by a mock.
pub mod loader {
    use super::{CUresult, LIBRARY, LOOKUPS, Ordering, SYMBOL, c_void};

    /// The number of the look-up is the code where there is no symbol.
    pub fn symbol(name: &'static str) -> Result<*mut c_void, CUresult> {
        assert!(name.ends_with('\0'));
        let lookup = LOOKUPS.fetch_add(1, Ordering::Relaxed);
        if name == "cuOrdered\0" {
            // SAFETY: one thread writes it, and reads come after that.
            unsafe { LIBRARY = 42 };
        }
        let symbol = SYMBOL.load(Ordering::Acquire);
        if symbol.is_null() { Err(CUresult(lookup as _)) } else { Ok(symbol) }
    }
}

static SYMBOL: AtomicPtr<c_void> = AtomicPtr::new(ptr::null_mut());
static LOOKUPS: AtomicU32 = AtomicU32::new(0);
/// What opening a library writes. It is no atomic: were the slot read without Acquire, Miri would see a race here.
static mut LIBRARY: u32 = 0;

#[allow(non_snake_case, non_camel_case_types, dead_code)]
mod functions {
    use crate::CUresult;

    driver_functions! {
        pub fn cuEarly: PFN_cuEarly(Flags: ::core::ffi::c_uint) -> CUresult;
        pub fn cuRaced: PFN_cuRaced(Flags: ::core::ffi::c_uint) -> CUresult;
        pub fn cuOrdered: PFN_cuOrdered(Flags: ::core::ffi::c_uint) -> CUresult;
    }
}

use functions::{cuEarly, cuOrdered, cuRaced};

fn call(function: functions::pfn::PFN_cuEarly, flags: u32) -> u32 {
    // SAFETY: the functions below take any flags.
    unsafe { function(flags) }.into()
}

unsafe extern "C" fn returns_its_flags(flags: u32) -> CUresult {
    CUresult(flags as _)
}

unsafe extern "C" fn reads_the_library(_: u32) -> CUresult {
    // SAFETY: the library was opened before.
    CUresult(unsafe { (&raw const LIBRARY).read() } as _)
}

/// Runs a test with the mock, which is one for all, and with the function that it has at first.
fn with(symbol: *mut c_void, test: impl FnOnce()) {
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _turn = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    SYMBOL.store(symbol, Ordering::Release);
    LOOKUPS.store(500, Ordering::Relaxed);
    test();
}

#[test]
fn a_failure_is_returned_and_not_remembered() {
    with(ptr::null_mut(), || {
        assert_eq!([call(cuEarly, 1), call(cuEarly, 1)], [500, 501]);
        SYMBOL.store(returns_its_flags as *mut _, Ordering::Release);
        assert_eq!([call(cuEarly, 2), call(cuEarly, 3)], [2, 3]);
        // The slot keeps what it has, whatever a look-up would return now.
        SYMBOL.store(ptr::null_mut(), Ordering::Release);
        assert_eq!(call(cuEarly, 4), 4);
        assert_eq!(LOOKUPS.load(Ordering::Relaxed), 503, "it is looked up once");
    });
}

#[test]
fn threads_that_come_at_once_are_all_answered() {
    const THREADS: u32 = 4;
    let start = Barrier::new(THREADS as usize);
    with(returns_its_flags as *mut _, || {
        let one = |flags| {
            start.wait();
            (0..3).for_each(|_| assert_eq!(call(cuRaced, flags), flags));
        };
        thread::scope(|scope| (0..THREADS).for_each(|flags| drop(scope.spawn(move || one(flags)))));
        let lookups = LOOKUPS.load(Ordering::Relaxed) - 500;
        assert!((1..=THREADS).contains(&lookups), "{lookups} look-ups");
    });
}

/// The second thread learns by the slot alone that the library was opened: the flag between them orders nothing.
#[test]
fn who_reads_the_slot_sees_the_library() {
    let is_resolved = AtomicBool::new(false);
    with(reads_the_library as *mut _, || {
        thread::scope(|scope| {
            // It starts before the library is opened, so its start orders nothing either.
            scope.spawn(|| {
                while !is_resolved.load(Ordering::Relaxed) {
                    thread::yield_now();
                }
                assert_eq!(call(cuOrdered, 0), 42);
            });
            assert_eq!(call(cuOrdered, 0), 42);
            is_resolved.store(true, Ordering::Relaxed);
        });
    });
}
