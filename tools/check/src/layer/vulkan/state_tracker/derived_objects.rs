//! The objects by which a pass names its images: views, framebuffers, render passes.
//! Only those that lead to memory which may be shared are kept.

use std::collections::HashMap;

use ash::vk;

use crate::layer::vulkan::utils::object_key::VulkanHandleKey;
use crate::layer::vulkan::utils::resource_part::ResourcePart;

/// The created objects by their handles. A handle that is used again represents the new object.
#[derive(Default)]
pub struct DerivedObjects {
    objects: HashMap<VulkanHandleKey, DerivedObject>,
}

pub enum DerivedObject {
    View(ResourcePart),
    Framebuffer(Vec<Option<ResourcePart>>),
    /// The attachments that a subpass uses.
    RenderPass(Vec<Option<AttachmentAccess>>),
}

#[derive(Clone, Copy, Debug)]
pub struct AttachmentAccess {
    pub reads: bool,
    pub writes: bool,
}

impl AttachmentAccess {
    pub fn new(load: vk::AttachmentLoadOp, store: vk::AttachmentStoreOp) -> Self {
        Self { reads: load == vk::AttachmentLoadOp::LOAD, writes: store != vk::AttachmentStoreOp::NONE }
    }
}

impl DerivedObjects {
    /// Records a new object. `None` represents one that has nothing to do with what may be shared.
    pub fn replace_object(&mut self, handle: VulkanHandleKey, new: Option<DerivedObject>) {
        self.objects.remove(&handle);
        self.objects.extend(new.map(|new| (handle, new)));
    }

    pub fn object_of_handle(&self, handle: VulkanHandleKey) -> Option<&DerivedObject> {
        self.objects.get(&handle)
    }

    pub fn viewed_resource(&self, handle: VulkanHandleKey) -> Option<ResourcePart> {
        if let Some(DerivedObject::View(resource)) = self.object_of_handle(handle) {
            Some(*resource)
        } else {
            None
        }
    }

    pub fn end_device(&mut self, device: u64) {
        self.objects.retain(|handle, _| handle.0 != device);
    }
}
