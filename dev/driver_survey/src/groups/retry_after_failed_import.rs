//! The descriptors of an import that fails and is repeated. The questions differ in what the program does with them after
//! each failure.

use std::os::fd::{FromRawFd, IntoRawFd, OwnedFd};
use std::ptr::null_mut;

use cuda_external_sys::*;
use example_support::fd_after_failed_import::import_or_keep;
use example_support::{Error, Result};

use super::fixtures::descriptors::{CreateFd, MEMFD, MEMORY, PIPE, open_descriptors};
use super::fixtures::exported_memory::SIZE;
use super::fixtures::opened_devices::cuda;
use super::fixtures::question::{Question, QuestionGroup, answer, answer_code};

const TIMES: usize = 20;

const OPAQUE_FD: CUexternalMemoryHandleType = CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD;

/// The descriptor, and the size and the type in the description.
const FAILING_IMPORTS: [(&str, CreateFd, u64, CUexternalMemoryHandleType); 5] = [
    ("memory, size 0", MEMORY, 0, OPAQUE_FD),
    ("memory, a dma-buf's type", MEMORY, SIZE, CU_EXTERNAL_MEMORY_HANDLE_TYPE_DMABUF_FD),
    ("memory, type 77", MEMORY, SIZE, CUexternalMemoryHandleType(77)),
    ("a pipe", PIPE, SIZE, OPAQUE_FD),
    ("a memfd", MEMFD, SIZE, OPAQUE_FD),
];

pub fn group() -> QuestionGroup {
    let question =
        |(name, create_fd, size, type_)| Question::new(name, move || ask_driver(create_fd, size, type_));
    QuestionGroup::new("retry", FAILING_IMPORTS.map(question))
}

fn ask_driver(create_fd: CreateFd, size: u64, type_: CUexternalMemoryHandleType) -> Result<()> {
    cuda(0)?;
    // SAFETY: the descriptor at the number is this question's.
    let source = unsafe { OwnedFd::from_raw_fd(create_fd()?.number) };
    let import = |fd: OwnedFd| {
        let mut desc = CUDA_EXTERNAL_MEMORY_HANDLE_DESC { type_, size, ..Default::default() };
        desc.handle.fd = fd.into_raw_fd();
        unsafe { cuImportExternalMemory(&mut null_mut(), &desc) }.result()
    };
    // The driver's own files are create_fd after the first call.
    let Err(code) = import(source.try_clone()?) else {
        answer("it succeeds");
        return Ok(());
    };
    answer_code(code);
    let before = open_descriptors();
    for _ in 0..TIMES {
        let _ = import(source.try_clone()?);
    }
    answer(format!("never closed: {} of {TIMES} are left", open_descriptors() - before));
    let mut hits = 0;
    for _ in 0..TIMES {
        let fd = source.try_clone()?.into_raw_fd();
        // SAFETY: the number is ours, and given away.
        let _ = import(unsafe { OwnedFd::from_raw_fd(fd) });
        // SAFETY: this process has no other thread that opens files: where the number is closed, nothing is.
        hits += usize::from(unsafe { libc::close(fd) } == -1);
    }
    answer(format!("always closed: {hits} of {TIMES} were closed before"));
    let before = open_descriptors();
    let mut fd = source.try_clone()?;
    for _ in 0..TIMES {
        match import_or_keep(fd, import)? {
            Ok(()) => return Err(Error::Failed("it succeeded".to_owned())),
            Err((_, kept)) => fd = kept,
        }
    }
    drop(fd);
    answer(format!("compared with a duplicate: {} are left", open_descriptors() - before));
    Ok(())
}
