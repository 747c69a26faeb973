//! The functions of the fake driver.

use std::cell::Cell;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::fmt::Debug;
use std::fs::File;
use std::os::fd::{AsFd, IntoRawFd};
use std::slice;
use std::sync::atomic::{AtomicI32, Ordering::Relaxed};

use super::{CALLS, LACKS, list, next, record, result, text};
use ash::vk::{self, Handle};

thread_local! {
    /// What every mapping maps.
    pub static HOST: &'static [Cell<u8>] = Cell::from_mut(vec![0; 1 << 24].leak()).as_slice_of_cells();
}

/// A descriptor with a number that no other test has.
fn new_fd() -> c_int {
    static NEXT: AtomicI32 = AtomicI32::new(500);
    thread_local! {
        static FIRST: c_int = NEXT.fetch_add(50, Relaxed);
    }
    let file = File::open("/dev/null").expect("every Unix has it");
    let number = rustix::io::fcntl_dupfd_cloexec(file.as_fd(), FIRST.with(|first| *first));
    number.expect("a number is free").into_raw_fd()
}

/// Records a line for each struct of a list, behind these words.
///
/// # Safety
///
/// Null, or so many elements.
unsafe fn record_each<T: Debug>(words: &str, first: *const T, count: u32) {
    // SAFETY: the caller's.
    unsafe { list(first, count) }.iter().for_each(|one| record(format!("  {words}{}", text(one))));
}

driver! {
    create vkCreateCommandPool(CommandPoolCreateInfo) -> CommandPool;
    create vkCreateFence(FenceCreateInfo) -> Fence;
    create vkCreateBuffer(BufferCreateInfo) -> Buffer;
    create vkAllocateMemory(MemoryAllocateInfo) -> DeviceMemory;
    create vkCreateImage(ImageCreateInfo) -> Image;
    create vkCreateSemaphore(SemaphoreCreateInfo) -> Semaphore;

    destroy vkDestroyCommandPool(CommandPool);
    destroy vkDestroyFence(Fence);
    destroy vkDestroyBuffer(Buffer);
    destroy vkFreeMemory(DeviceMemory);
    destroy vkDestroyImage(Image);
    destroy vkDestroySemaphore(Semaphore);

    fn vkGetInstanceProcAddr(instance: vk::Instance, name: *const c_char) -> *const c_void { find(CStr::from_ptr(name)) }
    fn vkCreateInstance(info: *const vk::InstanceCreateInfo, _a: *const c_void, out: *mut vk::Instance) -> vk::Result {
        *out = next();
        record(format!("vkCreateInstance {} {}", text(&*info), text(&*(*info).p_application_info)));
        result()
    }
    fn vkGetDeviceProcAddr(device: vk::Device, name: *const c_char) -> *const c_void { find(CStr::from_ptr(name)) }

    fn vkEnumeratePhysicalDeviceGroups(
        _i: vk::Instance, count: *mut u32, groups: *mut vk::PhysicalDeviceGroupProperties<'static>,
    ) -> vk::Result {
        *count = 2;
        if !groups.is_null() {
            let groups = slice::from_raw_parts_mut(groups, 2);
            for (group, (first, members)) in groups.iter_mut().zip([(1, 1), (2, 2)]) {
                group.physical_device_count = members;
                group.physical_devices[0] = vk::PhysicalDevice::from_raw(first);
                group.physical_devices[1] = vk::PhysicalDevice::from_raw(3);
            }
        }
        result()
    }
    fn vkEnumeratePhysicalDevices(
        _i: vk::Instance, count: *mut u32, devices: *mut vk::PhysicalDevice,
    ) -> vk::Result {
        *count = 3;
        if !devices.is_null() {
            slice::from_raw_parts_mut(devices, 3).copy_from_slice(&[1, 2, 3].map(vk::PhysicalDevice::from_raw));
        }
        result()
    }
    fn vkGetPhysicalDeviceProperties2(
        device: vk::PhysicalDevice, properties: *mut vk::PhysicalDeviceProperties2,
    ) {
        let number = device.as_raw() as u8;
        let id = (*properties).p_next.cast::<vk::PhysicalDeviceIDProperties>();
        (*id).device_uuid = [number; 16];
        let properties = &mut (*properties).properties;
        properties.device_name[0] = (b'A' + number) as c_char;
        properties.device_type =
            if number == 1 { vk::PhysicalDeviceType::DISCRETE_GPU } else { vk::PhysicalDeviceType::CPU };
        properties.api_version = vk::API_VERSION_1_3;
    }
    fn vkGetPhysicalDeviceMemoryProperties(
        device: vk::PhysicalDevice, properties: *mut vk::PhysicalDeviceMemoryProperties,
    ) {
        let visible = vk::MemoryPropertyFlags::HOST_VISIBLE | vk::MemoryPropertyFlags::HOST_COHERENT;
        let local = vk::MemoryPropertyFlags::DEVICE_LOCAL;
        (*properties).memory_type_count = 3;
        let incoherent = vk::MemoryPropertyFlags::HOST_VISIBLE;
        for (at, flags) in [incoherent, local, visible | vk::MemoryPropertyFlags::HOST_CACHED].into_iter().enumerate() {
            (*properties).memory_types[at].property_flags = flags;
        }
    }
    fn vkGetPhysicalDeviceQueueFamilyProperties(
        device: vk::PhysicalDevice, count: *mut u32, families: *mut vk::QueueFamilyProperties,
    ) {
        use vk::QueueFlags as Q;
        let all = if LACKS.get() == c"graphics" { Q::COMPUTE } else { Q::GRAPHICS | Q::COMPUTE | Q::TRANSFER };
        let video = [Q::VIDEO_DECODE_KHR, Q::VIDEO_ENCODE_KHR, Q::OPTICAL_FLOW_NV].map(|kind| kind | Q::TRANSFER);
        // The last one alone does nothing but copy.
        let flags = [Q::COMPUTE, Q::SPARSE_BINDING, all, video[0], video[1], video[2], Q::GRAPHICS, Q::TRANSFER];
        *count = flags.len() as u32;
        if !families.is_null() {
            let families = slice::from_raw_parts_mut(families, flags.len());
            families.iter_mut().zip(flags).for_each(|(family, flags)| family.queue_flags = flags);
        }
    }
    fn vkEnumerateDeviceExtensionProperties(
        device: vk::PhysicalDevice, layer: *const c_char, count: *mut u32, has: *mut vk::ExtensionProperties,
    ) -> vk::Result {
        let names = [
            ash::khr::external_memory_fd::NAME, ash::khr::external_semaphore_fd::NAME,
            ash::ext::external_memory_dma_buf::NAME, ash::ext::queue_family_foreign::NAME,
        ];
        let names = names.map(|name| if name == LACKS.get() { c"another" } else { name });
        *count = names.len() as u32;
        if !has.is_null() {
            let has = slice::from_raw_parts_mut(has, names.len());
            for (has, name) in has.iter_mut().zip(names) {
                for (to, from) in has.extension_name.iter_mut().zip(name.to_bytes_with_nul()) {
                    *to = *from as c_char;
                }
            }
        }
        result()
    }
    fn vkCreateDevice(
        device: vk::PhysicalDevice, info: *const vk::DeviceCreateInfo, _a: *const c_void, out: *mut vk::Device,
    ) -> vk::Result {
        *out = next();
        record(format!("vkCreateDevice {} {}", device.as_raw(), text(&*info)));
        for queue in list((*info).p_queue_create_infos, (*info).queue_create_info_count) {
            let priorities = list(queue.p_queue_priorities, queue.queue_count);
            record(format!("  {} {priorities:?}", text(queue)));
        }
        for name in list((*info).pp_enabled_extension_names, (*info).enabled_extension_count) {
            record(format!("  {}", CStr::from_ptr(*name).to_string_lossy()));
        }
        (*info).p_enabled_features.as_ref().iter().for_each(|features| record(format!("  {}", text(*features))));
        result()
    }
    fn vkGetDeviceQueue(device: vk::Device, family: u32, index: u32, out: *mut vk::Queue) {
        *out = vk::Queue::from_raw(u64::from(100 + family));
        record(format!("vkGetDeviceQueue {family} {index}"));
    }
    fn vkDestroyInstance(instance: vk::Instance, _a: *const c_void) { record("vkDestroyInstance".to_owned()); }
    fn vkDestroyDevice(device: vk::Device, _a: *const c_void) { record("vkDestroyDevice".to_owned()); }
    fn vkDeviceWaitIdle(device: vk::Device) -> vk::Result {
        record("vkDeviceWaitIdle".to_owned());
        vk::Result::SUCCESS
    }

    fn vkAllocateCommandBuffers(
        _d: vk::Device, info: *const vk::CommandBufferAllocateInfo, out: *mut vk::CommandBuffer,
    ) -> vk::Result {
        *out = next();
        record(format!("vkAllocateCommandBuffers {} = {:?}", text(&*info), *out));
        result()
    }
    fn vkFreeCommandBuffers(_d: vk::Device, pool: vk::CommandPool, count: u32, buffers: *const vk::CommandBuffer) {
        record(format!("vkFreeCommandBuffers {pool:?} {:?}", list(buffers, count)));
    }
    fn vkBeginCommandBuffer(commands: vk::CommandBuffer, info: *const vk::CommandBufferBeginInfo) -> vk::Result {
        record(format!("vkBeginCommandBuffer {commands:?} {}", text(&*info)));
        result()
    }
    fn vkEndCommandBuffer(commands: vk::CommandBuffer) -> vk::Result {
        record(format!("vkEndCommandBuffer {commands:?}"));
        result()
    }
    fn vkGetFenceStatus(_d: vk::Device, fence: vk::Fence) -> vk::Result {
        record(format!("vkGetFenceStatus {fence:?}"));
        match result() {
            vk::Result::SUCCESS => vk::Result::NOT_READY,
            error => error,
        }
    }
    fn vkWaitForFences(_d: vk::Device, count: u32, fences: *const vk::Fence, all: u32, timeout: u64) -> vk::Result {
        let call = format!("vkWaitForFences {:?} {all} {timeout}", list(fences, count));
        // A guard waits once more, and ignores the result.
        let is_again = CALLS.with_borrow(|calls| calls.last() == Some(&call));
        record(call);
        if is_again { vk::Result::SUCCESS } else { result() }
    }
    fn vkQueueSubmit(queue: vk::Queue, count: u32, infos: *const vk::SubmitInfo, fence: vk::Fence) -> vk::Result {
        for info in list(infos, count) {
            let waits = list(info.p_wait_semaphores, info.wait_semaphore_count);
            let stages = list(info.p_wait_dst_stage_mask, info.wait_semaphore_count);
            let commands = list(info.p_command_buffers, info.command_buffer_count);
            let signals = list(info.p_signal_semaphores, info.signal_semaphore_count);
            record(format!(
                "vkQueueSubmit {queue:?} {} waits {waits:?} at {stages:?}, runs {commands:?}, signals {signals:?}, {fence:?}",
                text(info)
            ));
        }
        result()
    }
    fn vkQueueSubmit2(queue: vk::Queue, count: u32, infos: *const vk::SubmitInfo2, fence: vk::Fence) -> vk::Result {
        for info in list(infos, count) {
            record(format!("vkQueueSubmit2 {queue:?} {}, {fence:?}", text(info)));
            record_each("waits for ", info.p_wait_semaphore_infos, info.wait_semaphore_info_count);
            record_each("runs ", info.p_command_buffer_infos, info.command_buffer_info_count);
            record_each("signals ", info.p_signal_semaphore_infos, info.signal_semaphore_info_count);
        }
        result()
    }

    fn vkGetBufferMemoryRequirements(_d: vk::Device, buffer: vk::Buffer, needs: *mut vk::MemoryRequirements) {
        *needs = vk::MemoryRequirements { size: 512, alignment: 64, memory_type_bits: 0b101 };
    }
    fn vkGetBufferMemoryRequirements2(
        _d: vk::Device, info: *const vk::BufferMemoryRequirementsInfo2, needs: *mut vk::MemoryRequirements2,
    ) {
        record(format!("vkGetBufferMemoryRequirements2 {}", text(&*info)));
        (*needs).memory_requirements = vk::MemoryRequirements { size: 256, alignment: 64, memory_type_bits: 0b111 };
        (*(*needs).p_next.cast::<vk::MemoryDedicatedRequirements>()).requires_dedicated_allocation = vk::TRUE;
    }
    fn vkBindBufferMemory(_d: vk::Device, buffer: vk::Buffer, memory: vk::DeviceMemory, offset: u64) -> vk::Result {
        record(format!("vkBindBufferMemory {buffer:?} {memory:?} at {offset}"));
        result()
    }
    fn vkMapMemory(
        _d: vk::Device, memory: vk::DeviceMemory, offset: u64, size: u64, _f: vk::MemoryMapFlags, out: *mut *mut c_void,
    ) -> vk::Result {
        record(format!("vkMapMemory {memory:?} {offset} {:?}", size == vk::WHOLE_SIZE));
        *out = HOST.with(|host| host.as_ptr().cast_mut().cast());
        result()
    }
    fn vkGetMemoryFdKHR(_d: vk::Device, info: *const vk::MemoryGetFdInfoKHR, fd: *mut c_int) -> vk::Result {
        record(format!("vkGetMemoryFdKHR {}", text(&*info)));
        *fd = new_fd();
        result()
    }

    fn vkGetPhysicalDeviceExternalBufferProperties(
        device: vk::PhysicalDevice,
        info: *const vk::PhysicalDeviceExternalBufferInfo,
        properties: *mut vk::ExternalBufferProperties,
    ) {
        record(format!("vkGetPhysicalDeviceExternalBufferProperties {} {}", device.as_raw(), text(&*info)));
        (*properties).external_memory_properties.external_memory_features =
            vk::ExternalMemoryFeatureFlags::EXPORTABLE | vk::ExternalMemoryFeatureFlags::IMPORTABLE;
    }
    fn vkGetMemoryFdPropertiesKHR(
        _d: vk::Device, kind: vk::ExternalMemoryHandleTypeFlags, fd: c_int, properties: *mut vk::MemoryFdPropertiesKHR,
    ) -> vk::Result {
        record(format!("vkGetMemoryFdPropertiesKHR {kind:?}"));
        (*properties).memory_type_bits = 0b11;
        result()
    }
    fn vkGetPhysicalDeviceImageFormatProperties2(
        device: vk::PhysicalDevice,
        info: *const vk::PhysicalDeviceImageFormatInfo2,
        properties: *mut vk::ImageFormatProperties2,
    ) -> vk::Result {
        record(format!("vkGetPhysicalDeviceImageFormatProperties2 {} {}", device.as_raw(), text(&*info)));
        (*properties).image_format_properties.max_mip_levels = 3;
        (*properties).image_format_properties.max_array_layers = 6;
        let external = (*properties).p_next.cast::<vk::ExternalImageFormatProperties>();
        if (*info).tiling == vk::ImageTiling::OPTIMAL {
            (*external).external_memory_properties.external_memory_features = vk::ExternalMemoryFeatureFlags::EXPORTABLE;
        }
        result()
    }
    fn vkGetImageMemoryRequirements2(
        _d: vk::Device, info: *const vk::ImageMemoryRequirementsInfo2, needs: *mut vk::MemoryRequirements2,
    ) {
        record(format!("vkGetImageMemoryRequirements2 {}", text(&*info)));
        (*needs).memory_requirements = vk::MemoryRequirements { size: 1000, alignment: 128, memory_type_bits: 0b110 };
        (*(*needs).p_next.cast::<vk::MemoryDedicatedRequirements>()).prefers_dedicated_allocation = vk::TRUE;
    }
    fn vkGetImageMemoryRequirements(_d: vk::Device, image: vk::Image, needs: *mut vk::MemoryRequirements) {
        record(format!("vkGetImageMemoryRequirements {image:?}"));
        *needs = vk::MemoryRequirements { size: 1000, alignment: 128, memory_type_bits: 0b110 };
    }
    fn vkBindImageMemory(_d: vk::Device, image: vk::Image, memory: vk::DeviceMemory, offset: u64) -> vk::Result {
        record(format!("vkBindImageMemory {image:?} {memory:?} at {offset}"));
        result()
    }

    fn vkGetSemaphoreFdKHR(_d: vk::Device, info: *const vk::SemaphoreGetFdInfoKHR, fd: *mut c_int) -> vk::Result {
        record(format!("vkGetSemaphoreFdKHR {}", text(&*info)));
        *fd = new_fd();
        result()
    }
    fn vkSignalSemaphore(_d: vk::Device, info: *const vk::SemaphoreSignalInfo) -> vk::Result {
        record(format!("vkSignalSemaphore {}", text(&*info)));
        result()
    }
    fn vkWaitSemaphores(_d: vk::Device, info: *const vk::SemaphoreWaitInfo, timeout: u64) -> vk::Result {
        let semaphores = list((*info).p_semaphores, (*info).semaphore_count);
        let values = list((*info).p_values, (*info).semaphore_count);
        record(format!("vkWaitSemaphores {semaphores:?} for {values:?} {timeout}"));
        result()
    }
    fn vkGetSemaphoreCounterValue(_d: vk::Device, semaphore: vk::Semaphore, value: *mut u64) -> vk::Result {
        record(format!("vkGetSemaphoreCounterValue {semaphore:?}"));
        *value = 77;
        result()
    }

    fn vkCmdFillBuffer(commands: vk::CommandBuffer, buffer: vk::Buffer, offset: u64, size: u64, word: u32) {
        record(format!("vkCmdFillBuffer {commands:?} {buffer:?} {offset} {size} {word:#x}"));
    }
    fn vkCmdPipelineBarrier2(commands: vk::CommandBuffer, info: *const vk::DependencyInfo) {
        let info = &*info;
        record(format!("vkCmdPipelineBarrier2 {commands:?} {}", text(info)));
        record_each("", info.p_memory_barriers, info.memory_barrier_count);
        record_each("", info.p_buffer_memory_barriers, info.buffer_memory_barrier_count);
        record_each("", info.p_image_memory_barriers, info.image_memory_barrier_count);
    }
    fn vkCmdCopyBuffer(
        commands: vk::CommandBuffer, from: vk::Buffer, to: vk::Buffer, count: u32, regions: *const vk::BufferCopy,
    ) {
        record(format!("vkCmdCopyBuffer {commands:?} {from:?} {to:?}"));
        record_each("", regions, count);
    }
    fn vkCmdCopyBufferToImage(
        commands: vk::CommandBuffer, from: vk::Buffer, to: vk::Image, layout: vk::ImageLayout, count: u32,
        regions: *const vk::BufferImageCopy,
    ) {
        record(format!("vkCmdCopyBufferToImage {commands:?} {from:?} {to:?} {layout:?}"));
        record_each("", regions, count);
    }
    fn vkCmdCopyImageToBuffer(
        commands: vk::CommandBuffer, from: vk::Image, layout: vk::ImageLayout, to: vk::Buffer, count: u32,
        regions: *const vk::BufferImageCopy,
    ) {
        record(format!("vkCmdCopyImageToBuffer {commands:?} {from:?} {layout:?} {to:?}"));
        record_each("", regions, count);
    }
    fn vkCmdPipelineBarrier(
        commands: vk::CommandBuffer, before: vk::PipelineStageFlags, after: vk::PipelineStageFlags,
        flags: vk::DependencyFlags, memory_count: u32, memory: *const vk::MemoryBarrier, buffer_count: u32,
        buffers: *const vk::BufferMemoryBarrier, image_count: u32, images: *const vk::ImageMemoryBarrier,
    ) {
        record(format!("vkCmdPipelineBarrier {commands:?} {before:?} before {after:?} {flags:?}"));
        record_each("", memory, memory_count);
        record_each("", buffers, buffer_count);
        record_each("", images, image_count);
    }
}
