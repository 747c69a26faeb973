//! The current context of a thread: pushed, popped, and its device.

use std::ptr::null_mut;
use std::thread;

use cuda_external_sys::*;
use interop::bytes::{assert_same, pattern};
use interop::cuda::{self, Allocation, ImportedMemory};
use libtest_mimic::Trial;

use crate::machine::{assert_code, cuda as device, cuda_test, ok};

pub fn trials() -> Vec<Trial> {
    test_support::tests! {
        cuda_test => an_import_serves_a_thread_that_pushes_the_context;
    }
}

/// Returns the current context and its device.
fn current() -> (CUcontext, Result<CUdevice, CUresult>) {
    let (mut current, mut device) = (null_mut(), -1);
    // SAFETY: the functions write a context and a device.
    unsafe {
        ok(cuCtxGetCurrent(&mut current));
        (current, cuCtxGetDevice(&mut device).result().map(|()| device))
    }
}

fn push(context: CUcontext) {
    // SAFETY: the context lives.
    ok(unsafe { cuCtxPushCurrent(context) });
}

fn pop() -> Result<CUcontext, CUresult> {
    let mut popped = null_mut();
    // SAFETY: the function writes a context.
    unsafe { cuCtxPopCurrent(&mut popped) }.result().map(|()| popped)
}

/// A further thread has a stack of contexts of its own, which begins empty.
fn an_import_serves_a_thread_that_pushes_the_context() {
    const SIZE: usize = 2 << 20;
    let cuda = device();
    let allocation = Allocation::new(cuda, SIZE).unwrap();
    let import = ImportedMemory::from_fd(allocation.export().unwrap(), allocation.size, false).unwrap();
    let address = import.map_buffer(0, allocation.size).unwrap();
    let sent = pattern(1, SIZE);
    cuda::write(address, &sent).unwrap();
    let in_the_thread = || {
        assert_eq!(current(), (null_mut(), Err(CUDA_ERROR_INVALID_CONTEXT)));
        assert_code(&cuda::read(address, SIZE).unwrap_err(), CUDA_ERROR_INVALID_CONTEXT);
        // Each push wants a pop of its own.
        push(cuda.context());
        push(cuda.context());
        assert_eq!(pop(), Ok(cuda.context()));
        assert_eq!(current(), (cuda.context(), Ok(cuda.device)));
        assert_same("in the thread", &cuda::read(address, SIZE).unwrap(), &sent);
        assert_eq!(pop(), Ok(cuda.context()));
        assert_eq!(current().0, null_mut());
        assert_eq!(pop(), Err(CUDA_ERROR_INVALID_CONTEXT));
    };
    thread::scope(|scope| scope.spawn(in_the_thread).join().unwrap());
    assert_eq!(current().0, cuda.context());
}
