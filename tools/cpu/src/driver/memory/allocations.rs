//! Memory of the device and pinned memory of the host. A device address is an address of the process.

use std::fs::File;
use std::ptr::null_mut;
use std::sync::OnceLock;

use crate::driver::addresses::address_ranges::{AddressSpan, ProgramMemory};
use crate::driver::driver_prelude::*;
use crate::shared_files::{memory_file, page_size};

/// Returns the file that backs all memory of [`allocate_device_memory`]. IPC handles name this file to other processes.
pub fn allocations_file() -> CudaResult<&'static File> {
    static FILE: OnceLock<File> = OnceLock::new();
    if let Some(file) = FILE.get() {
        return Ok(file);
    }
    // `FILE` does not keep a failure, since the next call may find a free file descriptor.
    let file = memory_file(c"cuda-external-cpu memory", 0, true).map_err(|_| CUDA_ERROR_OUT_OF_MEMORY)?;
    Ok(FILE.get_or_init(|| file))
}

pub fn allocate_device_memory(context: &Context, size: usize, source: AllocationSource) -> CudaResult<u64> {
    static FILE_END: Mutex<u64> = Mutex::new(0);
    let none = CUDA_ERROR_OUT_OF_MEMORY;
    let size = size as u64;
    ensure_valid(size > 0)?;
    let whole = size.checked_next_multiple_of(page_size()).ok_or(none)?;
    let charge = MemoryCharge::new(context.device, whole)?;
    let file = allocations_file()?;
    let mut end = lock(&FILE_END);
    let new_end = end.checked_add(whole).ok_or(none)?;
    file.set_len(new_end).map_err(|_| none)?;
    let offset = std::mem::replace(&mut *end, new_end);
    drop(end);
    let mut mapping = MmapRegion::new(Some(file), offset, whole as usize).map_err(|_| none)?;
    mapping.owns_pages = true;
    let (start, kind) = (mapping.start_address(), RangeKind::Allocated(source, offset));
    address_ranges::add_range((start, size), kind, Some(context.id), Arc::new(mapping), Some(charge));
    Ok(start)
}

fn free_allocation_at(address: u64) -> CudaResult {
    current_context::current_context_or_none()?;
    refuse_during_capture()?;
    if address == 0 {
        return Ok(());
    }
    // cuMemFree cannot free the memory of a graph's node (measured). Dropping the node's work frees the memory.
    let is_graph_allocation = |kind: RangeKind| kind.is_allocated_by(AllocationSource::Graph);
    let is_freeable = |kind| matches!(kind, RangeKind::Allocated(..)) && !is_graph_allocation(kind);
    if address_ranges::find_range_where(|range| range.start == address && is_freeable(range.kind)).is_some() {
        // NVIDIA's driver also waits for the context's work, which may still use the memory.
        stream_queue::wait_in_current_before_free()?;
    }
    ensure_valid(address_ranges::remove_range_at(address, |kind| {
        is_freeable(kind) || kind == RangeKind::Imported
    }))
}

pub fn allocate_pinned_memory(size: usize) -> CudaResult<*mut c_void> {
    if size == 0 {
        return Ok(null_mut());
    }
    let context = current_context()?.id;
    let whole = size.checked_next_multiple_of(page_size() as usize).ok_or(CUDA_ERROR_OUT_OF_MEMORY)?;
    let mapping = MmapRegion::new(None, 0, whole).map_err(|_| CUDA_ERROR_OUT_OF_MEMORY)?;
    let (start, address) = (mapping.start_address(), mapping.address.cast());
    address_ranges::add_range((start, size as u64), RangeKind::Host, Some(context), Arc::new(mapping), None);
    Ok(address)
}

functions! {
    Init fn cuMemAlloc_v2: PFN_cuMemAlloc_v2, (address, size) {
        let context = current_context_outside_capture()?;
        write_created(address, || allocate_device_memory(&context, size, AllocationSource::Alloc))
    }
    Init fn cuMemAllocPitch_v2: PFN_cuMemAllocPitch_v2, (address, pitch, width, height, element) {
        current_context()?;
        ensure_valid(matches!(element, 4 | 8 | 16) && width > 0 && height > 0)?;
        ensure_valid(!address.is_null() && !pitch.is_null())?;
        let row = width.checked_next_multiple_of(512).ok_or(CUDA_ERROR_OUT_OF_MEMORY)?;
        let size = row.checked_mul(height).ok_or(CUDA_ERROR_OUT_OF_MEMORY)?;
        let context = current_context_outside_capture()?;
        write_out(address, allocate_device_memory(&context, size, AllocationSource::Alloc)?)?;
        write_out(pitch, row)
    }
    Init fn cuMemFree_v2: PFN_cuMemFree_v2, (address) { free_allocation_at(address) }
    Init fn cuMemGetInfo_v2: PFN_cuMemGetInfo_v2, (free, total) {
        let device = current_context()?.device;
        write_out_if_wanted(free, address_ranges::unused_device_memory(device))?;
        write_out_if_wanted(total, device_count::device_memory_size())
    }
    Init fn cuMemGetAddressRange_v2: PFN_cuMemGetAddressRange_v2, (start, size, address) {
        current_context()?;
        let range = address_ranges::find_range_containing(address, |kind| kind != RangeKind::Registered);
        write_out_if_wanted(start, range.as_ref().map_or(0, |range| range.start))?;
        write_out_if_wanted(size, range.as_ref().map_or(0, |range| range.size as usize))?;
        ensure(range.is_some(), CUDA_ERROR_NOT_FOUND)
    }
    Init fn cuMemAllocHost_v2: PFN_cuMemAllocHost_v2, (address, size) {
        current_context_outside_capture()?;
        write_created(address, || allocate_pinned_memory(size))
    }
    Init fn cuMemFreeHost: PFN_cuMemFreeHost, (address) {
        refuse_during_capture()?;
        stream_queue::wait_in_current_before_free()?;
        ensure_valid(address.is_null() || address_ranges::remove_range_at(address.handle_number(), RangeKind::is_host))
    }
    Init fn cuMemHostRegister | cuMemHostRegister_v2: PFN_cuMemHostRegister_v2, (address, size, flags) {
        let known = CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP | CU_MEMHOSTREGISTER_READ_ONLY;
        let context = current_context_outside_capture()?.id;
        ensure_valid(flags & !known == 0 && !address.is_null() && size > 0)?;
        let addresses = (address.addr() as u64, size as u64);
        let span = AddressSpan::new(addresses.0, addresses.1)?;
        ensure_valid(!address_ranges::overlaps_known_range(span, RangeKind::is_host))?;
        let twice = address_ranges::overlaps_known_range(span, |kind| kind == RangeKind::Registered);
        ensure(!twice, CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED)?;
        address_ranges::add_range(addresses, RangeKind::Registered, Some(context), Arc::new(ProgramMemory), None);
        Ok(())
    }
    Init fn cuMemHostUnregister: PFN_cuMemHostUnregister, (address) {
        refuse_during_capture()?;
        let start = address.addr() as u64;
        ensure_valid(start != 0 && address_ranges::find_range_containing(start, RangeKind::is_host).is_none())?;
        let is_registered = |kind| kind == RangeKind::Registered;
        let found = address_ranges::find_range_where(|range| range.start == start && is_registered(range.kind));
        ensure(found.is_some(), CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED)?;
        stream_queue::wait_in_current_before_free()?;
        address_ranges::remove_range_at(start, is_registered);
        Ok(())
    }
}
