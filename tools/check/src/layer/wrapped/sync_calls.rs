//! Functions that order work without semaphores: host waits, events, host functions and stream memory operations.

use std::ffi::{c_uint, c_void};

use cuda_external_sys::*;

use crate::layer::chassis::wrapped_call::wrap;
use crate::layer::sync::stream_order::{
    after_event_wait, after_host_wait, destroy_event, enqueue_event_wait, enqueue_unseen_order,
    launch_host_function, note_unseen_event_order, record_event,
};

wrap! {
    // The functions up to cuEventElapsedTime wait for work or query it, often as the first to return a sticky error.
    cuCtxSynchronize: PFN_cuCtxSynchronize() |call| after_host_wait(call, None);
    cuCtxSynchronize_v2(context: CUcontext) |call| after_host_wait(call, None);
    cuStreamSynchronize / cuStreamSynchronize_ptsz: PFN_cuStreamSynchronize(on) |call|
        after_host_wait(call, Some(on));
    cuStreamQuery / cuStreamQuery_ptsz: PFN_cuStreamQuery(on) |call|
        after_host_wait(call, Some(on));
    cuEventSynchronize: PFN_cuEventSynchronize(event) |call| after_event_wait(call, &[event]);
    cuEventQuery: PFN_cuEventQuery(event) |call| after_event_wait(call, &[event]);
    cuEventElapsedTime | cuEventElapsedTime_v2(out: *mut f32, first: CUevent, second: CUevent) |call|
        after_event_wait(call, &[first, second]);
    cuEventRecord / cuEventRecord_ptsz: PFN_cuEventRecord(event, on) |call|
        record_event(call, event, on);
    cuEventRecordWithFlags / cuEventRecordWithFlags_ptsz(event: CUevent, on: CUstream, flags: c_uint) |call|
        record_event(call, event, on);
    cuEventDestroy | cuEventDestroy_v2: PFN_cuEventDestroy_v2(event) |call| destroy_event(call, event);
    cuStreamWaitEvent / cuStreamWaitEvent_ptsz: PFN_cuStreamWaitEvent(on, event, flags) |call|
        enqueue_event_wait(call, on, event);
    cuLaunchHostFunc / cuLaunchHostFunc_ptsz: PFN_cuLaunchHostFunc(
        on, function, data,
    ) |call| launch_host_function(call, on, function, data);
    cuLaunchHostFunc_v2 / cuLaunchHostFunc_v2_ptsz(
        on: CUstream, function: CUhostFn, data: *mut c_void, mode: c_uint,
    ) |call| enqueue_unseen_order(call, on);
    cuStreamAddCallback / cuStreamAddCallback_ptsz(
        on: CUstream, function: *mut c_void, data: *mut c_void, flags: c_uint,
    ) |call| enqueue_unseen_order(call, on);
    cuStreamWriteValue32 | cuStreamWriteValue32_v2 | cuStreamWaitValue32 | cuStreamWaitValue32_v2
    / cuStreamWriteValue32_ptsz | cuStreamWriteValue32_v2_ptsz | cuStreamWaitValue32_ptsz | cuStreamWaitValue32_v2_ptsz(
        on: CUstream, address: CUdeviceptr, value: u32, flags: c_uint,
    ) |call| enqueue_unseen_order(call, on);
    cuStreamWriteValue64 | cuStreamWriteValue64_v2 | cuStreamWaitValue64 | cuStreamWaitValue64_v2
    / cuStreamWriteValue64_ptsz | cuStreamWriteValue64_v2_ptsz | cuStreamWaitValue64_ptsz | cuStreamWaitValue64_v2_ptsz(
        on: CUstream, address: CUdeviceptr, value: u64, flags: c_uint,
    ) |call| enqueue_unseen_order(call, on);
    cuStreamBatchMemOp | cuStreamBatchMemOp_v2 / cuStreamBatchMemOp_ptsz | cuStreamBatchMemOp_v2_ptsz(
        on: CUstream, count: c_uint, operations: *mut c_void, flags: c_uint,
    ) |call| enqueue_unseen_order(call, on);
    // By these calls, contexts or graphs record events or wait for them. The check does not know in which streams.
    cuCtxRecordEvent | cuCtxWaitEvent(context: CUcontext, event: CUevent) |call| note_unseen_event_order(call, event);
    cuGreenCtxRecordEvent | cuGreenCtxWaitEvent(
        context: CUgreenCtx, event: CUevent,
    ) |call| note_unseen_event_order(call, event);
    cuGraphAddEventRecordNode | cuGraphAddEventWaitNode(
        out: *mut CUgraphNode, graph: CUgraph, after: *const CUgraphNode, count: usize, event: CUevent,
    ) |call| note_unseen_event_order(call, event);
}
