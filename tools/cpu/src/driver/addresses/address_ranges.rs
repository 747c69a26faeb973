//! The addresses that the driver knows, and how much of each device's memory is in use.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

pub use super::address_reuse::MemoryKeepAlive;
use super::address_reuse::keep_until_work_ends;
use crate::driver::base::current_context::ContextId;
use crate::driver::base::device_count::{self, MAX_DEVICES};
use crate::driver::base::prelude::*;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ReadOrWrite {
    Read,
    /// Write access includes read access.
    Write,
}

/// The owner of memory of the program, which must keep the memory allocated.
pub struct ProgramMemory;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RangeKind {
    /// Memory that this driver allocated, with its offset in the file that backs all allocations.
    Allocated(AllocationSource, u64),
    Imported,
    /// Memory opened through an IPC handle, with its file and offset. Memory that is opened twice has two ranges.
    Ipc(FileId, u64),
    /// Mapped by cuMemMap, with the access that cuMemSetAccess has permitted.
    Virtual(Option<ReadOrWrite>),
    /// Allocated by cuMemAllocHost or cuMemHostAlloc.
    Host,
    /// The program's memory, pinned by cuMemHostRegister.
    Registered,
    #[cfg_attr(not(feature = "kernels"), expect(dead_code))]
    Module,
}

impl RangeKind {
    pub fn is_allocated_by(self, of: AllocationSource) -> bool {
        matches!(self, Self::Allocated(source, _) if source == of)
    }

    pub fn is_virtual(self) -> bool {
        matches!(self, Self::Virtual(_))
    }

    pub fn is_host(self) -> bool {
        self == Self::Host
    }

    pub fn is_pinned(self) -> bool {
        self.is_host() || self == Self::Registered
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AllocationSource {
    Alloc,
    Managed,
    Pool,
    /// Allocated by a node of a graph. The memory is freed with the node.
    Graph,
}

/// The device and inode numbers of a file, which identify the file while it is open or mapped.
pub type FileId = (u64, u64);

#[derive(Clone)]
pub struct AddressRange {
    pub start: u64,
    pub size: u64,
    pub kind: RangeKind,
    /// `None` for memory that belongs to no context.
    pub context: Option<ContextId>,
    /// The memory stays mapped while a clone of this value lives. Each use of the range holds a clone.
    owner: MemoryKeepAlive,
    _charge: Option<Arc<MemoryCharge>>,
    /// Whether an enqueued operation will free the memory. Until then kernels can use the range, but calls cannot.
    is_free_pending: bool,
}

impl AddressRange {
    pub fn end_address(&self) -> u64 {
        self.start + self.size
    }

    fn contains_address(&self, address: u64) -> bool {
        (self.start..self.end_address()).contains(&address)
    }

    fn permits_access(&self, access: ReadOrWrite) -> bool {
        match self.kind {
            RangeKind::Virtual(permitted) => permitted >= Some(access),
            _ => true,
        }
    }
}

/// The addresses from `start` up to `end`, without `end`. [`Self::new`] has checked that the end does not overflow.
#[derive(Clone, Copy)]
pub struct AddressSpan {
    pub start: u64,
    pub end: u64,
    _checked: (),
}

impl AddressSpan {
    /// Returns the span, or INVALID_VALUE if the end is above `i64::MAX`: no process has memory there.
    pub fn new(start: u64, size: u64) -> CudaResult<Self> {
        let end = start.checked_add(size).filter(|end| i64::try_from(*end).is_ok());
        Ok(Self { start, end: end.ok_or(CUDA_ERROR_INVALID_VALUE)?, _checked: () })
    }
}

/// The known ranges, the newest last. A range that the program registered may begin where another range begins.
static RANGES: Mutex<Vec<AddressRange>> = Mutex::new(Vec::new());

pub fn add_range(
    (start, size): (u64, u64),
    kind: RangeKind,
    context: Option<ContextId>,
    owner: MemoryKeepAlive,
    _charge: Option<Arc<MemoryCharge>>,
) {
    lock(&RANGES).push(AddressRange { start, size, kind, context, owner, _charge, is_free_pending: false });
}

/// Adds a range once more, so that the range must be freed twice.
pub fn add_range_again(range: AddressRange) {
    lock(&RANGES).push(range);
}

pub fn find_range_where(condition: impl Fn(&AddressRange) -> bool) -> Option<AddressRange> {
    lock(&RANGES).iter().rev().find(|range| !range.is_free_pending && condition(range)).cloned()
}

pub fn find_range_containing(address: u64, kind: impl Fn(RangeKind) -> bool) -> Option<AddressRange> {
    find_range_where(|range| range.contains_address(address) && kind(range.kind))
}

pub fn overlaps_known_range(span: AddressSpan, kind: impl Fn(RangeKind) -> bool) -> bool {
    let overlaps = |range: &AddressRange| range.start < span.end && span.start < range.end_address();
    find_range_where(|range| kind(range.kind) && overlaps(range)).is_some()
}

/// Removes the newest range that begins at `start` and passes `kind`. Returns whether there was such a range.
pub fn remove_range_at(start: u64, kind: impl Fn(RangeKind) -> bool) -> bool {
    let mut ranges = lock(&RANGES);
    let is_it = |range: &AddressRange| range.start == start && kind(range.kind) && !range.is_free_pending;
    let removed = ranges.iter().rposition(is_it).map(|found| ranges.remove(found));
    drop(ranges);
    removed.map(|range| keep_until_work_ends(range.owner)).is_some()
}

/// Changes the access of a mapping of cuMemMap. A range that the program registered may start at the same address.
pub fn set_mapping_access(start: u64, access: Option<ReadOrWrite>) {
    for range in lock(&RANGES).iter_mut().filter(|range| range.start == start) {
        if let RangeKind::Virtual(current) = &mut range.kind {
            *current = access;
        }
    }
}

/// The address of memory that a stream will free. Dropping this value frees the memory.
pub struct PendingFree(u64);

impl PendingFree {
    /// Marks the allocation at `start`, which a stream will free. Returns the pending free and the allocation's size.
    pub fn begin_free(start: u64) -> Option<(Self, u64)> {
        let is_it = |range: &AddressRange| {
            range.start == start && matches!(range.kind, RangeKind::Allocated(..)) && !range.is_free_pending
        };
        let mut ranges = lock(&RANGES);
        let range = ranges.iter_mut().rfind(|range| is_it(range))?;
        range.is_free_pending = true;
        Some((Self(start), range.size))
    }
}

impl Drop for PendingFree {
    fn drop(&mut self) {
        lock(&RANGES).retain(|range| range.start != self.0 || !range.is_free_pending);
    }
}

pub fn remove_ranges_of_context(context: ContextId) {
    let mut ranges = lock(&RANGES);
    let is_of_context = |range: &AddressRange| range.context == Some(context) && !range.is_free_pending;
    let (removed, kept): (Vec<_>, _) = std::mem::take(&mut *ranges).into_iter().partition(is_of_context);
    *ranges = kept;
    drop(ranges);
    removed.into_iter().for_each(|range| keep_until_work_ends(range.owner));
}

/// Checks that the memory permits the access, and returns the values that keep the memory mapped.
pub fn check_memory_access(span: AddressSpan, access: ReadOrWrite) -> CudaResult<Vec<MemoryKeepAlive>> {
    let (mut owners, mut at, end) = (Vec::new(), span.start, span.end);
    while at < end {
        // The span may continue in the next range only after a mapping of cuMemMap.
        let is_enough = |range: &AddressRange| match range.kind {
            RangeKind::Virtual(_) => range.permits_access(access),
            _ => range.end_address() >= end,
        };
        let found = find_range_where(|range| range.contains_address(at) && is_enough(range));
        let range = found.ok_or(CUDA_ERROR_INVALID_VALUE)?;
        at = range.end_address();
        owners.push(range.owner);
    }
    Ok(owners)
}

/// Returns the values that keep the span's memory mapped, or `None` if the driver knows no range with the whole span:
/// the memory is then pageable. The program may free pageable memory as soon as the call that copies this memory
/// returns.
pub fn keep_alive_of_pinned_memory(span: AddressSpan) -> Option<Vec<MemoryKeepAlive>> {
    let range =
        find_range_where(|range| range.contains_address(span.start) && range.end_address() >= span.end)?;
    Some(vec![range.owner])
}

/// Returns the newest range that has `address` and that a kernel of `context` may use, or `None`. The range of an
/// allocation is rounded up to a multiple of 512 bytes: kernels can use the added bytes (measured, H200, 580.159).
#[cfg(feature = "kernels")]
pub fn range_for_kernel(context: ContextId, address: u64) -> Option<KernelMemoryRange> {
    let whole = |range: &AddressRange| match range.kind {
        RangeKind::Allocated(..) => range.start..range.start + range.size.next_multiple_of(512),
        _ => range.start..range.end_address(),
    };
    // A kernel can use the memory of every context of its device (measured on an H100).
    let has_same_device = |owner: ContextId| owner.0 % MAX_DEVICES as u64 == context.0 % MAX_DEVICES as u64;
    let is_usable = |range: &AddressRange| match range.kind {
        RangeKind::Virtual(_) => range.permits_access(ReadOrWrite::Read),
        kind => kind.is_pinned() || range.context.is_none_or(has_same_device),
    };
    let is_it = |range: &AddressRange| whole(range).contains(&address) && is_usable(range);
    lock(&RANGES).iter().rev().find(|range| is_it(range)).map(|range| KernelMemoryRange {
        addresses: whole(range),
        is_read_only: !range.permits_access(ReadOrWrite::Write),
        owner: range.owner.clone(),
    })
}

/// A range that a kernel may use. A launch keeps `owner` until the kernel ends.
#[cfg_attr(not(feature = "kernels"), expect(dead_code))]
pub struct KernelMemoryRange {
    pub addresses: Range<u64>,
    pub is_read_only: bool,
    pub owner: MemoryKeepAlive,
}

static USED_BYTES: [AtomicU64; MAX_DEVICES] = [const { AtomicU64::new(0) }; MAX_DEVICES];

/// An amount of a device's memory that counts as used until this value is dropped.
pub struct MemoryCharge {
    device: usize,
    size: u64,
}

impl MemoryCharge {
    pub fn new(device: usize, size: u64) -> CudaResult<Arc<Self>> {
        let most = device_count::device_memory_size() as u64;
        let more = |used: u64| used.checked_add(size).filter(|used| *used <= most);
        USED_BYTES[device].fetch_update(Relaxed, Relaxed, more).map_err(|_| CUDA_ERROR_OUT_OF_MEMORY)?;
        Ok(Arc::new(Self { device, size }))
    }

    pub fn charge_imported_memory(device: usize, size: u64) -> Arc<Self> {
        USED_BYTES[device].fetch_add(size, Relaxed);
        Arc::new(Self { device, size })
    }
}

impl Drop for MemoryCharge {
    fn drop(&mut self) {
        USED_BYTES[self.device].fetch_sub(self.size, Relaxed);
    }
}

pub fn unused_device_memory(device: usize) -> usize {
    device_count::device_memory_size().saturating_sub(USED_BYTES[device].load(Relaxed) as usize)
}
