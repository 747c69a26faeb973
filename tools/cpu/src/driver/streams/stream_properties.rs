//! Properties of a stream, and the older form of a host function.

use std::ptr::{null_mut, with_exposed_provenance_mut};

use super::queued_work::Work;
use super::stream_queue;
use crate::driver::base::current_context;
use crate::driver::base::prelude::*;

type Callback = unsafe extern "C" fn(CUstream, CUresult, *mut c_void);
/// Some questions end a capture, and some do not: measured.
fn not_captured(stream: CUstream) -> CudaResult<Arc<stream_queue::Stream>> {
    let stream = stream_queue::find(stream)?;
    stream.refuse_capturing(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED)?;
    Ok(stream)
}

functions! {
    Init fn cuStreamGetFlags(stream: CUstream, flags: *mut c_uint) {
        write_made(flags, || {
            let blocking = not_captured(stream)?.kind != stream_queue::Kind::NonBlocking;
            Ok(if blocking { CU_STREAM_DEFAULT.0 } else { CU_STREAM_NON_BLOCKING.0 })
        })
    }
    Init fn cuStreamGetPriority(stream: CUstream, priority: *mut c_int) {
        write_made(priority, || Ok(stream_queue::find_usable(stream)?.priority()))
    }
    Init fn cuStreamGetId(stream: CUstream, id: *mut u64) {
        write_made(id, || Ok(Arc::as_ptr(&not_captured(stream)?).addr() as u64))
    }
    Init fn cuStreamGetDevice(stream: CUstream, device: *mut CUdevice) {
        write_made(device, || Ok(not_captured(stream)?.context.device as CUdevice))
    }
    Init fn cuStreamGetCtx(stream: CUstream, context: *mut CUcontext) {
        write_made(context, || {
            let id = stream_queue::find_usable(stream)?.context.id;
            Ok(current_context::handle_of(id).map_or(null_mut(), CUcontext::from_number))
        })
    }
    Init fn cuStreamAddCallback(stream: CUstream, callback: Option<Callback>, argument: *mut c_void, flags: c_uint) {
        let callback = callback.ok_or(CUDA_ERROR_INVALID_VALUE)?;
        require(flags == 0)?;
        let found = stream_queue::find(stream)?;
        found.refuse_capturing(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED)?;
        let call = (callback, stream.expose_provenance(), argument.expose_provenance());
        found.enqueue(Work::new(CU_GRAPH_NODE_TYPE_HOST, call, |(callback, stream, argument)| {
            let (stream, argument) = (with_exposed_provenance_mut(*stream), with_exposed_provenance_mut(*argument));
            // SAFETY: the program gave the function with its argument, for another thread.
            unsafe { callback(stream, CUDA_SUCCESS, argument) };
        }))
    }
}
