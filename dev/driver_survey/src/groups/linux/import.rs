//! Who owns the descriptor after an import: each kind of descriptor, with each description, in each state of the
//! process.

use std::mem::MaybeUninit;
use std::os::fd::RawFd;
use std::ptr::{null_mut, without_provenance_mut};

use cuda_external_sys::*;

use super::object::{self, Open, OpenFd, open_descriptors};
use crate::case::{Case, Group, answer, answer_code};
use crate::gpu::cuda;
use example_support::Result;

use self::State::*;

/// The state of the process at the call.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Ready,
    NoContext,
    ReleasedContext,
    NotInitialized,
}

/// A call: what the descriptor is, and how it is described.
#[derive(Clone, Copy)]
struct Call {
    name: &'static str,
    object: Open,
    state: State,
    type_: u32,
    /// Returns the size in the description, given the true size.
    size: fn(u64) -> u64,
    flags: u32,
    reserved: u32,
    /// Whether the pointer to the handle is valid.
    out: bool,
}

const fn memory(name: &'static str, object: Open) -> Call {
    let type_ = CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD.0;
    Call { name, object, state: Ready, type_, size: |size| size, flags: 0, reserved: 0, out: true }
}

const fn binary(name: &'static str, object: Open) -> Call {
    Call { type_: CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD.0, ..memory(name, object) }
}

const fn timeline(name: &'static str, object: Open) -> Call {
    Call { type_: CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD.0, ..memory(name, object) }
}

const DEDICATED: u32 = CUDA_EXTERNAL_MEMORY_DEDICATED;
const DMABUF: u32 = CU_EXTERNAL_MEMORY_HANDLE_TYPE_DMABUF_FD.0;
/// The number of the type, for memory and for semaphores.
const OPAQUE_WIN32: u32 = CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_WIN32.0;

const MEMORY: &[Call] = &[
    memory("memory", object::MEMORY),
    Call { size: |_| 1, ..memory("memory, size 1", object::MEMORY) },
    Call { size: |size| size * 16, ..memory("memory, 16 times its size", object::MEMORY) },
    Call { size: |_| 1 << 60, ..memory("memory, size 2^60", object::MEMORY) },
    Call { size: |_| u64::MAX, ..memory("memory, size 2^64 - 1", object::MEMORY) },
    Call { size: |_| 0, ..memory("memory, size 0", object::MEMORY) },
    Call { flags: DEDICATED, ..memory("memory that is not dedicated, flag DEDICATED", object::MEMORY) },
    Call { flags: DEDICATED, ..memory("dedicated memory, flag DEDICATED", object::DEDICATED_MEMORY) },
    memory("dedicated memory, no flag", object::DEDICATED_MEMORY),
    Call { flags: 2, ..memory("memory, unknown flag", object::MEMORY) },
    Call { reserved: 1, ..memory("memory, reserved field not zero", object::MEMORY) },
    Call { type_: 0, ..memory("memory, type 0", object::MEMORY) },
    Call { type_: 77, ..memory("memory, type 77", object::MEMORY) },
    Call { type_: OPAQUE_WIN32, ..memory("memory, type OPAQUE_WIN32", object::MEMORY) },
    Call { type_: DMABUF, ..memory("memory, type DMABUF_FD", object::MEMORY) },
    Call { type_: DMABUF, ..memory("dma-buf, type DMABUF_FD", object::DMA_BUF) },
    memory("dma-buf", object::DMA_BUF),
    memory("memory that is imported already", object::IMPORTED_MEMORY),
    memory("the number that an import closed", object::CONSUMED_MEMORY),
    memory("binary semaphore", object::BINARY),
    memory("timeline semaphore", object::TIMELINE),
    memory("pipe", object::PIPE),
    memory("memfd", object::MEMFD),
    memory("eventfd", object::EVENTFD),
    memory("directory", object::DIRECTORY),
    memory("socket", object::SOCKET),
    memory("file", object::FILE),
    memory("/dev/null", object::NULL),
    memory("closed number", object::CLOSED),
    memory("-1", object::NEGATIVE),
    Call { out: false, ..memory("memory, null for the handle", object::MEMORY) },
    Call { state: NoContext, ..memory("memory, no current context", object::MEMORY) },
    Call { state: ReleasedContext, ..memory("memory, released context", object::MEMORY) },
    Call { state: NotInitialized, ..memory("memfd, before cuInit", object::MEMFD) },
    memory("another GPU's memory", object::OTHER_DEVICES_MEMORY),
];

const SEMAPHORES: &[Call] = &[
    binary("binary", object::BINARY),
    timeline("timeline", object::TIMELINE),
    timeline("binary, as timeline", object::BINARY),
    binary("timeline, as binary", object::TIMELINE),
    Call { flags: 1, ..binary("binary, unknown flag", object::BINARY) },
    Call { reserved: 1, ..binary("binary, reserved field not zero", object::BINARY) },
    Call { type_: 0, ..binary("binary, type 0", object::BINARY) },
    Call { type_: 77, ..binary("binary, type 77", object::BINARY) },
    Call { type_: OPAQUE_WIN32, ..binary("binary, type OPAQUE_WIN32", object::BINARY) },
    binary("binary that is imported already", object::IMPORTED_SEMAPHORE),
    binary("the number that an import closed, as binary", object::CONSUMED_SEMAPHORE),
    binary("memory, as binary", object::MEMORY),
    timeline("memory, as timeline", object::MEMORY),
    binary("pipe, as binary", object::PIPE),
    timeline("pipe, as timeline", object::PIPE),
    binary("memfd, as binary", object::MEMFD),
    timeline("memfd, as timeline", object::MEMFD),
    binary("eventfd, as binary", object::EVENTFD),
    binary("directory, as binary", object::DIRECTORY),
    binary("socket, as binary", object::SOCKET),
    binary("file, as binary", object::FILE),
    binary("/dev/null, as binary", object::NULL),
    binary("closed number, as binary", object::CLOSED),
    timeline("closed number, as timeline", object::CLOSED),
    binary("-1, as binary", object::NEGATIVE),
    timeline("-1, as timeline", object::NEGATIVE),
    Call { out: false, ..binary("binary, null for the handle", object::BINARY) },
    Call { state: NoContext, ..binary("binary, no current context", object::BINARY) },
    Call { state: ReleasedContext, ..binary("binary, released context", object::BINARY) },
    Call { state: NotInitialized, ..binary("memfd as binary, before cuInit", object::MEMFD) },
    binary("another GPU's binary", object::OTHER_DEVICES_SEMAPHORE),
];

type Import = fn(&Call, &OpenFd) -> (CUresult, usize);

pub fn groups() -> [Group; 2] {
    let group = |name, calls: &'static [Call], import: Import| {
        Group::new(name, calls.iter().map(|call| Case::new(call.name, move || measure(call, import))))
    };
    [group("import-memory", MEMORY, import_memory), group("import-semaphore", SEMAPHORES, import_semaphore)]
}

/// Makes the call. The answer is its code, the state of the descriptor, and the state of the handle.
fn measure(case: &Call, import: Import) -> Result<()> {
    if case.state != NotInitialized {
        cuda(0)?;
    }
    let opened = (case.object)()?;
    match case.state {
        NoContext => unsafe { cuCtxSetCurrent(null_mut()) }.result()?,
        // SAFETY: the context is retained once. It stays current, and is invalid afterwards.
        ReleasedContext => unsafe { cuDevicePrimaryCtxRelease_v2(cuda(0)?.device) }.result()?,
        Ready | NotInitialized => {}
    }

    let file = file_behind(opened.number);
    let before = open_descriptors();
    let (code, handle) = import(case, &opened);
    let descriptor = match (file, file_behind(opened.number)) {
        (None, None) => "-",
        (Some(_), None) => "closed",
        (before, after) if before == after => "open",
        _ => "replaced",
    };
    answer_code(code);
    answer(descriptor);
    answer(match handle {
        _ if !case.out => "-",
        UNTOUCHED => "untouched",
        0 => "null",
        _ => "written",
    });
    let more = open_descriptors() - before + isize::from(descriptor == "closed");
    if more != 0 {
        answer(format!("{more} descriptors more than before"));
    }
    Ok(())
}

/// Returns the identity of the file behind a number, if it is open.
fn file_behind(number: RawFd) -> Option<(u64, u64, u64, u32)> {
    let mut stat = MaybeUninit::<libc::stat>::zeroed();
    // SAFETY: the function writes one `stat`, which may be all zeros, and checks the number.
    let (code, stat) = unsafe { (libc::fstat(number, stat.as_mut_ptr()), stat.assume_init()) };
    (code == 0).then_some((stat.st_dev, stat.st_ino, stat.st_rdev, stat.st_mode))
}

/// The handle's value before the call, which no driver returns.
const UNTOUCHED: usize = 0x5a5a_5a5a;

/// Makes the call, and returns its code and the state of the handle.
macro_rules! import {
    ($call:expr, $opened:expr, $function:ident, $desc:expr) => {{
        let (call, mut desc, mut handle) = ($call, $desc, without_provenance_mut(UNTOUCHED));
        desc.type_ = call.type_.into();
        desc.flags = call.flags;
        desc.reserved[0] = call.reserved;
        desc.handle.fd = $opened.number;
        let out = if call.out { &raw mut handle } else { null_mut() };
        // SAFETY: the function reads the description, and writes a handle where it may.
        let code = unsafe { $function(out, &desc) };
        (code, handle.addr())
    }};
}

fn import_memory(call: &Call, opened: &OpenFd) -> (CUresult, usize) {
    let desc = CUDA_EXTERNAL_MEMORY_HANDLE_DESC { size: (call.size)(opened.size), ..Default::default() };
    import!(call, opened, cuImportExternalMemory, desc)
}

fn import_semaphore(call: &Call, opened: &OpenFd) -> (CUresult, usize) {
    import!(call, opened, cuImportExternalSemaphore, CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC::default())
}
