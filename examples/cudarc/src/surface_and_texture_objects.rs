//! How a kernel reaches a mapped image: a surface object for one level, to read and write; a texture object for all
//! levels, to sample.

use cuda_external_sys::*;
use example_support::Result;
use example_support::cuda::level_array;

/// A surface object over one level of a mapped image, which was mapped with `CUDA_ARRAY3D_SURFACE_LDST`.
pub struct SurfaceObject(pub CUsurfObject);

impl SurfaceObject {
    pub fn new(mipmap: CUmipmappedArray, level: u32) -> Result<Self> {
        let mut desc = CUDA_RESOURCE_DESC { resType: CU_RESOURCE_TYPE_ARRAY, ..Default::default() };
        let mut surface = 0;
        // SAFETY: the image is mapped, and the array belongs to it; both pointers are to variables here.
        unsafe {
            desc.res.array.hArray = level_array(mipmap, level)?;
            cuSurfObjectCreate(&mut surface, &desc).result()?;
        }
        Ok(Self(surface))
    }
}

impl Drop for SurfaceObject {
    fn drop(&mut self) {
        // SAFETY: the kernels that used it are complete.
        let _ = unsafe { cuSurfObjectDestroy(self.0) };
    }
}

/// A texture object over all levels of a mapped image: the nearest texel of the nearest level, as integers.
pub struct TextureObject(pub CUtexObject);

impl TextureObject {
    pub fn new(mipmap: CUmipmappedArray, levels: u32) -> Result<Self> {
        let mut resource =
            CUDA_RESOURCE_DESC { resType: CU_RESOURCE_TYPE_MIPMAPPED_ARRAY, ..Default::default() };
        resource.res.mipmap.hMipmappedArray = mipmap;
        let desc = CUDA_TEXTURE_DESC {
            addressMode: [CU_TR_ADDRESS_MODE_CLAMP; 3],
            filterMode: CU_TR_FILTER_MODE_POINT,
            mipmapFilterMode: CU_TR_FILTER_MODE_POINT,
            maxMipmapLevelClamp: (levels - 1) as f32, // 0 would show the first level only
            flags: CU_TRSF_READ_AS_INTEGER | CU_TRSF_NORMALIZED_COORDINATES,
            ..Default::default()
        };
        let mut texture = 0;
        // SAFETY: all pointers are to variables here; without a view the whole image is shown as it is.
        unsafe { cuTexObjectCreate(&mut texture, &resource, &desc, std::ptr::null()) }.result()?;
        Ok(Self(texture))
    }
}

impl Drop for TextureObject {
    fn drop(&mut self) {
        // SAFETY: the kernels that used it are complete.
        let _ = unsafe { cuTexObjectDestroy(self.0) };
    }
}
