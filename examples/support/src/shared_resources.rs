//! Objects that Vulkan exports and CUDA imports, with the handles of both APIs: a buffer, an image, a semaphore.
//!
//! Dropping an object of these types destroys CUDA's import before Vulkan's object.

use ash::vk;
use cuda_external_sys::*;

use crate::Result;
use crate::array_descriptors::array_descriptor;
use crate::cuda::{ImportedMemory, ImportedSemaphore, level_array, read_level, write_level};
use crate::vulkan::{
    ExportableBuffer, ExportableImage, ExportableSemaphore, ImageShape, SemaphoreKind, Vulkan, VulkanMemory,
};

/// A Vulkan buffer that CUDA has mapped. The buffer has a separate allocation.
pub struct SharedBuffer<'v> {
    pub address: CUdeviceptr,
    pub import: ImportedMemory,
    pub memory: VulkanMemory<'v>,
    /// The buffer, which is bound at the start of the memory.
    pub buffer: ExportableBuffer<'v>,
}

impl<'v> SharedBuffer<'v> {
    /// Creates a buffer with memory, dedicated or not. Imports the memory into CUDA, and maps the buffer there.
    pub fn new(vulkan: &'v Vulkan, size: u64, dedicated: bool) -> Result<Self> {
        let (buffer, memory) = ExportableBuffer::new_with_memory(vulkan, size, dedicated)?;
        let import = ImportedMemory::from_vulkan(&memory)?;
        let address = import.map_buffer(0, size)?;
        Ok(Self { address, import, memory, buffer })
    }

    pub fn buffer_and_mapping(&self) -> (&ExportableBuffer<'v>, CUdeviceptr) {
        (&self.buffer, self.address)
    }
}

/// A Vulkan image that CUDA has mapped as a mipmapped array.
pub struct SharedImage<'v> {
    pub mipmap: CUmipmappedArray,
    texel: usize,
    _import: ImportedMemory,
    pub image: ExportableImage<'v>,
}

impl<'v> SharedImage<'v> {
    /// The usage that every image of [`SharedImage::new`] has.
    pub const USAGE: vk::ImageUsageFlags = vk::ImageUsageFlags::from_raw(
        vk::ImageUsageFlags::TRANSFER_SRC.as_raw()
            | vk::ImageUsageFlags::TRANSFER_DST.as_raw()
            | vk::ImageUsageFlags::SAMPLED.as_raw(),
    );

    /// Creates an image with separate memory, for [`SharedImage::USAGE`] and `usage`, and imports and maps the image.
    pub fn new(
        vulkan: &'v Vulkan,
        shape: ImageShape,
        format: vk::Format,
        usage: vk::ImageUsageFlags,
    ) -> Result<Self> {
        let image = ExportableImage::new(vulkan, shape, format, Self::USAGE | usage, 0)?;
        // SAFETY: `array_descriptor` describes the image. The usages in `USAGE` set no flags of the descriptor.
        unsafe { Self::map_image(image, array_descriptor(&shape, format, usage)?) }
    }

    /// Releases a new image to CUDA, imports the image's memory, and maps the image as a mipmapped array.
    ///
    /// # Safety
    ///
    /// `desc` must describe the image: the driver may miss an error.
    pub unsafe fn map_image(image: ExportableImage<'v>, desc: CUDA_ARRAY3D_DESCRIPTOR) -> Result<Self> {
        image.release_new_image()?;
        // SAFETY: the caller guarantees that `desc` describes the image.
        unsafe { Self::map_unreleased_image(image, desc) }
    }

    /// As [`SharedImage::map_image`], without the release to CUDA, which the caller submits.
    ///
    /// # Safety
    ///
    /// `desc` must describe the image: the driver may miss an error.
    pub unsafe fn map_unreleased_image(
        image: ExportableImage<'v>,
        desc: CUDA_ARRAY3D_DESCRIPTOR,
    ) -> Result<Self> {
        let import = ImportedMemory::from_vulkan(&image.memory)?;
        // SAFETY: the caller guarantees that `desc` describes the image. Offset and levels are the image's.
        let mipmap = unsafe { import.map_mipmapped_array(image.offset, desc, image.shape.levels) }?;
        let texel = image.level_size(0) / image.shape.level_texels(0);
        Ok(Self { mipmap, texel, _import: import, image })
    }

    /// Returns CUDA's array of a level, which lives as long as `self`.
    pub fn level_array(&self, level: u32) -> Result<CUarray> {
        // SAFETY: the array is mapped as long as `self` lives.
        unsafe { level_array(self.mipmap, level) }
    }

    pub fn read(&self) -> Result<Vec<Vec<u8>>> {
        let levels = 0..self.image.shape.levels;
        // SAFETY: the array is mapped as long as `self` lives, here and in `write`.
        levels.map(|level| unsafe { read_level(self.mipmap, &self.image.shape, self.texel, level) }).collect()
    }

    pub fn write(&self, levels: &[Vec<u8>]) -> Result<()> {
        (0..).zip(levels).try_for_each(|(level, bytes)| unsafe {
            write_level(self.mipmap, &self.image.shape, self.texel, level, bytes)
        })
    }
}

pub struct SharedSemaphore<'v> {
    pub cuda: ImportedSemaphore,
    pub vulkan: ExportableSemaphore<'v>,
}

impl<'v> SharedSemaphore<'v> {
    pub fn new(vulkan: &'v Vulkan, kind: SemaphoreKind) -> Result<Self> {
        Self::import_semaphore(ExportableSemaphore::new(vulkan, kind, 0)?)
    }

    pub fn import_semaphore(vulkan: ExportableSemaphore<'v>) -> Result<Self> {
        Ok(Self { cuda: ImportedSemaphore::from_vulkan(&vulkan)?, vulkan })
    }
}
