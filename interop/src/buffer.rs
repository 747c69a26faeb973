//! Vulkan memory and buffers that can be exported, and a buffer that the CPU sees.

use std::cell::Cell;
use std::os::fd::{FromRawFd, OwnedFd};

use ash::vk;

use crate::Result;
use crate::vulkan::Vulkan;

pub const OPAQUE_FD: vk::ExternalMemoryHandleTypeFlags = vk::ExternalMemoryHandleTypeFlags::OPAQUE_FD;

/// What an allocation is for.
#[derive(Clone, Copy)]
pub enum Use {
    /// Any buffers or images, at offsets.
    Shared,
    /// This buffer alone: a dedicated allocation, which its importer must know.
    Buffer(vk::Buffer),
    /// This image alone.
    Image(vk::Image),
}

/// An allocation on the device that can be exported.
pub struct Memory<'v> {
    vulkan: &'v Vulkan,
    pub raw: vk::DeviceMemory,
    /// The allocation's size, which is what an importer must say: not a buffer's size.
    pub size: u64,
    pub dedicated: bool,
}

impl<'v> Memory<'v> {
    pub fn new(vulkan: &'v Vulkan, size: u64, type_bits: u32, purpose: Use) -> Result<Self> {
        let mut export = vk::ExportMemoryAllocateInfo::default().handle_types(OPAQUE_FD);
        let mut dedicated = match purpose {
            Use::Shared => vk::MemoryDedicatedAllocateInfo::default(),
            Use::Buffer(buffer) => vk::MemoryDedicatedAllocateInfo::default().buffer(buffer),
            Use::Image(image) => vk::MemoryDedicatedAllocateInfo::default().image(image),
        };
        let mut info = vk::MemoryAllocateInfo::default()
            .allocation_size(size)
            .memory_type_index(vulkan.memory_type(type_bits, vk::MemoryPropertyFlags::DEVICE_LOCAL)?)
            .push_next(&mut export);
        let is_dedicated = !matches!(purpose, Use::Shared);
        if is_dedicated {
            info = info.push_next(&mut dedicated);
        }
        // SAFETY: the chain outlives the call.
        let raw = unsafe { vulkan.device.allocate_memory(&info, None) }?;
        Ok(Self { vulkan, raw, size, dedicated: is_dedicated })
    }

    /// A new descriptor for the allocation, which holds it alive. Each importer takes one for
    /// itself, so each needs its own.
    pub fn export(&self) -> Result<OwnedFd> {
        let info = vk::MemoryGetFdInfoKHR::default().memory(self.raw).handle_type(OPAQUE_FD);
        // SAFETY: Vulkan makes the descriptor for us, and nobody else knows it.
        unsafe { Ok(OwnedFd::from_raw_fd(self.vulkan.memory_fd.get_memory_fd(&info)?)) }
    }
}

impl Drop for Memory<'_> {
    fn drop(&mut self) {
        // SAFETY: what was bound to it is no longer in use.
        unsafe { self.vulkan.device.free_memory(self.raw, None) };
    }
}

/// A buffer that memory for export can be bound to.
pub struct Buffer<'v> {
    vulkan: &'v Vulkan,
    pub raw: vk::Buffer,
    pub size: u64,
    /// The least size and alignment of its memory, and the memory types that suit it.
    pub needs: vk::MemoryRequirements,
    /// Whether Vulkan wants the memory to be the buffer's alone.
    pub wants_dedicated: bool,
    external: Cell<bool>,
}

impl<'v> Buffer<'v> {
    pub fn new(vulkan: &'v Vulkan, size: u64) -> Result<Self> {
        let mut external = vk::ExternalMemoryBufferCreateInfo::default().handle_types(OPAQUE_FD);
        let usage = vk::BufferUsageFlags::TRANSFER_SRC | vk::BufferUsageFlags::TRANSFER_DST;
        let info = vk::BufferCreateInfo::default().size(size).usage(usage).push_next(&mut external);
        let mut dedicated = vk::MemoryDedicatedRequirements::default();
        let mut needs = vk::MemoryRequirements2::default().push_next(&mut dedicated);
        // SAFETY: the chains outlive the calls; the buffer was just made.
        let raw = unsafe {
            let raw = vulkan.device.create_buffer(&info, None)?;
            let asked = vk::BufferMemoryRequirementsInfo2::default().buffer(raw);
            vulkan.device.get_buffer_memory_requirements2(&asked, &mut needs);
            raw
        };
        let needs = needs.memory_requirements;
        let wants_dedicated =
            dedicated.requires_dedicated_allocation | dedicated.prefers_dedicated_allocation;
        let wants_dedicated = wants_dedicated == vk::TRUE;
        Ok(Self { vulkan, raw, size, needs, wants_dedicated, external: Cell::new(false) })
    }

    /// A buffer with memory of its own, dedicated or not.
    pub fn with_memory(vulkan: &'v Vulkan, size: u64, dedicated: bool) -> Result<(Self, Memory<'v>)> {
        let mut buffer = Self::new(vulkan, size)?;
        buffer.wants_dedicated = dedicated;
        let memory = buffer.allocate()?;
        Ok((buffer, memory))
    }

    /// Memory of its own, as Vulkan wants it.
    pub fn allocate(&self) -> Result<Memory<'v>> {
        let purpose = if self.wants_dedicated { Use::Buffer(self.raw) } else { Use::Shared };
        let memory = Memory::new(self.vulkan, self.needs.size, self.needs.memory_type_bits, purpose)?;
        self.bind(&memory, 0)?;
        Ok(memory)
    }

    pub fn bind(&self, memory: &Memory<'v>, offset: u64) -> Result<()> {
        // SAFETY: both are this device's.
        Ok(unsafe { self.vulkan.device.bind_buffer_memory(self.raw, memory.raw, offset) }?)
    }

    /// Gives the buffer to CUDA: what the queue wrote before is made available, and the buffer
    /// leaves this queue family. On one vendor's driver data may arrive without it; Vulkan
    /// promises that only with it.
    pub fn release(&self, commands: vk::CommandBuffer) {
        self.external.set(true);
        self.transfer(commands, self.vulkan.queue_family, vk::QUEUE_FAMILY_EXTERNAL);
    }

    /// Takes the buffer back from CUDA.
    pub fn acquire(&self, commands: vk::CommandBuffer) {
        self.external.set(false);
        self.transfer(commands, vk::QUEUE_FAMILY_EXTERNAL, self.vulkan.queue_family);
    }

    fn transfer(&self, commands: vk::CommandBuffer, from: u32, to: u32) {
        let everything = vk::AccessFlags::MEMORY_READ | vk::AccessFlags::MEMORY_WRITE;
        let none = vk::AccessFlags::empty();
        let releasing = to == vk::QUEUE_FAMILY_EXTERNAL;
        let barrier = vk::BufferMemoryBarrier::default()
            .buffer(self.raw)
            .size(vk::WHOLE_SIZE)
            .src_queue_family_index(from)
            .dst_queue_family_index(to)
            .src_access_mask(if releasing { everything } else { none })
            .dst_access_mask(if releasing { none } else { everything });
        let all = vk::PipelineStageFlags::ALL_COMMANDS;
        let flags = vk::DependencyFlags::empty();
        // SAFETY: `commands` is being recorded, for the device that the buffer is of.
        unsafe { self.vulkan.device.cmd_pipeline_barrier(commands, all, all, flags, &[], &[barrier], &[]) };
    }

    /// Vulkan copies `bytes` to the buffer, at `offset`, and gives it to CUDA.
    pub fn write(&self, offset: u64, bytes: &[u8]) -> Result<()> {
        let host = HostBuffer::new(self.vulkan, bytes.len() as u64)?;
        host.write(bytes);
        let region = vk::BufferCopy::default().dst_offset(offset).size(host.size);
        self.vulkan.run(|commands| {
            if self.external.get() {
                self.acquire(commands);
            }
            // SAFETY: both buffers live until the submission is done.
            unsafe { self.vulkan.device.cmd_copy_buffer(commands, host.raw, self.raw, &[region]) };
            self.release(commands);
        })
    }

    /// Vulkan takes the buffer from CUDA, reads it, and gives it back.
    pub fn read(&self, offset: u64, length: u64) -> Result<Vec<u8>> {
        let host = HostBuffer::new(self.vulkan, length)?;
        let region = vk::BufferCopy::default().src_offset(offset).size(length);
        self.vulkan.run(|commands| {
            self.acquire(commands);
            // SAFETY: as in `write`.
            unsafe { self.vulkan.device.cmd_copy_buffer(commands, self.raw, host.raw, &[region]) };
            self.vulkan.barrier(commands);
            self.release(commands);
        })?;
        Ok(host.bytes().to_vec())
    }
}

impl Drop for Buffer<'_> {
    fn drop(&mut self) {
        // SAFETY: no submission uses it any more.
        unsafe { self.vulkan.device.destroy_buffer(self.raw, None) };
    }
}

/// A buffer in memory that the CPU sees, for moving bytes to and from the device.
pub struct HostBuffer<'v> {
    vulkan: &'v Vulkan,
    pub raw: vk::Buffer,
    memory: vk::DeviceMemory,
    address: *mut u8,
    pub size: u64,
}

impl<'v> HostBuffer<'v> {
    pub fn new(vulkan: &'v Vulkan, size: u64) -> Result<Self> {
        let usage = vk::BufferUsageFlags::TRANSFER_SRC | vk::BufferUsageFlags::TRANSFER_DST;
        let info = vk::BufferCreateInfo::default().size(size).usage(usage);
        let wanted = vk::MemoryPropertyFlags::HOST_VISIBLE | vk::MemoryPropertyFlags::HOST_COHERENT;
        let device = &vulkan.device;
        // SAFETY: buffer and memory are this device's, and the memory is as large as the buffer needs.
        unsafe {
            let raw = device.create_buffer(&info, None)?;
            let needs = device.get_buffer_memory_requirements(raw);
            // Memory that the CPU caches reads many times faster; not every device has it.
            let cached = wanted | vk::MemoryPropertyFlags::HOST_CACHED;
            let memory_type = vulkan
                .memory_type(needs.memory_type_bits, cached)
                .or_else(|_| vulkan.memory_type(needs.memory_type_bits, wanted))?;
            let info =
                vk::MemoryAllocateInfo::default().allocation_size(needs.size).memory_type_index(memory_type);
            let memory = device.allocate_memory(&info, None)?;
            device.bind_buffer_memory(raw, memory, 0)?;
            let flags = vk::MemoryMapFlags::empty();
            let address = device.map_memory(memory, 0, vk::WHOLE_SIZE, flags)?.cast();
            Ok(Self { vulkan, raw, memory, address, size })
        }
    }

    pub fn write(&self, bytes: &[u8]) {
        assert!(bytes.len() as u64 <= self.size);
        // SAFETY: mapped for as long as `self` lives, and at least `size` long.
        unsafe { self.address.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
    }

    /// The bytes; the device must be done with them.
    pub fn bytes(&self) -> &[u8] {
        // SAFETY: as above.
        unsafe { std::slice::from_raw_parts(self.address, self.size as usize) }
    }
}

impl Drop for HostBuffer<'_> {
    fn drop(&mut self) {
        // SAFETY: no submission uses it any more; freeing the memory unmaps it.
        unsafe {
            self.vulkan.device.destroy_buffer(self.raw, None);
            self.vulkan.device.free_memory(self.memory, None);
        }
    }
}
