//! The functions by which Vulkan's loader finds the layer's functions.

use std::ffi::CStr;

use ash::vk::{self, Handle};
use cuda_external_in_process::vulkan::{
    CreateDeviceCall, DispatchMap, InstanceRecord, NegotiateInterface, NextLayerDevice, NextLayerInstance,
    VoidFunction, VulkanLayer, cast_function, negotiate_interface,
};

use crate::layer::chassis::wrapped_call::LayerCall;
use crate::layer::host_process::current_process::active_check;

use crate::layer::vulkan::chassis::{CheckLayer, CheckLayerDevice, DEVICES, DeviceRecord};
use crate::layer::vulkan::wrapped::TABLES;

/// # Safety
///
/// `interface` is the loader's structure, or null.
#[cfg_attr(feature = "library", unsafe(no_mangle))]
#[allow(non_snake_case)]
pub unsafe extern "system" fn vkNegotiateLoaderLayerInterfaceVersion(
    interface: *mut NegotiateInterface,
) -> vk::Result {
    // SAFETY: `interface` is the loader's structure, or null.
    unsafe { negotiate_interface::<CheckLayer>(interface) }
}

impl VulkanLayer for CheckLayer {
    type InstanceData = ();
    type DeviceData = DeviceRecord;

    fn instances() -> &'static DispatchMap<InstanceRecord<Self>> {
        static INSTANCES: DispatchMap<InstanceRecord<CheckLayer>> = DispatchMap::new();
        &INSTANCES
    }

    fn devices() -> &'static DispatchMap<CheckLayerDevice> {
        &DEVICES
    }

    /// Returns `None` if the next layer has no function of this name (`next` is `None`). Otherwise returns the check's
    /// function of this name if the check is active and has one, or else `next`.
    fn find_device_function(_: Option<&DeviceRecord>, name: &CStr, next: VoidFunction) -> VoidFunction {
        let own = |_| TABLES.iter().find_map(|table| (table.find_layer_function)(name));
        next.filter(|_| active_check().is_some()).and_then(own).or(next)
    }

    unsafe fn make_instance_data(_: &NextLayerInstance) {}

    unsafe fn create_device_and_data(
        request: &CreateDeviceCall<'_, Self>,
    ) -> Result<(NextLayerDevice, DeviceRecord), vk::Result> {
        // SAFETY: the program's `request.info` is valid, and both functions of `names` have the type of the cast.
        unsafe {
            let next = request.create_device_in_next_layer(request.info)?;
            let find = |names: &&[&'static CStr]| {
                (names[0], names.iter().find_map(|name| next.next_layer_function(name)))
            };
            let functions = TABLES.iter().flat_map(|table| table.names).map(find).collect();
            let names = [c"vkGetPhysicalDeviceProperties2", c"vkGetPhysicalDeviceProperties2KHR"];
            let get = names.iter().find_map(|name| request.instance.next.next_layer_function(name));
            let uuid = cast_function::<vk::PFN_vkGetPhysicalDeviceProperties2>(get).map(|get| {
                let mut ids = vk::PhysicalDeviceIDProperties::default();
                get(request.physical, &mut vk::PhysicalDeviceProperties2::default().push_next(&mut ids));
                ids.device_uuid
            });
            // A driver of Vulkan 1.0 does not write `ids`, which then stays zeroed.
            let uuid = uuid.filter(|uuid| *uuid != [0; 16]);
            let handle = next.handle;
            Ok((next, DeviceRecord { functions, handle, uuid }))
        }
    }

    fn before_device_destroyed(_: &DeviceRecord, handle: vk::Device) {
        if active_check().is_some() {
            LayerCall::default().lock_state().vulkan.end_device(handle.as_raw());
        }
    }
}
