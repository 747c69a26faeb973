//! Helpers of the cases: memory that CUDA or Vulkan exports, semaphores, streams. Every function also takes invalid
//! handles, since cases measure these too. Such a case runs in a process of its own.

use std::os::fd::OwnedFd;
use std::ptr::null_mut;
use std::thread::sleep;
use std::time::{Duration, Instant};

use cuda_external_sys::*;
use example_support::cuda::{Allocation, import_memory, import_semaphore, read, write};
use example_support::vulkan::{Buffer, Memory, Semaphore};
use example_support::{Error, Result};

use crate::gpu::{cuda, vulkan};

/// The size of memory for which the size does not matter.
pub const SIZE: u64 = 2 << 20;

/// Who allocates memory to be exported, and on which device.
#[derive(Clone, Copy)]
pub enum Exporter {
    Cuda(usize, CUmemAllocationProp_allocFlags),
    Vulkan { device: usize, dedicated: bool },
}

impl Exporter {
    pub const CUDA: Self = Self::cuda(0);
    pub const VULKAN: Self = Self::vulkan(0, false);
    pub const DEDICATED: Self = Self::vulkan(0, true);

    pub const fn cuda(device: usize) -> Self {
        Self::Cuda(device, CUmemAllocationProp_allocFlags::zeroed())
    }

    pub const fn vulkan(device: usize, dedicated: bool) -> Self {
        Self::Vulkan { device, dedicated }
    }

    /// Allocates memory. The first device is current afterwards.
    pub fn allocate(self, size: u64) -> Result<Exported> {
        let exported = match self {
            Self::Cuda(device, flags) => {
                let allocation =
                    Allocation::with_flags(cuda(device)?, size as usize, flags).map_err(|code| {
                        let text = format!("cuMemCreate of {size} bytes returned {code:?}");
                        match code {
                            CUDA_ERROR_OUT_OF_MEMORY | CUDA_ERROR_NOT_SUPPORTED => Error::Missing(text),
                            _ => Error::Failed(text),
                        }
                    });
                Exported::Cuda(allocation?, device)
            }
            Self::Vulkan { device, dedicated } => {
                let (buffer, memory) = Buffer::with_memory(vulkan(device)?, size, dedicated)?;
                Exported::Vulkan(buffer, memory)
            }
        };
        cuda(0)?;
        Ok(exported)
    }

    /// Allocates memory that lives until the process ends, whatever becomes of the context.
    pub fn leak(self, size: u64) -> Result<&'static Exported> {
        Ok(Box::leak(Box::new(self.allocate(size)?)))
    }
}

/// Memory that is exported. It is freed with this value.
pub enum Exported {
    /// It has no address of its own: it is reached by importing it.
    Cuda(Allocation, usize),
    Vulkan(Buffer<'static>, Memory<'static>),
}

impl Exported {
    pub fn fd(&self) -> Result<OwnedFd> {
        match self {
            Self::Cuda(memory, _) => memory.export(),
            Self::Vulkan(_, memory) => memory.export(),
        }
    }

    pub fn size(&self) -> u64 {
        match self {
            Self::Cuda(memory, _) => memory.size,
            Self::Vulkan(_, memory) => memory.size,
        }
    }

    /// Imports it on the current device, described as it is.
    pub fn import(&self) -> Result<CUexternalMemory> {
        let dedicated = matches!(self, Self::Vulkan(_, memory) if memory.dedicated);
        Ok(import_memory(self.fd()?, self.size(), dedicated)?)
    }

    /// The exporter writes the first bytes.
    pub fn write(&self, bytes: &[u8]) -> Result<()> {
        match self {
            Self::Cuda(_, device) => write(self.map_on(*device, bytes.len())?, bytes)?,
            Self::Vulkan(buffer, _) => buffer.write(0, bytes)?,
        }
        cuda(0).map(|_| ())
    }

    /// The exporter reads the first bytes.
    pub fn read(&self, length: usize) -> Result<Vec<u8>> {
        let bytes = match self {
            Self::Cuda(_, device) => read(self.map_on(*device, length)?, length)?,
            Self::Vulkan(buffer, _) => buffer.read(0, length as u64)?,
        };
        cuda(0)?;
        Ok(bytes)
    }

    fn map_on(&self, device: usize, size: usize) -> Result<CUdeviceptr> {
        cuda(device)?;
        Ok(map(self.import()?, size as u64)?)
    }
}

/// Maps the first bytes of an import.
pub fn map(memory: CUexternalMemory, size: u64) -> std::result::Result<CUdeviceptr, CUresult> {
    map_range(memory, &CUDA_EXTERNAL_MEMORY_BUFFER_DESC { size, ..Default::default() })
}

pub fn map_range(
    memory: CUexternalMemory,
    desc: &CUDA_EXTERNAL_MEMORY_BUFFER_DESC,
) -> std::result::Result<CUdeviceptr, CUresult> {
    let mut address = 0;
    unsafe { cuExternalMemoryGetMappedBuffer(&mut address, memory, desc) }.result().map(|()| address)
}

/// A description of a picture: its size, an element, and a number of channels.
pub fn array_2d(
    width: usize,
    height: usize,
    (element, channels): (CUarray_format, u32),
) -> CUDA_ARRAY3D_DESCRIPTOR {
    CUDA_ARRAY3D_DESCRIPTOR {
        Width: width,
        Height: height,
        Format: element,
        NumChannels: channels,
        ..Default::default()
    }
}

/// Imports a semaphore as what it is.
pub fn import(semaphore: &Semaphore) -> Result<CUexternalSemaphore> {
    Ok(import_semaphore(semaphore.export()?, semaphore.handle_type())?)
}

pub fn signal(semaphore: CUexternalSemaphore, value: u64, stream: CUstream) -> CUresult {
    let mut params = CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS::default();
    params.params.fence.value = value;
    unsafe { cuSignalExternalSemaphoresAsync(&semaphore, &params, 1, stream) }
}

pub fn wait(semaphore: CUexternalSemaphore, value: u64, stream: CUstream) -> CUresult {
    let mut params = CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS::default();
    params.params.fence.value = value;
    unsafe { cuWaitExternalSemaphoresAsync(&semaphore, &params, 1, stream) }
}

/// Where CUDA finds the rows of a picture.
#[derive(Clone, Copy)]
pub enum Rows {
    Array(CUarray),
    Linear { address: CUdeviceptr, pitch: usize },
}

impl Rows {
    /// Copies rows of this many bytes to the host.
    pub fn read(self, row: usize, length: usize) -> std::result::Result<Vec<u8>, CUresult> {
        let mut bytes = vec![0xee; length];
        let mut copy = self.copy(row, length);
        (copy.dstMemoryType, copy.dstHost, copy.dstPitch) =
            (CU_MEMORYTYPE_HOST, bytes.as_mut_ptr().cast(), row);
        // SAFETY: the bytes have room for the rows. Whether the rows lie in the picture is what is measured.
        unsafe { cuMemcpy2D_v2(&copy) }.result().map(|()| bytes)
    }

    /// Copies rows of this many bytes from the host, and waits.
    pub fn write(self, row: usize, bytes: &[u8]) -> std::result::Result<(), CUresult> {
        let mut copy = self.copy(row, bytes.len());
        (copy.dstMemoryType, copy.dstArray) = (copy.srcMemoryType, copy.srcArray);
        (copy.dstDevice, copy.dstPitch) = (copy.srcDevice, copy.srcPitch);
        (copy.srcMemoryType, copy.srcHost, copy.srcPitch) = (CU_MEMORYTYPE_HOST, bytes.as_ptr().cast(), row);
        unsafe {
            cuMemcpy2D_v2(&copy).result()?;
            cuCtxSynchronize().result()
        }
    }

    /// A copy of the rows to a place that the caller sets.
    fn copy(self, row: usize, length: usize) -> CUDA_MEMCPY2D {
        let mut copy = CUDA_MEMCPY2D { WidthInBytes: row, Height: length / row, ..Default::default() };
        match self {
            Self::Array(array) => (copy.srcMemoryType, copy.srcArray) = (CU_MEMORYTYPE_ARRAY, array),
            Self::Linear { address, pitch } => {
                (copy.srcMemoryType, copy.srcDevice, copy.srcPitch) = (CU_MEMORYTYPE_DEVICE, address, pitch);
            }
        }
        copy
    }
}

/// A stream that does not synchronize with the default stream.
pub fn stream() -> Result<CUstream> {
    let mut stream = null_mut();
    unsafe { cuStreamCreate(&mut stream, CU_STREAM_NON_BLOCKING.0) }.result()?;
    Ok(stream)
}

/// Returns the stream's code at its end, or after a second.
pub fn idle(stream: CUstream) -> CUresult {
    let start = Instant::now();
    loop {
        match unsafe { cuStreamQuery(stream) } {
            CUDA_ERROR_NOT_READY if start.elapsed() < Duration::from_secs(1) => {
                sleep(Duration::from_millis(1));
            }
            code => return code,
        }
    }
}

pub fn code_of<T>(result: std::result::Result<T, CUresult>) -> CUresult {
    result.err().unwrap_or(CUDA_SUCCESS)
}

/// A code as a step's result.
pub fn code(code: CUresult) -> Result<String> {
    Ok(format!("{code:?}"))
}

pub fn done() -> Result<String> {
    Ok("done".to_owned())
}
