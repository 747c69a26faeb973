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
        cuda_test => an_import_serves_a_thread_that_pushes_the_context, a_context_of_ones_own_imports,
            the_primary_contexts_flags_are_set_and_read;
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
        let error = cuda::read(address, SIZE).unwrap_err().to_string();
        assert!(error.contains("CUDA_ERROR_INVALID_CONTEXT"), "{error}");
        // Each push needs its own pop.
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

/// By `cuCtxCreate_v2`, which every driver has.
fn a_context_of_ones_own_imports() {
    const SIZE: usize = 2 << 20;
    let cuda = device();
    let mut own = null_mut();
    // SAFETY: the function writes a context.
    ok(unsafe { cuCtxCreate_v2(&mut own, CU_CTX_SCHED_BLOCKING_SYNC.into(), cuda.device) });
    assert_eq!(current(), (own, Ok(cuda.device)));
    assert_ne!(own, cuda.context());
    {
        let allocation = Allocation::new(cuda, SIZE).unwrap();
        let import = ImportedMemory::from_fd(allocation.export().unwrap(), allocation.size, false).unwrap();
        let address = import.map_buffer(0, allocation.size).unwrap();
        cuda::write(address, &pattern(1, SIZE)).unwrap();
        assert_same("in its context", &cuda::read(address, SIZE).unwrap(), &pattern(1, SIZE));
    }
    // SAFETY: nothing of the context is used afterwards.
    ok(unsafe { cuCtxDestroy(own) });
    assert_eq!(current(), (cuda.context(), Ok(cuda.device)));
    // SAFETY: the function writes a context, or nothing.
    let code = |flags, device| unsafe { cuCtxCreate_v2(&mut null_mut(), flags, device) };
    let two = u32::from(CU_CTX_SCHED_SPIN) | u32::from(CU_CTX_SCHED_YIELD);
    assert_eq!([code(0x8000, cuda.device), code(two, cuda.device)], [CUDA_ERROR_INVALID_VALUE; 2]);
    assert_eq!(code(0, 99), CUDA_ERROR_INVALID_DEVICE);
}

fn the_primary_contexts_flags_are_set_and_read() {
    let cuda = device();
    let state = || {
        let (mut flags, mut active) = (0, -1);
        // SAFETY: the function writes two numbers.
        ok(unsafe { cuDevicePrimaryCtxGetState(cuda.device, &mut flags, &mut active) });
        (flags, active)
    };
    // SAFETY: takes no pointer.
    let set = |flags| unsafe { cuDevicePrimaryCtxSetFlags(cuda.device, flags) };
    let before = state();
    println!("flags {:#x}, active {}", before.0, before.1);
    assert_eq!(before.1, 1);
    ok(set(CU_CTX_SCHED_BLOCKING_SYNC.into()));
    let mask = u32::from(CU_CTX_SCHED_MASK);
    assert_eq!((state().0 & mask, state().1), (CU_CTX_SCHED_BLOCKING_SYNC.into(), 1));
    assert_eq!(set(0x8000), CUDA_ERROR_INVALID_VALUE);
    ok(set(before.0));
    assert_eq!(state(), before);
}
