//! Memory of cuMemCreate: a file with Mesa's header, which Vulkan imports too; and addresses to map it at.

use std::collections::BTreeMap;
use std::fs::File;
use std::os::fd::{AsRawFd, IntoRawFd};
use std::ptr::with_exposed_provenance_mut;
use std::sync::{Arc, Mutex};

use cuda_external_sys::*;

use super::call::{Answer, Pointer, check, functions, given, require};
use super::external_memory::is_open;
use super::handle::Registry;
use super::ranges::{self, Charge, Kind, Range};
use super::{capture, context, device, lock};
use crate::shared::{self, MemoryHeader, memory_file};

const GRANULARITY: u64 = 2 << 20;
/// Where the data begins in the file.
const OFFSET: u64 = 64 << 10;

struct Allocation {
    file: File,
    header: MemoryHeader,
    exportable: bool,
    charge: Arc<Charge>,
}

static ALLOCATIONS: Registry<Allocation> = Registry::new(13);

/// Reserved addresses, by their start.
static RESERVED: Mutex<BTreeMap<u64, u64>> = Mutex::new(BTreeMap::new());

fn device_of(prop: &CUmemAllocationProp) -> Answer<usize> {
    let pinned = prop.type_ == CU_MEM_ALLOCATION_TYPE_PINNED;
    require(pinned && prop.location.type_ == CU_MEM_LOCATION_TYPE_DEVICE)?;
    device::index(prop.location.id)
}

fn create(size: u64, prop: &CUmemAllocationProp) -> Answer<Allocation> {
    let device = device_of(prop)?;
    require(size > 0 && size % GRANULARITY == 0)?;
    match prop.requestedHandleTypes {
        CU_MEM_HANDLE_TYPE_NONE | CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR => {}
        CU_MEM_HANDLE_TYPE_FABRIC => return Err(CUDA_ERROR_NOT_PERMITTED),
        _ => return Err(CUDA_ERROR_INVALID_VALUE),
    }
    capture::refuse_in_capture()?;
    let charge = Charge::new(device, size)?;
    let none = |_| CUDA_ERROR_OUT_OF_MEMORY;
    let header = MemoryHeader::new(size, OFFSET);
    let file = memory_file(c"cuda-external-cpu memory", header.file_size).map_err(none)?;
    header.write(&file).map_err(none)?;
    let exportable = prop.requestedHandleTypes == CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    Ok(Allocation { file, header, exportable, charge })
}

fn import(fd: i32) -> Answer<Allocation> {
    let device = context::current()?.device;
    require(is_open(fd))?;
    // SAFETY: the descriptor is open, and the caller keeps it.
    let file = unsafe { shared::borrow(fd) };
    let header = MemoryHeader::read(&file).ok_or(CUDA_ERROR_INVALID_VALUE)?;
    let file = file.try_clone().map_err(|_| CUDA_ERROR_OPERATING_SYSTEM)?;
    let charge = Charge::of_import(device, header.size());
    Ok(Allocation { file, header, exportable: true, charge })
}

/// Makes addresses inaccessible, where they are: a reservation, or what a mapping leaves.
fn block(at: u64, size: u64, flags: i32) -> Answer<u64> {
    let flags = flags | libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    let at = with_exposed_provenance_mut(at as usize);
    // SAFETY: free addresses, or with MAP_FIXED those of a mapping that the program ends.
    let address = unsafe { libc::mmap(at, size as usize, libc::PROT_NONE, flags, -1, 0) };
    check(address != libc::MAP_FAILED, CUDA_ERROR_OUT_OF_MEMORY)?;
    Ok(address.expose_provenance() as u64)
}

fn unmap(at: u64, size: u64) {
    // SAFETY: addresses that were reserved here, and are no longer.
    unsafe { libc::munmap(with_exposed_provenance_mut(at as usize), size as usize) };
}

fn reserve(size: u64, alignment: u64, at: u64) -> Answer<u64> {
    let valid = size > 0 && size % GRANULARITY == 0 && (alignment == 0 || alignment.is_power_of_two());
    require(valid)?;
    let alignment = alignment.max(GRANULARITY);
    let mut start = block(at, size, 0)?;
    if start % alignment != 0 {
        unmap(start, size);
        let whole = size.checked_add(alignment).ok_or(CUDA_ERROR_OUT_OF_MEMORY)?;
        let found = block(0, whole, 0)?;
        start = found.next_multiple_of(alignment);
        unmap(found, start - found);
        unmap(start + size, found + whole - (start + size));
    }
    lock(&RESERVED).insert(start, size);
    Ok(start)
}

fn is_reserved(at: u64, size: u64) -> bool {
    let reserved = lock(&RESERVED);
    let before = reserved.range(..=at).next_back();
    before.is_some_and(|(start, length)| at.checked_add(size).is_some_and(|end| end <= start + length))
}

fn is_virtual(kind: Kind) -> bool {
    matches!(kind, Kind::Virtual { .. })
}

fn is_mapped(at: u64, size: u64) -> bool {
    ranges::find(|range| is_virtual(range.kind) && range.overlaps(at, at + size)).is_some()
}

/// Returns the mappings that the addresses consist of.
fn mappings(at: u64, size: u64) -> Answer<Vec<Range>> {
    let (mut found, mut next) = (Vec::new(), at);
    let end = at.checked_add(size).filter(|end| *end > at).ok_or(CUDA_ERROR_INVALID_VALUE)?;
    while next < end {
        let range =
            ranges::find_at(next, is_virtual).filter(|range| range.start == next && range.end() <= end);
        next = range.as_ref().ok_or(CUDA_ERROR_INVALID_VALUE)?.end();
        found.extend(range);
    }
    Ok(found)
}

fn map(at: u64, size: u64, offset: u64, allocation: &Allocation) -> Answer {
    let whole = |number: u64| number % GRANULARITY == 0;
    let inside = offset.checked_add(size).is_some_and(|end| end <= allocation.header.size());
    let valid = size > 0 && whole(size) && whole(offset) && whole(at) && inside && is_reserved(at, size);
    require(valid && !is_mapped(at, size))?;
    let (to, flags) = (with_exposed_provenance_mut(at as usize), libc::MAP_SHARED | libc::MAP_FIXED);
    let (fd, offset) = (allocation.file.as_raw_fd(), (allocation.header.offset + offset) as i64);
    // SAFETY: the addresses are reserved here, and nothing is mapped there.
    let address = unsafe { libc::mmap(to, size as usize, libc::PROT_NONE, flags, fd, offset) };
    check(address != libc::MAP_FAILED, CUDA_ERROR_OUT_OF_MEMORY)?;
    let (kind, charge) = (Kind::Virtual { accessible: false }, Some(allocation.charge.clone()));
    ranges::add(Range { start: at, size, kind, context: 0, mapping: None, _charge: charge });
    Ok(())
}

fn set_access(at: u64, size: u64, desc: &CUmemAccessDesc) -> Answer {
    let on_device = desc.location.type_ == CU_MEM_LOCATION_TYPE_DEVICE;
    require(on_device)?;
    device::index(desc.location.id)?;
    let access = match desc.flags {
        CU_MEM_ACCESS_FLAGS_PROT_NONE => libc::PROT_NONE,
        CU_MEM_ACCESS_FLAGS_PROT_READ => libc::PROT_READ,
        CU_MEM_ACCESS_FLAGS_PROT_READWRITE => libc::PROT_READ | libc::PROT_WRITE,
        _ => return Err(CUDA_ERROR_INVALID_VALUE),
    };
    for range in mappings(at, size)? {
        let address = with_exposed_provenance_mut(range.start as usize);
        // SAFETY: a mapping of `map`.
        let code = unsafe { libc::mprotect(address, range.size as usize, access) };
        check(code == 0, CUDA_ERROR_OUT_OF_MEMORY)?;
        let kind = Kind::Virtual { accessible: access != libc::PROT_NONE };
        ranges::change(range.start, |range| range.kind = kind);
    }
    Ok(())
}

functions! {
    Init fn cuMemGetAllocationGranularity: PFN_cuMemGetAllocationGranularity, (granularity, prop, _option) {
        device_of(given(prop)?)?;
        granularity.put(GRANULARITY as usize)
    }
    Init fn cuMemCreate: PFN_cuMemCreate, (handle, size, prop, flags) {
        require(flags == 0 && !handle.is_null())?;
        handle.put(ALLOCATIONS.add(create(size as u64, given(prop)?)?))
    }
    Init fn cuMemRelease: PFN_cuMemRelease, (handle) {
        ALLOCATIONS.remove(handle).done(CUDA_ERROR_INVALID_VALUE)
    }
    Init fn cuMemExportToShareableHandle: PFN_cuMemExportToShareableHandle, (exported, handle, type_, flags) {
        let allocation = ALLOCATIONS.find(handle).or(CUDA_ERROR_INVALID_VALUE)?;
        let posix = type_ == CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR && allocation.exportable;
        require(posix && flags == 0 && !exported.is_null())?;
        let fd = allocation.file.try_clone().map_err(|_| CUDA_ERROR_OPERATING_SYSTEM)?;
        exported.cast::<i32>().put(fd.into_raw_fd())
    }
    Init fn cuMemImportFromShareableHandle: PFN_cuMemImportFromShareableHandle, (handle, exported, type_) {
        let posix = type_ == CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
        require(posix && !handle.is_null())?;
        // The descriptor is the pointer's number.
        let fd = i32::try_from(exported.addr()).map_err(|_| CUDA_ERROR_INVALID_VALUE)?;
        handle.put(ALLOCATIONS.add(import(fd)?))
    }
    Init fn cuMemAddressReserve: PFN_cuMemAddressReserve, (address, size, alignment, at, flags) {
        require(flags == 0 && !address.is_null())?;
        address.put(reserve(size as u64, alignment as u64, at)?)
    }
    Init fn cuMemAddressFree: PFN_cuMemAddressFree, (address, size) {
        let size = size as u64;
        let mut reserved = lock(&RESERVED);
        let is_free = reserved.get(&address) == Some(&size) && !is_mapped(address, size);
        require(is_free)?;
        reserved.remove(&address);
        unmap(address, size);
        Ok(())
    }
    Init fn cuMemMap: PFN_cuMemMap, (address, size, offset, handle, flags) {
        require(flags == 0)?;
        let allocation = ALLOCATIONS.find(handle).or(CUDA_ERROR_INVALID_VALUE)?;
        map(address, size as u64, offset as u64, &allocation)
    }
    Init fn cuMemUnmap: PFN_cuMemUnmap, (address, size) {
        for range in mappings(address, size as u64)? {
            ranges::take(range.start, is_virtual);
            block(range.start, range.size, libc::MAP_FIXED)?;
        }
        Ok(())
    }
    Init fn cuMemSetAccess: PFN_cuMemSetAccess, (address, size, descs, count) {
        require(count > 0 && !descs.is_null())?;
        std::slice::from_raw_parts(descs, count).iter().try_for_each(|desc| set_access(address, size as u64, desc))
    }
}
