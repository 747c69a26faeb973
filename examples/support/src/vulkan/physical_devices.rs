//! Finds the Vulkan device that is the same GPU as a CUDA device.
//!
//! [`device_with_uuid`] compares UUIDs, not numbers, since CUDA's device 0 can be Vulkan's device 1.

use std::ffi::CStr;

use ash::vk;
use cuda_external_sys::CUuuid;

use crate::{Error, Result};

/// Vulkan's loader and an instance.
pub struct Instance {
    _entry: ash::Entry, // the loader's library, which the instance calls into
    pub raw: ash::Instance,
}

/// A Vulkan device, before it is opened.
#[derive(Clone, Debug)]
pub struct PhysicalDevice {
    pub raw: vk::PhysicalDevice,
    pub name: String,
    pub kind: vk::PhysicalDeviceType,
    /// The device's UUID, which CUDA reports too.
    pub uuid: [u8; 16],
    pub version: u32,
    /// Whether the device is in a group with other devices: memory may then be on any device of the group.
    pub is_in_group: bool,
}

impl Instance {
    pub fn create_instance() -> Result<Self> {
        // SAFETY: the initializers of Vulkan's loader may run in any process.
        let entry = unsafe { ash::Entry::load() }
            .map_err(|error| Error::Missing(format!("Vulkan's loader cannot be opened: {error}")))?;
        let application = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_3);
        let info = vk::InstanceCreateInfo::default().application_info(&application);
        // SAFETY: `info` holds no pointer that dangles.
        let raw = unsafe { entry.create_instance(&info, None) }
            .map_err(|code| Error::Missing(format!("Vulkan has no driver: {code:?}")))?;
        Ok(Self { _entry: entry, raw })
    }

    pub fn physical_devices(&self) -> Result<Vec<PhysicalDevice>> {
        // SAFETY: the instance lives, and `groups` has room for `count` groups.
        let (devices, groups) = unsafe {
            let count = self.raw.enumerate_physical_device_groups_len()?;
            let mut groups = vec![vk::PhysicalDeviceGroupProperties::default(); count];
            self.raw.enumerate_physical_device_groups(&mut groups)?;
            (self.raw.enumerate_physical_devices()?, groups)
        };
        let device = |physical_device| {
            let mut id = vk::PhysicalDeviceIDProperties::default();
            let mut properties = vk::PhysicalDeviceProperties2::default().push_next(&mut id);
            // SAFETY: the device came from this instance.
            unsafe { self.raw.get_physical_device_properties2(physical_device, &mut properties) };
            let properties = properties.properties;
            let name = properties.device_name_as_c_str().map(CStr::to_string_lossy).unwrap_or_default();
            let is_in_group = groups.iter().any(|group| {
                let members = group.physical_devices_as_slice();
                members.len() > 1 && members.contains(&physical_device)
            });
            PhysicalDevice {
                raw: physical_device,
                name: name.into_owned(),
                kind: properties.device_type,
                uuid: id.device_uuid,
                version: properties.api_version,
                is_in_group,
            }
        };
        Ok(devices.into_iter().map(device).collect())
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        // SAFETY: a `Vulkan` owns its instance, and destroys the device before the instance.
        unsafe { self.raw.destroy_instance(None) };
    }
}

/// Returns the Vulkan device with a CUDA device's UUID. The error lists each device, with the reason against it.
pub fn device_with_uuid<'a>(devices: &'a [PhysicalDevice], uuid: &[u8; 16]) -> Result<&'a PhysicalDevice> {
    let mut others = Vec::new();
    for device in devices {
        let reason = if device.kind == vk::PhysicalDeviceType::CPU {
            "a CPU".to_owned()
        } else if device.uuid != *uuid {
            format!("another device, {}", CUuuid::from(device.uuid))
        } else if device.is_in_group {
            "one of a group of devices".to_owned()
        } else {
            return Ok(device);
        };
        others.push(format!("{} ({reason})", device.name));
    }
    let others = if others.is_empty() { "none".to_owned() } else { others.join("; ") };
    Err(Error::Missing(format!(
        "Vulkan does not have CUDA's device {}. It has: {others}",
        CUuuid::from(*uuid)
    )))
}
