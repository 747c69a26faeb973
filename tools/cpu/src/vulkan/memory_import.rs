//! Imports memory into lavapipe: writes lavapipe's tag to the CUDA driver's files, and refuses imports that would fail.

use std::fs::File;
use std::os::fd::FromRawFd;

use ash::vk;
use cuda_external_in_process::vulkan::find_in_chain;

use super::layer_state::LayerDevice;
use super::{AllocCallbacks, functions};
use crate::shared_files::{self, MemoryFileHeader, TAG};

const OPAQUE_FD: vk::ExternalMemoryHandleTypeFlags = vk::ExternalMemoryHandleTypeFlags::OPAQUE_FD;

/// Exports memory, and returns the tag in the exported file. The tag differs between builds of Mesa. Returns `None` if
/// the export fails, or if Mesa exports a dma-buf, which has no tag.
fn memory_tag_of_device(device: &LayerDevice) -> Option<[u8; 16]> {
    let mut types = vk::ExportMemoryAllocateInfo::default().handle_types(OPAQUE_FD);
    let info = vk::MemoryAllocateInfo::default().allocation_size(4096).push_next(&mut types);
    let mut fd = -1;
    // SAFETY: the device lives, and nothing else uses the memory and the descriptor.
    let file = unsafe {
        let memory = device.call.allocate_memory(&info, None).ok()?;
        let info = vk::MemoryGetFdInfoKHR::default().memory(memory).handle_type(OPAQUE_FD);
        let result = (device.memory_fd.get_memory_fd_khr)(device.call.handle(), &info, &mut fd);
        device.call.free_memory(memory, None);
        result.result().ok()?;
        File::from_raw_fd(fd)
    };
    MemoryFileHeader::read_header(&file).map(|header| header.tag)
}

/// Writes lavapipe's tag to the file of `fd` if the CUDA driver made the file. Returns `None` if lavapipe cannot import
/// `size` bytes from the file. `fd` must be open.
unsafe fn adapt_header(device: &LayerDevice, fd: i32, size: u64) -> Option<()> {
    // SAFETY: the descriptor is open during this function.
    let file = unsafe { shared_files::borrow_fd_as_file(fd) };
    let found = MemoryFileHeader::read_header(&file);
    match (*device.memory_tag.get_or_init(|| memory_tag_of_device(device)), found) {
        (Some(tag), Some(found)) if found.data_size() >= size && found.tag == TAG => {
            MemoryFileHeader { tag, ..found }.write_to_memory_file(&file).ok()
        }
        (Some(tag), Some(found)) => (found.data_size() >= size && found.tag == tag).then_some(()),
        // A lavapipe that exports dma-bufs would import this driver's header as data.
        (None, Some(found)) => (found.tag != TAG).then_some(()),
        (Some(_), None) => None,
        (None, None) => Some(()),
    }
}

functions! {
    FUNCTIONS:
    fn vkAllocateMemory: PFN_vkAllocateMemory, device = device_of(
        handle: vk::Device, info: *const vk::MemoryAllocateInfo<'_>, allocator: AllocCallbacks<'_>,
        memory: *mut vk::DeviceMemory
    ) -> vk::Result {
        let import = find_in_chain::<vk::ImportMemoryFdInfoKHR>((*info).p_next);
        if let Some(import) = import.filter(|import| import.handle_type == OPAQUE_FD && device.is_lavapipe) {
            // The layer refuses an import that would fail, since lavapipe 22.3 would close `import.fd` anyway.
            if import.fd < 0 || adapt_header(&device, import.fd, (*info).allocation_size).is_none() {
                return vk::Result::ERROR_INVALID_EXTERNAL_HANDLE;
            }
        }
        (device.call.fp_v1_0().allocate_memory)(handle, info, allocator, memory)
    }
}
