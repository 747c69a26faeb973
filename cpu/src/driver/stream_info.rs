//! Properties of a stream, and the older form of a host function.

use std::ptr::{null_mut, with_exposed_provenance_mut};

use super::prelude::*;
use super::work::Work;
use super::{context, stream};

type Get<T> = unsafe extern "C" fn(CUstream, *mut T) -> CUresult;
type Callback = unsafe extern "C" fn(CUstream, CUresult, *mut c_void);
type AddCallback = unsafe extern "C" fn(CUstream, Option<Callback>, *mut c_void, c_uint) -> CUresult;
/// Some questions end a capture, and some do not: measured.
fn not_captured(stream: CUstream) -> CudaResult<Arc<stream::Stream>> {
    let stream = stream::find(stream)?;
    stream.refuse_capturing(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED)?;
    Ok(stream)
}

functions! {
    Init fn cuStreamGetFlags: Get<c_uint>, (stream, flags) {
        write_made(flags, || {
            let blocking = not_captured(stream)?.kind != stream::Kind::NonBlocking;
            Ok(if blocking { CU_STREAM_DEFAULT.0 } else { CU_STREAM_NON_BLOCKING.0 })
        })
    }
    Init fn cuStreamGetPriority: Get<c_int>, (stream, priority) {
        write_made(priority, || Ok(stream::find_usable(stream)?.priority()))
    }
    Init fn cuStreamGetId: Get<u64>, (stream, id) {
        write_made(id, || Ok(Arc::as_ptr(&not_captured(stream)?).addr() as u64))
    }
    Init fn cuStreamGetDevice: Get<CUdevice>, (stream, device) {
        write_made(device, || Ok(not_captured(stream)?.context.device as CUdevice))
    }
    Init fn cuStreamGetCtx: Get<CUcontext>, (stream, context) {
        write_made(context, || {
            let id = stream::find_usable(stream)?.context.id;
            Ok(context::handle_of(id).map_or(null_mut(), CUcontext::from_number))
        })
    }
    Init fn cuStreamAddCallback: AddCallback, (stream, callback, argument, flags) {
        let callback = callback.ok_or(CUDA_ERROR_INVALID_VALUE)?;
        require(flags == 0)?;
        let found = stream::find(stream)?;
        found.refuse_capturing(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED)?;
        let call = (callback, stream.expose_provenance(), argument.expose_provenance());
        found.enqueue(Work::new(CU_GRAPH_NODE_TYPE_HOST, call, |(callback, stream, argument)| {
            let (stream, argument) = (with_exposed_provenance_mut(*stream), with_exposed_provenance_mut(*argument));
            // SAFETY: the program gave the function with its argument, for another thread.
            unsafe { callback(stream, CUDA_SUCCESS, argument) };
        }))
    }
}
