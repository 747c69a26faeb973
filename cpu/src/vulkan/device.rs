//! Devices: what is enabled for the application, and this layer's state of each.

use std::ffi::{CStr, c_char};
use std::sync::{Arc, OnceLock};

use ash::khr;
use ash::vk;

use super::instance::{INSTANCES, has};
use super::semaphore::{self, Semaphores};
use super::{Allocator, Function, Registry, chain, find, functions, list, load, memory, submit};

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

/// The functions of a device, without those that lavapipe may lack.
const ALL: [&[(&str, Function)]; 4] = [FUNCTIONS, memory::FUNCTIONS, semaphore::FUNCTIONS, submit::FUNCTIONS];

/// Returns the function of a device for `vkGetInstanceProcAddr`, given the next layer's.
pub fn function(name: &CStr, next: vk::PFN_vkVoidFunction) -> vk::PFN_vkVoidFunction {
    find(&[semaphore::ADDED], name).or_else(|| next.and(find(&ALL, name)))
}

functions! {
    CREATE:
    fn vkCreateDevice: PFN_vkCreateDevice, (
        physical: vk::PhysicalDevice, info: *const vk::DeviceCreateInfo<'_>, allocator: Allocator<'_>, device: *mut vk::Device
    ) -> vk::Result {
        let instance = INSTANCES.get(physical);
        let link = chain::next_layer((*info).p_next, vk::StructureType::LOADER_DEVICE_CREATE_INFO);
        let Some(get) = link.and_then(|link| link.get_device_proc_addr) else {
            return vk::Result::ERROR_INITIALIZATION_FAILED;
        };
        let get = std::mem::transmute::<Function, vk::PFN_vkGetDeviceProcAddr>(get);
        let is_lavapipe = instance.ordinal(physical).is_some();
        let present = match instance.call.enumerate_device_extension_properties(physical) {
            Ok(present) => present,
            Err(code) => return code,
        };
        let mut names = list((*info).pp_enabled_extension_names, (*info).enabled_extension_count).to_vec();
        let is_asked = |names: &[*const c_char], name| names.iter().any(|asked| CStr::from_ptr(*asked) == name);
        let ours = khr::external_semaphore_fd::NAME;
        let has_semaphore_fd = is_asked(&names, ours);
        if is_lavapipe {
            // Without what only this layer has, and with what it uses.
            names.retain(|name| CStr::from_ptr(*name) != ours || has(&present, ours));
            for used in [khr::timeline_semaphore::NAME, khr::synchronization2::NAME] {
                if has(&present, used) && !is_asked(&names, used) {
                    names.push(used.as_ptr());
                }
            }
        }
        let copy = (*info).enabled_extension_names(&names);
        let result = (instance.call.fp_v1_0().create_device)(physical, &copy, allocator, device);
        if result == vk::Result::SUCCESS {
            let handle = *device;
            let find = |name: &CStr| load(|name| get(handle, name), name);
            let state = Device {
                get,
                call: Arc::new(ash::Device::load_with(find, handle)),
                memory_fd: khr::external_memory_fd::DeviceFn::load(find),
                semaphore_fd: (has_semaphore_fd && has(&present, ours))
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

functions! {
    FUNCTIONS:
    fn vkGetDeviceProcAddr: PFN_vkGetDeviceProcAddr, (handle: vk::Device, name: *const c_char) -> vk::PFN_vkVoidFunction {
        let name = CStr::from_ptr(name);
        let Some(device) = DEVICES.find(handle) else { return find(&ALL, name) };
        let next = (device.get)(handle, name.as_ptr());
        if !device.is_lavapipe {
            return next;
        }
        match find(&[semaphore::ADDED], name) {
            Some(function) => device.has_semaphore_fd.then_some(function),
            None => next.and(find(&ALL, name)).or(next),
        }
    }
    fn vkDestroyDevice: PFN_vkDestroyDevice, (handle: vk::Device, allocator: Allocator<'_>) {
        if let Some(device) = DEVICES.remove(handle) {
            device.semaphores.close();
            (device.call.fp_v1_0().destroy_device)(handle, allocator);
        }
    }
}
