//! The functions for Vulkan's loader, and the extensions that the layer enables for the application.

use std::ffi::{CStr, CString, c_char, c_void};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use ash::{khr, vk};
use cuda_external_in_process::vulkan::{
    CreateDeviceCall, DeviceRecord, DispatchMap, InstanceRecord, NegotiateInterface, NextLayerDevice,
    NextLayerInstance, NextLayerObject, VoidFunction, VulkanLayer, array_slice, negotiate_interface,
};

use super::layer_state::{DEVICES, INSTANCES, LayerDevice, LayerInstance, SoftwareLayer, has_extension};
use super::semaphore_payload::SemaphorePayloadMap;
use super::{device_identity, find_layer_function, memory_import, queue_submit, semaphore_calls};

/// Whether Vulkan's loader has opened this layer. A copy of the driver in the program reads this symbol too.
#[unsafe(export_name = "cuda_external_cpu_layer_is_open")]
static IS_OPEN: AtomicBool = AtomicBool::new(false);

/// The layer's vkNegotiateLoaderLayerInterfaceVersion, under the name in layer.json. Under cuda-external-check,
/// libcuda.so.1 is the check's layer: the function of that name is the check's, and `dlsym` finds this one behind it.
#[unsafe(no_mangle)]
unsafe extern "system" fn cuda_external_cpu_negotiate_layer(
    interface: *mut NegotiateInterface,
) -> vk::Result {
    IS_OPEN.store(true, Ordering::Relaxed);
    // SAFETY: `interface` is the loader's structure, or null.
    unsafe { negotiate_interface::<SoftwareLayer>(interface) }
}

/// Returns the next layer's function with this name, or else with this name and `KHR`, or null.
fn find_next_function<H: Copy>(next: &NextLayerObject<H>, name: &CStr) -> *const c_void {
    let older = CString::new([name.to_bytes(), b"KHR"].concat()).unwrap_or_default();
    let found = next.next_layer_function(name).or_else(|| next.next_layer_function(&older));
    found.map_or(std::ptr::null(), |function| function as *const c_void)
}

impl VulkanLayer for SoftwareLayer {
    type InstanceData = LayerInstance;
    type DeviceData = LayerDevice;

    fn instances() -> &'static DispatchMap<InstanceRecord<Self>> {
        &INSTANCES
    }

    fn devices() -> &'static DispatchMap<DeviceRecord<Self>> {
        &DEVICES
    }

    fn intercepted_instance_function(name: &CStr) -> VoidFunction {
        find_layer_function(&[device_identity::FUNCTIONS], name)
    }

    fn find_device_function(device: Option<&LayerDevice>, name: &CStr, next: VoidFunction) -> VoidFunction {
        if device.is_some_and(|device| !device.is_lavapipe) {
            return next;
        }
        // lavapipe may lack the functions in `ADDED`, so this layer has them. For a device, the layer returns them only
        // if the application has enabled VK_KHR_external_semaphore_fd.
        if let Some(added) = find_layer_function(&[semaphore_calls::ADDED], name) {
            return device.is_none_or(|device| device.has_semaphore_fd).then_some(added);
        }
        next.and(find_layer_function(
            &[memory_import::FUNCTIONS, semaphore_calls::FUNCTIONS, queue_submit::FUNCTIONS],
            name,
        ))
        .or(next)
    }

    unsafe fn make_instance_data(next: &NextLayerInstance) -> LayerInstance {
        let find = |name: &CStr| find_next_function(next, name);
        // SAFETY: the next layer's functions of this instance have the types of their names.
        LayerInstance { call: unsafe { ash::Instance::load_with(find, next.handle) } }
    }

    unsafe fn create_device_and_data(
        request: &CreateDeviceCall<'_, Self>,
    ) -> Result<(NextLayerDevice, LayerDevice), vk::Result> {
        let (instance, physical, info) = (request.instance, request.physical, request.info);
        let is_lavapipe = instance.lavapipe_ordinal(physical).is_some();
        // SAFETY: the application's names are C strings, and the next layer's functions have the types of their names.
        unsafe {
            let present = instance.call.enumerate_device_extension_properties(physical)?;
            let mut names =
                array_slice(info.pp_enabled_extension_names, info.enabled_extension_count).to_vec();
            let is_asked =
                |names: &[*const c_char], name| names.iter().any(|asked| CStr::from_ptr(*asked) == name);
            let ours = khr::external_semaphore_fd::NAME;
            let has_semaphore_fd = is_asked(&names, ours);
            if is_lavapipe {
                // Removes `ours` if the next layer lacks it. Adds the extensions that this layer uses, if present.
                names.retain(|name| CStr::from_ptr(*name) != ours || has_extension(&present, ours));
                for used in [khr::timeline_semaphore::NAME, khr::synchronization2::NAME] {
                    if has_extension(&present, used) && !is_asked(&names, used) {
                        names.push(used.as_ptr());
                    }
                }
            }
            let next = request.create_device_in_next_layer(&(*info).enabled_extension_names(&names))?;
            let find = |name: &CStr| find_next_function(&next, name);
            let state = LayerDevice {
                call: Arc::new(ash::Device::load_with(find, next.handle)),
                memory_fd: khr::external_memory_fd::DeviceFn::load(find),
                semaphore_fd: (has_semaphore_fd && has_extension(&present, ours))
                    .then(|| khr::external_semaphore_fd::DeviceFn::load(find)),
                is_lavapipe,
                has_semaphore_fd,
                semaphores: SemaphorePayloadMap::default(),
                memory_tag: OnceLock::new(),
            };
            Ok((next, state))
        }
    }

    fn before_device_destroyed(device: &LayerDevice, _: vk::Device) {
        device.semaphores.close_all_payloads();
    }
}
