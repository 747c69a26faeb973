//! Imports semaphores, and enqueues waits and signals of imported semaphores.

use std::os::fd::IntoRawFd;

use super::external_memory::{check_handle_type, take_over_fd};
use crate::driver::driver_prelude::*;
use crate::driver::streams::imported_semaphores::{SEMAPHORES, SemaphoreWork, SignalParams};
use crate::shared_files::{MemoryFileHeader, SemaphorePage};

fn import_semaphore(desc: &CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC) -> CudaResult<SemaphorePage> {
    ensure_valid(desc.flags == 0 && desc.reserved == [0; 16])?;
    let timeline = CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD.0;
    let binary = CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD.0;
    let last = CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_WIN32.0;
    check_handle_type(desc.type_.0, &[binary, timeline], last)?;
    // SAFETY: every bit pattern of the union is a valid `int`.
    let fd = unsafe { desc.handle.fd };
    ensure_valid(desc.type_.0 == binary || fd != -1)?;
    let file = take_over_fd(fd).ok_or(CUDA_ERROR_UNKNOWN)?;
    let never_signaled = |_| Some(SemaphorePage::create_page_file(false, 0).ok()?.0);
    // NVIDIA's driver imports memory as a semaphore, too. This driver makes a new semaphore for such an import.
    let page = SemaphorePage::open_page_file(&file)
        .or_else(|| MemoryFileHeader::read_header(&file).and_then(never_signaled));
    if page.is_none() {
        // If the import of a semaphore fails, the file descriptor stays open, unlike with memory (measured).
        let _ = file.into_raw_fd();
    }
    page.ok_or(CUDA_ERROR_UNKNOWN)
}

unsafe fn enqueue_semaphores(
    signal: bool,
    (semaphores, params, count): (*const CUexternalSemaphore, *const SignalParams, c_uint),
    stream: CUstream,
) -> CudaResult {
    let stream = find_usable_stream(stream)?;
    // NVIDIA's driver refuses a stream of a context other than the current one.
    let is_another = current_context().is_ok_and(|current| current.id != stream.context.id);
    ensure_valid(!is_another && count > 0)?;
    // SAFETY: both arrays have `count` elements, or are null.
    let work = unsafe { SemaphoreWork::from_arguments(signal, semaphores, params, count) }?;
    for semaphore in &work.semaphores {
        match SEMAPHORES.look_up_handle(*semaphore) {
            HandleLookup::Live(_) => {}
            HandleLookup::Null if signal => abort_as_driver_crashes("a null semaphore"),
            HandleLookup::OtherKind => abort_as_driver_crashes("not a semaphore"),
            _ => return Err(CUDA_ERROR_INVALID_VALUE),
        }
    }
    ensure_valid(work.params.iter().all(|params| params.flags == 0 && params.reserved == [0; 16]))?;
    stream.enqueue_work(QueuedWork::Semaphores(work))
}

functions! {
    Init fn cuImportExternalSemaphore: PFN_cuImportExternalSemaphore, (semaphore, desc) {
        let context = Some(current_context_outside_capture()?.id);
        SEMAPHORES.create_object(semaphore, context, || import_semaphore(read_param(desc)?))
    }
    Init fn cuDestroyExternalSemaphore: PFN_cuDestroyExternalSemaphore, (semaphore) {
        refuse_during_capture()?;
        match SEMAPHORES.remove_object(semaphore) {
            HandleLookup::Live(_) => Ok(()),
            HandleLookup::Null => Err(CUDA_ERROR_INVALID_VALUE),
            _ => abort_as_driver_crashes("not a semaphore, or destroyed"),
        }
    }
    Init fn cuWaitExternalSemaphoresAsync +_ptsz: PFN_cuWaitExternalSemaphoresAsync,
        (semaphores, params, count, stream) {
        enqueue_semaphores(false, (semaphores, params.cast(), count), stream)
    }
    Init fn cuSignalExternalSemaphoresAsync +_ptsz: PFN_cuSignalExternalSemaphoresAsync,
        (semaphores, params, count, stream) {
        enqueue_semaphores(true, (semaphores, params, count), stream)
    }
}
