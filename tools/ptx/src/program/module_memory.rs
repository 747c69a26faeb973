//! A module's variables, and the heap from which the module's kernels allocate with `malloc`. `free` does not return
//! memory to the system: a kernel that uses freed memory accesses the heap, not other memory of the process.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Mutex, OnceLock, PoisonError};

/// The default size of a GPU's heap.
const HEAP_BYTES: u64 = 8 << 20;
/// A GPU's `malloc` returns addresses that are multiples of this number.
const ALIGNMENT: u64 = 16;

pub struct ModuleMemory {
    /// The addresses of the variables, inside `_words`.
    pub variables: Range<u64>,
    pub _words: Vec<u64>,
    pub heap: DeviceHeap,
}

#[derive(Default)]
pub struct DeviceHeap {
    /// The memory, and the address of its first word.
    words: OnceLock<(Vec<u64>, u64)>,
    /// The sizes of the allocations, by their offsets in the heap.
    allocations: Mutex<BTreeMap<u64, u64>>,
}

impl DeviceHeap {
    /// Returns the heap's range of addresses, or `None` before the first allocation.
    pub fn address_range(&self) -> Option<Range<u64>> {
        let start = self.words.get()?.1.next_multiple_of(ALIGNMENT);
        Some(start..start + HEAP_BYTES)
    }

    pub fn allocate_bytes(&self, bytes: u64) -> u64 {
        self.words.get_or_init(|| {
            let mut words = vec![0; (HEAP_BYTES / 8 + 1) as usize];
            let start = words.as_mut_ptr().expose_provenance() as u64;
            (words, start)
        });
        let Some(range) = self.address_range() else { return 0 };
        let Some(size) = bytes.max(1).checked_next_multiple_of(ALIGNMENT) else { return 0 };
        let mut allocations = self.allocations.lock().unwrap_or_else(PoisonError::into_inner);
        let mut end = 0;
        for (offset, taken) in allocations.iter() {
            if offset - end >= size {
                break;
            }
            end = offset + taken;
        }
        if HEAP_BYTES - end < size {
            return 0;
        }
        allocations.insert(end, size);
        range.start + end
    }

    pub fn free_allocation(&self, address: u64) {
        if let Some(range) = self.address_range() {
            let mut allocations = self.allocations.lock().unwrap_or_else(PoisonError::into_inner);
            allocations.remove(&address.wrapping_sub(range.start));
        }
    }
}
