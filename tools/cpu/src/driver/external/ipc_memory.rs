//! Shares cuMemAlloc's memory between processes. An IPC handle names a process, the file that backs the process's
//! allocations, and the memory's offset and size in this file.

use std::fs::File;
use std::os::fd::AsRawFd;
use std::os::unix::fs::MetadataExt;

use crate::driver::addresses::address_ranges::{AddressRange, FileId};
use crate::driver::driver_prelude::*;
use crate::driver::memory::allocations::allocations_file;
use crate::shared_files::{page_size, seal_against_shrinking};

const MAGIC: u64 = u64::from_ne_bytes(*b"cu-ext-i");

#[repr(C)]
#[derive(Clone, Copy)]
struct IpcMemoryHandle {
    magic: u64,
    process: u32,
    fd: i32,
    /// Distinguishes the file from that of a later process with the same process id.
    file: FileId,
    offset: u64,
    size: u64,
}

const _: () = assert!(size_of::<IpcMemoryHandle>() <= size_of::<CUipcMemHandle>());

fn file_identity(file: &File) -> CudaResult<FileId> {
    let data = file.metadata().map_err(|_| CUDA_ERROR_OPERATING_SYSTEM)?;
    Ok((data.dev(), data.ino()))
}

fn ipc_handle_for(address: u64) -> CudaResult<IpcMemoryHandle> {
    let range =
        address_ranges::find_range_containing(address, |kind| kind.is_allocated_by(AllocationSource::Alloc));
    let Some(AddressRange { size, kind: RangeKind::Allocated(_, offset), .. }) = range else {
        return Err(CUDA_ERROR_INVALID_VALUE);
    };
    let (file, process) = (allocations_file()?, std::process::id());
    let (fd, id) = (file.as_raw_fd(), file_identity(file)?);
    Ok(IpcMemoryHandle { magic: MAGIC, process, fd, file: id, offset, size })
}

fn open_ipc_handle(handle: &IpcMemoryHandle) -> CudaResult<u64> {
    let context = current_context()?;
    let &IpcMemoryHandle { magic, process, fd, file: id, offset, size } = handle;
    ensure_valid(magic == MAGIC)?;
    ensure(process != std::process::id(), CUDA_ERROR_INVALID_CONTEXT)?;
    let kind = RangeKind::Ipc(id, offset);
    if let Some(range) = address_ranges::find_range_where(|range| range.kind == kind) {
        let start = range.start;
        address_ranges::add_range_again(range);
        return Ok(start);
    }
    let path = format!("/proc/{process}/fd/{fd}");
    let file = File::options().read(true).write(true).open(path).map_err(|_| CUDA_ERROR_INVALID_VALUE)?;
    // The handle may be forged: the file may be a different one, or smaller.
    let length = size.checked_next_multiple_of(page_size()).ok_or(CUDA_ERROR_INVALID_VALUE)?;
    let end = offset.checked_add(length).ok_or(CUDA_ERROR_INVALID_VALUE)?;
    let whole = file.metadata().map_err(|_| CUDA_ERROR_OPERATING_SYSTEM)?.len();
    ensure_valid(file_identity(&file)? == id && seal_against_shrinking(&file) && size > 0 && end <= whole)?;
    let mapping = MmapRegion::new(Some(&file), offset, length as usize).map_err(|_| CUDA_ERROR_MAP_FAILED)?;
    let start = mapping.start_address();
    address_ranges::add_range((start, size), kind, Some(context.id), Arc::new(mapping), None);
    Ok(start)
}

functions! {
    Init fn cuIpcGetMemHandle: PFN_cuIpcGetMemHandle, (handle, address) {
        ensure_valid(address != 0 && !handle.is_null())?;
        current_context()?;
        let made = ipc_handle_for(address)?;
        write_out(handle, CUipcMemHandle::default())?;
        handle.cast::<IpcMemoryHandle>().write_unaligned(made);
        Ok(())
    }
    Init fn cuIpcOpenMemHandle | cuIpcOpenMemHandle_v2: PFN_cuIpcOpenMemHandle_v2, (address, handle, flags) {
        ensure_valid(flags == CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS.0 && !address.is_null())?;
        // `CUipcMemHandle` is at least as large as `IpcMemoryHandle`, for which every bit pattern is valid.
        write_out(address, open_ipc_handle(&(&raw const handle).cast::<IpcMemoryHandle>().read_unaligned())?)
    }
    Init fn cuIpcCloseMemHandle: PFN_cuIpcCloseMemHandle, (address) {
        stream_queue::wait_before_free(&*current_context()?);
        ensure_valid(address_ranges::remove_range_at(address, |kind| matches!(kind, RangeKind::Ipc(..))))
    }
}
