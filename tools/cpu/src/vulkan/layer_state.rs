//! The live instances and devices, and whether a device is lavapipe's.

use std::ffi::CStr;
use std::sync::{Arc, OnceLock};

use ash::{khr, vk};
use cuda_external_in_process::vulkan::{DeviceRecord, DispatchMap, InstanceRecord};

use super::semaphore_payload::SemaphorePayloadMap;
use crate::driver::base::device_count::device_memory_size;

/// The type for which this crate implements [`VulkanLayer`](cuda_external_in_process::vulkan::VulkanLayer).
pub struct SoftwareLayer;

pub static INSTANCES: DispatchMap<InstanceRecord<SoftwareLayer>> = DispatchMap::new();
pub static DEVICES: DispatchMap<DeviceRecord<SoftwareLayer>> = DispatchMap::new();

pub struct LayerInstance {
    pub call: ash::Instance,
}

impl LayerInstance {
    pub fn lavapipe_ordinal(&self, device: vk::PhysicalDevice) -> Option<u8> {
        // SAFETY: the instance lives.
        let mut devices = unsafe { self.call.enumerate_physical_devices() }.unwrap_or_default();
        devices.retain(|device| self.is_lavapipe(*device));
        devices.iter().position(|known| *known == device).map(|ordinal| ordinal as u8)
    }

    fn is_lavapipe(&self, device: vk::PhysicalDevice) -> bool {
        // SAFETY: the instance lives, and `device` is one of its devices.
        let properties = unsafe { self.call.get_physical_device_properties(device) };
        let name = properties.device_name_as_c_str().unwrap_or_default();
        properties.device_type == vk::PhysicalDeviceType::CPU && name.to_bytes().starts_with(b"llvmpipe")
    }

    /// Enlarges lavapipe's heaps to `device_memory_size`, since lavapipe 22.3 reports 2 GiB, whatever is available.
    pub fn enlarge_heaps(&self, device: vk::PhysicalDevice, memory: &mut vk::PhysicalDeviceMemoryProperties) {
        let count = if self.lavapipe_ordinal(device).is_some() { memory.memory_heap_count } else { 0 };
        for heap in &mut memory.memory_heaps[..count as usize] {
            heap.size = heap.size.max(device_memory_size() as u64);
        }
    }
}

pub fn has_extension(list: &[vk::ExtensionProperties], name: &CStr) -> bool {
    list.iter().any(|extension| extension.extension_name_as_c_str() == Ok(name))
}

pub struct LayerDevice {
    pub call: Arc<ash::Device>,
    pub memory_fd: khr::external_memory_fd::DeviceFn,
    /// The next layer's functions of VK_KHR_external_semaphore_fd. `None` if the next layer lacks this extension, or
    /// the application has not enabled the extension.
    pub semaphore_fd: Option<khr::external_semaphore_fd::DeviceFn>,
    pub is_lavapipe: bool,
    /// Whether the application has enabled VK_KHR_external_semaphore_fd.
    pub has_semaphore_fd: bool,
    pub semaphores: SemaphorePayloadMap,
    /// The tag of the memory files that lavapipe exports, or `None` for dma-bufs. The first import finds the tag.
    pub memory_tag: OnceLock<Option<[u8; 16]>>,
}

pub unsafe fn instance_of(device: vk::PhysicalDevice) -> Arc<InstanceRecord<SoftwareLayer>> {
    // SAFETY: the application's handle is alive, as Vulkan requires.
    unsafe { INSTANCES.find_dispatchable(device) }.expect("the instance lives")
}

pub unsafe fn device_of(handle: impl vk::Handle) -> Arc<DeviceRecord<SoftwareLayer>> {
    // SAFETY: the application's handle is alive, as Vulkan requires.
    unsafe { DEVICES.find_dispatchable(handle) }.expect("the device lives")
}
