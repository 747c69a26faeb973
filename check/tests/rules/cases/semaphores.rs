//! Signals and waits.

use std::ptr::{null, null_mut};

use cuda_external_check::rules::Rule;
use cuda_external_sys::*;

use super::Case;
use super::cuda::*;

pub fn cases() -> Vec<Case> {
    let case = |rule, bad| Case::new(rule, bad, back_and_forth).fake();
    vec![
        case(Rule::NullArray, null_array),
        case(Rule::CountZero, no_semaphores),
        case(Rule::TimelineNotGrowing, not_growing),
        case(Rule::TimelineZero, || one(to_value(0))),
        case(Rule::SemaphoreFlags, || {
            let flags = CUDA_EXTERNAL_SEMAPHORE_SIGNAL_SKIP_NVSCIBUF_MEMSYNC;
            one(CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS { flags, ..to_value(1) });
        }),
        case(Rule::KeyedMutexFields, || {
            let mut params = to_value(1);
            params.params.keyedMutex.key = 1;
            one(params);
        }),
        case(Rule::ContextLost, after_a_sticky_error),
    ]
}

/// A timeline in two streams, and a binary semaphore whose value does not matter.
fn back_and_forth() {
    let _context = context();
    let (semaphore, streams) = (timeline(), [stream(), stream()]);
    for value in 1..4 {
        ok(signal(semaphore, 2 * value, streams[0]));
        ok(wait(semaphore, 2 * value, streams[1]));
        // In another stream a smaller value may be right: it may be signaled before.
        ok(signal(semaphore, 2 * value - 1, streams[1]));
    }
    let binary = import_semaphore_as(CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD).expect("the import");
    for _ in 0..2 {
        ok(signal(binary, 0, streams[0]));
    }
    ok(destroy_semaphore(binary));
    ok(destroy_semaphore(semaphore));
}

fn one(params: CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS) {
    let _context = context();
    let semaphore = timeline();
    let _may_be_refused = signal_with(semaphore, params, null_mut());
    ok(destroy_semaphore(semaphore));
}

fn null_array() {
    let _context = context();
    // SAFETY: the mistake that the case is about.
    let code = unsafe { cuSignalExternalSemaphoresAsync(null(), null(), 1, null_mut()) };
    assert_eq!(code, CUDA_ERROR_INVALID_VALUE);
}

fn no_semaphores() {
    let _context = context();
    // SAFETY: as above.
    let code = unsafe { cuSignalExternalSemaphoresAsync(null(), null(), 0, null_mut()) };
    assert_eq!(code, CUDA_ERROR_INVALID_VALUE);
}

fn not_growing() {
    let _context = context();
    let (semaphore, stream) = (timeline(), stream());
    ok(signal(semaphore, 2, stream));
    ok(signal(semaphore, 2, stream));
    ok(destroy_semaphore(semaphore));
}

fn after_a_sticky_error() {
    let _context = context();
    let (semaphore, stream) = (timeline(), stream());
    // SAFETY: the fake driver reads nothing, and loses its context.
    assert_eq!(unsafe { cuMemcpyDtoH_v2(null_mut(), 0xdead_0000, 1) }, CUDA_ERROR_ILLEGAL_ADDRESS);
    // SAFETY: the context is current.
    assert_eq!(unsafe { cuCtxSynchronize() }, CUDA_ERROR_ILLEGAL_ADDRESS);
    assert_eq!(signal(semaphore, 1, stream), CUDA_ERROR_ILLEGAL_ADDRESS);
}
