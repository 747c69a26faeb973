//! What becomes of descriptors when a failing import is tried again and again, by what the program does with each afterwards.

use std::os::fd::{FromRawFd, IntoRawFd, OwnedFd, RawFd};
use std::ptr::null_mut;

use cuda_external_sys::*;
use interop::keep_fd::import_or_keep;
use interop::{Error, Result};

use super::object::{MEMFD, MEMORY, Open, PIPE};
use crate::case::{Case, Group, answer};

const TIMES: usize = 20;
const SIZE: u64 = 2 << 20;

/// The descriptor, and the size and the type in the description.
type Failing = (&'static str, Open, u64, CUexternalMemoryHandleType);

const OPAQUE_FD: CUexternalMemoryHandleType = CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD;

const CALLS: [Failing; 5] = [
    ("memory, size 0", MEMORY, 0, OPAQUE_FD),
    ("memory, a dma-buf's type", MEMORY, SIZE, CU_EXTERNAL_MEMORY_HANDLE_TYPE_DMABUF_FD),
    ("memory, type 77", MEMORY, SIZE, CUexternalMemoryHandleType(77)),
    ("a pipe", PIPE, SIZE, OPAQUE_FD),
    ("a memfd", MEMFD, SIZE, OPAQUE_FD),
];

pub fn group() -> Group {
    Group::new("retry", CALLS.map(|call| Case::new(call.0, move || run(call))))
}

fn io(error: std::io::Error) -> Error {
    Error::Failed(error.to_string())
}

fn run((_, open, size, type_): Failing) -> Result<()> {
    crate::gpu::cuda(0)?;
    // SAFETY: the descriptor at the number is this case's.
    let source = unsafe { OwnedFd::from_raw_fd(open()?.number) };
    let import = |fd: RawFd| {
        let mut desc = CUDA_EXTERNAL_MEMORY_HANDLE_DESC { type_, size, ..Default::default() };
        desc.handle.fd = fd;
        // SAFETY: both pointers are to variables here.
        unsafe { cuImportExternalMemory(&mut null_mut(), &desc) }.result()
    };
    // The driver's own files are open after the first call.
    let Err(code) = import(source.try_clone().map_err(io)?.into_raw_fd()) else {
        answer("it succeeds");
        return Ok(());
    };
    answer(format!("{code:?}"));
    let before = open_descriptors()?;
    for _ in 0..TIMES {
        let _ = import(source.try_clone().map_err(io)?.into_raw_fd());
    }
    let never = open_descriptors()? - before;
    answer(format!("never closed: {never} of {TIMES} are left"));
    let mut hits = 0;
    for _ in 0..TIMES {
        let fd = source.try_clone().map_err(io)?.into_raw_fd();
        let _ = import(fd);
        // SAFETY: this process has no other thread that opens files: where the number is closed, nothing is.
        hits += usize::from(unsafe { libc::close(fd) } == -1);
    }
    answer(format!("always closed: {hits} of {TIMES} were closed before"));
    let before = open_descriptors()?;
    let mut fd = source.try_clone().map_err(io)?;
    for _ in 0..TIMES {
        match import_or_keep(fd, |fd| import(fd.into_raw_fd())).map_err(io)? {
            Ok(()) => return Err(Error::Failed("it succeeded".to_owned())),
            Err((_, kept)) => fd = kept,
        }
    }
    drop(fd);
    let left = open_descriptors()? as isize - before as isize;
    answer(format!("compared with a duplicate: {left} are left"));
    Ok(())
}

fn open_descriptors() -> Result<usize> {
    Ok(std::fs::read_dir("/proc/self/fd").map_err(io)?.count())
}
