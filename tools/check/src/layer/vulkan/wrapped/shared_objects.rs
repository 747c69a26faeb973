//! Functions that allocate, export and free memory, and that create, bind and destroy buffers and images.

use ash::vk;
use cuda_external_in_process::vulkan::{array_slice, find_in_chain};

use crate::layer::chassis::process_state::set_had_mappings;
use crate::layer::chassis::wrapped_call::LayerCall;
use crate::layer::vulkan::chassis::{AllocCallbacks, intercept};
use crate::layer::vulkan::core_checks::export_mismatch::{self, mark_exported_fd};
use crate::layer::vulkan::core_checks::import_facts::SharedObjectFacts;
use crate::layer::vulkan::state_tracker::vulkan_state::{
    ExportableKind, ExportedFd, ImageProperties, MemoryState, VulkanHandleKey, object_key, set_has_exports,
};
use crate::layer::vulkan::wrapped::record_on_success::note_on_success;
use crate::object_description::ObjectKind;

fn note_bound_buffer(layer_call: &LayerCall, buffer: VulkanHandleKey, memory: VulkanHandleKey, offset: u64) {
    let vulkan = &mut layer_call.lock_state().vulkan;
    let Some(number) = vulkan.exportable_number(memory) else { return };
    let size = vulkan.buffer_sizes.get(&buffer).copied().unwrap_or_default();
    vulkan.bound_buffers.insert(buffer, (number, offset));
    if let Some(memory) = vulkan.memory_state_mut(number) {
        memory.buffers.insert((offset, offset + size));
    }
}

fn note_bound_image(layer_call: &LayerCall, image: VulkanHandleKey, memory: VulkanHandleKey, offset: u64) {
    let vulkan = &mut layer_call.lock_state().vulkan;
    let Some(number) = vulkan.exportable_number(memory) else { return };
    let Some(of) = vulkan.images.get_mut(&image) else { return };
    of.memory = Some(number);
    if let Some(memory) = vulkan.memory_state_mut(number) {
        memory.images.push((offset, image));
    }
}

pub fn note_exported_fd(layer_call: &mut LayerCall, fd: i32, of: VulkanHandleKey, handle_type: u32) {
    let (site, mark) = (layer_call.call_site(), mark_exported_fd(fd));
    let vulkan = &mut layer_call.lock_state().vulkan;
    vulkan.exported_fds.remove(&fd);
    if let Some(of) = vulkan.exportable_number(of) {
        vulkan.exported_fds.insert(fd, ExportedFd { of, handle_type, site, mark });
        set_has_exports();
    }
}

intercept! {
    allocate_memory = c"vkAllocateMemory": PFN_vkAllocateMemory(
        device: vk::Device, info: *const vk::MemoryAllocateInfo<'_>, allocator: AllocCallbacks<'_>,
        out: *mut vk::DeviceMemory,
    ) -> vk::Result |of, layer_call, next| {
        let chain = (*info).p_next;
        // A successful call takes the descriptor, so `check_vulkan_import` inspects the descriptor before the call.
        let import: Option<&vk::ImportMemoryFdInfoKHR<'_>> = find_in_chain(chain);
        let import = import.map(|of| (of.fd, of.handle_type)).filter(|(fd, _)| *fd >= 0);
        let is_dedicated = find_in_chain(chain).is_some_and(|of: &vk::MemoryDedicatedAllocateInfo<'_>| {
            of.buffer != vk::Buffer::null() || of.image != vk::Image::null()
        });
        let exporter = import.and_then(|(fd, handle_type)| {
            let is_opaque = handle_type == vk::ExternalMemoryHandleTypeFlags::OPAQUE_FD;
            let facts = SharedObjectFacts {
                size: is_opaque.then_some((*info).allocation_size),
                is_dedicated: is_opaque.then_some(is_dedicated),
                ..SharedObjectFacts::facts_of_vulkan_import(ObjectKind::Memory, handle_type.as_raw(), of.uuid)
            };
            export_mismatch::check_vulkan_import(layer_call, fd, &facts)
        });
        let import = import.map(|(fd, _)| fd);
        let export: Option<&vk::ExportMemoryAllocateInfo<'_>> = find_in_chain(chain);
        note_on_success(layer_call, next, |layer_call| {
            if let Some(fd) = import {
                export_mismatch::note_fd_imported_by_vulkan(layer_call, fd);
            }
            if let Some(number) = exporter {
                layer_call.lock_state().vulkan.note_vulkan_import(object_key(device, *out), number);
                set_had_mappings();
            } else if export.is_some_and(|of| !of.handle_types.is_empty()) {
                let (size, is_dedicated) = ((*info).allocation_size, Some(is_dedicated));
                let memory = MemoryState { size, is_dedicated, ..MemoryState::default() };
                let made = layer_call.call_site();
                let vulkan = &mut layer_call.lock_state().vulkan;
                let handle = object_key(device, *out);
                vulkan.add_exportable(Some(handle), ExportableKind::Memory(memory), of.uuid, made);
            }
        })
    };
    free_memory = c"vkFreeMemory": PFN_vkFreeMemory(
        device: vk::Device, memory: vk::DeviceMemory, allocator: AllocCallbacks<'_>,
    ) |of, layer_call| {
        export_mismatch::check_exporter_in_use(layer_call, object_key(device, memory));
        layer_call.lock_state().vulkan.end_exported_handle(object_key(device, memory));
    };
    bind_buffer = c"vkBindBufferMemory": PFN_vkBindBufferMemory(
        device: vk::Device, buffer: vk::Buffer, memory: vk::DeviceMemory, offset: u64,
    ) -> vk::Result |of, layer_call, next| note_on_success(layer_call, next, |layer_call| {
        note_bound_buffer(layer_call, object_key(device, buffer), object_key(device, memory), offset);
    });
    bind_buffers = c"vkBindBufferMemory2" | c"vkBindBufferMemory2KHR": PFN_vkBindBufferMemory2(
        device: vk::Device, count: u32, infos: *const vk::BindBufferMemoryInfo<'_>,
    ) -> vk::Result |of, layer_call, next| note_on_success(layer_call, next, |layer_call| {
        for one in array_slice(infos, count) {
            let (buffer, memory) = (object_key(device, one.buffer), object_key(device, one.memory));
            note_bound_buffer(layer_call, buffer, memory, one.memory_offset);
        }
    });
    create_buffer = c"vkCreateBuffer": PFN_vkCreateBuffer(
        device: vk::Device, info: *const vk::BufferCreateInfo<'_>, allocator: AllocCallbacks<'_>, out: *mut vk::Buffer,
    ) -> vk::Result |of, layer_call, next| note_on_success(layer_call, next, |layer_call| {
        layer_call.lock_state().vulkan.buffer_sizes.insert(object_key(device, *out), (*info).size);
    });
    destroy_buffer = c"vkDestroyBuffer": PFN_vkDestroyBuffer(
        device: vk::Device, buffer: vk::Buffer, allocator: AllocCallbacks<'_>,
    ) |of, layer_call| layer_call.lock_state().vulkan.forget_buffer(object_key(device, buffer));
    create_image = c"vkCreateImage": PFN_vkCreateImage(
        device: vk::Device, info: *const vk::ImageCreateInfo<'_>, allocator: AllocCallbacks<'_>, out: *mut vk::Image,
    ) -> vk::Result |of, layer_call, next| note_on_success(layer_call, next, |layer_call| {
        let info = &*info;
        let export: Option<&vk::ExternalMemoryImageCreateInfo<'_>> = find_in_chain(info.p_next);
        if export.is_some_and(|of| !of.handle_types.is_empty()) {
            let image = ImageProperties {
                kind: info.image_type,
                format: info.format,
                extent: info.extent,
                levels: info.mip_levels,
                layers: info.array_layers,
                samples: info.samples,
                tiling: info.tiling,
                made: layer_call.call_site(),
                memory: None,
            };
            layer_call.lock_state().vulkan.images.insert(object_key(device, *out), image);
        }
    });
    destroy_image = c"vkDestroyImage": PFN_vkDestroyImage(
        device: vk::Device, image: vk::Image, allocator: AllocCallbacks<'_>,
    ) |of, layer_call| layer_call.lock_state().vulkan.forget_image(object_key(device, image));
    bind_image = c"vkBindImageMemory": PFN_vkBindImageMemory(
        device: vk::Device, image: vk::Image, memory: vk::DeviceMemory, offset: u64,
    ) -> vk::Result |of, layer_call, next| note_on_success(layer_call, next, |layer_call| {
        note_bound_image(layer_call, object_key(device, image), object_key(device, memory), offset);
    });
    bind_images = c"vkBindImageMemory2" | c"vkBindImageMemory2KHR": PFN_vkBindImageMemory2(
        device: vk::Device, count: u32, infos: *const vk::BindImageMemoryInfo<'_>,
    ) -> vk::Result |of, layer_call, next| note_on_success(layer_call, next, |layer_call| {
        for one in array_slice(infos, count) {
            // One plane of an image cannot be compared with an array.
            if find_in_chain::<vk::BindImagePlaneMemoryInfo<'_>>(one.p_next).is_none() {
                let (image, memory) = (object_key(device, one.image), object_key(device, one.memory));
                note_bound_image(layer_call, image, memory, one.memory_offset);
            }
        }
    });
    get_memory_fd = c"vkGetMemoryFdKHR": PFN_vkGetMemoryFdKHR(
        device: vk::Device, info: *const vk::MemoryGetFdInfoKHR<'_>, out: *mut i32,
    ) -> vk::Result |of, layer_call, next| note_on_success(layer_call, next, |layer_call| {
        let of = object_key(device, (*info).memory);
        note_exported_fd(layer_call, *out, of, (*info).handle_type.as_raw());
    });
}
