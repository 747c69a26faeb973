//! Who owns the descriptor after an import: each kind of descriptor, described in each way, in each state of
//! the process.

use std::mem::MaybeUninit;
use std::os::fd::RawFd;
use std::ptr::{null_mut, without_provenance_mut};

use cuda_external_sys::*;

use super::object::{Object, OpenFd};
use crate::case::{Case, Group, answer};
use crate::gpu::{cuda, vulkan};
use interop::Result;
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
    object: Object,
    state: State,
    type_: u32,
    /// Returns the size in the description, given the true size.
    size: fn(u64) -> u64,
    flags: u32,
    reserved: u32,
    /// Whether the pointer to the handle is valid.
    out: bool,
}

const fn memory(name: &'static str, object: Object) -> Call {
    let type_ = CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD.0;
    Call { name, object, state: State::Ready, type_, size: |size| size, flags: 0, reserved: 0, out: true }
}

const fn semaphore(name: &'static str, object: Object, type_: CUexternalSemaphoreHandleType) -> Call {
    Call { type_: type_.0, ..memory(name, object) }
}

const BINARY: CUexternalSemaphoreHandleType = CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD;
const TIMELINE: CUexternalSemaphoreHandleType = CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD;
const DEDICATED: u32 = CUDA_EXTERNAL_MEMORY_DEDICATED;
const DMABUF: u32 = CU_EXTERNAL_MEMORY_HANDLE_TYPE_DMABUF_FD.0;
const MEMORY_OPAQUE_WIN32: u32 = CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_WIN32.0;
const SEMAPHORE_OPAQUE_WIN32: u32 = CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_WIN32.0;

const MEMORY: &[Call] = &[
    memory("memory", Object::Memory),
    Call { size: |_| 1, ..memory("memory, size 1", Object::Memory) },
    Call { size: |size| size * 16, ..memory("memory, 16 times its size", Object::Memory) },
    Call { size: |_| 1 << 60, ..memory("memory, size 2^60", Object::Memory) },
    Call { size: |_| u64::MAX, ..memory("memory, size 2^64 - 1", Object::Memory) },
    Call { size: |_| 0, ..memory("memory, size 0", Object::Memory) },
    Call { flags: DEDICATED, ..memory("memory that is not dedicated, flag DEDICATED", Object::Memory) },
    Call { flags: DEDICATED, ..memory("dedicated memory, flag DEDICATED", Object::DedicatedMemory) },
    memory("dedicated memory, no flag", Object::DedicatedMemory),
    Call { flags: 2, ..memory("memory, unknown flag", Object::Memory) },
    Call { reserved: 1, ..memory("memory, reserved field not zero", Object::Memory) },
    Call { type_: 0, ..memory("memory, type 0", Object::Memory) },
    Call { type_: 77, ..memory("memory, type 77", Object::Memory) },
    Call { type_: MEMORY_OPAQUE_WIN32, ..memory("memory, type OPAQUE_WIN32", Object::Memory) },
    Call { type_: DMABUF, ..memory("memory, type DMABUF_FD", Object::Memory) },
    Call { type_: DMABUF, ..memory("dma-buf, type DMABUF_FD", Object::DmaBuf) },
    memory("dma-buf", Object::DmaBuf),
    memory("memory that is imported already", Object::ImportedMemory),
    memory("the number that an import closed", Object::ConsumedMemory),
    memory("binary semaphore", Object::BinarySemaphore),
    memory("timeline semaphore", Object::TimelineSemaphore),
    memory("pipe", Object::Pipe),
    memory("memfd", Object::Memfd),
    memory("eventfd", Object::Eventfd),
    memory("directory", Object::Directory),
    memory("socket", Object::Socket),
    memory("file", Object::File),
    memory("/dev/null", Object::Null),
    memory("closed number", Object::Closed),
    memory("-1", Object::Negative),
    Call { out: false, ..memory("memory, null for the handle", Object::Memory) },
    Call { state: State::NoContext, ..memory("memory, no current context", Object::Memory) },
    Call { state: State::ReleasedContext, ..memory("memory, released context", Object::Memory) },
    Call { state: State::NotInitialized, ..memory("memfd, before cuInit", Object::Memfd) },
    memory("another GPU's memory", Object::OtherDevicesMemory),
];

const SEMAPHORES: &[Call] = &[
    semaphore("binary", Object::BinarySemaphore, BINARY),
    semaphore("timeline", Object::TimelineSemaphore, TIMELINE),
    semaphore("binary, as timeline", Object::BinarySemaphore, TIMELINE),
    semaphore("timeline, as binary", Object::TimelineSemaphore, BINARY),
    Call { flags: 1, ..semaphore("binary, unknown flag", Object::BinarySemaphore, BINARY) },
    Call { reserved: 1, ..semaphore("binary, reserved field not zero", Object::BinarySemaphore, BINARY) },
    Call { type_: 0, ..semaphore("binary, type 0", Object::BinarySemaphore, BINARY) },
    Call { type_: 77, ..semaphore("binary, type 77", Object::BinarySemaphore, BINARY) },
    Call {
        type_: SEMAPHORE_OPAQUE_WIN32,
        ..semaphore("binary, type OPAQUE_WIN32", Object::BinarySemaphore, BINARY)
    },
    semaphore("binary that is imported already", Object::ImportedSemaphore, BINARY),
    semaphore("the number that an import closed, as binary", Object::ConsumedSemaphore, BINARY),
    semaphore("memory, as binary", Object::Memory, BINARY),
    semaphore("memory, as timeline", Object::Memory, TIMELINE),
    semaphore("pipe, as binary", Object::Pipe, BINARY),
    semaphore("pipe, as timeline", Object::Pipe, TIMELINE),
    semaphore("memfd, as binary", Object::Memfd, BINARY),
    semaphore("memfd, as timeline", Object::Memfd, TIMELINE),
    semaphore("eventfd, as binary", Object::Eventfd, BINARY),
    semaphore("directory, as binary", Object::Directory, BINARY),
    semaphore("socket, as binary", Object::Socket, BINARY),
    semaphore("file, as binary", Object::File, BINARY),
    semaphore("/dev/null, as binary", Object::Null, BINARY),
    semaphore("closed number, as binary", Object::Closed, BINARY),
    semaphore("closed number, as timeline", Object::Closed, TIMELINE),
    semaphore("-1, as binary", Object::Negative, BINARY),
    semaphore("-1, as timeline", Object::Negative, TIMELINE),
    Call { out: false, ..semaphore("binary, null for the handle", Object::BinarySemaphore, BINARY) },
    Call {
        state: State::NoContext,
        ..semaphore("binary, no current context", Object::BinarySemaphore, BINARY)
    },
    Call {
        state: State::ReleasedContext,
        ..semaphore("binary, released context", Object::BinarySemaphore, BINARY)
    },
    Call {
        state: State::NotInitialized,
        ..semaphore("memfd as binary, before cuInit", Object::Memfd, BINARY)
    },
    semaphore("another GPU's binary", Object::OtherDevicesSemaphore, BINARY),
];

const COLUMNS: &[&str] = &["what the descriptor is, and how it is described", "code", "descriptor", "handle"];

type Import = fn(&Call, &OpenFd) -> (CUresult, &'static str);

pub fn groups() -> [Group; 2] {
    let cases = |calls: &'static [Call], import: Import| {
        calls.iter().map(|call| Case::new(call.name, move || measure(call, import))).collect()
    };
    [
        Group {
            name: "import-memory",
            title: "cuImportExternalMemory",
            note: "The type is `OPAQUE_FD` where no other is named. \"-\" is a number that was not open before, or a \
                   pointer that was null.",
            columns: COLUMNS,
            repeatable: true,
            cases: cases(MEMORY, import_memory),
        },
        Group {
            name: "import-semaphore",
            title: "cuImportExternalSemaphore",
            note: "\"Binary\" and \"timeline\" alone are semaphores that Vulkan exported, imported as what they are. The \
                   type is `TIMELINE_SEMAPHORE_FD` for \"as timeline\" and `OPAQUE_FD` otherwise, where no other is named.",
            columns: COLUMNS,
            repeatable: true,
            cases: cases(SEMAPHORES, import_semaphore),
        },
    ]
}

/// Makes the call, and answers with the code and what became of its arguments.
fn measure(case: &Call, import: Import) -> Result<()> {
    if case.state != State::NotInitialized {
        cuda(0)?;
        // Opened before the descriptors are counted, since Vulkan keeps its own open.
        if case.object.is_vulkans() {
            vulkan(0)?;
        }
    }
    let opened = OpenFd::new(case.object)?;
    match case.state {
        // SAFETY: a thread may have no context.
        State::NoContext => unsafe { cuCtxSetCurrent(null_mut()) }.result()?,
        // SAFETY: the context is retained once. It stays current, and is invalid afterwards.
        State::ReleasedContext => unsafe { cuDevicePrimaryCtxRelease_v2(cuda(0)?.device) }.result()?,
        State::Ready | State::NotInitialized => {}
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
    answer(format!("{code:?}\n{descriptor}\n{handle}"));
    let expected = before - usize::from(descriptor == "closed");
    let after = open_descriptors();
    if after != expected {
        answer(format!("{} descriptors more than before", after as isize - expected as isize));
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

fn open_descriptors() -> usize {
    std::fs::read_dir("/proc/self/fd").map_or(0, Iterator::count)
}

/// The handle's value before the call, which no driver returns.
const UNTOUCHED: usize = 0x5a5a_5a5a;

fn what_became<T>(out: bool, handle: *mut T) -> &'static str {
    match handle.addr() {
        _ if !out => "-",
        UNTOUCHED => "untouched",
        0 => "null",
        _ => "written",
    }
}

fn import_memory(case: &Call, opened: &OpenFd) -> (CUresult, &'static str) {
    let mut description = CUDA_EXTERNAL_MEMORY_HANDLE_DESC {
        type_: CUexternalMemoryHandleType(case.type_),
        size: (case.size)(opened.size),
        flags: case.flags,
        ..Default::default()
    };
    description.reserved[0] = case.reserved;
    description.handle.fd = opened.number;
    let mut memory = without_provenance_mut(UNTOUCHED);
    let out = if case.out { &raw mut memory } else { null_mut() };
    // SAFETY: the function reads the description, and writes a handle where it may.
    let code = unsafe { cuImportExternalMemory(out, &description) };
    (code, what_became(case.out, memory))
}

fn import_semaphore(case: &Call, opened: &OpenFd) -> (CUresult, &'static str) {
    let mut description = CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC {
        type_: CUexternalSemaphoreHandleType(case.type_),
        flags: case.flags,
        ..Default::default()
    };
    description.reserved[0] = case.reserved;
    description.handle.fd = opened.number;
    let mut semaphore = without_provenance_mut(UNTOUCHED);
    let out = if case.out { &raw mut semaphore } else { null_mut() };
    // SAFETY: the function reads the description, and writes a handle where it may.
    let code = unsafe { cuImportExternalSemaphore(out, &description) };
    (code, what_became(case.out, semaphore))
}
