//! Lists Vulkan's devices, and reads the log of Vulkan's loader.

use std::ffi::{CStr, c_void};
use std::path::PathBuf;

use ash::{khr, vk};
use cuda_external_sys::CUuuid;
use serde::{Deserialize, Serialize};

use super::dlopen_errors::{innermost_error_text, says_library_is_absent};
use super::driver_manifests::DriverManifest;
use super::probe_process::{note_next_call, write_answer_and_exit};
use super::remedy::MachineFix;
use crate::command::library_of_function;

#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
pub struct VulkanDriversReport {
    pub loader: Option<PathBuf>,
    pub version: Option<String>,
    pub manifests: Vec<DriverManifest>,
    /// The installed manifests that an environment variable hides from Vulkan's loader.
    pub unread_manifests: Vec<DriverManifest>,
    /// The libraries of NVIDIA's Vulkan driver, which probes try to open by their usual names, without a manifest.
    pub nvidia_libraries: Vec<DriverManifest>,
    /// The layers that Vulkan's loader inserts before the driver, according to the loader's log.
    pub layers: Vec<String>,
    /// The errors in the loader's log, and the Vulkan call that failed, if any, with its code.
    pub errors: Vec<String>,
    pub devices: Vec<VulkanDeviceReport>,
    pub missing: Option<MachineFix>,
}

#[derive(Default, Serialize, Deserialize)]
pub struct VulkanDeviceReport {
    pub name: String,
    pub kind: String,
    pub version: String,
    pub uuid: String,
    /// The ordinal of the CUDA device with the same UUID.
    pub cuda_device: Option<usize>,
    /// The first feature that sharing needs and the device lacks.
    pub lacks: Option<String>,
}

impl VulkanDriversReport {
    pub fn read_loader_log(&mut self, log: &str) {
        for line in log.lines().filter(|line| !line.contains("ld.so: ")) {
            let (list, text) = if let Some((_, layer)) = line.split_once("nsert instance layer ") {
                (&mut self.layers, layer.trim().replace('"', ""))
            } else if let Some((_, words)) = line.split_once("ERROR") {
                (&mut self.errors, words.trim_start_matches([' ', ':', '|', '-']).to_owned())
            } else {
                continue;
            };
            if !list.contains(&text) {
                list.push(text);
            }
        }
    }
}

/// A result whose error is the name of the function that failed, and the code or the reason.
pub type NamedResult<T> = Result<T, (&'static str, String)>;

/// Notes the name of a function of Vulkan, for the report of a crash or a hang, and makes the call.
macro_rules! vulkan_call {
    ($name:literal, $call:expr) => {{
        note_next_call($name);
        $call.map_err(|code| ($name, format!("{code:?}")))
    }};
}
pub(super) use vulkan_call;

/// Creates an instance, and enumerates its devices.
///
/// # Safety
///
/// The instance must not be used after `entry` is dropped.
pub unsafe fn create_instance(entry: &ash::Entry) -> NamedResult<(ash::Instance, Vec<vk::PhysicalDevice>)> {
    let application = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_3);
    let info = vk::InstanceCreateInfo::default().application_info(&application);
    // SAFETY: what `info` points to outlives the call.
    unsafe {
        let instance = vulkan_call!("vkCreateInstance", entry.create_instance(&info, None))?;
        let devices = vulkan_call!("vkEnumeratePhysicalDevices", instance.enumerate_physical_devices())?;
        Ok((instance, devices))
    }
}

pub fn probe_vulkan_devices() -> ! {
    let mut vulkan = VulkanDriversReport::default();
    note_next_call("dlopen of libvulkan.so.1");
    // SAFETY: `load` runs the initializers of Vulkan's loader. This process has no other thread that these can disturb.
    let entry = unsafe { ash::Entry::load() }.unwrap_or_else(|error| {
        let words = innermost_error_text(&error);
        vulkan.missing = Some(if says_library_is_absent("libvulkan.so.1", &words) {
            MachineFix::new("vulkan-loader-absent", &[])
        } else {
            MachineFix::new("vulkan-loader", &[&words])
        });
        write_answer_and_exit(&vulkan)
    });
    vulkan.loader = library_of_function(entry.static_fn().get_instance_proc_addr as *const c_void);
    // SAFETY: `entry` lives until the process ends, and the devices are those of this instance.
    unsafe {
        let version = entry.try_enumerate_instance_version().ok().flatten();
        vulkan.version = Some(format_version(version.unwrap_or(vk::API_VERSION_1_0)));
        match create_instance(&entry) {
            Err((call, code)) => vulkan.errors.push(format!("{call} returned {code}")),
            Ok((instance, devices)) => {
                note_next_call("the properties of a Vulkan device");
                vulkan.devices =
                    devices.into_iter().map(|device| describe_vulkan_device(&instance, device)).collect();
            }
        }
    }
    write_answer_and_exit(&vulkan)
}

unsafe fn describe_vulkan_device(instance: &ash::Instance, device: vk::PhysicalDevice) -> VulkanDeviceReport {
    let mut id = vk::PhysicalDeviceIDProperties::default();
    let mut chain = vk::PhysicalDeviceProperties2::default().push_next(&mut id);
    let mut timeline = vk::PhysicalDeviceTimelineSemaphoreFeatures::default();
    let mut features = vk::PhysicalDeviceFeatures2::default().push_next(&mut timeline);
    // SAFETY: the device came from this instance, and the chains outlive the calls.
    let (properties, extensions) = unsafe {
        let properties = instance.get_physical_device_properties(device);
        // A driver of Vulkan 1.0 lacks these two functions.
        if properties.api_version >= vk::API_VERSION_1_1 {
            instance.get_physical_device_properties2(device, &mut chain);
            instance.get_physical_device_features2(device, &mut features);
        }
        (properties, instance.enumerate_device_extension_properties(device).unwrap_or_default())
    };
    let has = |name| extensions.iter().any(|extension| extension.extension_name_as_c_str() == Ok(name));
    let lacks = [
        (properties.api_version >= vk::API_VERSION_1_1, "Vulkan 1.1"),
        (has(khr::external_memory_fd::NAME), "VK_KHR_external_memory_fd"),
        (has(khr::external_semaphore_fd::NAME), "VK_KHR_external_semaphore_fd"),
        (timeline.timeline_semaphore == vk::TRUE, "timeline semaphores"),
    ];
    let kinds = ["other", "integrated GPU", "discrete GPU", "virtual GPU", "CPU"];
    let kind = kinds.get(properties.device_type.as_raw() as usize);
    VulkanDeviceReport {
        name: properties.device_name_as_c_str().map(CStr::to_string_lossy).unwrap_or_default().into_owned(),
        kind: (*kind.unwrap_or(&"other")).to_owned(),
        version: format_version(properties.api_version),
        uuid: CUuuid::from(id.device_uuid).to_string(),
        cuda_device: None,
        lacks: lacks.iter().find(|(has, _)| !has).map(|(_, what)| (*what).to_owned()),
    }
}

fn format_version(version: u32) -> String {
    let parts = [vk::api_version_major, vk::api_version_minor, vk::api_version_patch];
    parts.map(|part| part(version).to_string()).join(".")
}
