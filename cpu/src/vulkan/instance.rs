//! Instances, and what physical devices are said to be.

use std::ffi::{CStr, c_char};

use ash::vk;

use super::{Function, Registry, chain, device, find, functions, load, name};
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
}

const FUNCTIONS: &[(&CStr, Function)] = functions! {
    c"vkGetInstanceProcAddr": PFN_vkGetInstanceProcAddr = get_instance_proc_addr,
    c"vkCreateInstance": PFN_vkCreateInstance = create_instance,
    c"vkDestroyInstance": PFN_vkDestroyInstance = destroy_instance,
    c"vkCreateDevice": PFN_vkCreateDevice = device::create_device,
    c"vkEnumerateDeviceExtensionProperties": PFN_vkEnumerateDeviceExtensionProperties = enumerate_extensions,
    c"vkGetPhysicalDeviceProperties": PFN_vkGetPhysicalDeviceProperties = get_properties,
    c"vkGetPhysicalDeviceProperties2": PFN_vkGetPhysicalDeviceProperties2 = get_properties2,
    c"vkGetPhysicalDeviceMemoryProperties": PFN_vkGetPhysicalDeviceMemoryProperties = get_memory,
    c"vkGetPhysicalDeviceMemoryProperties2": PFN_vkGetPhysicalDeviceMemoryProperties2 = get_memory2,
    c"vkGetPhysicalDeviceExternalSemaphoreProperties": PFN_vkGetPhysicalDeviceExternalSemaphoreProperties =
        get_semaphore_properties,
};

pub unsafe extern "system" fn get_instance_proc_addr(
    handle: vk::Instance,
    function: *const c_char,
) -> vk::PFN_vkVoidFunction {
    // SAFETY: the loader passes a C string, and an instance that lives or none.
    unsafe {
        let ours = find(FUNCTIONS, name(function));
        if handle == vk::Instance::null() {
            return ours;
        }
        let next = (INSTANCES.get(handle).get)(handle, function);
        // What the instance lacks, it lacks here too.
        next.and(ours).or_else(|| device::function(name(function), next)).or(next)
    }
}

unsafe extern "system" fn create_instance(
    info: *const vk::InstanceCreateInfo,
    allocator: *const vk::AllocationCallbacks,
    instance: *mut vk::Instance,
) -> vk::Result {
    // SAFETY: the loader's arguments, with its own struct in the chain.
    unsafe {
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
}

unsafe extern "system" fn destroy_instance(handle: vk::Instance, allocator: *const vk::AllocationCallbacks) {
    if handle == vk::Instance::null() {
        return;
    }
    // SAFETY: the loader's arguments.
    unsafe {
        if let Some(instance) = INSTANCES.remove(handle) {
            (instance.call.fp_v1_0().destroy_instance)(handle, allocator);
        }
    }
}

unsafe extern "system" fn enumerate_extensions(
    device: vk::PhysicalDevice,
    layer: *const c_char,
    count: *mut u32,
    list: *mut vk::ExtensionProperties,
) -> vk::Result {
    // SAFETY: the application's arguments.
    unsafe {
        let instance = INSTANCES.get(device);
        if !layer.is_null() || instance.ordinal(device).is_none() {
            let enumerate = instance.call.fp_v1_0().enumerate_device_extension_properties;
            return enumerate(device, layer, count, list);
        }
        let mut all = match instance.call.enumerate_device_extension_properties(device) {
            Ok(all) => all,
            Err(code) => return code,
        };
        let ours = ash::khr::external_semaphore_fd::NAME;
        if !has(&all, ours) {
            all.extend(vk::ExtensionProperties::default().spec_version(1).extension_name(ours));
        }
        if list.is_null() {
            *count = all.len() as u32;
            return vk::Result::SUCCESS;
        }
        let length = all.len().min(*count as usize);
        list.copy_from_nonoverlapping(all.as_ptr(), length);
        *count = length as u32;
        if length < all.len() { vk::Result::INCOMPLETE } else { vk::Result::SUCCESS }
    }
}

/// Returns whether an extension is in the list.
pub fn has(list: &[vk::ExtensionProperties], name: &CStr) -> bool {
    list.iter().any(|extension| extension.extension_name_as_c_str() == Ok(name))
}

/// Says that the device is the driver's: not a CPU, or programs would pass it over.
fn rename(properties: &mut vk::PhysicalDeviceProperties) {
    properties.device_type = vk::PhysicalDeviceType::VIRTUAL_GPU;
    properties.device_name = [0; vk::MAX_PHYSICAL_DEVICE_NAME_SIZE];
    for (to, from) in properties.device_name.iter_mut().zip(DEVICE_NAME.bytes()) {
        *to = from as c_char;
    }
}

unsafe extern "system" fn get_properties(
    device: vk::PhysicalDevice,
    properties: *mut vk::PhysicalDeviceProperties,
) {
    // SAFETY: the application's arguments, here and below.
    unsafe {
        let instance = INSTANCES.get(device);
        (instance.call.fp_v1_0().get_physical_device_properties)(device, properties);
        if instance.ordinal(device).is_some() {
            rename(&mut *properties);
        }
    }
}

unsafe extern "system" fn get_properties2(
    device: vk::PhysicalDevice,
    properties: *mut vk::PhysicalDeviceProperties2,
) {
    unsafe {
        let instance = INSTANCES.get(device);
        (instance.call.fp_v1_1().get_physical_device_properties2)(device, properties);
        let Some(ordinal) = instance.ordinal(device) else { return };
        rename(&mut (*properties).properties);
        let first = (*properties).p_next;
        if let Some(id) = chain::find::<vk::PhysicalDeviceIDProperties>(first) {
            id.device_uuid = device_uuid(ordinal);
        }
        if let Some(id) = chain::find::<vk::PhysicalDeviceVulkan11Properties>(first) {
            id.device_uuid = device_uuid(ordinal);
        }
    }
}

/// Gives lavapipe's heaps the size of the CUDA device's memory, which is theirs: lavapipe 22.3 says 2 GiB whatever it can allocate.
fn enlarge(instance: &Instance, device: vk::PhysicalDevice, memory: &mut vk::PhysicalDeviceMemoryProperties) {
    let count = if instance.ordinal(device).is_some() { memory.memory_heap_count } else { 0 };
    for heap in &mut memory.memory_heaps[..count as usize] {
        heap.size = heap.size.max(memory_size() as u64);
    }
}

unsafe extern "system" fn get_memory(
    device: vk::PhysicalDevice,
    memory: *mut vk::PhysicalDeviceMemoryProperties,
) {
    unsafe {
        let instance = INSTANCES.get(device);
        (instance.call.fp_v1_0().get_physical_device_memory_properties)(device, memory);
        enlarge(&instance, device, &mut *memory);
    }
}

unsafe extern "system" fn get_memory2(
    device: vk::PhysicalDevice,
    memory: *mut vk::PhysicalDeviceMemoryProperties2,
) {
    unsafe {
        let instance = INSTANCES.get(device);
        (instance.call.fp_v1_1().get_physical_device_memory_properties2)(device, memory);
        enlarge(&instance, device, &mut (*memory).memory_properties);
    }
}

unsafe extern "system" fn get_semaphore_properties(
    device: vk::PhysicalDevice,
    info: *const vk::PhysicalDeviceExternalSemaphoreInfo,
    properties: *mut vk::ExternalSemaphoreProperties,
) {
    unsafe {
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
