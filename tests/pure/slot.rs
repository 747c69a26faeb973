//! The slot of a function in `load` mode: it starts at a resolver, which replaces itself; a failure is
//! not remembered; and threads that come at once all get their answer.

use std::sync::atomic::{AtomicPtr, AtomicU32, Ordering};
use std::sync::{Barrier, Mutex, PoisonError};
use std::thread;

use crate::CUresult;

/// What the macros of src/macros/functions.rs ask, answered by a fake driver.
pub mod loader {
    use super::{CODE, LOOKUPS, Ordering, SYMBOL};
    use crate::CUresult;
    use std::ffi::c_void;

    pub fn symbol(name: &'static str) -> Result<*mut c_void, CUresult> {
        assert!(name.ends_with('\0'));
        LOOKUPS.fetch_add(1, Ordering::Relaxed);
        let symbol = SYMBOL.load(Ordering::Acquire);
        if symbol.is_null() { Err(CUresult(CODE.load(Ordering::Relaxed) as _)) } else { Ok(symbol) }
    }
}

static SYMBOL: AtomicPtr<core::ffi::c_void> = AtomicPtr::new(std::ptr::null_mut());
static CODE: AtomicU32 = AtomicU32::new(0);
static LOOKUPS: AtomicU32 = AtomicU32::new(0);

#[allow(non_camel_case_types, non_snake_case, dead_code)]
mod functions {
    use crate::CUresult;

    driver_functions! {
        pub fn cuEarly: PFN_cuEarly(Flags: ::core::ffi::c_uint, more: *mut u64) -> CUresult;
        pub fn cuRaced: PFN_cuRaced(Flags: ::core::ffi::c_uint, more: *mut u64) -> CUresult;
    }
}

/// The made-up driver's only function.
unsafe extern "C" fn performed(flags: u32, more: *mut u64) -> CUresult {
    // SAFETY: the callers below give a live pointer.
    unsafe { *more += 1 };
    CUresult(flags as _)
}

/// The made-up driver is one for all tests.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

#[test]
fn a_failure_is_answered_and_not_remembered() {
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
    // The slot keeps what it has, whatever a look-up would say now.
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
