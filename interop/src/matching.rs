//! Finding the Vulkan device that is a given CUDA device.
//!
//! An exported allocation is only of use on the GPU that it lies on, and the two APIs number their
//! devices independently: CUDA 0 can be Vulkan 1, or Vulkan's first device a CPU. The UUID tells.

use std::ffi::CStr;
use std::fmt;

use ash::vk;

use crate::{Error, Result};

pub struct Instance {
    _entry: ash::Entry, // the loader's library, which the instance calls into
    pub raw: ash::Instance,
}

/// A device that Vulkan has.
#[derive(Clone, Debug)]
pub struct Candidate {
    pub physical_device: vk::PhysicalDevice,
    pub name: String,
    pub kind: vk::PhysicalDeviceType,
    pub uuid: [u8; 16],
    pub version: u32,
    /// One of several GPUs that Vulkan presents as one, whose memory may lie on any of them.
    pub grouped: bool,
}

impl Instance {
    pub fn open() -> Result<Self> {
        // SAFETY: the loader is a library like any other; it runs its initializers.
        let entry = unsafe { ash::Entry::load() }
            .map_err(|error| Error::Missing(format!("Vulkan's loader cannot be opened: {error}")))?;
        let application = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_3);
        let info = vk::InstanceCreateInfo::default().application_info(&application);
        // SAFETY: `info` holds no pointer that dangles.
        let raw = unsafe { entry.create_instance(&info, None) }
            .map_err(|code| Error::Missing(format!("Vulkan has no driver here: {code:?}")))?;
        Ok(Self { _entry: entry, raw })
    }

    pub fn candidates(&self) -> Result<Vec<Candidate>> {
        // SAFETY: the instance lives; ash sizes the lists.
        let groups = unsafe { self.group_properties() }?;
        let devices = unsafe { self.raw.enumerate_physical_devices() }?;
        let candidate = |physical_device| {
            let mut id = vk::PhysicalDeviceIDProperties::default();
            let mut properties = vk::PhysicalDeviceProperties2::default().push_next(&mut id);
            // SAFETY: the device came from this instance.
            unsafe { self.raw.get_physical_device_properties2(physical_device, &mut properties) };
            let properties = properties.properties;
            let name = properties.device_name_as_c_str().map(CStr::to_string_lossy).unwrap_or_default();
            let grouped = groups.iter().any(|group| {
                let members = group.physical_devices_as_slice();
                members.len() > 1 && members.contains(&physical_device)
            });
            Candidate {
                physical_device,
                name: name.into_owned(),
                kind: properties.device_type,
                uuid: id.device_uuid,
                version: properties.api_version,
                grouped,
            }
        };
        Ok(devices.into_iter().map(candidate).collect())
    }

    unsafe fn group_properties(&self) -> Result<Vec<vk::PhysicalDeviceGroupProperties<'static>>> {
        // SAFETY: the caller's instance lives.
        let count = unsafe { self.raw.enumerate_physical_device_groups_len() }?;
        let mut groups = vec![vk::PhysicalDeviceGroupProperties::default(); count];
        // SAFETY: as above.
        unsafe { self.raw.enumerate_physical_device_groups(&mut groups) }?;
        Ok(groups)
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        // SAFETY: whatever was made from the instance borrows or owns it, and is gone.
        unsafe { self.raw.destroy_instance(None) };
    }
}

impl Candidate {
    /// Says why this is not CUDA's device with that UUID, or why its memory is of no use to CUDA.
    pub fn check(&self, uuid: &[u8; 16]) -> std::result::Result<(), String> {
        if self.kind == vk::PhysicalDeviceType::CPU {
            return Err("a CPU".to_owned());
        }
        if self.uuid != *uuid {
            return Err(format!("another device, {}", Uuid(&self.uuid)));
        }
        if self.grouped {
            return Err("one of a group of devices".to_owned());
        }
        Ok(())
    }
}

/// The one candidate that is CUDA's device with that UUID.
pub fn find<'a>(candidates: &'a [Candidate], uuid: &[u8; 16]) -> Result<&'a Candidate> {
    if let Some(candidate) = candidates.iter().find(|candidate| candidate.check(uuid).is_ok()) {
        return Ok(candidate);
    }
    let mut text = format!("Vulkan does not have CUDA's device {}. It has:", Uuid(uuid));
    for candidate in candidates {
        let reason = candidate.check(uuid).err().unwrap_or_default();
        text.push_str(&format!(" {} ({reason});", candidate.name));
    }
    if candidates.is_empty() {
        text.push_str(" none");
    }
    Err(Error::Missing(text.trim_end_matches(';').to_owned()))
}

/// Prints as nvidia-smi and vulkaninfo do.
pub struct Uuid<'a>(pub &'a [u8; 16]);

impl fmt::Display for Uuid<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, byte) in self.0.iter().enumerate() {
            let dash = if matches!(i, 4 | 6 | 8 | 10) { "-" } else { "" };
            write!(f, "{dash}{byte:02x}")?;
        }
        Ok(())
    }
}
