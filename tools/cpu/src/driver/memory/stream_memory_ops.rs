//! Waits of a stream for a value in memory, and writes of one.

use std::ptr::with_exposed_provenance_mut;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::SeqCst};
use std::thread::sleep;
use std::time::Duration;

use crate::driver::addresses::address_ranges::{self, MemoryAccess};
use crate::driver::base::prelude::*;
use crate::driver::streams::queued_work::QueuedWork;
use crate::driver::streams::stream_queue;

struct ValueInMemory {
    address: usize,
    is_64_bits: bool,
    value: u64,
    flags: c_uint,
    _kept: address_ranges::KeptMappings,
}

impl ValueInMemory {
    fn load(&self) -> u64 {
        // SAFETY: the memory is kept, and the address is aligned.
        match self.is_64_bits {
            true => unsafe { AtomicU64::from_ptr(with_exposed_provenance_mut(self.address)) }.load(SeqCst),
            false => {
                unsafe { AtomicU32::from_ptr(with_exposed_provenance_mut(self.address)) }.load(SeqCst).into()
            }
        }
    }

    fn store(&self) {
        let (address, value) = (self.address, self.value);
        // SAFETY: the memory is kept and may be written, and the address is aligned.
        match self.is_64_bits {
            true => unsafe { AtomicU64::from_ptr(with_exposed_provenance_mut(address)) }.store(value, SeqCst),
            false => unsafe { AtomicU32::from_ptr(with_exposed_provenance_mut(address)) }
                .store(value as u32, SeqCst),
        }
    }

    /// By cuda.h's flags: at least the value (cyclic), equal, a common bit, or a bit that neither has.
    fn is_reached(&self) -> bool {
        let (found, width) = (self.load(), if self.is_64_bits { 64 } else { 32 });
        let mask = u64::MAX >> (64 - width);
        match self.flags & 3 {
            0 => found.wrapping_sub(self.value) & mask < 1 << (width - 1),
            1 => found == self.value,
            2 => found & self.value != 0,
            _ => !(found | self.value) & mask != 0,
        }
    }
}

fn enqueue_value(
    stream: CUstream,
    address: CUdeviceptr,
    (value, is_64_bits): (u64, bool),
    flags: c_uint,
    is_wait: bool,
) -> CudaResult {
    let stream = stream_queue::find_usable_stream(stream)?;
    let size = if is_64_bits { 8 } else { 4 };
    ensure_valid(address % size == 0 && flags < if is_wait { 4 } else { 2 })?;
    let access = if is_wait { MemoryAccess::Read } else { MemoryAccess::Write };
    let _kept = address_ranges::check_use(address, size, access)?;
    let used = ValueInMemory { address: address as usize, is_64_bits, value, flags, _kept };
    stream.enqueue(QueuedWork::new(CU_GRAPH_NODE_TYPE_BATCH_MEM_OP, (used, is_wait), |(used, is_wait)| {
        if !is_wait {
            used.store();
        }
        while *is_wait && !used.is_reached() {
            sleep(Duration::from_micros(50));
        }
        Ok(())
    }))
}

functions! {
    Init fn cuStreamWaitValue32 | cuStreamWaitValue32_v2 +_ptsz(
        stream: CUstream, address: CUdeviceptr, value: u32, flags: c_uint
    ) {
        enqueue_value(stream, address, (value.into(), false), flags, true)
    }
    Init fn cuStreamWaitValue64 | cuStreamWaitValue64_v2 +_ptsz(
        stream: CUstream, address: CUdeviceptr, value: u64, flags: c_uint
    ) {
        enqueue_value(stream, address, (value, true), flags, true)
    }
    Init fn cuStreamWriteValue32 | cuStreamWriteValue32_v2 +_ptsz(
        stream: CUstream, address: CUdeviceptr, value: u32, flags: c_uint
    ) {
        enqueue_value(stream, address, (value.into(), false), flags, false)
    }
    Init fn cuStreamWriteValue64 | cuStreamWriteValue64_v2 +_ptsz(
        stream: CUstream, address: CUdeviceptr, value: u64, flags: c_uint
    ) {
        enqueue_value(stream, address, (value, true), flags, false)
    }
}
