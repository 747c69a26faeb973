//! Devices: what is enabled for the application, and this layer's state of each.

use std::ffi::{CStr, c_char};
use std::sync::{Arc, OnceLock};

use ash::khr;
use ash::vk;

use super::instance::{self, INSTANCES};
use super::semaphore::{self, Semaphores};
use super::{Function, Registry, chain, find, functions, load, memory, name, submit};

pub struct Device {
    get: vk::PFN_vkGetDeviceProcAddr,
    /// The next layer's functions.
    pub call: Arc<ash::Device>,
    pub memory_fd: khr::external_memory_fd::DeviceFn,
    /// The ones that lavapipe may lack.
    pub semaphore_fd: Option<khr::external_semaphore_fd::DeviceFn>,
    /// Other devices' calls are passed through.
    pub is_lavapipe: bool,
    /// Whether the application has enabled `VK_KHR_external_semaphore_fd`.
    has_semaphore_fd: bool,
    pub semaphores: Semaphores,
    pub memory_tag: OnceLock<Option<[u8; 16]>>,
}

static DEVICES: Registry<Device> = Registry::new();

/// Returns the state of the device that a handle of a device or a queue belongs to.
pub unsafe fn of(handle: impl vk::Handle) -> Arc<Device> {
    // SAFETY: by this function's own condition.
    unsafe { DEVICES.get(handle) }
}

const FUNCTIONS: &[(&CStr, Function)] = functions! {
    c"vkGetDeviceProcAddr": PFN_vkGetDeviceProcAddr = get_device_proc_addr,
    c"vkDestroyDevice": PFN_vkDestroyDevice = destroy_device,
    c"vkCreateSemaphore": PFN_vkCreateSemaphore = semaphore::create,
    c"vkDestroySemaphore": PFN_vkDestroySemaphore = semaphore::destroy,
    c"vkGetSemaphoreCounterValue": PFN_vkGetSemaphoreCounterValue = semaphore::get_value,
    c"vkWaitSemaphores": PFN_vkWaitSemaphores = semaphore::wait,
    c"vkSignalSemaphore": PFN_vkSignalSemaphore = semaphore::signal,
    c"vkQueueSubmit": PFN_vkQueueSubmit = submit::queue_submit,
    c"vkQueueSubmit2": PFN_vkQueueSubmit2 = submit::queue_submit2,
    c"vkQueueWaitIdle": PFN_vkQueueWaitIdle = submit::queue_wait_idle,
    c"vkDeviceWaitIdle": PFN_vkDeviceWaitIdle = submit::device_wait_idle,
    c"vkWaitForFences": PFN_vkWaitForFences = submit::wait_for_fences,
    c"vkGetFenceStatus": PFN_vkGetFenceStatus = submit::get_fence_status,
    c"vkAllocateMemory": PFN_vkAllocateMemory = memory::allocate,
};

/// What lavapipe may lack.
const ADDED: &[(&CStr, Function)] = functions! {
    c"vkGetSemaphoreFdKHR": PFN_vkGetSemaphoreFdKHR = semaphore::export,
    c"vkImportSemaphoreFdKHR": PFN_vkImportSemaphoreFdKHR = semaphore::import,
};

/// Returns the function of a device for `vkGetInstanceProcAddr`, given the next layer's.
pub fn function(name: &CStr, next: vk::PFN_vkVoidFunction) -> vk::PFN_vkVoidFunction {
    find(ADDED, name).or_else(|| next.and(find(FUNCTIONS, name)))
}

pub unsafe extern "system" fn get_device_proc_addr(
    handle: vk::Device,
    function: *const c_char,
) -> vk::PFN_vkVoidFunction {
    // SAFETY: the application passes a device that lives and a C string.
    unsafe {
        let device = DEVICES.get(handle);
        let next = (device.get)(handle, function);
        if !device.is_lavapipe {
            return next;
        }
        match find(ADDED, name(function)) {
            Some(function) => device.has_semaphore_fd.then_some(function),
            None => next.and(find(FUNCTIONS, name(function))).or(next),
        }
    }
}

pub unsafe extern "system" fn create_device(
    physical_device: vk::PhysicalDevice,
    info: *const vk::DeviceCreateInfo,
    allocator: *const vk::AllocationCallbacks,
    device: *mut vk::Device,
) -> vk::Result {
    // SAFETY: the loader's arguments, with its own struct in the chain.
    unsafe {
        let instance = INSTANCES.get(physical_device);
        let link = chain::next_layer((*info).p_next, vk::StructureType::LOADER_DEVICE_CREATE_INFO);
        let Some(get) = link.and_then(|link| link.get_device_proc_addr) else {
            return vk::Result::ERROR_INITIALIZATION_FAILED;
        };
        let get = std::mem::transmute::<Function, vk::PFN_vkGetDeviceProcAddr>(get);
        let is_lavapipe = instance.ordinal(physical_device).is_some();
        let asked = submit::list((*info).pp_enabled_extension_names, (*info).enabled_extension_count);
        let ours = khr::external_semaphore_fd::NAME;
        let has_semaphore_fd = asked.iter().any(|name| CStr::from_ptr(*name) == ours);
        let has = match instance.call.enumerate_device_extension_properties(physical_device) {
            Ok(has) => has,
            Err(code) => return code,
        };
        let mut names = asked.to_vec();
        if is_lavapipe {
            // Without what only this layer has, and with what it uses.
            names.retain(|name| CStr::from_ptr(*name) != ours || instance::has(&has, ours));
            for used in [khr::timeline_semaphore::NAME, khr::synchronization2::NAME] {
                if instance::has(&has, used) && !names.iter().any(|name| CStr::from_ptr(*name) == used) {
                    names.push(used.as_ptr());
                }
            }
        }
        let copy = (*info).enabled_extension_names(&names);
        let create = instance.call.fp_v1_0().create_device;
        let result = create(physical_device, &copy, allocator, device);
        if result == vk::Result::SUCCESS {
            let handle = *device;
            let find = |name: &CStr| load(|name| get(handle, name), name);
            let state = Device {
                get,
                call: Arc::new(ash::Device::load_with(find, handle)),
                memory_fd: khr::external_memory_fd::DeviceFn::load(find),
                semaphore_fd: (has_semaphore_fd && instance::has(&has, ours))
                    .then(|| khr::external_semaphore_fd::DeviceFn::load(find)),
                is_lavapipe,
                has_semaphore_fd,
                semaphores: Semaphores::default(),
                memory_tag: OnceLock::new(),
            };
            DEVICES.insert(handle, state);
        }
        result
    }
}

unsafe extern "system" fn destroy_device(handle: vk::Device, allocator: *const vk::AllocationCallbacks) {
    if handle == vk::Device::null() {
        return;
    }
    // SAFETY: the application's arguments.
    unsafe {
        if let Some(device) = DEVICES.remove(handle) {
            device.semaphores.close();
            (device.call.fp_v1_0().destroy_device)(handle, allocator);
        }
    }
}
