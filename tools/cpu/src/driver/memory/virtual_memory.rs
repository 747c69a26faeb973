//! Virtual memory (cuMemCreate, cuMemMap). An allocation's file has Mesa's header, so that Vulkan can import the file.

use std::collections::BTreeMap;
use std::fs::File;
use std::os::fd::IntoRawFd;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

use libloading::os::unix::{Library, RTLD_LAZY};

use crate::driver::addresses::address_ranges::{AddressRange, AddressSpan};
use crate::driver::addresses::address_reuse::keep_until_work_ends;
use crate::driver::driver_prelude::*;
use crate::shared_files::{self, MemoryFileHeader, is_open_fd, memory_file};

const GRANULARITY: u64 = 2 << 20;
const DATA_OFFSET: u64 = 64 << 10;

struct PhysicalAllocation {
    file: File,
    header: MemoryFileHeader,
    exportable: bool,
    charge: Arc<MemoryCharge>,
}

static ALLOCATIONS: HandleRegistry<PhysicalAllocation> = HandleRegistry::new(13, CUDA_ERROR_INVALID_VALUE);

/// Each reservation's size and mapping, by start address. cuMemSetAccess changes only what the driver's checks permit.
/// The pages stay readable and writable, so that work that is already enqueued cannot crash.
static RESERVED_RANGES: Mutex<BTreeMap<u64, (u64, Arc<MmapRegion>)>> = Mutex::new(BTreeMap::new());

fn device_of_location(location: &CUmemLocation) -> CudaResult<usize> {
    ensure_valid(location.type_ == CU_MEM_LOCATION_TYPE_DEVICE)?;
    device_index(location.id)
}

/// Returns the device whose memory the allocation uses: device 0 for the location types HOST (2) and HOST_NUMA (3).
fn charged_device(prop: &CUmemAllocationProp) -> CudaResult<usize> {
    match prop.location.type_.0 {
        2 => ensure_valid(prop.requestedHandleTypes == CU_MEM_HANDLE_TYPE_NONE)?,
        3 => {
            ensure_valid(prop.location.id == 0 && prop.allocFlags.gpuDirectRDMACapable == 0)?;
            ensure_valid(prop.allocFlags.compressionType == 0)?;
        }
        _ => return device_of_location(&prop.location),
    }
    Ok(0)
}

fn create_allocation(size: u64, prop: &CUmemAllocationProp) -> CudaResult<PhysicalAllocation> {
    ensure_valid(size > 0 && size % GRANULARITY == 0)?;
    let device = charged_device(prop)?;
    ensure_valid(prop.type_ == CU_MEM_ALLOCATION_TYPE_PINNED)?;
    match prop.requestedHandleTypes {
        CU_MEM_HANDLE_TYPE_NONE | CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR => {}
        CU_MEM_HANDLE_TYPE_FABRIC => return Err(CUDA_ERROR_NOT_PERMITTED),
        _ => return Err(CUDA_ERROR_INVALID_VALUE),
    }
    let charge = MemoryCharge::new(device, size)?;
    let none = |_| CUDA_ERROR_OUT_OF_MEMORY;
    let header = MemoryFileHeader::new(size, DATA_OFFSET);
    let file = memory_file(c"cuda-external-cpu memory", header.file_size, false).map_err(none)?;
    header.write_to_memory_file(&file).map_err(none)?;
    let exportable = prop.requestedHandleTypes == CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    Ok(PhysicalAllocation { file, header, exportable, charge })
}

/// If the process has Vulkan without this driver's layer, prints once that lavapipe cannot import the memory.
fn warn_once_without_vulkan_layer() {
    static PRINTED: Once = Once::new();
    // SAFETY: with RTLD_NOLOAD no initializer runs.
    let loaded = |name: &str| unsafe { Library::open(Some(name), RTLD_LAZY | libc::RTLD_NOLOAD) };
    // SAFETY: the symbol is `IS_OPEN` of loader_interface.rs.
    let has_layer = loaded("libcuda.so.1").is_ok_and(|driver| unsafe {
        let is_open = driver.get::<&AtomicBool>(b"cuda_external_cpu_layer_is_open\0");
        is_open.is_ok_and(|is_open| is_open.load(Ordering::Relaxed))
    });
    if loaded("libvulkan.so.1").is_ok() && !has_layer {
        PRINTED.call_once(|| {
            print_notice(
                "this process has Vulkan without the layer VK_LAYER_CUDA_EXTERNAL_cpu: lavapipe cannot import this \
                 memory here. Start the program by the command cuda-external-cpu."
            );
        });
    }
}

fn import_allocation(fd: i32) -> CudaResult<PhysicalAllocation> {
    ensure(is_open_fd(fd), CUDA_ERROR_UNKNOWN)?;
    let device = current_context()?.device;
    // SAFETY: the file descriptor is open, and the program does not close it during the call.
    let file = unsafe { shared_files::borrow_fd_as_file(fd) };
    let header = MemoryFileHeader::read_header(&file).ok_or(CUDA_ERROR_INVALID_VALUE)?;
    let file = file.try_clone().map_err(|_| CUDA_ERROR_OPERATING_SYSTEM)?;
    let charge = MemoryCharge::charge_imported_memory(device, header.data_size());
    Ok(PhysicalAllocation { file, header, exportable: true, charge })
}

/// Maps reserved addresses to a part of an allocation's file or, if `part` is `None`, to new memory.
fn replace_mapping(at: u64, size: u64, part: Option<(&File, u64)>) -> CudaResult {
    // SAFETY: the program has reserved the addresses, and running work finds memory there before and after the call.
    let mapped = unsafe { shared_files::map_file(Some(at), size as usize, part) };
    mapped.map(drop).map_err(|_| CUDA_ERROR_OUT_OF_MEMORY)
}

fn reserve_addresses(size: u64, alignment: u64) -> CudaResult<u64> {
    ensure_valid(size > 0 && size % GRANULARITY == 0 && (alignment == 0 || alignment.is_power_of_two()))?;
    let alignment = alignment.max(GRANULARITY);
    let whole = size.checked_add(alignment).ok_or(CUDA_ERROR_OUT_OF_MEMORY)?;
    let mapping = MmapRegion::new(None, 0, whole as usize).map_err(|_| CUDA_ERROR_OUT_OF_MEMORY)?;
    let start = mapping.start_address().next_multiple_of(alignment);
    lock(&RESERVED_RANGES).insert(start, (size, Arc::new(mapping)));
    Ok(start)
}

fn find_reservation(span: AddressSpan) -> Option<Arc<MmapRegion>> {
    let reserved = lock(&RESERVED_RANGES);
    let (start, (length, mapping)) = reserved.range(..=span.start).next_back()?;
    (span.end <= start + length).then(|| mapping.clone())
}

fn is_any_of_span_mapped(span: AddressSpan) -> bool {
    address_ranges::overlaps_known_range(span, RangeKind::is_virtual)
}

fn whole_mappings_in(AddressSpan { start, end, .. }: AddressSpan) -> CudaResult<Vec<AddressRange>> {
    let (mut found, mut next) = (Vec::new(), start);
    ensure_valid(end > start)?;
    while next < end {
        let range = address_ranges::find_range_containing(next, RangeKind::is_virtual)
            .filter(|range| range.start == next && range.end_address() <= end);
        next = range.as_ref().ok_or(CUDA_ERROR_INVALID_VALUE)?.end_address();
        found.extend(range);
    }
    Ok(found)
}

fn map_allocation(at: u64, size: u64, allocation: &PhysicalAllocation) -> CudaResult {
    // If the size is not a multiple of the granularity, cuMemMap returns NOT_SUPPORTED (measured).
    ensure(size % GRANULARITY == 0, CUDA_ERROR_NOT_SUPPORTED)?;
    let span = AddressSpan::new(at, size)?;
    let is_inside = size <= allocation.header.data_size();
    ensure_valid(at % GRANULARITY == 0 && is_inside && !is_any_of_span_mapped(span))?;
    let reservation = find_reservation(span).ok_or(CUDA_ERROR_INVALID_VALUE)?;
    replace_mapping(at, size, Some((&allocation.file, allocation.header.offset)))?;
    let (kind, charge) = (RangeKind::Virtual(None), Some(allocation.charge.clone()));
    address_ranges::add_range((at, size), kind, None, reservation, charge);
    Ok(())
}

fn set_access(at: u64, size: u64, desc: &CUmemAccessDesc) -> CudaResult {
    let mappings = whole_mappings_in(AddressSpan::new(at, size)?)?;
    let access = match desc.flags {
        CU_MEM_ACCESS_FLAGS_PROT_NONE => None,
        CU_MEM_ACCESS_FLAGS_PROT_READ => Some(ReadOrWrite::Read),
        CU_MEM_ACCESS_FLAGS_PROT_READWRITE => Some(ReadOrWrite::Write),
        _ => return Err(CUDA_ERROR_INVALID_VALUE),
    };
    // 2 is cuda.h's HOST.
    ensure(desc.location.type_.0 != 2, CUDA_ERROR_NOT_SUPPORTED)?;
    ensure_valid(device_of_location(&desc.location).is_ok())?;
    mappings.iter().for_each(|mapping| address_ranges::set_mapping_access(mapping.start, access));
    Ok(())
}

functions! {
    Init fn cuMemGetAllocationGranularity: PFN_cuMemGetAllocationGranularity, (granularity, prop, option) {
        // NVIDIA's driver does not check the properties (measured).
        read_param(prop)?;
        ensure_valid(option.0 <= CU_MEM_ALLOC_GRANULARITY_RECOMMENDED.0)?;
        write_out(granularity, GRANULARITY as usize)
    }
    Init fn cuMemCreate: PFN_cuMemCreate, (handle, size, prop, flags) {
        ensure_valid(flags == 0)?;
        ALLOCATIONS.create_object(handle, None, || create_allocation(size as u64, read_param(prop)?))
    }
    Init fn cuMemRelease: PFN_cuMemRelease, (handle) { ALLOCATIONS.destroy_object(handle) }
    Init fn cuMemExportToShareableHandle: PFN_cuMemExportToShareableHandle, (exported, handle, type_, flags) {
        let allocation = ALLOCATIONS.find_object(handle)?;
        let posix = type_ == CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR && allocation.exportable;
        ensure_valid(posix && flags == 0 && !exported.is_null())?;
        warn_once_without_vulkan_layer();
        let fd = allocation.file.try_clone().map_err(|_| CUDA_ERROR_OPERATING_SYSTEM)?;
        write_out(exported.cast(), fd.into_raw_fd())
    }
    Init fn cuMemImportFromShareableHandle: PFN_cuMemImportFromShareableHandle, (handle, exported, type_) {
        ensure_valid(!handle.is_null())?;
        match type_ {
            CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR => {}
            CU_MEM_HANDLE_TYPE_WIN32 | CU_MEM_HANDLE_TYPE_WIN32_KMT => return Err(CUDA_ERROR_NOT_SUPPORTED),
            CU_MEM_HANDLE_TYPE_FABRIC => abort_as_driver_crashes("not a fabric handle"),
            _ => return Err(CUDA_ERROR_INVALID_VALUE),
        }
        // The pointer's address is the file descriptor's number.
        ALLOCATIONS.create_object(handle, None, || import_allocation(exported.addr() as i32))
    }
    Init fn cuMemAddressReserve: PFN_cuMemAddressReserve, (address, size, alignment, _hint, flags) {
        ensure_valid(flags == 0)?;
        write_created(address, || reserve_addresses(size as u64, alignment as u64))
    }
    Init fn cuMemAddressFree: PFN_cuMemAddressFree, (address, size) {
        let size = size as u64;
        let mut reserved = lock(&RESERVED_RANGES);
        let is_whole = reserved.get(&address).is_some_and(|(length, _)| *length == size);
        ensure_valid(is_whole && !is_any_of_span_mapped(AddressSpan::new(address, size)?))?;
        reserved.remove(&address).into_iter().for_each(|(_, mapping)| keep_until_work_ends(mapping));
        Ok(())
    }
    Init fn cuMemMap: PFN_cuMemMap, (address, size, offset, handle, flags) {
        ensure_valid(flags == 0 && address != 0 && size > 0)?;
        let allocation = ALLOCATIONS.find_object(handle)?;
        ensure(offset == 0, CUDA_ERROR_NOT_SUPPORTED)?;
        map_allocation(address, size as u64, &allocation)
    }
    Init fn cuMemUnmap: PFN_cuMemUnmap, (address, size) {
        ensure_valid(size > 0)?;
        // Reserved addresses without a mapping are not an error (measured).
        let span = AddressSpan::new(address, size as u64)?;
        if find_reservation(span).is_some() && !is_any_of_span_mapped(span) {
            return Ok(());
        }
        for range in whole_mappings_in(span)? {
            address_ranges::remove_range_at(range.start, RangeKind::is_virtual);
            replace_mapping(range.start, range.size, None)?;
        }
        Ok(())
    }
    Init fn cuMemGetAccess(flags: *mut u64, location: *const CUmemLocation, address: CUdeviceptr) {
        ensure_valid(!flags.is_null())?;
        device_of_location(read_param(location)?)?;
        let range = address_ranges::find_range_containing(address, RangeKind::is_virtual);
        let access = match range.ok_or(CUDA_ERROR_INVALID_VALUE)?.kind {
            RangeKind::Virtual(Some(ReadOrWrite::Write)) => CU_MEM_ACCESS_FLAGS_PROT_READWRITE,
            RangeKind::Virtual(Some(ReadOrWrite::Read)) => CU_MEM_ACCESS_FLAGS_PROT_READ,
            _ => CU_MEM_ACCESS_FLAGS_PROT_NONE,
        };
        write_out(flags, access.0.into())
    }
    Init fn cuMemSetAccess: PFN_cuMemSetAccess, (address, size, descs, count) {
        ensure_valid(count > 0)?;
        read_array(descs, count)?.iter().try_for_each(|desc| set_access(address, size as u64, desc))
    }
}
