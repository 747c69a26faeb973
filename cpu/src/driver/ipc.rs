//! Memory of cuMemAlloc in another process: the handle says where its file is.

use std::fs::File;
use std::os::fd::AsRawFd;
use std::os::unix::fs::MetadataExt;
use std::sync::Arc;

use cuda_external_sys::*;

use super::call::{Answer, Pointer, check, functions, require};
use super::context;
use super::memory::{PAGE, file};
use super::ranges::{self, Kind, Range};
use crate::shared::Mapping;

const MAGIC: u64 = u64::from_ne_bytes(*b"cu-ext-i");

/// What the 64 bytes of a handle hold.
#[repr(C)]
#[derive(Clone, Copy)]
struct IpcHandle {
    magic: u64,
    process: u32,
    fd: i32,
    /// Tells the file from one of a later process with the same number.
    identity: (u64, u64),
    offset: u64,
    size: u64,
    rest: [u64; 1],
}

const _: () = assert!(size_of::<IpcHandle>() <= size_of::<CUipcMemHandle>());

/// Returns what tells a file from every other one.
fn identity(file: &File) -> Answer<(u64, u64)> {
    let data = file.metadata().map_err(|_| CUDA_ERROR_OPERATING_SYSTEM)?;
    Ok((data.dev(), data.ino()))
}

fn of_address(address: u64) -> Answer<IpcHandle> {
    let range =
        ranges::find_at(address, |kind| matches!(kind, Kind::Own { .. })).ok_or(CUDA_ERROR_INVALID_VALUE)?;
    let Kind::Own { offset } = range.kind else { return Err(CUDA_ERROR_INVALID_VALUE) };
    let (file, process) = (file()?, std::process::id());
    let (fd, identity) = (file.as_raw_fd(), identity(file)?);
    Ok(IpcHandle { magic: MAGIC, process, fd, identity, offset, size: range.size, rest: [0] })
}

fn open(handle: &IpcHandle) -> Answer<u64> {
    let context = context::current()?;
    require(handle.magic == MAGIC)?;
    check(handle.process != std::process::id(), CUDA_ERROR_INVALID_CONTEXT)?;
    let is_same = |kind| matches!(kind, Kind::Ipc { process, offset, .. } if (process, offset) == (handle.process, handle.offset));
    if let Some(range) = ranges::find(|range| is_same(range.kind)) {
        ranges::change(range.start, |range| {
            if let Kind::Ipc { opened, .. } = &mut range.kind {
                *opened += 1;
            }
        });
        return Ok(range.start);
    }
    let path = format!("/proc/{}/fd/{}", handle.process, handle.fd);
    let file = File::options().read(true).write(true).open(path).map_err(|_| CUDA_ERROR_INVALID_VALUE)?;
    require(identity(&file)? == handle.identity)?;
    let length = handle.size.next_multiple_of(PAGE) as usize;
    let mapping = Mapping::new(Some(&file), handle.offset, length).map_err(|_| CUDA_ERROR_MAP_FAILED)?;
    let kind = Kind::Ipc { process: handle.process, offset: handle.offset, opened: 1 };
    let (start, mapping) = (mapping.start(), Some(Arc::new(mapping)));
    ranges::add(Range { start, size: handle.size, kind, context: context.number, mapping, _charge: None });
    Ok(start)
}

functions! {
    Init fn cuIpcGetMemHandle: PFN_cuIpcGetMemHandle, (handle, address) {
        context::current()?;
        let made = of_address(address)?;
        handle.put(CUipcMemHandle::default())?;
        handle.cast::<IpcHandle>().write_unaligned(made);
        Ok(())
    }
    Init fn cuIpcOpenMemHandle | cuIpcOpenMemHandle_v2: PFN_cuIpcOpenMemHandle_v2, (address, handle, flags) {
        let valid = flags == CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS.0 && !address.is_null();
        require(valid)?;
        // The handle has as many bytes, and every bit pattern is valid.
        address.put(open(&(&raw const handle).cast::<IpcHandle>().read_unaligned())?)
    }
    Init fn cuIpcCloseMemHandle: PFN_cuIpcCloseMemHandle, (address) {
        let context = context::current()?;
        let is_ipc = |kind| matches!(kind, Kind::Ipc { .. });
        let left = ranges::change(address, |range| match &mut range.kind {
            Kind::Ipc { opened, .. } => {
                *opened -= 1;
                Some(*opened)
            }
            _ => None,
        });
        if left.flatten().ok_or(CUDA_ERROR_INVALID_VALUE)? == 0 {
            context.settle();
            ranges::take(address, is_ipc);
        }
        Ok(())
    }
}
