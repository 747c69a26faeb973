//! Attributes of addresses, pinned memory with flags, and managed memory, which is ordinary memory in this driver.

use super::allocations::{allocate_device_memory, allocate_pinned_memory};
use crate::driver::addresses::address_ranges::AddressSpan;
use crate::driver::driver_prelude::*;

/// Writes the attribute with this number in cuda.h, as NVIDIA's driver does for each kind of memory (measured).
unsafe fn write_pointer_attribute(data: *mut c_void, attribute: c_uint, address: CUdeviceptr) -> CudaResult {
    ensure_valid(!data.is_null())?;
    // Memory of a graph's node never has attributes here. On a GPU, it has none before the graph's launch (measured).
    let is_known = |kind: RangeKind| !kind.is_allocated_by(AllocationSource::Graph);
    let range = address_ranges::find_range_containing(address, is_known).ok_or(CUDA_ERROR_INVALID_VALUE)?;
    let (host, managed) = (range.kind.is_pinned(), range.kind.is_allocated_by(AllocationSource::Managed));
    let context = range.context.and_then(current_context::find_context_by_id);
    // SAFETY: `data` has room for the attribute, whose type has 32 bits.
    let word = |value: u32| unsafe { write_out(data.cast(), value) };
    // SAFETY: `data` has room for the attribute, whose type has 64 bits.
    let long = |value: u64| unsafe { write_out(data.cast(), value) };
    match attribute {
        1 => long(context.map_or(0, |(handle, _)| handle)),
        2 => word(if host { CU_MEMORYTYPE_HOST.0 } else { CU_MEMORYTYPE_DEVICE.0 }),
        3 => long(address),
        4 if host || managed => long(address),
        // Device memory has no host pointer.
        4 => long(0).and(Err(CUDA_ERROR_INVALID_VALUE)),
        6 => word(0),
        // The first address (11 and 19), which also serves as the memory's unique id (7 and 20).
        7 | 20 | 11 | 19 => long(range.start),
        8 => word(managed.into()),
        9 => word(context.map_or(0, |(_, context)| context.device as u32)),
        10 => word(range.kind.is_allocated_by(AllocationSource::Alloc).into()),
        12 | 18 => long(range.size),
        13 => word(1),
        14 | 17 => long(0),
        // Whether GPUDirect RDMA can use the memory.
        15 if range.kind.is_allocated_by(AllocationSource::Pool) || range.kind == RangeKind::Imported => {
            word(0)
        }
        15 | 21 => word((!host).into()),
        16 => word(3),
        _ => Err(CUDA_ERROR_INVALID_VALUE),
    }
}

/// The flags of cuMemHostAlloc in cuda.h: PORTABLE, DEVICEMAP and WRITECOMBINED.
const HOST_FLAGS: c_uint = 7;

/// Checks the range of cuMemAdvise or a prefetch. Neither has an effect, since host and device use the same memory.
fn check_advised_range(address: CUdeviceptr, size: usize) -> CudaResult {
    address_ranges::check_memory_access(AddressSpan::new(address, size as u64)?, ReadOrWrite::Read).map(drop)
}

fn enqueue_prefetch(address: CUdeviceptr, size: usize, stream: CUstream) -> CudaResult {
    check_advised_range(address, size)?;
    find_usable_stream(stream)?.enqueue_work(QueuedWork::empty_node())
}

functions! {
    Init fn cuPointerGetAttribute(data: *mut c_void, which: c_uint, address: CUdeviceptr) {
        write_pointer_attribute(data, which, address)
    }
    Init fn cuPointerGetAttributes(
        count: c_uint, which: *const c_uint, data: *const *mut c_void, address: CUdeviceptr
    ) {
        // For an unknown address, the call succeeds and writes nothing.
        ensure_valid(count > 0)?;
        let (which, data) = (read_array(which, count as usize)?, read_array(data, count as usize)?);
        ensure_valid(which.iter().all(|which| (1..=21).contains(which)) && data.iter().all(|data| !data.is_null()))?;
        for (which, data) in which.iter().zip(data) {
            let _ = write_pointer_attribute(*data, *which, address);
        }
        Ok(())
    }
    Init fn cuMemHostAlloc(address: *mut *mut c_void, size: usize, flags: c_uint) {
        current_context_outside_capture()?;
        ensure_valid(flags & !HOST_FLAGS == 0)?;
        write_created(address, || allocate_pinned_memory(size))
    }
    Init fn cuMemHostGetDevicePointer_v2(to: *mut CUdeviceptr, address: *mut c_void, flags: c_uint) {
        current_context()?;
        ensure_valid(flags == 0)?;
        let address = address.addr() as u64;
        ensure_valid(address_ranges::find_range_containing(address, RangeKind::is_pinned).is_some())?;
        write_out(to, address)
    }
    Init fn cuMemAllocManaged(address: *mut CUdeviceptr, size: usize, flags: c_uint) {
        ensure_valid(matches!(flags, 1 | 2) && !address.is_null() && size > 0)?;
        let context = current_context_outside_capture()?;
        write_out(address, allocate_device_memory(&context, size, AllocationSource::Managed)?)
    }
    Init fn cuMemAdvise | cuMemAdvise_v2(address: CUdeviceptr, size: usize) { check_advised_range(address, size) }
    Init fn cuMemPrefetchAsync +_ptsz(address: CUdeviceptr, size: usize, device: CUdevice, stream: CUstream) {
        // -1 is the host.
        ensure_valid(device == -1 || device_index(device).is_ok())?;
        enqueue_prefetch(address, size, stream)
    }
    Init fn cuMemPrefetchAsync_v2 +_ptsz(
        address: CUdeviceptr, size: usize, _location: CUmemLocation, flags: c_uint, stream: CUstream
    ) {
        ensure_valid(flags == 0)?;
        enqueue_prefetch(address, size, stream)
    }
    Init fn cuStreamAttachMemAsync +_ptsz(stream: CUstream, address: CUdeviceptr, _size: usize, flags: c_uint) {
        let managed =
            address_ranges::find_range_containing(address, |kind| kind.is_allocated_by(AllocationSource::Managed));
        ensure_valid(managed.is_some() && matches!(flags, 1 | 2 | 4))?;
        find_usable_stream(stream)?.enqueue_work(QueuedWork::empty_node())
    }
}
