//! One case: what is handed to the driver, as what, in which state of the process.

use cuda_external_sys::*;

/// What the import function is told that the descriptor is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Memory,
    Semaphore,
}

/// What the descriptor truly is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Thing {
    /// Exported by CUDA.
    Memory,
    /// Exported by Vulkan, from an allocation for one buffer alone.
    DedicatedMemory,
    /// Exported by CUDA from a device that is not the current one.
    OtherDevicesMemory,
    /// Exported by Vulkan.
    BinarySemaphore,
    TimelineSemaphore,
    /// Exported by Vulkan from a device that is not the current one.
    OtherDevicesSemaphore,
    /// Another descriptor of what was imported once, and still is.
    ImportedMemory,
    ImportedSemaphore,
    /// The number that a successful import has closed.
    ConsumedMemory,
    ConsumedSemaphore,
    /// Exported by CUDA, of the kind that other drivers import.
    DmaBuf,
    Pipe,
    Memfd,
    Eventfd,
    Directory,
    Socket,
    File,
    Null,
    /// A number that is no open descriptor.
    Closed,
    Negative,
}

/// Where the process stands when it calls.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum State {
    Ready,
    NoContext,
    /// These two spoil the process for every other case.
    ReleasedContext,
    NotInitialised,
}

#[derive(Clone, Copy)]
pub struct Case {
    /// The row's name.
    pub name: &'static str,
    pub kind: Kind,
    pub thing: Thing,
    pub state: State,
    pub type_: u32,
    /// The size that memory is said to have, from the size that it has.
    pub size: fn(u64) -> u64,
    pub flags: u32,
    pub reserved: u32,
    /// Whether there is a place to write the handle to.
    pub out: bool,
}

const fn memory(name: &'static str, thing: Thing) -> Case {
    Case {
        name,
        kind: Kind::Memory,
        thing,
        state: State::Ready,
        type_: CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD.0,
        size: |true_size| true_size,
        flags: 0,
        reserved: 0,
        out: true,
    }
}

const fn semaphore(name: &'static str, thing: Thing, type_: CUexternalSemaphoreHandleType) -> Case {
    Case { kind: Kind::Semaphore, type_: type_.0, ..memory(name, thing) }
}

const BINARY: CUexternalSemaphoreHandleType = CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD;
const TIMELINE: CUexternalSemaphoreHandleType = CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD;

/// CU_EXTERNAL_MEMORY_HANDLE_TYPE_DMABUF_FD, which headers before 13.0 do not name.
const DMABUF: u32 = 9;

/// Every row of the table, in its order.
pub const CASES: &[Case] = &[
    memory("memory", Thing::Memory),
    Case { size: |_| 1, ..memory("memory, size 1", Thing::Memory) },
    Case { size: |size| size * 16, ..memory("memory, 16 times its size", Thing::Memory) },
    Case { size: |_| 1 << 60, ..memory("memory, size 2^60", Thing::Memory) },
    Case { size: |_| u64::MAX, ..memory("memory, size 2^64 - 1", Thing::Memory) },
    Case { size: |_| 0, ..memory("memory, size 0", Thing::Memory) },
    Case {
        flags: CUDA_EXTERNAL_MEMORY_DEDICATED,
        ..memory("memory, flag DEDICATED that it is not", Thing::Memory)
    },
    Case {
        flags: CUDA_EXTERNAL_MEMORY_DEDICATED,
        ..memory("dedicated memory, flag DEDICATED", Thing::DedicatedMemory)
    },
    memory("dedicated memory, no flag", Thing::DedicatedMemory),
    Case { flags: 2, ..memory("memory, unknown flag", Thing::Memory) },
    Case { reserved: 1, ..memory("memory, reserved field not zero", Thing::Memory) },
    Case { type_: 0, ..memory("memory, type 0", Thing::Memory) },
    Case { type_: 77, ..memory("memory, type 77", Thing::Memory) },
    Case {
        type_: CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_WIN32.0,
        ..memory("memory, type OPAQUE_WIN32", Thing::Memory)
    },
    Case { type_: DMABUF, ..memory("memory, type DMABUF_FD", Thing::Memory) },
    Case { type_: DMABUF, ..memory("dma-buf, type DMABUF_FD", Thing::DmaBuf) },
    memory("dma-buf", Thing::DmaBuf),
    memory("memory that is imported already", Thing::ImportedMemory),
    memory("the number that an import closed", Thing::ConsumedMemory),
    memory("binary semaphore", Thing::BinarySemaphore),
    memory("timeline semaphore", Thing::TimelineSemaphore),
    memory("pipe", Thing::Pipe),
    memory("memfd", Thing::Memfd),
    memory("eventfd", Thing::Eventfd),
    memory("directory", Thing::Directory),
    memory("socket", Thing::Socket),
    memory("file", Thing::File),
    memory("/dev/null", Thing::Null),
    memory("closed number", Thing::Closed),
    memory("-1", Thing::Negative),
    Case { out: false, ..memory("memory, null for the handle", Thing::Memory) },
    Case { state: State::NoContext, ..memory("memory, no current context", Thing::Memory) },
    Case { state: State::ReleasedContext, ..memory("memory, released context", Thing::Memory) },
    Case { state: State::NotInitialised, ..memory("memfd, before cuInit", Thing::Memfd) },
    memory("another GPU's memory", Thing::OtherDevicesMemory),
    semaphore("binary", Thing::BinarySemaphore, BINARY),
    semaphore("timeline", Thing::TimelineSemaphore, TIMELINE),
    semaphore("binary, as timeline", Thing::BinarySemaphore, TIMELINE),
    semaphore("timeline, as binary", Thing::TimelineSemaphore, BINARY),
    Case { flags: 1, ..semaphore("binary, unknown flag", Thing::BinarySemaphore, BINARY) },
    Case { reserved: 1, ..semaphore("binary, reserved field not zero", Thing::BinarySemaphore, BINARY) },
    Case { type_: 0, ..semaphore("binary, type 0", Thing::BinarySemaphore, BINARY) },
    Case { type_: 77, ..semaphore("binary, type 77", Thing::BinarySemaphore, BINARY) },
    semaphore(
        "binary, type OPAQUE_WIN32",
        Thing::BinarySemaphore,
        CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_WIN32,
    ),
    semaphore("binary that is imported already", Thing::ImportedSemaphore, BINARY),
    semaphore("the number that an import closed, as binary", Thing::ConsumedSemaphore, BINARY),
    semaphore("memory, as binary", Thing::Memory, BINARY),
    semaphore("memory, as timeline", Thing::Memory, TIMELINE),
    semaphore("pipe, as binary", Thing::Pipe, BINARY),
    semaphore("pipe, as timeline", Thing::Pipe, TIMELINE),
    semaphore("memfd, as binary", Thing::Memfd, BINARY),
    semaphore("memfd, as timeline", Thing::Memfd, TIMELINE),
    semaphore("eventfd, as binary", Thing::Eventfd, BINARY),
    semaphore("directory, as binary", Thing::Directory, BINARY),
    semaphore("socket, as binary", Thing::Socket, BINARY),
    semaphore("file, as binary", Thing::File, BINARY),
    semaphore("/dev/null, as binary", Thing::Null, BINARY),
    semaphore("closed number, as binary", Thing::Closed, BINARY),
    semaphore("closed number, as timeline", Thing::Closed, TIMELINE),
    semaphore("-1, as binary", Thing::Negative, BINARY),
    semaphore("-1, as timeline", Thing::Negative, TIMELINE),
    Case { out: false, ..semaphore("binary, null for the handle", Thing::BinarySemaphore, BINARY) },
    Case {
        state: State::NoContext,
        ..semaphore("binary, no current context", Thing::BinarySemaphore, BINARY)
    },
    Case {
        state: State::ReleasedContext,
        ..semaphore("binary, released context", Thing::BinarySemaphore, BINARY)
    },
    Case {
        state: State::NotInitialised,
        ..semaphore("memfd as binary, before cuInit", Thing::Memfd, BINARY)
    },
    semaphore("another GPU's binary", Thing::OtherDevicesSemaphore, BINARY),
];
