//! Vulkan's handles, and the parts of buffers and images that commands name.

use ash::vk;

/// A handle with its device and its type: an object of another device or of another type may have the same number.
pub type VulkanHandleKey = (u64, vk::ObjectType, u64);

pub fn object_key<T: vk::Handle>(device: vk::Device, object: T) -> VulkanHandleKey {
    (vk::Handle::as_raw(device), T::TYPE, object.as_raw())
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResourcePart {
    Buffer(VulkanHandleKey, u64, u64),
    /// A whole image. `ImagePart` is an unknown part of an image.
    Image(VulkanHandleKey),
    ImagePart(VulkanHandleKey),
}

impl ResourcePart {
    pub fn resource_key(self) -> VulkanHandleKey {
        let (Self::Buffer(object, ..) | Self::Image(object) | Self::ImagePart(object)) = self;
        object
    }
}
