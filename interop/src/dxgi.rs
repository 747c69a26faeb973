//! Direct3D's description of a texture, in CUDA's terms: the same for Direct3D 12 and 11, which
//! number formats and dimensions alike.
//!
//! A texture is mapped with the format, extent, flags and number of levels that it was created
//! with. A mismatch is undefined behavior; the driver does not always refuse it.

use cuda_external_sys::*;

use crate::formats::texel_size;

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
    pub width: u64,
    /// The height of level 0 in texels.
    pub height: u32,
    /// The depth where the texture is 3D, else the number of array slices: six for each cube.
    pub depth_or_array_size: u32,
    /// The number of mip levels.
    pub levels: u32,
    /// Whether Direct3D may draw to it: `D3D12_RESOURCE_FLAG_ALLOW_RENDER_TARGET`,
    /// `D3D11_BIND_RENDER_TARGET`. CUDA must know, drawing or not.
    pub render_target: bool,
    /// Whether kernels will write to it as a surface.
    pub surface: bool,
}

impl Texture {
    /// Returns what `cuExternalMemoryGetMappedMipmappedArray` takes, or `None` where CUDA has no such
    /// format. `offset` is where the texture begins in the imported memory: 0 for a committed one.
    pub fn mipmapped_array(&self, offset: u64) -> Option<CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC> {
        let (format, channels, _) = element(self.format)?;
        let (width, height, depth) = self.extent();
        Some(CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC {
            offset,
            arrayDesc: CUDA_ARRAY3D_DESCRIPTOR {
                Width: width,
                Height: height,
                Depth: depth,
                Format: format,
                NumChannels: channels,
                Flags: self.flags(),
            },
            numLevels: self.levels,
            ..Default::default()
        })
    }

    /// CUDA distinguishes dimensions by what is zero, and counts layers and cube faces as depth.
    fn extent(&self) -> (usize, usize, usize) {
        let (width, height) = (self.width as usize, self.height as usize);
        let depth = self.depth_or_array_size as usize;
        match self.dimension {
            Dimension::Texture1D => (width, 0, 0),
            Dimension::Texture1DArray => (width, 0, depth),
            Dimension::Texture2D => (width, height, 0),
            Dimension::Texture2DArray
            | Dimension::Texture3D
            | Dimension::TextureCube
            | Dimension::TextureCubeArray => (width, height, depth),
        }
    }

    fn flags(&self) -> u32 {
        let mut flags = match self.dimension {
            Dimension::Texture1DArray | Dimension::Texture2DArray => CUDA_ARRAY3D_LAYERED,
            Dimension::TextureCube => CUDA_ARRAY3D_CUBEMAP,
            Dimension::TextureCubeArray => CUDA_ARRAY3D_CUBEMAP | CUDA_ARRAY3D_LAYERED,
            Dimension::Texture1D | Dimension::Texture2D | Dimension::Texture3D => 0,
        };
        if self.render_target {
            flags |= CUDA_ARRAY3D_COLOR_ATTACHMENT;
        }
        if self.surface {
            flags |= CUDA_ARRAY3D_SURFACE_LDST;
        }
        flags
    }

    /// Returns the bytes of all texels of all levels and slices, without padding: what an import of a Direct3D 11 texture
    /// can state, since Direct3D 11 does not report the size of an allocation. That CUDA takes it is not verified.
    /// Direct3D 12 reports the size: see `GetResourceAllocationInfo`.
    pub fn bytes(&self) -> Option<u64> {
        let (_, _, texel) = element(self.format)?;
        let is_3d = self.dimension == Dimension::Texture3D;
        let slices = u64::from(self.depth_or_array_size);
        let level = |level: u32| {
            let half = |size: u64| (size >> level).max(1);
            let depth = if is_3d { half(slices) } else { slices };
            half(self.width) * half(u64::from(self.height)) * depth * u64::from(texel)
        };
        Some((0..self.levels).map(level).sum())
    }
}

/// Returns CUDA's element format and channel count for a `DXGI_FORMAT`, and the bytes of a texel; `None`
/// where CUDA has no such element: three channels, packed bits, depth, blue first, sRGB.
///
/// A normalized format has elements of its own, with the channel count in the name. Its texels are
/// the same bits as those of the plain integer format of that size.
pub fn element(dxgi_format: i32) -> Option<(CUarray_format, u32, u32)> {
    let (_, _, element, channels) = FORMATS.into_iter().find(|(_, number, ..)| *number == dxgi_format)?;
    Some((element, channels, texel_size(element, channels) as u32))
}

/// Every format that is converted: its name, the number of `DXGI_FORMAT_…`, and CUDA's element and channel count.
const FORMATS: [(&str, i32, CUarray_format, u32); 36] = [
    ("R8_UINT", 62, CU_AD_FORMAT_UNSIGNED_INT8, 1),
    ("R8_SINT", 64, CU_AD_FORMAT_SIGNED_INT8, 1),
    ("R8_UNORM", 61, CU_AD_FORMAT_UNORM_INT8X1, 1),
    ("R8_SNORM", 63, CU_AD_FORMAT_SNORM_INT8X1, 1),
    ("R8G8_UINT", 50, CU_AD_FORMAT_UNSIGNED_INT8, 2),
    ("R8G8_SINT", 52, CU_AD_FORMAT_SIGNED_INT8, 2),
    ("R8G8_UNORM", 49, CU_AD_FORMAT_UNORM_INT8X2, 2),
    ("R8G8_SNORM", 51, CU_AD_FORMAT_SNORM_INT8X2, 2),
    ("R8G8B8A8_UINT", 30, CU_AD_FORMAT_UNSIGNED_INT8, 4),
    ("R8G8B8A8_SINT", 32, CU_AD_FORMAT_SIGNED_INT8, 4),
    ("R8G8B8A8_UNORM", 28, CU_AD_FORMAT_UNORM_INT8X4, 4),
    ("R8G8B8A8_SNORM", 31, CU_AD_FORMAT_SNORM_INT8X4, 4),
    ("R16_UINT", 57, CU_AD_FORMAT_UNSIGNED_INT16, 1),
    ("R16_SINT", 59, CU_AD_FORMAT_SIGNED_INT16, 1),
    ("R16_UNORM", 56, CU_AD_FORMAT_UNORM_INT16X1, 1),
    ("R16_SNORM", 58, CU_AD_FORMAT_SNORM_INT16X1, 1),
    ("R16_FLOAT", 54, CU_AD_FORMAT_HALF, 1),
    ("R16G16_UINT", 36, CU_AD_FORMAT_UNSIGNED_INT16, 2),
    ("R16G16_SINT", 38, CU_AD_FORMAT_SIGNED_INT16, 2),
    ("R16G16_UNORM", 35, CU_AD_FORMAT_UNORM_INT16X2, 2),
    ("R16G16_SNORM", 37, CU_AD_FORMAT_SNORM_INT16X2, 2),
    ("R16G16_FLOAT", 34, CU_AD_FORMAT_HALF, 2),
    ("R16G16B16A16_UINT", 12, CU_AD_FORMAT_UNSIGNED_INT16, 4),
    ("R16G16B16A16_SINT", 14, CU_AD_FORMAT_SIGNED_INT16, 4),
    ("R16G16B16A16_UNORM", 11, CU_AD_FORMAT_UNORM_INT16X4, 4),
    ("R16G16B16A16_SNORM", 13, CU_AD_FORMAT_SNORM_INT16X4, 4),
    ("R16G16B16A16_FLOAT", 10, CU_AD_FORMAT_HALF, 4),
    ("R32_UINT", 42, CU_AD_FORMAT_UNSIGNED_INT32, 1),
    ("R32_SINT", 43, CU_AD_FORMAT_SIGNED_INT32, 1),
    ("R32_FLOAT", 41, CU_AD_FORMAT_FLOAT, 1),
    ("R32G32_UINT", 17, CU_AD_FORMAT_UNSIGNED_INT32, 2),
    ("R32G32_SINT", 18, CU_AD_FORMAT_SIGNED_INT32, 2),
    ("R32G32_FLOAT", 16, CU_AD_FORMAT_FLOAT, 2),
    ("R32G32B32A32_UINT", 3, CU_AD_FORMAT_UNSIGNED_INT32, 4),
    ("R32G32B32A32_SINT", 4, CU_AD_FORMAT_SIGNED_INT32, 4),
    ("R32G32B32A32_FLOAT", 2, CU_AD_FORMAT_FLOAT, 4),
];

#[cfg(test)]
mod tests;
