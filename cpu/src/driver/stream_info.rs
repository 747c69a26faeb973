//! What a stream is, and the older form of a host function.

use std::ptr::{null_mut, with_exposed_provenance_mut};

use super::prelude::*;
use super::work::Work;
use super::{context, stream};

type Get<T> = unsafe extern "C" fn(CUstream, *mut T) -> CUresult;
type Callback = unsafe extern "C" fn(CUstream, CUresult, *mut c_void);
type AddCallback = unsafe extern "C" fn(CUstream, Option<Callback>, *mut c_void, c_uint) -> CUresult;
functions! {
    Init fn cuStreamGetFlags: Get<c_uint>, (stream, flags) {
        require(!flags.is_null())?;
        let stream = stream::find(stream)?;
        stream.refuse_capturing(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED)?;
        let blocking = stream.kind != stream::Kind::NonBlocking;
        put(flags, if blocking { CU_STREAM_DEFAULT.0 } else { CU_STREAM_NON_BLOCKING.0 })
    }
    Init fn cuStreamGetPriority: Get<c_int>, (stream, priority) { put(priority, stream::find_usable(stream)?.priority()) }
    Init fn cuStreamGetId: Get<u64>, (stream, id) { put(id, Arc::as_ptr(&stream::find(stream)?).addr() as u64) }
    Init fn cuStreamGetDevice: Get<CUdevice>, (stream, device) {
        put(device, stream::find(stream)?.context.device as CUdevice)
    }
    Init fn cuStreamGetCtx: Get<CUcontext>, (stream, context) {
        put(context, context::handle_of(stream::find_usable(stream)?.context.id).map_or(null_mut(), CUcontext::from_number))
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
