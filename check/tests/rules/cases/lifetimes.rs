//! Ends: in another order, twice, too early, never.

use std::ptr::null_mut;

use cuda_external_check::rules::Rule;
use cuda_external_sys::*;

use super::Case;
use super::cuda::*;
use super::descriptors::whole;

pub fn cases() -> Vec<Case> {
    vec![
        Case::new(Rule::ImportBeforeMapping, import_first, whole),
        Case::new(Rule::UseAfterEnd, used_after_its_end, used_before_its_end),
        Case::new(Rule::FreedTwice, freed_twice, freed_and_mapped_again),
        Case::new(Rule::DestroyedInUse, with_a_wait_that_is_queued, with_a_wait_that_is_done).fake(),
        Case::new(Rule::StreamDestroyed, || in_a_stream(true), || in_a_stream(false)).fake(),
        Case::new(Rule::NotFreed, never_freed, whole),
        Case { options: &["--sync"], ..Case::new(Rule::StickyError, work_that_fails, whole).fake() },
    ]
}

fn fill(address: CUdeviceptr) -> CUresult {
    // SAFETY: the checks of a case are about where this writes.
    unsafe { cuMemsetD8_v2(address, 1, 1) }
}

fn import_first() {
    let _context = context();
    let memory = import();
    let address = map(memory, 0, SIZE).expect("the mapping");
    ok(destroy(memory));
    ok(free(address));
}

fn used_after_its_end() {
    let _context = context();
    let memory = import();
    let address = map(memory, 0, SIZE).expect("the mapping");
    ok(free(address));
    assert_eq!(fill(address + 8), CUDA_ERROR_INVALID_VALUE);
    ok(destroy(memory));
}

/// Another mapping is still there when the first one has ended.
fn used_before_its_end() {
    let _context = context();
    let memory = import();
    let [first, second] = [0, SIZE / 2].map(|offset| map(memory, offset, SIZE / 2).expect("the mapping"));
    ok(fill(first));
    ok(free(first));
    ok(fill(second));
    ok(free(second));
    ok(destroy(memory));
}

fn freed_twice() {
    let _context = context();
    let memory = import();
    let address = map(memory, 0, SIZE).expect("the mapping");
    ok(free(address));
    assert_eq!(free(address), CUDA_ERROR_INVALID_VALUE);
    ok(destroy(memory));
}

/// A real driver gives the same address again.
fn freed_and_mapped_again() {
    let _context = context();
    let memory = import();
    for _ in 0..3 {
        let address = map(memory, 0, SIZE).expect("the mapping");
        ok(fill(address));
        ok(free(address));
    }
    ok(destroy(memory));
}

fn with_a_wait_that_is_queued() {
    let _context = context();
    let (semaphore, stream) = (timeline(), stream());
    ok(wait(semaphore, 1, stream));
    ok(destroy_semaphore(semaphore));
}

/// The stream has other work afterwards, which does not use the semaphore.
fn with_a_wait_that_is_done() {
    let _context = context();
    let ([first, second], stream) = ([timeline(), timeline()], stream());
    ok(signal(first, 1, null_mut()));
    ok(wait(first, 1, stream));
    ok(wait(second, 1, stream));
    ok(destroy_semaphore(first));
    ok(signal(second, 1, null_mut()));
    ok(destroy_semaphore(second));
}

fn in_a_stream(is_destroyed: bool) {
    let _context = context();
    let (semaphore, first) = (timeline(), stream());
    // SAFETY: it is not used afterwards, but for the mistake.
    ok(unsafe { cuStreamDestroy_v2(first) });
    let second = stream();
    let code = signal(semaphore, 1, if is_destroyed { first } else { second });
    assert_eq!(code, if is_destroyed { CUDA_ERROR_INVALID_HANDLE } else { CUDA_SUCCESS });
    ok(destroy_semaphore(semaphore));
}

/// The mapping and the import: two objects, each of which holds the memory.
fn never_freed() {
    let _context = context();
    map(import(), 0, SIZE).expect("the mapping");
}

/// The fake driver loses its context by the work of this signal, which itself succeeds.
fn work_that_fails() {
    let _context = context();
    let (semaphore, stream) = (timeline(), stream());
    ok(signal(semaphore, 0xdead_0000, stream));
    ok(destroy_semaphore(semaphore));
}
