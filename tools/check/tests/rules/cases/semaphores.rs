//! Cases about signals and waits, in streams and in graphs.

use std::ptr::{null, null_mut};

use cuda_external_check::rules::Rule;
use cuda_external_sys::*;

use super::call_helpers::*;
use super::handles::run_in_thread;
use super::{RuleCase, named_case, rule_case};
use crate::support::follows_remedy;

pub const CASES: &[RuleCase] = &[
    rule_case(Rule::NULL_ARRAY, || {
        let code = unsafe { cuSignalExternalSemaphoresAsync(null(), null(), 1, null_mut()) };
        assert_eq!(code, CUDA_ERROR_INVALID_VALUE);
    }),
    named_case("null-array-of-a-graph-node", &[Rule::NULL_ARRAY], || {
        let params = CUDA_EXT_SEM_SIGNAL_NODE_PARAMS { numExtSems: 1, ..Default::default() };
        let add = cuGraphAddExternalSemaphoresSignalNode;
        assert_eq!(
            unsafe { add(&mut null_mut(), create_graph(), null(), 0, &params) },
            CUDA_ERROR_INVALID_VALUE
        );
    }),
    rule_case(Rule::COUNT_ZERO, || {
        let code = unsafe { cuSignalExternalSemaphoresAsync(null(), null(), 0, null_mut()) };
        assert_eq!(code, CUDA_ERROR_INVALID_VALUE);
    }),
];

pub const CASES_WITHOUT_GPU: &[RuleCase] = &[
    // Two streams use a timeline, and then a binary semaphore. The driver ignores the values for a binary semaphore.
    named_case("back-and-forth", &[], || {
        let (semaphore, [first, second]) = (import_timeline(), [create_stream(), create_stream()]);
        for value in [2, 4, 6] {
            // `first` signals `value` after `second` has signaled `value - 1`, although `value` is enqueued earlier.
            wait_semaphore(semaphore, value - 1, first);
            assert_ok(signal_semaphore(semaphore, value, first));
            assert_ok(signal_semaphore(semaphore, value - 1, second));
            wait_semaphore(semaphore, value, second);
        }
        let binary = import_semaphore(export_memory(), CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD)
            .expect("the import");
        for _ in 0..2 {
            assert_ok(signal_semaphore(binary, 0, first));
            wait_semaphore(binary, 0, second);
        }
        destroy_semaphore_after_work(binary);
        destroy_semaphore_after_work(semaphore);
    }),
    rule_case(Rule::TIMELINE_NOT_GROWING, || {
        with_imported_timeline(|semaphore| {
            let stream = create_stream();
            assert_ok(signal_semaphore(semaphore, 2, stream));
            assert_ok(signal_semaphore(semaphore, 2, stream));
        });
    }),
    rule_case(Rule::TIMELINE_ZERO, || signal_ignoring_code(signal_params_with(0))).with_remedy(),
    // If a program declares `SignalParams` without `reserved`, the driver reads the 64 bytes after it as `reserved`.
    named_case("signal-with-short-parameters", &[Rule::RESERVED_NOT_ZERO], || {
        let mut params = signal_params_with(1);
        params.reserved[0] = 1;
        signal_ignoring_code(params);
    })
    .with_remedy(),
    rule_case(Rule::SEMAPHORE_FLAGS, || {
        let flags = CUDA_EXTERNAL_SEMAPHORE_SIGNAL_SKIP_NVSCIBUF_MEMSYNC;
        signal_ignoring_code(SignalParams { flags, ..signal_params_with(1) });
    })
    .with_remedy(),
    named_case("signal-in-the-own-stream-of-each-thread", &[], || {
        const PER_THREAD: CUstream = 2 as CUstream;
        let (context, semaphore) = (retain_primary_context().addr(), import_timeline().addr());
        for value in [2, 1] {
            run_in_thread(move || {
                let semaphore = semaphore as CUexternalSemaphore;
                assert_ok(set_current(context as CUcontext));
                wait_semaphore(semaphore, value - 1, PER_THREAD);
                assert_ok(signal_semaphore(semaphore, value, PER_THREAD));
            });
        }
        destroy_semaphore_after_work(semaphore as CUexternalSemaphore);
    }),
    rule_case(Rule::DESTROYED_IN_USE, || {
        let (semaphore, stream) = (import_timeline(), create_stream());
        wait_semaphore(semaphore, 1, stream);
        assert_ok(destroy_semaphore(semaphore));
    }),
    named_case("a-queued-wait-after-many-signals", &[Rule::DESTROYED_IN_USE], || {
        let (semaphore, stream) = (import_timeline(), create_stream());
        for value in 1..40 {
            assert_ok(signal_semaphore(semaphore, value, stream));
        }
        wait_semaphore(semaphore, 99, stream);
        assert_ok(destroy_semaphore(semaphore));
    }),
    // The stream's work after the wait does not use the semaphore.
    named_case("destroyed-after-its-wait-and-before-other-work", &[], || {
        let ([first, second], stream, mut event) =
            ([import_timeline(), import_timeline()], create_stream(), null_mut());
        assert_ok(signal_semaphore(first, 1, null_mut()));
        wait_semaphore(first, 1, stream);
        unsafe {
            assert_ok(cuEventCreate(&mut event, 0));
            assert_ok(cuEventRecord(event, stream));
            wait_semaphore(second, 1, stream);
            assert_ok(cuEventSynchronize(event));
        }
        assert_ok(destroy_semaphore(first));
        assert_ok(signal_semaphore(second, 1, null_mut()));
        destroy_semaphore_after_work(second);
    }),
    rule_case(Rule::STREAM_DESTROYED, || {
        with_imported_timeline(|semaphore| {
            let first = create_stream();
            assert_ok(destroy_stream(first));
            // The new stream may have the handle of the first one.
            let (second, follows) = (create_stream(), follows_remedy());
            let code = signal_semaphore(semaphore, 1, if follows { second } else { first });
            assert_eq!(code, if follows { CUDA_SUCCESS } else { CUDA_ERROR_INVALID_HANDLE });
        });
    })
    .with_remedy(),
    rule_case(Rule::CONTEXT_LOST, || {
        let (semaphore, mut byte) = (import_timeline(), 0_u8);
        let code = unsafe { cuMemcpyDtoH((&raw mut byte).cast(), 0, 1) };
        assert_eq!([code, unsafe { cuCtxSynchronize() }], [CUDA_ERROR_LAUNCH_FAILED; 2]);
        assert_eq!(signal_semaphore(semaphore, 1, null_mut()), CUDA_ERROR_LAUNCH_FAILED);
    })
    .with_driver_variable("CUDA_EXTERNAL_CPU_FAULTS", "cuMemcpyDtoH:1=lost"),
    named_case("graph-launched-twice-with-one-value", &[Rule::TIMELINE_NOT_GROWING], || {
        with_graph_instance(|mut semaphore, (instance, node), launch| {
            launch();
            let value = signal_params_with(if follows_remedy() { 2 } else { 1 });
            let params = signal_node_params(&mut semaphore, &value);
            assert_ok(unsafe { cuGraphExecExternalSemaphoresSignalNodeSetParams(instance, node, &params) });
            launch();
            semaphore
        });
    })
    .with_remedy(),
    named_case("graph-launched-after-the-end-of-its-semaphore", &[Rule::USE_AFTER_END], || {
        with_graph_instance(|semaphore, _, launch| {
            assert_ok(destroy_semaphore(semaphore));
            launch();
            null_mut()
        });
    }),
    // The layer queries its events during the capture. The queries must not invalidate the capture.
    named_case("another-stream-is-captured", &[], || {
        with_imported_timeline(|semaphore| unsafe {
            let ([captured, other], mut graph) = ([create_stream(), create_stream()], null_mut());
            assert_ok(cuStreamBeginCapture(captured, CU_STREAM_CAPTURE_MODE_GLOBAL));
            assert_ok(signal_semaphore(semaphore, 1, other));
            assert_ok(cuStreamEndCapture(captured, &mut graph));
            assert_ok(cuGraphDestroy(graph));
        });
    }),
    named_case("a-captured-signal-is-not-executed", &[], || {
        with_imported_timeline(|semaphore| unsafe {
            let (stream, mut graph) = (create_stream(), null_mut());
            assert_ok(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
            assert_ok(signal_semaphore(semaphore, 5, stream));
            assert_ok(signal_semaphore(semaphore, 5, stream));
            assert_ok(cuStreamEndCapture(stream, &mut graph));
            assert_ok(cuGraphDestroy(graph));
            assert_ok(signal_semaphore(semaphore, 1, stream));
        });
    }),
];

fn signal_ignoring_code(params: SignalParams) {
    with_imported_timeline(|semaphore| {
        let params = if follows_remedy() { signal_params_with(1) } else { params };
        let _may_be_refused = signal_with(semaphore, params, null_mut());
    });
}

fn signal_node_params(
    semaphore: &mut CUexternalSemaphore,
    value: &SignalParams,
) -> CUDA_EXT_SEM_SIGNAL_NODE_PARAMS {
    CUDA_EXT_SEM_SIGNAL_NODE_PARAMS { extSemArray: semaphore, paramsArray: value, numExtSems: 1 }
}

/// `run` gets the semaphore that the graph's only node signals, and returns a semaphore to destroy at the end, or null.
fn with_graph_instance(
    run: impl FnOnce(CUexternalSemaphore, (CUgraphExec, CUgraphNode), &dyn Fn()) -> CUexternalSemaphore,
) {
    let (mut semaphore, graph, stream) = (import_timeline(), create_graph(), create_stream());
    let (value, mut node, mut instance) = (signal_params_with(1), null_mut(), null_mut());
    let params = signal_node_params(&mut semaphore, &value);
    unsafe {
        assert_ok(cuGraphAddExternalSemaphoresSignalNode(&mut node, graph, null(), 0, &params));
        assert_ok(cuGraphInstantiateWithFlags(&mut instance, graph, 0));
        let left = run(semaphore, (instance, node), &|| assert_ok(cuGraphLaunch(instance, stream)));
        assert_ok(cuCtxSynchronize());
        assert_ok(cuGraphExecDestroy(instance));
        assert_ok(cuGraphDestroy(graph));
        if !left.is_null() {
            assert_ok(destroy_semaphore(left));
        }
    }
}
