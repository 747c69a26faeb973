//! Which addresses the driver knows, and what the device's memory is used for.

use std::collections::{BTreeMap, HashMap};
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};
use std::ptr;
use std::sync::{Arc, Mutex};

use cuda_external_sys::*;

use super::call::{Answer, check};
use super::{device, lock};

/// Addresses of this process that a file or nothing is behind, until the last user drops it.
pub struct Mapping {
    pub address: *mut u8,
    length: usize,
    pub at_end: Option<AtEnd>,
}

/// What a mapping calls at its end with this offset and its length.
pub type AtEnd = (fn(u64, u64), u64);

// SAFETY: the mapping is memory of the program, which orders its accesses.
unsafe impl Send for Mapping {}
// SAFETY: as above.
unsafe impl Sync for Mapping {}

impl Mapping {
    /// Maps a part of a file, which begins at a whole page; without a file, memory of zeros.
    pub fn new(file: Option<BorrowedFd>, offset: u64, length: usize) -> io::Result<Self> {
        let (flags, fd) = match file {
            Some(fd) => (libc::MAP_SHARED, fd.as_raw_fd()),
            None => (libc::MAP_PRIVATE | libc::MAP_ANONYMOUS, -1),
        };
        let access = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: a new mapping, which overlaps nothing.
        let address = unsafe { libc::mmap(ptr::null_mut(), length, access, flags, fd, offset as i64) };
        if address == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        Ok(Self { address: address.cast(), length, at_end: None })
    }

    /// Maps the same part of the file at other addresses.
    pub fn again(&self) -> io::Result<Self> {
        // SAFETY: without a size the old mapping stays, and the new one overlaps nothing.
        let address = unsafe { libc::mremap(self.address.cast(), 0, self.length, libc::MREMAP_MAYMOVE) };
        if address == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        Ok(Self { address: address.cast(), length: self.length, at_end: None })
    }

    pub fn start(&self) -> u64 {
        self.address.addr() as u64
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: mapped in `new`; whoever uses the addresses keeps the mapping.
        unsafe { libc::munmap(self.address.cast(), self.length) };
        if let Some((at_end, offset)) = self.at_end {
            at_end(offset, self.length as u64);
        }
    }
}

/// What work keeps while it uses addresses.
pub type Keep = Vec<Arc<Mapping>>;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Of cuMemAlloc: the offset in the file of all of them.
    Own { offset: u64 },
    /// A mapped buffer of an import.
    Imported,
    /// Opened by an IPC handle: the process, the offset in its file, and how often.
    Ipc { process: u32, offset: u64, opened: u32 },
    /// Mapped by cuMemMap: whether cuMemSetAccess has permitted its use.
    Virtual { accessible: bool },
    /// Of cuMemAllocHost.
    Host,
    /// The program's memory, pinned by cuMemHostRegister.
    Registered,
}

#[derive(Clone)]
pub struct Range {
    pub start: u64,
    pub size: u64,
    pub kind: Kind,
    pub context: u64,
    /// `None` for addresses that others map.
    pub mapping: Option<Arc<Mapping>>,
    pub _charge: Option<Arc<Charge>>,
}

impl Range {
    pub fn end(&self) -> u64 {
        self.start + self.size
    }

    fn contains(&self, address: u64) -> bool {
        (self.start..self.end()).contains(&address)
    }
}

/// By start; registered memory of the program may start where a mapping does.
static RANGES: Mutex<BTreeMap<(u64, u64), Range>> = Mutex::new(BTreeMap::new());

pub fn add(range: Range) {
    let mut ranges = lock(&RANGES);
    let number =
        ranges.range((range.start, 0)..=(range.start, u64::MAX)).next_back().map_or(0, |(key, _)| key.1 + 1);
    ranges.insert((range.start, number), range);
}

/// Removes a range that starts at the address.
pub fn take(start: u64, kind: impl Fn(Kind) -> bool) -> Option<Range> {
    let mut ranges = lock(&RANGES);
    let mut found = ranges.range((start, 0)..=(start, u64::MAX)).rev();
    let key = found.find(|(_, range)| kind(range.kind)).map(|(key, _)| *key)?;
    ranges.remove(&key)
}

/// Changes a range that starts at the address.
pub fn change<T>(start: u64, change: impl FnOnce(&mut Range) -> T) -> Option<T> {
    let mut ranges = lock(&RANGES);
    ranges.range_mut((start, 0)..=(start, u64::MAX)).next().map(|(_, range)| change(range))
}

/// Returns the range that contains the address.
pub fn find(address: u64, kind: impl Fn(Kind) -> bool) -> Option<Range> {
    let ranges = lock(&RANGES);
    let mut before = ranges.range(..=(address, u64::MAX)).rev();
    before.find(|(_, range)| range.contains(address) && kind(range.kind)).map(|(_, range)| range.clone())
}

/// Returns the first range for which the condition holds.
pub fn find_any(condition: impl Fn(&Range) -> bool) -> Option<Range> {
    lock(&RANGES).values().find(|range| condition(range)).cloned()
}

/// Removes the ranges of a context.
pub fn remove_of(context: u64) {
    let mut ranges = lock(&RANGES);
    let (removed, kept) =
        std::mem::take(&mut *ranges).into_iter().partition(|(_, range)| range.context == context);
    *ranges = kept;
    drop(ranges);
    drop::<BTreeMap<_, _>>(removed);
}

/// Checks that a copy or a fill may use the addresses, and returns what it must keep.
pub fn check_use(address: u64, size: u64) -> Answer<Keep> {
    let (mut keep, mut at) = (Keep::new(), address);
    let end = address.checked_add(size).ok_or(CUDA_ERROR_INVALID_VALUE)?;
    while at < end {
        let found = find(at, |kind| kind != Kind::Virtual { accessible: false });
        let range = found.ok_or(CUDA_ERROR_INVALID_VALUE)?;
        // Only mappings of cuMemMap continue in one another.
        check(range.end() >= end || matches!(range.kind, Kind::Virtual { .. }), CUDA_ERROR_INVALID_VALUE)?;
        at = range.end();
        keep.extend(range.mapping);
    }
    Ok(keep)
}

/// Returns what a copy must keep of the host's memory, or `None` where it is not pinned: the copy must then be done when the
/// call returns.
pub fn pinned(address: u64, size: u64) -> Option<Keep> {
    let range = find(address, |_| true).filter(|range| range.end() - address >= size)?;
    Some(range.mapping.into_iter().collect())
}

/// Returns what a kernel must keep, which uses any address.
pub fn all_of(context: u64) -> Keep {
    let ranges = lock(&RANGES);
    ranges
        .values()
        .filter(|range| range.context == context)
        .filter_map(|range| range.mapping.clone())
        .collect()
}

/// What takes memory of a device: a file counts once, however often it is imported.
type Key = (usize, u64, u64);

static USED: Mutex<Option<HashMap<Key, (u64, u32)>>> = Mutex::new(None);

/// A part of a device's memory that is in use.
pub struct Charge(Key);

impl Charge {
    /// Returns OUT_OF_MEMORY where the device has not so much left.
    pub fn new(device: usize, file: (u64, u64), size: u64) -> Answer<Arc<Self>> {
        let key = (device, file.0, file.1);
        let mut used = lock(&USED);
        let used = used.get_or_insert_default();
        let total: u64 = used.iter().filter(|(key, _)| key.0 == device).map(|(_, (size, _))| size).sum();
        let is_new = !used.contains_key(&key);
        check(!is_new || size <= (device::memory() as u64).saturating_sub(total), CUDA_ERROR_OUT_OF_MEMORY)?;
        used.entry(key).or_insert((size, 0)).1 += 1;
        Ok(Arc::new(Self(key)))
    }

    /// For memory of a file.
    pub fn of_file(device: usize, fd: BorrowedFd, size: u64) -> Answer<Arc<Self>> {
        Self::new(device, identity(fd).unwrap_or_default(), size)
    }
}

impl Drop for Charge {
    fn drop(&mut self) {
        let mut used = lock(&USED);
        let Some(used) = used.as_mut() else { return };
        if let Some((_, count)) = used.get_mut(&self.0) {
            *count -= 1;
            if *count == 0 {
                used.remove(&self.0);
            }
        }
    }
}

/// Returns how much of a device's memory is in use.
pub fn used(device: usize) -> u64 {
    let used = lock(&USED);
    let all = used.iter().flatten().filter(|(key, _)| key.0 == device);
    all.map(|(_, (size, _))| size).sum()
}

/// Returns what tells a file from every other one.
pub fn identity(fd: BorrowedFd) -> Option<(u64, u64)> {
    let mut stat = std::mem::MaybeUninit::<libc::stat>::zeroed();
    // SAFETY: the function writes one `stat`, which may be all zeros.
    let (code, stat) = unsafe { (libc::fstat(fd.as_raw_fd(), stat.as_mut_ptr()), stat.assume_init()) };
    (code == 0).then_some((stat.st_dev, stat.st_ino))
}
