//! Vulkan's handles.

use ash::vk;

/// A handle with its device and its type: another device, or another type, may have the same number.
pub type VulkanHandleKey = (u64, vk::ObjectType, u64);

pub fn object_key<T: vk::Handle>(device: vk::Device, object: T) -> VulkanHandleKey {
    (vk::Handle::as_raw(device), T::TYPE, object.as_raw())
}
