//! Orders of teardown, right and wrong, and what each step returns.

use std::fmt;
use std::io::Write as _;
use std::ptr::null_mut;
use std::sync::Arc;
use std::thread::{sleep, spawn};
use std::time::{Duration, Instant};

use cuda_external_sys::*;
use interop::cuda::{free_memory, import_memory, import_semaphore, map_buffer};
use interop::vulkan::{Buffer, Memory, Semaphore};
use interop::{Error, Result};

use self::Step::*;
use crate::case::{Case, Group, answer};
use crate::gpu::{Exportable, cuda, stream, vulkan};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Step {
    /// Enqueues a fill of the mapping.
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
    /// Checks whether the device's free memory is back.
    Returned,
    ReleaseContext,
    /// Queues a wait for the timeline's next value.
    Wait,
    /// Signals that value from the CPU, through Vulkan.
    Signal,
    /// Signals it from another thread after a while.
    SignalSoon,
    /// Waits for the end of the stream, for a second.
    Idle,
    DestroySemaphore,
    /// Destroys the exporter's semaphore.
    ReleaseSemaphore,
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Queue => "queue a fill",
            Read => "read",
            Map => "map",
            Free => "free the mapping",
            Destroy | DestroySemaphore => "destroy the import",
            Release => "exporter frees",
            Returned => "memory returned",
            ReleaseContext => "release the context",
            Wait => "queue a wait",
            Signal => "signal",
            SignalSoon => "signal from another thread in 300 ms",
            Idle => "end of the stream within a second",
            ReleaseSemaphore => "exporter destroys",
        })
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Exporter {
    Cuda,
    /// Exports a semaphore too, which CUDA cannot.
    Vulkan,
}

type Order = (&'static str, Exporter, &'static [Step]);

const ORDERS: &[Order] = &[
    ("the documented order", Exporter::Cuda, &[Free, Destroy, Returned, Release, Returned]),
    (
        "the documented order, memory of Vulkan",
        Exporter::Vulkan,
        &[Free, Destroy, Returned, Release, Returned],
    ),
    ("the exporter first", Exporter::Cuda, &[Release, Read, Free, Returned, Destroy, Returned]),
    (
        "the exporter first, memory of Vulkan",
        Exporter::Vulkan,
        &[Release, Read, Free, Returned, Destroy, Returned],
    ),
    ("the import before its mapping", Exporter::Cuda, &[Destroy, Release, Read, Returned, Free, Returned]),
    ("the mapping is never freed", Exporter::Cuda, &[Destroy, Release, Returned]),
    ("the import is never destroyed", Exporter::Cuda, &[Free, Release, Returned]),
    ("one of two mappings is never freed", Exporter::Cuda, &[Map, Free, Destroy, Release, Returned]),
    ("work is still queued", Exporter::Cuda, &[Queue, Free, Destroy, Release, Idle]),
    ("the mapping is freed twice", Exporter::Cuda, &[Free, Free, Destroy]),
    ("the mapping is used after it was freed", Exporter::Cuda, &[Free, Read, Destroy]),
    ("the import is destroyed twice", Exporter::Cuda, &[Free, Destroy, Destroy]),
    ("mapped after the import was destroyed", Exporter::Cuda, &[Free, Destroy, Map]),
    ("the context before the import", Exporter::Cuda, &[ReleaseContext, Free, Destroy]),
    (
        "the documented order, a semaphore",
        Exporter::Vulkan,
        &[Wait, Signal, Idle, DestroySemaphore, ReleaseSemaphore],
    ),
    ("the exporter first, a semaphore", Exporter::Vulkan, &[ReleaseSemaphore, Wait, Idle]),
    (
        "a semaphore with a wait that ends later",
        Exporter::Vulkan,
        &[Wait, SignalSoon, DestroySemaphore, Idle],
    ),
    ("a semaphore with a wait that never ends", Exporter::Vulkan, &[Wait, Idle, DestroySemaphore]),
    ("a semaphore is destroyed twice", Exporter::Vulkan, &[DestroySemaphore, DestroySemaphore]),
    ("a wait for a destroyed semaphore", Exporter::Vulkan, &[DestroySemaphore, Wait, Idle]),
];

pub fn group() -> Group {
    let case = |&(name, exporter, steps): &Order| {
        // Free memory is the whole device's, and other processes must not look like a hang.
        Case::new(name, move || run(exporter, steps)).limit(6).alone()
    };
    Group {
        name: "teardown",
        title: "Orders",
        note: "The first row is the documented order. \"Hang\" is of a call that had not returned after six seconds.",
        columns: &["order", "each step and its result"],
        repeatable: true,
        cases: ORDERS.iter().map(case).collect(),
    }
}

fn run(exporter: Exporter, steps: &[Step]) -> Result<()> {
    let mut shared = Shared::new(exporter)?;
    for step in steps {
        // Printed before the step, so that an unfinished line names the step that crashed.
        print!("{step}: ");
        std::io::stdout().flush().map_err(|error| Error::Failed(error.to_string()))?;
        answer(shared.take(*step)?);
    }
    Ok(())
}

/// Large enough that no allocator keeps it for later.
const SIZE: u64 = 256 << 20;

enum Exported {
    Cuda { _memory: Exportable },
    Vulkan { _buffer: Buffer<'static>, _memory: Memory<'static> },
}

/// Memory and a semaphore, exported, imported and mapped. Steps remove parts.
struct Shared {
    free_before: usize,
    exported: Option<Exported>,
    memory: CUexternalMemory,
    address: CUdeviceptr,
    stream: CUstream,
    exported_semaphore: Option<Arc<Semaphore<'static>>>,
    semaphore: CUexternalSemaphore,
}

impl Shared {
    fn new(exporter: Exporter) -> Result<Self> {
        let cuda = cuda(0)?;
        let by_vulkan = exporter == Exporter::Vulkan;
        if by_vulkan {
            vulkan(0)?; // what it takes is no part of the free memory
        }
        let stream = stream()?;
        let free_before = free_memory()?;
        let (exported, memory) = if by_vulkan {
            let (buffer, memory) = Buffer::with_memory(vulkan(0)?, SIZE, true)?;
            let imported = import_memory(memory.export()?, memory.size, true)?;
            (Exported::Vulkan { _buffer: buffer, _memory: memory }, imported)
        } else {
            let memory = Exportable::new(cuda, SIZE)?;
            let imported = import_memory(memory.fd()?, memory.size, false)?;
            (Exported::Cuda { _memory: memory }, imported)
        };
        let address = map_buffer(memory, 0, SIZE)?;
        // SAFETY: the mapping has this size.
        unsafe {
            cuMemsetD8_v2(address, 0x11, SIZE as usize).result()?;
            cuCtxSynchronize().result()?;
        }
        let mut semaphore = null_mut();
        let mut exported_semaphore = None;
        if by_vulkan {
            let exported = Semaphore::timeline(vulkan(0)?, 0)?;
            let timeline = CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD;
            semaphore = import_semaphore(exported.export()?, timeline)?;
            exported_semaphore = Some(Arc::new(exported));
        }
        let exported = Some(exported);
        Ok(Self { free_before, exported, memory, address, stream, exported_semaphore, semaphore })
    }

    /// Takes a step and returns its result.
    fn take(&mut self, step: Step) -> Result<String> {
        let code = |code: CUresult| Ok(format!("{code:?}"));
        // SAFETY: invalid handles are what is measured, in a process that does nothing else.
        // The functions write to variables of the right types.
        unsafe {
            match step {
                Queue => code(cuMemsetD8Async(self.address, 0x22, SIZE as usize, self.stream)),
                Read => {
                    let (mut last, at) = (0u8, self.address + SIZE as CUdeviceptr - 1);
                    match cuMemcpyDtoH_v2((&raw mut last).cast(), at, 1) {
                        CUDA_SUCCESS => Ok(format!("{last:#x}")),
                        other => code(other),
                    }
                }
                Map => {
                    let buffer = CUDA_EXTERNAL_MEMORY_BUFFER_DESC { size: SIZE, ..Default::default() };
                    code(cuExternalMemoryGetMappedBuffer(&mut 0, self.memory, &buffer))
                }
                Free => code(cuMemFree_v2(self.address)),
                Destroy => code(cuDestroyExternalMemory(self.memory)),
                Release => {
                    self.exported = None;
                    Ok("done".to_owned())
                }
                Returned => {
                    let returned = self.free_before.abs_diff(free_memory()?) < SIZE as usize / 2;
                    Ok(if returned { "yes" } else { "no" }.to_owned())
                }
                ReleaseContext => code(cuDevicePrimaryCtxRelease_v2(cuda(0)?.device)),
                Wait => {
                    let mut wait = CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS::default();
                    wait.params.fence.value = 1;
                    code(cuWaitExternalSemaphoresAsync(&self.semaphore, &wait, 1, self.stream))
                }
                Signal => {
                    self.semaphore()?.signal(1)?;
                    Ok("done".to_owned())
                }
                SignalSoon => {
                    let semaphore = self.semaphore()?;
                    spawn(move || {
                        sleep(Duration::from_millis(300));
                        semaphore.signal(1)
                    });
                    Ok("done".to_owned())
                }
                Idle => code(idle(self.stream)),
                DestroySemaphore => code(cuDestroyExternalSemaphore(self.semaphore)),
                ReleaseSemaphore => {
                    self.exported_semaphore = None;
                    Ok("done".to_owned())
                }
            }
        }
    }

    fn semaphore(&self) -> Result<Arc<Semaphore<'static>>> {
        self.exported_semaphore.clone().ok_or_else(|| Error::Failed("the semaphore was released".to_owned()))
    }
}

/// Returns the stream's code at its end, or after a second.
pub fn idle(stream: CUstream) -> CUresult {
    let start = Instant::now();
    loop {
        // SAFETY: the stream lives.
        match unsafe { cuStreamQuery(stream) } {
            CUDA_ERROR_NOT_READY if start.elapsed() < Duration::from_secs(1) => {
                sleep(Duration::from_millis(1));
            }
            code => return code,
        }
    }
}
