//! Imported memory: the whole file is mapped once, and its descriptor is closed.

use std::os::fd::{AsFd, AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::sync::Arc;

use cuda_external_sys::*;

use super::array;
use super::call::{Answer, Pointer, check, crash, functions, given};
use super::context;
use super::handle::{Handle, Lookup, Registry};
use super::ranges::{self, Charge, Kind, Mapping, Range};
use crate::shared::{MemoryHeader, Semaphore, file_size};

pub struct Import {
    /// `None` for a semaphore's file, which can be imported, as NVIDIA's driver permits, and not mapped.
    mapping: Option<Arc<Mapping>>,
    /// Where the data begins in the mapping.
    data: u64,
    /// How much of it may be mapped: the size of the data, or less where the program said less.
    size: u64,
    dedicated: bool,
    charge: Arc<Charge>,
    pub context: u64,
}

pub static IMPORTS: Registry<Import> = Registry::new(4);

/// Takes over a descriptor, if it is open.
pub fn owned(fd: RawFd) -> Option<OwnedFd> {
    // SAFETY: the function only asks for flags. An import owns the descriptor that it is given.
    unsafe { (libc::fcntl(fd, libc::F_GETFD) != -1).then(|| OwnedFd::from_raw_fd(fd)) }
}

/// Whether the descriptor is a dma-buf: newer Mesas export memory as one, where the system has udmabuf.
fn is_dma_buf(fd: &OwnedFd) -> bool {
    let name = std::fs::read_link(format!("/proc/self/fd/{}", fd.as_raw_fd()));
    name.is_ok_and(|name| name.as_os_str().as_encoded_bytes().starts_with(b"/dmabuf:"))
}

/// Returns where the data of an exported memory's file begins and how large it is.
fn data_of(fd: &OwnedFd) -> Option<(u64, u64)> {
    if let Some(header) = MemoryHeader::read(fd.as_fd()) {
        return Some((header.offset, header.size()));
    }
    // SAFETY: the descriptor is open.
    let end = || unsafe { libc::lseek(fd.as_raw_fd(), 0, libc::SEEK_END) };
    is_dma_buf(fd).then(end).and_then(|size| Some((0, u64::try_from(size).ok()?)))
}

/// Checks a handle's type, which both kinds of import have.
pub fn check_type(type_: u32, fds: &[u32], last: u32) -> Answer {
    match type_ {
        type_ if fds.contains(&type_) => Ok(()),
        type_ if type_ == 0 || type_ > last => Err(CUDA_ERROR_INVALID_VALUE),
        _ => Err(CUDA_ERROR_NOT_SUPPORTED),
    }
}

unsafe fn import(desc: &CUDA_EXTERNAL_MEMORY_HANDLE_DESC) -> Answer<Import> {
    let context = context::current()?;
    let valid =
        desc.flags & !CUDA_EXTERNAL_MEMORY_DEDICATED == 0 && desc.reserved == [0; 16] && desc.size > 0;
    check(valid, CUDA_ERROR_INVALID_VALUE)?;
    let opaque = CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD.0;
    check_type(desc.type_.0, &[opaque], CU_EXTERNAL_MEMORY_HANDLE_TYPE_DMABUF_FD.0)?;
    // From here on the descriptor is closed, whatever the result.
    // SAFETY: the field that goes with the type.
    let fd = owned(unsafe { desc.handle.fd }).ok_or(CUDA_ERROR_UNKNOWN)?;
    let found = data_of(&fd);
    check(found.is_some() || Semaphore::open(fd.as_fd()).is_some(), CUDA_ERROR_UNKNOWN)?;
    let (data, size) = found.unwrap_or_default();
    let length = file_size(fd.as_fd()).map_err(|_| CUDA_ERROR_UNKNOWN)?.max(data + size) as usize;
    let charge = Charge::of_file(context.device, fd.as_fd(), size)?;
    let mapping = if found.is_some() {
        let mapping = Mapping::new(Some(fd.as_fd()), 0, length).map_err(|_| CUDA_ERROR_OUT_OF_MEMORY)?;
        Some(Arc::new(mapping))
    } else {
        None
    };
    let dedicated = desc.flags == CUDA_EXTERNAL_MEMORY_DEDICATED;
    Ok(Import { mapping, data, size: size.min(desc.size), dedicated, charge, context: context.number })
}

/// Returns an import. A destroyed one makes NVIDIA's driver crash.
fn find(memory: CUexternalMemory) -> Answer<Arc<Import>> {
    match IMPORTS.find(memory) {
        Lookup::Live(import) => Ok(import),
        Lookup::Destroyed => crash("the imported memory is destroyed"),
        _ => Err(CUDA_ERROR_INVALID_VALUE),
    }
}

fn map_buffer(import: &Import, desc: &CUDA_EXTERNAL_MEMORY_BUFFER_DESC) -> Answer<u64> {
    let inside = desc.offset.checked_add(desc.size).is_some_and(|end| end <= import.size);
    // A dedicated import is mapped from its start only: measured.
    let valid = desc.flags == 0 && desc.reserved == [0; 16] && desc.size > 0 && inside;
    check(valid && !(import.dedicated && desc.offset > 0), CUDA_ERROR_INVALID_VALUE)?;
    // Each mapping has addresses of its own: they say which one is freed.
    let mapping = import.mapping.as_ref().ok_or(CUDA_ERROR_INVALID_VALUE)?.again();
    let mapping = Arc::new(mapping.map_err(|_| CUDA_ERROR_OUT_OF_MEMORY)?);
    let start = mapping.start() + import.data + desc.offset;
    let (mapping, charge, context) = (Some(mapping), Some(import.charge.clone()), import.context);
    ranges::add(Range { start, size: desc.size, kind: Kind::Imported, context, mapping, _charge: charge });
    Ok(start)
}

functions! {
    Init fn cuImportExternalMemory: PFN_cuImportExternalMemory,
        (memory: *mut CUexternalMemory, desc: *const CUDA_EXTERNAL_MEMORY_HANDLE_DESC)
    {
        check(!memory.is_null(), CUDA_ERROR_INVALID_VALUE)?;
        memory.put(IMPORTS.add(import(given(desc)?)?))
    }
    Init fn cuExternalMemoryGetMappedBuffer: PFN_cuExternalMemoryGetMappedBuffer,
        (address: *mut CUdeviceptr, memory: CUexternalMemory, desc: *const CUDA_EXTERNAL_MEMORY_BUFFER_DESC)
    {
        check(!address.is_null(), CUDA_ERROR_INVALID_VALUE)?;
        address.put(map_buffer(&*find(memory)?, given(desc)?)?)
    }
    Init fn cuExternalMemoryGetMappedMipmappedArray: PFN_cuExternalMemoryGetMappedMipmappedArray,
        (mipmap: *mut CUmipmappedArray, memory: CUexternalMemory,
         desc: *const CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC)
    {
        check(!mipmap.is_null(), CUDA_ERROR_INVALID_VALUE)?;
        let import = find(memory)?;
        let desc = given(desc)?;
        let mapping = import.mapping.as_ref().ok_or(CUDA_ERROR_INVALID_VALUE)?;
        let number = array::map((mapping, import.data, import.size), desc, import.context)?;
        mipmap.put(CUmipmappedArray::from_number(number))
    }
    Init fn cuDestroyExternalMemory: PFN_cuDestroyExternalMemory, (memory: CUexternalMemory) {
        match IMPORTS.remove(memory) {
            Lookup::Live(_) => Ok(()),
            Lookup::Null => Err(CUDA_ERROR_INVALID_VALUE),
            _ => crash("not imported memory, or destroyed"),
        }
    }
}
