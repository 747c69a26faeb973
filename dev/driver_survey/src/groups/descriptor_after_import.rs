//! Who owns the descriptor after an import: each kind of descriptor, with each description, in each state of the
//! process.

use std::mem::MaybeUninit;
use std::os::fd::RawFd;
use std::ptr::{null_mut, without_provenance_mut};

use cuda_external_sys::*;

use super::fixtures::descriptors::{self, CreateFd, NumberedFd, open_descriptors};
use super::fixtures::opened_devices::cuda;
use super::fixtures::question::{Question, QuestionGroup, answer_code, write_answer};
use example_support::Result;

use self::ProcessState::*;

/// The state of the process at the call.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ProcessState {
    Ready,
    NoContext,
    ReleasedContext,
    NotInitialized,
}

/// A call: what the descriptor is, and how it is described.
#[derive(Clone, Copy)]
struct ImportQuestion {
    name: &'static str,
    object: CreateFd,
    state: ProcessState,
    type_: u32,
    /// Returns the size in the description, given the true size.
    size: fn(u64) -> u64,
    flags: u32,
    reserved: u32,
    /// Whether the pointer to the handle is valid.
    out: bool,
}

const fn memory(name: &'static str, object: CreateFd) -> ImportQuestion {
    let type_ = CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD.0;
    ImportQuestion { name, object, state: Ready, type_, size: |size| size, flags: 0, reserved: 0, out: true }
}

const fn binary(name: &'static str, object: CreateFd) -> ImportQuestion {
    ImportQuestion { type_: CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD.0, ..memory(name, object) }
}

const fn timeline(name: &'static str, object: CreateFd) -> ImportQuestion {
    ImportQuestion {
        type_: CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD.0,
        ..memory(name, object)
    }
}

const DEDICATED: u32 = CUDA_EXTERNAL_MEMORY_DEDICATED;
const DMABUF: u32 = CU_EXTERNAL_MEMORY_HANDLE_TYPE_DMABUF_FD.0;
/// The number of the type, for memory and for semaphores.
const OPAQUE_WIN32: u32 = CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_WIN32.0;

const MEMORY: &[ImportQuestion] = &[
    memory("memory", descriptors::MEMORY),
    ImportQuestion { size: |_| 1, ..memory("memory, size 1", descriptors::MEMORY) },
    ImportQuestion { size: |size| size * 16, ..memory("memory, 16 times its size", descriptors::MEMORY) },
    ImportQuestion { size: |_| 1 << 60, ..memory("memory, size 2^60", descriptors::MEMORY) },
    ImportQuestion { size: |_| u64::MAX, ..memory("memory, size 2^64 - 1", descriptors::MEMORY) },
    ImportQuestion { size: |_| 0, ..memory("memory, size 0", descriptors::MEMORY) },
    ImportQuestion {
        flags: DEDICATED,
        ..memory("memory that is not dedicated, flag DEDICATED", descriptors::MEMORY)
    },
    ImportQuestion {
        flags: DEDICATED,
        ..memory("dedicated memory, flag DEDICATED", descriptors::DEDICATED_MEMORY)
    },
    memory("dedicated memory, no flag", descriptors::DEDICATED_MEMORY),
    ImportQuestion { flags: 2, ..memory("memory, unknown flag", descriptors::MEMORY) },
    ImportQuestion { reserved: 1, ..memory("memory, reserved field not zero", descriptors::MEMORY) },
    ImportQuestion { type_: 0, ..memory("memory, type 0", descriptors::MEMORY) },
    ImportQuestion { type_: 77, ..memory("memory, type 77", descriptors::MEMORY) },
    ImportQuestion { type_: OPAQUE_WIN32, ..memory("memory, type OPAQUE_WIN32", descriptors::MEMORY) },
    ImportQuestion { type_: DMABUF, ..memory("memory, type DMABUF_FD", descriptors::MEMORY) },
    ImportQuestion { type_: DMABUF, ..memory("dma-buf, type DMABUF_FD", descriptors::DMA_BUF) },
    memory("dma-buf", descriptors::DMA_BUF),
    memory("memory that is imported already", descriptors::IMPORTED_MEMORY),
    memory("the number that an import closed", descriptors::CONSUMED_MEMORY),
    memory("binary semaphore", descriptors::BINARY),
    memory("timeline semaphore", descriptors::TIMELINE),
    memory("pipe", descriptors::PIPE),
    memory("memfd", descriptors::MEMFD),
    memory("eventfd", descriptors::EVENTFD),
    memory("directory", descriptors::DIRECTORY),
    memory("socket", descriptors::SOCKET),
    memory("file", descriptors::FILE),
    memory("/dev/null", descriptors::NULL),
    memory("closed number", descriptors::CLOSED),
    memory("-1", descriptors::NEGATIVE),
    ImportQuestion { out: false, ..memory("memory, null for the handle", descriptors::MEMORY) },
    ImportQuestion { state: NoContext, ..memory("memory, no current context", descriptors::MEMORY) },
    ImportQuestion { state: ReleasedContext, ..memory("memory, released context", descriptors::MEMORY) },
    ImportQuestion { state: NotInitialized, ..memory("memfd, before cuInit", descriptors::MEMFD) },
    memory("another GPU's memory", descriptors::OTHER_DEVICES_MEMORY),
];

const SEMAPHORES: &[ImportQuestion] = &[
    binary("binary", descriptors::BINARY),
    timeline("timeline", descriptors::TIMELINE),
    timeline("binary, as timeline", descriptors::BINARY),
    binary("timeline, as binary", descriptors::TIMELINE),
    ImportQuestion { flags: 1, ..binary("binary, unknown flag", descriptors::BINARY) },
    ImportQuestion { reserved: 1, ..binary("binary, reserved field not zero", descriptors::BINARY) },
    ImportQuestion { type_: 0, ..binary("binary, type 0", descriptors::BINARY) },
    ImportQuestion { type_: 77, ..binary("binary, type 77", descriptors::BINARY) },
    ImportQuestion { type_: OPAQUE_WIN32, ..binary("binary, type OPAQUE_WIN32", descriptors::BINARY) },
    binary("binary that is imported already", descriptors::IMPORTED_SEMAPHORE),
    binary("the number that an import closed, as binary", descriptors::CONSUMED_SEMAPHORE),
    binary("memory, as binary", descriptors::MEMORY),
    timeline("memory, as timeline", descriptors::MEMORY),
    binary("pipe, as binary", descriptors::PIPE),
    timeline("pipe, as timeline", descriptors::PIPE),
    binary("memfd, as binary", descriptors::MEMFD),
    timeline("memfd, as timeline", descriptors::MEMFD),
    binary("eventfd, as binary", descriptors::EVENTFD),
    binary("directory, as binary", descriptors::DIRECTORY),
    binary("socket, as binary", descriptors::SOCKET),
    binary("file, as binary", descriptors::FILE),
    binary("/dev/null, as binary", descriptors::NULL),
    binary("closed number, as binary", descriptors::CLOSED),
    timeline("closed number, as timeline", descriptors::CLOSED),
    binary("-1, as binary", descriptors::NEGATIVE),
    timeline("-1, as timeline", descriptors::NEGATIVE),
    ImportQuestion { out: false, ..binary("binary, null for the handle", descriptors::BINARY) },
    ImportQuestion { state: NoContext, ..binary("binary, no current context", descriptors::BINARY) },
    ImportQuestion { state: ReleasedContext, ..binary("binary, released context", descriptors::BINARY) },
    ImportQuestion { state: NotInitialized, ..binary("memfd as binary, before cuInit", descriptors::MEMFD) },
    binary("another GPU's binary", descriptors::OTHER_DEVICES_SEMAPHORE),
];

type Import = fn(&ImportQuestion, &NumberedFd) -> (CUresult, usize);

pub fn groups() -> [QuestionGroup; 2] {
    let group = |name, calls: &'static [ImportQuestion], import: Import| {
        QuestionGroup::new(
            name,
            calls.iter().map(|call| Question::new(call.name, move || measure_import(call, import))),
        )
    };
    [group("import-memory", MEMORY, import_memory), group("import-semaphore", SEMAPHORES, import_semaphore)]
}

/// Makes the call. The answer is its code, the state of the descriptor, and the state of the handle.
fn measure_import(question: &ImportQuestion, import: Import) -> Result<()> {
    if question.state != NotInitialized {
        cuda(0)?;
    }
    let opened = (question.object)()?;
    match question.state {
        NoContext => unsafe { cuCtxSetCurrent(null_mut()) }.result()?,
        // SAFETY: the context is retained once. It stays current, and is invalid afterwards.
        ReleasedContext => unsafe { cuDevicePrimaryCtxRelease_v2(cuda(0)?.device) }.result()?,
        Ready | NotInitialized => {}
    }

    let file = file_behind(opened.number);
    let before = open_descriptors();
    let (code, handle) = import(question, &opened);
    let descriptor = match (file, file_behind(opened.number)) {
        (None, None) => "-",
        (Some(_), None) => "closed",
        (before, after) if before == after => "open",
        _ => "replaced",
    };
    answer_code(code);
    write_answer(descriptor);
    write_answer(match handle {
        _ if !question.out => "-",
        UNTOUCHED => "untouched",
        0 => "null",
        _ => "written",
    });
    let more = open_descriptors() - before + isize::from(descriptor == "closed");
    if more != 0 {
        write_answer(format!("{more} descriptors more than before"));
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

fn import_memory(call: &ImportQuestion, opened: &NumberedFd) -> (CUresult, usize) {
    let desc = CUDA_EXTERNAL_MEMORY_HANDLE_DESC { size: (call.size)(opened.size), ..Default::default() };
    import!(call, opened, cuImportExternalMemory, desc)
}

fn import_semaphore(call: &ImportQuestion, opened: &NumberedFd) -> (CUresult, usize) {
    import!(call, opened, cuImportExternalSemaphore, CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC::default())
}
