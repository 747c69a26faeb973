//! Asks what each step of a teardown returns, in correct and in wrong orders.

use std::ptr::null_mut;
use std::sync::Arc;
use std::thread::{sleep, spawn};
use std::time::Duration;

use cuda_external_sys::*;
use example_support::cuda::count_free_device_bytes;
use example_support::vulkan::ExportableSemaphore;
use example_support::{Error, Result};

use super::fixtures::exported_memory::{
    self, ExportedMemory, MemoryExporter, code_as_step_text, code_of_result, create_nonblocking_stream,
    done_as_step_text, import_exported_semaphore, map_first_bytes, poll_stream_until_end,
};
use super::fixtures::opened_devices::{cuda_device, vulkan_device};
use super::fixtures::question::{Question, QuestionGroup, print_answer_part, print_call_name};

/// A step of a teardown: the name in the table, and a function that takes the step and returns the result as text.
#[derive(Clone, Copy)]
struct TeardownStep(&'static str, fn(&mut TeardownObjects) -> Result<String>);

// SAFETY, of every step: handles may be invalid on purpose. A crash ends only this question's process.

const QUEUE: TeardownStep = TeardownStep("queue a fill", |s| {
    code_as_step_text(unsafe { cuMemsetD8Async(s.address, 0x22, SIZE as usize, s.stream) })
});
const READ: TeardownStep = TeardownStep("read", |s| {
    let (mut last, at) = (0_u8, s.address + SIZE as CUdeviceptr - 1);
    match unsafe { cuMemcpyDtoH_v2((&raw mut last).cast(), at, 1) } {
        CUDA_SUCCESS => Ok(format!("{last:#x}")),
        other => code_as_step_text(other),
    }
});
const MAP: TeardownStep =
    TeardownStep("map", |s| code_as_step_text(code_of_result(map_first_bytes(s.memory, SIZE))));
const FREE: TeardownStep =
    TeardownStep("free the mapping", |s| code_as_step_text(unsafe { cuMemFree_v2(s.address) }));
const DESTROY: TeardownStep =
    TeardownStep("destroy the import", |s| code_as_step_text(unsafe { cuDestroyExternalMemory(s.memory) }));
const RELEASE: TeardownStep = TeardownStep("exporter frees", |s| {
    s.exported = None;
    done_as_step_text()
});
const RETURNED: TeardownStep = TeardownStep("memory returned", |s| {
    let returned = s.free_before.abs_diff(count_free_device_bytes()?) < SIZE as usize / 2;
    Ok(if returned { "yes" } else { "no" }.to_owned())
});
const RELEASE_CONTEXT: TeardownStep = TeardownStep("release the context", |_| {
    code_as_step_text(unsafe { cuDevicePrimaryCtxRelease_v2(cuda_device(0)?.device) })
});
const WAIT: TeardownStep = TeardownStep("queue a wait", |s| {
    code_as_step_text(exported_memory::wait_semaphore(s.semaphore, 1, s.stream))
});
const SIGNAL: TeardownStep = TeardownStep("signal", |s| {
    s.exported_semaphore()?.signal_from_host(1)?;
    done_as_step_text()
});
const SIGNAL_SOON: TeardownStep = TeardownStep("signal from another thread in 300 ms", |s| {
    let semaphore = s.exported_semaphore()?;
    spawn(move || {
        sleep(Duration::from_millis(300));
        semaphore.signal_from_host(1)
    });
    done_as_step_text()
});
const IDLE: TeardownStep =
    TeardownStep("end of the stream within a second", |s| code_as_step_text(poll_stream_until_end(s.stream)));
const DESTROY_SEMAPHORE: TeardownStep = TeardownStep("destroy the import", |s| {
    code_as_step_text(unsafe { cuDestroyExternalSemaphore(s.semaphore) })
});
const RELEASE_SEMAPHORE: TeardownStep = TeardownStep("exporter destroys", |s| {
    s.exported_semaphore = None;
    done_as_step_text()
});

const CUDA: MemoryExporter = MemoryExporter::CUDA;
/// With this exporter, an order can also use a semaphore. CUDA exports no semaphores.
const VULKAN: MemoryExporter = MemoryExporter::DEDICATED;

#[rustfmt::skip] // one order a line
const ORDERS: [(&str, MemoryExporter, &[TeardownStep]); 20] = [
    ("the documented order", CUDA, &[FREE, DESTROY, RETURNED, RELEASE, RETURNED]),
    ("the documented order, memory of Vulkan", VULKAN, &[FREE, DESTROY, RETURNED, RELEASE, RETURNED]),
    ("the exporter first", CUDA, &[RELEASE, READ, FREE, RETURNED, DESTROY, RETURNED]),
    ("the exporter first, memory of Vulkan", VULKAN, &[RELEASE, READ, FREE, RETURNED, DESTROY, RETURNED]),
    ("the import before its mapping", CUDA, &[DESTROY, RELEASE, READ, RETURNED, FREE, RETURNED]),
    ("the mapping is never freed", CUDA, &[DESTROY, RELEASE, RETURNED]),
    ("the import is never destroyed", CUDA, &[FREE, RELEASE, RETURNED]),
    ("one of two mappings is never freed", CUDA, &[MAP, FREE, DESTROY, RELEASE, RETURNED]),
    ("work is still queued", CUDA, &[QUEUE, FREE, DESTROY, RELEASE, IDLE]),
    ("the mapping is freed twice", CUDA, &[FREE, FREE, DESTROY]),
    ("the mapping is used after it was freed", CUDA, &[FREE, READ, DESTROY]),
    ("the import is destroyed twice", CUDA, &[FREE, DESTROY, DESTROY]),
    ("mapped after the import was destroyed", CUDA, &[FREE, DESTROY, MAP]),
    ("the context before the import", CUDA, &[RELEASE_CONTEXT, FREE, DESTROY]),
    ("the documented order, a semaphore", VULKAN, &[WAIT, SIGNAL, IDLE, DESTROY_SEMAPHORE, RELEASE_SEMAPHORE]),
    ("the exporter first, a semaphore", VULKAN, &[RELEASE_SEMAPHORE, WAIT, IDLE]),
    ("a semaphore with a wait that ends later", VULKAN, &[WAIT, SIGNAL_SOON, DESTROY_SEMAPHORE, IDLE]),
    ("a semaphore with a wait that never ends", VULKAN, &[WAIT, IDLE, DESTROY_SEMAPHORE]),
    ("a semaphore is destroyed twice", VULKAN, &[DESTROY_SEMAPHORE, DESTROY_SEMAPHORE]),
    ("a wait for a destroyed semaphore", VULKAN, &[DESTROY_SEMAPHORE, WAIT, IDLE]),
];

pub fn teardown_questions() -> QuestionGroup {
    let question = |(name, exporter, steps): (&str, MemoryExporter, &'static [TeardownStep])| {
        let question = Question::new(name, move || {
            let mut objects = TeardownObjects::new(exporter)?;
            for TeardownStep(name, take) in steps {
                print_call_name(name)?;
                print_answer_part(take(&mut objects)?);
            }
            // Leaks the remaining objects, since destroying them would be a further step of the teardown.
            std::mem::forget(objects);
            Ok(())
        });
        // Another question at the same time would change the free memory, or delay this one until it counts as hanging.
        question.with_time_limit(6).mark_to_run_alone()
    };
    QuestionGroup::new("teardown", ORDERS.map(question))
}

/// The memory's size, so large that an allocator returns freed memory to the device and does not keep it.
const SIZE: u64 = 256 << 20;

/// The objects that the steps use and destroy: exported memory with its import and mapping. If the exporter is Vulkan,
/// there is also a Vulkan semaphore with its import.
struct TeardownObjects {
    free_before: usize,
    exported: Option<ExportedMemory>,
    memory: CUexternalMemory,
    address: CUdeviceptr,
    stream: CUstream,
    exported_semaphore: Option<Arc<ExportableSemaphore<'static>>>,
    semaphore: CUexternalSemaphore,
}

impl TeardownObjects {
    fn new(exporter: MemoryExporter) -> Result<Self> {
        cuda_device(0)?;
        let (mut semaphore, mut exported_semaphore) = (null_mut(), None);
        if matches!(exporter, MemoryExporter::Vulkan { .. }) {
            // The semaphore and its import take device memory, so `new` creates both before it measures `free_before`.
            let exported = ExportableSemaphore::new_timeline(vulkan_device(0)?, 0)?;
            semaphore = import_exported_semaphore(&exported)?;
            exported_semaphore = Some(Arc::new(exported));
        }
        let (stream, free_before) = (create_nonblocking_stream()?, count_free_device_bytes()?);
        let exported = exporter.allocate_exported_memory(SIZE)?;
        let memory = exported.import_into_cuda()?;
        let address = map_first_bytes(memory, SIZE)?;
        unsafe {
            cuMemsetD8_v2(address, 0x11, SIZE as usize).result()?;
            cuCtxSynchronize().result()?;
        }
        let exported = Some(exported);
        Ok(Self { free_before, exported, memory, address, stream, exported_semaphore, semaphore })
    }

    fn exported_semaphore(&self) -> Result<Arc<ExportableSemaphore<'static>>> {
        self.exported_semaphore.clone().ok_or_else(|| Error::Failed("the semaphore was released".to_owned()))
    }
}
