//! A device's functions that make, bind, export and end what may be shared, and that signal and wait.

use ash::vk;
use cuda_external_in_process::vulkan::{array_slice, find_in_chain};

use crate::layer::chassis::layer_call::LayerCall;
use crate::layer::chassis::process_state::set_has_mappings;
use crate::layer::host_process::call_site::CallSite;

use crate::layer::vulkan::chassis::intercept_macro::intercept;
use crate::layer::vulkan::core_checks::export_mismatch::{self, mark_exported_fd};
use crate::layer::vulkan::core_checks::semaphore_order::{
    check_host_wait, note_batch, note_fence, note_host_signal_call, note_value_reached,
};
use crate::layer::vulkan::state_tracker::vulkan_state::{
    ExportableKind, ExportedFd, ImageState, MemoryState, ObjectKey, SemaphoreState, object_key,
    set_has_exports,
};
use crate::layer::vulkan::sync::replay::SemaphoreId;
use crate::layer::vulkan::sync::timeline_values::TimelineValues;

type Allocator<'a> = *const vk::AllocationCallbacks<'a>;

/// Runs a call, and then notes what it did where it succeeded.
fn note_on_success(
    visit: &mut LayerCall,
    next: impl FnOnce(&mut LayerCall) -> vk::Result,
    note: impl FnOnce(&mut LayerCall),
) -> vk::Result {
    let result = next(visit);
    if result == vk::Result::SUCCESS {
        note(visit);
    }
    result
}

fn note_bound_buffer(
    visit: &LayerCall,
    device: vk::Device,
    buffer: vk::Buffer,
    memory: vk::DeviceMemory,
    offset: u64,
) {
    let vulkan = &mut visit.state().vulkan;
    let number = vulkan.exportable_number(object_key(device, memory));
    if let Some(number) = number {
        vulkan.bound_buffers.insert(object_key(device, buffer), (number, offset));
    }
}

fn note_bound_image(
    visit: &LayerCall,
    device: vk::Device,
    image: vk::Image,
    memory: vk::DeviceMemory,
    offset: u64,
) {
    let image = object_key(device, image);
    let vulkan = &mut visit.state().vulkan;
    let Some(number) = vulkan.exportable_number(object_key(device, memory)) else { return };
    let Some(of) = vulkan.images.get_mut(&image) else { return };
    of.memory = Some(number);
    if let Some(memory) = vulkan.memory(number) {
        memory.images.push((offset, image));
    }
}

/// Notes a descriptor that Vulkan made.
fn note_exported_fd(visit: &mut LayerCall, call: &'static str, fd: i32, of: ObjectKey, handle_type: u32) {
    let (site, mark) = (CallSite::capture(visit, call), mark_exported_fd(fd));
    let vulkan = &mut visit.state().vulkan;
    vulkan.exported_fds.remove(&fd);
    if let Some(of) = vulkan.exportable_number(of) {
        vulkan.exported_fds.insert(fd, ExportedFd { of, handle_type, site, mark });
        set_has_exports();
    }
}

intercept! {
    0, false, if true;
    allocate_memory = c"vkAllocateMemory": PFN_vkAllocateMemory(
        device: vk::Device, info: *const vk::MemoryAllocateInfo<'_>, allocator: Allocator<'_>, out: *mut vk::DeviceMemory,
    ) -> vk::Result |of, visit, next| {
        let chain = (*info).p_next;
        // A successful call takes the descriptor.
        let import = find_in_chain(chain).map(|of: &vk::ImportMemoryFdInfoKHR<'_>| of.fd);
        let of_cuda = import.and_then(|fd| visit.state().vulkan.take_cuda_export(fd));
        note_on_success(visit, next, |visit| {
            if let Some(number) = of_cuda {
                visit.state().vulkan.note_vulkan_import(object_key(device, *out), number);
                set_has_mappings();
            } else if find_in_chain(chain).is_some_and(|of: &vk::ExportMemoryAllocateInfo<'_>| !of.handle_types.is_empty()) {
                let is_dedicated = find_in_chain(chain).is_some_and(|of: &vk::MemoryDedicatedAllocateInfo<'_>| {
                    of.buffer != vk::Buffer::null() || of.image != vk::Image::null()
                });
                let (size, images) = ((*info).allocation_size, Vec::new());
                let memory = ExportableKind::Memory(MemoryState { size, is_dedicated, images });
                let made = CallSite::capture(visit, "vkAllocateMemory");
                visit.state().vulkan.add_exportable(object_key(device, *out), memory, of.uuid, made);
            }
        })
    };
    free_memory = c"vkFreeMemory": PFN_vkFreeMemory(
        device: vk::Device, memory: vk::DeviceMemory, allocator: Allocator<'_>,
    ) |of, visit| {
        export_mismatch::check_exporter_in_use(visit, "vkFreeMemory", object_key(device, memory));
        visit.state().vulkan.end_exported_handle(object_key(device, memory));
    };
    bind_buffer = c"vkBindBufferMemory": PFN_vkBindBufferMemory(
        device: vk::Device, buffer: vk::Buffer, memory: vk::DeviceMemory, offset: u64,
    ) -> vk::Result |of, visit, next| note_on_success(visit, next, |visit| note_bound_buffer(visit, device, buffer, memory, offset));
    bind_buffers = c"vkBindBufferMemory2" | c"vkBindBufferMemory2KHR": PFN_vkBindBufferMemory2(
        device: vk::Device, count: u32, infos: *const vk::BindBufferMemoryInfo<'_>,
    ) -> vk::Result |of, visit, next| note_on_success(visit, next, |visit| {
        for one in array_slice(infos, count) {
            note_bound_buffer(visit, device, one.buffer, one.memory, one.memory_offset);
        }
    });
    create_buffer = c"vkCreateBuffer": PFN_vkCreateBuffer(
        device: vk::Device, info: *const vk::BufferCreateInfo<'_>, allocator: Allocator<'_>, out: *mut vk::Buffer,
    ) -> vk::Result |of, visit, next| note_on_success(visit, next, |visit| {
        visit.state().vulkan.buffer_sizes.insert(object_key(device, *out), (*info).size);
    });
    destroy_buffer = c"vkDestroyBuffer": PFN_vkDestroyBuffer(
        device: vk::Device, buffer: vk::Buffer, allocator: Allocator<'_>,
    ) |of, visit| {
        let mut state = visit.state();
        state.vulkan.bound_buffers.remove(&object_key(device, buffer));
        state.vulkan.buffer_sizes.remove(&object_key(device, buffer));
    };
    create_image = c"vkCreateImage": PFN_vkCreateImage(
        device: vk::Device, info: *const vk::ImageCreateInfo<'_>, allocator: Allocator<'_>, out: *mut vk::Image,
    ) -> vk::Result |of, visit, next| note_on_success(visit, next, |visit| {
        let info = &*info;
        if find_in_chain(info.p_next).is_some_and(|of: &vk::ExternalMemoryImageCreateInfo<'_>| !of.handle_types.is_empty()) {
            let image = ImageState {
                kind: info.image_type,
                format: info.format,
                extent: info.extent,
                levels: info.mip_levels,
                layers: info.array_layers,
                samples: info.samples,
                tiling: info.tiling,
                made: CallSite::capture(visit, "vkCreateImage"),
                memory: None,
                has_layout: info.initial_layout != vk::ImageLayout::UNDEFINED,
            };
            visit.state().vulkan.images.insert(object_key(device, *out), image);
        }
    });
    destroy_image = c"vkDestroyImage": PFN_vkDestroyImage(
        device: vk::Device, image: vk::Image, allocator: Allocator<'_>,
    ) |of, visit| visit.state().vulkan.end_image(object_key(device, image));
    bind_image = c"vkBindImageMemory": PFN_vkBindImageMemory(
        device: vk::Device, image: vk::Image, memory: vk::DeviceMemory, offset: u64,
    ) -> vk::Result |of, visit, next| note_on_success(visit, next, |visit| note_bound_image(visit, device, image, memory, offset));
    bind_images = c"vkBindImageMemory2" | c"vkBindImageMemory2KHR": PFN_vkBindImageMemory2(
        device: vk::Device, count: u32, infos: *const vk::BindImageMemoryInfo<'_>,
    ) -> vk::Result |of, visit, next| note_on_success(visit, next, |visit| {
        for one in array_slice(infos, count) {
            // A plane by itself is no image that an array could be compared with.
            if find_in_chain::<vk::BindImagePlaneMemoryInfo<'_>>(one.p_next).is_none() {
                note_bound_image(visit, device, one.image, one.memory, one.memory_offset);
            }
        }
    });
    create_semaphore = c"vkCreateSemaphore": PFN_vkCreateSemaphore(
        device: vk::Device, info: *const vk::SemaphoreCreateInfo<'_>, allocator: Allocator<'_>, out: *mut vk::Semaphore,
    ) -> vk::Result |of, visit, next| note_on_success(visit, next, |visit| {
        let (chain, semaphore) = ((*info).p_next, object_key(device, *out));
        let kind: Option<&vk::SemaphoreTypeCreateInfo<'_>> = find_in_chain(chain);
        let is_timeline = kind.is_some_and(|kind| kind.semaphore_type == vk::SemaphoreType::TIMELINE);
        let value = kind.map_or(0, |kind| kind.initial_value);
        let made = CallSite::capture(visit, "vkCreateSemaphore");
        let vulkan = &mut visit.state().vulkan;
        if find_in_chain(chain).is_some_and(|of: &vk::ExportSemaphoreCreateInfo<'_>| !of.handle_types.is_empty()) {
            let what = ExportableKind::Semaphore(SemaphoreState { is_timeline, values: TimelineValues::starting_at(value) });
            vulkan.add_exportable(semaphore, what, of.uuid, made);
        } else if is_timeline {
            vulkan.internal_timelines.insert(semaphore);
        }
        if value > 0 {
            let (sem, _) = vulkan.semaphore_id(semaphore);
            vulkan.replay.note_host_signal(sem, value);
        }
    });
    destroy_semaphore = c"vkDestroySemaphore": PFN_vkDestroySemaphore(
        device: vk::Device, semaphore: vk::Semaphore, allocator: Allocator<'_>,
    ) |of, visit| {
        export_mismatch::check_exporter_in_use(visit, "vkDestroySemaphore", object_key(device, semaphore));
        let mut state = visit.state();
        state.vulkan.end_exported_handle(object_key(device, semaphore));
        state.vulkan.internal_timelines.remove(&object_key(device, semaphore));
        state.vulkan.replay.forget_semaphore(SemaphoreId::Internal(object_key(device, semaphore)));
    };
    signal_semaphore = c"vkSignalSemaphore" | c"vkSignalSemaphoreKHR": PFN_vkSignalSemaphore(
        device: vk::Device, info: *const vk::SemaphoreSignalInfo<'_>,
    ) -> vk::Result |of, visit, next| {
        let vk::SemaphoreSignalInfo { semaphore, value, .. } = *info;
        note_host_signal_call(visit, device, semaphore, value);
        note_on_success(visit, next, |visit| note_value_reached(visit, device, semaphore, value))
    };
    wait_semaphores = c"vkWaitSemaphores" | c"vkWaitSemaphoresKHR": PFN_vkWaitSemaphores(
        device: vk::Device, info: *const vk::SemaphoreWaitInfo<'_>, timeout: u64,
    ) -> vk::Result |of, visit, next| {
        let info = &*info;
        let semaphores = array_slice(info.p_semaphores, info.semaphore_count).iter();
        let each = semaphores.copied().zip(array_slice(info.p_values, info.semaphore_count).iter().copied());
        // Where there are several semaphores, it is not known which of them was signaled.
        let each = each.filter(|_| !info.flags.contains(vk::SemaphoreWaitFlags::ANY) || info.semaphore_count == 1);
        let each = Vec::from_iter(each);
        each.iter().filter(|_| timeout > 0).for_each(|(of, value)| check_host_wait(visit, device, *of, *value));
        note_on_success(visit, next, |visit| each.iter().for_each(|(of, value)| note_value_reached(visit, device, *of, *value)))
    };
    get_counter = c"vkGetSemaphoreCounterValue" | c"vkGetSemaphoreCounterValueKHR": PFN_vkGetSemaphoreCounterValue(
        device: vk::Device, semaphore: vk::Semaphore, out: *mut u64,
    ) -> vk::Result |of, visit, next| note_on_success(visit, next, |visit| note_value_reached(visit, device, semaphore, *out));
    get_memory_fd = c"vkGetMemoryFdKHR": PFN_vkGetMemoryFdKHR(
        device: vk::Device, info: *const vk::MemoryGetFdInfoKHR<'_>, out: *mut i32,
    ) -> vk::Result |of, visit, next| note_on_success(visit, next, |visit| {
        let of = object_key(device, (*info).memory);
        note_exported_fd(visit, "vkGetMemoryFdKHR", *out, of, (*info).handle_type.as_raw());
    });
    get_semaphore_fd = c"vkGetSemaphoreFdKHR": PFN_vkGetSemaphoreFdKHR(
        device: vk::Device, info: *const vk::SemaphoreGetFdInfoKHR<'_>, out: *mut i32,
    ) -> vk::Result |of, visit, next| note_on_success(visit, next, |visit| {
        let of = object_key(device, (*info).semaphore);
        note_exported_fd(visit, "vkGetSemaphoreFdKHR", *out, of, (*info).handle_type.as_raw());
    });
    import_semaphore_fd = c"vkImportSemaphoreFdKHR": PFN_vkImportSemaphoreFdKHR(
        device: vk::Device, info: *const vk::ImportSemaphoreFdInfoKHR<'_>,
    ) -> vk::Result |of, visit, next| note_on_success(visit, next, |visit| {
        // From here on the semaphore has the payload of another semaphore, which the check does not know.
        let (vulkan, semaphore) = (&mut visit.state().vulkan, object_key(device, (*info).semaphore));
        vulkan.end_exported_handle(semaphore);
        vulkan.replay.mark_foreign(SemaphoreId::Internal(semaphore));
    });
    queue_submit = c"vkQueueSubmit": PFN_vkQueueSubmit(
        queue: vk::Queue, count: u32, infos: *const vk::SubmitInfo<'_>, fence: vk::Fence,
    ) -> vk::Result |of, visit, next| {
        for info in array_slice(infos, count) {
            let values: Option<&vk::TimelineSemaphoreSubmitInfo<'_>> = find_in_chain(info.p_next);
            let (waits, signals) = values.map_or((&[][..], &[][..]), |values| {
                let waits = array_slice(values.p_wait_semaphore_values, values.wait_semaphore_value_count);
                (waits, array_slice(values.p_signal_semaphore_values, values.signal_semaphore_value_count))
            });
            // A binary semaphore may have no value.
            let values = |values: &'static [u64]| values.iter().copied().chain(std::iter::repeat(0));
            let all_waits = array_slice(info.p_wait_semaphores, info.wait_semaphore_count).iter().copied();
            let all_signals = array_slice(info.p_signal_semaphores, info.signal_semaphore_count).iter().copied();
            let commands = array_slice(info.p_command_buffers, info.command_buffer_count).iter().copied();
            let at = (of.handle, queue, "vkQueueSubmit");
            note_batch(visit, at, all_waits.zip(values(waits)), commands, all_signals.zip(values(signals)));
        }
        note_fence(visit, of.handle, queue, fence);
        next(visit)
    };
    queue_submit2 = c"vkQueueSubmit2" | c"vkQueueSubmit2KHR": PFN_vkQueueSubmit2(
        queue: vk::Queue, count: u32, infos: *const vk::SubmitInfo2<'_>, fence: vk::Fence,
    ) -> vk::Result |of, visit| {
        for info in array_slice(infos, count) {
            let with = |info: &vk::SemaphoreSubmitInfo<'_>| (info.semaphore, info.value);
            let waits = array_slice(info.p_wait_semaphore_infos, info.wait_semaphore_info_count).iter().map(with);
            let signals = array_slice(info.p_signal_semaphore_infos, info.signal_semaphore_info_count).iter().map(with);
            let commands = array_slice(info.p_command_buffer_infos, info.command_buffer_info_count).iter();
            let at = (of.handle, queue, "vkQueueSubmit2");
            note_batch(visit, at, waits, commands.map(|info| info.command_buffer), signals);
        }
        note_fence(visit, of.handle, queue, fence);
    };
}
