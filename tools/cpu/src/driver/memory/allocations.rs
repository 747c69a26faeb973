//! Memory of the device and pinned memory of the host. A device address is an address of the process.

use std::fs::File;
use std::ptr::null_mut;
use std::sync::OnceLock;

use crate::driver::addresses::address_ranges::{self, Charge, Kind, Range, Source};
use crate::driver::base::current_context;
use crate::driver::base::current_context::Context;
use crate::driver::base::prelude::*;
use crate::driver::streams::capture_state;
use crate::driver::streams::stream_queue;
use crate::shared::{Mapping, memory_file, page_size};

/// The file with all memory of cuMemAlloc. Another process opens it by an IPC handle. Offsets are never used again.
pub fn file() -> CudaResult<&'static File> {
    static FILE: OnceLock<File> = OnceLock::new();
    if let Some(file) = FILE.get() {
        return Ok(file);
    }
    // A failure is not kept: the next call may find a free descriptor.
    let file = memory_file(c"cuda-external-cpu memory", 0, true).map_err(|_| CUDA_ERROR_OUT_OF_MEMORY)?;
    Ok(FILE.get_or_init(|| file))
}

static FILE_END: Mutex<u64> = Mutex::new(0);

/// Allocates memory in a context.
pub fn allocate(context: &Context, size: u64, of: Source) -> CudaResult<u64> {
    require(size > 0)?;
    let none = CUDA_ERROR_OUT_OF_MEMORY;
    let whole = size.checked_next_multiple_of(page_size()).ok_or(none)?;
    let charge = Some(Charge::new(context.device, whole)?);
    let file = file()?;
    let mut end = lock(&FILE_END);
    let new_end = end.checked_add(whole).ok_or(none)?;
    file.set_len(new_end).map_err(|_| none)?;
    let offset = std::mem::replace(&mut *end, new_end);
    drop(end);
    let mut mapping = Mapping::new(Some(file), offset, whole as usize).map_err(|_| none)?;
    mapping.owns_pages = true;
    let (start, mapping, kind) = (mapping.start(), Some(Arc::new(mapping)), Kind::Own { offset, of });
    address_ranges::add(Range { start, size, kind, context: Some(context.id), mapping, _charge: charge });
    Ok(start)
}

fn free(address: u64) -> CudaResult {
    current_context::current_if_any()?;
    capture_state::refuse_in_capture()?;
    if address == 0 {
        return Ok(());
    }
    // A graph's memory ends with its node: measured.
    let is_own = |kind| matches!(kind, Kind::Own { of, .. } if of != Source::Graph);
    if address_ranges::find(|range| range.start == address && is_own(range.kind)).is_some() {
        // NVIDIA's driver waits too: the memory may still be in use.
        stream_queue::settle_current()?;
    }
    require(address_ranges::take(address, |kind| is_own(kind) || kind == Kind::Imported).is_some())
}

/// Allocates pinned memory of the host.
pub fn allocate_host(size: usize, flags: u32) -> CudaResult<*mut c_void> {
    if size == 0 {
        return Ok(null_mut());
    }
    let whole = size.checked_next_multiple_of(page_size() as usize).ok_or(CUDA_ERROR_OUT_OF_MEMORY)?;
    let mapping = Mapping::new(None, 0, whole).map_err(|_| CUDA_ERROR_OUT_OF_MEMORY)?;
    let (start, address) = (mapping.start(), mapping.address.cast());
    add_host(start, size as u64, Kind::Host { flags }, Some(Arc::new(mapping)))?;
    Ok(address)
}

fn add_host(start: u64, size: u64, kind: Kind, mapping: Option<Arc<Mapping>>) -> CudaResult {
    let context = Some(current_context::current()?.id);
    address_ranges::add(Range { start, size, kind, context, mapping, _charge: None });
    Ok(())
}

functions! {
    Init fn cuMemAlloc_v2: PFN_cuMemAlloc_v2, (address, size) {
        let context = capture_state::ready()?;
        require(!address.is_null())?;
        write_out(address, allocate(&context, size as u64, Source::Alloc)?)
    }
    Init fn cuMemAllocPitch_v2: PFN_cuMemAllocPitch_v2, (address, pitch, width, height, element) {
        current_context::current()?;
        require(matches!(element, 4 | 8 | 16) && width > 0 && height > 0 && !address.is_null() && !pitch.is_null())?;
        let row = width.checked_next_multiple_of(512).ok_or(CUDA_ERROR_OUT_OF_MEMORY)?;
        let size = row.checked_mul(height).ok_or(CUDA_ERROR_OUT_OF_MEMORY)? as u64;
        write_out(address, allocate(&*capture_state::ready()?, size, Source::Alloc)?)?;
        write_out(pitch, row)
    }
    Init fn cuMemFree_v2: PFN_cuMemFree_v2, (address) { free(address) }
    Init fn cuMemGetInfo_v2: PFN_cuMemGetInfo_v2, (free, total) {
        let device = current_context::current()?.device;
        write_if_wanted(free, address_ranges::free(device));
        write_if_wanted(total, crate::driver::base::device_ids::memory());
        Ok(())
    }
    Init fn cuMemGetAddressRange_v2: PFN_cuMemGetAddressRange_v2, (start, size, address) {
        current_context::current()?;
        let range = address_ranges::find_at(address, |kind| kind != Kind::Registered);
        write_if_wanted(start, range.as_ref().map_or(0, |range| range.start));
        write_if_wanted(size, range.as_ref().map_or(0, |range| range.size as usize));
        check(range.is_some(), CUDA_ERROR_NOT_FOUND)
    }
    Init fn cuMemAllocHost_v2: PFN_cuMemAllocHost_v2, (address, size) {
        capture_state::ready()?;
        require(!address.is_null())?;
        write_out(address, allocate_host(size, CU_MEMHOSTREGISTER_DEVICEMAP)?)
    }
    Init fn cuMemFreeHost: PFN_cuMemFreeHost, (address) {
        capture_state::refuse_in_capture()?;
        stream_queue::settle_current()?;
        if address.is_null() {
            return Ok(());
        }
        require(address_ranges::take(address.addr() as u64, |kind| matches!(kind, Kind::Host { .. })).is_some())
    }
    Init fn cuMemHostRegister | cuMemHostRegister_v2: PFN_cuMemHostRegister_v2, (address, size, flags) {
        let known = CU_MEMHOSTREGISTER_PORTABLE
            | CU_MEMHOSTREGISTER_DEVICEMAP
            | CU_MEMHOSTREGISTER_READ_ONLY;
        capture_state::ready()?;
        require(flags & !known == 0 && !address.is_null() && size > 0)?;
        let (start, size) = (address.addr() as u64, size as u64);
        let end = address_ranges::end(start, size)?;
        let is_host = |range: &Range| matches!(range.kind, Kind::Host { .. });
        let overlaps = |range: &Range| range.overlaps(start, end);
        require(address_ranges::find(|range| is_host(range) && overlaps(range)).is_none())?;
        let twice = address_ranges::find(|range| range.kind == Kind::Registered && overlaps(range));
        check(twice.is_none(), CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED)?;
        add_host(start, size, Kind::Registered, None)
    }
    Init fn cuMemHostUnregister: PFN_cuMemHostUnregister, (address) {
        capture_state::refuse_in_capture()?;
        let start = address.addr() as u64;
        let of_driver = address_ranges::find_at(start, |kind| matches!(kind, Kind::Host { .. })).is_some();
        require(start != 0 && !of_driver)?;
        let is_this = |range: &Range| range.start == address.addr() as u64 && range.kind == Kind::Registered;
        let found = address_ranges::find(is_this).ok_or(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED)?;
        stream_queue::settle_current()?;
        address_ranges::take(found.start, |kind| kind == Kind::Registered);
        Ok(())
    }
}
