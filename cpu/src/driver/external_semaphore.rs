//! Imported semaphores: waits and signals in a stream and in a graph.

use std::mem::offset_of;
use std::os::fd::IntoRawFd;

use super::context::{self, ContextId};
use super::external_memory::{check_type, owned};
use super::prelude::*;
use super::stream::{self, Stream};
use super::work::{Run, Work};
use crate::shared::{self, MemoryHeader};

pub struct Semaphore {
    page: shared::Semaphore,
    pub context: ContextId,
}

pub static SEMAPHORES: Registry<Semaphore> = Registry::new(5, CUDA_ERROR_INVALID_VALUE);

unsafe fn import(desc: &CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC) -> Answer<Semaphore> {
    let context = context::current()?.id;
    require(desc.flags == 0 && desc.reserved == [0; 16])?;
    let timeline = CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD.0;
    let binary = CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD.0;
    let last = CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_WIN32.0;
    check_type(desc.type_.0, &[binary, timeline], last)?;
    // SAFETY: the field that goes with the type.
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

pub type SignalParams = CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS;

// Waits and signals share one type here.
macro_rules! same_place {
    ($($field:ident).+) => {
        offset_of!(SignalParams, $($field).+) == offset_of!(CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS, $($field).+)
    };
}
const _: () = assert!(same_place!(params.fence.value) && same_place!(flags) && same_place!(reserved));
const _: () = assert!(size_of::<SignalParams>() == size_of::<CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS>());

/// A wait or a signal, with what the program gave. The semaphores are looked up when it is enqueued: a graph keeps their handles.
#[derive(Clone)]
pub struct SemaphoreWork {
    pub signal: bool,
    pub semaphores: Vec<CUexternalSemaphore>,
    pub params: Vec<SignalParams>,
}

// SAFETY: handles are numbers, and the parameters' pointers are not followed.
unsafe impl Send for SemaphoreWork {}
// SAFETY: as above.
unsafe impl Sync for SemaphoreWork {}

impl SemaphoreWork {
    /// Copies the arguments. There are as many semaphores and parameters as the count says.
    pub unsafe fn read(
        signal: bool,
        semaphores: *const CUexternalSemaphore,
        params: *const SignalParams,
        count: c_uint,
    ) -> Answer<Self> {
        let count = count as usize;
        // SAFETY: by this function's own condition.
        let (semaphores, params) = unsafe { (list(semaphores, count)?, list(params, count)?) };
        Ok(Self { signal, semaphores: semaphores.to_vec(), params: params.to_vec() })
    }

    /// Returns what the stream's thread does. A destroyed semaphore is left out, as NVIDIA's driver does in a graph. A binary
    /// semaphore's value is its turn.
    pub fn enqueued(&self) -> Run {
        let signal = self.signal;
        let mut used = Vec::new();
        for (handle, params) in self.semaphores.iter().zip(&self.params) {
            let semaphore = match SEMAPHORES.look_up(*handle) {
                Lookup::Live(semaphore) => semaphore,
                Lookup::Null => crash("a semaphore is null"),
                _ => continue,
            };
            let value = semaphore.page.enqueue(signal, params.params.fence.value);
            used.push((semaphore, value));
        }
        Arc::new(move || {
            for (semaphore, value) in &used {
                if signal {
                    semaphore.page.signal(*value);
                } else {
                    semaphore.page.wait(*value);
                }
            }
        })
    }
}

/// Enqueues a wait or a signal in a stream.
unsafe fn enqueue(
    signal: bool,
    (semaphores, params, count): (*const CUexternalSemaphore, *const SignalParams, c_uint),
    stream: Answer<Arc<Stream>>,
) -> Answer {
    let stream = stream?;
    // NVIDIA's driver refuses it where another context than the stream's is current.
    let is_another = context::current().is_ok_and(|current| current.id != stream.context.id);
    require(!is_another && count > 0)?;
    // SAFETY: the caller's arguments.
    let work = unsafe { SemaphoreWork::read(signal, semaphores, params, count) }?;
    require(work.params.iter().all(|params| params.flags == 0 && params.reserved == [0; 16]))?;
    for semaphore in &work.semaphores {
        match SEMAPHORES.look_up(*semaphore) {
            Lookup::Live(_) => {}
            Lookup::Null if signal => crash("a null semaphore"),
            Lookup::OtherKind => crash("not a semaphore"),
            _ => return Err(CUDA_ERROR_INVALID_VALUE),
        }
    }
    stream.enqueue(Work::Semaphores(work))
}

functions! {
    Init fn cuImportExternalSemaphore: PFN_cuImportExternalSemaphore, (semaphore, desc) {
        SEMAPHORES.create(semaphore, || import(given(desc)?))
    }
    Init fn cuDestroyExternalSemaphore: PFN_cuDestroyExternalSemaphore, (semaphore) {
        match SEMAPHORES.remove(semaphore) {
            Lookup::Live(_) => Ok(()),
            Lookup::Null => Err(CUDA_ERROR_INVALID_VALUE),
            _ => crash("not a semaphore, or destroyed"),
        }
    }
    Init fn cuWaitExternalSemaphoresAsync: PFN_cuWaitExternalSemaphoresAsync, (semaphores, params, count, stream) {
        enqueue(false, (semaphores, params.cast(), count), stream::find(stream))
    }
    Init fn cuWaitExternalSemaphoresAsync_ptsz: PFN_cuWaitExternalSemaphoresAsync, (semaphores, params, count, stream) {
        enqueue(false, (semaphores, params.cast(), count), stream::find_ptsz(stream))
    }
    Init fn cuSignalExternalSemaphoresAsync: PFN_cuSignalExternalSemaphoresAsync, (semaphores, params, count, stream) {
        enqueue(true, (semaphores, params, count), stream::find(stream))
    }
    Init fn cuSignalExternalSemaphoresAsync_ptsz: PFN_cuSignalExternalSemaphoresAsync, (semaphores, params, count, stream) {
        enqueue(true, (semaphores, params, count), stream::find_ptsz(stream))
    }
}
