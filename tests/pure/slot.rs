//! The slot of a function in `load` mode: it starts at a resolver, which replaces itself. A failure is not remembered,
//! threads that come at once are all answered, and who takes the address from the slot sees what was written before it.

use std::ffi::c_void;
use std::sync::atomic::{AtomicPtr, AtomicU32, Ordering};
use std::sync::{Barrier, Mutex, Once, PoisonError};
use std::thread;

use crate::CUresult;

/// What the macro asks, answered by a mock.
pub mod loader {
    use super::{CODE, LIBRARY, LOOKUPS, OPENED, Ordering, SYMBOL, c_void};
    use crate::CUresult;

    pub fn symbol(name: &'static str) -> Result<*mut c_void, CUresult> {
        assert!(name.ends_with('\0'));
        LOOKUPS.fetch_add(1, Ordering::Relaxed);
        if name == "cuOrdered\0" {
            // SAFETY: it is written once, and read after that.
            OPENED.call_once(|| unsafe { LIBRARY = 42 });
        }
        let symbol = SYMBOL.load(Ordering::Acquire);
        if symbol.is_null() { Err(CUresult(CODE.load(Ordering::Relaxed) as _)) } else { Ok(symbol) }
    }
}

static SYMBOL: AtomicPtr<c_void> = AtomicPtr::new(std::ptr::null_mut());
static CODE: AtomicU32 = AtomicU32::new(0);
static LOOKUPS: AtomicU32 = AtomicU32::new(0);
static OPENED: Once = Once::new();
/// What opening a library writes. It is no atomic: were the slot read without Acquire, Miri would see a race here.
static mut LIBRARY: u32 = 0;

#[allow(non_snake_case, non_camel_case_types, dead_code)]
mod functions {
    use crate::CUresult;

    driver_functions! {
        pub fn cuEarly: PFN_cuEarly(Flags: ::core::ffi::c_uint, more: *mut u64) -> CUresult;
        pub fn cuRaced: PFN_cuRaced(Flags: ::core::ffi::c_uint, more: *mut u64) -> CUresult;
        pub fn cuOrdered: PFN_cuOrdered(Flags: ::core::ffi::c_uint, more: *mut u64) -> CUresult;
    }
}

unsafe extern "C" fn performed(flags: u32, more: *mut u64) -> CUresult {
    // SAFETY: the callers below give a live pointer.
    unsafe { *more += 1 };
    CUresult(flags as _)
}

unsafe extern "C" fn reads_the_library(_: u32, _: *mut u64) -> CUresult {
    // SAFETY: the library was opened before.
    CUresult(unsafe { (&raw const LIBRARY).read() } as _)
}

/// The mock is one for all tests.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

#[test]
fn a_failure_is_returned_and_not_remembered() {
    let _turn = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let mut calls = 0;
    SYMBOL.store(std::ptr::null_mut(), Ordering::Release);
    for code in [303, 500] {
        CODE.store(code, Ordering::Relaxed);
        // SAFETY: the pointer is live.
        assert_eq!(unsafe { functions::cuEarly(1, &mut calls) }, CUresult(code as _));
    }
    assert_eq!(calls, 0);
    SYMBOL.store(performed as *mut _, Ordering::Release);
    let before = LOOKUPS.load(Ordering::Relaxed);
    for flags in 0..10 {
        // SAFETY: as above.
        assert_eq!(unsafe { functions::cuEarly(flags, &mut calls) }, CUresult(flags as _));
    }
    assert_eq!(calls, 10);
    assert_eq!(LOOKUPS.load(Ordering::Relaxed), before + 1, "it is looked up once");
    // The slot keeps what it has, whatever a look-up would return now.
    SYMBOL.store(std::ptr::null_mut(), Ordering::Release);
    // SAFETY: as above.
    assert_eq!(unsafe { functions::cuEarly(11, &mut calls) }.0, 11);
}

#[test]
fn threads_that_come_at_once_are_all_answered() {
    const THREADS: u32 = 4;
    let _turn = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    SYMBOL.store(performed as *mut _, Ordering::Release);
    let before = LOOKUPS.load(Ordering::Relaxed);
    let start = Barrier::new(THREADS as usize);
    thread::scope(|scope| {
        for flags in 0..THREADS {
            let start = &start;
            scope.spawn(move || {
                let mut calls = 0;
                start.wait();
                for _ in 0..3 {
                    // SAFETY: the pointer is live.
                    assert_eq!(unsafe { functions::cuRaced(flags, &mut calls) }, CUresult(flags as _));
                }
                assert_eq!(calls, 3);
            });
        }
    });
    let lookups = LOOKUPS.load(Ordering::Relaxed) - before;
    assert!((1..=THREADS).contains(&lookups), "{lookups} look-ups");
}

/// The second thread learns by the slot alone that the library was opened: the flag between them orders nothing.
#[test]
fn who_reads_the_slot_sees_the_library() {
    let _turn = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    SYMBOL.store(reads_the_library as *mut _, Ordering::Release);
    // SAFETY: nothing is read through the pointer.
    let call = || assert_eq!(unsafe { functions::cuOrdered(0, std::ptr::null_mut()) }.0, 42);
    let is_resolved = AtomicU32::new(0);
    thread::scope(|scope| {
        // It starts before the library is opened, so its start orders nothing either.
        scope.spawn(|| {
            while is_resolved.load(Ordering::Relaxed) == 0 {
                thread::yield_now();
            }
            call();
        });
        call();
        is_resolved.store(1, Ordering::Relaxed);
    });
}
