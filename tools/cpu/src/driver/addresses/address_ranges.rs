//! The addresses that the driver knows, and how much of the device's memory is in use.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

pub use super::unfinished_work::MemoryOwner;
use super::unfinished_work::keep_until_work_ends;
use crate::driver::base::current_context::ContextId;
use crate::driver::base::device_ids::{self, MAX_DEVICES};
use crate::driver::base::prelude::*;

pub type KeptMappings = Vec<MemoryOwner>;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum MemoryAccess {
    Read,
    /// And reads.
    Write,
}

#[derive(Clone)]
pub enum KeptBy {
    /// Memory that stays as long as its owner, which every use keeps.
    Kept(MemoryOwner),
    /// Memory of the program, which keeps it.
    Program,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RangeKind {
    /// Allocated: the offset in the file of all of them.
    Own {
        offset: u64,
        of: AllocationSource,
    },
    Imported,
    /// Opened by an IPC handle: the file, and the offset in it. Opened again, it is here twice.
    Ipc {
        file: FileId,
        offset: u64,
    },
    /// Mapped by cuMemMap: what cuMemSetAccess has permitted.
    Virtual {
        access: Option<MemoryAccess>,
    },
    /// Allocated by cuMemAllocHost, with the flags of cuMemHostAlloc.
    Host {
        flags: u32,
    },
    /// The program's memory, pinned by cuMemHostRegister.
    Registered,
    #[cfg_attr(not(feature = "kernels"), expect(dead_code))]
    Module,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AllocationSource {
    Alloc,
    Managed,
    Pool,
    /// A node of a graph, which the memory ends with.
    Graph,
}

/// Identifies a file while it is open or mapped: its device and its number there.
pub type FileId = (u64, u64);

#[derive(Clone)]
pub struct AddressRange {
    pub start: u64,
    pub size: u64,
    pub kind: RangeKind,
    /// `None` for what belongs to no context.
    pub context: Option<ContextId>,
    pub backing: KeptBy,
    pub _charge: Option<Arc<MemoryCharge>>,
}

impl AddressRange {
    pub fn end_address(&self) -> u64 {
        self.start + self.size
    }

    fn contains_address(&self, address: u64) -> bool {
        (self.start..self.end_address()).contains(&address)
    }

    fn permits_access(&self, access: MemoryAccess) -> bool {
        match self.kind {
            RangeKind::Virtual { access: permitted } => permitted >= Some(access),
            _ => true,
        }
    }

    fn memory_owner(&self) -> Option<MemoryOwner> {
        match &self.backing {
            KeptBy::Kept(owner) => Some(owner.clone()),
            KeptBy::Program => None,
        }
    }

    pub fn overlaps_range(&self, span: AddressSpan) -> bool {
        self.start < span.end && span.start < self.end_address()
    }
}

/// Addresses that a program names. Their end is a number, and no program's sum is taken elsewhere.
#[derive(Clone, Copy)]
pub struct AddressSpan {
    pub start: u64,
    pub end: u64,
    _checked: (),
}

impl AddressSpan {
    /// Returns INVALID_VALUE where no object is so large.
    pub fn new(start: u64, size: u64) -> CudaResult<Self> {
        let end = start.checked_add(size).filter(|end| i64::try_from(*end).is_ok());
        Ok(Self { start, end: end.ok_or(CUDA_ERROR_INVALID_VALUE)?, _checked: () })
    }
}

/// The newest range is last. Memory that the program registered may begin at the same address as a mapping.
static RANGES: Mutex<Vec<AddressRange>> = Mutex::new(Vec::new());

pub fn add_range(range: AddressRange) {
    lock(&RANGES).push(range);
}

pub fn find_range(condition: impl Fn(&AddressRange) -> bool) -> Option<AddressRange> {
    lock(&RANGES).iter().rev().find(|range| condition(range)).cloned()
}

pub fn find_range_at(address: u64, kind: impl Fn(RangeKind) -> bool) -> Option<AddressRange> {
    find_range(|range| range.contains_address(address) && kind(range.kind))
}

fn take_range(
    ranges: &mut Vec<AddressRange>,
    start: u64,
    kind: impl Fn(RangeKind) -> bool,
) -> Option<AddressRange> {
    let found = ranges.iter().rposition(|range| range.start == start && kind(range.kind))?;
    Some(ranges.remove(found))
}

fn free_range(range: AddressRange) {
    if let KeptBy::Kept(owner) = range.backing {
        keep_until_work_ends(owner);
    }
}

/// Frees the range that begins here, and returns whether there is one.
pub fn remove_range_at(start: u64, kind: impl Fn(RangeKind) -> bool) -> bool {
    let removed = take_range(&mut lock(&RANGES), start, kind);
    removed.map(free_range).is_some()
}

pub fn set_range_kind(start: u64, kind: RangeKind) {
    lock(&RANGES).iter_mut().filter(|range| range.start == start).for_each(|range| range.kind = kind);
}

/// What a stream frees once it comes there. No call finds it any more, and kernels before that use it.
static PENDING_FREES: Mutex<Vec<AddressRange>> = Mutex::new(Vec::new());

/// A place in that list, by the first address.
pub struct PendingFree(u64);

impl PendingFree {
    /// Returns the size too. A kernel that looks for the memory meanwhile finds it in one of the lists.
    pub fn begin(start: u64) -> Option<(Self, u64)> {
        let (mut ranges, mut pending) = (lock(&RANGES), lock(&PENDING_FREES));
        let range = take_range(&mut ranges, start, |kind| matches!(kind, RangeKind::Own { .. }))?;
        let size = range.size;
        pending.push(range);
        Some((Self(start), size))
    }
}

impl Drop for PendingFree {
    fn drop(&mut self) {
        lock(&PENDING_FREES).retain(|range| range.start != self.0);
    }
}

pub fn remove_ranges_of_context(context: ContextId) {
    let mut ranges = lock(&RANGES);
    let is_of_context = |range: &AddressRange| range.context == Some(context);
    let (removed, kept): (Vec<_>, _) = std::mem::take(&mut *ranges).into_iter().partition(is_of_context);
    *ranges = kept;
    drop(ranges);
    removed.into_iter().for_each(free_range);
}

/// Checks that a copy or a fill may use the addresses, and returns what it must keep.
pub fn check_use(span: AddressSpan, access: MemoryAccess) -> CudaResult<KeptMappings> {
    let (mut keep, mut at, end) = (KeptMappings::new(), span.start, span.end);
    while at < end {
        // Only mappings of cuMemMap continue in one another.
        let is_enough = |range: &AddressRange| match range.kind {
            RangeKind::Virtual { .. } => range.permits_access(access),
            _ => range.end_address() >= end,
        };
        let found = find_range(|range| range.contains_address(at) && is_enough(range));
        let range = found.ok_or(CUDA_ERROR_INVALID_VALUE)?;
        at = range.end_address();
        keep.extend(range.memory_owner());
    }
    Ok(keep)
}

/// Returns what a copy must keep of the host's memory, or `None` if the memory is not pinned: the copy must then be
/// done when the call returns.
pub fn mappings_if_pinned(span: AddressSpan) -> Option<KeptMappings> {
    let range = find_range(|range| range.contains_address(span.start) && range.end_address() >= span.end)?;
    Some(range.memory_owner().into_iter().collect())
}

/// Returns the range of memory that a kernel may use. `cuMemAlloc` of an H200 allocates in steps of 512 bytes, and a kernel that uses
/// the bytes behind its buffer does not fail there (measured, driver 580.159): programs do so.
#[cfg(feature = "kernels")]
pub fn range_for_kernel(context: ContextId, address: u64) -> Option<KernelRange> {
    let whole = |range: &AddressRange| match range.kind {
        RangeKind::Own { .. } => range.start..range.start + range.size.next_multiple_of(512),
        _ => range.start..range.end_address(),
    };
    let is_usable = |range: &AddressRange| match range.kind {
        RangeKind::Host { .. } | RangeKind::Registered => true,
        RangeKind::Virtual { .. } => range.permits_access(MemoryAccess::Read),
        _ => range.context.is_none_or(|owner| owner.has_device_of(context)),
    };
    let is_it = |range: &AddressRange| whole(range).contains(&address) && is_usable(range);
    let found = find_range(is_it).or_else(|| lock(&PENDING_FREES).iter().find(|range| is_it(range)).cloned());
    found.map(|range| KernelRange {
        addresses: whole(&range),
        is_read_only: !range.permits_access(MemoryAccess::Write),
        owner: range.memory_owner(),
    })
}

/// A range as a kernel may use it, which keeps the owner until it ends.
#[cfg(feature = "kernels")]
pub struct KernelRange {
    pub addresses: std::ops::Range<u64>,
    pub is_read_only: bool,
    pub owner: Option<MemoryOwner>,
}

static USED: [AtomicU64; MAX_DEVICES] = [const { AtomicU64::new(0) }; MAX_DEVICES];

pub struct MemoryCharge {
    device: usize,
    size: u64,
}

impl MemoryCharge {
    pub fn new(device: usize, size: u64) -> CudaResult<Arc<Self>> {
        let most = device_ids::device_memory_size() as u64;
        let more = |used: u64| used.checked_add(size).filter(|used| *used <= most);
        USED[device].fetch_update(Relaxed, Relaxed, more).map_err(|_| CUDA_ERROR_OUT_OF_MEMORY)?;
        Ok(Arc::new(Self { device, size }))
    }

    pub fn charge_import(device: usize, size: u64) -> Arc<Self> {
        USED[device].fetch_add(size, Relaxed);
        Arc::new(Self { device, size })
    }
}

impl Drop for MemoryCharge {
    fn drop(&mut self) {
        USED[self.device].fetch_sub(self.size, Relaxed);
    }
}

pub fn free_device_memory(device: usize) -> usize {
    device_ids::device_memory_size().saturating_sub(USED[device].load(Relaxed) as usize)
}
