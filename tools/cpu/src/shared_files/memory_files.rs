//! Files in memory, and their mappings.

use std::ffi::{CStr, c_int};
use std::fs::File;
use std::io;
use std::mem::ManuallyDrop;
use std::os::fd::{AsRawFd, FromRawFd, RawFd};
use std::ptr;

/// Creates a file in memory with this size. Nobody can make it smaller, since a process that reads a mapping of it
/// would crash. It can be made larger only if it `grows`.
pub(crate) fn memory_file(name: &CStr, size: u64, grows: bool) -> io::Result<File> {
    // SAFETY: the name ends with a zero.
    let fd = unsafe { libc::memfd_create(name.as_ptr(), libc::MFD_CLOEXEC | libc::MFD_ALLOW_SEALING) };
    if fd == -1 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the descriptor is new.
    let file = unsafe { File::from_raw_fd(fd) };
    file.set_len(size)?;
    let seals = libc::F_SEAL_SHRINK | libc::F_SEAL_SEAL | if grows { 0 } else { libc::F_SEAL_GROW };
    // SAFETY: the call only sets the file's seals.
    match unsafe { libc::fcntl(fd, libc::F_ADD_SEALS, seals) } {
        0 => Ok(file),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Seals a file of somebody else, so that nobody can make it smaller. Mesa's files have no seal, but can have it.
pub(crate) fn seal_against_shrinking(file: &File) -> bool {
    // SAFETY: sets and asks for the file's seals; -1 for a file that can have none.
    let seals = unsafe {
        libc::fcntl(file.as_raw_fd(), libc::F_ADD_SEALS, libc::F_SEAL_SHRINK);
        libc::fcntl(file.as_raw_fd(), libc::F_GET_SEALS)
    };
    seals != -1 && seals & libc::F_SEAL_SHRINK != 0
}

pub(crate) fn is_open_fd(fd: RawFd) -> bool {
    // SAFETY: the function only asks for flags.
    unsafe { libc::fcntl(fd, libc::F_GETFD) != -1 }
}

/// Returns the file of a descriptor, which is open as long as the result lives, and is not closed.
pub(crate) unsafe fn borrow_fd(fd: RawFd) -> ManuallyDrop<File> {
    // SAFETY: the descriptor is open as long as the result lives, and the value is not dropped.
    ManuallyDrop::new(unsafe { File::from_raw_fd(fd) })
}

/// Maps a part of a file or, without one, zeroed memory. The part must begin at a whole page. At a given address, the
/// mapping replaces one that nothing uses.
pub(crate) unsafe fn map_file(
    at: Option<u64>,
    length: usize,
    access: c_int,
    part: Option<(&File, u64)>,
) -> io::Result<*mut u8> {
    let (flags, fd, offset) = match part {
        Some((file, offset)) => (libc::MAP_SHARED, file.as_raw_fd(), offset),
        None => (libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE, -1, 0),
    };
    let flags = if at.is_some() { flags | libc::MAP_FIXED } else { flags };
    let to = ptr::with_exposed_provenance_mut(at.unwrap_or(0) as usize);
    // SAFETY: a mapping that is replaced is one that nothing uses.
    let address = unsafe { libc::mmap(to, length, access, flags, fd, offset as i64) };
    if address == libc::MAP_FAILED { Err(io::Error::last_os_error()) } else { Ok(address.cast()) }
}

/// Returns the machine's page size, of which mappings and their places in files are multiples: 64 KiB on some AArch64 machines.
pub(crate) fn page_size() -> u64 {
    // SAFETY: the call only reads a number of the system.
    unsafe { libc::sysconf(libc::_SC_PAGESIZE) as u64 }
}

/// Addresses of this process that a file or nothing is behind, until the last user drops it.
pub(crate) struct Mapping {
    pub address: *mut u8,
    length: usize,
    /// Whether this part of the file is returned to the system when the last user drops it. A process that still maps
    /// it then reads zeros.
    pub owns_pages: bool,
}

// SAFETY: the mapping is memory of the program, which orders its accesses.
unsafe impl Send for Mapping {}
// SAFETY: the mapping itself is never changed, and the program orders its accesses.
unsafe impl Sync for Mapping {}

impl Mapping {
    pub fn new(file: Option<&File>, offset: u64, length: usize) -> io::Result<Self> {
        let access = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: the mapping is new and replaces nothing.
        let address = unsafe { map_file(None, length, access, file.map(|file| (file, offset))) }?;
        Ok(Self { address, length, owns_pages: false })
    }

    pub fn duplicate_mapping(&self) -> io::Result<Self> {
        // SAFETY: without a size the old mapping stays, and the new one overlaps nothing.
        let address = unsafe { libc::mremap(self.address.cast(), 0, self.length, libc::MREMAP_MAYMOVE) };
        if address == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        Ok(Self { address: address.cast(), length: self.length, owns_pages: false })
    }

    pub fn start_address(&self) -> u64 {
        self.address.expose_provenance() as u64
    }

    /// Returns the memory to the system. The addresses stay, and read as zeros.
    pub fn release_pages(&self) {
        // SAFETY: mapped in `new`; what is there is nobody's any more.
        unsafe {
            if self.owns_pages {
                libc::madvise(self.address.cast(), self.length, libc::MADV_REMOVE);
            }
            libc::madvise(self.address.cast(), self.length, libc::MADV_DONTNEED);
        }
    }

    pub fn contains_range(&self, start: u64, end: u64) -> bool {
        start >= self.start_address() && end <= self.start_address() + self.length as u64
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        self.release_pages();
        // SAFETY: mapped in `new`; whoever uses the addresses keeps the mapping.
        unsafe { libc::munmap(self.address.cast(), self.length) };
    }
}
