use std::ffi::c_char;

use ash::vk;
use cuda_external_in_process::vulkan::find_in_output_chain;

use super::layer_state::has_extension;
use super::{SEMAPHORE_FD, functions};
use crate::shared_files::{DEVICE_NAME, device_uuid};

/// NVIDIA's vendor id. FFmpeg, for example, uses CUDA only with devices of this vendor.
const VENDOR_OF_CUDA: u32 = 0x10de;

/// Sets NVIDIA's vendor id, the CUDA device's name, and the type VIRTUAL_GPU. A program may skip devices of the type
/// CPU, which is lavapipe's. The `VkDriverId` stays lavapipe's.
fn set_device_identity(properties: &mut vk::PhysicalDeviceProperties) {
    properties.vendor_id = VENDOR_OF_CUDA;
    properties.device_type = vk::PhysicalDeviceType::VIRTUAL_GPU;
    properties.device_name = [0; vk::MAX_PHYSICAL_DEVICE_NAME_SIZE];
    for (to, from) in properties.device_name.iter_mut().zip(DEVICE_NAME.bytes()) {
        *to = from as c_char;
    }
}

functions! {
    FUNCTIONS:
    fn vkEnumerateDeviceExtensionProperties: PFN_vkEnumerateDeviceExtensionProperties, instance = instance_of(
        device: vk::PhysicalDevice, layer: *const c_char, count: *mut u32, list: *mut vk::ExtensionProperties
    ) -> vk::Result {
        if !layer.is_null() || instance.lavapipe_ordinal(device).is_none() {
            return (instance.call.fp_v1_0().enumerate_device_extension_properties)(device, layer, count, list);
        }
        let mut all = match instance.call.enumerate_device_extension_properties(device) {
            Ok(all) => all,
            Err(code) => return code,
        };
        let ours = ash::khr::external_semaphore_fd::NAME;
        if !has_extension(&all, ours) {
            all.extend(vk::ExtensionProperties::default().spec_version(1).extension_name(ours));
        }
        let room = if list.is_null() { all.len() } else { all.len().min(*count as usize) };
        *count = room as u32;
        if !list.is_null() {
            list.copy_from_nonoverlapping(all.as_ptr(), room);
        }
        if room < all.len() { vk::Result::INCOMPLETE } else { vk::Result::SUCCESS }
    }
    fn vkGetPhysicalDeviceProperties: PFN_vkGetPhysicalDeviceProperties, instance = instance_of(
        device: vk::PhysicalDevice, properties: *mut vk::PhysicalDeviceProperties
    ) {
        (instance.call.fp_v1_0().get_physical_device_properties)(device, properties);
        if instance.lavapipe_ordinal(device).is_some() {
            set_device_identity(&mut *properties);
        }
    }
    fn vkGetPhysicalDeviceProperties2: PFN_vkGetPhysicalDeviceProperties2, instance = instance_of(
        device: vk::PhysicalDevice, properties: *mut vk::PhysicalDeviceProperties2<'_>
    ) {
        (instance.call.fp_v1_1().get_physical_device_properties2)(device, properties);
        let Some(ordinal) = instance.lavapipe_ordinal(device) else { return };
        set_device_identity(&mut (*properties).properties);
        let first = (*properties).p_next;
        if let Some(id) = find_in_output_chain::<vk::PhysicalDeviceIDProperties>(first) {
            id.device_uuid = device_uuid(ordinal);
        }
        if let Some(id) = find_in_output_chain::<vk::PhysicalDeviceVulkan11Properties>(first) {
            id.device_uuid = device_uuid(ordinal);
        }
    }
    fn vkGetPhysicalDeviceMemoryProperties: PFN_vkGetPhysicalDeviceMemoryProperties, instance = instance_of(
        device: vk::PhysicalDevice, memory: *mut vk::PhysicalDeviceMemoryProperties
    ) {
        (instance.call.fp_v1_0().get_physical_device_memory_properties)(device, memory);
        instance.enlarge_heaps(device, &mut *memory);
    }
    fn vkGetPhysicalDeviceMemoryProperties2: PFN_vkGetPhysicalDeviceMemoryProperties2, instance = instance_of(
        device: vk::PhysicalDevice, memory: *mut vk::PhysicalDeviceMemoryProperties2<'_>
    ) {
        (instance.call.fp_v1_1().get_physical_device_memory_properties2)(device, memory);
        instance.enlarge_heaps(device, &mut (*memory).memory_properties);
    }
    fn vkGetPhysicalDeviceExternalSemaphoreProperties: PFN_vkGetPhysicalDeviceExternalSemaphoreProperties,
        instance = instance_of(
            device: vk::PhysicalDevice, info: *const vk::PhysicalDeviceExternalSemaphoreInfo<'_>,
            properties: *mut vk::ExternalSemaphoreProperties<'_>
        ) {
        (instance.call.fp_v1_1().get_physical_device_external_semaphore_properties)(device, info, properties);
        if (*info).handle_type == SEMAPHORE_FD && instance.lavapipe_ordinal(device).is_some() {
            let properties = &mut *properties;
            properties.export_from_imported_handle_types = SEMAPHORE_FD;
            properties.compatible_handle_types = SEMAPHORE_FD;
            properties.external_semaphore_features =
                vk::ExternalSemaphoreFeatureFlags::EXPORTABLE | vk::ExternalSemaphoreFeatureFlags::IMPORTABLE;
        }
    }
}
