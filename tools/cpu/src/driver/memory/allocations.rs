//! Memory of the device and pinned memory of the host. A device address is an address of the process.

use std::fs::File;
use std::ptr::null_mut;
use std::sync::OnceLock;

use crate::driver::addresses::address_ranges::{
    self, AddressRange, AddressSpan, AllocationSource, KeptBy, MemoryCharge, RangeKind,
};
use crate::driver::base::current_context;
use crate::driver::base::current_context::Context;
use crate::driver::base::prelude::*;
use crate::driver::streams::capture_state;
use crate::driver::streams::stream_queue;
use crate::shared_files::{Mapping, memory_file, page_size};

/// The file with all memory of cuMemAlloc. Another process opens it by an IPC handle. Offsets are never used again.
pub fn allocations_file() -> CudaResult<&'static File> {
    static FILE: OnceLock<File> = OnceLock::new();
    if let Some(file) = FILE.get() {
        return Ok(file);
    }
    // A failure is not kept: the next call may find a free descriptor.
    let file = memory_file(c"cuda-external-cpu memory", 0, true).map_err(|_| CUDA_ERROR_OUT_OF_MEMORY)?;
    Ok(FILE.get_or_init(|| file))
}

static FILE_END: Mutex<u64> = Mutex::new(0);

pub fn allocate_device_memory(context: &Context, size: u64, of: AllocationSource) -> CudaResult<u64> {
    ensure_valid(size > 0)?;
    let none = CUDA_ERROR_OUT_OF_MEMORY;
    let whole = size.checked_next_multiple_of(page_size()).ok_or(none)?;
    let _charge = Some(MemoryCharge::new(context.device, whole)?);
    let file = allocations_file()?;
    let mut end = lock(&FILE_END);
    let new_end = end.checked_add(whole).ok_or(none)?;
    file.set_len(new_end).map_err(|_| none)?;
    let offset = std::mem::replace(&mut *end, new_end);
    drop(end);
    let mut mapping = Mapping::new(Some(file), offset, whole as usize).map_err(|_| none)?;
    mapping.owns_pages = true;
    let (start, kind) = (mapping.start_address(), RangeKind::Own { offset, of });
    let (context, backing) = (Some(context.id), KeptBy::Kept(Arc::new(mapping)));
    address_ranges::add_range(AddressRange { start, size, kind, context, backing, _charge });
    Ok(start)
}

fn free_device_memory(address: u64) -> CudaResult {
    current_context::current_context_or_none()?;
    capture_state::refuse_during_capture()?;
    if address == 0 {
        return Ok(());
    }
    // A graph's memory ends with its node: measured.
    let is_own = |kind| matches!(kind, RangeKind::Own { of, .. } if of != AllocationSource::Graph);
    if address_ranges::find_range(|range| range.start == address && is_own(range.kind)).is_some() {
        // NVIDIA's driver waits too: the memory may still be in use.
        stream_queue::wait_in_current_before_free()?;
    }
    ensure_valid(address_ranges::remove_range_at(address, |kind| is_own(kind) || kind == RangeKind::Imported))
}

pub fn allocate_pinned(size: usize, flags: u32) -> CudaResult<*mut c_void> {
    if size == 0 {
        return Ok(null_mut());
    }
    let whole = size.checked_next_multiple_of(page_size() as usize).ok_or(CUDA_ERROR_OUT_OF_MEMORY)?;
    let mapping = Mapping::new(None, 0, whole).map_err(|_| CUDA_ERROR_OUT_OF_MEMORY)?;
    let (start, address) = (mapping.start_address(), mapping.address.cast());
    add_pinned_range(start, size as u64, RangeKind::Host { flags }, KeptBy::Kept(Arc::new(mapping)))?;
    Ok(address)
}

fn add_pinned_range(start: u64, size: u64, kind: RangeKind, backing: KeptBy) -> CudaResult {
    let context = Some(current_context::current_context()?.id);
    address_ranges::add_range(AddressRange { start, size, kind, context, backing, _charge: None });
    Ok(())
}

functions! {
    Init fn cuMemAlloc_v2: PFN_cuMemAlloc_v2, (address, size) {
        let context = capture_state::current_context_outside_capture()?;
        ensure_valid(!address.is_null())?;
        write_out(address, allocate_device_memory(&context, size as u64, AllocationSource::Alloc)?)
    }
    Init fn cuMemAllocPitch_v2: PFN_cuMemAllocPitch_v2, (address, pitch, width, height, element) {
        current_context::current_context()?;
        ensure_valid(matches!(element, 4 | 8 | 16) && width > 0 && height > 0 && !address.is_null() && !pitch.is_null())?;
        let row = width.checked_next_multiple_of(512).ok_or(CUDA_ERROR_OUT_OF_MEMORY)?;
        let size = row.checked_mul(height).ok_or(CUDA_ERROR_OUT_OF_MEMORY)? as u64;
        write_out(address, allocate_device_memory(&*capture_state::current_context_outside_capture()?, size, AllocationSource::Alloc)?)?;
        write_out(pitch, row)
    }
    Init fn cuMemFree_v2: PFN_cuMemFree_v2, (address) { free_device_memory(address) }
    Init fn cuMemGetInfo_v2: PFN_cuMemGetInfo_v2, (free, total) {
        let device = current_context::current_context()?.device;
        write_if_wanted(free, address_ranges::free_device_memory(device));
        write_if_wanted(total, crate::driver::base::device_ids::device_memory_size());
        Ok(())
    }
    Init fn cuMemGetAddressRange_v2: PFN_cuMemGetAddressRange_v2, (start, size, address) {
        current_context::current_context()?;
        let range = address_ranges::find_range_at(address, |kind| kind != RangeKind::Registered);
        write_if_wanted(start, range.as_ref().map_or(0, |range| range.start));
        write_if_wanted(size, range.as_ref().map_or(0, |range| range.size as usize));
        ensure(range.is_some(), CUDA_ERROR_NOT_FOUND)
    }
    Init fn cuMemAllocHost_v2: PFN_cuMemAllocHost_v2, (address, size) {
        capture_state::current_context_outside_capture()?;
        ensure_valid(!address.is_null())?;
        write_out(address, allocate_pinned(size, CU_MEMHOSTREGISTER_DEVICEMAP)?)
    }
    Init fn cuMemFreeHost: PFN_cuMemFreeHost, (address) {
        capture_state::refuse_during_capture()?;
        stream_queue::wait_in_current_before_free()?;
        if address.is_null() {
            return Ok(());
        }
        ensure_valid(address_ranges::remove_range_at(address.addr() as u64, |kind| matches!(kind, RangeKind::Host { .. })))
    }
    Init fn cuMemHostRegister | cuMemHostRegister_v2: PFN_cuMemHostRegister_v2, (address, size, flags) {
        let known = CU_MEMHOSTREGISTER_PORTABLE
            | CU_MEMHOSTREGISTER_DEVICEMAP
            | CU_MEMHOSTREGISTER_READ_ONLY;
        capture_state::current_context_outside_capture()?;
        ensure_valid(flags & !known == 0 && !address.is_null() && size > 0)?;
        let (start, size) = (address.addr() as u64, size as u64);
        let span = AddressSpan::new(start, size)?;
        let is_host = |range: &AddressRange| matches!(range.kind, RangeKind::Host { .. });
        let overlaps = |range: &AddressRange| range.overlaps_range(span);
        ensure_valid(address_ranges::find_range(|range| is_host(range) && overlaps(range)).is_none())?;
        let twice = address_ranges::find_range(|range| range.kind == RangeKind::Registered && overlaps(range));
        ensure(twice.is_none(), CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED)?;
        add_pinned_range(start, size, RangeKind::Registered, KeptBy::Program)
    }
    Init fn cuMemHostUnregister: PFN_cuMemHostUnregister, (address) {
        capture_state::refuse_during_capture()?;
        let start = address.addr() as u64;
        let of_driver = address_ranges::find_range_at(start, |kind| matches!(kind, RangeKind::Host { .. })).is_some();
        ensure_valid(start != 0 && !of_driver)?;
        let is_this = |range: &AddressRange| range.start == address.addr() as u64 && range.kind == RangeKind::Registered;
        let found = address_ranges::find_range(is_this).ok_or(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED)?;
        stream_queue::wait_in_current_before_free()?;
        address_ranges::remove_range_at(found.start, |kind| kind == RangeKind::Registered);
        Ok(())
    }
}
