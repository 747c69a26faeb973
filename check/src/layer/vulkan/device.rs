//! A device's functions that make, bind, export and end what may be shared, and that signal and wait.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use ash::vk::{self, Handle as _};

use crate::layer::call::Site;
use crate::layer::report::Finding;
use crate::layer::state::state;
use crate::rules::Rule;

use super::loader::erased;
use super::pairs::{self, mark};
use super::records::{Export, Image, Memory, Semaphore, Shared};
use super::tables::{DEVICES, Device};
use super::timelines::{Order, Values};
use super::{HAS_EXPORTS, entries, in_chain};

/// The layer's function of this name.
pub fn intercepted(name: &[u8]) -> vk::PFN_vkVoidFunction {
    let function = match name {
        b"vkAllocateMemory" => allocate_memory as *const (),
        b"vkFreeMemory" => free_memory as *const (),
        b"vkBindBufferMemory" => bind_buffer as *const (),
        b"vkBindBufferMemory2" | b"vkBindBufferMemory2KHR" => bind_buffers as *const (),
        b"vkDestroyBuffer" => destroy_buffer as *const (),
        b"vkCreateImage" => create_image as *const (),
        b"vkDestroyImage" => destroy_image as *const (),
        b"vkBindImageMemory" => bind_image as *const (),
        b"vkBindImageMemory2" | b"vkBindImageMemory2KHR" => bind_images as *const (),
        b"vkCreateSemaphore" => create_semaphore as *const (),
        b"vkDestroySemaphore" => destroy_semaphore as *const (),
        b"vkSignalSemaphore" | b"vkSignalSemaphoreKHR" => signal_semaphore as *const (),
        b"vkWaitSemaphores" | b"vkWaitSemaphoresKHR" => wait_semaphores as *const (),
        b"vkGetSemaphoreCounterValue" | b"vkGetSemaphoreCounterValueKHR" => get_counter as *const (),
        b"vkGetMemoryFdKHR" => get_memory_fd as *const (),
        b"vkGetSemaphoreFdKHR" => get_semaphore_fd as *const (),
        b"vkImportSemaphoreFdKHR" => import_semaphore_fd as *const (),
        b"vkQueueSubmit" => queue_submit as *const (),
        b"vkQueueSubmit2" | b"vkQueueSubmit2KHR" => queue_submit2 as *const (),
        b"vkQueueWaitIdle" => queue_wait_idle as *const (),
        b"vkDeviceWaitIdle" => device_wait_idle as *const (),
        b"vkWaitForFences" => wait_for_fences as *const (),
        b"vkGetFenceStatus" => get_fence_status as *const (),
        _ => return None,
    };
    erased(function)
}

const GONE: vk::Result = vk::Result::ERROR_DEVICE_LOST;

/// The device of a handle and its function, which the program would not have got if it were not there.
macro_rules! next {
    ($handle:expr, $function:ident $(, $without:expr)?) => {{
        let Some(device) = DEVICES.get($handle) else { return $($without)? };
        let Some(function) = device.table.$function else { return $($without)? };
        (device, function)
    }};
}
pub(super) use next;

type Allocator = *const vk::AllocationCallbacks<'static>;

// SAFETY, for each of them: the program's handles and structures are as Vulkan needs them.

unsafe extern "system" fn allocate_memory(
    device: vk::Device,
    info: *const vk::MemoryAllocateInfo<'_>,
    allocator: Allocator,
    out: *mut vk::DeviceMemory,
) -> vk::Result {
    unsafe {
        let (of, real) = next!(device, allocate_memory, GONE);
        let result = real(device, info, allocator, out);
        let export: Option<&vk::ExportMemoryAllocateInfo<'_>> =
            in_chain((*info).p_next, vk::StructureType::EXPORT_MEMORY_ALLOCATE_INFO);
        if result == vk::Result::SUCCESS && export.is_some_and(|export| !export.handle_types.is_empty()) {
            let dedicated: Option<&vk::MemoryDedicatedAllocateInfo<'_>> =
                in_chain((*info).p_next, vk::StructureType::MEMORY_DEDICATED_ALLOCATE_INFO);
            let memory = Memory {
                size: (*info).allocation_size,
                is_dedicated: dedicated
                    .is_some_and(|of| of.buffer != vk::Buffer::null() || of.image != vk::Image::null()),
                uuid: of.uuid,
                made: Site::here("vkAllocateMemory"),
                images: Vec::new(),
                imports: Vec::new(),
                is_freed: false,
                hand_over: Default::default(),
            };
            state().vulkan.add_memory((device.as_raw(), (*out).as_raw()), memory);
        }
        result
    }
}

unsafe extern "system" fn free_memory(device: vk::Device, memory: vk::DeviceMemory, allocator: Allocator) {
    unsafe {
        let (_, real) = next!(device, free_memory);
        let handle = (device.as_raw(), memory.as_raw());
        pairs::check_in_use("vkFreeMemory", |vulkan| {
            Some(Shared::Memory(*vulkan.memory_handles.get(&handle)?))
        });
        state().vulkan.end_memory(handle);
        real(device, memory, allocator);
    }
}

fn bound_buffer(device: vk::Device, buffer: vk::Buffer, memory: vk::DeviceMemory, offset: u64) {
    let vulkan = &mut state().vulkan;
    if let Some(number) = vulkan.memory_handles.get(&(device.as_raw(), memory.as_raw())).copied() {
        let handle = (device.as_raw(), buffer.as_raw());
        vulkan.buffers.insert(handle, number);
        vulkan.hand_over.bound.insert(handle, offset);
    }
}

unsafe extern "system" fn bind_buffer(
    device: vk::Device,
    buffer: vk::Buffer,
    memory: vk::DeviceMemory,
    offset: u64,
) -> vk::Result {
    unsafe {
        let (_, real) = next!(device, bind_buffer, GONE);
        let result = real(device, buffer, memory, offset);
        if result == vk::Result::SUCCESS {
            bound_buffer(device, buffer, memory, offset);
        }
        result
    }
}

unsafe extern "system" fn bind_buffers(
    device: vk::Device,
    count: u32,
    infos: *const vk::BindBufferMemoryInfo<'_>,
) -> vk::Result {
    unsafe {
        let (_, real) = next!(device, bind_buffers, GONE);
        let result = real(device, count, infos);
        if result == vk::Result::SUCCESS {
            entries(infos, count)
                .iter()
                .for_each(|info| bound_buffer(device, info.buffer, info.memory, info.memory_offset));
        }
        result
    }
}

unsafe extern "system" fn destroy_buffer(device: vk::Device, buffer: vk::Buffer, allocator: Allocator) {
    unsafe {
        let (_, real) = next!(device, destroy_buffer);
        let handle = (device.as_raw(), buffer.as_raw());
        let mut state = state();
        if state.vulkan.buffers.remove(&handle).is_some() {
            state.vulkan.hand_over.bound.remove(&handle);
        }
        drop(state);
        real(device, buffer, allocator);
    }
}

unsafe extern "system" fn create_image(
    device: vk::Device,
    info: *const vk::ImageCreateInfo<'_>,
    allocator: Allocator,
    out: *mut vk::Image,
) -> vk::Result {
    unsafe {
        let (_, real) = next!(device, create_image, GONE);
        let result = real(device, info, allocator, out);
        let external: Option<&vk::ExternalMemoryImageCreateInfo<'_>> =
            in_chain((*info).p_next, vk::StructureType::EXTERNAL_MEMORY_IMAGE_CREATE_INFO);
        if result == vk::Result::SUCCESS && external.is_some_and(|of| !of.handle_types.is_empty()) {
            let info = &*info;
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
            state().vulkan.images.insert((device.as_raw(), (*out).as_raw()), image);
        }
        result
    }
}

unsafe extern "system" fn destroy_image(device: vk::Device, image: vk::Image, allocator: Allocator) {
    unsafe {
        let (_, real) = next!(device, destroy_image);
        state().vulkan.end_image((device.as_raw(), image.as_raw()));
        real(device, image, allocator);
    }
}

fn bound_image(device: vk::Device, image: vk::Image, memory: vk::DeviceMemory, offset: u64) {
    let vulkan = &mut state().vulkan;
    let handle = (device.as_raw(), image.as_raw());
    let Some(number) = vulkan.memory_handles.get(&(device.as_raw(), memory.as_raw())).copied() else {
        return;
    };
    let Some(of) = vulkan.images.get_mut(&handle) else { return };
    of.memory = Some(number);
    vulkan.memories.get_mut(&number).into_iter().for_each(|memory| memory.images.push((offset, handle)));
}

unsafe extern "system" fn bind_image(
    device: vk::Device,
    image: vk::Image,
    memory: vk::DeviceMemory,
    offset: u64,
) -> vk::Result {
    unsafe {
        let (_, real) = next!(device, bind_image, GONE);
        let result = real(device, image, memory, offset);
        if result == vk::Result::SUCCESS {
            bound_image(device, image, memory, offset);
        }
        result
    }
}

unsafe extern "system" fn bind_images(
    device: vk::Device,
    count: u32,
    infos: *const vk::BindImageMemoryInfo<'_>,
) -> vk::Result {
    unsafe {
        let (_, real) = next!(device, bind_images, GONE);
        let result = real(device, count, infos);
        if result == vk::Result::SUCCESS {
            let is_whole = |info: &&vk::BindImageMemoryInfo<'_>| {
                in_chain::<vk::BindImagePlaneMemoryInfo<'_>>(
                    info.p_next,
                    vk::StructureType::BIND_IMAGE_PLANE_MEMORY_INFO,
                )
                .is_none()
            };
            // A plane by itself is no image that an array could be compared with.
            let whole = entries(infos, count).iter().filter(is_whole);
            whole.for_each(|info| bound_image(device, info.image, info.memory, info.memory_offset));
        }
        result
    }
}

unsafe extern "system" fn create_semaphore(
    device: vk::Device,
    info: *const vk::SemaphoreCreateInfo<'_>,
    allocator: Allocator,
    out: *mut vk::Semaphore,
) -> vk::Result {
    unsafe {
        let (of, real) = next!(device, create_semaphore, GONE);
        let result = real(device, info, allocator, out);
        let export: Option<&vk::ExportSemaphoreCreateInfo<'_>> =
            in_chain((*info).p_next, vk::StructureType::EXPORT_SEMAPHORE_CREATE_INFO);
        if result == vk::Result::SUCCESS && export.is_some_and(|export| !export.handle_types.is_empty()) {
            let kind: Option<&vk::SemaphoreTypeCreateInfo<'_>> =
                in_chain((*info).p_next, vk::StructureType::SEMAPHORE_TYPE_CREATE_INFO);
            let semaphore = Semaphore {
                is_timeline: kind.is_some_and(|kind| kind.semaphore_type == vk::SemaphoreType::TIMELINE),
                uuid: of.uuid,
                made: Site::here("vkCreateSemaphore"),
                imports: Vec::new(),
                is_destroyed: false,
                values: Values::with_initial(kind.map_or(0, |kind| kind.initial_value)),
            };
            state().vulkan.add_semaphore((device.as_raw(), (*out).as_raw()), semaphore);
        }
        result
    }
}

unsafe extern "system" fn destroy_semaphore(
    device: vk::Device,
    semaphore: vk::Semaphore,
    allocator: Allocator,
) {
    unsafe {
        let (_, real) = next!(device, destroy_semaphore);
        let handle = (device.as_raw(), semaphore.as_raw());
        pairs::check_in_use("vkDestroySemaphore", |vulkan| {
            Some(Shared::Semaphore(*vulkan.semaphore_handles.get(&handle)?))
        });
        state().vulkan.end_semaphore(handle);
        real(device, semaphore, allocator);
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
    let Some((number, of)) = state.vulkan.semaphore_of((device.as_raw(), semaphore.as_raw())) else { return };
    if of.is_timeline {
        if let Some((text, waited)) = of.values.signal(order, value) {
            let finding = Finding::new(Rule::TimelineGoesBack, call, text);
            let finding = of.imports.iter().take(1).fold(finding, |finding, import| finding.about(*import));
            state.report_back(finding, number, waited);
        }
    } else {
        of.values.pending += 1;
    }
    state.vulkan.hand_over_signal(number, value);
}

/// A wait in a queue, which should follow the signal that it waits for.
fn waited(call: &'static str, device: vk::Device, semaphore: vk::Semaphore, value: u64, queue: vk::Queue) {
    let site = Site::here(call);
    let state = &mut *state();
    let Some((number, of)) = state.vulkan.semaphore_of((device.as_raw(), semaphore.as_raw())) else { return };
    let is_signaled = if of.is_timeline {
        of.values.wait(Order::Queue(queue.as_raw()), value, site);
        of.values.is_announced(value)
    } else {
        of.values.pending -= 1;
        let is_signaled = of.values.pending >= 0;
        of.values.pending = of.values.pending.max(0);
        is_signaled
    };
    // Without an import the semaphore is Vulkan's alone, or another process's.
    if let (false, Some(import)) = (is_signaled, of.imports.first().copied()) {
        let text = match of.is_timeline {
            true => format!("It waits for {value}, which neither Vulkan nor CUDA was told to signal yet."),
            false => "It waits for a signal that neither Vulkan nor CUDA was told yet.".to_owned(),
        };
        let made = of.made.clone();
        let finding = Finding::new(Rule::WaitBeforeSignal, call, text).about(import);
        state.report(finding.with(format!("The semaphore was made by {}:", made.call), made));
    }
    state.vulkan.hand_over_wait(number, value, false);
}

/// The host knows that a timeline has reached a value.
fn reached(device: vk::Device, semaphore: vk::Semaphore, value: u64) {
    let vulkan = &mut state().vulkan;
    let Some((number, of)) = vulkan.semaphore_of((device.as_raw(), semaphore.as_raw())) else { return };
    of.values.reach(value);
    vulkan.hand_over_wait(number, value, false);
    vulkan.hand_over_wait(number, value, true);
}

unsafe extern "system" fn signal_semaphore(
    device: vk::Device,
    info: *const vk::SemaphoreSignalInfo<'_>,
) -> vk::Result {
    unsafe {
        let (_, real) = next!(device, signal_semaphore, GONE);
        signaled("vkSignalSemaphore", device, (*info).semaphore, (*info).value, None);
        let result = real(device, info);
        if result == vk::Result::SUCCESS {
            reached(device, (*info).semaphore, (*info).value);
        }
        result
    }
}

unsafe extern "system" fn wait_semaphores(
    device: vk::Device,
    info: *const vk::SemaphoreWaitInfo<'_>,
    timeout: u64,
) -> vk::Result {
    unsafe {
        let (_, real) = next!(device, wait_semaphores, GONE);
        let result = real(device, info, timeout);
        let info = &*info;
        let is_all = !info.flags.contains(vk::SemaphoreWaitFlags::ANY) || info.semaphore_count == 1;
        if result == vk::Result::SUCCESS && is_all {
            let semaphores = entries(info.p_semaphores, info.semaphore_count);
            let values = entries(info.p_values, info.semaphore_count);
            semaphores.iter().zip(values).for_each(|(semaphore, value)| reached(device, *semaphore, *value));
        }
        result
    }
}

unsafe extern "system" fn get_counter(
    device: vk::Device,
    semaphore: vk::Semaphore,
    out: *mut u64,
) -> vk::Result {
    unsafe {
        let (_, real) = next!(device, get_counter, GONE);
        let result = real(device, semaphore, out);
        if result == vk::Result::SUCCESS {
            reached(device, semaphore, *out);
        }
        result
    }
}

/// Notes a descriptor that Vulkan made.
fn exported(call: &'static str, fd: i32, shared: Option<Shared>, handle_type: u32) {
    let site = Site::here(call);
    let mark = mark(fd);
    let vulkan = &mut state().vulkan;
    vulkan.exports.remove(&fd);
    if let Some(shared) = shared {
        vulkan.exports.insert(fd, Export { shared, handle_type, site, mark });
        HAS_EXPORTS.store(true, Ordering::Release);
    }
}

unsafe extern "system" fn get_memory_fd(
    device: vk::Device,
    info: *const vk::MemoryGetFdInfoKHR<'_>,
    out: *mut i32,
) -> vk::Result {
    unsafe {
        let (_, real) = next!(device, get_memory_fd, GONE);
        let result = real(device, info, out);
        if result == vk::Result::SUCCESS {
            let handle = (device.as_raw(), (*info).memory.as_raw());
            let number = state().vulkan.memory_handles.get(&handle).copied();
            exported("vkGetMemoryFdKHR", *out, number.map(Shared::Memory), (*info).handle_type.as_raw());
        }
        result
    }
}

unsafe extern "system" fn get_semaphore_fd(
    device: vk::Device,
    info: *const vk::SemaphoreGetFdInfoKHR<'_>,
    out: *mut i32,
) -> vk::Result {
    unsafe {
        let (_, real) = next!(device, get_semaphore_fd, GONE);
        let result = real(device, info, out);
        if result == vk::Result::SUCCESS {
            let handle = (device.as_raw(), (*info).semaphore.as_raw());
            let number = state().vulkan.semaphore_handles.get(&handle).copied();
            exported(
                "vkGetSemaphoreFdKHR",
                *out,
                number.map(Shared::Semaphore),
                (*info).handle_type.as_raw(),
            );
        }
        result
    }
}

unsafe extern "system" fn import_semaphore_fd(
    device: vk::Device,
    info: *const vk::ImportSemaphoreFdInfoKHR<'_>,
) -> vk::Result {
    unsafe {
        let (_, real) = next!(device, import_semaphore_fd, GONE);
        let result = real(device, info);
        if result == vk::Result::SUCCESS {
            // It has the payload of another one from here on, of which nothing is known.
            state().vulkan.end_semaphore((device.as_raw(), (*info).semaphore.as_raw()));
        }
        result
    }
}

/// One batch of a submission, in the order in which a queue works on it.
fn submitted(
    call: &'static str,
    of: &Arc<Device>,
    queue: vk::Queue,
    waits: impl Iterator<Item = (vk::Semaphore, u64)>,
    commands: impl Iterator<Item = vk::CommandBuffer>,
    signals: impl Iterator<Item = (vk::Semaphore, u64)>,
) {
    waits.for_each(|(semaphore, value)| waited(call, of.handle, semaphore, value, queue));
    if state().reports(Rule::HandOver) {
        let site = Site::here(call);
        commands.for_each(|commands| state().hand_over_vulkan(&site, commands.as_raw()));
    }
    let order = Some(Order::Queue(queue.as_raw()));
    signals.for_each(|(semaphore, value)| signaled(call, of.handle, semaphore, value, order));
}

unsafe extern "system" fn queue_submit(
    queue: vk::Queue,
    count: u32,
    infos: *const vk::SubmitInfo<'_>,
    fence: vk::Fence,
) -> vk::Result {
    unsafe {
        let (of, real) = next!(queue, queue_submit, GONE);
        for info in entries(infos, count) {
            let values: Option<&vk::TimelineSemaphoreSubmitInfo<'_>> =
                in_chain(info.p_next, vk::StructureType::TIMELINE_SEMAPHORE_SUBMIT_INFO);
            let (waits, signals) = values.map_or((&[][..], &[][..]), |values| {
                let waits = entries(values.p_wait_semaphore_values, values.wait_semaphore_value_count);
                (waits, entries(values.p_signal_semaphore_values, values.signal_semaphore_value_count))
            });
            let with = |semaphores: &'static [vk::Semaphore], values: &[u64]| -> Vec<(vk::Semaphore, u64)> {
                let value = |at: usize| values.get(at).copied().unwrap_or(0);
                semaphores.iter().enumerate().map(|(at, semaphore)| (*semaphore, value(at))).collect()
            };
            submitted(
                "vkQueueSubmit",
                &of,
                queue,
                with(entries(info.p_wait_semaphores, info.wait_semaphore_count), waits).into_iter(),
                entries(info.p_command_buffers, info.command_buffer_count).iter().copied(),
                with(entries(info.p_signal_semaphores, info.signal_semaphore_count), signals).into_iter(),
            );
        }
        real(queue, count, infos, fence)
    }
}

unsafe extern "system" fn queue_submit2(
    queue: vk::Queue,
    count: u32,
    infos: *const vk::SubmitInfo2<'_>,
    fence: vk::Fence,
) -> vk::Result {
    unsafe {
        let (of, real) = next!(queue, queue_submit2, GONE);
        for info in entries(infos, count) {
            let with = |info: &vk::SemaphoreSubmitInfo<'_>| (info.semaphore, info.value);
            submitted(
                "vkQueueSubmit2",
                &of,
                queue,
                entries(info.p_wait_semaphore_infos, info.wait_semaphore_info_count).iter().map(with),
                entries(info.p_command_buffer_infos, info.command_buffer_info_count)
                    .iter()
                    .map(|info| info.command_buffer),
                entries(info.p_signal_semaphore_infos, info.signal_semaphore_info_count).iter().map(with),
            );
        }
        real(queue, count, infos, fence)
    }
}

/// The host knows that work of Vulkan's is done.
fn host_waited(result: vk::Result) -> vk::Result {
    if result == vk::Result::SUCCESS {
        state().vulkan.hand_over_host(false);
    }
    result
}

unsafe extern "system" fn queue_wait_idle(queue: vk::Queue) -> vk::Result {
    unsafe {
        let (_, real) = next!(queue, queue_wait_idle, GONE);
        host_waited(real(queue))
    }
}

unsafe extern "system" fn device_wait_idle(device: vk::Device) -> vk::Result {
    unsafe {
        let (_, real) = next!(device, device_wait_idle, GONE);
        host_waited(real(device))
    }
}

unsafe extern "system" fn wait_for_fences(
    device: vk::Device,
    count: u32,
    fences: *const vk::Fence,
    all: vk::Bool32,
    timeout: u64,
) -> vk::Result {
    unsafe {
        let (_, real) = next!(device, wait_for_fences, GONE);
        host_waited(real(device, count, fences, all, timeout))
    }
}

unsafe extern "system" fn get_fence_status(device: vk::Device, fence: vk::Fence) -> vk::Result {
    unsafe {
        let (_, real) = next!(device, get_fence_status, GONE);
        host_waited(real(device, fence))
    }
}
