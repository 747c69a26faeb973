//! Vulkan's objects that may be shared: memory with the resources that are bound to it, images, semaphores, and their
//! descriptors.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicBool, Ordering};

use ash::vk;

use crate::finding_message::Fields;
use crate::layer::host_process::call_site::Site;
use crate::layer::host_process::current_process::{check, reports};
use crate::layer::host_process::fd_info::mark_of;
use crate::rules::Rule;

use super::accesses::{self, Deed};
pub use super::handles::{Handle, handle};
use super::orders::{Orders, Sem};
use super::recorded::Recorded;
use super::resources::Resources;
pub use super::timelines::Order as Line;
use super::timelines::Values;

/// A step of the replay.
pub type Step = super::orders::Step<Deed>;

/// Whether the program exported something. Until then CUDA's functions look at nothing here.
static HAS_EXPORTS: AtomicBool = AtomicBool::new(false);
/// Whether it allocated memory that may be. Until then command buffers have nothing to look at.
static MAY_BE_SHARED: AtomicBool = AtomicBool::new(false);

pub fn may_be_shared() -> bool {
    MAY_BE_SHARED.load(Ordering::Acquire)
}

pub fn has_exports() -> bool {
    HAS_EXPORTS.load(Ordering::Acquire)
}

/// Returns whether a rule needs the accesses of command buffers.
pub fn is_wanted() -> bool {
    reports(Rule::HandOver) || reports(Rule::WrittenTooEarly)
}

/// Whether what may be wrong is asked for too.
pub fn is_asked_for() -> bool {
    let is_enabled = |rule: Rule| check().is_some_and(|check| check.options.enabled & 1 << rule as u32 != 0);
    is_enabled(Rule::HandOver) || is_enabled(Rule::WrittenTooEarly)
}

pub fn note_exports() {
    HAS_EXPORTS.store(true, Ordering::Release);
}

/// An allocation or a semaphore that was made to be exported.
pub struct Exportable {
    pub what: What,
    /// The device's.
    pub uuid: Option<[u8; 16]>,
    pub made: Site,
    /// CUDA's imports that are alive.
    pub imports: Vec<u32>,
    /// Whether Vulkan's handle ended.
    pub has_ended: bool,
}

pub enum What {
    Memory(Memory),
    Semaphore(Semaphore),
}

impl Exportable {
    fn memory(&mut self) -> Option<&mut Memory> {
        if let What::Memory(memory) = &mut self.what { Some(memory) } else { None }
    }

    fn semaphore(&mut self) -> Option<&mut Semaphore> {
        if let What::Semaphore(semaphore) = &mut self.what { Some(semaphore) } else { None }
    }
}

pub struct Memory {
    pub size: u64,
    pub is_dedicated: bool,
    /// The images that are bound to it, by their offsets.
    pub images: Vec<(u64, Handle)>,
}

pub struct Semaphore {
    pub is_timeline: bool,
    pub values: Values,
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
    /// Whether it was made with another layout than UNDEFINED.
    pub has_layout: bool,
}

/// A descriptor that Vulkan exported and nobody imported yet.
#[derive(Clone)]
pub struct Export {
    /// The number of what it stands for.
    pub of: u32,
    /// VkExternalMemoryHandleTypeFlagBits, or that of semaphores.
    pub handle_type: u32,
    pub site: Site,
    /// The mark on the open file, so that another file with this number is not taken for it.
    pub mark: i32,
}

#[derive(Default)]
pub struct Vulkan {
    made: u32,
    exportables: HashMap<u32, Exportable>,
    numbers: HashMap<Handle, u32>,
    pub images: HashMap<Handle, Image>,
    /// Buffers that are bound to such an allocation: the allocation's number, and the buffer's offset in it.
    pub buffers: HashMap<Handle, (u32, u64)>,
    pub exports: HashMap<i32, Export>,
    /// Descriptors of memory that CUDA allocated, which Vulkan did not import yet: the memory's number, and the mark.
    pub cuda_exports: HashMap<i32, (u32, i32)>,
    /// CUDA's imports, by the numbers of CUDA's objects.
    pub imports: HashMap<u32, u32>,
    /// The sizes of all buffers.
    pub sizes: HashMap<Handle, u64>,
    /// The recorded commands of command buffers.
    pub commands: HashMap<u64, Recorded>,
    /// The command buffers of each pool, which end with it.
    pools: HashMap<Handle, Vec<u64>>,
    pub resources: Resources,
    /// The work of both APIs, and what it does to each allocation.
    pub orders: Orders<Deed>,
    pub memories: HashMap<u32, accesses::Memory>,
    /// Timelines of Vulkan's own, and the last records of fences and of CUDA's events.
    pub timelines: HashSet<Handle>,
    pub fences: HashMap<Handle, u64>,
    pub events: HashMap<usize, u64>,
    /// Streams that do not wait for the default stream, and its last record.
    pub non_blocking: HashSet<usize>,
    pub of_default_stream: Option<u64>,
    /// Whether streams wait in ways that the check does not see. Each of their steps may then come after all work.
    pub has_unseen_waits: bool,
    /// How many waits, signals and barriers there were.
    ordered: u64,
}

impl Vulkan {
    pub fn add(&mut self, handle: Handle, what: What, uuid: Option<[u8; 16]>, made: Site) {
        self.made += 1;
        MAY_BE_SHARED.store(true, Ordering::Release);
        let new = Exportable { what, uuid, made, imports: Vec::new(), has_ended: false };
        self.exportables.insert(self.made, new);
        self.numbers.insert(handle, self.made);
    }

    /// Adds memory that CUDA allocates and may export. Returns its number.
    pub fn add_of_cuda(&mut self, size: u64, made: Site) -> u32 {
        let memory = Memory { size, is_dedicated: false, images: Vec::new() };
        self.add((0, vk::ObjectType::UNKNOWN, 0), What::Memory(memory), None, made);
        self.made
    }

    /// The memory of CUDA that a descriptor exports, which an import takes.
    pub fn take_cuda_export(&mut self, fd: i32) -> Option<u32> {
        let (number, mark) = self.cuda_exports.remove(&fd)?;
        (mark_of(fd) == mark).then_some(number)
    }

    /// Vulkan imported memory of CUDA.
    pub fn import_of_cuda(&mut self, memory: Handle, number: u32) {
        self.numbers.insert(memory, number);
        note_exports();
    }

    pub fn number(&self, handle: Handle) -> Option<u32> {
        self.numbers.get(&handle).copied()
    }

    pub fn get(&self, number: u32) -> Option<&Exportable> {
        self.exportables.get(&number)
    }

    pub fn memory(&mut self, number: u32) -> Option<&mut Memory> {
        self.exportables.get_mut(&number)?.memory()
    }

    pub fn semaphore(&mut self, number: u32) -> Option<&mut Semaphore> {
        self.exportables.get_mut(&number)?.semaphore()
    }

    /// Whether the check's own test leaves this wait, signal or barrier out.
    pub fn is_left_out(&mut self, what: &str, call: &str) -> bool {
        let Some(check) = check().filter(|check| check.options.left_out > 0) else { return false };
        self.ordered += 1;
        self.orders.is_complete = true;
        if self.ordered != check.options.left_out {
            return false;
        }
        if let Some(message) = check.shared.message() {
            Fields(message).add("text", format_args!("left out: {what} in {call}"));
        }
        true
    }

    /// A semaphore, and whether it is a timeline.
    pub fn sem(&self, handle: Handle) -> (Sem, bool) {
        let Some(number) = self.number(handle) else {
            return (Sem::Own(handle), self.timelines.contains(&handle));
        };
        let what = self.get(number).map(|of| &of.what);
        let is_timeline = matches!(what, Some(What::Semaphore(Semaphore { is_timeline: true, .. })));
        (Sem::Shared(number), is_timeline)
    }

    /// The image that is bound at an offset, and whether any is bound at all.
    pub fn image_at(&self, memory: u32, offset: u64) -> (Option<&Image>, bool) {
        let Some(What::Memory(memory)) = self.get(memory).map(|of| &of.what) else { return (None, false) };
        let at = memory.images.iter().find(|(at, _)| *at == offset);
        (at.and_then(|(_, image)| self.images.get(image)), !memory.images.is_empty())
    }

    /// Notes that CUDA imported an object of Vulkan.
    pub fn import(&mut self, import: u32, number: u32) {
        self.imports.insert(import, number);
        if let Some(of) = self.exportables.get_mut(&number) {
            of.imports.push(import);
        }
    }

    /// Notes the end of an import of CUDA.
    pub fn end_import(&mut self, import: u32) {
        let Some(number) = self.imports.remove(&import) else { return };
        if let Some(of) = self.exportables.get_mut(&number) {
            of.imports.retain(|one| *one != import);
        }
        self.forget(number);
    }

    /// Vulkan's handle ends. What it stood for is kept as long as an import of it is alive.
    pub fn end(&mut self, handle: Handle) {
        if let Some(number) = self.numbers.remove(&handle) {
            self.end_number(number);
        }
    }

    /// The object ends for whoever made it.
    pub fn end_number(&mut self, number: u32) {
        if let Some(of) = self.exportables.get_mut(&number) {
            of.has_ended = true;
        }
        self.forget(number);
    }

    fn forget(&mut self, number: u32) {
        let is_over = self.get(number).is_some_and(|of| of.has_ended && of.imports.is_empty());
        if is_over && !self.exports.values().any(|export| export.of == number) {
            self.exportables.remove(&number);
            self.memories.remove(&number);
            self.orders.end_semaphore(Sem::Shared(number));
        }
    }

    pub fn end_image(&mut self, handle: Handle) {
        let memory = self.images.remove(&handle).and_then(|image| image.memory);
        if let Some(memory) = memory.and_then(|memory| self.memory(memory)) {
            memory.images.retain(|(_, of)| *of != handle);
        }
    }

    pub fn add_commands(&mut self, pool: Handle, new: impl Iterator<Item = u64>) {
        self.pools.entry(pool).or_default().extend(new);
    }

    pub fn free_commands(&mut self, pool: Handle, freed: u64) {
        self.commands.remove(&freed);
        if let Some(all) = self.pools.get_mut(&pool) {
            all.retain(|one| *one != freed);
        }
    }

    pub fn reset_pool(&mut self, pool: Handle) {
        for one in self.pools.get(&pool).into_iter().flatten() {
            self.commands.remove(one);
        }
    }

    pub fn end_pool(&mut self, pool: Handle) {
        self.reset_pool(pool);
        self.pools.remove(&pool);
    }

    /// A device ends, and with it what the program did not destroy.
    pub fn end_device(&mut self, device: u64) {
        let of_device = self.numbers.keys().filter(|handle| handle.0 == device);
        for handle in of_device.copied().collect::<Vec<_>>() {
            self.end(handle);
        }
        self.images.retain(|handle, _| handle.0 != device);
        self.buffers.retain(|handle, _| handle.0 != device);
        self.sizes.retain(|handle, _| handle.0 != device);
        self.resources.end_device(device);
        self.fences.retain(|handle, _| handle.0 != device);
        self.timelines.retain(|handle| handle.0 != device);
        let pools = self.pools.keys().filter(|handle| handle.0 == device);
        for pool in pools.copied().collect::<Vec<_>>() {
            self.end_pool(pool);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_left_of_a_pool_of_command_buffers() {
        let [pool, other] = [2, 3].map(|of| (1, vk::ObjectType::COMMAND_POOL, of));
        let mut vulkan = Vulkan::default();
        vulkan.add_commands(pool, 10..13);
        vulkan.add_commands(other, 20..21);
        for commands in [10, 11, 12, 20] {
            vulkan.commands.entry(commands).or_default();
        }
        vulkan.free_commands(pool, 11);
        assert!(vulkan.commands.contains_key(&10) && !vulkan.commands.contains_key(&11));
        vulkan.end_pool(pool);
        assert_eq!((vulkan.commands.len(), vulkan.pools.len()), (1, 1));
        vulkan.end_device(1);
        assert_eq!((vulkan.commands.len(), vulkan.pools.len()), (0, 0));
    }
}
