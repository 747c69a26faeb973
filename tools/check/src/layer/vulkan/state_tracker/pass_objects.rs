//! The objects by which a pass names its images: views, framebuffers, render passes.
//! Only those that lead to memory which may be shared are kept.

use ash::vk;

use crate::layer::vulkan::utils::vulkan_handles::ResourcePart;

pub enum PassObject {
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
