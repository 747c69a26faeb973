use std::ffi::CStr;
use std::fs::File;
use std::io;
use std::mem::ManuallyDrop;
use std::os::fd::{AsRawFd, FromRawFd, RawFd};
use std::ptr;

/// Creates a file of `size` bytes in memory. No process can make the file smaller: a process that has mapped the file
/// could crash then. If `grows` is false, no process can make the file larger either.
pub(crate) fn memory_file(name: &CStr, size: u64, grows: bool) -> io::Result<File> {
    // SAFETY: the name is a C string.
    let fd = unsafe { libc::memfd_create(name.as_ptr(), libc::MFD_CLOEXEC | libc::MFD_ALLOW_SEALING) };
    if fd == -1 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the descriptor is new, and nothing else closes it.
    let file = unsafe { File::from_raw_fd(fd) };
    file.set_len(size)?;
    let seals = libc::F_SEAL_SHRINK | libc::F_SEAL_SEAL | if grows { 0 } else { libc::F_SEAL_GROW };
    // SAFETY: the call only sets the file's seals.
    let code = unsafe { libc::fcntl(fd, libc::F_ADD_SEALS, seals) };
    if code == 0 { Ok(file) } else { Err(io::Error::last_os_error()) }
}

/// Seals an imported file, so that no process can make the file smaller. Returns whether the file has the seal.
pub(crate) fn seal_against_shrinking(file: &File) -> bool {
    // SAFETY: the calls only set and return the file's seals, or return -1 for a file that cannot have seals.
    let seals = unsafe {
        libc::fcntl(file.as_raw_fd(), libc::F_ADD_SEALS, libc::F_SEAL_SHRINK);
        libc::fcntl(file.as_raw_fd(), libc::F_GET_SEALS)
    };
    seals != -1 && seals & libc::F_SEAL_SHRINK != 0
}

pub(crate) fn is_open_fd(fd: RawFd) -> bool {
    // SAFETY: the call only returns the descriptor's flags.
    unsafe { libc::fcntl(fd, libc::F_GETFD) != -1 }
}

/// Returns a `File` that does not close its file descriptor. The descriptor must stay open while the `File` lives.
pub(crate) unsafe fn borrow_fd_as_file(fd: RawFd) -> ManuallyDrop<File> {
    // SAFETY: the caller keeps the descriptor open, and the `File`, which is never dropped, does not close it.
    ManuallyDrop::new(unsafe { File::from_raw_fd(fd) })
}

/// Maps `length` bytes and returns the address. `part` is a file and an offset in the file: the offset must be a
/// multiple of the page size. If `part` is `None`, the bytes are zeroed memory. If `at` is an address, replaces what is
/// mapped in the `length` bytes at that address: the caller must own these mappings.
pub(crate) unsafe fn map_file(
    at: Option<u64>,
    length: usize,
    part: Option<(&File, u64)>,
) -> io::Result<*mut u8> {
    let (flags, fd, offset) = match part {
        Some((file, offset)) => (libc::MAP_SHARED, file.as_raw_fd(), offset),
        None => (libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE, -1, 0),
    };
    let flags = if at.is_some() { flags | libc::MAP_FIXED } else { flags };
    let to = ptr::with_exposed_provenance_mut(at.unwrap_or(0) as usize);
    let access = libc::PROT_READ | libc::PROT_WRITE;
    // SAFETY: only a mapping of the caller is replaced.
    let address = unsafe { libc::mmap(to, length, access, flags, fd, offset as i64) };
    mmap_result(address)
}

fn mmap_result(address: *mut libc::c_void) -> io::Result<*mut u8> {
    if address == libc::MAP_FAILED { Err(io::Error::last_os_error()) } else { Ok(address.cast()) }
}

/// Returns the machine's page size, which is 64 KiB on some AArch64 machines.
pub(crate) fn page_size() -> u64 {
    // SAFETY: the call only returns a number.
    unsafe { libc::sysconf(libc::_SC_PAGESIZE) as u64 }
}

/// A mapping of a file or of zeroed memory. The addresses are unmapped when this value is dropped.
pub(crate) struct MmapRegion {
    pub address: *mut u8,
    length: usize,
    /// Whether `release_pages` also removes the bytes from the file. Other mappings of the bytes then read zeros.
    pub owns_pages: bool,
}

// SAFETY: the address is valid in every thread, and the program orders the accesses to the memory.
unsafe impl Send for MmapRegion {}
// SAFETY: the fields do not change while the mapping is shared.
unsafe impl Sync for MmapRegion {}

impl MmapRegion {
    pub fn new(file: Option<&File>, offset: u64, length: usize) -> io::Result<Self> {
        // SAFETY: without an address the mapping replaces nothing.
        let address = unsafe { map_file(None, length, file.map(|file| (file, offset))) }?;
        Ok(Self { address, length, owns_pages: false })
    }

    pub fn duplicate_mapping(&self) -> io::Result<Self> {
        // SAFETY: with the old size 0, mremap keeps the old mapping and makes a new one at free addresses.
        let address = unsafe { libc::mremap(self.address.cast(), 0, self.length, libc::MREMAP_MAYMOVE) };
        Ok(Self { address: mmap_result(address)?, length: self.length, owns_pages: false })
    }

    pub fn start_address(&self) -> u64 {
        self.address.expose_provenance() as u64
    }

    /// Returns the memory to the system. The addresses stay mapped, and read as zeros unless a file keeps the bytes.
    pub fn release_pages(&self) {
        // SAFETY: the addresses are this mapping's, and nothing uses the bytes there any more.
        unsafe {
            if self.owns_pages {
                libc::madvise(self.address.cast(), self.length, libc::MADV_REMOVE);
            }
            libc::madvise(self.address.cast(), self.length, libc::MADV_DONTNEED);
        }
    }

    pub fn contains_addresses(&self, start: u64, end: u64) -> bool {
        start >= self.start_address() && end <= self.start_address() + self.length as u64
    }
}

impl Drop for MmapRegion {
    fn drop(&mut self) {
        self.release_pages();
        // SAFETY: the addresses are this mapping's, and each user of the addresses keeps the mapping alive.
        unsafe { libc::munmap(self.address.cast(), self.length) };
    }
}
