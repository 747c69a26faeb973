//! The current context of a thread: pushed, popped, and its device.

use std::ptr::null_mut;
use std::thread;

use cuda_external_sys::*;
use interop::bytes::{assert_same, pattern};
use interop::cuda::{self, Allocation, ImportedMemory};
use libtest_mimic::Trial;

use crate::machine::{cuda as device, cuda_test, ok};

pub fn trials() -> Vec<Trial> {
    test_support::tests! {
        cuda_test => a_pushed_context_is_current_until_it_is_popped,
            an_import_serves_a_thread_that_pushes_the_context;
    }
}

fn current() -> CUcontext {
    let mut current = null_mut();
    // SAFETY: the function writes a context.
    ok(unsafe { cuCtxGetCurrent(&mut current) });
    current
}

fn current_device() -> Result<CUdevice, CUresult> {
    let mut device = -1;
    // SAFETY: the function writes a device.
    unsafe { cuCtxGetDevice(&mut device) }.result().map(|()| device)
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

/// In a thread of its own, whose stack is empty.
fn in_a_thread(run: impl FnOnce() + Send) {
    thread::scope(|scope| scope.spawn(run).join().unwrap());
}

fn a_pushed_context_is_current_until_it_is_popped() {
    let cuda = device();
    in_a_thread(|| {
        assert_eq!(current(), null_mut());
        assert_eq!(current_device(), Err(CUDA_ERROR_INVALID_CONTEXT));
        // Each push wants a pop of its own.
        push(cuda.context());
        push(cuda.context());
        assert_eq!(current_device(), Ok(cuda.device));
        assert_eq!(pop(), Ok(cuda.context()));
        assert_eq!(current(), cuda.context());
        assert_eq!(pop(), Ok(cuda.context()));
        assert_eq!(current(), null_mut());
        assert_eq!(pop(), Err(CUDA_ERROR_INVALID_CONTEXT));
    });
    // Another thread's stack is its own.
    assert_eq!(current(), cuda.context());
}

fn an_import_serves_a_thread_that_pushes_the_context() {
    const SIZE: usize = 2 << 20;
    let cuda = device();
    let allocation = Allocation::new(cuda, SIZE).unwrap();
    let import = ImportedMemory::from_fd(allocation.export().unwrap(), allocation.size, false).unwrap();
    let address = import.map_buffer(0, allocation.size).unwrap();
    let sent = pattern(1, SIZE);
    cuda::write(address, &sent).unwrap();
    in_a_thread(|| {
        assert!(cuda::read(address, SIZE).is_err(), "a copy without a context");
        push(cuda.context());
        assert_same("in the thread", &cuda::read(address, SIZE).unwrap(), &sent);
        pop().unwrap();
    });
}
