//! CUDA's side: wgpu's buffer and texture, imported and mapped, and copies in a stream.

use cuda_external_sys::*;
use example_support::Result;
use example_support::cuda::{ImportedMemory, Stream, level_array};

use crate::vulkan::ExportedMemory;

/// Bytes in a texel of `Rgba8Uint`.
const TEXEL: usize = 4;

/// The buffer at an address, and the texture as an array.
pub struct CudaMappings {
    address: CUdeviceptr,
    size: usize,
    array: CUarray,
    desc: CUDA_ARRAY3D_DESCRIPTOR,
    // What unmaps and destroys the imports, in this order.
    _memories: [ImportedMemory; 2],
}

impl CudaMappings {
    /// `size` is the buffer's, which is not its allocation's. `desc` repeats wgpu's description of the texture: the
    /// driver cannot check it.
    pub fn import_from_wgpu(
        (buffer, size): (ExportedMemory, usize),
        (texture, desc): (ExportedMemory, CUDA_ARRAY3D_DESCRIPTOR),
    ) -> Result<Self> {
        let is_dedicated = true; // as `vulkan` allocates: CUDA_EXTERNAL_MEMORY_DEDICATED
        // The driver owns the descriptors from these calls on.
        let buffer = ImportedMemory::from_fd(buffer.fd, buffer.size, is_dedicated)?;
        let texture = ImportedMemory::from_fd(texture.fd, texture.size, is_dedicated)?;
        let address = buffer.map_buffer(0, size as u64)?;
        // SAFETY: the array is mapped for as long as the import lives.
        let array = unsafe { level_array(texture.map_mipmapped_array(0, desc, 1)?, 0) }?;
        Ok(Self { address, size, array, desc, _memories: [buffer, texture] })
    }

    /// Enqueues copies of the buffer, then the texture, to CUDA memory.
    pub fn enqueue_read(&self, stream: &Stream, to: CUdeviceptr) -> Result<()> {
        stream.copy_async(to, self.address, self.size)?;
        let mut rows = self.texture_copy();
        rows.srcMemoryType = CU_MEMORYTYPE_ARRAY;
        rows.srcArray = self.array;
        rows.dstMemoryType = CU_MEMORYTYPE_DEVICE;
        rows.dstDevice = to + self.size as u64;
        rows.dstPitch = rows.WidthInBytes; // no gap between the rows
        // SAFETY: the caller's memory is as large as both.
        Ok(unsafe { cuMemcpy2DAsync(&rows, stream.raw()) }.result()?)
    }

    /// Enqueues copies to the buffer, then the texture.
    pub fn enqueue_write(&self, stream: &Stream, from: CUdeviceptr) -> Result<()> {
        stream.copy_async(self.address, from, self.size)?;
        let mut rows = self.texture_copy();
        rows.srcMemoryType = CU_MEMORYTYPE_DEVICE;
        rows.srcDevice = from + self.size as u64;
        rows.srcPitch = rows.WidthInBytes;
        rows.dstMemoryType = CU_MEMORYTYPE_ARRAY;
        rows.dstArray = self.array;
        // SAFETY: the caller's memory is as large as both.
        Ok(unsafe { cuMemcpy2DAsync(&rows, stream.raw()) }.result()?)
    }

    /// The extent of a copy of the whole texture.
    fn texture_copy(&self) -> CUDA_MEMCPY2D {
        CUDA_MEMCPY2D {
            WidthInBytes: self.desc.Width * TEXEL,
            Height: self.desc.Height,
            ..Default::default()
        }
    }
}
