//! Compares an import with its export, and an array with the image in the array's memory.

use std::sync::atomic::{AtomicI32, Ordering};

use ash::vk;
use cuda_external_sys::*;

use crate::layer::chassis::double_close::{self, FdImport};
use crate::layer::chassis::process_state::ProcessState;
use crate::layer::chassis::wrapped_call::{LayerCall, WrappedCall};
use crate::layer::error_messages::finding::Finding;
use crate::layer::host_process::current_process::active_check;
use crate::layer::host_process::fd_info::{self, OpenFileId};
use crate::layer::object_tracker::import_arguments::ImportedFd;
use crate::layer::object_tracker::{array_desc_problems, handle_checks};
use crate::layer::state_tracker::tracked_objects::ObjectKind;
use crate::object_description::ObjectDescription;
use crate::rules::{Rule, rules};

use crate::layer::vulkan::core_checks::import_facts::{HandleClass, SharedObjectFacts, compare_facts};
use crate::layer::vulkan::state_tracker::vulkan_state::{
    ExportableKind, ExportedFd, ImageProperties, VulkanHandleKey, VulkanState,
};
use crate::layer::vulkan::utils::texel_blocks;

rules! {
    IMAGE_DIFFERS 42 "image-differs" BOTH_SIDES Guide
        "Vulkan, Mapping Mipmapped Arrays onto Imported Memory Objects" ByDefault
        "The description of a mipmapped array differs from the Vulkan image that is bound at the array's offset."
        "In the description, repeat the image's extent, layers, levels and format, and the offset at which the image \
         is bound. Create the image with optimal tiling and one sample.";
    EXPORTER_FREED_IN_USE 44 "exporter-freed-in-use" BOTH_SIDES Note
        "an import by descriptor keeps the memory allocated" OnEnable
        "vkFreeMemory, vkDestroySemaphore or cuMemRelease ends an object that the other API's queued work still uses."
        "Synchronize the stream or the queue before the exporter ends the object.";
}

/// Marks the open file of an exported descriptor, so that another file with its number does not pass for the export.
pub fn mark_exported_fd(fd: i32) -> Option<OpenFileId> {
    // The last number marks large memory that CUDA exported.
    const MARKS: std::ops::RangeInclusive<i32> = 34..=fd_info::LARGE_CUDA_MEMORY_MARK;
    static NEXT: AtomicI32 = AtomicI32::new(0);
    // Two descriptors of one object may share an open file, which then keeps the mark of the first export.
    let known = OpenFileId::read_open_file_id(fd)?;
    if MARKS.contains(&known.mark) {
        return Some(known);
    }
    // Processes begin with different marks: a process may receive a descriptor that another process marked.
    let number = NEXT.fetch_add(1, Ordering::Relaxed).wrapping_add(std::process::id() as i32);
    let mark = MARKS.start() + number.rem_euclid(MARKS.end() - MARKS.start());
    fd_info::set_file_mark(fd, mark);
    OpenFileId::read_open_file_id(fd)
}

impl SharedObjectFacts {
    pub fn facts_of_cuda_import(about: &ObjectDescription, uuid: Option<[u8; 16]>) -> Self {
        let (kind, handle_type) = (about.object_kind(), about.handle_type());
        let is_memory = kind == ObjectKind::Memory;
        let is_dma_buf = is_memory && handle_type == CU_EXTERNAL_MEMORY_HANDLE_TYPE_DMABUF_FD.0;
        let is_timeline = handle_type == CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD.0;
        Self {
            is_of_cuda: true,
            kind,
            handle: if is_dma_buf { HandleClass::DmaBuf } else { HandleClass::Opaque },
            size: (about.described_size() > 0).then_some(about.described_size()),
            is_dedicated: is_memory.then_some(about.is_dedicated()),
            is_timeline: (!is_memory).then_some(is_timeline),
            uuid,
        }
    }

    /// Returns the facts of an import by Vulkan. The device's UUID counts for opaque descriptors only.
    pub fn facts_of_vulkan_import(kind: ObjectKind, handle_type: u32, uuid: Option<[u8; 16]>) -> Self {
        let (handle, none) = (HandleClass::from_vulkan_type(handle_type), None);
        let uuid = uuid.filter(|_| handle == HandleClass::Opaque);
        Self { is_of_cuda: false, kind, handle, size: none, is_dedicated: None, is_timeline: None, uuid }
    }
}

impl HandleClass {
    /// Returns the class of a handle type of memory or of a semaphore. The function need not know which of the two has
    /// the type: no semaphore's handle type has the number of DMA_BUF_EXT, and no memory's file descriptor type has the
    /// number of SYNC_FD.
    fn from_vulkan_type(handle_type: u32) -> Self {
        match handle_type {
            _ if handle_type == vk::ExternalMemoryHandleTypeFlags::DMA_BUF_EXT.as_raw() => Self::DmaBuf,
            _ if handle_type == vk::ExternalSemaphoreHandleTypeFlags::SYNC_FD.as_raw() => Self::SyncFile,
            _ => Self::Opaque,
        }
    }
}

impl VulkanState {
    fn facts_of_export(&self, export: &ExportedFd) -> Option<SharedObjectFacts> {
        let of = self.exportable_object(export.of)?;
        let (handle, is_of_cuda, uuid) =
            (HandleClass::from_vulkan_type(export.handle_type), of.is_of_cuda, of.uuid);
        let facts = SharedObjectFacts {
            is_of_cuda,
            handle,
            ..SharedObjectFacts::facts_of_vulkan_import(ObjectKind::Memory, 0, uuid)
        };
        Some(match &of.kind {
            ExportableKind::Memory(memory) => {
                SharedObjectFacts { size: Some(memory.size), is_dedicated: memory.is_dedicated, ..facts }
            }
            ExportableKind::Semaphore { is_timeline } => {
                let is_timeline = (handle != HandleClass::SyncFile).then_some(*is_timeline);
                SharedObjectFacts { kind: ObjectKind::Semaphore, is_timeline, ..facts }
            }
        })
    }

    /// Returns the size of the memory that a descriptor exports. The export stays recorded.
    pub fn exported_size(&self, fd: i32) -> Option<u64> {
        let export = self.exported_fds.get(&fd)?;
        let fits =
            export.mark.zip(OpenFileId::read_open_file_id(fd)).is_some_and(|(of, now)| of.is_same_file(&now));
        self.memory_state(export.of).filter(|_| fits).map(|memory| memory.size)
    }

    /// Removes and returns the export of a descriptor. For a duplicate, only returns the original descriptor's export.
    fn take_matching_export(&mut self, fd: i32) -> Option<ExportedFd> {
        if self.exported_fds.is_empty() {
            return None;
        }
        let mark = OpenFileId::read_open_file_id(fd)?;
        let fits = |export: &ExportedFd| export.mark.is_some_and(|of| of.is_same_file(&mark));
        // The import will take the descriptor, so the layer forgets the descriptor's export.
        let own = self.exported_fds.remove(&fd).filter(&fits);
        let may_be = |(other, export): &(&i32, &ExportedFd)| fits(export) && mark.is_duplicate(fd, **other);
        let found = || {
            let mut duplicates = self.exported_fds.iter().filter(may_be).map(|(_, export)| export);
            let first = duplicates.next()?;
            duplicates.all(|other| other.of == first.of).then(|| first.clone())
        };
        own.or_else(found)
    }
}

impl ProcessState {
    /// Compares an import of the descriptor `fd` with the descriptor's export, and reports the differences. The caller
    /// has not yet given the descriptor to the driver. Returns the exported object's number if both the import and the
    /// export are memory, or both are semaphores. Otherwise returns `None`. If the layer does not know the export, or
    /// if CUDA imports CUDA's memory, compares nothing and returns `None`.
    pub fn compare_with_export(
        &mut self,
        call: &'static str,
        fd: i32,
        import: &SharedObjectFacts,
    ) -> Option<u32> {
        let export = self.vulkan.take_matching_export(fd)?;
        let facts = self.vulkan.facts_of_export(&export)?;
        if facts.is_of_cuda && import.is_of_cuda {
            return None;
        }
        let made = self.vulkan.exportable_object(export.of)?.made.clone();
        for (rule, text) in compare_facts(&facts, import) {
            let finding = Finding::new(rule, call, text);
            let finding = finding.with_other_call("The exported object was made by", &made);
            let exported = format!("Descriptor {fd} was exported by");
            self.report_finding(finding.with_other_call(exported, &export.site));
        }
        (facts.kind == import.kind).then_some(export.of)
    }

    pub fn compare_array_with_image(
        &mut self,
        call: &WrappedCall<'_>,
        import: u32,
        array: &CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC,
    ) {
        let Some(memory) = self.vulkan.cuda_imports.get(&import).copied() else { return };
        // If the program binds the image only after this call, there is nothing to compare.
        let Some(image) = self.vulkan.image_at_offset(memory, array.offset) else { return };
        let problems = image_mismatches(array, image);
        if !problems.is_empty() {
            let finding = call.new_finding(Rule::IMAGE_DIFFERS, problems.join(" "));
            let finding = finding.with_other_call("The image was made by", &image.made);
            self.report_finding(finding.about_object(import));
        }
    }

    /// Returns CUDA's objects that use an exported object: the mappings of memory, or the imports of a semaphore.
    fn cuda_users_of_export(&self, exported: VulkanHandleKey) -> Option<Vec<u32>> {
        let of = self.vulkan.exportable_object(self.vulkan.exportable_number(exported)?)?;
        let imports = of.imports.iter().filter_map(|import| self.objects.get_object(*import));
        Some(match of.kind {
            ExportableKind::Memory(_) => imports.flat_map(|import| import.mappings.iter().copied()).collect(),
            ExportableKind::Semaphore { .. } => of.imports.clone(),
        })
    }
}

/// Reports vkFreeMemory and vkDestroySemaphore of an object that CUDA's unfinished work uses. Idle imports are allowed.
pub fn check_exporter_in_use(layer_call: &mut LayerCall, exported: VulkanHandleKey) {
    let objects = layer_call.lock_state().cuda_users_of_export(exported).unwrap_or_default();
    for object in objects {
        handle_checks::report_unfinished_uses(layer_call, Rule::EXPORTER_FREED_IN_USE, object);
    }
}

pub fn check_allocation_in_use(state: &mut ProcessState, call: &'static str, number: u32) {
    let (vulkan, replay) = (&state.vulkan, &state.vulkan.replay);
    let history = vulkan.access_histories.get(&number);
    if replay.has_queued_access(number) || history.is_some_and(|history| history.is_used_by_vulkan(replay)) {
        let text = "The host has not waited for a Vulkan queue's work that uses the memory.";
        let made = vulkan.exportable_object(number).map(|of| of.made.clone());
        let finding = Finding::new(Rule::EXPORTER_FREED_IN_USE, call, text);
        let title = "The memory is from";
        state.report_finding(made.iter().fold(finding, |finding, made| finding.with_other_call(title, made)));
    }
}

fn image_mismatches(
    array: &CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC,
    image: &ImageProperties,
) -> Vec<String> {
    let mut problems = Vec::new();
    let mut differs = |what: &str, of_array: String, of_image: String| {
        if of_array != of_image {
            problems.push(format!("{what}: {of_array} in the array, {of_image} in the image."));
        }
    };
    let desc = &array.arrayDesc;
    let vk::Extent3D { width, height, depth } = image.extent;
    let (extent, layers) = match image.kind {
        vk::ImageType::TYPE_1D => ((width, 0), if image.layers > 1 { image.layers } else { 0 }),
        vk::ImageType::TYPE_3D => ((width, height), depth),
        _ => ((width, height), if image.layers > 1 { image.layers } else { 0 }),
    };
    let extent = (extent.0 as usize, extent.1 as usize);
    differs("Extent", format!("{} × {}", desc.Width, desc.Height), format!("{} × {}", extent.0, extent.1));
    // The program may describe an image with one layer with CUDA_ARRAY3D_LAYERED or without this flag.
    if desc.Depth.max(1) != (layers as usize).max(1) {
        let what = if image.kind == vk::ImageType::TYPE_3D { "Depth" } else { "Layers" };
        differs(what, desc.Depth.to_string(), layers.max(1).to_string());
    }
    let has_layers = desc.Flags & (CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP) != 0;
    if desc.Depth > 1 && has_layers == (image.kind == vk::ImageType::TYPE_3D) {
        let name = |is_volume: bool| if is_volume { "a volume" } else { "layers" }.to_owned();
        differs("Kind", name(!has_layers), name(has_layers));
    }
    differs("Levels", array.numLevels.to_string(), image.levels.to_string());
    if let (Some(texel), Some(block)) = (
        array_desc_problems::texel_block(desc.Format, desc.NumChannels),
        texel_blocks::texel_block(image.format),
    ) {
        differs("Bytes of a texel", texel_size_text(texel), texel_size_text(block));
    }
    if image.samples != vk::SampleCountFlags::TYPE_1 {
        problems.push(format!("The image has {} samples; an array has one.", image.samples.as_raw()));
    }
    if image.tiling == vk::ImageTiling::LINEAR {
        problems.push("The image has linear tiling; map it as a buffer with its row pitch.".to_owned());
    }
    problems
}

fn texel_size_text((bytes, side): (u64, u64)) -> String {
    if side == 1 { bytes.to_string() } else { format!("{bytes} for {side} × {side}") }
}

/// Checks a descriptor before Vulkan imports it. Returns the exported object's number, if the layer knows the export.
pub fn check_vulkan_import(layer_call: &mut LayerCall, fd: i32, facts: &SharedObjectFacts) -> Option<u32> {
    if let Some(check) = active_check() {
        check.shared.calls.fetch_add(1, Ordering::Relaxed);
    }
    let descriptor = ImportedFd::inspect_import_fd(layer_call, fd);
    let (call, mut state) = (layer_call.name, layer_call.lock_state());
    if let Some(finding) = descriptor.find_fd_problem(call, &state) {
        state.report_finding(finding);
    }
    state.compare_with_export(call, fd, facts)
}

pub fn note_fd_imported_by_vulkan(layer_call: &mut LayerCall, fd: i32) {
    let import = FdImport { object: 0, site: layer_call.call_site(), has_failed: false };
    double_close::watch_imported_fd(layer_call, fd, import);
}
