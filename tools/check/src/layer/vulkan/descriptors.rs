//! The shared resources that descriptors name, and the descriptors that command buffers bind.

use std::ffi::c_void;
use std::sync::Arc;

use ash::vk;

use super::accesses::{Command, Extent};
use super::handles::{Handle, handle};
use super::records::Vulkan;
use super::resources::{Contents, Entry, Layout, change};

impl Vulkan {
    /// A range of a buffer that may be shared, of which a shader or a draw may use a part.
    pub fn part(&self, buffer: Handle, offset: u64, size: u64) -> Option<Extent> {
        self.buffers.contains_key(&buffer).then_some(Extent::Part(buffer, offset, size))
    }

    /// The resource that a descriptor names.
    ///
    /// # Safety
    ///
    /// The program passes a descriptor of this kind.
    unsafe fn descriptor(
        &self,
        device: vk::Device,
        kind: vk::DescriptorType,
        at: *const c_void,
    ) -> Option<Extent> {
        use vk::DescriptorType as Kind;
        // SAFETY: the caller guarantees it.
        unsafe {
            match kind {
                Kind::COMBINED_IMAGE_SAMPLER
                | Kind::SAMPLED_IMAGE
                | Kind::STORAGE_IMAGE
                | Kind::INPUT_ATTACHMENT => {
                    let view = (*at.cast::<vk::DescriptorImageInfo>()).image_view;
                    self.resources.view(handle(device, view))
                }
                Kind::UNIFORM_TEXEL_BUFFER | Kind::STORAGE_TEXEL_BUFFER => {
                    self.resources.view(handle(device, *at.cast::<vk::BufferView>()))
                }
                Kind::UNIFORM_BUFFER
                | Kind::STORAGE_BUFFER
                | Kind::UNIFORM_BUFFER_DYNAMIC
                | Kind::STORAGE_BUFFER_DYNAMIC => {
                    let vk::DescriptorBufferInfo { buffer, offset, range } = *at.cast();
                    self.part(handle(device, buffer), offset, range)
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
    pub unsafe fn written(
        &self,
        device: vk::Device,
        layout: &Layout,
        contents: &mut Contents,
        entry: &Entry,
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
                self.descriptor(device, entry.kind, descriptor)
            };
            let named = named.filter(|_| layout.get(&binding).is_some_and(|slot| slot.is_certain));
            change(contents, binding, named);
            element += 1;
        }
    }

    /// Descriptors of a set are written.
    ///
    /// # Safety
    ///
    /// The data has the descriptors of the entries.
    pub unsafe fn write_set(
        &mut self,
        set: Handle,
        device: vk::Device,
        entries: &[Entry],
        data: *const c_void,
    ) {
        let Some((layout, contents)) = self.resources.set_of(set) else { return };
        let (layout, mut contents) = (layout.clone(), contents.clone());
        for entry in entries {
            // SAFETY: the caller guarantees it.
            unsafe { self.written(device, &layout, &mut contents, entry, data) };
        }
        if let Some((_, of)) = self.resources.set_of(set) {
            *of = contents;
        }
    }

    /// Records a command of what may be shared.
    pub fn note(&mut self, commands: u64, command: Command) {
        let (Command::Use(extent, ..)
        | Command::Acquire(extent)
        | Command::Release(extent)
        | Command::Layout(extent)) = command;
        let is_shared = match extent {
            Extent::Buffer(buffer, ..) | Extent::Part(buffer, ..) => self.buffers.contains_key(&buffer),
            Extent::Image(image) => self.images.contains_key(&image),
        };
        if is_shared {
            self.commands.entry(commands).or_default().push(command);
        }
    }

    /// Binds a set, whose dynamic buffers begin at further offsets: those that are left are returned.
    pub fn bind_set<'a>(
        &mut self,
        commands: u64,
        at: (vk::PipelineBindPoint, u32),
        set: Handle,
        mut offsets: &'a [u32],
    ) -> &'a [u32] {
        let Some((layout, contents)) = self.resources.set_of(set) else { return offsets };
        let mut contents = contents.clone();
        for (binding, slot) in layout.iter().filter(|(_, slot)| slot.is_dynamic) {
            let (own, rest) = offsets.split_at(offsets.len().min(slot.count as usize));
            offsets = rest;
            if let (Some([more]), true) = (own.get(..1), contents.contains_key(binding)) {
                if let Some(Extent::Part(_, offset, _)) = Arc::make_mut(&mut contents).get_mut(binding) {
                    *offset += u64::from(*more);
                }
            }
        }
        self.commands.entry(commands).or_default().bind_set(at, contents);
        offsets
    }
}
