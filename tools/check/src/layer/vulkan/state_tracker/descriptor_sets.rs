//! The shared resources that descriptors name, and the descriptors that command buffers bind.

use std::ffi::c_void;
use std::sync::Arc;

use ash::vk;

use crate::layer::vulkan::state_tracker::derived_objects::{
    DescriptorWrite, SetContents, SetLayout, set_descriptor,
};
use crate::layer::vulkan::state_tracker::vulkan_state::VulkanState;
use crate::layer::vulkan::sync::access_history::{RecordedCommand, Subresource};
use crate::layer::vulkan::utils::object_key::{ObjectKey, object_key};

impl VulkanState {
    /// A range of a buffer that may be shared, of which a shader or a draw may use a part.
    pub fn buffer_part(&self, buffer: ObjectKey, offset: u64, size: u64) -> Option<Subresource> {
        self.bound_buffers.contains_key(&buffer).then_some(Subresource::Part(buffer, offset, size))
    }

    /// The resource that a descriptor names.
    ///
    /// # Safety
    ///
    /// The program passes a descriptor of this kind.
    unsafe fn described_resource(
        &self,
        device: vk::Device,
        kind: vk::DescriptorType,
        at: *const c_void,
    ) -> Option<Subresource> {
        use vk::DescriptorType as Kind;
        // SAFETY: the caller guarantees it.
        unsafe {
            match kind {
                Kind::COMBINED_IMAGE_SAMPLER
                | Kind::SAMPLED_IMAGE
                | Kind::STORAGE_IMAGE
                | Kind::INPUT_ATTACHMENT => {
                    let view = (*at.cast::<vk::DescriptorImageInfo>()).image_view;
                    self.derived_objects.viewed_resource(object_key(device, view))
                }
                Kind::UNIFORM_TEXEL_BUFFER | Kind::STORAGE_TEXEL_BUFFER => {
                    self.derived_objects.viewed_resource(object_key(device, *at.cast::<vk::BufferView>()))
                }
                Kind::UNIFORM_BUFFER
                | Kind::STORAGE_BUFFER
                | Kind::UNIFORM_BUFFER_DYNAMIC
                | Kind::STORAGE_BUFFER_DYNAMIC => {
                    let vk::DescriptorBufferInfo { buffer, offset, range } = *at.cast();
                    self.buffer_part(object_key(device, buffer), offset, range)
                }
                _ => None,
            }
        }
    }

    /// The contents of a set behind a write.
    ///
    /// # Safety
    ///
    /// The data has the descriptors of the entry.
    pub unsafe fn write_descriptors(
        &self,
        device: vk::Device,
        layout: &SetLayout,
        contents: &mut SetContents,
        entry: &DescriptorWrite,
        data: *const c_void,
    ) {
        if entry.kind == vk::DescriptorType::INLINE_UNIFORM_BLOCK {
            return;
        }
        let (mut binding, mut element) = (entry.binding, entry.element);
        for at in 0..entry.count as usize {
            // Descriptors beyond the end of a binding go to the next binding.
            while layout.get(&binding).is_some_and(|slot| element >= slot.count) {
                (binding, element) = (binding + 1, 0);
            }
            // SAFETY: the caller guarantees it.
            let named = unsafe {
                let descriptor = data.byte_add(entry.offset + at * entry.stride);
                self.described_resource(device, entry.kind, descriptor)
            };
            let named = named.filter(|_| layout.get(&binding).is_some_and(|slot| slot.is_certain));
            set_descriptor(contents, binding, named);
            element += 1;
        }
    }

    /// Descriptors of a set are written.
    ///
    /// # Safety
    ///
    /// The data has the descriptors of the entries.
    pub unsafe fn update_set(
        &mut self,
        set: ObjectKey,
        device: vk::Device,
        entries: &[DescriptorWrite],
        data: *const c_void,
    ) {
        let Some((layout, contents)) = self.derived_objects.descriptor_set_mut(set) else { return };
        let (layout, mut contents) = (layout.clone(), contents.clone());
        for entry in entries {
            // SAFETY: the caller guarantees it.
            unsafe { self.write_descriptors(device, &layout, &mut contents, entry, data) };
        }
        if let Some((_, of)) = self.derived_objects.descriptor_set_mut(set) {
            *of = contents;
        }
    }

    /// Records a command of what may be shared.
    pub fn record_command(&mut self, commands: u64, command: RecordedCommand) {
        let (RecordedCommand::ObjectUse(extent, ..)
        | RecordedCommand::Acquire(extent)
        | RecordedCommand::Release(extent)
        | RecordedCommand::Layout(extent)) = command;
        let is_shared = match extent {
            Subresource::Buffer(buffer, ..) | Subresource::Part(buffer, ..) => {
                self.bound_buffers.contains_key(&buffer)
            }
            Subresource::Image(image) => self.images.contains_key(&image),
        };
        if is_shared {
            self.cmd_buffers.entry(commands).or_default().record(command);
        }
    }

    /// Binds a set, whose dynamic buffers begin at further offsets: those that are left are returned.
    pub fn bind_set<'a>(
        &mut self,
        commands: u64,
        at: (vk::PipelineBindPoint, u32),
        set: ObjectKey,
        mut offsets: &'a [u32],
    ) -> &'a [u32] {
        let Some((layout, contents)) = self.derived_objects.descriptor_set_mut(set) else { return offsets };
        let mut contents = contents.clone();
        for (binding, slot) in layout.iter().filter(|(_, slot)| slot.is_dynamic) {
            let (own, rest) = offsets.split_at(offsets.len().min(slot.count as usize));
            offsets = rest;
            if let (Some([more]), true) = (own.get(..1), contents.contains_key(binding)) {
                if let Some(Subresource::Part(_, offset, _)) = Arc::make_mut(&mut contents).get_mut(binding) {
                    *offset += u64::from(*more);
                }
            }
        }
        self.cmd_buffers.entry(commands).or_default().bind_set(at, contents);
        offsets
    }
}
