//! CUDA's side: the device with a stream, imports, and copies in the stream.

use std::ffi::CStr;
use std::os::fd::{IntoRawFd, OwnedFd};
use std::ptr;

use cuda_external_sys::*;

use crate::error::{Error, Result};
use crate::vulkan::Exported;

/// The first device, its primary context and a stream.
pub struct Cuda {
    device: CUdevice,
    pub stream: CUstream,
    pub name: String,
    pub uuid: [u8; 16],
}

impl Cuda {
    pub fn open() -> Result<Self> {
        load().map_err(|error| Error::Missing(error.to_string()))?;
        // SAFETY: the pointers are to variables of the types that the functions write.
        unsafe {
            match cuInit(0) {
                code @ (CUDA_ERROR_NO_DEVICE
                | CUDA_ERROR_STUB_LIBRARY
                | CUDA_ERROR_SYSTEM_DRIVER_MISMATCH) => {
                    return Err(Error::Missing(format!("CUDA cannot be used here: cuInit returned {code}")));
                }
                code => code.result()?,
            }
            let (mut device, mut context, mut stream) = (0, ptr::null_mut(), ptr::null_mut());
            let (mut name, mut uuid) = ([0; 256], CUuuid::default());
            cuDeviceGet(&mut device, 0).result()?;
            cuDeviceGetName(name.as_mut_ptr(), name.len() as i32, device).result()?;
            cuDeviceGetUuid_v2(&mut uuid, device).result()?;
            cuDevicePrimaryCtxRetain(&mut context, device).result()?;
            cuCtxSetCurrent(context).result()?;
            cuStreamCreate(&mut stream, CU_STREAM_NON_BLOCKING.into()).result()?;
            let name = CStr::from_ptr(name.as_ptr()).to_string_lossy().into_owned();
            Ok(Self { device, stream, name, uuid: uuid.to_bytes() })
        }
    }

    /// Enqueues a wait: what follows in the stream runs once the timeline has reached the value.
    pub fn wait(&self, timeline: &Timeline, value: u64) -> Result<()> {
        let mut params = CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS::default();
        params.params.fence.value = value;
        // SAFETY: the semaphore is an import that was not destroyed.
        Ok(unsafe { cuWaitExternalSemaphoresAsync(&timeline.0, &params, 1, self.stream) }.result()?)
    }

    /// Enqueues a signal: the timeline reaches the value once what precedes in the stream is complete.
    pub fn signal(&self, timeline: &Timeline, value: u64) -> Result<()> {
        let mut params = CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS::default();
        params.params.fence.value = value;
        // SAFETY: the semaphore is an import that was not destroyed.
        Ok(unsafe { cuSignalExternalSemaphoresAsync(&timeline.0, &params, 1, self.stream) }.result()?)
    }

    /// Enqueues copies of the buffer, then the texture, to memory of CUDA's.
    pub fn read(&self, buffer: &Buffer, texture: &Texture, to: CUdeviceptr) -> Result<()> {
        let mut rows = texture.rows();
        rows.srcMemoryType = CU_MEMORYTYPE_ARRAY;
        rows.srcArray = texture.array;
        rows.dstMemoryType = CU_MEMORYTYPE_DEVICE;
        rows.dstDevice = to + buffer.size;
        rows.dstPitch = rows.WidthInBytes; // no gap between the rows
        // SAFETY: the caller's memory is as large as both.
        unsafe {
            cuMemcpyDtoDAsync(to, buffer.address, buffer.size as usize, self.stream).result()?;
            Ok(cuMemcpy2DAsync(&rows, self.stream).result()?)
        }
    }

    /// Enqueues copies to the buffer, then the texture.
    pub fn write(&self, buffer: &Buffer, texture: &Texture, from: CUdeviceptr) -> Result<()> {
        let mut rows = texture.rows();
        rows.srcMemoryType = CU_MEMORYTYPE_DEVICE;
        rows.srcDevice = from + buffer.size;
        rows.srcPitch = rows.WidthInBytes;
        rows.dstMemoryType = CU_MEMORYTYPE_ARRAY;
        rows.dstArray = texture.array;
        // SAFETY: the caller's memory is as large as both.
        unsafe {
            cuMemcpyDtoDAsync(buffer.address, from, buffer.size as usize, self.stream).result()?;
            Ok(cuMemcpy2DAsync(&rows, self.stream).result()?)
        }
    }
}

impl Drop for Cuda {
    fn drop(&mut self) {
        // SAFETY: the stream is idle; the context was retained once.
        unsafe {
            let _ = cuStreamDestroy(self.stream);
            let _ = cuDevicePrimaryCtxRelease(self.device);
        }
    }
}

/// An import of wgpu's timeline semaphore.
pub struct Timeline(CUexternalSemaphore);

impl Timeline {
    pub fn import(fd: OwnedFd) -> Result<Self> {
        let mut desc = CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC {
            type_: CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD,
            ..Default::default()
        };
        // The driver owns the descriptor from the call on.
        desc.handle.fd = fd.into_raw_fd();
        let mut semaphore = ptr::null_mut();
        // SAFETY: both pointers are to variables here; the descriptor is open and nobody else's.
        unsafe { cuImportExternalSemaphore(&mut semaphore, &desc) }.result()?;
        Ok(Self(semaphore))
    }
}

impl Drop for Timeline {
    fn drop(&mut self) {
        // SAFETY: the stream that used it is idle.
        let _ = unsafe { cuDestroyExternalSemaphore(self.0) };
    }
}

/// An import of the memory that a buffer or a texture of wgpu's lies in.
struct Memory(CUexternalMemory);

impl Memory {
    fn import(exported: Exported) -> Result<Self> {
        let mut desc = CUDA_EXTERNAL_MEMORY_HANDLE_DESC {
            type_: CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD,
            size: exported.size,
            flags: CUDA_EXTERNAL_MEMORY_DEDICATED, // set exactly when Vulkan's allocation is dedicated
            ..Default::default()
        };
        // The driver owns the descriptor from the call on.
        desc.handle.fd = exported.fd.into_raw_fd();
        let mut memory = ptr::null_mut();
        // SAFETY: both pointers are to variables here; the descriptor is open and nobody else's.
        unsafe { cuImportExternalMemory(&mut memory, &desc) }.result()?;
        Ok(Self(memory))
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        // SAFETY: the mapping is gone: both structs below unmap in their own `drop`, before their fields go.
        let _ = unsafe { cuDestroyExternalMemory(self.0) };
    }
}

/// wgpu's buffer, at an address of CUDA's.
pub struct Buffer {
    address: CUdeviceptr,
    size: u64,
    _memory: Memory,
}

impl Buffer {
    pub fn import(exported: Exported, size: u64) -> Result<Self> {
        let memory = Memory::import(exported)?;
        let desc = CUDA_EXTERNAL_MEMORY_BUFFER_DESC { offset: 0, size, ..Default::default() };
        let mut address = 0;
        // SAFETY: the driver checks the range against the import.
        unsafe { cuExternalMemoryGetMappedBuffer(&mut address, memory.0, &desc) }.result()?;
        Ok(Self { address, size, _memory: memory })
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        // SAFETY: the stream that used it is idle.
        let _ = unsafe { cuMemFree(self.address) };
    }
}

/// Bytes in a texel of `Rgba8Uint`.
const TEXEL: usize = 4;

/// wgpu's texture, as an array of CUDA's.
pub struct Texture {
    mipmap: CUmipmappedArray,
    array: CUarray,
    desc: CUDA_ARRAY3D_DESCRIPTOR,
    _memory: Memory,
}

impl Texture {
    /// `array` describes the image as Vulkan was told to make it. The driver cannot check it.
    pub fn import(exported: Exported, array: CUDA_ARRAY3D_DESCRIPTOR) -> Result<Self> {
        let memory = Memory::import(exported)?;
        let desc = CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC {
            offset: 0,
            arrayDesc: array,
            numLevels: 1,
            ..Default::default()
        };
        let mut mipmap = ptr::null_mut();
        // SAFETY: the descriptor is the image's. The level's array belongs to the mipmapped array.
        unsafe {
            cuExternalMemoryGetMappedMipmappedArray(&mut mipmap, memory.0, &desc).result()?;
            let mut texture = Self { mipmap, array: ptr::null_mut(), desc: desc.arrayDesc, _memory: memory };
            cuMipmappedArrayGetLevel(&mut texture.array, mipmap, 0).result()?;
            Ok(texture)
        }
    }

    /// The extent of a copy of the whole texture.
    fn rows(&self) -> CUDA_MEMCPY2D {
        CUDA_MEMCPY2D {
            WidthInBytes: self.desc.Width * TEXEL,
            Height: self.desc.Height,
            ..Default::default()
        }
    }
}

impl Drop for Texture {
    fn drop(&mut self) {
        // SAFETY: the stream that used it is idle.
        let _ = unsafe { cuMipmappedArrayDestroy(self.mipmap) };
    }
}

/// Memory of CUDA's own, not shared.
pub struct Scratch(pub CUdeviceptr);

impl Scratch {
    pub fn new(size: usize) -> Result<Self> {
        let mut address = 0;
        // SAFETY: the pointer is to a variable here.
        unsafe { cuMemAlloc(&mut address, size) }.result()?;
        Ok(Self(address))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // SAFETY: the stream that used it is idle.
        let _ = unsafe { cuMemFree(self.0) };
    }
}
