//! What the driver and the Vulkan layer agree on, also between processes: the file of an exported semaphore, the header of
//! an exported memory's file, and the device's names.

use std::io;
use std::mem::offset_of;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd};

mod semaphore;

pub use semaphore::{Page, Semaphore};

/// The name of every device, in CUDA and in Vulkan.
pub const DEVICE_NAME: &str = "CPU (cuda-external-cpu)";

/// The UUID of the device with this ordinal.
pub const fn device_uuid(ordinal: u8) -> [u8; 16] {
    let mut uuid = *b"cuda-external-cp";
    uuid[15] = b'0' + ordinal;
    uuid
}

/// The start of a file that lavapipe exports as OPAQUE_FD memory, and of one that this driver exports.
///
/// The data begins at `offset`, and the 8 bytes before it repeat `offset`. Behind the data are at most [`TRAILER`] bytes.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryHeader {
    /// The size of the whole file.
    pub file_size: u64,
    pub offset: u64,
    /// Mesa's: it differs for each build, and Mesa imports only memory with its own. [`TAG`] where this driver made the file.
    pub tag: [u8; 16],
}

pub const TAG: [u8; 16] = *b"cuda-external-cp";

/// How many bytes the file has beside the data and what is before it.
pub const TRAILER: u64 = 40;

impl MemoryHeader {
    /// Returns the header for data of this size at this offset.
    pub fn new(size: u64, offset: u64) -> Self {
        Self { file_size: offset + size + TRAILER, offset, tag: TAG }
    }

    /// Returns the size of the data.
    pub fn size(&self) -> u64 {
        self.file_size - self.offset - TRAILER
    }

    /// Reads a file's header. Returns `None` for every other file.
    pub fn read(fd: BorrowedFd) -> Option<Self> {
        let mut header = Self { file_size: 0, offset: 0, tag: [0; 16] };
        let length = size_of::<Self>();
        // SAFETY: every bit pattern is a header, and the buffer has its size.
        let read = unsafe { libc::pread(fd.as_raw_fd(), (&raw mut header).cast(), length, 0) };
        let end = header.offset.checked_add(TRAILER)?;
        let whole = read == length as isize && file_size(fd).ok()? == header.file_size;
        (whole && header.offset >= length as u64 && end < header.file_size).then_some(header)
    }

    /// Writes the header, and the offset before the data.
    pub fn write(&self, fd: BorrowedFd) -> io::Result<()> {
        write_at(fd, 0, &self.file_size.to_ne_bytes())?;
        write_at(fd, offset_of!(Self, offset), &self.offset.to_ne_bytes())?;
        self.write_tag(fd)?;
        write_at(fd, self.offset as usize - 8, &self.offset.to_ne_bytes())
    }

    /// Replaces the tag in the file by this one.
    pub fn write_tag(&self, fd: BorrowedFd) -> io::Result<()> {
        write_at(fd, offset_of!(Self, tag), &self.tag)
    }
}

fn write_at(fd: BorrowedFd, at: usize, bytes: &[u8]) -> io::Result<()> {
    // SAFETY: the buffer has the length.
    let written = unsafe { libc::pwrite(fd.as_raw_fd(), bytes.as_ptr().cast(), bytes.len(), at as i64) };
    if written == bytes.len() as isize { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Returns the size of the file behind a descriptor.
pub fn file_size(fd: BorrowedFd) -> io::Result<u64> {
    let mut stat = std::mem::MaybeUninit::<libc::stat>::zeroed();
    // SAFETY: the function writes one `stat`, which may be all zeros.
    let (code, stat) = unsafe { (libc::fstat(fd.as_raw_fd(), stat.as_mut_ptr()), stat.assume_init()) };
    if code == 0 { Ok(stat.st_size as u64) } else { Err(io::Error::last_os_error()) }
}

/// Creates a file in memory with this size.
pub fn memory_file(name: &std::ffi::CStr, size: u64) -> io::Result<OwnedFd> {
    // SAFETY: the name ends with a zero; the descriptor is new.
    let fd = unsafe {
        match libc::memfd_create(name.as_ptr(), libc::MFD_CLOEXEC | libc::MFD_ALLOW_SEALING) {
            -1 => return Err(io::Error::last_os_error()),
            fd => OwnedFd::from_raw_fd(fd),
        }
    };
    let length = i64::try_from(size).map_err(|_| io::Error::from_raw_os_error(libc::EFBIG))?;
    // SAFETY: the descriptor is open.
    if unsafe { libc::ftruncate(fd.as_raw_fd(), length) } != 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(fd)
}
