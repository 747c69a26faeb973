//! What a command names of a buffer or an image.

use crate::layer::vulkan::utils::object_key::VulkanHandleKey;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResourcePart {
    /// A range of a buffer: offset and size.
    Buffer(VulkanHandleKey, u64, u64),
    /// All of an image, or a part of it.
    Image(VulkanHandleKey),
    ImagePart(VulkanHandleKey),
}

impl ResourcePart {
    pub fn key_of_object(self) -> VulkanHandleKey {
        let (Self::Buffer(object, ..) | Self::Image(object) | Self::ImagePart(object)) = self;
        object
    }
}
