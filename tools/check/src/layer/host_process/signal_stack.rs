//! A stack of the layer's own, for calls that a signal handler may make: its alternate stack may be as small as the
//! system allows, and then has no room for the unwinder or for a report.

use std::cell::UnsafeCell;
use std::ffi::c_void;
use std::ptr;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::thread::yield_now;

use cuda_external_in_process::SignalsBlocked;

/// Pages that are not used take no memory.
const SIZE: usize = 1 << 16;

#[repr(C, align(64))]
struct AlternateStack {
    bytes: UnsafeCell<[u8; SIZE]>,
    /// The process whose thread uses it, or 0. In the child of a fork the thread of another process is not there.
    used_by: AtomicU32,
}

// SAFETY: the thread that has stored its process in `used_by` uses the bytes alone.
unsafe impl Sync for AlternateStack {}

static STACK: AlternateStack =
    AlternateStack { bytes: UnsafeCell::new([0; SIZE]), used_by: AtomicU32::new(0) };

unsafe extern "C" {
    /// Calls a function with the data on the stack that ends at an address.
    fn cuda_external_check_call_on(data: *mut c_void, function: extern "C" fn(*mut c_void), end: *mut c_void);
}

// The unwinder finds the caller by the frame pointer.
#[cfg(target_arch = "x86_64")]
std::arch::global_asm!(
    ".hidden cuda_external_check_call_on",
    ".globl cuda_external_check_call_on",
    "cuda_external_check_call_on:",
    ".cfi_startproc",
    "push rbp",
    ".cfi_def_cfa rsp, 16",
    ".cfi_offset rbp, -16",
    "mov rbp, rsp",
    ".cfi_def_cfa rbp, 16",
    "mov rsp, rdx",
    "call rsi",
    "mov rsp, rbp",
    "pop rbp",
    ".cfi_def_cfa rsp, 8",
    "ret",
    ".cfi_endproc",
);
#[cfg(target_arch = "aarch64")]
std::arch::global_asm!(
    ".hidden cuda_external_check_call_on",
    ".globl cuda_external_check_call_on",
    "cuda_external_check_call_on:",
    ".cfi_startproc",
    "stp x29, x30, [sp, #-16]!",
    ".cfi_def_cfa sp, 16",
    ".cfi_offset x29, -16",
    ".cfi_offset x30, -8",
    "mov x29, sp",
    ".cfi_def_cfa x29, 16",
    "mov sp, x2",
    "blr x1",
    "mov sp, x29",
    ".cfi_def_cfa sp, 16",
    "ldp x29, x30, [sp], #16",
    ".cfi_def_cfa sp, 0",
    "ret",
    ".cfi_endproc",
);

/// Runs a function on the layer's own stack. If another thread uses that stack for long, the function runs on this
/// thread's stack. Signals are blocked: no handler of the program runs meanwhile.
pub fn run_on_signal_stack<F: FnMut()>(_: &SignalsBlocked, mut function: F) {
    extern "C" fn call_closure<F: FnMut()>(function: *mut c_void) {
        // SAFETY: the function that is passed below.
        unsafe { (*function.cast::<F>())() }
    }
    const TRIES: u32 = 1000;
    let process = std::process::id();
    for _ in 0..TRIES {
        let user = STACK.used_by.load(Relaxed);
        if user == process || STACK.used_by.compare_exchange(user, process, Acquire, Relaxed).is_err() {
            yield_now();
            continue;
        }
        // SAFETY: this thread alone has the stack now, and the function is alive until it returns.
        unsafe {
            let end = STACK.bytes.get().cast::<u8>().add(SIZE).cast();
            cuda_external_check_call_on(ptr::from_mut(&mut function).cast(), call_closure::<F>, end);
        }
        return STACK.used_by.store(0, Release);
    }
    function();
}
