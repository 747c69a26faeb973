//! Tests a function's slot in `load` mode: the look-up after a failed look-up, and the memory order between threads.

use std::ffi::{CStr, c_void};
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, Ordering};
use std::thread;

use crate::CUresult;

/// A mock of the crate's `Driver`: the code of the crate's macros calls `resolve_exact`. While `EARLY` is null, each
/// look-up of `cuEarly_v2` fails. The error code is then 500 plus the number of this function's earlier look-ups.
pub struct Driver;

impl Driver {
    pub fn resolve_exact(name: &CStr) -> Result<NonNull<c_void>, CUresult> {
        if name == c"cuOrdered" {
            // If another thread has opened the library, this look-up fails, and the calling thread must find the
            // function's address in the slot later.
            if IS_OPENED.swap(true, Ordering::Relaxed) {
                return Err(CUresult(500));
            }
            // SAFETY: the swap lets one thread write `LIBRARY`. Threads read it only after the slot has the address.
            unsafe { LIBRARY = 42 };
            return Ok(NonNull::new(returns_library_value as *mut c_void).expect("it is a function"));
        }
        assert_eq!(name, c"cuEarly_v2");
        let lookup = LOOKUPS.fetch_add(1, Ordering::Relaxed);
        NonNull::new(EARLY.load(Ordering::Relaxed)).ok_or(CUresult(lookup as _))
    }
}

static EARLY: AtomicPtr<c_void> = AtomicPtr::new(ptr::null_mut());
static LOOKUPS: AtomicU32 = AtomicU32::new(500);
static IS_OPENED: AtomicBool = AtomicBool::new(false);
/// Opening a library writes this value, which is not atomic: without the slot's Acquire, Miri would report a race.
static mut LIBRARY: u32 = 0;

mod functions {
    use crate::CUresult;

    extern_driver! {
        #[link_name = "cuEarly_v2"]
        pub fn cuEarly(Flags: ::core::ffi::c_uint) -> CUresult;
        pub fn cuOrdered(Flags: ::core::ffi::c_uint) -> CUresult;
    }
}

unsafe extern "C" fn returns_flags_as_code(flags: u32) -> CUresult {
    CUresult(flags as _)
}

unsafe extern "C" fn returns_library_value(_: u32) -> CUresult {
    // SAFETY: `resolve_exact` writes `LIBRARY` before the slot has this function's address.
    CUresult(unsafe { (&raw const LIBRARY).read() } as _)
}

#[test]
fn a_failure_is_returned_and_the_loader_is_asked_again() {
    // SAFETY: the mock's function takes any flags.
    let call = |flags| u32::from(unsafe { functions::cuEarly(flags) });
    assert_eq!([call(1), call(1)], [500, 501]);
    EARLY.store(returns_flags_as_code as *mut _, Ordering::Relaxed);
    assert_eq!([call(2), call(3)], [2, 3]);
    // The slot keeps the function's address, although a look-up would fail now.
    EARLY.store(ptr::null_mut(), Ordering::Relaxed);
    assert_eq!(call(4), 4);
    assert_eq!(LOOKUPS.load(Ordering::Relaxed), 503, "it is looked up once");
}

/// One thread opens the library. The other thread gets the library's function from the slot alone.
#[test]
fn a_thread_that_reads_the_slot_sees_the_library() {
    let call = || {
        let is_answered = (0..1_000_000).any(|_| {
            thread::yield_now();
            // SAFETY: the mock's function takes any flags.
            u32::from(unsafe { functions::cuOrdered(0) }) == 42
        });
        assert!(is_answered, "the slot never has the address");
    };
    thread::scope(|scope| {
        scope.spawn(call);
        call();
    });
}
