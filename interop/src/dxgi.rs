//! Direct3D's description of a texture, in CUDA's terms: the same for Direct3D 12 and 11, which
//! number formats and dimensions alike.
//!
//! A texture is mapped with the format, extent, flags and number of levels that it was created
//! with. A mismatch is undefined behavior; the driver does not always refuse it.

use ash::vk;
use cuda_external_sys::*;

use crate::cuda::map_mipmapped_array;
use crate::formats::{FORMATS, array_descriptor, texel_size};
use crate::vulkan::Shape;
use crate::{Error, Result};

/// A texture as a shader sees it: a `D3D12_SRV_DIMENSION` or `D3D11_SRV_DIMENSION`. Multisampled
/// textures, which CUDA cannot map, are left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dimension {
    /// A row.
    Texture1D = 2,
    /// Rows.
    Texture1DArray = 3,
    /// An image.
    Texture2D = 4,
    /// Images.
    Texture2DArray = 5,
    /// A volume.
    Texture3D = 8,
    /// Six faces.
    TextureCube = 9,
    /// Cubes, of six faces each.
    TextureCubeArray = 10,
}

/// A texture, as it was created in Direct3D.
#[derive(Clone, Copy, Debug)]
pub struct Texture {
    /// The kind of texture.
    pub dimension: Dimension,
    /// A `DXGI_FORMAT`.
    pub format: i32,
    /// The width of level 0 in texels.
    pub width: u32,
    /// The height of level 0 in texels.
    pub height: u32,
    /// The depth where the texture is 3D, else the number of array slices: six for each cube.
    pub depth_or_array_size: u32,
    /// The number of mip levels.
    pub levels: u32,
    /// Whether Direct3D may draw to it: `D3D12_RESOURCE_FLAG_ALLOW_RENDER_TARGET`,
    /// `D3D11_BIND_RENDER_TARGET`. CUDA needs the flag even if nothing is drawn.
    pub render_target: bool,
    /// Whether kernels will write to it as a surface.
    pub surface: bool,
}

impl Texture {
    /// Returns the description of a texture with one level that Direct3D may draw to.
    pub const fn new_2d(format: i32, width: u32, height: u32) -> Self {
        let dimension = Dimension::Texture2D;
        let (depth_or_array_size, levels, render_target, surface) = (1, 1, true, false);
        Self { dimension, format, width, height, depth_or_array_size, levels, render_target, surface }
    }

    /// Maps the texture in memory that was imported for it alone.
    ///
    /// # Safety
    ///
    /// `memory` is an import of this texture that was not destroyed.
    pub unsafe fn map(&self, memory: CUexternalMemory) -> Result<CUmipmappedArray> {
        let desc = self.mipmapped_array(0);
        let desc =
            desc.ok_or_else(|| Error::Failed(format!("CUDA has no element for format {}", self.format)))?;
        // SAFETY: as the caller guarantees.
        Ok(unsafe { map_mipmapped_array(memory, desc.offset, desc.arrayDesc, desc.numLevels) }?)
    }

    /// Returns what `cuExternalMemoryGetMappedMipmappedArray` takes, or `None` where CUDA has no such format: three
    /// channels, packed bits, depth, blue first, sRGB. `offset` is where the texture begins in the imported memory: 0 for a
    /// committed one.
    pub fn mipmapped_array(&self, offset: u64) -> Option<CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC> {
        let (format, ..) = self.known_format()?;
        let Shape { view, extent, layers, levels } = self.shape();
        let drawn = vk::ImageUsageFlags::COLOR_ATTACHMENT;
        let usage = if self.render_target { drawn } else { vk::ImageUsageFlags::empty() };
        Some(CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC {
            offset,
            arrayDesc: array_descriptor(format, extent, layers, view, usage, self.surface)?,
            numLevels: levels,
            ..Default::default()
        })
    }

    /// Returns the bytes of all texels of all levels and slices, without padding: what an import of a Direct3D 11 texture
    /// can state, since Direct3D 11 does not report the size of an allocation. That CUDA takes it is not verified.
    /// Direct3D 12 reports the size: see `GetResourceAllocationInfo`.
    pub fn bytes(&self) -> Option<u64> {
        let (.., element, channels) = self.known_format()?;
        let (shape, texel) = (self.shape(), texel_size(element, channels));
        Some((0..self.levels).map(|level| (shape.level_texels(level) * texel) as u64).sum())
    }

    fn known_format(&self) -> Option<(vk::Format, i32, CUarray_format, u32)> {
        FORMATS.into_iter().find(|(_, number, ..)| *number == self.format)
    }

    /// The dimensions, as Vulkan has them.
    fn shape(&self) -> Shape {
        let (depth, layers, view) = match (self.dimension, self.depth_or_array_size) {
            (Dimension::Texture1D, layers) => (1, layers, vk::ImageViewType::TYPE_1D),
            (Dimension::Texture1DArray, layers) => (1, layers, vk::ImageViewType::TYPE_1D_ARRAY),
            (Dimension::Texture2D, layers) => (1, layers, vk::ImageViewType::TYPE_2D),
            (Dimension::Texture2DArray, layers) => (1, layers, vk::ImageViewType::TYPE_2D_ARRAY),
            (Dimension::Texture3D, depth) => (depth, 1, vk::ImageViewType::TYPE_3D),
            (Dimension::TextureCube, layers) => (1, layers, vk::ImageViewType::CUBE),
            (Dimension::TextureCubeArray, layers) => (1, layers, vk::ImageViewType::CUBE_ARRAY),
        };
        let extent = vk::Extent3D { width: self.width, height: self.height, depth };
        Shape { view, extent, layers, levels: self.levels }
    }
}

#[cfg(test)]
mod tests;
