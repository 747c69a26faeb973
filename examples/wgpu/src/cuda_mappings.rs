//! Imports and maps wgpu's buffer and texture in CUDA, and enqueues copies of both in a stream.

use cuda_external_sys::*;
use example_support::Result;
use example_support::cuda::{ImportedMemory, Stream, level_array};

use crate::exported_resources::ExportedMemory;

/// Bytes in a texel of `Rgba8Uint`.
const TEXEL: usize = 4;

/// wgpu's buffer and texture in CUDA: the address of the buffer, and the array of the texture.
pub struct CudaMappings {
    address: CUdeviceptr,
    size: usize,
    array: CUarray,
    desc: CUDA_ARRAY3D_DESCRIPTOR,
    // Dropping an import destroys its mappings, and then the import.
    _memories: [ImportedMemory; 2],
}

impl CudaMappings {
    /// Imports and maps the buffer and the texture. `size` is the size of the buffer, not of its allocation.
    ///
    /// # Safety
    ///
    /// `desc` must match wgpu's description of the texture: the driver may accept a wrong `desc`.
    pub unsafe fn import_from_wgpu(
        (buffer, size): (ExportedMemory, usize),
        (texture, desc): (ExportedMemory, CUDA_ARRAY3D_DESCRIPTOR),
    ) -> Result<Self> {
        let is_dedicated = true; // `exported_resources` makes dedicated allocations
        // Both calls give the descriptors up.
        let buffer = ImportedMemory::from_fd(buffer.fd, buffer.size, is_dedicated)?;
        let texture = ImportedMemory::from_fd(texture.fd, texture.size, is_dedicated)?;
        let address = buffer.map_buffer(0, size as u64)?;
        // SAFETY: the caller guarantees that `desc` matches (`# Safety`). `texture` keeps the array mapped.
        let array = unsafe { level_array(texture.map_mipmapped_array(0, desc, 1)?, 0) }?;
        Ok(Self { address, size, array, desc, _memories: [buffer, texture] })
    }

    /// Enqueues copies to `to`: first the buffer's bytes, then the texture's.
    pub fn enqueue_read(&self, stream: &Stream, to: CUdeviceptr) -> Result<()> {
        stream.copy_async(to, self.address, self.size)?;
        self.enqueue_texture_copy(
            stream,
            CUDA_MEMCPY2D {
                srcMemoryType: CU_MEMORYTYPE_ARRAY,
                srcArray: self.array,
                dstMemoryType: CU_MEMORYTYPE_DEVICE,
                dstDevice: to + self.size as u64,
                ..Default::default()
            },
        )
    }

    /// Enqueues copies from `from`: first the buffer's bytes, then the texture's.
    pub fn enqueue_write(&self, stream: &Stream, from: CUdeviceptr) -> Result<()> {
        stream.copy_async(self.address, from, self.size)?;
        self.enqueue_texture_copy(
            stream,
            CUDA_MEMCPY2D {
                srcMemoryType: CU_MEMORYTYPE_DEVICE,
                srcDevice: from + self.size as u64,
                dstMemoryType: CU_MEMORYTYPE_ARRAY,
                dstArray: self.array,
                ..Default::default()
            },
        )
    }

    /// Enqueues a copy of the whole texture from or to linear memory, in which the rows have no gaps between them.
    /// `copy` names the source and the destination.
    fn enqueue_texture_copy(&self, stream: &Stream, copy: CUDA_MEMCPY2D) -> Result<()> {
        let row = self.desc.Width * TEXEL;
        let rows = CUDA_MEMCPY2D {
            srcPitch: row,
            dstPitch: row,
            WidthInBytes: row,
            Height: self.desc.Height,
            ..copy
        };
        // SAFETY: the linear memory is the caller's, with room for the buffer's bytes and the texture's after them.
        Ok(unsafe { cuMemcpy2DAsync(&rows, stream.raw()) }.result()?)
    }
}
