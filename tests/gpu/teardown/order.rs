//! Orders of tearing down, the wrong ones included, and what each call answers.

use std::fmt::{self, Debug};
use std::ptr::null_mut;
use std::sync::Arc;
use std::thread::{sleep, spawn};
use std::time::{Duration, Instant};

use cuda_external_sys::*;

use crate::machine::{self, cuda, ok, vulkan};
use interop::cuda::{Allocation, free_memory, import_memory, import_semaphore, map_buffer};
use interop::vulkan::{Buffer, Memory, Semaphore};

#[derive(Clone, Copy)]
pub enum Step {
    /// Fills the mapping, and does not wait for that.
    Queue,
    /// Reads the last byte of the mapping.
    Read,
    /// Maps once more.
    Map,
    /// Frees the mapping.
    Free,
    /// Destroys the import.
    Destroy,
    /// Frees the exporter's allocation.
    Release,
    /// Looks whether the memory is the device's again.
    Returned,
    ReleaseContext,

    /// Queues a wait for the timeline's next value.
    Wait,
    /// Signals that value from the CPU, through Vulkan.
    Signal,
    /// Signals it from another thread, in a while.
    SignalSoon,
    /// Waits for the stream's end, for a second.
    Idle,
    DestroySemaphore,
    /// Destroys the exporter's semaphore.
    ReleaseSemaphore,
}

/// As docs/teardown.md has it.
impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Queue => "queue a fill",
            Self::Read => "read",
            Self::Map => "map",
            Self::Free => "free the mapping",
            Self::Destroy => "destroy the import",
            Self::Release => "exporter frees",
            Self::Returned => "memory returned",
            Self::ReleaseContext => "release the context",
            Self::Wait => "queue a wait",
            Self::Signal => "signal",
            Self::SignalSoon => "signal from another thread in 300 ms",
            Self::Idle => "stream's end within a second",
            Self::DestroySemaphore => "destroy the import",
            Self::ReleaseSemaphore => "exporter destroys",
        })
    }
}

/// Large enough that no allocator keeps it for later.
const SIZE: u64 = 256 << 20;

enum Exporter {
    Cuda { _memory: Allocation },
    Vulkan { _buffer: Buffer<'static>, _memory: Memory<'static> },
}

/// Memory and a semaphore, exported, imported and mapped. Each step takes a part away.
pub struct Shared {
    free_before: usize,
    exporter: Option<Exporter>,
    memory: CUexternalMemory,
    address: CUdeviceptr,
    stream: CUstream,
    exported: Option<Arc<Semaphore<'static>>>,
    semaphore: CUexternalSemaphore,
}

impl Shared {
    /// With a semaphore if Vulkan is to be the exporter: CUDA exports none.
    pub fn new(by_vulkan: bool) -> Self {
        let cuda = cuda();
        let free_before = free_memory().unwrap();
        let (exporter, memory) = if by_vulkan {
            let (buffer, memory) = Buffer::with_memory(vulkan(), SIZE, true).unwrap();
            let imported = import_memory(memory.export().unwrap(), memory.size, true).unwrap();
            (Exporter::Vulkan { _buffer: buffer, _memory: memory }, imported)
        } else {
            let memory = Allocation::new(cuda, SIZE as usize).unwrap();
            let imported = import_memory(memory.export().unwrap(), memory.size, false).unwrap();
            (Exporter::Cuda { _memory: memory }, imported)
        };
        let address = map_buffer(memory, 0, SIZE).unwrap();
        machine::fill(address, 0x11, SIZE);

        let exported = by_vulkan.then(|| Arc::new(Semaphore::timeline(vulkan(), 0).unwrap()));
        let semaphore = exported.as_ref().map_or(null_mut(), |exported| {
            let timeline = CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD;
            import_semaphore(exported.export().unwrap(), timeline).unwrap()
        });
        let mut stream = null_mut();
        // SAFETY: the function writes a stream.
        ok(unsafe { cuStreamCreate(&mut stream, CU_STREAM_NON_BLOCKING.0) });
        let exporter = Some(exporter);
        Self { free_before, exporter, memory, address, stream, exported, semaphore }
    }

    /// What the step finds.
    pub fn take(&mut self, step: Step) -> String {
        // SAFETY: handles may be stale here, which is what is under test, in a process that does
        // nothing else. What the functions write is of the right type.
        unsafe {
            match step {
                Step::Queue => text(cuMemsetD8Async(self.address, 0x22, SIZE as usize, self.stream)),
                Step::Read => {
                    let (mut last, at) = (0u8, self.address + SIZE as CUdeviceptr - 1);
                    match cuMemcpyDtoH_v2((&raw mut last).cast(), at, 1) {
                        CUDA_SUCCESS => format!("{last:#x}"),
                        code => text(code),
                    }
                }
                Step::Map => {
                    let buffer = CUDA_EXTERNAL_MEMORY_BUFFER_DESC { size: SIZE, ..Default::default() };
                    text(cuExternalMemoryGetMappedBuffer(&mut 0, self.memory, &buffer))
                }
                Step::Free => text(cuMemFree_v2(self.address)),
                Step::Destroy => text(cuDestroyExternalMemory(self.memory)),
                Step::Release => {
                    self.exporter = None;
                    "done".into()
                }
                Step::Returned => match self.free_before.abs_diff(free_memory().unwrap()) < SIZE as usize / 2
                {
                    true => "yes".into(),
                    false => "no".into(),
                },
                Step::ReleaseContext => text(cuDevicePrimaryCtxRelease_v2(cuda().device)),
                Step::Wait => {
                    let mut wait = CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS::default();
                    wait.params.fence.value = 1;
                    text(cuWaitExternalSemaphoresAsync(&self.semaphore, &wait, 1, self.stream))
                }
                Step::Signal => {
                    self.exported().signal(1).unwrap();
                    "done".into()
                }
                Step::SignalSoon => {
                    let exported = self.exported();
                    spawn(move || {
                        sleep(Duration::from_millis(300));
                        exported.signal(1).unwrap();
                    });
                    "done".into()
                }
                Step::Idle => self.idle(),
                Step::DestroySemaphore => text(cuDestroyExternalSemaphore(self.semaphore)),
                Step::ReleaseSemaphore => {
                    self.exported = None;
                    "done".into()
                }
            }
        }
    }

    fn exported(&self) -> Arc<Semaphore<'static>> {
        self.exported.clone().expect("a semaphore that was not released")
    }

    fn idle(&self) -> String {
        let start = Instant::now();
        loop {
            // SAFETY: the stream lives.
            match unsafe { cuStreamQuery(self.stream) } {
                CUDA_ERROR_NOT_READY if start.elapsed() < Duration::from_secs(1) => {
                    sleep(Duration::from_millis(1));
                }
                code => return text(code),
            }
        }
    }
}

fn text(found: impl Debug) -> String {
    format!("{found:?}")
}
