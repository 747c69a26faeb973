//! Imported semaphores: waits and signals in a stream and in a graph.

use std::os::fd::IntoRawFd;

use super::external_memory::{check_type, owned};
use crate::driver::base::current_context::{self, ContextId};
use crate::driver::base::prelude::*;
use crate::driver::streams::capture_state;
use crate::driver::streams::imported_semaphores::{SEMAPHORES, Semaphore, SemaphoreWork, SignalParams};
use crate::driver::streams::queued_work::Work;
use crate::driver::streams::stream_queue::{self, Stream};
use crate::shared::{self, MemoryHeader};

unsafe fn import(desc: &CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC, context: ContextId) -> CudaResult<Semaphore> {
    require(desc.flags == 0 && desc.reserved == [0; 16])?;
    let timeline = CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD.0;
    let binary = CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD.0;
    let last = CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_WIN32.0;
    check_type(desc.type_.0, &[binary, timeline], last)?;
    // SAFETY: this is the field that goes with the type.
    let fd = unsafe { desc.handle.fd };
    require(desc.type_.0 == binary || fd != -1)?;
    let file = owned(fd).ok_or(CUDA_ERROR_UNKNOWN)?;
    let memory = |_| Some(shared::Semaphore::create(false, 0).ok()?.0);
    // NVIDIA's driver takes memory for a semaphore too: that one is never signaled.
    let page = shared::Semaphore::open(&file).or_else(|| MemoryHeader::read(&file).and_then(memory));
    if page.is_none() {
        // Unlike memory's, the descriptor stays open where the import fails: measured.
        let _ = file.into_raw_fd();
    }
    Ok(Semaphore { page: page.ok_or(CUDA_ERROR_UNKNOWN)?, context })
}

/// Enqueues a wait or a signal in a stream.
unsafe fn enqueue(
    signal: bool,
    (semaphores, params, count): (*const CUexternalSemaphore, *const SignalParams, c_uint),
    stream: CudaResult<Arc<Stream>>,
) -> CudaResult {
    let stream = stream?;
    stream.usable()?;
    // NVIDIA's driver refuses it where another context than the stream's is current.
    let is_another = current_context::current().is_ok_and(|current| current.id != stream.context.id);
    require(!is_another && count > 0)?;
    // SAFETY: the caller passes valid arguments.
    let work = unsafe { SemaphoreWork::read(signal, semaphores, params, count) }?;
    for semaphore in &work.semaphores {
        match SEMAPHORES.look_up(*semaphore) {
            Lookup::Live(_) => {}
            Lookup::Null if signal => crash("a null semaphore"),
            Lookup::OtherKind => crash("not a semaphore"),
            _ => return Err(CUDA_ERROR_INVALID_VALUE),
        }
    }
    require(work.params.iter().all(|params| params.flags == 0 && params.reserved == [0; 16]))?;
    stream.enqueue(Work::Semaphores(work))
}

functions! {
    Init fn cuImportExternalSemaphore: PFN_cuImportExternalSemaphore, (semaphore, desc) {
        let context = capture_state::ready()?.id;
        SEMAPHORES.create(semaphore, || import(read_param(desc)?, context))
    }
    Init fn cuDestroyExternalSemaphore: PFN_cuDestroyExternalSemaphore, (semaphore) {
        capture_state::refuse_in_capture()?;
        match SEMAPHORES.remove(semaphore) {
            Lookup::Live(_) => Ok(()),
            Lookup::Null => Err(CUDA_ERROR_INVALID_VALUE),
            _ => crash("not a semaphore, or destroyed"),
        }
    }
    Init fn cuWaitExternalSemaphoresAsync | cuWaitExternalSemaphoresAsync_ptsz: PFN_cuWaitExternalSemaphoresAsync, (semaphores, params, count, stream) {
        enqueue(false, (semaphores, params.cast(), count), stream_queue::find(stream))
    }
    Init fn cuSignalExternalSemaphoresAsync | cuSignalExternalSemaphoresAsync_ptsz: PFN_cuSignalExternalSemaphoresAsync, (semaphores, params, count, stream) {
        enqueue(true, (semaphores, params, count), stream_queue::find(stream))
    }
}
