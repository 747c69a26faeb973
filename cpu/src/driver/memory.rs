//! Memory of the device and pinned memory of the host. A device address is an address of the process.

use std::ffi::{c_uint, c_void};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::sync::{Arc, Mutex, OnceLock};

use cuda_external_sys::*;

use super::call::{Answer, Pointer, check, functions};
use super::ranges::{self, Charge, Kind, Mapping, Range};
use super::{capture, context, device, lock};
use crate::shared::memory_file;

pub const PAGE: u64 = 4096;

/// The file that all memory of cuMemAlloc is in: another process opens it by an IPC handle. Offsets are never used again.
pub fn file() -> Answer<&'static OwnedFd> {
    static FILE: OnceLock<OwnedFd> = OnceLock::new();
    if let Some(file) = FILE.get() {
        return Ok(file);
    }
    // A failure is not kept: the next call may find a free descriptor.
    let file = memory_file(c"cuda-external-cpu memory", 0).map_err(|_| CUDA_ERROR_OUT_OF_MEMORY)?;
    Ok(FILE.get_or_init(|| file))
}

static FILE_END: Mutex<u64> = Mutex::new(0);

/// Gives the pages of an allocation back to the system. A process that still maps them reads zeros.
fn give_back(offset: u64, size: u64) {
    let mode = libc::FALLOC_FL_PUNCH_HOLE | libc::FALLOC_FL_KEEP_SIZE;
    if let Ok(file) = file() {
        // SAFETY: the descriptor is open, and the allocation is freed.
        unsafe { libc::fallocate(file.as_raw_fd(), mode, offset as i64, size as i64) };
    }
}

fn allocate(size: u64) -> Answer<u64> {
    let context = context::current()?;
    capture::refuse_in_capture()?;
    check(size > 0, CUDA_ERROR_INVALID_VALUE)?;
    let whole = size.checked_next_multiple_of(PAGE).ok_or(CUDA_ERROR_OUT_OF_MEMORY)?;
    let file = file()?;
    let (offset, charge) = {
        let mut end = lock(&FILE_END);
        let charge = Charge::new(context.device, (0, *end), whole)?;
        let new =
            end.checked_add(whole).filter(|new| *new < i64::MAX as u64).ok_or(CUDA_ERROR_OUT_OF_MEMORY)?;
        // SAFETY: the descriptor is open, and the file only grows.
        let code = unsafe { libc::ftruncate(file.as_raw_fd(), new as i64) };
        check(code == 0, CUDA_ERROR_OUT_OF_MEMORY)?;
        (std::mem::replace(&mut *end, new), charge)
    };
    let mapping = Mapping::new(Some(file.as_fd()), offset, whole as usize);
    let mut mapping = mapping.map_err(|_| CUDA_ERROR_OUT_OF_MEMORY)?;
    mapping.at_end = Some((give_back, offset));
    let mapping = Arc::new(mapping);
    let (start, mapping, charge) = (mapping.start(), Some(mapping), Some(charge));
    ranges::add(Range {
        start,
        size,
        kind: Kind::Own { offset },
        context: context.number,
        mapping,
        _charge: charge,
    });
    Ok(start)
}

fn free(address: u64) -> Answer {
    let context = context::current()?;
    if address == 0 {
        return Ok(());
    }
    let is_own = |kind| matches!(kind, Kind::Own { .. });
    if ranges::find(address, is_own).is_some_and(|range| range.start == address) {
        // As NVIDIA's driver does: the memory may still be in use.
        capture::refuse_in_capture()?;
        context.settle();
    }
    let range = ranges::take(address, |kind| is_own(kind) || kind == Kind::Imported);
    range.map(|_| ()).ok_or(CUDA_ERROR_INVALID_VALUE)
}

fn add_host(start: u64, size: u64, kind: Kind, mapping: Option<Arc<Mapping>>) -> Answer {
    let context = context::current()?.number;
    ranges::add(Range { start, size, kind, context, mapping, _charge: None });
    Ok(())
}

type PointerGetAttribute = unsafe extern "C" fn(*mut c_void, c_uint, CUdeviceptr) -> CUresult;

functions! {
    Init fn cuMemAlloc_v2: PFN_cuMemAlloc_v2, (address: *mut CUdeviceptr, size: usize) {
        check(!address.is_null(), CUDA_ERROR_INVALID_VALUE)?;
        address.put(allocate(size as u64)?)
    }
    Init fn cuMemAllocPitch_v2: PFN_cuMemAllocPitch_v2,
        (address: *mut CUdeviceptr, pitch: *mut usize, width: usize, height: usize, element: c_uint)
    {
        let valid = matches!(element, 4 | 8 | 16) && width > 0 && !address.is_null() && !pitch.is_null();
        check(valid, CUDA_ERROR_INVALID_VALUE)?;
        let row = width.checked_next_multiple_of(512).ok_or(CUDA_ERROR_OUT_OF_MEMORY)?;
        address.put(allocate(row.checked_mul(height).ok_or(CUDA_ERROR_OUT_OF_MEMORY)? as u64)?)?;
        pitch.put(row)
    }
    Init fn cuMemFree_v2: PFN_cuMemFree_v2, (address: CUdeviceptr) { free(address) }
    Init fn cuMemGetInfo_v2: PFN_cuMemGetInfo_v2, (free: *mut usize, total: *mut usize) {
        let device = context::current()?.device;
        let all = device::memory();
        free.put(all.saturating_sub(ranges::used(device) as usize))?;
        total.put(all)
    }
    Init fn cuMemGetAddressRange_v2: PFN_cuMemGetAddressRange_v2,
        (start: *mut CUdeviceptr, size: *mut usize, address: CUdeviceptr)
    {
        context::current()?;
        let range = ranges::find(address, |kind| kind != Kind::Registered).ok_or(CUDA_ERROR_NOT_FOUND)?;
        if !start.is_null() {
            start.put(range.start)?;
        }
        if !size.is_null() {
            size.put(range.size as usize)?;
        }
        Ok(())
    }
    // Whether an address is known is all that cuda-external-check asks.
    Init fn cuPointerGetAttribute: PointerGetAttribute,
        (data: *mut c_void, attribute: c_uint, address: CUdeviceptr)
    {
        const MEMORY_TYPE: c_uint = 2;
        check(attribute == MEMORY_TYPE, CUDA_ERROR_NOT_SUPPORTED)?;
        let range = ranges::find(address, |_| true).ok_or(CUDA_ERROR_INVALID_VALUE)?;
        let is_host = matches!(range.kind, Kind::Host | Kind::Registered);
        data.cast::<u32>().put(if is_host { CU_MEMORYTYPE_HOST.0 } else { CU_MEMORYTYPE_DEVICE.0 })
    }
    Init fn cuMemAllocHost_v2: PFN_cuMemAllocHost_v2, (address: *mut *mut c_void, size: usize) {
        context::current()?;
        capture::refuse_in_capture()?;
        check(!address.is_null(), CUDA_ERROR_INVALID_VALUE)?;
        let whole = size.max(1).checked_next_multiple_of(PAGE as usize).ok_or(CUDA_ERROR_OUT_OF_MEMORY)?;
        let mapping = Mapping::new(None, 0, whole).map_err(|_| CUDA_ERROR_OUT_OF_MEMORY)?;
        address.put(mapping.address.cast())?;
        add_host(mapping.start(), size.max(1) as u64, Kind::Host, Some(Arc::new(mapping)))
    }
    Init fn cuMemFreeHost: PFN_cuMemFreeHost, (address: *mut c_void) {
        let context = context::current()?;
        context.settle();
        ranges::take(address.addr() as u64, |kind| kind == Kind::Host).ok_or(CUDA_ERROR_INVALID_VALUE)?;
        Ok(())
    }
    Init fn cuMemHostRegister: PFN_cuMemHostRegister_v2, (address: *mut c_void, size: usize, flags: c_uint) {
        let known = CU_MEMHOSTREGISTER_PORTABLE
            | CU_MEMHOSTREGISTER_DEVICEMAP
            | CU_MEMHOSTREGISTER_IOMEMORY
            | CU_MEMHOSTREGISTER_READ_ONLY;
        check(flags & !known == 0 && !address.is_null() && size > 0, CUDA_ERROR_INVALID_VALUE)?;
        check(flags & CU_MEMHOSTREGISTER_IOMEMORY == 0, CUDA_ERROR_NOT_SUPPORTED)?;
        let (start, size) = (address.addr() as u64, size as u64);
        let end = start.checked_add(size).ok_or(CUDA_ERROR_INVALID_VALUE)?;
        let pinned = |range: &Range| matches!(range.kind, Kind::Registered | Kind::Host);
        let twice = ranges::find_any(|range| pinned(range) && range.start < end && start < range.end());
        check(twice.is_none(), CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED)?;
        add_host(start, size, Kind::Registered, None)
    }
    Init fn cuMemHostRegister_v2: PFN_cuMemHostRegister_v2, (address: *mut c_void, size: usize, flags: c_uint) {
        cuMemHostRegister(address, size, flags).result()
    }
    Init fn cuMemHostUnregister: PFN_cuMemHostUnregister, (address: *mut c_void) {
        let context = context::current()?;
        let start = address.addr() as u64;
        let found = ranges::find(start, |kind| kind == Kind::Registered).filter(|range| range.start == start);
        check(found.is_some(), CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED)?;
        context.settle();
        ranges::take(start, |kind| kind == Kind::Registered);
        Ok(())
    }
}
