//! An import by CUDA beside what Vulkan exported: facts of both sides that do not fit.

use std::sync::atomic::{AtomicI32, Ordering};

use ash::vk;
use cuda_external_sys::*;

use crate::layer::chassis::double_close::{self, DescriptorTaker};
use crate::layer::chassis::layer_call::LayerCall;
use crate::layer::chassis::process_state::ProcessState;
use crate::layer::chassis::wrapped_call::WrappedCall;
use crate::layer::error_messages::finding::Finding;
use crate::layer::host_process::call_site::CallSite;
use crate::layer::host_process::fd_info::{self, FileMark};
use crate::layer::host_process::preload_link;
use crate::layer::object_tracker::{array_desc_problems, handle_checks};
use crate::layer::state_tracker::tracked_objects::ObjectKind;
use crate::object_description::ObjectDescription;
use crate::rules::Rule;

use crate::layer::vulkan::state_tracker::vulkan_state::{
    ExportableKind, ExportableObject, ExportedFd, ImageState, ObjectKey, VulkanState,
};
use crate::layer::vulkan::utils::texel_blocks;

/// Marks the open file of a descriptor that was exported, so that another file with this number is not taken for it.
pub fn mark_exported_fd(fd: i32) -> Option<FileMark> {
    // The last one is for large memory of CUDA.
    const MARKS: std::ops::RangeInclusive<i32> = 34..=fd_info::LARGE_CUDA_MEMORY_MARK;
    static NEXT: AtomicI32 = AtomicI32::new(0);
    // Two descriptors of one object may share an open file. Then the mark of the first export stays valid.
    let known = FileMark::read_from_fd(fd)?;
    if MARKS.contains(&known.mark_number()) {
        return Some(known);
    }
    // Another process that gets the descriptor has marks of its own.
    let number = NEXT.fetch_add(1, Ordering::Relaxed).wrapping_add(std::process::id() as i32);
    let mark = MARKS.start() + number.rem_euclid(MARKS.end() - MARKS.start());
    fd_info::set_mark(fd, mark);
    FileMark::read_from_fd(fd)
}

impl VulkanState {
    /// The size of the memory that a descriptor exports, which stays in the table.
    pub fn exported_size(&self, fd: i32) -> Option<u64> {
        let mark = FileMark::read_from_fd(fd)?;
        let fits = |of: &Option<FileMark>| of.is_some_and(|of| of.is_same_file(&mark));
        if let Some(export) = self.cuda_exported_fds.get(&fd) {
            return fits(&export.mark).then_some(export.size);
        }
        let export = self.exported_fds.get(&fd).filter(|export| fits(&export.mark))?;
        self.memory_state(export.of).map(|memory| memory.size)
    }

    /// The export that a descriptor or its duplicate comes from.
    fn take_matching_export(&mut self, fd: i32) -> Option<ExportedFd> {
        if self.exported_fds.is_empty() {
            return None;
        }
        let mark = FileMark::read_from_fd(fd)?;
        let fits = |export: &ExportedFd| export.mark.is_some_and(|of| of.is_same_file(&mark));
        // The driver takes the descriptor.
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
    /// Compares an import with the export of its descriptor, before the driver takes the descriptor. Returns the
    /// exported object.
    pub fn compare_import_with_export(
        &mut self,
        call: &WrappedCall<'_>,
        fd: i32,
        import: &ObjectDescription,
        uuid: Option<[u8; 16]>,
    ) -> Option<u32> {
        let export = self.vulkan.take_matching_export(fd)?;
        let Some(of) = self.vulkan.exportable_object(export.of) else { return Some(export.of) };
        let made = of.made.clone();
        for (rule, text) in import_mismatches(import, uuid, &export, of) {
            let finding = call.new_finding(rule, text).with_call("It was made by", &made);
            self.report(finding.with_call(format_args!("Descriptor {fd} was exported by"), &export.site));
        }
        Some(export.of)
    }

    pub fn compare_array_with_image(
        &mut self,
        call: &WrappedCall<'_>,
        import: u32,
        array: &CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC,
    ) {
        let Some(memory) = self.vulkan.cuda_imports.get(&import).copied() else { return };
        // An image may be bound later than the array is mapped.
        let Some(image) = self.vulkan.image_at_offset(memory, array.offset) else { return };
        let problems = image_mismatches(array, image);
        if !problems.is_empty() {
            let finding = call.new_finding(Rule::ImageDiffers, problems.join(" "));
            let finding = finding.with_call("The image was made by", &image.made);
            self.report(finding.about_object(import));
        }
    }

    /// The mappings and semaphores of CUDA that are imports of this, or of such an import.
    fn objects_of_export(&self, exported: ObjectKey) -> Option<Vec<u32>> {
        let of = self.vulkan.exportable_object(self.vulkan.exportable_number(exported)?)?;
        let imports = of.imports.iter().filter_map(|import| self.objects.get_object(*import));
        Some(match of.kind {
            ExportableKind::Memory(_) => imports.flat_map(|import| import.mappings.iter().copied()).collect(),
            ExportableKind::Semaphore(_) => of.imports.clone(),
        })
    }
}

/// Reports vkFreeMemory and vkDestroySemaphore of an object that queued CUDA work uses. Idle imports may outlive the
/// object.
pub fn check_exporter_in_use(layer_call: &mut LayerCall, call: &'static str, exported: ObjectKey) {
    let objects = layer_call.lock_state().objects_of_export(exported).unwrap_or_default();
    for object in objects {
        handle_checks::check_in_use(layer_call, Rule::ExporterFreedInUse, call, object);
    }
}

fn import_mismatches(
    import: &ObjectDescription,
    uuid: Option<[u8; 16]>,
    export: &ExportedFd,
    of: &ExportableObject,
) -> Vec<(Rule, String)> {
    let mut found = Vec::new();
    // Both sides must agree. The texts are for a property of Vulkan's side alone and of CUDA's alone.
    let mut compare = |rule, [vulkan, cuda]: [bool; 2], [vulkan_alone, cuda_alone]: [&str; 2]| {
        if vulkan != cuda {
            found.push((rule, if vulkan { vulkan_alone } else { cuda_alone }.to_owned()));
        }
    };
    match (&of.kind, import.object_kind()) {
        (ExportableKind::Memory(memory), ObjectKind::Memory) => {
            let texts = [
                "Vulkan's allocation is dedicated (VkMemoryDedicatedAllocateInfo); the import is not.",
                "The import is dedicated; Vulkan's allocation is not.",
            ];
            compare(Rule::DedicatedDiffers, [memory.is_dedicated, import.is_dedicated()], texts);
            let is_dma_buf = [
                export.handle_type == vk::ExternalMemoryHandleTypeFlags::DMA_BUF_EXT.as_raw(),
                import.handle_type() == CU_EXTERNAL_MEMORY_HANDLE_TYPE_DMABUF_FD.0,
            ];
            let texts = [
                "Vulkan exported a dma-buf; the import's type is OPAQUE_FD.",
                "Vulkan exported an opaque descriptor; the import's type is DMABUF_FD.",
            ];
            compare(Rule::HandleTypeDiffers, is_dma_buf, texts);
            let (size, of_vulkan) = (import.size(), memory.size);
            if size != of_vulkan && size != 0 {
                let text = format!("The import's size is {size}, the allocation's {of_vulkan}.");
                found.push((Rule::SizeDiffers, text));
            }
        }
        (ExportableKind::Semaphore(_), ObjectKind::Semaphore)
            if export.handle_type != vk::ExternalSemaphoreHandleTypeFlags::OPAQUE_FD.as_raw() =>
        {
            let text = "Vulkan exported a sync file, which CUDA does not import.";
            found.push((Rule::HandleTypeDiffers, text.to_owned()));
        }
        (ExportableKind::Semaphore(semaphore), ObjectKind::Semaphore) => {
            let timeline = CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD.0;
            let texts = [
                "Vulkan's semaphore is a timeline; the import's type is OPAQUE_FD, for binary semaphores.",
                "Vulkan's semaphore is binary; the import's type is TIMELINE_SEMAPHORE_FD.",
            ];
            let is_timeline = [semaphore.is_timeline, import.handle_type() == timeline];
            compare(Rule::SemaphoreTypeDiffers, is_timeline, texts);
        }
        (ExportableKind::Memory(_), _) => {
            return vec![(Rule::HandleTypeDiffers, "Vulkan exported memory.".to_owned())];
        }
        _ => return vec![(Rule::HandleTypeDiffers, "Vulkan exported a semaphore.".to_owned())],
    }
    if let (Some(current), Some(exporter)) = (uuid, of.uuid) {
        if current != exporter {
            let [current, exporter] = [current, exporter].map(|bytes| CUuuid::from(bytes).to_string());
            let text = format!("The current context's device is {current}; Vulkan's is {exporter}.");
            found.push((Rule::DeviceDiffers, text));
        }
    }
    found
}

fn image_mismatches(array: &CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC, image: &ImageState) -> Vec<String> {
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
    // One layer may be described with the flag and without it.
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

/// Vulkan is about to import a descriptor. Its own call of `close` is not followed.
pub fn check_vulkan_import(layer_call: &mut LayerCall, call: &'static str, fd: i32, size: Option<u64>) {
    preload_link::set_watched(fd, false);
    let mut state = layer_call.lock_state();
    let exported = state.vulkan.exported_size(fd).zip(size).filter(|(exported, size)| exported != size);
    if let Some((exported, size)) = exported {
        let text = format!("allocationSize is {size}; descriptor {fd} is of memory of {exported} bytes.");
        state.report(Finding::new(Rule::SizeDiffers, call, text));
    }
}

/// Vulkan imported a descriptor, which belongs to it from here on.
pub fn note_fd_of_vulkan(layer_call: &mut LayerCall, call: &'static str, fd: i32) {
    let site = CallSite::capture_call_site(layer_call, call);
    double_close::watch_import(layer_call, fd, &site, DescriptorTaker::Vulkan);
}
