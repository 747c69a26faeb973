//! What Vulkan made that may be shared: memory with what is bound to it, images, semaphores, and the descriptors of them.

use std::collections::HashMap;

use ash::vk;

use crate::layer::call::Site;

/// A handle of a device, which another device may have too.
pub type Handle = (u64, u64);

/// An allocation that was made to be exported, or that was imported into Vulkan.
pub struct Memory {
    pub size: u64,
    pub is_dedicated: bool,
    pub uuid: Option<[u8; 16]>,
    pub made: Site,
    pub images: Vec<(u64, Handle)>,
    /// CUDA's imports that are alive.
    pub imports: Vec<u32>,
    pub is_freed: bool,
    pub hand_over: super::hand_over::Memory,
}

pub struct Image {
    pub kind: vk::ImageType,
    pub format: vk::Format,
    pub extent: vk::Extent3D,
    pub levels: u32,
    pub layers: u32,
    pub samples: vk::SampleCountFlags,
    pub tiling: vk::ImageTiling,
    pub made: Site,
    pub memory: Option<u32>,
    /// Whether a submitted barrier moved it to another layout than UNDEFINED.
    pub has_layout: bool,
}

pub struct Semaphore {
    pub is_timeline: bool,
    pub uuid: Option<[u8; 16]>,
    pub made: Site,
    pub imports: Vec<u32>,
    pub is_destroyed: bool,
    pub values: super::timelines::Values,
}

/// What a descriptor stands for, or a CUDA import.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shared {
    Memory(u32),
    Semaphore(u32),
}

/// A descriptor that Vulkan exported and nobody imported yet.
pub struct Export {
    pub shared: Shared,
    /// VkExternalMemoryHandleTypeFlagBits, or that of semaphores.
    pub handle_type: u32,
    pub site: Site,
    /// What is written on the open file, so that another file with this number is not taken for it.
    pub mark: i32,
}

#[derive(Default)]
pub struct Vulkan {
    made: u32,
    pub memories: HashMap<u32, Memory>,
    pub semaphores: HashMap<u32, Semaphore>,
    pub images: HashMap<Handle, Image>,
    /// Buffers that are bound to such an allocation.
    pub buffers: HashMap<Handle, u32>,
    pub memory_handles: HashMap<Handle, u32>,
    pub semaphore_handles: HashMap<Handle, u32>,
    pub exports: HashMap<i32, Export>,
    /// What CUDA imported, by the objects' numbers.
    pub imports: HashMap<u32, Shared>,
    pub hand_over: super::hand_over::HandOver,
}

impl Vulkan {
    fn number(&mut self) -> u32 {
        self.made += 1;
        self.made
    }

    pub fn add_memory(&mut self, handle: Handle, memory: Memory) {
        let number = self.number();
        self.memories.insert(number, memory);
        self.memory_handles.insert(handle, number);
    }

    pub fn add_semaphore(&mut self, handle: Handle, semaphore: Semaphore) {
        let number = self.number();
        self.semaphores.insert(number, semaphore);
        self.semaphore_handles.insert(handle, number);
    }

    pub fn semaphore_of(&mut self, handle: Handle) -> Option<(u32, &mut Semaphore)> {
        let number = *self.semaphore_handles.get(&handle)?;
        Some((number, self.semaphores.get_mut(&number)?))
    }

    /// The image that is bound at an offset, and whether any is bound at all.
    pub fn image_at(&self, memory: u32, offset: u64) -> (Option<&Image>, bool) {
        let Some(memory) = self.memories.get(&memory) else { return (None, false) };
        let at = memory.images.iter().find(|(at, _)| *at == offset);
        (at.and_then(|(_, image)| self.images.get(image)), !memory.images.is_empty())
    }

    /// Vulkan's handle ends. What it stood for is kept as long as an import of it is alive.
    pub fn end_memory(&mut self, handle: Handle) {
        let Some(number) = self.memory_handles.remove(&handle) else { return };
        if let Some(memory) = self.memories.get_mut(&number) {
            memory.is_freed = true;
        }
        self.forget(Shared::Memory(number));
    }

    pub fn end_semaphore(&mut self, handle: Handle) {
        let Some(number) = self.semaphore_handles.remove(&handle) else { return };
        if let Some(semaphore) = self.semaphores.get_mut(&number) {
            semaphore.is_destroyed = true;
        }
        self.forget(Shared::Semaphore(number));
    }

    pub fn end_image(&mut self, handle: Handle) {
        let Some(image) = self.images.remove(&handle) else { return };
        if let Some(memory) = image.memory.and_then(|memory| self.memories.get_mut(&memory)) {
            memory.images.retain(|(_, of)| *of != handle);
        }
    }

    /// CUDA's import ends.
    pub fn end_import(&mut self, number: u32) {
        let Some(shared) = self.imports.remove(&number) else { return };
        match shared {
            Shared::Memory(of) => {
                self.memories.get_mut(&of).iter_mut().for_each(|of| of.imports.retain(|one| *one != number))
            }
            Shared::Semaphore(of) => {
                self.semaphores.get_mut(&of).iter_mut().for_each(|of| of.imports.retain(|one| *one != number))
            }
        }
        self.forget(shared);
    }

    fn forget(&mut self, shared: Shared) {
        let is_exported = self.exports.values().any(|export| export.shared == shared);
        match shared {
            Shared::Memory(of) => {
                let is_over = |memory: &Memory| memory.is_freed && memory.imports.is_empty();
                if !is_exported && self.memories.get(&of).is_some_and(is_over) {
                    self.memories.remove(&of);
                }
            }
            Shared::Semaphore(of) => {
                let is_over = |semaphore: &Semaphore| semaphore.is_destroyed && semaphore.imports.is_empty();
                if !is_exported && self.semaphores.get(&of).is_some_and(is_over) {
                    self.semaphores.remove(&of);
                }
            }
        }
    }

    /// A device ends, and with it what the program did not destroy.
    pub fn end_device(&mut self, device: u64) {
        let of_device = |handles: &HashMap<Handle, u32>| -> Vec<Handle> {
            handles.keys().filter(|handle| handle.0 == device).copied().collect()
        };
        of_device(&self.memory_handles).into_iter().for_each(|handle| self.end_memory(handle));
        of_device(&self.semaphore_handles).into_iter().for_each(|handle| self.end_semaphore(handle));
        self.images.retain(|handle, _| handle.0 != device);
        self.buffers.retain(|handle, _| handle.0 != device);
    }
}
