//! Instances, and what physical devices are said to be.

use std::ffi::{CStr, c_char};

use ash::vk;

use super::{Allocator, Function, Registry, chain, device, find, functions, load};
use crate::driver::device::memory as memory_size;
use crate::shared::{DEVICE_NAME, device_uuid};

const OPAQUE_FD: vk::ExternalSemaphoreHandleTypeFlags = vk::ExternalSemaphoreHandleTypeFlags::OPAQUE_FD;

pub struct Instance {
    get: vk::PFN_vkGetInstanceProcAddr,
    /// The next layer's functions. They are looked up when the instance is created: later, the lookup would return the first
    /// layer's, and a call would not end.
    pub call: ash::Instance,
}

pub static INSTANCES: Registry<Instance> = Registry::new();

impl Instance {
    /// Returns the number of a device among lavapipe's, and `None` for any other.
    pub fn ordinal(&self, device: vk::PhysicalDevice) -> Option<u8> {
        // SAFETY: the instance lives, here and below.
        let mut devices = unsafe { self.call.enumerate_physical_devices() }.unwrap_or_default();
        devices.retain(|device| self.is_lavapipe(*device));
        devices.iter().position(|known| *known == device).map(|ordinal| ordinal as u8)
    }

    fn is_lavapipe(&self, device: vk::PhysicalDevice) -> bool {
        let properties = unsafe { self.call.get_physical_device_properties(device) };
        let name = properties.device_name_as_c_str().unwrap_or_default();
        properties.device_type == vk::PhysicalDeviceType::CPU && name.to_bytes().starts_with(b"llvmpipe")
    }

    /// Gives lavapipe's heaps the size of the CUDA device's memory, which is theirs: lavapipe 22.3 says 2 GiB whatever it can
    /// allocate.
    fn enlarge(&self, device: vk::PhysicalDevice, memory: &mut vk::PhysicalDeviceMemoryProperties) {
        let count = if self.ordinal(device).is_some() { memory.memory_heap_count } else { 0 };
        for heap in &mut memory.memory_heaps[..count as usize] {
            heap.size = heap.size.max(memory_size() as u64);
        }
    }
}

/// Returns whether an extension is in the list.
pub fn has(list: &[vk::ExtensionProperties], name: &CStr) -> bool {
    list.iter().any(|extension| extension.extension_name_as_c_str() == Ok(name))
}

/// What programs look for before they ask CUDA of a device: FFmpeg asks it of this vendor's devices alone.
const VENDOR_OF_CUDA: u32 = 0x10de;

/// Says that the device is the driver's: not a CPU, or programs would pass it over. `VkDriverId` stays lavapipe's.
fn rename(properties: &mut vk::PhysicalDeviceProperties) {
    properties.vendor_id = VENDOR_OF_CUDA;
    properties.device_type = vk::PhysicalDeviceType::VIRTUAL_GPU;
    properties.device_name = [0; vk::MAX_PHYSICAL_DEVICE_NAME_SIZE];
    for (to, from) in properties.device_name.iter_mut().zip(DEVICE_NAME.bytes()) {
        *to = from as c_char;
    }
}

functions! {
    FUNCTIONS:
    fn vkGetInstanceProcAddr: PFN_vkGetInstanceProcAddr, (handle: vk::Instance, name: *const c_char) -> vk::PFN_vkVoidFunction {
        let ours = find(&[FUNCTIONS, device::CREATE], CStr::from_ptr(name));
        if handle == vk::Instance::null() {
            return ours;
        }
        let Some(instance) = INSTANCES.find(handle) else { return ours };
        let next = (instance.get)(handle, name);
        // What the instance lacks, it lacks here too.
        next.and(ours).or_else(|| device::function(CStr::from_ptr(name), next)).or(next)
    }
    fn vkCreateInstance: PFN_vkCreateInstance, (
        info: *const vk::InstanceCreateInfo<'_>, allocator: Allocator<'_>, instance: *mut vk::Instance
    ) -> vk::Result {
        let link = chain::next_layer((*info).p_next, vk::StructureType::LOADER_INSTANCE_CREATE_INFO);
        let get = link.map(|link| link.get_instance_proc_addr);
        let create = get.and_then(|get| get(vk::Instance::null(), c"vkCreateInstance".as_ptr()));
        let (Some(get), Some(create)) = (get, create) else {
            return vk::Result::ERROR_INITIALIZATION_FAILED;
        };
        let create = std::mem::transmute::<Function, vk::PFN_vkCreateInstance>(create);
        let result = create(info, allocator, instance);
        if result == vk::Result::SUCCESS {
            let handle = *instance;
            let call = ash::Instance::load_with(|name| load(|name| get(handle, name), name), handle);
            INSTANCES.insert(handle, Instance { get, call });
        }
        result
    }
    fn vkDestroyInstance: PFN_vkDestroyInstance, (handle: vk::Instance, allocator: Allocator<'_>) {
        if let Some(instance) = INSTANCES.remove(handle) {
            (instance.call.fp_v1_0().destroy_instance)(handle, allocator);
        }
    }
    fn vkEnumerateDeviceExtensionProperties: PFN_vkEnumerateDeviceExtensionProperties, (
        device: vk::PhysicalDevice, layer: *const c_char, count: *mut u32, list: *mut vk::ExtensionProperties
    ) -> vk::Result {
        let instance = INSTANCES.get(device);
        if !layer.is_null() || instance.ordinal(device).is_none() {
            return (instance.call.fp_v1_0().enumerate_device_extension_properties)(device, layer, count, list);
        }
        let mut all = match instance.call.enumerate_device_extension_properties(device) {
            Ok(all) => all,
            Err(code) => return code,
        };
        let ours = ash::khr::external_semaphore_fd::NAME;
        if !has(&all, ours) {
            all.extend(vk::ExtensionProperties::default().spec_version(1).extension_name(ours));
        }
        let room = if list.is_null() { all.len() } else { all.len().min(*count as usize) };
        *count = room as u32;
        if !list.is_null() {
            list.copy_from_nonoverlapping(all.as_ptr(), room);
        }
        if room < all.len() { vk::Result::INCOMPLETE } else { vk::Result::SUCCESS }
    }
    fn vkGetPhysicalDeviceProperties: PFN_vkGetPhysicalDeviceProperties, (
        device: vk::PhysicalDevice, properties: *mut vk::PhysicalDeviceProperties
    ) {
        let instance = INSTANCES.get(device);
        (instance.call.fp_v1_0().get_physical_device_properties)(device, properties);
        if instance.ordinal(device).is_some() {
            rename(&mut *properties);
        }
    }
    fn vkGetPhysicalDeviceProperties2: PFN_vkGetPhysicalDeviceProperties2, (
        device: vk::PhysicalDevice, properties: *mut vk::PhysicalDeviceProperties2<'_>
    ) {
        let instance = INSTANCES.get(device);
        (instance.call.fp_v1_1().get_physical_device_properties2)(device, properties);
        let Some(ordinal) = instance.ordinal(device) else { return };
        rename(&mut (*properties).properties);
        let first = (*properties).p_next;
        if let Some(id) = chain::find_mut::<vk::PhysicalDeviceIDProperties>(first) {
            id.device_uuid = device_uuid(ordinal);
        }
        if let Some(id) = chain::find_mut::<vk::PhysicalDeviceVulkan11Properties>(first) {
            id.device_uuid = device_uuid(ordinal);
        }
    }
    fn vkGetPhysicalDeviceMemoryProperties: PFN_vkGetPhysicalDeviceMemoryProperties, (
        device: vk::PhysicalDevice, memory: *mut vk::PhysicalDeviceMemoryProperties
    ) {
        let instance = INSTANCES.get(device);
        (instance.call.fp_v1_0().get_physical_device_memory_properties)(device, memory);
        instance.enlarge(device, &mut *memory);
    }
    fn vkGetPhysicalDeviceMemoryProperties2: PFN_vkGetPhysicalDeviceMemoryProperties2, (
        device: vk::PhysicalDevice, memory: *mut vk::PhysicalDeviceMemoryProperties2<'_>
    ) {
        let instance = INSTANCES.get(device);
        (instance.call.fp_v1_1().get_physical_device_memory_properties2)(device, memory);
        instance.enlarge(device, &mut (*memory).memory_properties);
    }
    fn vkGetPhysicalDeviceExternalSemaphoreProperties: PFN_vkGetPhysicalDeviceExternalSemaphoreProperties, (
        device: vk::PhysicalDevice,
        info: *const vk::PhysicalDeviceExternalSemaphoreInfo<'_>,
        properties: *mut vk::ExternalSemaphoreProperties<'_>
    ) {
        let instance = INSTANCES.get(device);
        (instance.call.fp_v1_1().get_physical_device_external_semaphore_properties)(device, info, properties);
        if (*info).handle_type == OPAQUE_FD && instance.ordinal(device).is_some() {
            let properties = &mut *properties;
            properties.export_from_imported_handle_types = OPAQUE_FD;
            properties.compatible_handle_types = OPAQUE_FD;
            properties.external_semaphore_features =
                vk::ExternalSemaphoreFeatureFlags::EXPORTABLE | vk::ExternalSemaphoreFeatureFlags::IMPORTABLE;
        }
    }
}
