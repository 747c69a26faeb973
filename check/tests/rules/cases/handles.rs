//! Handles and contexts.

use std::ptr::null_mut;
use std::thread;

use cuda_external_check::rules::Rule;
use cuda_external_sys::*;

use super::Case;
use super::cuda::*;
use super::descriptors::whole;

pub fn cases() -> Vec<Case> {
    vec![
        Case::new(Rule::HandleUnknown, unknown, whole),
        Case::new(Rule::HandleDestroyed, mapped_after_the_end, whole),
        Case::new(Rule::HandleDestroyedTwice, destroyed_twice, whole),
        Case::new(Rule::HandleWrongKind, memory_as_a_semaphore, each_as_what_it_is).fake(),
        Case::new(Rule::HandleOtherContext, in_another_context, in_its_context).fake(),
        Case::new(Rule::HandleContextGone, after_its_context, before_its_context).also(&[Rule::NotFreed]),
        Case::new(Rule::AfterFork, || in_a_child(Some((context(), export()).1)), || in_a_child(None)),
        Case::new(Rule::NoCurrentContext, in_a_thread_without, in_a_thread_with),
    ]
}

fn unknown() {
    let _context = context();
    assert_eq!(destroy(null_mut()), CUDA_ERROR_INVALID_HANDLE);
}

fn mapped_after_the_end() {
    let _context = context();
    let memory = import();
    ok(destroy(memory));
    assert_eq!(map(memory, 0, SIZE), Err(CUDA_ERROR_INVALID_HANDLE));
}

fn destroyed_twice() {
    let _context = context();
    let memory = import();
    ok(destroy(memory));
    assert_eq!(destroy(memory), CUDA_ERROR_INVALID_HANDLE);
}

fn memory_as_a_semaphore() {
    let _context = context();
    let memory = import();
    assert_eq!(signal(memory.cast(), 1, null_mut()), CUDA_ERROR_INVALID_HANDLE);
    assert_eq!(destroy_semaphore(memory.cast()), CUDA_ERROR_INVALID_HANDLE);
    ok(destroy(memory));
}

fn each_as_what_it_is() {
    let _context = context();
    let (memory, semaphore) = (import(), timeline());
    ok(signal(semaphore, 1, null_mut()));
    ok(destroy_semaphore(semaphore));
    ok(destroy(memory));
}

/// A context of its own, which is current afterwards.
fn new_context() -> CUcontext {
    type Create = unsafe extern "C" fn(*mut CUcontext, u32, CUdevice) -> CUresult;
    let symbol = load().expect("a driver").symbol(c"cuCtxCreate_v2").expect("every driver has it");
    let mut context = null_mut();
    // SAFETY: cuda.h declares the function so.
    ok(unsafe { std::mem::transmute::<*mut std::ffi::c_void, Create>(symbol.as_ptr())(&mut context, 0, 0) });
    context
}

fn in_another_context() {
    let first = context();
    let semaphore = timeline();
    let second = new_context();
    ok(signal(semaphore, 1, null_mut()));
    // SAFETY: contexts of this program's.
    unsafe {
        ok(cuCtxDestroy_v2(second));
        ok(cuCtxSetCurrent(first.0));
    }
    ok(destroy_semaphore(semaphore));
}

fn in_its_context() {
    let first = context();
    let second = new_context();
    // SAFETY: a context of this program's.
    ok(unsafe { cuCtxSetCurrent(first.0) });
    let semaphore = timeline();
    ok(signal(semaphore, 1, null_mut()));
    ok(destroy_semaphore(semaphore));
    // SAFETY: as above.
    ok(unsafe { cuCtxDestroy_v2(second) });
}

fn release() {
    // SAFETY: the context was retained once.
    ok(unsafe { cuDevicePrimaryCtxRelease_v2(0) });
}

fn after_its_context() {
    let _context = context();
    let memory = import();
    release();
    assert_eq!(destroy(memory), CUDA_ERROR_CONTEXT_IS_DESTROYED);
}

fn before_its_context() {
    let _context = context();
    ok(destroy(import()));
    release();
}

/// Each thread has a current context of its own; a new one has none.
fn in_a_thread_without() {
    let _context = context();
    let fd = export();
    thread::spawn(move || assert_eq!(import_as(&description(fd)), Err(CUDA_ERROR_INVALID_CONTEXT)))
        .join()
        .expect("it ends");
}

fn in_a_thread_with() {
    let context = context();
    let (fd, context) = (export(), context.0.addr());
    let thread = thread::spawn(move || {
        // SAFETY: the context is alive.
        ok(unsafe { cuCtxSetCurrent(context as CUcontext) });
        ok(destroy(import_as(&description(fd)).expect("the import")));
    });
    thread.join().expect("it ends");
}

/// The parent has an export for the child, or has not called CUDA.
fn in_a_child(exported: Option<i32>) {
    // SAFETY: this process has one thread.
    match unsafe { libc::fork() } {
        0 => {
            match exported {
                // A real driver refuses it.
                Some(fd) => import_as(&description(fd)).into_iter().for_each(|memory| ok(destroy(memory))),
                None => whole(),
            }
            // SAFETY: ends the child.
            unsafe { libc::_exit(0) }
        }
        child => {
            // SAFETY: waits for it.
            assert_eq!(unsafe { libc::waitpid(child, null_mut(), 0) }, child);
        }
    }
}
