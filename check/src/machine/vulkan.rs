//! Vulkan's loader and its devices.

use std::ffi::{CStr, c_void};

use ash::{khr, vk};
use cuda_external_sys::CUuuid;

use super::facts::{Vulkan, VulkanDevice};
use super::process::{answer, calling};
use crate::program::file_of;

/// Opens Vulkan's loader, and creates an instance.
pub fn open() -> Result<(ash::Entry, ash::Instance), (String, vk::Result)> {
    calling("dlopen of libvulkan.so.1");
    // SAFETY: the loader runs its initializers; the instance lives as long as the process.
    let entry = unsafe { ash::Entry::load() }
        .map_err(|error| (super::words(&error), vk::Result::ERROR_INITIALIZATION_FAILED))?;
    let application = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_3);
    let info = vk::InstanceCreateInfo::default().application_info(&application);
    calling("vkCreateInstance");
    // SAFETY: what `info` points to outlives the call.
    let instance = unsafe { entry.create_instance(&info, None) };
    instance.map(|instance| (entry, instance)).map_err(|code| (String::new(), code))
}

pub fn probe() -> ! {
    let mut vulkan = Vulkan::default();
    calling("dlopen of libvulkan.so.1");
    // SAFETY: the loader runs its initializers.
    match unsafe { ash::Entry::load() } {
        Ok(entry) => {
            let address = entry.static_fn().get_instance_proc_addr as *const c_void;
            vulkan.file = file_of(address);
            // SAFETY: takes nothing.
            let version = unsafe { entry.try_enumerate_instance_version() }.ok().flatten();
            vulkan.version = version_text(version.unwrap_or(vk::API_VERSION_1_0));
        }
        Err(error) => {
            vulkan.not_opened = Some(super::words(&error));
            answer(&vulkan);
        }
    }
    match open() {
        Err((_, code)) => vulkan.failure = Some(format!("vkCreateInstance returned {code:?}")),
        Ok((_entry, instance)) => {
            calling("vkEnumeratePhysicalDevices");
            // SAFETY: the instance lives.
            match unsafe { instance.enumerate_physical_devices() } {
                Err(code) => {
                    vulkan.failure = Some(format!("vkEnumeratePhysicalDevices returned {code:?}"));
                }
                Ok(devices) => {
                    vulkan.devices = devices.into_iter().map(|raw| describe(&instance, raw)).collect();
                }
            }
        }
    }
    answer(&vulkan)
}

/// Takes a device's description from Vulkan.
pub fn describe(instance: &ash::Instance, raw: vk::PhysicalDevice) -> VulkanDevice {
    let mut id = vk::PhysicalDeviceIDProperties::default();
    let mut properties = vk::PhysicalDeviceProperties2::default().push_next(&mut id);
    let mut timeline = vk::PhysicalDeviceTimelineSemaphoreFeatures::default();
    let mut features = vk::PhysicalDeviceFeatures2::default().push_next(&mut timeline);
    calling("the properties of a Vulkan device");
    // SAFETY: the device came from this instance, and the chains outlive the calls.
    let extensions = unsafe {
        // A driver of Vulkan 1.0 knows no chains.
        let version = instance.get_physical_device_properties(raw).api_version;
        if version >= vk::API_VERSION_1_1 {
            instance.get_physical_device_properties2(raw, &mut properties);
            instance.get_physical_device_features2(raw, &mut features);
        } else {
            properties.properties = instance.get_physical_device_properties(raw);
        }
        instance.enumerate_device_extension_properties(raw).unwrap_or_default()
    };
    let has = |name| extensions.iter().any(|extension| extension.extension_name_as_c_str() == Ok(name));
    let properties = properties.properties;
    VulkanDevice {
        name: properties.device_name_as_c_str().map(CStr::to_string_lossy).unwrap_or_default().into_owned(),
        uuid: CUuuid::from(id.device_uuid).to_string(),
        kind: match properties.device_type {
            vk::PhysicalDeviceType::DISCRETE_GPU => "discrete GPU",
            vk::PhysicalDeviceType::INTEGRATED_GPU => "integrated GPU",
            vk::PhysicalDeviceType::VIRTUAL_GPU => "virtual GPU",
            vk::PhysicalDeviceType::CPU => "CPU",
            _ => "other",
        }
        .to_owned(),
        version: version_text(properties.api_version),
        memory_fd: has(khr::external_memory_fd::NAME),
        semaphore_fd: has(khr::external_semaphore_fd::NAME),
        timeline: timeline.timeline_semaphore == vk::TRUE,
    }
}

fn version_text(version: u32) -> String {
    let parts = [vk::api_version_major, vk::api_version_minor, vk::api_version_patch];
    parts.map(|part| part(version).to_string()).join(".")
}

/// Takes from what the loader printed the layers that stand before the driver, and its errors.
pub fn read_log(vulkan: &mut Vulkan, log: &str) {
    for line in log.lines() {
        if let Some((_, layer)) = line.split_once("nsert instance layer ") {
            let layer = layer.trim().replace('"', "");
            if !vulkan.layers.contains(&layer) {
                vulkan.layers.push(layer);
            }
        } else if let Some((_, words)) = line.split_once("ERROR") {
            let words = words.trim_start_matches([' ', ':', '|', '-']).to_owned();
            if !vulkan.words.contains(&words) {
                vulkan.words.push(words);
            }
        }
    }
}
