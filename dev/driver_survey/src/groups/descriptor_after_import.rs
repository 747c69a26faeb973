//! Asks what imports do with file descriptors of memory, of semaphores and of other objects.

use std::mem::MaybeUninit;
use std::os::fd::RawFd;
use std::ptr::{null_mut, without_provenance_mut};

use cuda_external_sys::*;

use super::fixtures::descriptors::*;
use super::fixtures::opened_devices::cuda_device;
use super::fixtures::question::{Question, QuestionGroup, print_answer_part, print_code};
use example_support::Result;

use self::ContextState::*;

/// Whether CUDA is initialized at the call, and which context is current.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ContextState {
    Ready,
    NoContext,
    ReleasedContext,
    NotInitialized,
}

/// An import: which object the file descriptor refers to, how the call describes this object, and CUDA's state.
#[derive(Clone, Copy)]
struct ImportQuestion {
    name: &'static str,
    object: FdConstructor,
    state: ContextState,
    type_: u32,
    /// Returns the size in the description, given the true size.
    size: fn(u64) -> u64,
    flags: u32,
    reserved: u32,
    /// Whether the pointer to the handle is valid.
    out: bool,
}

const fn memory_question(name: &'static str, object: FdConstructor) -> ImportQuestion {
    let type_ = CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD.0;
    ImportQuestion { name, object, state: Ready, type_, size: |size| size, flags: 0, reserved: 0, out: true }
}

const fn binary_question(name: &'static str, object: FdConstructor) -> ImportQuestion {
    ImportQuestion { type_: CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD.0, ..memory_question(name, object) }
}

const fn timeline_question(name: &'static str, object: FdConstructor) -> ImportQuestion {
    ImportQuestion {
        type_: CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD.0,
        ..memory_question(name, object)
    }
}

const DEDICATED: u32 = CUDA_EXTERNAL_MEMORY_DEDICATED;
const DMABUF: u32 = CU_EXTERNAL_MEMORY_HANDLE_TYPE_DMABUF_FD.0;
/// The opaque Win32 handle type, which has the same number for memory as for semaphores.
const OPAQUE_WIN32: u32 = CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_WIN32.0;

const MEMORY_QUESTIONS: &[ImportQuestion] = &[
    memory_question("memory", MEMORY),
    ImportQuestion { size: |_| 1, ..memory_question("memory, size 1", MEMORY) },
    ImportQuestion { size: |size| size * 16, ..memory_question("memory, 16 times its size", MEMORY) },
    ImportQuestion { size: |_| 1 << 60, ..memory_question("memory, size 2^60", MEMORY) },
    ImportQuestion { size: |_| u64::MAX, ..memory_question("memory, size 2^64 - 1", MEMORY) },
    ImportQuestion { size: |_| 0, ..memory_question("memory, size 0", MEMORY) },
    ImportQuestion {
        flags: DEDICATED,
        ..memory_question("memory that is not dedicated, flag DEDICATED", MEMORY)
    },
    ImportQuestion {
        flags: DEDICATED,
        ..memory_question("dedicated memory, flag DEDICATED", DEDICATED_MEMORY)
    },
    memory_question("dedicated memory, no flag", DEDICATED_MEMORY),
    ImportQuestion { flags: 2, ..memory_question("memory, unknown flag", MEMORY) },
    ImportQuestion { reserved: 1, ..memory_question("memory, reserved field not zero", MEMORY) },
    ImportQuestion { type_: 0, ..memory_question("memory, type 0", MEMORY) },
    ImportQuestion { type_: 77, ..memory_question("memory, type 77", MEMORY) },
    ImportQuestion { type_: OPAQUE_WIN32, ..memory_question("memory, type OPAQUE_WIN32", MEMORY) },
    ImportQuestion { type_: DMABUF, ..memory_question("memory, type DMABUF_FD", MEMORY) },
    ImportQuestion { type_: DMABUF, ..memory_question("dma-buf, type DMABUF_FD", DMA_BUF) },
    memory_question("dma-buf", DMA_BUF),
    memory_question("memory that is imported already", IMPORTED_MEMORY),
    memory_question("the number that an import closed", CONSUMED_MEMORY),
    memory_question("binary semaphore", BINARY),
    memory_question("timeline semaphore", TIMELINE),
    memory_question("pipe", PIPE),
    memory_question("memfd", MEMFD),
    memory_question("eventfd", EVENTFD),
    memory_question("directory", DIRECTORY),
    memory_question("socket", SOCKET),
    memory_question("file", FILE),
    memory_question("/dev/null", NULL),
    memory_question("closed number", CLOSED),
    memory_question("-1", NEGATIVE),
    ImportQuestion { out: false, ..memory_question("memory, null for the handle", MEMORY) },
    ImportQuestion { state: NoContext, ..memory_question("memory, no current context", MEMORY) },
    ImportQuestion { state: ReleasedContext, ..memory_question("memory, released context", MEMORY) },
    ImportQuestion { state: NotInitialized, ..memory_question("memfd, before cuInit", MEMFD) },
    memory_question("another GPU's memory", OTHER_DEVICES_MEMORY),
];

const SEMAPHORE_QUESTIONS: &[ImportQuestion] = &[
    binary_question("binary", BINARY),
    timeline_question("timeline", TIMELINE),
    timeline_question("binary, as timeline", BINARY),
    binary_question("timeline, as binary", TIMELINE),
    ImportQuestion { flags: 1, ..binary_question("binary, unknown flag", BINARY) },
    ImportQuestion { reserved: 1, ..binary_question("binary, reserved field not zero", BINARY) },
    ImportQuestion { type_: 0, ..binary_question("binary, type 0", BINARY) },
    ImportQuestion { type_: 77, ..binary_question("binary, type 77", BINARY) },
    ImportQuestion { type_: OPAQUE_WIN32, ..binary_question("binary, type OPAQUE_WIN32", BINARY) },
    binary_question("binary that is imported already", IMPORTED_SEMAPHORE),
    binary_question("the number that an import closed, as binary", CONSUMED_SEMAPHORE),
    binary_question("memory, as binary", MEMORY),
    timeline_question("memory, as timeline", MEMORY),
    binary_question("pipe, as binary", PIPE),
    timeline_question("pipe, as timeline", PIPE),
    binary_question("memfd, as binary", MEMFD),
    timeline_question("memfd, as timeline", MEMFD),
    binary_question("eventfd, as binary", EVENTFD),
    binary_question("directory, as binary", DIRECTORY),
    binary_question("socket, as binary", SOCKET),
    binary_question("file, as binary", FILE),
    binary_question("/dev/null, as binary", NULL),
    binary_question("closed number, as binary", CLOSED),
    timeline_question("closed number, as timeline", CLOSED),
    binary_question("-1, as binary", NEGATIVE),
    timeline_question("-1, as timeline", NEGATIVE),
    ImportQuestion { out: false, ..binary_question("binary, null for the handle", BINARY) },
    ImportQuestion { state: NoContext, ..binary_question("binary, no current context", BINARY) },
    ImportQuestion { state: ReleasedContext, ..binary_question("binary, released context", BINARY) },
    ImportQuestion { state: NotInitialized, ..binary_question("memfd as binary, before cuInit", MEMFD) },
    binary_question("another GPU's binary", OTHER_DEVICES_SEMAPHORE),
];

type ImportFunction = fn(&ImportQuestion, &FdAtNumber) -> (CUresult, usize);

pub fn descriptor_questions() -> [QuestionGroup; 2] {
    let group = |name, calls: &'static [ImportQuestion], import: ImportFunction| {
        QuestionGroup::new(
            name,
            calls.iter().map(|call| Question::new(call.name, move || measure_import(call, import))),
        )
    };
    [
        group("import-memory", MEMORY_QUESTIONS, import_memory),
        group("import-semaphore", SEMAPHORE_QUESTIONS, import_semaphore),
    ]
}

/// Makes the import. The answer is the import's code, the state of the descriptor, and the state of the handle. A
/// fourth part counts other descriptors, if the import opened or closed any.
fn measure_import(question: &ImportQuestion, import: ImportFunction) -> Result<()> {
    if question.state != NotInitialized {
        cuda_device(0)?;
    }
    let opened = (question.object)()?;
    match question.state {
        NoContext => unsafe { cuCtxSetCurrent(null_mut()) }.result()?,
        // SAFETY: only `cuda_device` retained the context, so this call destroys the context, which stays current.
        ReleasedContext => unsafe { cuDevicePrimaryCtxRelease_v2(cuda_device(0)?.device) }.result()?,
        Ready | NotInitialized => {}
    }

    let file = file_identity_of_fd(opened.number);
    let before = count_open_descriptors();
    let (code, handle) = import(question, &opened);
    let descriptor = match (file, file_identity_of_fd(opened.number)) {
        (None, None) => "-",
        (Some(_), None) => "closed",
        (before, after) if before == after => "open",
        _ => "replaced",
    };
    print_code(code);
    print_answer_part(descriptor);
    print_answer_part(match handle {
        _ if !question.out => "-",
        UNTOUCHED => "untouched",
        0 => "null",
        _ => "written",
    });
    let more = count_open_descriptors() - before + isize::from(descriptor == "closed");
    if more != 0 {
        print_answer_part(format!("{more} descriptors more than before"));
    }
    Ok(())
}

fn file_identity_of_fd(number: RawFd) -> Option<(u64, u64, u64, u32)> {
    let mut stat = MaybeUninit::<libc::stat>::zeroed();
    // SAFETY: fstat checks the number and writes one `stat`, which stays zeroed if fstat fails.
    let (code, stat) = unsafe { (libc::fstat(number, stat.as_mut_ptr()), stat.assume_init()) };
    (code == 0).then_some((stat.st_dev, stat.st_ino, stat.st_rdev, stat.st_mode))
}

/// The handle's value before the call. No driver returns this value.
const UNTOUCHED: usize = 0x5a5a_5a5a;

macro_rules! import {
    ($call:expr, $opened:expr, $function:ident, $desc:expr) => {{
        let (call, mut desc, mut handle) = ($call, $desc, without_provenance_mut(UNTOUCHED));
        desc.type_ = call.type_.into();
        desc.flags = call.flags;
        desc.reserved[0] = call.reserved;
        desc.handle.fd = $opened.number;
        let out = if call.out { &raw mut handle } else { null_mut() };
        // SAFETY: the function reads the live `desc`, and `out` is null or points to the live `handle`.
        let code = unsafe { $function(out, &desc) };
        (code, handle.addr())
    }};
}

fn import_memory(call: &ImportQuestion, opened: &FdAtNumber) -> (CUresult, usize) {
    let desc = CUDA_EXTERNAL_MEMORY_HANDLE_DESC { size: (call.size)(opened.size), ..Default::default() };
    import!(call, opened, cuImportExternalMemory, desc)
}

fn import_semaphore(call: &ImportQuestion, opened: &FdAtNumber) -> (CUresult, usize) {
    import!(call, opened, cuImportExternalSemaphore, CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC::default())
}
