//! Imported semaphores: waits and signals in a stream.

use std::ffi::c_uint;
use std::os::fd::{AsFd, BorrowedFd, IntoRawFd};
use std::slice;
use std::sync::Arc;

use cuda_external_sys::*;

use super::call::{Answer, Pointer, check, crash, functions, given};
use super::context;
use super::external_memory::{check_type, owned};
use super::handle::{Lookup, Registry};
use super::stream::{self, Stream};
use super::work::Work;
use crate::shared::{self, MemoryHeader};

pub struct Semaphore {
    pub number: u64,
    pub page: shared::Semaphore,
    pub context: u64,
}

pub static SEMAPHORES: Registry<Semaphore> = Registry::new(5);

/// Maps a semaphore's file. NVIDIA's driver takes memory for a semaphore too: that one is never signaled.
fn open(fd: BorrowedFd) -> Option<shared::Semaphore> {
    let of_memory = || Some(shared::Semaphore::create(false, 0).ok()?.0);
    shared::Semaphore::open(fd).or_else(|| MemoryHeader::read(fd).and_then(|_| of_memory()))
}

unsafe fn import(desc: &CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC) -> Answer<(shared::Semaphore, u64)> {
    let context = context::current()?.number;
    check(desc.flags == 0 && desc.reserved == [0; 16], CUDA_ERROR_INVALID_VALUE)?;
    let timeline = CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD.0;
    let binary = CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD.0;
    let last = CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_WIN32.0;
    check_type(desc.type_.0, &[binary, timeline], last)?;
    // SAFETY: the field that goes with the type.
    let fd = unsafe { desc.handle.fd };
    check(desc.type_.0 == binary || fd != -1, CUDA_ERROR_INVALID_VALUE)?;
    let fd = owned(fd).ok_or(CUDA_ERROR_UNKNOWN)?;
    match open(fd.as_fd()) {
        Some(page) => Ok((page, context)),
        None => {
            // Unlike memory's, the descriptor stays open where the import fails: measured.
            let _ = fd.into_raw_fd();
            Err(CUDA_ERROR_UNKNOWN)
        }
    }
}

/// Parameters of a wait or a signal, which have the same layout.
pub trait Params: Copy {
    fn value(&self) -> u64;
    fn is_plain(&self) -> bool;
}

macro_rules! params {
    ($($params:ident),*) => {$(
        impl Params for $params {
            fn value(&self) -> u64 {
                self.params.fence.value
            }

            fn is_plain(&self) -> bool {
                self.flags == 0 && self.reserved == [0; 16]
            }
        }
    )*};
}

params!(CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS, CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS);

/// The arguments of a wait or a signal, as cuda.h has them.
type Arguments<P> = (*const CUexternalSemaphore, *const P, c_uint);

/// Reads the arguments. A null semaphore makes NVIDIA's driver crash where it signals.
unsafe fn read<P: Params>(
    (semaphores, params, count): Arguments<P>,
    signal: bool,
) -> Answer<Vec<(Arc<Semaphore>, u64)>> {
    check(!semaphores.is_null() && !params.is_null() && count > 0, CUDA_ERROR_INVALID_VALUE)?;
    // SAFETY: the caller has as many of both.
    let (semaphores, params) = unsafe {
        (slice::from_raw_parts(semaphores, count as usize), slice::from_raw_parts(params, count as usize))
    };
    check(params.iter().all(Params::is_plain), CUDA_ERROR_INVALID_VALUE)?;
    let find = |(semaphore, params): (&CUexternalSemaphore, &P)| match SEMAPHORES.find(*semaphore) {
        Lookup::Live(semaphore) => Ok((semaphore, params.value())),
        Lookup::Null if signal => crash("a null semaphore"),
        Lookup::OtherKind => crash("not a semaphore"),
        _ => Err(CUDA_ERROR_INVALID_VALUE),
    };
    semaphores.iter().zip(params).map(find).collect()
}

/// The stream of a signal or a wait, which NVIDIA's driver refuses where another context than the stream's is current.
fn of_current_context(stream: Answer<Arc<Stream>>) -> Answer<Arc<Stream>> {
    let stream = stream?;
    let is_another = context::current().is_ok_and(|current| current.number != stream.context.number);
    check(!is_another, CUDA_ERROR_INVALID_VALUE)?;
    Ok(stream)
}

unsafe fn wait(
    arguments: Arguments<CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS>,
    stream: Answer<Arc<Stream>>,
) -> Answer {
    // SAFETY: the caller's arguments.
    of_current_context(stream)?.enqueue(Work::Wait(unsafe { read(arguments, false) }?))
}

unsafe fn signal(
    arguments: Arguments<CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS>,
    stream: Answer<Arc<Stream>>,
) -> Answer {
    // SAFETY: as above.
    of_current_context(stream)?.enqueue(Work::Signal(unsafe { read(arguments, true) }?))
}

functions! {
    Init fn cuImportExternalSemaphore: PFN_cuImportExternalSemaphore,
        (semaphore: *mut CUexternalSemaphore, desc: *const CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC)
    {
        check(!semaphore.is_null(), CUDA_ERROR_INVALID_VALUE)?;
        let (page, context) = import(given(desc)?)?;
        semaphore.put(SEMAPHORES.add_with(|number| Semaphore { number, page, context }))
    }
    Init fn cuDestroyExternalSemaphore: PFN_cuDestroyExternalSemaphore, (semaphore: CUexternalSemaphore) {
        match SEMAPHORES.remove(semaphore) {
            Lookup::Live(_) => Ok(()),
            Lookup::Null => Err(CUDA_ERROR_INVALID_VALUE),
            _ => crash("not a semaphore, or destroyed"),
        }
    }
    Init fn cuWaitExternalSemaphoresAsync: PFN_cuWaitExternalSemaphoresAsync,
        (semaphores: *const CUexternalSemaphore, params: *const CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS,
         count: c_uint, stream: CUstream)
    {
        wait((semaphores, params, count), stream::find(stream))
    }
    Init fn cuWaitExternalSemaphoresAsync_ptsz: PFN_cuWaitExternalSemaphoresAsync_ptsz,
        (semaphores: *const CUexternalSemaphore, params: *const CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS,
         count: c_uint, stream: CUstream)
    {
        wait((semaphores, params, count), stream::find_ptsz(stream))
    }
    Init fn cuSignalExternalSemaphoresAsync: PFN_cuSignalExternalSemaphoresAsync,
        (semaphores: *const CUexternalSemaphore, params: *const CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS,
         count: c_uint, stream: CUstream)
    {
        signal((semaphores, params, count), stream::find(stream))
    }
    Init fn cuSignalExternalSemaphoresAsync_ptsz: PFN_cuSignalExternalSemaphoresAsync_ptsz,
        (semaphores: *const CUexternalSemaphore, params: *const CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS,
         count: c_uint, stream: CUstream)
    {
        signal((semaphores, params, count), stream::find_ptsz(stream))
    }
}
