//! The objects by which a command names its buffers and images: views, framebuffers, render passes, descriptor sets.
//! Only those that lead to memory which may be shared are kept.

use std::collections::{BTreeMap, HashMap};

use ash::vk;

use crate::layer::state_tracker::tracked_objects::AccessKind;
use crate::layer::vulkan::utils::object_key::ObjectKey;
use crate::layer::vulkan::utils::resource_part::ResourcePart;

/// The created objects by their handles. A handle that is used again stands for the new object.
#[derive(Default)]
pub struct DerivedObjects {
    objects: HashMap<ObjectKey, DerivedObject>,
    sets_of_pools: HashMap<ObjectKey, Vec<ObjectKey>>,
}

pub enum DerivedObject {
    View(ResourcePart),
    Framebuffer(Vec<Option<ResourcePart>>),
    /// The attachments that a subpass uses.
    RenderPass(Vec<Option<AttachmentAccess>>),
    DescriptorSet(DescriptorContents),
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

/// What the descriptors of a set name, by binding and element, and how a shader may use it.
pub type DescriptorContents = BTreeMap<(u32, u32), (ResourcePart, AccessKind)>;

impl DerivedObjects {
    /// Records a new object. `None` stands for one that has nothing to do with what may be shared.
    pub fn replace_object(&mut self, handle: ObjectKey, new: Option<DerivedObject>) {
        self.objects.remove(&handle);
        self.objects.extend(new.map(|new| (handle, new)));
    }

    pub fn object_of_handle(&self, handle: ObjectKey) -> Option<&DerivedObject> {
        self.objects.get(&handle)
    }

    pub fn viewed_resource(&self, handle: ObjectKey) -> Option<ResourcePart> {
        if let Some(DerivedObject::View(resource)) = self.object_of_handle(handle) {
            Some(*resource)
        } else {
            None
        }
    }

    pub fn set_contents(&mut self, handle: ObjectKey) -> Option<&mut DescriptorContents> {
        match self.objects.get_mut(&handle) {
            Some(DerivedObject::DescriptorSet(contents)) => Some(contents),
            _ => None,
        }
    }

    pub fn add_descriptor_set(&mut self, pool: ObjectKey, set: ObjectKey) {
        self.sets_of_pools.entry(pool).or_default().push(set);
        self.replace_object(set, Some(DerivedObject::DescriptorSet(DescriptorContents::new())));
    }

    /// A pool is reset or ends, and with it its sets.
    pub fn end_descriptor_pool(&mut self, pool: ObjectKey) {
        for set in self.sets_of_pools.remove(&pool).unwrap_or_default() {
            self.objects.remove(&set);
        }
    }

    pub fn end_device(&mut self, device: u64) {
        self.objects.retain(|handle, _| handle.0 != device);
        self.sets_of_pools.retain(|pool, _| pool.0 != device);
    }
}
