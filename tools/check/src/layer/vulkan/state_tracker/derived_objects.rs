//! The objects by which a command names its buffers and images: views, framebuffers, descriptor sets, pipelines. Only
//! those that lead to memory which may be shared are kept.

use std::collections::{BTreeMap, HashMap};
use std::ffi::c_void;
use std::sync::Arc;

use ash::vk;

use crate::layer::vulkan::state_tracker::shader_accesses::ShaderBinding;
use crate::layer::vulkan::sync::access_history::Subresource;
use crate::layer::vulkan::utils::object_key::ObjectKey;

/// The created objects by their handles. A handle that is used again stands for the new object.
#[derive(Default)]
pub struct DerivedObjects(HashMap<ObjectKey, DerivedObject>);

pub enum DerivedObject {
    View(Subresource),
    Framebuffer(Vec<Option<Subresource>>),
    RenderPass(Vec<AttachmentAccess>),
    SetLayout(Arc<SetLayout>),
    PipelineLayout(Vec<Arc<SetLayout>>),
    DescriptorSet { pool: ObjectKey, layout: Arc<SetLayout>, contents: SetContents },
    UpdateTemplate(vk::PipelineBindPoint, Vec<DescriptorWrite>),
    ShaderModule(Vec<(Vec<u8>, Vec<ShaderBinding>)>),
    Pipeline(Arc<PipelineUse>),
}

/// The accesses of a render pass to an attachment.
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

/// The descriptor sets and vertex buffers that a pipeline uses.
#[derive(Clone, Debug, Default)]
pub struct PipelineUse {
    pub bindings: Vec<ShaderBinding>,
    pub vertices: Vec<u32>,
}

/// The bindings of a descriptor set's layout.
pub type SetLayout = BTreeMap<u32, LayoutBinding>;

#[derive(Clone, Copy, Debug)]
pub struct LayoutBinding {
    pub count: u32,
    pub is_dynamic: bool,
    /// A shader uses its one descriptor. Which one of several it uses is not known, nor what is there where it may change later.
    pub is_certain: bool,
}

/// The descriptors of a set that belong to what may be shared, by their bindings.
pub type SetContents = Arc<BTreeMap<u32, Subresource>>;

/// Descriptors that are written: the same for a write, a push and an entry of a template.
#[derive(Clone, Copy)]
pub struct DescriptorWrite {
    pub binding: u32,
    pub element: u32,
    pub count: u32,
    pub kind: vk::DescriptorType,
    /// Where the first one is, within the data of a template, and how far it is to the next one.
    pub offset: usize,
    pub stride: usize,
}

impl DerivedObjects {
    /// Takes an object in. None stands for one that has nothing to do with what may be shared.
    pub fn set(&mut self, handle: ObjectKey, made: Option<DerivedObject>) {
        self.0.remove(&handle);
        self.0.extend(made.map(|made| (handle, made)));
    }

    pub fn get(&self, handle: ObjectKey) -> Option<&DerivedObject> {
        self.0.get(&handle)
    }

    pub fn set_layout(&self, handle: ObjectKey) -> Arc<SetLayout> {
        if let Some(DerivedObject::SetLayout(layout)) = self.get(handle) {
            layout.clone()
        } else {
            Arc::default()
        }
    }

    pub fn viewed_resource(&self, handle: ObjectKey) -> Option<Subresource> {
        if let Some(DerivedObject::View(extent)) = self.get(handle) { Some(*extent) } else { None }
    }

    pub fn descriptor_set_mut(&mut self, handle: ObjectKey) -> Option<(&Arc<SetLayout>, &mut SetContents)> {
        match self.0.get_mut(&handle) {
            Some(DerivedObject::DescriptorSet { layout, contents, .. }) => Some((layout, contents)),
            _ => None,
        }
    }

    /// A template, with the bind point of one that pushes.
    pub fn update_template(&self, handle: ObjectKey) -> (vk::PipelineBindPoint, Vec<DescriptorWrite>) {
        match self.get(handle) {
            Some(DerivedObject::UpdateTemplate(point, entries)) => (*point, entries.clone()),
            _ => Default::default(),
        }
    }

    /// Descriptors are copied between sets.
    pub fn copy_descriptors(&mut self, from: ObjectKey, to: ObjectKey, copy: &vk::CopyDescriptorSet<'_>) {
        let Some((_, from)) =
            self.descriptor_set_mut(from).map(|(layout, contents)| (layout, contents.clone()))
        else {
            return;
        };
        let Some((layout, contents)) = self.descriptor_set_mut(to) else { return };
        // Bindings with several descriptors are not looked at, so each binding has one.
        for at in 0..copy.descriptor_count {
            let (from_binding, to_binding) = (copy.src_binding + at, copy.dst_binding + at);
            let named =
                from.get(&from_binding).filter(|_| layout.get(&to_binding).is_some_and(|to| to.is_certain));
            set_descriptor(contents, to_binding, named.copied());
        }
    }

    /// A pool is reset, and the sets of it are gone.
    pub fn end_descriptor_pool(&mut self, of: ObjectKey) {
        self.0.retain(|_, made| !matches!(made, DerivedObject::DescriptorSet { pool, .. } if *pool == of));
    }

    pub fn end_device(&mut self, device: u64) {
        self.0.retain(|handle, _| handle.0 != device);
    }
}

/// A descriptor of a binding is another one from now on.
pub fn set_descriptor(contents: &mut SetContents, binding: u32, named: Option<Subresource>) {
    if named != contents.get(&binding).copied() {
        let contents = Arc::make_mut(contents);
        contents.remove(&binding);
        contents.extend(named.map(|extent| (binding, extent)));
    }
}

/// The entry of a write, and where its descriptors are.
pub fn descriptor_write_of(write: &vk::WriteDescriptorSet<'_>) -> (DescriptorWrite, *const c_void) {
    use vk::DescriptorType as Kind;
    let (data, stride): (*const c_void, usize) = match write.descriptor_type {
        Kind::UNIFORM_TEXEL_BUFFER | Kind::STORAGE_TEXEL_BUFFER => {
            (write.p_texel_buffer_view.cast(), size_of::<vk::BufferView>())
        }
        Kind::UNIFORM_BUFFER
        | Kind::STORAGE_BUFFER
        | Kind::UNIFORM_BUFFER_DYNAMIC
        | Kind::STORAGE_BUFFER_DYNAMIC => (write.p_buffer_info.cast(), size_of::<vk::DescriptorBufferInfo>()),
        _ => (write.p_image_info.cast(), size_of::<vk::DescriptorImageInfo>()),
    };
    let entry = DescriptorWrite {
        binding: write.dst_binding,
        element: write.dst_array_element,
        count: if data.is_null() { 0 } else { write.descriptor_count },
        kind: write.descriptor_type,
        offset: 0,
        stride,
    };
    (entry, data)
}
