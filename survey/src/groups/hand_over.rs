//! What a hand-over costs on each of Vulkan's queue families, in short: `cargo bench --bench hand_over` is the
//! long form.

use std::time::Instant;

use ash::vk;
use cuda_external_sys::*;
use interop::cuda::{self, import_memory, import_semaphore, map_buffer};
use interop::vulkan::{Buffer, Prepared, Queue, Semaphore, Vulkan};
use interop::{Error, Result};

use crate::case::{Case, Group, answer};
use crate::gpu::{stream, vulkan};

pub fn group() -> Group {
    let mut cases = Vec::new();
    for family in 0..6 {
        for (name, size) in [("nothing between", 0), ("1 MiB filled by CUDA, copied by Vulkan", 1 << 20)] {
            cases.push(
                Case::new(format!("family {family}, {name}"), move || run(family, size)).alone().limit(20),
            );
        }
    }
    Group {
        name: "hand-over",
        title: "Hand-overs",
        note: "CUDA signals a timeline, a queue of Vulkan's family waits for it and signals another one, CUDA waits for that. \
               100 in a queue; the median of 15 rounds, and where nine tenths of them lie. The families are in the table \
               of attributes.",
        columns: &["queue family", "a hand-over and back"],
        repeatable: false,
        cases,
    }
}

const ROUNDS: usize = 15;
const TURNS: u64 = 100;

fn run(family: u32, size: u64) -> Result<()> {
    let vulkan = vulkan(0)?;
    let Some(queue) = vulkan.queues.iter().find(|queue| queue.family == family) else {
        answer("-");
        return Ok(());
    };
    let (to_vulkan, to_cuda) = (Semaphore::timeline(vulkan, 0)?, Semaphore::timeline(vulkan, 0)?);
    let type_ = CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD;
    let signals = import_semaphore(to_vulkan.export()?, type_)?;
    let waits = import_semaphore(to_cuda.export()?, type_)?;
    let copy = if size == 0 { None } else { Some(Copy::new(vulkan, queue, size)?) };
    let mut value = 0_u64;
    let value = &raw mut value;
    let commands = copy.as_ref().map(|copy| copy.commands);
    let submission =
        Prepared::new((to_vulkan.raw, value.cast_const()), commands, (to_cuda.raw, value.cast_const()));
    let stream = stream()?;
    let mut times = Vec::new();
    // The first round warms up.
    for round in 0..=ROUNDS {
        let start = Instant::now();
        for _ in 0..TURNS {
            let mut signal = CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS::default();
            let mut wait = CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS::default();
            // SAFETY: what the calls use lives to the end of the process.
            unsafe {
                *value += 1;
                signal.params.fence.value = *value;
                wait.params.fence.value = *value;
                if let Some(copy) = &copy {
                    cuMemsetD32Async(copy.from, *value as u32, size as usize / 4, stream).result()?;
                }
                cuSignalExternalSemaphoresAsync(&signals, &signal, 1, stream).result()?;
                submission.submit(vulkan, queue)?;
                cuWaitExternalSemaphoresAsync(&waits, &wait, 1, stream).result()?;
            }
        }
        // SAFETY: the stream lives.
        unsafe { cuStreamSynchronize(stream) }.result()?;
        if round > 0 {
            times.push(start.elapsed().as_secs_f64() * 1e6 / TURNS as f64);
        }
        if let Some(copy) = &copy {
            // SAFETY: nothing submits now.
            copy.check(size, unsafe { *value } as u32)?;
        }
    }
    times.sort_by(f64::total_cmp);
    let at = |share: f64| times[((times.len() - 1) as f64 * share).round() as usize];
    answer(format!("{:.1} µs ({:.1} to {:.1})", at(0.5), at(0.05), at(0.95)));
    Ok(())
}

/// Vulkan's copy of one shared buffer to another one.
struct Copy {
    commands: vk::CommandBuffer,
    from: CUdeviceptr,
    to: CUdeviceptr,
}

impl Copy {
    fn new(vulkan: &'static Vulkan, queue: &Queue, size: u64) -> Result<Self> {
        let shared = || -> Result<_> {
            let (buffer, memory) = Buffer::with_memory(vulkan, size, true)?;
            let imported = import_memory(memory.export()?, memory.size, memory.dedicated)?;
            let (raw, address) = (buffer.raw, map_buffer(imported, 0, size)?);
            // They live to the end of the process.
            std::mem::forget((buffer, memory));
            Ok((raw, address))
        };
        let ((from_buffer, from), (to_buffer, to)) = (shared()?, shared()?);
        let device = &vulkan.device;
        let pool = vk::CommandPoolCreateInfo::default().queue_family_index(queue.family);
        let begin =
            vk::CommandBufferBeginInfo::default().flags(vk::CommandBufferUsageFlags::SIMULTANEOUS_USE);
        let (stage, flags) = (vk::PipelineStageFlags::ALL_COMMANDS, vk::DependencyFlags::empty());
        let all = vk::AccessFlags::MEMORY_READ | vk::AccessFlags::MEMORY_WRITE;
        let transfer = |from, to| {
            [from_buffer, to_buffer].map(|buffer| {
                vk::BufferMemoryBarrier::default()
                    .buffer(buffer)
                    .size(vk::WHOLE_SIZE)
                    .src_queue_family_index(from)
                    .dst_queue_family_index(to)
                    .src_access_mask(all)
                    .dst_access_mask(all)
            })
        };
        let (taken, given) = (
            transfer(vk::QUEUE_FAMILY_EXTERNAL, queue.family),
            transfer(queue.family, vk::QUEUE_FAMILY_EXTERNAL),
        );
        // SAFETY: the objects are this device's, and the structures outlive the calls.
        unsafe {
            let pool = device.create_command_pool(&pool, None)?;
            let info = vk::CommandBufferAllocateInfo::default().command_pool(pool).command_buffer_count(1);
            let commands = device.allocate_command_buffers(&info)?[0];
            device.begin_command_buffer(commands, &begin)?;
            device.cmd_pipeline_barrier(commands, stage, stage, flags, &[], &taken, &[]);
            let region = vk::BufferCopy::default().size(size);
            device.cmd_copy_buffer(commands, from_buffer, to_buffer, &[region]);
            device.cmd_pipeline_barrier(commands, stage, stage, flags, &[], &given, &[]);
            device.end_command_buffer(commands)?;
            Ok(Self { commands, from, to })
        }
    }

    fn check(&self, size: u64, value: u32) -> Result<()> {
        let seen = cuda::read(self.to, size as usize)?;
        match seen.chunks(4).all(|word| word == value.to_ne_bytes()) {
            true => Ok(()),
            false => Err(Error::Failed("CUDA does not read what it wrote".to_owned())),
        }
    }
}
