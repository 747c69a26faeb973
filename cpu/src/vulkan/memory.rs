//! Memory: lavapipe imports what the driver in software exported, and what is not memory is refused before lavapipe sees it.

use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
use std::ptr;

use ash::vk;

use super::chain;
use super::device::{self, Device};
use crate::shared::{MemoryHeader, TAG};

const OPAQUE_FD: vk::ExternalMemoryHandleTypeFlags = vk::ExternalMemoryHandleTypeFlags::OPAQUE_FD;

/// What a device exports as opaque descriptors of memory.
pub enum Kind {
    /// Files with a header with this tag, which differs for each build of Mesa.
    File([u8; 16]),
    /// dma-bufs of /dev/udmabuf without a header, of newer Mesas.
    DmaBuf,
    /// The device exports none.
    Unknown,
}

impl Kind {
    /// Finds out, by an export.
    fn of(device: &Device) -> Self {
        Self::of_export(device).unwrap_or(Self::Unknown)
    }

    fn of_export(device: &Device) -> Option<Self> {
        let (allocate, free) = (device.call.allocate_memory?, device.call.free_memory?);
        let export = device.call.get_memory_fd?;
        let mut types = vk::ExportMemoryAllocateInfo::default().handle_types(OPAQUE_FD);
        let info = vk::MemoryAllocateInfo::default().allocation_size(4096).push_next(&mut types);
        let (mut memory, mut fd) = (vk::DeviceMemory::null(), -1);
        // SAFETY: the device lives; the memory is this function's.
        unsafe {
            allocate(device.handle, &info, ptr::null(), &mut memory).result().ok()?;
            let info = vk::MemoryGetFdInfoKHR::default().memory(memory).handle_type(OPAQUE_FD);
            let result = export(device.handle, &info, &mut fd);
            free(device.handle, memory, ptr::null());
            result.result().ok()?;
        }
        // SAFETY: the descriptor is new.
        let fd = unsafe { OwnedFd::from_raw_fd(fd) };
        let header = MemoryHeader::read(std::os::fd::AsFd::as_fd(&fd));
        Some(header.map_or(Self::DmaBuf, |header| Self::File(header.tag)))
    }
}

pub unsafe extern "system" fn allocate(
    handle: vk::Device,
    info: *const vk::MemoryAllocateInfo,
    allocator: *const vk::AllocationCallbacks,
    memory: *mut vk::DeviceMemory,
) -> vk::Result {
    // SAFETY: the application's arguments.
    unsafe {
        let device = device::of(handle);
        let allocate = device.call.allocate_memory.expect("Vulkan 1.0 has it");
        let import = chain::find_mut::<vk::ImportMemoryFdInfoKHR>((*info).p_next);
        let import = import.filter(|import| import.handle_type == OPAQUE_FD && device.timeline.is_some());
        let Some(import) = import else { return allocate(handle, info, allocator, memory) };
        if import.fd < 0 {
            return vk::Result::ERROR_INVALID_EXTERNAL_HANDLE;
        }
        let fd = BorrowedFd::borrow_raw(import.fd);
        match device.memory_kind.get_or_init(|| Kind::of(&device)) {
            Kind::File(tag) if prepare(fd, *tag, (*info).allocation_size).is_none() => {
                // lavapipe 22.3 would close it.
                vk::Result::ERROR_INVALID_EXTERNAL_HANDLE
            }
            Kind::DmaBuf => match as_dma_buf(fd) {
                Some(Ok(replacement)) => {
                    let number = std::mem::replace(&mut import.fd, replacement.as_raw_fd());
                    let result = allocate(handle, info, allocator, memory);
                    import.fd = number;
                    if result == vk::Result::SUCCESS {
                        // Vulkan has the replacement, and the application's own is consumed as well.
                        std::mem::forget(replacement);
                        drop(OwnedFd::from_raw_fd(number));
                    }
                    result
                }
                Some(Err(_)) => vk::Result::ERROR_INVALID_EXTERNAL_HANDLE,
                None => allocate(handle, info, allocator, memory),
            },
            _ => allocate(handle, info, allocator, memory),
        }
    }
}

/// Makes the driver's memory lavapipe's. Returns `None` for what is neither, and for less than is asked for.
fn prepare(fd: BorrowedFd, tag: [u8; 16], size: u64) -> Option<()> {
    let header = MemoryHeader::read(fd)?;
    if header.size() < size {
        return None;
    }
    match header.tag {
        TAG => MemoryHeader { tag, ..header }.write_tag(fd).ok(),
        found => (found == tag).then_some(()),
    }
}

/// Returns the driver's memory as a dma-buf without its header, for a Mesa that exports such. Not verified: no machine with
/// one and with /dev/udmabuf was at hand.
fn as_dma_buf(fd: BorrowedFd) -> Option<std::io::Result<OwnedFd>> {
    /// `struct udmabuf_create` of linux/udmabuf.h.
    #[repr(C)]
    struct Create {
        memory_file: u32,
        flags: u32,
        offset: u64,
        size: u64,
    }
    const UDMABUF_CREATE: libc::Ioctl = 0x4018_7542u32 as libc::Ioctl;
    const CLOSE_ON_EXEC: u32 = 1;
    let header = MemoryHeader::read(fd).filter(|header| header.tag == TAG)?;
    let size = header.size().next_multiple_of(4096);
    let memory_file = fd.as_raw_fd() as u32;
    let create = Create { memory_file, flags: CLOSE_ON_EXEC, offset: header.offset, size };
    let make = || {
        let device = std::fs::File::open("/dev/udmabuf")?;
        // SAFETY: the descriptor lives, and the struct is the request's.
        unsafe {
            libc::fcntl(fd.as_raw_fd(), libc::F_ADD_SEALS, libc::F_SEAL_SHRINK);
            match libc::ioctl(device.as_raw_fd(), UDMABUF_CREATE, &create) {
                -1 => Err(std::io::Error::last_os_error()),
                new => Ok(OwnedFd::from_raw_fd(new)),
            }
        }
    };
    Some(make())
}
