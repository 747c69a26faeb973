//! Memory that can be exported, and memory that is imported.

#[cfg(unix)]
use std::os::fd::{FromRawFd, IntoRawFd, OwnedFd};

use ash::vk;

use super::Vulkan;
use crate::Result;

/// The type of handle by which most examples share memory on this system.
pub const HANDLE_TYPE: vk::ExternalMemoryHandleTypeFlags = if cfg!(windows) {
    vk::ExternalMemoryHandleTypeFlags::OPAQUE_WIN32
} else {
    vk::ExternalMemoryHandleTypeFlags::OPAQUE_FD
};

#[derive(Clone, Copy)]
pub enum DedicatedTo {
    /// An allocation that is not dedicated: any buffers or images can be bound to the memory, at offsets.
    Nothing,
    /// A dedicated allocation for a buffer. An importer must know that the allocation is dedicated.
    Buffer(vk::Buffer),
    Image(vk::Image),
}

pub struct VulkanMemory<'v> {
    pub(super) vulkan: &'v Vulkan,
    pub raw: vk::DeviceMemory,
    /// The size of the whole allocation. An importer must pass this size, not the size of a buffer in the allocation.
    pub size: u64,
    pub dedicated: bool,
    pub handle_type: vk::ExternalMemoryHandleTypeFlags,
}

impl<'v> VulkanMemory<'v> {
    /// Allocates device-local memory for export as `handle_type`. Each bit of `type_bits` allows one memory type.
    pub fn new(
        vulkan: &'v Vulkan,
        size: u64,
        type_bits: u32,
        dedicated_to: DedicatedTo,
        handle_type: vk::ExternalMemoryHandleTypeFlags,
    ) -> Result<Self> {
        let mut export = vk::ExportMemoryAllocateInfo::default().handle_types(handle_type);
        let info = vk::MemoryAllocateInfo::default().push_next(&mut export);
        Self::allocate_memory(vulkan, info, size, type_bits, dedicated_to, handle_type)
    }

    /// Imports device-local memory. If the import succeeds, Vulkan owns `fd`. If it fails, this function closes `fd`.
    #[cfg(unix)]
    pub fn import_fd(
        vulkan: &'v Vulkan,
        fd: OwnedFd,
        size: u64,
        type_bits: u32,
        dedicated_to: DedicatedTo,
        handle_type: vk::ExternalMemoryHandleTypeFlags,
    ) -> Result<Self> {
        let number = fd.into_raw_fd();
        let mut import = vk::ImportMemoryFdInfoKHR::default().handle_type(handle_type).fd(number);
        let info = vk::MemoryAllocateInfo::default().push_next(&mut import);
        Self::allocate_memory(vulkan, info, size, type_bits, dedicated_to, handle_type).inspect_err(|_| {
            // SAFETY: a failed import has left the descriptor to this process.
            drop(unsafe { OwnedFd::from_raw_fd(number) });
        })
    }

    fn allocate_memory(
        vulkan: &'v Vulkan,
        info: vk::MemoryAllocateInfo,
        size: u64,
        type_bits: u32,
        dedicated_to: DedicatedTo,
        handle_type: vk::ExternalMemoryHandleTypeFlags,
    ) -> Result<Self> {
        let mut alone = match dedicated_to {
            DedicatedTo::Nothing => vk::MemoryDedicatedAllocateInfo::default(),
            DedicatedTo::Buffer(buffer) => vk::MemoryDedicatedAllocateInfo::default().buffer(buffer),
            DedicatedTo::Image(image) => vk::MemoryDedicatedAllocateInfo::default().image(image),
        };
        let mut info = info
            .allocation_size(size)
            .memory_type_index(vulkan.memory_type(type_bits, vk::MemoryPropertyFlags::DEVICE_LOCAL)?);
        let dedicated = !matches!(dedicated_to, DedicatedTo::Nothing);
        if dedicated {
            info = info.push_next(&mut alone);
        }
        // SAFETY: the chain outlives the call.
        let raw = unsafe { vulkan.device.allocate_memory(&info, None) }?;
        Ok(Self { vulkan, raw, size, dedicated, handle_type })
    }

    /// Returns a new descriptor, which keeps the allocation alive. Each importer takes over a separate descriptor.
    #[cfg(unix)]
    pub fn export_fd(&self) -> Result<OwnedFd> {
        let info = vk::MemoryGetFdInfoKHR::default().memory(self.raw).handle_type(self.handle_type);
        // SAFETY: the caller owns the new descriptor.
        unsafe { Ok(OwnedFd::from_raw_fd(self.vulkan.external_memory.get_memory_fd(&info)?)) }
    }
}

impl Drop for VulkanMemory<'_> {
    fn drop(&mut self) {
        // SAFETY: the buffers and images that were bound to the memory are no longer in use.
        unsafe { self.vulkan.device.free_memory(self.raw, None) };
    }
}
