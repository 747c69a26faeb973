//! Memory, images and semaphores that the program may export, and the descriptors that it exported.

use std::collections::BTreeSet;

use ash::vk;

use crate::layer::host_process::current_process::CallSite;
use crate::layer::host_process::fd_info::OpenFileId;
use crate::layer::vulkan::utils::handle_keys::VulkanHandleKey;

pub struct ExportableObject {
    pub kind: ExportableKind,
    pub is_of_cuda: bool,
    /// The UUID of the device.
    pub uuid: Option<[u8; 16]>,
    pub made: CallSite,
    /// The numbers of CUDA's live imports.
    pub imports: Vec<u32>,
    /// The number of live handles: the exporter's, and those of Vulkan's imports.
    pub handles: u32,
}

pub enum ExportableKind {
    Memory(MemoryState),
    Semaphore { is_timeline: bool },
}

#[derive(Default)]
pub struct MemoryState {
    pub size: u64,
    /// Whether the allocation is dedicated. `None` for memory that CUDA allocated, since cuMemCreate does not state it.
    pub is_dedicated: Option<bool>,
    /// The images that are bound to the memory, with their offsets.
    pub images: Vec<(u64, VulkanHandleKey)>,
    /// The offsets in the memory at which the bound buffers begin and end.
    pub buffers: BTreeSet<(u64, u64)>,
}

pub struct ImageProperties {
    pub kind: vk::ImageType,
    pub format: vk::Format,
    pub extent: vk::Extent3D,
    pub levels: u32,
    pub layers: u32,
    pub samples: vk::SampleCountFlags,
    pub tiling: vk::ImageTiling,
    pub made: CallSite,
    pub memory: Option<u32>,
}

impl ImageProperties {
    pub fn is_image_covered_by(&self, offset: vk::Offset3D, extent: vk::Extent3D) -> bool {
        self.levels == 1 && self.layers == 1 && offset == vk::Offset3D::default() && extent == self.extent
    }
}

/// A descriptor that the program exported and has not imported yet.
#[derive(Clone)]
pub struct ExportedFd {
    /// The number of the exportable object.
    pub of: u32,
    /// A bit of VkExternalMemoryHandleTypeFlagBits or of VkExternalSemaphoreHandleTypeFlagBits.
    pub handle_type: u32,
    pub site: CallSite,
    /// The identity of the exported file. A later file with the same descriptor number has another identity.
    pub mark: Option<OpenFileId>,
}
