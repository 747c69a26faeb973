//! Instances, and what physical devices are said to be.

use std::ffi::c_char;
use std::sync::{Arc, Mutex, PoisonError};

use ash::vk;

use super::{Registry, chain, device, find, functions, name, table};
use crate::shared::{DEVICE_NAME, device_uuid};

const OPAQUE_FD: vk::ExternalSemaphoreHandleTypeFlags = vk::ExternalSemaphoreHandleTypeFlags::OPAQUE_FD;

table! {
    /// The next layer's functions. They are looked up when the instance is created: later, the lookup would return the first
    /// layer's, and a call would not end.
    Functions {
        destroy_instance: PFN_vkDestroyInstance = c"vkDestroyInstance",
        create_device: PFN_vkCreateDevice = c"vkCreateDevice",
        enumerate_physical_devices: PFN_vkEnumeratePhysicalDevices = c"vkEnumeratePhysicalDevices",
        enumerate_extensions: PFN_vkEnumerateDeviceExtensionProperties = c"vkEnumerateDeviceExtensionProperties",
        get_properties: PFN_vkGetPhysicalDeviceProperties = c"vkGetPhysicalDeviceProperties",
        get_properties2: PFN_vkGetPhysicalDeviceProperties2 =
            c"vkGetPhysicalDeviceProperties2" | c"vkGetPhysicalDeviceProperties2KHR",
        get_memory: PFN_vkGetPhysicalDeviceMemoryProperties = c"vkGetPhysicalDeviceMemoryProperties",
        get_memory2: PFN_vkGetPhysicalDeviceMemoryProperties2 =
            c"vkGetPhysicalDeviceMemoryProperties2" | c"vkGetPhysicalDeviceMemoryProperties2KHR",
        get_semaphore_properties: PFN_vkGetPhysicalDeviceExternalSemaphoreProperties =
            c"vkGetPhysicalDeviceExternalSemaphoreProperties" | c"vkGetPhysicalDeviceExternalSemaphorePropertiesKHR",
    }
}

pub struct Instance {
    handle: vk::Instance,
    get: vk::PFN_vkGetInstanceProcAddr,
    pub call: Functions,
    /// The devices that were asked for, and which of lavapipe's each is.
    devices: Mutex<Vec<(vk::PhysicalDevice, Option<u8>)>>,
}

pub static INSTANCES: Registry<Instance> = Registry::new();

impl Instance {
    /// Returns the number of a device among lavapipe's, and `None` for any other.
    pub fn ordinal(&self, device: vk::PhysicalDevice) -> Option<u8> {
        let known = |devices: &[(vk::PhysicalDevice, Option<u8>)]| {
            devices.iter().find(|(known, _)| *known == device).map(|(_, ordinal)| *ordinal)
        };
        if let Some(ordinal) = known(&self.devices.lock().unwrap_or_else(PoisonError::into_inner)) {
            return ordinal;
        }
        let mut ordinals = 0..;
        let devices = self.physical_devices().into_iter();
        let devices =
            devices.map(|device| (device, self.is_lavapipe(device).then(|| ordinals.next()).flatten()));
        let devices = Vec::from_iter(devices);
        let ordinal = known(&devices).flatten();
        *self.devices.lock().unwrap_or_else(PoisonError::into_inner) = devices;
        ordinal
    }

    fn physical_devices(&self) -> Vec<vk::PhysicalDevice> {
        let enumerate = self.call.enumerate_physical_devices.expect("Vulkan 1.0 has it");
        let mut count = 0;
        // SAFETY: the instance lives, and the list has as many entries as the count says.
        unsafe {
            let _ = enumerate(self.handle, &mut count, std::ptr::null_mut());
            let mut devices = vec![vk::PhysicalDevice::null(); count as usize];
            let _ = enumerate(self.handle, &mut count, devices.as_mut_ptr());
            devices.truncate(count as usize);
            devices
        }
    }

    fn is_lavapipe(&self, device: vk::PhysicalDevice) -> bool {
        let mut properties = vk::PhysicalDeviceProperties::default();
        // SAFETY: the device is of this instance.
        unsafe { self.call.get_properties.expect("Vulkan 1.0 has it")(device, &mut properties) };
        let name = properties.device_name_as_c_str().unwrap_or_default();
        properties.device_type == vk::PhysicalDeviceType::CPU && name.to_bytes().starts_with(b"llvmpipe")
    }

    /// Returns the extensions that the device has without this layer.
    pub fn extensions(&self, device: vk::PhysicalDevice) -> Result<Vec<vk::ExtensionProperties>, vk::Result> {
        let enumerate = self.call.enumerate_extensions.expect("Vulkan 1.0 has it");
        let mut count = 0;
        // SAFETY: the list has as many entries as the count says.
        unsafe {
            enumerate(device, std::ptr::null(), &mut count, std::ptr::null_mut()).result()?;
            let mut list = vec![vk::ExtensionProperties::default(); count as usize];
            enumerate(device, std::ptr::null(), &mut count, list.as_mut_ptr()).result()?;
            list.truncate(count as usize);
            Ok(list)
        }
    }
}

const FUNCTIONS: &[(&std::ffi::CStr, super::Function)] = functions! {
    c"vkGetInstanceProcAddr": PFN_vkGetInstanceProcAddr = get_instance_proc_addr,
    c"vkCreateInstance": PFN_vkCreateInstance = create_instance,
    c"vkDestroyInstance": PFN_vkDestroyInstance = destroy_instance,
    c"vkCreateDevice": PFN_vkCreateDevice = device::create_device,
    c"vkEnumerateDeviceExtensionProperties": PFN_vkEnumerateDeviceExtensionProperties = enumerate_extensions,
    c"vkGetPhysicalDeviceProperties": PFN_vkGetPhysicalDeviceProperties = get_properties,
    c"vkGetPhysicalDeviceProperties2": PFN_vkGetPhysicalDeviceProperties2 = get_properties2,
    c"vkGetPhysicalDeviceProperties2KHR": PFN_vkGetPhysicalDeviceProperties2 = get_properties2,
    c"vkGetPhysicalDeviceMemoryProperties": PFN_vkGetPhysicalDeviceMemoryProperties = get_memory,
    c"vkGetPhysicalDeviceMemoryProperties2": PFN_vkGetPhysicalDeviceMemoryProperties2 = get_memory2,
    c"vkGetPhysicalDeviceMemoryProperties2KHR": PFN_vkGetPhysicalDeviceMemoryProperties2 = get_memory2,
    c"vkGetPhysicalDeviceExternalSemaphoreProperties": PFN_vkGetPhysicalDeviceExternalSemaphoreProperties =
        get_semaphore_properties,
    c"vkGetPhysicalDeviceExternalSemaphorePropertiesKHR": PFN_vkGetPhysicalDeviceExternalSemaphoreProperties =
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
        let instance = INSTANCES.get(handle);
        let next = (instance.get)(handle, function);
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
        let s_type = vk::StructureType::LOADER_INSTANCE_CREATE_INFO;
        let link = chain::next_layer::<()>((*info).p_next, s_type).map(|link| link.get_instance_proc_addr);
        let create =
            link.and_then(|get| Some((get, get(vk::Instance::null(), c"vkCreateInstance".as_ptr())?)));
        let Some((get, create)) = create else {
            return vk::Result::ERROR_INITIALIZATION_FAILED;
        };
        let create = std::mem::transmute::<super::Function, vk::PFN_vkCreateInstance>(create);
        let result = create(info, allocator, instance);
        if result == vk::Result::SUCCESS {
            let handle = *instance;
            let call = Functions::load(|name| get(handle, name.as_ptr()));
            INSTANCES.insert(handle, Arc::new(Instance { handle, get, call, devices: Mutex::default() }));
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
            instance.call.destroy_instance.expect("Vulkan 1.0 has it")(handle, allocator);
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
            let enumerate = instance.call.enumerate_extensions.expect("Vulkan 1.0 has it");
            return enumerate(device, layer, count, list);
        }
        let mut all = match instance.extensions(device) {
            Ok(all) => all,
            Err(code) => return code,
        };
        if !has(&all, ash::khr::external_semaphore_fd::NAME) {
            let mut ours = vk::ExtensionProperties::default().spec_version(1);
            let name = ash::khr::external_semaphore_fd::NAME.to_bytes_with_nul();
            for (to, from) in ours.extension_name.iter_mut().zip(name) {
                *to = *from as c_char;
            }
            all.push(ours);
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
pub fn has(list: &[vk::ExtensionProperties], name: &std::ffi::CStr) -> bool {
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
    // SAFETY: the application's arguments.
    unsafe {
        let instance = INSTANCES.get(device);
        instance.call.get_properties.expect("Vulkan 1.0 has it")(device, properties);
        if instance.ordinal(device).is_some() {
            rename(&mut *properties);
        }
    }
}

unsafe extern "system" fn get_properties2(
    device: vk::PhysicalDevice,
    properties: *mut vk::PhysicalDeviceProperties2,
) {
    // SAFETY: the application's arguments.
    unsafe {
        let instance = INSTANCES.get(device);
        instance.call.get_properties2.expect("it was found by name")(device, properties);
        let Some(ordinal) = instance.ordinal(device) else { return };
        rename(&mut (*properties).properties);
        let uuid = device_uuid(ordinal);
        let first = (*properties).p_next;
        if let Some(id) = chain::find_mut::<vk::PhysicalDeviceIDProperties>(first) {
            id.device_uuid = uuid;
        }
        if let Some(id) = chain::find_mut::<vk::PhysicalDeviceVulkan11Properties>(first) {
            id.device_uuid = uuid;
        }
    }
}

/// Gives the heaps the size of the CUDA device's memory, which is theirs: lavapipe 22.3 says 2 GiB whatever it can allocate.
fn enlarge(memory: &mut vk::PhysicalDeviceMemoryProperties) {
    for heap in &mut memory.memory_heaps[..memory.memory_heap_count as usize] {
        heap.size = heap.size.max(crate::driver::device::memory() as u64);
    }
}

unsafe extern "system" fn get_memory(
    device: vk::PhysicalDevice,
    memory: *mut vk::PhysicalDeviceMemoryProperties,
) {
    // SAFETY: the application's arguments.
    unsafe {
        let instance = INSTANCES.get(device);
        instance.call.get_memory.expect("Vulkan 1.0 has it")(device, memory);
        if instance.ordinal(device).is_some() {
            enlarge(&mut *memory);
        }
    }
}

unsafe extern "system" fn get_memory2(
    device: vk::PhysicalDevice,
    memory: *mut vk::PhysicalDeviceMemoryProperties2,
) {
    // SAFETY: the application's arguments.
    unsafe {
        let instance = INSTANCES.get(device);
        instance.call.get_memory2.expect("it was found by name")(device, memory);
        if instance.ordinal(device).is_some() {
            enlarge(&mut (*memory).memory_properties);
        }
    }
}

unsafe extern "system" fn get_semaphore_properties(
    device: vk::PhysicalDevice,
    info: *const vk::PhysicalDeviceExternalSemaphoreInfo,
    properties: *mut vk::ExternalSemaphoreProperties,
) {
    // SAFETY: the application's arguments.
    unsafe {
        let instance = INSTANCES.get(device);
        instance.call.get_semaphore_properties.expect("it was found by name")(device, info, properties);
        if (*info).handle_type == OPAQUE_FD && instance.ordinal(device).is_some() {
            let properties = &mut *properties;
            properties.export_from_imported_handle_types = OPAQUE_FD;
            properties.compatible_handle_types = OPAQUE_FD;
            properties.external_semaphore_features =
                vk::ExternalSemaphoreFeatureFlags::EXPORTABLE | vk::ExternalSemaphoreFeatureFlags::IMPORTABLE;
        }
    }
}
