//! An import by CUDA beside what Vulkan exported: facts of both sides that do not fit.

use std::sync::atomic::{AtomicI32, Ordering};

use ash::vk;
use cuda_external_sys::*;

use crate::layer::handles;
use crate::layer::images;
use crate::layer::objects::Kind;
use crate::layer::report::Finding;
use crate::layer::state::{State, state};
use crate::rules::Rule;

use super::formats;
use super::records::{Export, Image, Shared, Vulkan};

/// What an import is going to be of.
#[derive(Clone, Copy)]
pub struct Paired(Shared);

/// An import as CUDA describes it.
pub struct Import {
    pub call: &'static str,
    pub kind: Kind,
    pub fd: i32,
    pub handle_type: u32,
    pub size: u64,
    pub is_dedicated: bool,
    /// Of the current context's device.
    pub uuid: Option<[u8; 16]>,
}

/// The marks that the layer writes on the open files of exports: numbers of signals, which matter only with O_ASYNC, and nobody
/// sets that on these files. The last one is taken, by CUDA's own large memory.
const MARKS: std::ops::Range<i32> = 34..64;

const F_SETSIG: i32 = 10;
const F_GETSIG: i32 = 11;

/// Marks the open file of a descriptor that Vulkan exported, and returns the mark.
pub fn mark(fd: i32) -> i32 {
    static NEXT: AtomicI32 = AtomicI32::new(0);
    // Another process that gets the descriptor has marks of its own.
    let number = NEXT.fetch_add(1, Ordering::Relaxed).wrapping_add(std::process::id() as i32);
    let mark = MARKS.start + number.rem_euclid(MARKS.end - MARKS.start);
    // SAFETY: sets a number that belongs to the open file.
    unsafe { libc::fcntl(fd, F_SETSIG, mark) };
    mark
}

impl State {
    /// Compares an import with the export of its descriptor, before the driver takes the descriptor.
    pub fn pair(&mut self, import: &Import) -> Option<Paired> {
        let export = self.vulkan.exports.remove(&import.fd)?;
        // SAFETY: asks about a number.
        if unsafe { libc::fcntl(import.fd, F_GETSIG) } != export.mark {
            return None;
        }
        let problems = match (export.shared, import.kind) {
            (Shared::Memory(number), Kind::Memory) => self.memory_problems(import, &export, number),
            (Shared::Semaphore(number), Kind::Semaphore) => self.semaphore_problems(import, &export, number),
            (Shared::Memory(_), _) => vec![(Rule::HandleTypeDiffers, "Vulkan exported memory.".to_owned())],
            _ => vec![(Rule::HandleTypeDiffers, "Vulkan exported a semaphore.".to_owned())],
        };
        let made = match export.shared {
            Shared::Memory(number) => self.vulkan.memories.get(&number).map(|memory| memory.made.clone()),
            Shared::Semaphore(number) => self.vulkan.semaphores.get(&number).map(|one| one.made.clone()),
        };
        for (rule, text) in problems {
            let finding = Finding::new(rule, import.call, text);
            let finding = made.iter().fold(finding, |finding, made| {
                finding.with(format!("It was made by {}:", made.call), made.clone())
            });
            let title = format!("Descriptor {} was exported by {}:", import.fd, export.site.call);
            self.report(finding.with(title, export.site.clone()));
        }
        Some(Paired(export.shared))
    }

    fn memory_problems(&self, import: &Import, export: &Export, number: u32) -> Vec<(Rule, String)> {
        let Some(memory) = self.vulkan.memories.get(&number) else { return Vec::new() };
        let mut problems = device_problem(import.uuid, memory.uuid);
        if import.size != memory.size && import.size != 0 {
            let text = format!("The import's size is {}, the allocation's {}.", import.size, memory.size);
            problems.push((Rule::SizeDiffers, text));
        }
        if import.is_dedicated != memory.is_dedicated {
            let text = match memory.is_dedicated {
                true => {
                    "Vulkan's allocation is dedicated (VkMemoryDedicatedAllocateInfo); the import is not."
                }
                false => "The import is dedicated; Vulkan's allocation is not.",
            };
            problems.push((Rule::DedicatedDiffers, text.to_owned()));
        }
        let is_dma_buf = vk::ExternalMemoryHandleTypeFlags::from_raw(export.handle_type)
            == vk::ExternalMemoryHandleTypeFlags::DMA_BUF_EXT;
        if is_dma_buf != (import.handle_type == CU_EXTERNAL_MEMORY_HANDLE_TYPE_DMABUF_FD.0) {
            let text = match is_dma_buf {
                true => "Vulkan exported a dma-buf; the import's type is OPAQUE_FD.",
                false => "Vulkan exported an opaque descriptor; the import's type is DMABUF_FD.",
            };
            problems.push((Rule::HandleTypeDiffers, text.to_owned()));
        }
        problems
    }

    fn semaphore_problems(&self, import: &Import, export: &Export, number: u32) -> Vec<(Rule, String)> {
        let Some(semaphore) = self.vulkan.semaphores.get(&number) else { return Vec::new() };
        let mut problems = device_problem(import.uuid, semaphore.uuid);
        let is_timeline = import.handle_type == CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD.0;
        if export.handle_type != vk::ExternalSemaphoreHandleTypeFlags::OPAQUE_FD.as_raw() {
            let text = "Vulkan exported a sync file, which CUDA does not import.".to_owned();
            problems.push((Rule::HandleTypeDiffers, text));
        } else if is_timeline != semaphore.is_timeline {
            let text = match semaphore.is_timeline {
                true => {
                    "Vulkan's semaphore is a timeline; the import's type is OPAQUE_FD, for binary semaphores."
                }
                false => "Vulkan's semaphore is binary; the import's type is TIMELINE_SEMAPHORE_FD.",
            };
            problems.push((Rule::SemaphoreTypeDiffers, text.to_owned()));
        }
        problems
    }

    /// A successful import: this object is what Vulkan exported.
    pub fn paired(&mut self, number: u32, Paired(shared): Paired) {
        self.vulkan.imports.insert(number, shared);
        match shared {
            Shared::Memory(of) => {
                self.vulkan.memories.get_mut(&of).into_iter().for_each(|of| of.imports.push(number))
            }
            Shared::Semaphore(of) => {
                self.vulkan.semaphores.get_mut(&of).into_iter().for_each(|of| of.imports.push(number))
            }
        }
    }

    /// Compares an array with the image that is bound at its offset.
    pub fn compare_image(
        &mut self,
        call: &'static str,
        import: u32,
        array: &CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC,
    ) {
        let Some(Shared::Memory(memory)) = self.vulkan.imports.get(&import).copied() else { return };
        let finding = match self.vulkan.image_at(memory, array.offset) {
            (Some(image), _) => {
                let problems = image_problems(array, image);
                if problems.is_empty() {
                    return;
                }
                let finding = Finding::new(Rule::ImageDiffers, call, problems.join(" "));
                finding.with(format!("The image was made by {}:", image.made.call), image.made.clone())
            }
            // Images that are bound later are not known.
            (None, false) => return,
            (None, true) => {
                let text = format!("No image is bound at offset {} of the memory.", array.offset);
                Finding::new(Rule::ImageDiffers, call, text)
            }
        };
        self.report(finding.about(import));
    }

    /// The mappings and semaphores of CUDA that are imports of this, or of such an import.
    fn shared_objects(&self, shared: Shared) -> Option<Vec<u32>> {
        match shared {
            Shared::Memory(number) => {
                let imports = &self.vulkan.memories.get(&number)?.imports;
                let imports = imports.iter().filter_map(|import| self.objects.get(*import));
                Some(imports.flat_map(|import| import.mappings.iter().copied()).collect())
            }
            Shared::Semaphore(number) => Some(self.vulkan.semaphores.get(&number)?.imports.clone()),
        }
    }
}

/// vkFreeMemory and vkDestroySemaphore of what queued CUDA work uses. Idle imports may outlive it.
pub fn check_in_use(call: &'static str, shared: impl FnOnce(&Vulkan) -> Option<Shared>) {
    let objects = {
        let state = state();
        shared(&state.vulkan).and_then(|shared| state.shared_objects(shared))
    };
    let objects = objects.unwrap_or_default().into_iter();
    objects.for_each(|object| handles::check_in_use_by(Rule::ExporterFreedInUse, call, object));
}

fn device_problem(current: Option<[u8; 16]>, exporter: Option<[u8; 16]>) -> Vec<(Rule, String)> {
    let (Some(current), Some(exporter)) = (current, exporter) else { return Vec::new() };
    if current == exporter {
        return Vec::new();
    }
    let [current, exporter] = [current, exporter].map(|bytes| CUuuid::from(bytes).to_string());
    let text = format!("The current context's device is {current}; Vulkan's is {exporter}.");
    vec![(Rule::DeviceDiffers, text)]
}

fn image_problems(array: &CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC, image: &Image) -> Vec<String> {
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
    if let (Some(texel), Some(block)) =
        (images::block(desc.Format, desc.NumChannels), formats::block(image.format))
    {
        differs("Bytes of a texel", bytes(texel), bytes(block));
    }
    if image.samples != vk::SampleCountFlags::TYPE_1 {
        problems.push(format!("The image has {} samples; an array has one.", image.samples.as_raw()));
    }
    if image.tiling == vk::ImageTiling::LINEAR {
        problems.push("The image has linear tiling; map it as a buffer with its row pitch.".to_owned());
    }
    problems
}

fn bytes((bytes, side): (u64, u64)) -> String {
    if side == 1 { bytes.to_string() } else { format!("{bytes} for {side} × {side}") }
}
