//! Work that keeps a queue busy, so that a signal behind it comes late.

use std::time::{Duration, Instant};

use ash::vk;
use cuda_external_sys::*;
use interop::cuda::{DeviceMemory, Stream};
use interop::vulkan::{Buffer, Memory, Vulkan};

/// How long the work takes.
pub const DELAY: Duration = Duration::from_millis(500);

/// Fills that keep Vulkan's queue busy for the delay.
pub struct VulkanWork<'v> {
    vulkan: &'v Vulkan,
    buffer: vk::Buffer,
    _owner: (Buffer<'v>, Memory<'v>),
    fills: u32,
}

impl<'v> VulkanWork<'v> {
    pub fn new(vulkan: &'v Vulkan) -> Self {
        let owner = Buffer::with_memory(vulkan, 1 << 30, false).unwrap();
        let mut work = Self { vulkan, buffer: owner.0.raw, _owner: owner, fills: 20 };
        vulkan.run(|commands| work.record(commands)).unwrap();
        let started = Instant::now();
        vulkan.run(|commands| work.record(commands)).unwrap();
        work.fills = (DELAY.as_secs_f64() / started.elapsed().as_secs_f64() * 20.0) as u32 + 1;
        work
    }

    pub fn record(&self, commands: vk::CommandBuffer) {
        for fill in 0..self.fills {
            // SAFETY: the buffer lives until the submission is done.
            unsafe {
                self.vulkan.device.cmd_fill_buffer(commands, self.buffer, 0, vk::WHOLE_SIZE, fill);
            }
            self.vulkan.barrier(commands);
        }
    }
}

/// Fills that keep a stream of CUDA's busy for the delay.
pub struct CudaWork {
    memory: DeviceMemory,
    fills: u32,
}

impl CudaWork {
    const SIZE: usize = 1 << 30;

    pub fn new() -> Self {
        let mut work = Self { memory: DeviceMemory::new(Self::SIZE).unwrap(), fills: 20 };
        let stream = Stream::new().unwrap();
        work.enqueue(&stream);
        stream.finish().unwrap();
        let started = Instant::now();
        work.enqueue(&stream);
        stream.finish().unwrap();
        work.fills = (DELAY.as_secs_f64() / started.elapsed().as_secs_f64() * 20.0) as u32 + 1;
        work
    }

    pub fn enqueue(&self, stream: &Stream) {
        for fill in 0..self.fills {
            // SAFETY: the range is the scratch's own.
            unsafe { cuMemsetD32Async(self.memory.address, fill, Self::SIZE / 4, stream.raw()) }
                .result()
                .unwrap();
        }
    }
}
