//! Objects that Vulkan exports and CUDA imports, with both sides' handles: a buffer, an image, a semaphore.
//!
//! The parts are torn down in the right order: CUDA's import before what Vulkan exports.

use ash::vk;
use cuda_external_sys::*;

use crate::array_descriptors::array_descriptor;
use crate::cuda::{ImportedMemory, ImportedSemaphore, level_array, read_level, write_level};
use crate::vulkan::{Buffer, Image, ImageShape, Memory, Semaphore, SemaphoreKind, Vulkan};
use crate::{Error, Result};

/// A buffer with separate memory, which CUDA has mapped.
pub struct SharedBuffer<'v> {
    pub address: CUdeviceptr,
    pub import: ImportedMemory,
    pub memory: Memory<'v>,
    /// The buffer, which covers the memory from its start.
    pub buffer: Buffer<'v>,
}

impl<'v> SharedBuffer<'v> {
    /// Creates a buffer with memory, dedicated or not, imports the memory and maps the buffer.
    pub fn new(vulkan: &'v Vulkan, size: u64, dedicated: bool) -> Result<Self> {
        let (buffer, memory) = Buffer::with_memory(vulkan, size, dedicated)?;
        let import = ImportedMemory::from_vulkan(&memory)?;
        let address = import.map_buffer(0, size)?;
        Ok(Self { address, import, memory, buffer })
    }

    pub fn buffer_and_mapping(&self) -> (&Buffer<'v>, CUdeviceptr) {
        (&self.buffer, self.address)
    }
}

/// An image that CUDA has mapped as a mipmapped array. Vulkan has given it to CUDA, with nothing written.
pub struct SharedImage<'v> {
    pub mipmap: CUmipmappedArray,
    texel: usize,
    _import: ImportedMemory,
    pub image: Image<'v>,
}

impl<'v> SharedImage<'v> {
    /// The usage of every image.
    pub const USAGE: vk::ImageUsageFlags = vk::ImageUsageFlags::from_raw(
        vk::ImageUsageFlags::TRANSFER_SRC.as_raw()
            | vk::ImageUsageFlags::TRANSFER_DST.as_raw()
            | vk::ImageUsageFlags::SAMPLED.as_raw(),
    );

    /// Creates an image with separate memory, for [`SharedImage::USAGE`] and `usage`, imports and maps it.
    pub fn new(
        vulkan: &'v Vulkan,
        shape: ImageShape,
        format: vk::Format,
        usage: vk::ImageUsageFlags,
    ) -> Result<Self> {
        let image = Image::new(vulkan, shape, format, Self::USAGE | usage, 0)?;
        Self::map_image(image, Self::array_desc(&shape, format, usage)?)
    }

    /// Imports an image's memory, and maps the image with this description.
    pub fn map_image(image: Image<'v>, desc: CUDA_ARRAY3D_DESCRIPTOR) -> Result<Self> {
        image.release_new_image()?;
        Self::map_unreleased_image(image, desc)
    }

    /// As [`SharedImage::map_image`], and leaves it to the caller that Vulkan gives the image to CUDA.
    pub fn map_unreleased_image(image: Image<'v>, desc: CUDA_ARRAY3D_DESCRIPTOR) -> Result<Self> {
        let import = ImportedMemory::from_vulkan(&image.memory)?;
        let mipmap = import.map_mipmapped_array(image.offset, desc, image.shape.levels)?;
        let texel = image.level_size(0) / image.shape.level_texels(0);
        Ok(Self { mipmap, texel, _import: import, image })
    }

    /// Returns CUDA's description of an image. What is for storage in Vulkan is for surfaces in CUDA.
    pub fn array_desc(
        shape: &ImageShape,
        format: vk::Format,
        usage: vk::ImageUsageFlags,
    ) -> Result<CUDA_ARRAY3D_DESCRIPTOR> {
        let surface = usage.contains(vk::ImageUsageFlags::STORAGE);
        array_descriptor(format, shape.extent, shape.layers, shape.view, usage, surface)
            .ok_or_else(|| Error::Failed(format!("CUDA has no element for {format:?}")))
    }

    /// Returns CUDA's array of a level, which lives as long as `self`.
    pub fn level_array(&self, level: u32) -> Result<CUarray> {
        // SAFETY: the array is mapped as long as `self` lives.
        unsafe { level_array(self.mipmap, level) }
    }

    pub fn read(&self) -> Result<Vec<Vec<u8>>> {
        let levels = 0..self.image.shape.levels;
        // SAFETY: the array is mapped as long as `self` lives, here and below.
        levels.map(|level| unsafe { read_level(self.mipmap, &self.image.shape, self.texel, level) }).collect()
    }

    pub fn write(&self, levels: &[Vec<u8>]) -> Result<()> {
        (0..).zip(levels).try_for_each(|(level, bytes)| unsafe {
            write_level(self.mipmap, &self.image.shape, self.texel, level, bytes)
        })
    }
}

/// A semaphore that CUDA has imported.
pub struct SharedSemaphore<'v> {
    pub cuda: ImportedSemaphore,
    pub vulkan: Semaphore<'v>,
}

impl<'v> SharedSemaphore<'v> {
    /// Creates a semaphore of this kind, and imports it.
    pub fn new(vulkan: &'v Vulkan, kind: SemaphoreKind) -> Result<Self> {
        Self::import_semaphore(Semaphore::new(vulkan, kind, 0)?)
    }

    pub fn import_semaphore(vulkan: Semaphore<'v>) -> Result<Self> {
        Ok(Self { cuda: ImportedSemaphore::from_vulkan(&vulkan)?, vulkan })
    }
}
