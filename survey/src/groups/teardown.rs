//! Orders of teardown, right and wrong, and what each step returns.

use std::any::Any;
use std::io::Write as _;
use std::ptr::null_mut;
use std::sync::Arc;
use std::thread::{sleep, spawn};
use std::time::Duration;

use cuda_external_sys::*;
use interop::cuda::{free_memory, import_memory, import_semaphore, map_buffer};
use interop::vulkan::{Buffer, Semaphore};
use interop::{Error, Result};

use crate::case::{Case, Group, answer};
use crate::gpu::{allocate_with, cuda, idle, stream, vulkan};

/// A step: what the table calls it, and what it does. It returns its result.
#[derive(Clone, Copy)]
struct Step(&'static str, fn(&mut Shared) -> Result<String>);

// SAFETY, of every step: invalid handles are what is measured, in a process that does nothing else. The functions write to
// variables of the right types.

/// Enqueues a fill of the mapping.
const QUEUE: Step = Step("queue a fill", |shared| {
    code(unsafe { cuMemsetD8Async(shared.address, 0x22, SIZE as usize, shared.stream) })
});
/// Reads the last byte of the mapping.
const READ: Step = Step("read", |shared| {
    let (mut last, at) = (0_u8, shared.address + SIZE as CUdeviceptr - 1);
    match unsafe { cuMemcpyDtoH_v2((&raw mut last).cast(), at, 1) } {
        CUDA_SUCCESS => Ok(format!("{last:#x}")),
        other => code(other),
    }
});
/// Maps once more.
const MAP: Step = Step("map", |shared| {
    let buffer = CUDA_EXTERNAL_MEMORY_BUFFER_DESC { size: SIZE, ..Default::default() };
    code(unsafe { cuExternalMemoryGetMappedBuffer(&mut 0, shared.memory, &buffer) })
});
const FREE: Step = Step("free the mapping", |shared| code(unsafe { cuMemFree_v2(shared.address) }));
const DESTROY: Step =
    Step("destroy the import", |shared| code(unsafe { cuDestroyExternalMemory(shared.memory) }));
/// Frees the exporter's allocation.
const RELEASE: Step = Step("exporter frees", |shared| {
    shared.exported = None;
    Ok("done".to_owned())
});
/// Checks whether the device's free memory is back.
const RETURNED: Step = Step("memory returned", |shared| {
    let returned = shared.free_before.abs_diff(free_memory()?) < SIZE as usize / 2;
    Ok(if returned { "yes" } else { "no" }.to_owned())
});
const RELEASE_CONTEXT: Step =
    Step("release the context", |_| code(unsafe { cuDevicePrimaryCtxRelease_v2(cuda(0)?.device) }));
/// Queues a wait for the timeline's next value.
const WAIT: Step = Step("queue a wait", |shared| {
    let mut wait = CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS::default();
    wait.params.fence.value = 1;
    code(unsafe { cuWaitExternalSemaphoresAsync(&shared.semaphore, &wait, 1, shared.stream) })
});
/// Signals that value from the CPU, through Vulkan.
const SIGNAL: Step = Step("signal", |shared| {
    shared.exported_semaphore()?.signal(1)?;
    Ok("done".to_owned())
});
const SIGNAL_SOON: Step = Step("signal from another thread in 300 ms", |shared| {
    let semaphore = shared.exported_semaphore()?;
    spawn(move || {
        sleep(Duration::from_millis(300));
        semaphore.signal(1)
    });
    Ok("done".to_owned())
});
const IDLE: Step = Step("end of the stream within a second", |shared| code(idle(shared.stream)));
const DESTROY_SEMAPHORE: Step =
    Step("destroy the import", |shared| code(unsafe { cuDestroyExternalSemaphore(shared.semaphore) }));
const RELEASE_SEMAPHORE: Step = Step("exporter destroys", |shared| {
    shared.exported_semaphore = None;
    Ok("done".to_owned())
});

fn code(code: CUresult) -> Result<String> {
    Ok(format!("{code:?}"))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Exporter {
    Cuda,
    /// Exports a semaphore too, which CUDA cannot.
    Vulkan,
}

use Exporter::{Cuda, Vulkan};

type Order = (&'static str, Exporter, &'static [Step]);

#[rustfmt::skip] // one order a line
const ORDERS: &[Order] = &[
    ("the documented order", Cuda, &[FREE, DESTROY, RETURNED, RELEASE, RETURNED]),
    ("the documented order, memory of Vulkan", Vulkan, &[FREE, DESTROY, RETURNED, RELEASE, RETURNED]),
    ("the exporter first", Cuda, &[RELEASE, READ, FREE, RETURNED, DESTROY, RETURNED]),
    ("the exporter first, memory of Vulkan", Vulkan, &[RELEASE, READ, FREE, RETURNED, DESTROY, RETURNED]),
    ("the import before its mapping", Cuda, &[DESTROY, RELEASE, READ, RETURNED, FREE, RETURNED]),
    ("the mapping is never freed", Cuda, &[DESTROY, RELEASE, RETURNED]),
    ("the import is never destroyed", Cuda, &[FREE, RELEASE, RETURNED]),
    ("one of two mappings is never freed", Cuda, &[MAP, FREE, DESTROY, RELEASE, RETURNED]),
    ("work is still queued", Cuda, &[QUEUE, FREE, DESTROY, RELEASE, IDLE]),
    ("the mapping is freed twice", Cuda, &[FREE, FREE, DESTROY]),
    ("the mapping is used after it was freed", Cuda, &[FREE, READ, DESTROY]),
    ("the import is destroyed twice", Cuda, &[FREE, DESTROY, DESTROY]),
    ("mapped after the import was destroyed", Cuda, &[FREE, DESTROY, MAP]),
    ("the context before the import", Cuda, &[RELEASE_CONTEXT, FREE, DESTROY]),
    ("the documented order, a semaphore", Vulkan, &[WAIT, SIGNAL, IDLE, DESTROY_SEMAPHORE, RELEASE_SEMAPHORE]),
    ("the exporter first, a semaphore", Vulkan, &[RELEASE_SEMAPHORE, WAIT, IDLE]),
    ("a semaphore with a wait that ends later", Vulkan, &[WAIT, SIGNAL_SOON, DESTROY_SEMAPHORE, IDLE]),
    ("a semaphore with a wait that never ends", Vulkan, &[WAIT, IDLE, DESTROY_SEMAPHORE]),
    ("a semaphore is destroyed twice", Vulkan, &[DESTROY_SEMAPHORE, DESTROY_SEMAPHORE]),
    ("a wait for a destroyed semaphore", Vulkan, &[DESTROY_SEMAPHORE, WAIT, IDLE]),
];

pub fn group() -> Group {
    let case = |&(name, exporter, steps): &Order| {
        // Free memory is the whole device's, and other processes must not look like a hang.
        Case::new(name, move || run(exporter, steps)).limit(6).alone()
    };
    Group::new("teardown", ORDERS.iter().map(case))
}

fn run(exporter: Exporter, steps: &[Step]) -> Result<()> {
    let mut shared = Shared::new(exporter)?;
    for Step(name, take) in steps {
        // Printed before the step, so that an unfinished line names the step that crashed.
        print!("{name}: ");
        std::io::stdout().flush().map_err(|error| Error::Failed(error.to_string()))?;
        answer(take(&mut shared)?);
    }
    // Dropping the rest would be a further step.
    std::mem::forget(shared);
    Ok(())
}

/// Large enough that no allocator keeps it for later.
const SIZE: u64 = 256 << 20;

/// Memory and a semaphore, exported, imported and mapped. Steps remove parts.
struct Shared {
    free_before: usize,
    /// The allocation, and the buffer in it.
    exported: Option<Box<dyn Any>>,
    memory: CUexternalMemory,
    address: CUdeviceptr,
    stream: CUstream,
    exported_semaphore: Option<Arc<Semaphore<'static>>>,
    semaphore: CUexternalSemaphore,
}

impl Shared {
    fn new(exporter: Exporter) -> Result<Self> {
        let cuda = cuda(0)?;
        if exporter == Vulkan {
            vulkan(0)?; // what it takes is no part of the free memory
        }
        let (stream, free_before) = (stream()?, free_memory()?);
        let (exported, memory): (Box<dyn Any>, _) = if exporter == Vulkan {
            let (buffer, memory) = Buffer::with_memory(vulkan(0)?, SIZE, true)?;
            let imported = import_memory(memory.export()?, memory.size, true)?;
            (Box::new((buffer, memory)), imported)
        } else {
            let memory = allocate_with(cuda, SIZE, CUmemAllocationProp_allocFlags::default())?;
            let imported = import_memory(memory.export()?, memory.size, false)?;
            (Box::new(memory), imported)
        };
        // SAFETY: the handles live.
        let address = unsafe { map_buffer(memory, 0, SIZE) }?;
        // SAFETY: the mapping has this size.
        unsafe {
            cuMemsetD8_v2(address, 0x11, SIZE as usize).result()?;
            cuCtxSynchronize().result()?;
        }
        let (mut semaphore, mut exported_semaphore) = (null_mut(), None);
        if exporter == Vulkan {
            let exported = Semaphore::timeline(vulkan(0)?, 0)?;
            semaphore = import_semaphore(exported.export()?, exported.handle_type())?;
            exported_semaphore = Some(Arc::new(exported));
        }
        let exported = Some(exported);
        Ok(Self { free_before, exported, memory, address, stream, exported_semaphore, semaphore })
    }

    fn exported_semaphore(&self) -> Result<Arc<Semaphore<'static>>> {
        self.exported_semaphore.clone().ok_or_else(|| Error::Failed("the semaphore was released".to_owned()))
    }
}
