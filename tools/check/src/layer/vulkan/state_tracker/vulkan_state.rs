//! The objects that Vulkan and CUDA may share, and the replay of the work that uses these objects.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicBool, Ordering};

use ash::vk;

use crate::layer::host_process::current_process::{CallSite, active_check};
use crate::layer::vulkan::state_tracker::cmd_buffer_state::{CmdBufferStates, RecordedCommand};
pub use crate::layer::vulkan::state_tracker::exportable_objects::{
    ExportableKind, ExportableObject, ExportedFd, ImageProperties, MemoryState,
};
use crate::layer::vulkan::sync::access_history::AccessHistory;
pub use crate::layer::vulkan::sync::queue_and_stream_replay::{ProgressPoint, ReplayStep};
use crate::layer::vulkan::sync::queue_and_stream_replay::{Replay, SemaphoreId};
pub use crate::layer::vulkan::sync::queue_or_stream::QueueOrStream;
pub use crate::layer::vulkan::sync::vector_clock::WaitTarget;
use crate::layer::vulkan::utils::handle_keys::ResourcePart;
pub use crate::layer::vulkan::utils::handle_keys::{VulkanHandleKey, object_key};
use crate::rules::Rule;

/// Whether the program exported a Vulkan object, or Vulkan imported an object. Before, CUDA's calls record no work.
static HAS_EXPORTS: AtomicBool = AtomicBool::new(false);

pub fn has_exports() -> bool {
    HAS_EXPORTS.load(Ordering::Acquire)
}

pub fn set_has_exports() {
    HAS_EXPORTS.store(true, Ordering::Release);
}

/// Returns whether to report possible mistakes too: accesses that a shader or a kernel may make, or that may overlap.
pub fn reports_possible_hazards() -> bool {
    let is_enabled =
        |rule: &Rule| active_check().is_some_and(|check| check.options.enabled & 1 << rule.number != 0);
    is_enabled(Rule::HAND_OVER) || is_enabled(Rule::WRITTEN_TOO_EARLY)
}

/// An object that defines what a render pass accesses. Views and framebuffers are only those of exportable images.
pub enum PassObject {
    View(ResourcePart),
    Framebuffer(Vec<Option<ResourcePart>>),
    /// The access to each attachment: `None` if no subpass uses the attachment.
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

#[derive(Default)]
pub struct VulkanState {
    last_number: u32,
    exportables: HashMap<u32, ExportableObject>,
    numbers: HashMap<VulkanHandleKey, u32>,
    pub images: HashMap<VulkanHandleKey, ImageProperties>,
    /// The buffers that are bound to exportable memory: the memory's number, and the buffer's offset in the memory.
    pub bound_buffers: HashMap<VulkanHandleKey, (u32, u64)>,
    pub buffer_sizes: HashMap<VulkanHandleKey, u64>,
    pub exported_fds: HashMap<i32, ExportedFd>,
    /// The numbers of the exportable objects that CUDA imported, by the numbers of CUDA's objects.
    pub cuda_imports: HashMap<u32, u32>,
    pub cmd_buffers: CmdBufferStates,
    /// The views and framebuffers of exportable images, and all render passes.
    pub pass_objects: HashMap<VulkanHandleKey, PassObject>,
    /// The replay of both APIs' work, and the accesses to each allocation.
    pub replay: Replay,
    pub access_histories: HashMap<u32, AccessHistory>,
    /// Timelines that are not exportable, and the last progress point of each fence and of each CUDA event.
    pub internal_timelines: HashSet<VulkanHandleKey>,
    pub fence_records: HashMap<VulkanHandleKey, ProgressPoint>,
    pub cuda_event_records: HashMap<usize, ProgressPoint>,
    /// The streams that do not wait for the default stream.
    non_blocking_streams: HashSet<usize>,
    /// Whether the program made a call such as cuCtxWaitEvent, which orders work in a way that the check does not see.
    /// If so, all later work in streams counts as work that may wait for any other work.
    pub has_unseen_waits: bool,
}

impl VulkanState {
    /// Adds an object and returns its number. `handle` is `None` for memory that CUDA allocated.
    pub fn add_exportable(
        &mut self,
        handle: Option<VulkanHandleKey>,
        kind: ExportableKind,
        uuid: Option<[u8; 16]>,
        made: CallSite,
    ) -> u32 {
        self.last_number += 1;
        let (is_of_cuda, imports) = (handle.is_none(), Vec::new());
        let new = ExportableObject { kind, is_of_cuda, uuid, made, imports, handles: 1 };
        self.exportables.insert(self.last_number, new);
        self.numbers.extend(handle.map(|handle| (handle, self.last_number)));
        self.last_number
    }

    pub fn add_cuda_allocation(&mut self, size: u64, uuid: Option<[u8; 16]>, made: CallSite) -> u32 {
        let memory = MemoryState { size, ..MemoryState::default() };
        self.add_exportable(None, ExportableKind::Memory(memory), uuid, made)
    }

    pub fn note_vulkan_import(&mut self, handle: VulkanHandleKey, number: u32) {
        if let Some(of) = self.exportables.get_mut(&number) {
            of.handles += 1;
        }
        self.numbers.insert(handle, number);
        set_has_exports();
    }

    pub fn exportable_number(&self, handle: VulkanHandleKey) -> Option<u32> {
        self.numbers.get(&handle).copied()
    }

    pub fn exportable_object(&self, number: u32) -> Option<&ExportableObject> {
        self.exportables.get(&number)
    }

    pub fn memory_state(&self, number: u32) -> Option<&MemoryState> {
        match &self.exportables.get(&number)?.kind {
            ExportableKind::Memory(memory) => Some(memory),
            ExportableKind::Semaphore { .. } => None,
        }
    }

    pub fn memory_state_mut(&mut self, number: u32) -> Option<&mut MemoryState> {
        match &mut self.exportables.get_mut(&number)?.kind {
            ExportableKind::Memory(memory) => Some(memory),
            ExportableKind::Semaphore { .. } => None,
        }
    }

    pub fn is_timeline(&self, number: u32) -> Option<bool> {
        match self.exportables.get(&number)?.kind {
            ExportableKind::Semaphore { is_timeline } => Some(is_timeline),
            ExportableKind::Memory(_) => None,
        }
    }

    pub fn semaphore_id(&self, handle: VulkanHandleKey) -> (SemaphoreId, bool) {
        let Some(number) = self.exportable_number(handle) else {
            return (SemaphoreId::Internal(handle), self.internal_timelines.contains(&handle));
        };
        (SemaphoreId::Exportable(number), self.is_timeline(number).unwrap_or_default())
    }

    /// Returns the image that the program bound to the memory at `offset`, if there is exactly one.
    pub fn image_at_offset(&self, memory: u32, offset: u64) -> Option<&ImageProperties> {
        let mut images = self.memory_state(memory)?.images.iter().filter(|(at, _)| *at == offset);
        let (_, image) = images.next()?;
        self.images.get(image).filter(|_| images.next().is_none())
    }

    /// Records a command, unless it uses memory that cannot be shared.
    pub fn record_command(&mut self, commands: u64, command: RecordedCommand) {
        let is_shared = match command {
            RecordedCommand::Access(resource, ..) => {
                let object = resource.resource_key();
                self.bound_buffers.contains_key(&object) || self.images.contains_key(&object)
            }
            _ => true,
        };
        if is_shared {
            if let Some(state) = self.cmd_buffers.recording_state(commands) {
                state.record_command(command);
            }
        }
    }

    /// `new` is `None` for a destroyed object, and for a created object without images that may be shared.
    pub fn replace_pass_object(&mut self, handle: VulkanHandleKey, new: Option<PassObject>) {
        self.pass_objects.remove(&handle);
        self.pass_objects.extend(new.map(|new| (handle, new)));
    }

    pub fn resource_of_view(&self, view: VulkanHandleKey) -> Option<ResourcePart> {
        match self.pass_objects.get(&view) {
            Some(PassObject::View(resource)) => Some(*resource),
            _ => None,
        }
    }

    pub fn note_cuda_import(&mut self, import: u32, number: u32) {
        self.cuda_imports.insert(import, number);
        if let Some(of) = self.exportables.get_mut(&number) {
            of.imports.push(import);
        }
    }

    pub fn end_cuda_import(&mut self, import: u32) {
        let Some(number) = self.cuda_imports.remove(&import) else { return };
        if let Some(of) = self.exportables.get_mut(&number) {
            of.imports.retain(|one| *one != import);
        }
        self.forget_if_unused(number);
    }

    pub fn end_exported_handle(&mut self, handle: VulkanHandleKey) {
        if let Some(number) = self.numbers.remove(&handle) {
            self.end_exportable(number);
        }
    }

    /// Removes one of the handles that keep an object.
    pub fn end_exportable(&mut self, number: u32) {
        if let Some(of) = self.exportables.get_mut(&number) {
            of.handles = of.handles.saturating_sub(1);
        }
        self.forget_if_unused(number);
    }

    fn forget_if_unused(&mut self, number: u32) {
        let is_over =
            self.exportable_object(number).is_some_and(|of| of.handles == 0 && of.imports.is_empty());
        // Another process or API may import an exported descriptor unseen.
        if is_over && !self.exported_fds.values().any(|export| export.of == number) {
            self.exportables.remove(&number);
            self.access_histories.remove(&number);
            self.replay.forget_semaphore(SemaphoreId::Exportable(number));
        }
    }

    pub fn forget_image(&mut self, handle: VulkanHandleKey) {
        let memory = self.images.remove(&handle).and_then(|image| image.memory);
        if let Some(memory) = memory.and_then(|memory| self.memory_state_mut(memory)) {
            memory.images.retain(|(_, of)| *of != handle);
        }
    }

    pub fn forget_buffer(&mut self, handle: VulkanHandleKey) {
        let size = self.buffer_sizes.remove(&handle).unwrap_or_default();
        let Some((memory, offset)) = self.bound_buffers.remove(&handle) else { return };
        if let Some(memory) = self.memory_state_mut(memory) {
            memory.buffers.remove(&(offset, offset + size));
        }
    }

    pub fn line_of_stream(&self, stream: usize) -> QueueOrStream {
        if self.non_blocking_streams.contains(&stream) {
            QueueOrStream::Stream(stream)
        } else {
            QueueOrStream::BlockingStream(stream)
        }
    }

    /// Records a new stream, which may have the handle of a destroyed stream.
    pub fn note_new_stream(&mut self, stream: usize, is_non_blocking: bool) {
        if is_non_blocking {
            self.non_blocking_streams.insert(stream);
        }
        self.replay.replace_stream(self.line_of_stream(stream));
    }

    pub fn note_destroyed_stream(&mut self, stream: usize) {
        self.replay.mark_line_destroyed(self.line_of_stream(stream));
        self.non_blocking_streams.remove(&stream);
    }

    /// Forgets all objects of a device that the program destroys.
    pub fn end_device(&mut self, device: u64) {
        let of_device = self.numbers.keys().filter(|handle| handle.0 == device);
        for handle in of_device.copied().collect::<Vec<_>>() {
            self.end_exported_handle(handle);
        }
        self.images.retain(|handle, _| handle.0 != device);
        self.bound_buffers.retain(|handle, _| handle.0 != device);
        self.buffer_sizes.retain(|handle, _| handle.0 != device);
        self.pass_objects.retain(|handle, _| handle.0 != device);
        self.fence_records.retain(|handle, _| handle.0 != device);
        self.internal_timelines.retain(|handle| handle.0 != device);
        self.cmd_buffers.end_device(device);
    }
}
