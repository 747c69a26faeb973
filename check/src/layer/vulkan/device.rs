//! A device's functions that make, bind, export and end what may be shared, and that signal and wait.

use std::ffi::CStr;
use std::sync::atomic::Ordering;

use ash::vk::{self, Handle as _};

use crate::layer::call::Site;
use crate::layer::report::Finding;
use crate::layer::state::state;
use crate::rules::Rule;

use super::hand_over::Api;
use super::pairs::{self, mark};
use super::records::{Export, Handle, Image, Memory, Semaphore, What, handle};
use super::tables::intercept;
use super::timelines::{Order, Values};
use super::{HAS_EXPORTS, entries, in_chain};

/// The layer's function of this name.
pub fn intercepted(name: &CStr) -> vk::PFN_vkVoidFunction {
    function(name)
}

type Allocator<'a> = *const vk::AllocationCallbacks<'a>;

/// Runs a call, and then notes what it did where it succeeded.
fn noted(next: impl FnOnce() -> vk::Result, note: impl FnOnce()) -> vk::Result {
    let result = next();
    if result == vk::Result::SUCCESS {
        note();
    }
    result
}

fn bound_buffer(device: vk::Device, buffer: vk::Buffer, memory: vk::DeviceMemory, offset: u64) {
    let vulkan = &mut state().vulkan;
    let number = vulkan.number(handle(device, memory));
    number.into_iter().for_each(|number| _ = vulkan.buffers.insert(handle(device, buffer), (number, offset)));
}

fn bound_image(device: vk::Device, image: vk::Image, memory: vk::DeviceMemory, offset: u64) {
    let (image, vulkan) = (handle(device, image), &mut state().vulkan);
    let Some(number) = vulkan.number(handle(device, memory)) else { return };
    let Some(of) = vulkan.images.get_mut(&image) else { return };
    of.memory = Some(number);
    vulkan.memory(number).into_iter().for_each(|memory| memory.images.push((offset, image)));
}

/// Notes a descriptor that Vulkan made.
fn exported(call: &'static str, fd: i32, of: Handle, handle_type: u32) {
    let (site, mark) = (Site::here(call), mark(fd));
    let vulkan = &mut state().vulkan;
    vulkan.exports.remove(&fd);
    if let Some(of) = vulkan.number(of) {
        vulkan.exports.insert(fd, Export { of, handle_type, site, mark });
        HAS_EXPORTS.store(true, Ordering::Release);
    }
}

/// A signal in an order, or by the host.
fn signaled(
    call: &'static str,
    device: vk::Device,
    semaphore: vk::Semaphore,
    value: u64,
    order: Option<Order>,
) {
    let state = &mut *state();
    let Some(number) = state.vulkan.number(handle(device, semaphore)) else { return };
    let Some(of) = state.vulkan.semaphore(number) else { return };
    if !of.is_timeline {
        of.values.pending += 1;
    } else if let Some((text, waited)) = of.values.signal(order, value) {
        let import = state.vulkan.get(number).and_then(|of| of.imports.first().copied());
        let finding = Finding::new(Rule::TimelineGoesBack, call, text);
        state.report_back(import.into_iter().fold(finding, Finding::about), number, waited);
    }
    state.vulkan.hand_over_signal(number, value);
}

/// A wait in a queue, which should follow the signal that it waits for.
fn waited(call: &'static str, device: vk::Device, semaphore: vk::Semaphore, value: u64, queue: vk::Queue) {
    let site = Site::here(call);
    let state = &mut *state();
    let Some(number) = state.vulkan.number(handle(device, semaphore)) else { return };
    let Some(of) = state.vulkan.semaphore(number) else { return };
    let (is_signaled, text) = if of.is_timeline {
        of.values.wait(Order::Queue(queue.as_raw()), value, site);
        let text = format!("It waits for {value}, which neither Vulkan nor CUDA was told to signal yet.");
        (of.values.is_announced(value), text)
    } else {
        let is_signaled = of.values.pending > 0;
        of.values.pending = (of.values.pending - 1).max(0);
        (is_signaled, "It waits for a signal that neither Vulkan nor CUDA was told yet.".to_owned())
    };
    // Without an import the semaphore is Vulkan's alone, or another process's.
    let made = state.vulkan.get(number).and_then(|of| Some((*of.imports.first()?, of.made.clone())));
    if let (false, Some((import, made))) = (is_signaled, made) {
        let finding = Finding::new(Rule::WaitBeforeSignal, call, text).about(import);
        state.report(finding.with("The semaphore was made by", &made));
    }
    state.vulkan.hand_over_wait(Api::Vulkan, number, value);
}

/// The host knows that a timeline has reached a value.
fn reached(device: vk::Device, semaphore: vk::Semaphore, value: u64) {
    let vulkan = &mut state().vulkan;
    let Some(number) = vulkan.number(handle(device, semaphore)) else { return };
    vulkan.semaphore(number).into_iter().for_each(|of| of.values.reach(value));
    vulkan.hand_over_wait(Api::Vulkan, number, value);
    vulkan.hand_over_wait(Api::Cuda, number, value);
}

/// One batch of a submission, in the order in which a queue of a device works on it.
fn submitted(
    (device, queue, call): (vk::Device, vk::Queue, &'static str),
    waits: impl Iterator<Item = (vk::Semaphore, u64)>,
    commands: impl Iterator<Item = vk::CommandBuffer>,
    signals: impl Iterator<Item = (vk::Semaphore, u64)>,
) {
    waits.for_each(|(semaphore, value)| waited(call, device, semaphore, value, queue));
    if state().reports(Rule::HandOver) {
        let site = Site::here(call);
        commands.for_each(|commands| state().hand_over_vulkan(&site, commands.as_raw()));
    }
    let order = Some(Order::Queue(queue.as_raw()));
    signals.for_each(|(semaphore, value)| signaled(call, device, semaphore, value, order));
}

/// The host knows that work of Vulkan is done.
fn host_waited(next: impl FnOnce() -> vk::Result) -> vk::Result {
    noted(next, || state().vulkan.hand_over_host(Api::Vulkan))
}

intercept! {
    functions;
    allocate_memory = c"vkAllocateMemory": PFN_vkAllocateMemory(
        device: vk::Device, info: *const vk::MemoryAllocateInfo<'_>, allocator: Allocator<'_>, out: *mut vk::DeviceMemory,
    ) -> vk::Result |of, next| noted(next, || {
        let chain = (*info).p_next;
        if in_chain(chain).is_some_and(|of: &vk::ExportMemoryAllocateInfo<'_>| !of.handle_types.is_empty()) {
            let is_dedicated = in_chain(chain).is_some_and(|of: &vk::MemoryDedicatedAllocateInfo<'_>| {
                of.buffer != vk::Buffer::null() || of.image != vk::Image::null()
            });
            let (size, images, hand_over) = ((*info).allocation_size, Vec::new(), Default::default());
            let memory = What::Memory(Memory { size, is_dedicated, images, hand_over });
            let made = Site::here("vkAllocateMemory");
            state().vulkan.add(handle(device, *out), memory, of.uuid, made);
        }
    });
    free_memory = c"vkFreeMemory": PFN_vkFreeMemory(
        device: vk::Device, memory: vk::DeviceMemory, allocator: Allocator<'_>,
    ) |of, next| {
        pairs::check_in_use("vkFreeMemory", handle(device, memory));
        state().vulkan.end(handle(device, memory));
        next();
    };
    bind_buffer = c"vkBindBufferMemory": PFN_vkBindBufferMemory(
        device: vk::Device, buffer: vk::Buffer, memory: vk::DeviceMemory, offset: u64,
    ) -> vk::Result |of, next| noted(next, || bound_buffer(device, buffer, memory, offset));
    bind_buffers = c"vkBindBufferMemory2" | c"vkBindBufferMemory2KHR": PFN_vkBindBufferMemory2(
        device: vk::Device, count: u32, infos: *const vk::BindBufferMemoryInfo<'_>,
    ) -> vk::Result |of, next| noted(next, || {
        for one in entries(infos, count) {
            bound_buffer(device, one.buffer, one.memory, one.memory_offset);
        }
    });
    destroy_buffer = c"vkDestroyBuffer": PFN_vkDestroyBuffer(
        device: vk::Device, buffer: vk::Buffer, allocator: Allocator<'_>,
    ) |of, next| {
        state().vulkan.buffers.remove(&handle(device, buffer));
        next();
    };
    create_image = c"vkCreateImage": PFN_vkCreateImage(
        device: vk::Device, info: *const vk::ImageCreateInfo<'_>, allocator: Allocator<'_>, out: *mut vk::Image,
    ) -> vk::Result |of, next| noted(next, || {
        let info = &*info;
        if in_chain(info.p_next).is_some_and(|of: &vk::ExternalMemoryImageCreateInfo<'_>| !of.handle_types.is_empty()) {
            let image = Image {
                kind: info.image_type,
                format: info.format,
                extent: info.extent,
                levels: info.mip_levels,
                layers: info.array_layers,
                samples: info.samples,
                tiling: info.tiling,
                made: Site::here("vkCreateImage"),
                memory: None,
                has_layout: info.initial_layout != vk::ImageLayout::UNDEFINED,
            };
            state().vulkan.images.insert(handle(device, *out), image);
        }
    });
    destroy_image = c"vkDestroyImage": PFN_vkDestroyImage(
        device: vk::Device, image: vk::Image, allocator: Allocator<'_>,
    ) |of, next| {
        state().vulkan.end_image(handle(device, image));
        next();
    };
    bind_image = c"vkBindImageMemory": PFN_vkBindImageMemory(
        device: vk::Device, image: vk::Image, memory: vk::DeviceMemory, offset: u64,
    ) -> vk::Result |of, next| noted(next, || bound_image(device, image, memory, offset));
    bind_images = c"vkBindImageMemory2" | c"vkBindImageMemory2KHR": PFN_vkBindImageMemory2(
        device: vk::Device, count: u32, infos: *const vk::BindImageMemoryInfo<'_>,
    ) -> vk::Result |of, next| noted(next, || {
        for one in entries(infos, count) {
            // A plane by itself is no image that an array could be compared with.
            if in_chain::<vk::BindImagePlaneMemoryInfo<'_>>(one.p_next).is_none() {
                bound_image(device, one.image, one.memory, one.memory_offset);
            }
        }
    });
    create_semaphore = c"vkCreateSemaphore": PFN_vkCreateSemaphore(
        device: vk::Device, info: *const vk::SemaphoreCreateInfo<'_>, allocator: Allocator<'_>, out: *mut vk::Semaphore,
    ) -> vk::Result |of, next| noted(next, || {
        let chain = (*info).p_next;
        if in_chain(chain).is_some_and(|of: &vk::ExportSemaphoreCreateInfo<'_>| !of.handle_types.is_empty()) {
            let kind: Option<&vk::SemaphoreTypeCreateInfo<'_>> = in_chain(chain);
            let semaphore = What::Semaphore(Semaphore {
                is_timeline: kind.is_some_and(|kind| kind.semaphore_type == vk::SemaphoreType::TIMELINE),
                values: Values::with_initial(kind.map_or(0, |kind| kind.initial_value)),
            });
            let made = Site::here("vkCreateSemaphore");
            state().vulkan.add(handle(device, *out), semaphore, of.uuid, made);
        }
    });
    destroy_semaphore = c"vkDestroySemaphore": PFN_vkDestroySemaphore(
        device: vk::Device, semaphore: vk::Semaphore, allocator: Allocator<'_>,
    ) |of, next| {
        pairs::check_in_use("vkDestroySemaphore", handle(device, semaphore));
        state().vulkan.end(handle(device, semaphore));
        next();
    };
    signal_semaphore = c"vkSignalSemaphore" | c"vkSignalSemaphoreKHR": PFN_vkSignalSemaphore(
        device: vk::Device, info: *const vk::SemaphoreSignalInfo<'_>,
    ) -> vk::Result |of, next| {
        let vk::SemaphoreSignalInfo { semaphore, value, .. } = *info;
        signaled("vkSignalSemaphore", device, semaphore, value, None);
        noted(next, || reached(device, semaphore, value))
    };
    wait_semaphores = c"vkWaitSemaphores" | c"vkWaitSemaphoresKHR": PFN_vkWaitSemaphores(
        device: vk::Device, info: *const vk::SemaphoreWaitInfo<'_>, timeout: u64,
    ) -> vk::Result |of, next| noted(next, || {
        let info = &*info;
        if !info.flags.contains(vk::SemaphoreWaitFlags::ANY) || info.semaphore_count == 1 {
            let semaphores = entries(info.p_semaphores, info.semaphore_count);
            let values = entries(info.p_values, info.semaphore_count);
            semaphores.iter().zip(values).for_each(|(semaphore, value)| reached(device, *semaphore, *value));
        }
    });
    get_counter = c"vkGetSemaphoreCounterValue" | c"vkGetSemaphoreCounterValueKHR": PFN_vkGetSemaphoreCounterValue(
        device: vk::Device, semaphore: vk::Semaphore, out: *mut u64,
    ) -> vk::Result |of, next| noted(next, || reached(device, semaphore, *out));
    get_memory_fd = c"vkGetMemoryFdKHR": PFN_vkGetMemoryFdKHR(
        device: vk::Device, info: *const vk::MemoryGetFdInfoKHR<'_>, out: *mut i32,
    ) -> vk::Result |of, next| noted(next, || {
        let of = handle(device, (*info).memory);
        exported("vkGetMemoryFdKHR", *out, of, (*info).handle_type.as_raw());
    });
    get_semaphore_fd = c"vkGetSemaphoreFdKHR": PFN_vkGetSemaphoreFdKHR(
        device: vk::Device, info: *const vk::SemaphoreGetFdInfoKHR<'_>, out: *mut i32,
    ) -> vk::Result |of, next| noted(next, || {
        let of = handle(device, (*info).semaphore);
        exported("vkGetSemaphoreFdKHR", *out, of, (*info).handle_type.as_raw());
    });
    import_semaphore_fd = c"vkImportSemaphoreFdKHR": PFN_vkImportSemaphoreFdKHR(
        device: vk::Device, info: *const vk::ImportSemaphoreFdInfoKHR<'_>,
    ) -> vk::Result |of, next| noted(next, || {
        // It has the payload of another one from here on, of which nothing is known.
        state().vulkan.end(handle(device, (*info).semaphore));
    });
    queue_submit = c"vkQueueSubmit": PFN_vkQueueSubmit(
        queue: vk::Queue, count: u32, infos: *const vk::SubmitInfo<'_>, fence: vk::Fence,
    ) -> vk::Result |of, next| {
        for info in entries(infos, count) {
            let values: Option<&vk::TimelineSemaphoreSubmitInfo<'_>> = in_chain(info.p_next);
            let (waits, signals) = values.map_or((&[][..], &[][..]), |values| {
                let waits = entries(values.p_wait_semaphore_values, values.wait_semaphore_value_count);
                (waits, entries(values.p_signal_semaphore_values, values.signal_semaphore_value_count))
            });
            // A binary semaphore may have no value.
            let values = |values: &'static [u64]| values.iter().copied().chain(std::iter::repeat(0));
            let all_waits = entries(info.p_wait_semaphores, info.wait_semaphore_count).iter().copied();
            let all_signals = entries(info.p_signal_semaphores, info.signal_semaphore_count).iter().copied();
            let commands = entries(info.p_command_buffers, info.command_buffer_count).iter().copied();
            let queue = (of.handle, queue, "vkQueueSubmit");
            submitted(queue, all_waits.zip(values(waits)), commands, all_signals.zip(values(signals)));
        }
        next()
    };
    queue_submit2 = c"vkQueueSubmit2" | c"vkQueueSubmit2KHR": PFN_vkQueueSubmit2(
        queue: vk::Queue, count: u32, infos: *const vk::SubmitInfo2<'_>, fence: vk::Fence,
    ) -> vk::Result |of, next| {
        for info in entries(infos, count) {
            let with = |info: &vk::SemaphoreSubmitInfo<'_>| (info.semaphore, info.value);
            let waits = entries(info.p_wait_semaphore_infos, info.wait_semaphore_info_count).iter().map(with);
            let signals = entries(info.p_signal_semaphore_infos, info.signal_semaphore_info_count).iter().map(with);
            let commands = entries(info.p_command_buffer_infos, info.command_buffer_info_count).iter();
            let queue = (of.handle, queue, "vkQueueSubmit2");
            submitted(queue, waits, commands.map(|info| info.command_buffer), signals);
        }
        next()
    };
    queue_wait_idle = c"vkQueueWaitIdle": PFN_vkQueueWaitIdle(queue: vk::Queue) -> vk::Result |of, next| host_waited(next);
    device_wait_idle = c"vkDeviceWaitIdle": PFN_vkDeviceWaitIdle(device: vk::Device) -> vk::Result |of, next|
        host_waited(next);
    wait_for_fences = c"vkWaitForFences": PFN_vkWaitForFences(
        device: vk::Device, count: u32, fences: *const vk::Fence, all: vk::Bool32, timeout: u64,
    ) -> vk::Result |of, next| host_waited(next);
    get_fence_status = c"vkGetFenceStatus": PFN_vkGetFenceStatus(device: vk::Device, fence: vk::Fence) -> vk::Result
        |of, next| host_waited(next);
}
