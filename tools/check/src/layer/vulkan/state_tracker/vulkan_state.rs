//! Vulkan's objects that may be shared: memory with the resources that are bound to it, images, semaphores, and their
//! descriptors.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicBool, Ordering};

use ash::vk;

use crate::finding_message::FieldWriter;
use crate::layer::host_process::call_site::CallSite;
use crate::layer::host_process::current_process::{active_check, is_reported};
use crate::layer::host_process::fd_info::FileMark;
use crate::rules::Rule;

use crate::layer::vulkan::state_tracker::cmd_buffer_state::CmdBufferState;
use crate::layer::vulkan::state_tracker::derived_objects::DerivedObjects;
use crate::layer::vulkan::sync::access_history::{AccessHistory, ReplayAccess};
pub use crate::layer::vulkan::sync::queue_or_stream::QueueOrStream;
use crate::layer::vulkan::sync::replay::{Replay, ReplayStep, SemaphoreId};
use crate::layer::vulkan::sync::timeline_values::TimelineValues;
pub use crate::layer::vulkan::utils::object_key::{ObjectKey, object_key};

/// A step of the replay.
pub type SharedStep = ReplayStep<ReplayAccess>;

/// Whether the program exported something. Until then CUDA's functions look at nothing here.
static HAS_EXPORTS: AtomicBool = AtomicBool::new(false);
/// Whether it allocated memory that may be. Until then command buffers have nothing to look at.
static HAS_EXPORTABLES: AtomicBool = AtomicBool::new(false);

pub fn has_exportables() -> bool {
    HAS_EXPORTABLES.load(Ordering::Acquire)
}

pub fn has_exports() -> bool {
    HAS_EXPORTS.load(Ordering::Acquire)
}

/// Returns whether a rule needs the accesses of command buffers.
pub fn tracks_accesses() -> bool {
    is_reported(Rule::HandOver) || is_reported(Rule::WrittenTooEarly)
}

/// Whether what may be wrong is asked for too.
pub fn reports_possible_hazards() -> bool {
    let is_enabled =
        |rule: Rule| active_check().is_some_and(|check| check.options.enabled & 1 << rule as u32 != 0);
    is_enabled(Rule::HandOver) || is_enabled(Rule::WrittenTooEarly)
}

pub fn set_has_exports() {
    HAS_EXPORTS.store(true, Ordering::Release);
}

/// An allocation or a semaphore that was made to be exported.
pub struct ExportableObject {
    pub what: ExportableKind,
    /// The device's.
    pub uuid: Option<[u8; 16]>,
    pub made: CallSite,
    /// CUDA's imports that are alive.
    pub imports: Vec<u32>,
    /// Whether Vulkan's handle ended.
    pub has_ended: bool,
}

pub enum ExportableKind {
    Memory(MemoryState),
    Semaphore(SemaphoreState),
}

impl ExportableObject {
    fn memory(&mut self) -> Option<&mut MemoryState> {
        if let ExportableKind::Memory(memory) = &mut self.what { Some(memory) } else { None }
    }

    fn semaphore(&mut self) -> Option<&mut SemaphoreState> {
        if let ExportableKind::Semaphore(semaphore) = &mut self.what { Some(semaphore) } else { None }
    }
}

pub struct MemoryState {
    pub size: u64,
    pub is_dedicated: bool,
    /// The images that are bound to it, by their offsets.
    pub images: Vec<(u64, ObjectKey)>,
}

pub struct SemaphoreState {
    pub is_timeline: bool,
    pub values: TimelineValues,
}

pub struct ImageState {
    pub kind: vk::ImageType,
    pub format: vk::Format,
    pub extent: vk::Extent3D,
    pub levels: u32,
    pub layers: u32,
    pub samples: vk::SampleCountFlags,
    pub tiling: vk::ImageTiling,
    pub made: CallSite,
    pub memory: Option<u32>,
    /// Whether it was made with another layout than UNDEFINED.
    pub has_layout: bool,
}

/// A descriptor that Vulkan exported and nobody imported yet.
#[derive(Clone)]
pub struct ExportedFd {
    /// The number of what it stands for.
    pub of: u32,
    /// VkExternalMemoryHandleTypeFlagBits, or that of semaphores.
    pub handle_type: u32,
    pub site: CallSite,
    /// The mark on the open file, so that another file with this number is not taken for it.
    pub mark: Option<FileMark>,
}

#[derive(Default)]
pub struct VulkanState {
    last_number: u32,
    exportables: HashMap<u32, ExportableObject>,
    numbers: HashMap<ObjectKey, u32>,
    pub images: HashMap<ObjectKey, ImageState>,
    /// Buffers that are bound to such an allocation: the allocation's number, and the buffer's offset in it.
    pub bound_buffers: HashMap<ObjectKey, (u32, u64)>,
    pub exported_fds: HashMap<i32, ExportedFd>,
    /// Descriptors of memory that CUDA allocated, which Vulkan did not import yet: the memory's number, and the mark.
    pub cuda_exported_fds: HashMap<i32, (u32, Option<FileMark>)>,
    /// CUDA's imports, by the numbers of CUDA's objects.
    pub cuda_imports: HashMap<u32, u32>,
    /// The sizes of all buffers.
    pub buffer_sizes: HashMap<ObjectKey, u64>,
    /// The recorded commands of command buffers.
    pub cmd_buffers: HashMap<u64, CmdBufferState>,
    /// The command buffers of each pool, which end with it.
    command_pools: HashMap<ObjectKey, Vec<u64>>,
    pub derived_objects: DerivedObjects,
    /// The work of both APIs, and what it does to each allocation.
    pub replay: Replay<ReplayAccess>,
    pub access_histories: HashMap<u32, AccessHistory>,
    /// Timelines of Vulkan's own, and the last records of fences and of CUDA's events.
    pub internal_timelines: HashSet<ObjectKey>,
    pub fence_records: HashMap<ObjectKey, u64>,
    pub cuda_event_records: HashMap<usize, u64>,
    /// Streams that do not wait for the default stream, and its last record.
    pub non_blocking_streams: HashSet<usize>,
    pub default_stream_record: Option<u64>,
    /// Whether streams wait in ways that the check does not see. Each of their steps may then come after all work.
    pub has_unseen_waits: bool,
    /// How many waits, signals and barriers there were.
    ordered: u64,
}

impl VulkanState {
    pub fn add_exportable(
        &mut self,
        handle: ObjectKey,
        what: ExportableKind,
        uuid: Option<[u8; 16]>,
        made: CallSite,
    ) {
        self.last_number += 1;
        HAS_EXPORTABLES.store(true, Ordering::Release);
        let new = ExportableObject { what, uuid, made, imports: Vec::new(), has_ended: false };
        self.exportables.insert(self.last_number, new);
        self.numbers.insert(handle, self.last_number);
    }

    /// Adds memory that CUDA allocates and may export. Returns its number.
    pub fn add_cuda_allocation(&mut self, size: u64, made: CallSite) -> u32 {
        let memory = MemoryState { size, is_dedicated: false, images: Vec::new() };
        self.add_exportable((0, vk::ObjectType::UNKNOWN, 0), ExportableKind::Memory(memory), None, made);
        self.last_number
    }

    /// The memory of CUDA that a descriptor exports, which an import takes.
    pub fn take_cuda_export(&mut self, fd: i32) -> Option<u32> {
        let (number, mark) = self.cuda_exported_fds.remove(&fd)?;
        mark.zip(FileMark::of_fd(fd)).is_some_and(|(old, new)| old.fits(&new)).then_some(number)
    }

    /// Vulkan imported memory of CUDA.
    pub fn note_vulkan_import(&mut self, memory: ObjectKey, number: u32) {
        self.numbers.insert(memory, number);
        set_has_exports();
    }

    pub fn exportable_number(&self, handle: ObjectKey) -> Option<u32> {
        self.numbers.get(&handle).copied()
    }

    pub fn exportable(&self, number: u32) -> Option<&ExportableObject> {
        self.exportables.get(&number)
    }

    pub fn memory(&mut self, number: u32) -> Option<&mut MemoryState> {
        self.exportables.get_mut(&number)?.memory()
    }

    pub fn semaphore(&mut self, number: u32) -> Option<&mut SemaphoreState> {
        self.exportables.get_mut(&number)?.semaphore()
    }

    /// Whether the check's own test leaves this wait, signal or barrier out: the one of this number, counted from 1.
    pub fn is_left_out(&mut self, what: &str, call: &str) -> bool {
        if !cfg!(feature = "leave-out") {
            return false;
        }
        let number =
            std::env::var("CUDA_EXTERNAL_CHECK_LEAVE_OUT").ok().and_then(|number| number.parse().ok());
        let Some((check, number)) = active_check().zip(number).filter(|(_, number)| *number > 0) else {
            return false;
        };
        self.ordered += 1;
        self.replay.is_complete = true;
        if self.ordered != number {
            return false;
        }
        if let Some(message) = check.shared.begin_message() {
            FieldWriter(message).add("text", format_args!("left out: {what} in {call}"));
        }
        true
    }

    /// A semaphore, and whether it is a timeline.
    pub fn semaphore_id(&self, handle: ObjectKey) -> (SemaphoreId, bool) {
        let Some(number) = self.exportable_number(handle) else {
            return (SemaphoreId::Internal(handle), self.internal_timelines.contains(&handle));
        };
        let what = self.exportable(number).map(|of| &of.what);
        let is_timeline =
            matches!(what, Some(ExportableKind::Semaphore(SemaphoreState { is_timeline: true, .. })));
        (SemaphoreId::Exportable(number), is_timeline)
    }

    /// The image that is bound at an offset, and whether any is bound at all.
    pub fn image_at_offset(&self, memory: u32, offset: u64) -> (Option<&ImageState>, bool) {
        let Some(ExportableKind::Memory(memory)) = self.exportable(memory).map(|of| &of.what) else {
            return (None, false);
        };
        let at = memory.images.iter().find(|(at, _)| *at == offset);
        (at.and_then(|(_, image)| self.images.get(image)), !memory.images.is_empty())
    }

    /// Notes that CUDA imported an object of Vulkan.
    pub fn note_cuda_import(&mut self, import: u32, number: u32) {
        self.cuda_imports.insert(import, number);
        if let Some(of) = self.exportables.get_mut(&number) {
            of.imports.push(import);
        }
    }

    /// Notes the end of an import of CUDA.
    pub fn end_cuda_import(&mut self, import: u32) {
        let Some(number) = self.cuda_imports.remove(&import) else { return };
        if let Some(of) = self.exportables.get_mut(&number) {
            of.imports.retain(|one| *one != import);
        }
        self.forget_if_unused(number);
    }

    /// Vulkan's handle ends. ExportableKind it stood for is kept as long as an import of it is alive.
    pub fn end_exported_handle(&mut self, handle: ObjectKey) {
        if let Some(number) = self.numbers.remove(&handle) {
            self.end_exportable(number);
        }
    }

    /// The object ends for whoever made it.
    pub fn end_exportable(&mut self, number: u32) {
        if let Some(of) = self.exportables.get_mut(&number) {
            of.has_ended = true;
        }
        self.forget_if_unused(number);
    }

    fn forget_if_unused(&mut self, number: u32) {
        let is_over = self.exportable(number).is_some_and(|of| of.has_ended && of.imports.is_empty());
        if is_over && !self.exported_fds.values().any(|export| export.of == number) {
            self.exportables.remove(&number);
            self.access_histories.remove(&number);
            self.replay.forget_semaphore(SemaphoreId::Exportable(number));
        }
    }

    pub fn end_image(&mut self, handle: ObjectKey) {
        let memory = self.images.remove(&handle).and_then(|image| image.memory);
        if let Some(memory) = memory.and_then(|memory| self.memory(memory)) {
            memory.images.retain(|(_, of)| *of != handle);
        }
    }

    pub fn add_cmd_buffers(&mut self, pool: ObjectKey, new: impl Iterator<Item = u64>) {
        self.command_pools.entry(pool).or_default().extend(new);
    }

    pub fn free_cmd_buffer(&mut self, pool: ObjectKey, freed: u64) {
        self.cmd_buffers.remove(&freed);
        if let Some(all) = self.command_pools.get_mut(&pool) {
            all.retain(|one| *one != freed);
        }
    }

    pub fn reset_command_pool(&mut self, pool: ObjectKey) {
        for one in self.command_pools.get(&pool).into_iter().flatten() {
            self.cmd_buffers.remove(one);
        }
    }

    pub fn end_command_pool(&mut self, pool: ObjectKey) {
        self.reset_command_pool(pool);
        self.command_pools.remove(&pool);
    }

    /// A device ends, and with it what the program did not destroy.
    pub fn end_device(&mut self, device: u64) {
        let of_device = self.numbers.keys().filter(|handle| handle.0 == device);
        for handle in of_device.copied().collect::<Vec<_>>() {
            self.end_exported_handle(handle);
        }
        self.images.retain(|handle, _| handle.0 != device);
        self.bound_buffers.retain(|handle, _| handle.0 != device);
        self.buffer_sizes.retain(|handle, _| handle.0 != device);
        self.derived_objects.end_device(device);
        self.fence_records.retain(|handle, _| handle.0 != device);
        self.internal_timelines.retain(|handle| handle.0 != device);
        let pools = self.command_pools.keys().filter(|handle| handle.0 == device);
        for pool in pools.copied().collect::<Vec<_>>() {
            self.end_command_pool(pool);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_left_of_a_pool_of_command_buffers() {
        let [pool, other] = [2, 3].map(|of| (1, vk::ObjectType::COMMAND_POOL, of));
        let mut vulkan = VulkanState::default();
        vulkan.add_cmd_buffers(pool, 10..13);
        vulkan.add_cmd_buffers(other, 20..21);
        for commands in [10, 11, 12, 20] {
            vulkan.cmd_buffers.entry(commands).or_default();
        }
        vulkan.free_cmd_buffer(pool, 11);
        assert!(vulkan.cmd_buffers.contains_key(&10) && !vulkan.cmd_buffers.contains_key(&11));
        vulkan.end_command_pool(pool);
        assert_eq!((vulkan.cmd_buffers.len(), vulkan.command_pools.len()), (1, 1));
        vulkan.end_device(1);
        assert_eq!((vulkan.cmd_buffers.len(), vulkan.command_pools.len()), (0, 0));
    }
}
