//! Properties of a stream, and the older form of a host function.

use std::ptr::null_mut;

use super::host_callbacks::{HostCallback, StreamCallback};
use super::queued_work::QueuedWork;
use super::stream_queue::{Stream, StreamKind, find_stream, find_usable_stream};
use crate::driver::base::current_context;
use crate::driver::base::prelude::*;

/// Returns a stream for the calls that invalidate its capture. Others do not: measured.
fn find_uncaptured_stream(stream: CUstream) -> CudaResult<Arc<Stream>> {
    let stream = find_stream(stream)?;
    stream.invalidate_capture(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED)?;
    Ok(stream)
}

fn context_of_stream(stream: CUstream) -> CudaResult<CUcontext> {
    let found = current_context::find_context_by_id(find_usable_stream(stream)?.context.id);
    Ok(found.map_or(null_mut(), |(number, _)| CUcontext::from_number(number)))
}

functions! {
    Init fn cuStreamGetFlags +_ptsz(stream: CUstream, flags: *mut c_uint) {
        write_created(flags, || {
            let blocking = find_uncaptured_stream(stream)?.kind != StreamKind::NonBlocking;
            Ok(if blocking { CU_STREAM_DEFAULT.0 } else { CU_STREAM_NON_BLOCKING.0 })
        })
    }
    Init fn cuStreamGetPriority +_ptsz(stream: CUstream, priority: *mut c_int) {
        write_created(priority, || Ok(find_usable_stream(stream)?.stream_priority()))
    }
    Init fn cuStreamGetId +_ptsz(stream: CUstream, id: *mut u64) {
        write_created(id, || Ok(find_uncaptured_stream(stream)?.id))
    }
    Init fn cuStreamGetDevice +_ptsz(stream: CUstream, device: *mut CUdevice) {
        write_created(device, || Ok(find_uncaptured_stream(stream)?.context.device as CUdevice))
    }
    Init fn cuStreamGetCtx +_ptsz(stream: CUstream, context: *mut CUcontext) {
        write_created(context, || context_of_stream(stream))
    }
    Init fn cuStreamGetCtx_v2 +_ptsz(stream: CUstream, context: *mut CUcontext, green: *mut *mut c_void) {
        let found = context_of_stream(stream)?;
        write_out(context, found)?;
        write_if_wanted(green, null_mut());
        Ok(())
    }
    Init fn cuStreamAddCallback +_ptsz(
        stream: CUstream, callback: Option<StreamCallback>, argument: *mut c_void, flags: c_uint
    ) {
        let callback = HostCallback::stream_callback(callback, stream, argument)?;
        ensure_valid(flags == 0)?;
        find_uncaptured_stream(stream)?.enqueue_work(QueuedWork::calling_program(callback))
    }
}
