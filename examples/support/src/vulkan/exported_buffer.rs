//! Buffers whose memory can be exported, and buffers that the CPU reads and writes.

use std::cell::Cell;

use ash::vk;

use super::logical_device::ALL_COMMANDS_AND_ACCESSES;
use super::{DedicatedTo, HANDLE_TYPE, Vulkan, VulkanMemory};
use crate::Result;

/// A buffer to which exportable memory can be bound.
pub struct ExportableBuffer<'v> {
    pub(super) vulkan: &'v Vulkan,
    pub raw: vk::Buffer,
    /// The buffer's size. Its memory may be larger.
    pub size: u64,
    /// The size, the alignment and the types of memory that the buffer needs.
    pub needs: vk::MemoryRequirements,
    /// Whether Vulkan prefers, or requires, a dedicated allocation.
    pub prefers_dedicated: bool,
    pub(super) handle_type: vk::ExternalMemoryHandleTypeFlags,
    pub(super) external: Cell<bool>,
}

impl<'v> ExportableBuffer<'v> {
    /// The usage that every buffer has.
    pub const USAGE: vk::BufferUsageFlags = vk::BufferUsageFlags::from_raw(
        vk::BufferUsageFlags::TRANSFER_SRC.as_raw()
            | vk::BufferUsageFlags::TRANSFER_DST.as_raw()
            | vk::BufferUsageFlags::STORAGE_BUFFER.as_raw()
            | vk::BufferUsageFlags::VERTEX_BUFFER.as_raw()
            | vk::BufferUsageFlags::INDEX_BUFFER.as_raw()
            | vk::BufferUsageFlags::INDIRECT_BUFFER.as_raw(),
    );

    /// Creates a buffer for copies, draws and shaders, without memory.
    pub fn new(vulkan: &'v Vulkan, size: u64) -> Result<Self> {
        Self::new_for_handle_type(vulkan, size, HANDLE_TYPE)
    }

    /// As [`ExportableBuffer::new`], for memory that is exported as a handle of this type.
    pub fn new_for_handle_type(
        vulkan: &'v Vulkan,
        size: u64,
        handle_type: vk::ExternalMemoryHandleTypeFlags,
    ) -> Result<Self> {
        let mut external = vk::ExternalMemoryBufferCreateInfo::default().handle_types(handle_type);
        let info = vk::BufferCreateInfo::default()
            .size(size)
            .usage(ExportableBuffer::USAGE)
            .push_next(&mut external);
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
        let prefers_dedicated = dedicated.prefers_dedicated_allocation == vk::TRUE; // or requires it
        Ok(Self { vulkan, raw, size, needs, prefers_dedicated, handle_type, external: Cell::new(false) })
    }

    /// Returns flags for buffers with [`ExportableBuffer::USAGE`] and this type of handle: whether Vulkan can export a
    /// buffer's memory, whether Vulkan can import the memory, and whether the memory must be dedicated.
    pub fn external_features(
        vulkan: &Vulkan,
        handle_type: vk::ExternalMemoryHandleTypeFlags,
    ) -> vk::ExternalMemoryFeatureFlags {
        let info = vk::PhysicalDeviceExternalBufferInfo::default()
            .usage(ExportableBuffer::USAGE)
            .handle_type(handle_type);
        let mut properties = vk::ExternalBufferProperties::default();
        let (instance, device) = (&vulkan.instance.raw, vulkan.physical_device);
        // SAFETY: the device is this instance's, and the structs outlive the call.
        unsafe { instance.get_physical_device_external_buffer_properties(device, &info, &mut properties) };
        properties.external_memory_properties.external_memory_features
    }

    pub fn new_with_memory(
        vulkan: &'v Vulkan,
        size: u64,
        dedicated: bool,
    ) -> Result<(Self, VulkanMemory<'v>)> {
        let buffer = Self::new(vulkan, size)?;
        let memory = buffer.allocate_memory(dedicated)?;
        Ok((buffer, memory))
    }

    /// Allocates memory, dedicated or not, and binds it.
    pub fn allocate_memory(&self, dedicated: bool) -> Result<VulkanMemory<'v>> {
        let dedicated_to = if dedicated { DedicatedTo::Buffer(self.raw) } else { DedicatedTo::Nothing };
        let (size, type_bits) = (self.needs.size, self.needs.memory_type_bits);
        let memory = VulkanMemory::new(self.vulkan, size, type_bits, dedicated_to, self.handle_type)?;
        self.bind_memory(&memory, 0)?;
        Ok(memory)
    }

    /// Binds memory at `offset`, which must be a multiple of the alignment in [`ExportableBuffer::needs`].
    pub fn bind_memory(&self, memory: &VulkanMemory<'v>, offset: u64) -> Result<()> {
        // SAFETY: buffer and memory are this device's.
        Ok(unsafe { self.vulkan.device.bind_buffer_memory(self.raw, memory.raw, offset) }?)
    }

    /// Records the release to CUDA. Without a release, Vulkan does not guarantee that CUDA reads the right bytes.
    pub fn release_to_cuda(&self, commands: vk::CommandBuffer) {
        self.external.set(true);
        self.record_transfer(commands, self.vulkan.first_queue().family, vk::QUEUE_FAMILY_EXTERNAL);
    }

    pub fn acquire_from_cuda(&self, commands: vk::CommandBuffer) {
        self.external.set(false);
        self.record_transfer(commands, vk::QUEUE_FAMILY_EXTERNAL, self.vulkan.first_queue().family);
    }

    /// Records an ownership transfer. Vulkan ignores the access mask of an external or foreign queue family.
    pub fn record_transfer(&self, commands: vk::CommandBuffer, from: u32, to: u32) {
        let (stage, access) = ALL_COMMANDS_AND_ACCESSES;
        let barrier = vk::BufferMemoryBarrier::default()
            .buffer(self.raw)
            .size(vk::WHOLE_SIZE)
            .src_queue_family_index(from)
            .dst_queue_family_index(to)
            .src_access_mask(access)
            .dst_access_mask(access);
        let flags = vk::DependencyFlags::empty();
        // SAFETY: `commands` is being recorded, and belongs to the buffer's device.
        unsafe {
            self.vulkan.device.cmd_pipeline_barrier(commands, stage, stage, flags, &[], &[barrier], &[])
        };
    }

    /// Records a copy of `from` to this buffer at `offset`, and this buffer's release to CUDA. If CUDA owns the
    /// buffer, first records its acquisition.
    pub fn record_write(&self, commands: vk::CommandBuffer, offset: u64, from: &HostBuffer) {
        if self.external.get() {
            self.acquire_from_cuda(commands);
        }
        let region = vk::BufferCopy::default().dst_offset(offset).size(from.size);
        // SAFETY: the caller keeps both buffers until the submission is done.
        unsafe { self.vulkan.device.cmd_copy_buffer(commands, from.raw, self.raw, &[region]) };
        self.release_to_cuda(commands);
    }

    /// Records this buffer's acquisition from CUDA, a copy of its bytes at `offset` to `to`, and its release to CUDA.
    pub fn record_read(&self, commands: vk::CommandBuffer, offset: u64, to: &HostBuffer) {
        self.acquire_from_cuda(commands);
        let region = vk::BufferCopy::default().src_offset(offset).size(to.size);
        // SAFETY: the caller keeps both buffers until the submission is done.
        unsafe { self.vulkan.device.cmd_copy_buffer(commands, self.raw, to.raw, &[region]) };
        self.vulkan.memory_barrier(commands);
        self.release_to_cuda(commands);
    }

    /// Submits what [`ExportableBuffer::record_write`] records for `bytes`, and waits until the GPU is done.
    pub fn write(&self, offset: u64, bytes: &[u8]) -> Result<()> {
        let host = HostBuffer::new(self.vulkan, bytes.len() as u64)?;
        host.write(bytes);
        self.vulkan.submit_and_wait(|commands| self.record_write(commands, offset, &host))
    }

    /// Acquires the buffer from CUDA, reads `length` bytes at `offset`, and releases the buffer to CUDA.
    pub fn read(&self, offset: u64, length: u64) -> Result<Vec<u8>> {
        let host = HostBuffer::new(self.vulkan, length)?;
        self.vulkan.submit_and_wait(|commands| self.record_read(commands, offset, &host))?;
        Ok(host.bytes().to_vec())
    }
}

impl Drop for ExportableBuffer<'_> {
    fn drop(&mut self) {
        // SAFETY: no submission uses the buffer any more.
        unsafe { self.vulkan.device.destroy_buffer(self.raw, None) };
    }
}

/// A buffer in memory that is mapped for the CPU, to move bytes to and from the device.
pub struct HostBuffer<'v> {
    pub(super) vulkan: &'v Vulkan,
    pub raw: vk::Buffer,
    pub(super) memory: vk::DeviceMemory,
    pub(super) address: *mut u8,
    pub size: u64,
}

impl<'v> HostBuffer<'v> {
    pub fn new(vulkan: &'v Vulkan, size: u64) -> Result<Self> {
        let info = vk::BufferCreateInfo::default().size(size).usage(ExportableBuffer::USAGE);
        let wanted = vk::MemoryPropertyFlags::HOST_VISIBLE | vk::MemoryPropertyFlags::HOST_COHERENT;
        let device = &vulkan.device;
        // SAFETY: buffer and memory are this device's, and the memory is as large as the buffer needs.
        unsafe {
            let raw = device.create_buffer(&info, None)?;
            // If a later call fails, dropping `host` destroys the buffer. Freeing null memory does nothing.
            let (memory, address) = (vk::DeviceMemory::null(), std::ptr::null_mut());
            let mut host = Self { vulkan, raw, memory, address, size };
            let needs = device.get_buffer_memory_requirements(raw);
            // The CPU reads cached memory many times faster than other memory, but not every device has cached memory.
            let cached = wanted | vk::MemoryPropertyFlags::HOST_CACHED;
            let memory_type = vulkan
                .memory_type(needs.memory_type_bits, cached)
                .or_else(|_| vulkan.memory_type(needs.memory_type_bits, wanted))?;
            let info =
                vk::MemoryAllocateInfo::default().allocation_size(needs.size).memory_type_index(memory_type);
            host.memory = device.allocate_memory(&info, None)?;
            device.bind_buffer_memory(raw, host.memory, 0)?;
            let flags = vk::MemoryMapFlags::empty();
            host.address = device.map_memory(host.memory, 0, vk::WHOLE_SIZE, flags)?.cast();
            Ok(host)
        }
    }

    /// Writes `bytes` to the start of the buffer. The device must not be using the buffer.
    pub fn write(&self, bytes: &[u8]) {
        assert!(bytes.len() as u64 <= self.size);
        // SAFETY: the memory is mapped for as long as `self` lives, and has at least `size` bytes.
        unsafe { self.address.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
    }

    /// Returns the bytes. The device must be done with them.
    pub fn bytes(&self) -> &[u8] {
        // SAFETY: the memory is mapped for as long as `self` lives, and has at least `size` bytes.
        unsafe { std::slice::from_raw_parts(self.address, self.size as usize) }
    }
}

impl Drop for HostBuffer<'_> {
    fn drop(&mut self) {
        // SAFETY: no submission uses the buffer any more; freeing the memory unmaps it.
        unsafe {
            self.vulkan.device.destroy_buffer(self.raw, None);
            self.vulkan.device.free_memory(self.memory, None);
        }
    }
}
