//! How every function of the driver is declared, and what happens before its body.

use std::cell::Cell;
use std::ffi::CStr;
use std::sync::atomic::{AtomicBool, Ordering};

use cuda_external_sys::*;

use super::faults;

/// What a function's body returns: C's code is made of it.
pub type Answer<T = ()> = Result<T, CUresult>;

/// A function, by the name that the library exports.
pub type Function = (&'static str, unsafe extern "C" fn());

/// Whether the function works before `cuInit`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Needs {
    Nothing,
    Init,
}

static INITIALIZED: AtomicBool = AtomicBool::new(false);
/// A child of fork has none of the threads. No function takes a lock there, since another thread may have held it.
static FORKED: AtomicBool = AtomicBool::new(false);

thread_local! {
    /// The function that this thread is in.
    static CALLED: Cell<&'static str> = const { Cell::new("") };
}

pub fn is_forked() -> bool {
    FORKED.load(Ordering::SeqCst)
}

pub fn initialize() -> Answer {
    if is_forked() {
        return Err(CUDA_ERROR_NOT_INITIALIZED);
    }
    if !INITIALIZED.swap(true, Ordering::SeqCst) {
        extern "C" fn in_the_child() {
            FORKED.store(true, Ordering::SeqCst);
        }
        // SAFETY: the function only sets a flag.
        unsafe { libc::pthread_atfork(None, None, Some(in_the_child)) };
    }
    Ok(())
}

/// Runs a function's body, unless the driver is not ready or a fault is due.
pub fn enter(name: &'static str, needs: Needs, body: impl FnOnce() -> Answer) -> CUresult {
    let is_forked = is_forked();
    if needs == Needs::Init && (is_forked || !INITIALIZED.load(Ordering::SeqCst)) {
        return CUDA_ERROR_NOT_INITIALIZED;
    }
    CALLED.set(name);
    let fault = if is_forked { Ok(()) } else { faults::before(name) };
    fault.and_then(|()| body()).err().unwrap_or(CUDA_SUCCESS)
}

/// Ends the process where NVIDIA's driver crashes: a program must not find here that it may do this.
pub fn crash(what: &str) -> ! {
    eprintln!("cuda-external-cpu: {}: {what}; NVIDIA's driver crashes here", CALLED.get());
    std::process::abort();
}

/// Writes a result. The pointer is valid for a write, or null: that is INVALID_VALUE.
pub unsafe fn put<T>(pointer: *mut T, value: T) -> Answer {
    require(!pointer.is_null())?;
    // SAFETY: by this function's own condition.
    unsafe { pointer.write(value) };
    Ok(())
}

/// Writes a result that the caller may not want. The pointer is valid for a write, or null.
pub unsafe fn put_if_wanted<T>(pointer: *mut T, value: T) {
    // SAFETY: by this function's own condition.
    let _ = unsafe { put(pointer, value) };
}

/// Reads a parameter. The pointer is valid for reads while the function runs, or null: that is INVALID_VALUE.
pub unsafe fn given<'a, T>(pointer: *const T) -> Answer<&'a T> {
    // SAFETY: by this function's own condition.
    unsafe { pointer.as_ref() }.ok_or(CUDA_ERROR_INVALID_VALUE)
}

/// Reads a list. The pointer is valid for as many elements; a null one, or too many, are INVALID_VALUE.
pub unsafe fn list<'a, T>(first: *const T, count: usize) -> Answer<&'a [T]> {
    // SAFETY: by this function's own condition.
    unsafe { crate::list(first, count) }.ok_or(CUDA_ERROR_INVALID_VALUE)
}

/// Returns an error where a condition does not hold.
pub fn check(condition: bool, code: CUresult) -> Answer {
    if condition { Ok(()) } else { Err(code) }
}

/// Returns INVALID_VALUE where a condition does not hold.
pub fn require(condition: bool) -> Answer {
    check(condition, CUDA_ERROR_INVALID_VALUE)
}

/// Returns the text of a C string, or INVALID_VALUE for null.
pub unsafe fn text<'a>(pointer: *const std::ffi::c_char) -> Answer<&'a CStr> {
    require(!pointer.is_null())?;
    // SAFETY: by this function's own condition.
    Ok(unsafe { CStr::from_ptr(pointer) })
}

/// The types of a function's parameters, by their places.
pub trait Parameter<const PLACE: usize> {
    type Type;
}

macro_rules! parameters {
    ($all:tt $($place:literal $one:ident)*) => { $(parameters!(@ $all $place $one);)* };
    (@ ($($all:ident)*) $place:literal $one:ident) => {
        impl<$($all),*> Parameter<$place> for unsafe extern "C" fn($($all),*) -> CUresult {
            type Type = $one;
        }
    };
}
parameters!((A) 0 A);
parameters!((A B) 0 A 1 B);
parameters!((A B C) 0 A 1 B 2 C);
parameters!((A B C D) 0 A 1 B 2 C 3 D);
parameters!((A B C D E) 0 A 1 B 2 C 3 D 4 E);
parameters!((A B C D E F) 0 A 1 B 2 C 3 D 4 E 5 F);
parameters!((A B C D E F G H I J K) 0 A 1 B 2 C 3 D 4 E 5 F 6 G 7 H 8 I 9 J 10 K);

/// Declares functions of the driver, with their types in the bindings. With the feature `symbols` they are C symbols, else
/// reached through the table alone. Several names are versions that do the same.
///
/// A body runs in an unsafe block: its pointers are as valid as cuda.h requires, and only null is checked.
macro_rules! functions {
    ($($needs:ident fn $($name:ident)|+: $pfn:ty, $arguments:tt $body:block)*) => {
        $($($crate::driver::call::function!(
            $name $needs $pfn, [] $arguments [0 1 2 3 4 5 6 7 8 9 10] $body
        );)+)*
        // SAFETY: any function's address may have this type until it is called by its own.
        pub const FUNCTIONS: &[$crate::driver::call::Function] = &[$($((stringify!($name), unsafe {
            std::mem::transmute::<$pfn, unsafe extern "C" fn()>($name)
        })),+),*];
    };
}
pub(crate) use functions;

/// One function: gives the parameters their places, one after the other, and then their types.
macro_rules! function {
    ($name:ident $needs:ident $pfn:ty, [$($done:tt)*] ($arg:ident $(, $args:ident)*) [$place:literal $($places:literal)*]
     $body:block) => {
        $crate::driver::call::function!(
            $name $needs $pfn, [$($done)* $arg $place] ($($args),*) [$($places)*] $body
        );
    };
    ($name:ident $needs:ident $pfn:ty, [$($arg:ident $place:literal)*] () $places:tt $body:block) => {
        #[allow(non_snake_case)]
        #[cfg_attr(feature = "symbols", unsafe(no_mangle))]
        unsafe extern "C" fn $name(
            $($arg: <$pfn as $crate::driver::call::Parameter<$place>>::Type),*
        ) -> cuda_external_sys::CUresult {
            use $crate::driver::call::{Needs, enter};
            enter(stringify!($name), Needs::$needs, || {
                #[allow(unused_unsafe)]
                // SAFETY: the caller's pointers are as cuda.h requires.
                unsafe { $body }
            })
        }
        const _: $pfn = $name;
    };
}
pub(crate) use function;
