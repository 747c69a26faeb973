//! Devices: what is enabled for the application, and this layer's state of each.

use std::ffi::{CStr, c_char};
use std::sync::{Arc, OnceLock};

use ash::vk;

use super::instance::{self, INSTANCES};
use super::payload::Timeline;
use super::semaphore::{self, Semaphores};
use super::submit::{self, Pending};
use super::{Function, Registry, chain, find, functions, memory, name, table};

table! {
    /// The next layer's functions.
    Functions {
        destroy_device: PFN_vkDestroyDevice = c"vkDestroyDevice",
        create_semaphore: PFN_vkCreateSemaphore = c"vkCreateSemaphore",
        destroy_semaphore: PFN_vkDestroySemaphore = c"vkDestroySemaphore",
        get_value: PFN_vkGetSemaphoreCounterValue = c"vkGetSemaphoreCounterValue" | c"vkGetSemaphoreCounterValueKHR",
        wait_semaphores: PFN_vkWaitSemaphores = c"vkWaitSemaphores" | c"vkWaitSemaphoresKHR",
        signal_semaphore: PFN_vkSignalSemaphore = c"vkSignalSemaphore" | c"vkSignalSemaphoreKHR",
        get_semaphore_fd: PFN_vkGetSemaphoreFdKHR = c"vkGetSemaphoreFdKHR",
        import_semaphore_fd: PFN_vkImportSemaphoreFdKHR = c"vkImportSemaphoreFdKHR",
        queue_submit: PFN_vkQueueSubmit = c"vkQueueSubmit",
        queue_submit2: PFN_vkQueueSubmit2 = c"vkQueueSubmit2" | c"vkQueueSubmit2KHR",
        queue_wait_idle: PFN_vkQueueWaitIdle = c"vkQueueWaitIdle",
        device_wait_idle: PFN_vkDeviceWaitIdle = c"vkDeviceWaitIdle",
        wait_for_fences: PFN_vkWaitForFences = c"vkWaitForFences",
        get_fence_status: PFN_vkGetFenceStatus = c"vkGetFenceStatus",
        allocate_memory: PFN_vkAllocateMemory = c"vkAllocateMemory",
        free_memory: PFN_vkFreeMemory = c"vkFreeMemory",
        get_memory_fd: PFN_vkGetMemoryFdKHR = c"vkGetMemoryFdKHR",
    }
}

pub struct Device {
    pub handle: vk::Device,
    get: vk::PFN_vkGetDeviceProcAddr,
    pub call: Functions,
    /// `None` where the device is not lavapipe's: then every call is passed through.
    pub timeline: Option<Timeline>,
    /// Whether the application has enabled `VK_KHR_external_semaphore_fd`.
    has_semaphore_fd: bool,
    pub semaphores: Semaphores,
    pub pending: Pending,
    pub memory_kind: OnceLock<memory::Kind>,
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
    c"vkGetSemaphoreCounterValueKHR": PFN_vkGetSemaphoreCounterValue = semaphore::get_value,
    c"vkWaitSemaphores": PFN_vkWaitSemaphores = semaphore::wait,
    c"vkWaitSemaphoresKHR": PFN_vkWaitSemaphores = semaphore::wait,
    c"vkSignalSemaphore": PFN_vkSignalSemaphore = semaphore::signal,
    c"vkSignalSemaphoreKHR": PFN_vkSignalSemaphore = semaphore::signal,
    c"vkQueueSubmit": PFN_vkQueueSubmit = submit::queue_submit,
    c"vkQueueSubmit2": PFN_vkQueueSubmit2 = submit::queue_submit2,
    c"vkQueueSubmit2KHR": PFN_vkQueueSubmit2 = submit::queue_submit2,
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
        let name = name(function);
        if device.timeline.is_none() {
            return next;
        }
        match find(ADDED, name) {
            Some(function) => device.has_semaphore_fd.then_some(function),
            None => next.and(find(FUNCTIONS, name)).or(next),
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
        let s_type = vk::StructureType::LOADER_DEVICE_CREATE_INFO;
        let link = chain::next_layer::<vk::PFN_vkGetDeviceProcAddr>((*info).p_next, s_type);
        let Some(get) = link.map(|link| link.get_device_proc_addr) else {
            return vk::Result::ERROR_INITIALIZATION_FAILED;
        };
        let create = instance.call.create_device.expect("Vulkan 1.0 has it");
        let is_lavapipe = instance.ordinal(physical_device).is_some();
        let asked = std::slice::from_raw_parts(
            if (*info).enabled_extension_count == 0 {
                [].as_ptr()
            } else {
                (*info).pp_enabled_extension_names
            },
            (*info).enabled_extension_count as usize,
        );
        let asked = Vec::from_iter(asked.iter().map(|name| CStr::from_ptr(*name)));
        let result = if is_lavapipe {
            let names = match instance.extensions(physical_device) {
                Ok(has) => extensions(&asked, &has),
                Err(code) => return code,
            };
            let names = Vec::from_iter(names.iter().map(|name| name.as_ptr()));
            let mut copy = (*info).enabled_extension_names(&names);
            let mut timelines =
                vk::PhysicalDeviceTimelineSemaphoreFeatures::default().timeline_semaphore(true);
            if chain::find::<vk::PhysicalDeviceVulkan12Features>(copy.p_next).is_none()
                && chain::find::<vk::PhysicalDeviceTimelineSemaphoreFeatures>(copy.p_next).is_none()
            {
                timelines.p_next = copy.p_next.cast_mut();
                copy.p_next = (&raw const timelines).cast();
            }
            create(physical_device, &copy, allocator, device)
        } else {
            create(physical_device, info, allocator, device)
        };
        if result == vk::Result::SUCCESS {
            let handle = *device;
            let call = Functions::load(|name| get(handle, name.as_ptr()));
            let state = Device {
                handle,
                get,
                call,
                timeline: is_lavapipe.then(|| Timeline::new(handle, &call)).flatten(),
                has_semaphore_fd: asked.contains(&ash::khr::external_semaphore_fd::NAME),
                semaphores: Semaphores::default(),
                pending: Pending::default(),
                memory_kind: OnceLock::new(),
            };
            DEVICES.insert(handle, Arc::new(state));
        }
        result
    }
}

/// Returns what to enable: without what only this layer has, and with timelines, which it uses.
fn extensions<'a>(asked: &[&'a CStr], has: &[vk::ExtensionProperties]) -> Vec<&'a CStr> {
    let ours = ash::khr::external_semaphore_fd::NAME;
    let mut names = asked.to_vec();
    if !instance::has(has, ours) {
        names.retain(|name| *name != ours);
    }
    let timelines = ash::khr::timeline_semaphore::NAME;
    if instance::has(has, timelines) && !names.contains(&timelines) {
        names.push(timelines);
    }
    names
}

unsafe extern "system" fn destroy_device(handle: vk::Device, allocator: *const vk::AllocationCallbacks) {
    if handle == vk::Device::null() {
        return;
    }
    // SAFETY: the application's arguments.
    unsafe {
        if let Some(device) = DEVICES.remove(handle) {
            device.pending.clear();
            device.semaphores.close();
            device.call.destroy_device.expect("Vulkan 1.0 has it")(handle, allocator);
        }
    }
}
