//! The live Vulkan devices, with the next layer's functions.

use std::ffi::CStr;

use ash::vk;
use cuda_external_in_process::vulkan::{self, DispatchMap, VoidFunction};

pub struct CheckLayer;

pub struct DeviceRecord {
    /// The next layer's functions: a list for each table of `wrapped::TABLES`, in the order of the table's names.
    pub functions: Vec<Vec<VoidFunction>>,
    pub handle: vk::Device,
    pub uuid: Option<[u8; 16]>,
}

/// The layer's functions in one file of `vulkan/wrapped`, each with its names in Vulkan's core and in extensions.
pub struct InterceptTable {
    pub names: &'static [&'static [&'static CStr]],
    pub find_layer_function: fn(&CStr) -> VoidFunction,
}

pub type CheckLayerDevice = vulkan::DeviceRecord<CheckLayer>;

pub static DEVICES: DispatchMap<CheckLayerDevice> = DispatchMap::new();

/// The result of a call if the layer does not know the device, or if the next layer does not have the function.
pub trait NoDeviceResult {
    const NO_DEVICE: Self;
}

impl NoDeviceResult for () {
    const NO_DEVICE: Self = ();
}

impl NoDeviceResult for vk::Result {
    const NO_DEVICE: Self = Self::ERROR_DEVICE_LOST;
}
