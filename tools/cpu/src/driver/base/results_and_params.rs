//! The result type of the driver's functions, and how they read and write the program's memory.

use std::cell::Cell;
use std::ffi::{CStr, c_char};
use std::io::Write;

use cuda_external_sys::*;

pub type CudaResult<T = ()> = Result<T, CUresult>;

thread_local! {
    static CURRENT_FUNCTION: Cell<&'static str> = const { Cell::new("") };
    static HAS_STREAM_OF_THREAD: Cell<bool> = const { Cell::new(false) };
    static IS_IN_CALLBACK: Cell<bool> = const { Cell::new(false) };
}

pub fn set_current_function(name: &'static str) {
    CURRENT_FUNCTION.set(name);
}

/// Calls a callback of the program, in which most functions of the driver return an error.
pub fn run_refusing_driver_calls(call: impl FnOnce()) {
    IS_IN_CALLBACK.set(true);
    call();
    IS_IN_CALLBACK.set(false);
}

pub fn is_in_callback() -> bool {
    IS_IN_CALLBACK.get()
}

/// Makes a call for which a null stream is the thread's default stream.
pub fn call_with_per_thread_stream(call: impl FnOnce() -> CUresult) -> CUresult {
    let before = HAS_STREAM_OF_THREAD.replace(true);
    let code = call();
    HAS_STREAM_OF_THREAD.set(before);
    code
}

/// Returns whether a null stream is the thread's default stream in the call that this thread makes.
pub fn null_is_per_thread() -> bool {
    HAS_STREAM_OF_THREAD.get()
}

/// Prints to stderr. Unlike `eprintln!`, this function does not panic if stderr is closed.
pub fn print_notice(what: &str) {
    _ = writeln!(std::io::stderr(), "cuda-external-cpu: {what}");
}

pub fn abort_with_notice(what: &str) -> ! {
    print_notice(what);
    std::process::abort();
}

/// Ends the process where NVIDIA's driver crashes. Otherwise a test could pass here and crash on a GPU.
pub fn abort_as_driver_crashes(what: &str) -> ! {
    abort_with_notice(&format!("{}: {what}; NVIDIA's driver crashes here", CURRENT_FUNCTION.get()))
}

/// Writes a result, or returns INVALID_VALUE for null. Any other pointer must be valid for a write.
pub unsafe fn write_out<T>(pointer: *mut T, value: T) -> CudaResult {
    ensure_valid(!pointer.is_null())?;
    // SAFETY: the pointer is not null, and so valid for a write.
    unsafe { pointer.write(value) };
    Ok(())
}

/// Calls a function and writes its result. For a null pointer, returns INVALID_VALUE and does not call the function.
pub unsafe fn write_created<T>(pointer: *mut T, make: impl FnOnce() -> CudaResult<T>) -> CudaResult {
    ensure_valid(!pointer.is_null())?;
    // SAFETY: the pointer is not null, and so valid for a write.
    unsafe { write_out(pointer, make()?) }
}

/// Writes a result, or does nothing for null. Any other pointer must be valid for a write.
pub unsafe fn write_out_if_wanted<T>(pointer: *mut T, value: T) -> CudaResult {
    // SAFETY: `pointer` is null, or valid for a write.
    unsafe { write_out(pointer, value) }.or(Ok(()))
}

/// Reads a parameter, or returns INVALID_VALUE for null. Any other pointer must be valid for reads during the call.
pub unsafe fn read_param<'a, T>(pointer: *const T) -> CudaResult<&'a T> {
    // SAFETY: the pointer is null, or valid for reads during the call.
    unsafe { pointer.as_ref() }.ok_or(CUDA_ERROR_INVALID_VALUE)
}

/// Returns the array of `count` items at `first`. If `count` is 0, returns an empty array, whatever `first` is. For any
/// other `count`, returns INVALID_VALUE if `first` is null or the size in bytes is impossible. If `first` is not null,
/// `first` must point to `count` items.
pub unsafe fn read_array<'a, T>(first: *const T, count: usize) -> CudaResult<&'a [T]> {
    if count == 0 {
        return Ok(&[]);
    }
    let fits = count.checked_mul(size_of::<T>()).is_some_and(|size| isize::try_from(size).is_ok());
    ensure_valid(fits && !first.is_null())?;
    // SAFETY: the pointer is not null, and so valid for `count` elements.
    Ok(unsafe { std::slice::from_raw_parts(first, count) })
}

pub fn ensure(condition: bool, code: CUresult) -> CudaResult {
    if condition { Ok(()) } else { Err(code) }
}

pub fn ensure_valid(condition: bool) -> CudaResult {
    ensure(condition, CUDA_ERROR_INVALID_VALUE)
}

pub unsafe fn read_c_str<'a>(pointer: *const c_char) -> CudaResult<&'a CStr> {
    ensure_valid(!pointer.is_null())?;
    // SAFETY: the program passes null or a C string, and the pointer is not null.
    Ok(unsafe { CStr::from_ptr(pointer) })
}
