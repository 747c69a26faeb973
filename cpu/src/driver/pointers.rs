//! Attributes of an address; pinned memory with flags; managed memory, which on a CPU is memory.

use std::ptr::null_mut;

use super::prelude::*;
use super::ranges::{self, Kind, Range, Source};
use super::{capture, context, device, memory, stream};

/// Writes an attribute, by cuda.h's number, as the measured driver answers for each kind of memory.
unsafe fn attribute(data: *mut c_void, attribute: c_uint, address: CUdeviceptr) -> CudaResult {
    require(!data.is_null())?;
    let range = ranges::find_at(address, |_| true).ok_or(CUDA_ERROR_INVALID_VALUE)?;
    let host = matches!(range.kind, Kind::Host { .. } | Kind::Registered);
    let managed = matches!(range.kind, Kind::Own { of: Source::Managed, .. });
    // What kernels of older releases cannot be given.
    let is_special = matches!(range.kind, Kind::Imported | Kind::Own { of: Source::Pool, .. });
    let ordinal = range.context.and_then(context::with_id).map_or(0, |context| context.device);
    // SAFETY: the caller has room for the attribute's type.
    unsafe {
        match attribute {
            1 => write_out(
                data.cast(),
                range.context.and_then(context::handle_of).map_or(null_mut(), CUcontext::from_number),
            ),
            2 => write_out(data.cast(), if host { CU_MEMORYTYPE_HOST } else { CU_MEMORYTYPE_DEVICE }),
            3 => write_out(data.cast(), address),
            4 if host || managed => write_out(data.cast(), address),
            // No pointer of the host.
            4 => {
                write_out(data.cast(), 0_u64)?;
                Err(CUDA_ERROR_INVALID_VALUE)
            }
            6 => write_out(data.cast(), 0_u32),
            // What tells an allocation from every other one.
            7 | 20 => write_out(data.cast(), range.start),
            8 => write_out(data.cast(), u32::from(managed)),
            9 => write_out(data.cast(), ordinal as u32),
            10 => {
                write_out(data.cast(), u32::from(matches!(range.kind, Kind::Own { of: Source::Alloc, .. })))
            }
            11 | 19 => write_out(data.cast(), range.start),
            12 | 18 => write_out(data.cast(), range.size),
            13 => write_out(data.cast(), 1_u32),
            14 | 17 => write_out(data.cast(), 0_u64),
            15 => write_out(data.cast(), u32::from(!host && !is_special)),
            21 => write_out(data.cast(), u32::from(!host)),
            16 => write_out(data.cast(), 3_u32),
            _ => Err(CUDA_ERROR_INVALID_VALUE),
        }
    }
}

/// The flags of cuMemHostAlloc in cuda.h: PORTABLE, DEVICEMAP and WRITECOMBINED.
const HOST_FLAGS: c_uint = 7;
/// Every pinned memory has it, since device addresses are addresses of the process.
const DEVICEMAP: c_uint = 2;

/// Returns the pinned memory with an address in it.
fn pinned(address: *const c_void) -> CudaResult<Range> {
    let found =
        ranges::find_at(address.addr() as u64, |kind| matches!(kind, Kind::Host { .. } | Kind::Registered));
    found.ok_or(CUDA_ERROR_INVALID_VALUE)
}

/// Checks what is advised, and does nothing: the memory is near everything.
fn advise(address: CUdeviceptr, size: usize) -> CudaResult {
    ranges::check_use(address, size as u64).map(drop)
}

fn prefetch(address: CUdeviceptr, size: usize, stream: CUstream) -> CudaResult {
    advise(address, size)?;
    stream::find_usable(stream)?.enqueue(super::work::Work::nothing())
}

type Attribute = unsafe extern "C" fn(*mut c_void, c_uint, CUdeviceptr) -> CUresult;
type Attributes = unsafe extern "C" fn(c_uint, *const c_uint, *const *mut c_void, CUdeviceptr) -> CUresult;
type HostAlloc = unsafe extern "C" fn(*mut *mut c_void, usize, c_uint) -> CUresult;

functions! {
    Init fn cuPointerGetAttribute: Attribute, (data, which, address) { attribute(data, which, address) }
    Init fn cuPointerGetAttributes: Attributes, (count, which, data, address) {
        // For an unknown address nothing is written; it is not an error.
        require(count > 0)?;
        let (which, data) = (list(which, count as usize)?, list(data, count as usize)?);
        require(which.iter().all(|which| (1..=21).contains(which)) && data.iter().all(|data| !data.is_null()))?;
        for (which, data) in which.iter().zip(data) {
            let _ = attribute(*data, *which, address);
        }
        Ok(())
    }
    Init fn cuMemHostAlloc: HostAlloc, (address, size, flags) {
        capture::ready()?;
        require(flags & !HOST_FLAGS == 0 && !address.is_null())?;
        write_out(address, memory::allocate_host(size, flags | DEVICEMAP)?)
    }
    Init fn cuMemHostGetFlags: unsafe extern "C" fn(*mut c_uint, *mut c_void) -> CUresult, (flags, address) {
        write_made(flags, || {
            context::current()?;
            Ok(match pinned(address)?.kind {
                Kind::Host { flags } => flags,
                _ => DEVICEMAP,
            })
        })
    }
    Init fn cuMemHostGetDevicePointer_v2: unsafe extern "C" fn(*mut CUdeviceptr, *mut c_void, c_uint) -> CUresult,
        (to, address, flags) {
        context::current()?;
        require(flags == 0)?;
        pinned(address)?;
        write_out(to, address.addr() as u64)
    }
    Init fn cuMemAllocManaged: unsafe extern "C" fn(*mut CUdeviceptr, usize, c_uint) -> CUresult, (address, size, flags) {
        require(matches!(flags, 1 | 2) && !address.is_null() && size > 0)?;
        write_out(address, memory::allocate(&*capture::ready()?, size as u64, Source::Managed)?)
    }
    Init fn cuMemAdvise: unsafe extern "C" fn(CUdeviceptr, usize, c_uint, CUdevice) -> CUresult,
        (address, size, _advice, _device) { advise(address, size) }
    Init fn cuMemAdvise_v2: unsafe extern "C" fn(CUdeviceptr, usize, c_uint, CUmemLocation) -> CUresult,
        (address, size, _advice, _location) { advise(address, size) }
    Init fn cuMemPrefetchAsync: unsafe extern "C" fn(CUdeviceptr, usize, CUdevice, CUstream) -> CUresult,
        (address, size, device, stream) {
        // -1 is the host.
        require(device == -1 || device::index(device).is_ok())?;
        prefetch(address, size, stream)
    }
    Init fn cuMemPrefetchAsync_v2: unsafe extern "C" fn(CUdeviceptr, usize, CUmemLocation, c_uint, CUstream) -> CUresult,
        (address, size, _location, flags, stream) {
        require(flags == 0)?;
        prefetch(address, size, stream)
    }
    Init fn cuStreamAttachMemAsync: unsafe extern "C" fn(CUstream, CUdeviceptr, usize, c_uint) -> CUresult,
        (stream, address, _size, flags) {
        let managed = ranges::find_at(address, |kind| matches!(kind, Kind::Own { of: Source::Managed, .. }));
        require(managed.is_some() && matches!(flags, 1 | 2 | 4))?;
        stream::find_usable(stream)?.enqueue(super::work::Work::nothing())
    }
}
