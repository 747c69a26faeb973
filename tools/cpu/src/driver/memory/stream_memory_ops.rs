//! Stream memory operations: a stream waits for a value in memory, or writes a value.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::SeqCst};
use std::thread::sleep;
use std::time::Duration;

use crate::driver::addresses::accessible_memory::{ByteSpan, PitchedRows};
use crate::driver::driver_prelude::*;

/// CU_STREAM_WAIT_VALUE_FLUSH, which this driver's devices do not support: CAN_FLUSH_REMOTE_WRITES is 0.
const WAIT_FLUSH: c_uint = 1 << 30;

const WAIT_32: CUstreamBatchMemOpType = CU_STREAM_MEM_OP_WAIT_VALUE_32;
const WAIT_64: CUstreamBatchMemOpType = CU_STREAM_MEM_OP_WAIT_VALUE_64;
const WRITE_32: CUstreamBatchMemOpType = CU_STREAM_MEM_OP_WRITE_VALUE_32;
const WRITE_64: CUstreamBatchMemOpType = CU_STREAM_MEM_OP_WRITE_VALUE_64;

struct StreamValueOperation {
    place: ByteSpan,
    is_64_bits: bool,
    value: u64,
    flags: c_uint,
    is_wait: bool,
}

impl StreamValueOperation {
    fn new(
        operation: CUstreamBatchMemOpType,
        address: CUdeviceptr,
        value: u64,
        flags: c_uint,
    ) -> CudaResult<Self> {
        let is_wait = matches!(operation, WAIT_32 | WAIT_64);
        let is_64_bits = matches!(operation, WAIT_64 | WRITE_64);
        let size = if is_64_bits { 8 } else { 4 };
        ensure(!is_wait || flags & WAIT_FLUSH == 0, CUDA_ERROR_NOT_SUPPORTED)?;
        // Writes have no flags here: CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER is only for the functions before _v2.
        ensure_valid(address % size as u64 == 0 && flags < if is_wait { 4 } else { 1 })?;
        let access = if is_wait { ReadOrWrite::Read } else { ReadOrWrite::Write };
        let row = PitchedRows::new(address, [0; 3], [0; 2], [size, 1, 1])?;
        Ok(Self { place: ByteSpan::span_in_device(row, access)?, is_64_bits, value, flags, is_wait })
    }

    fn load_value(&self) -> CudaResult<u64> {
        let at = self.place.first_byte()?;
        // SAFETY: the span has the value's size and alignment.
        Ok(match self.is_64_bits {
            true => unsafe { AtomicU64::from_ptr(at.cast()) }.load(SeqCst),
            false => unsafe { AtomicU32::from_ptr(at.cast()) }.load(SeqCst).into(),
        })
    }

    fn store_value(&self) -> CudaResult {
        let at = self.place.first_byte()?;
        // SAFETY: the span has the value's size and alignment, and permits writes.
        match self.is_64_bits {
            true => unsafe { AtomicU64::from_ptr(at.cast()) }.store(self.value, SeqCst),
            false => unsafe { AtomicU32::from_ptr(at.cast()) }.store(self.value as u32, SeqCst),
        }
        Ok(())
    }

    /// Returns whether the memory meets the wait's condition, one of cuda.h's flags GEQ (cyclic), EQ, AND and NOR.
    fn is_value_reached(&self) -> CudaResult<bool> {
        let (found, width) = (self.load_value()?, if self.is_64_bits { 64 } else { 32 });
        let mask = u64::MAX >> (64 - width);
        Ok(match self.flags & 3 {
            0 => found.wrapping_sub(self.value) & mask < 1 << (width - 1),
            1 => found == self.value,
            2 => found & self.value != 0,
            _ => !(found | self.value) & mask != 0,
        })
    }

    fn run_value_operation(&self) -> CudaResult {
        if !self.is_wait {
            return self.store_value();
        }
        while !self.is_value_reached()? {
            sleep(Duration::from_micros(50));
        }
        Ok(())
    }
}

/// Enqueues the operations as one piece of work, which runs them in order. If one is invalid, enqueues none.
fn enqueue_stream_values<V: IntoIterator<Item = CudaResult<StreamValueOperation>>>(
    stream: CUstream,
    values: impl FnOnce() -> CudaResult<V>,
) -> CudaResult {
    let stream = find_usable_stream(stream)?;
    let values = values()?.into_iter().collect::<CudaResult<Vec<_>>>()?;
    stream.enqueue_work(QueuedWork::new(CU_GRAPH_NODE_TYPE_BATCH_MEM_OP, values, |values| {
        values.iter().try_for_each(StreamValueOperation::run_value_operation)
    }))
}

/// Reads an operation of a batch. Returns `None` for a barrier, which needs no work in this driver.
unsafe fn read_batch_operation(
    params: &CUstreamBatchMemOpParams,
) -> CudaResult<Option<StreamValueOperation>> {
    // SAFETY: the program has written the fields of the operation. A write has the same fields as a wait.
    unsafe {
        match params.operation {
            operation @ (WAIT_32 | WAIT_64 | WRITE_32 | WRITE_64) => {
                let CUstreamBatchMemOpParams_waitValue { address, operand, flags, .. } = params.waitValue;
                let is_32_bits = matches!(operation, WAIT_32 | WRITE_32);
                let value = if is_32_bits { operand.value.into() } else { operand.value64 };
                StreamValueOperation::new(operation, address, value, flags).map(Some)
            }
            CU_STREAM_MEM_OP_BARRIER => ensure_valid(params.memoryBarrier.flags < 2).map(|()| None),
            CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES => Err(CUDA_ERROR_NOT_SUPPORTED),
            _ => Err(CUDA_ERROR_INVALID_VALUE),
        }
    }
}

type ValueFunction<V> = unsafe extern "C" fn(CUstream, CUdeviceptr, V, c_uint) -> CUresult;

// The functions without `_v2` are not implemented: in this driver, the attribute CAN_USE_STREAM_MEM_OPS_V1 is 0.
functions! {
    Init fn cuStreamWaitValue32_v2 +_ptsz: ValueFunction<u32>, (stream, address, value, flags) {
        enqueue_stream_values(stream, || Ok([StreamValueOperation::new(WAIT_32, address, value.into(), flags)]))
    }
    Init fn cuStreamWaitValue64_v2 +_ptsz: ValueFunction<u64>, (stream, address, value, flags) {
        enqueue_stream_values(stream, || Ok([StreamValueOperation::new(WAIT_64, address, value, flags)]))
    }
    Init fn cuStreamWriteValue32_v2 +_ptsz: ValueFunction<u32>, (stream, address, value, flags) {
        enqueue_stream_values(stream, || Ok([StreamValueOperation::new(WRITE_32, address, value.into(), flags)]))
    }
    Init fn cuStreamWriteValue64_v2 +_ptsz: ValueFunction<u64>, (stream, address, value, flags) {
        enqueue_stream_values(stream, || Ok([StreamValueOperation::new(WRITE_64, address, value, flags)]))
    }
    Init fn cuStreamBatchMemOp_v2 +_ptsz(
        stream: CUstream, count: c_uint, params: *mut CUstreamBatchMemOpParams, flags: c_uint
    ) {
        enqueue_stream_values(stream, || {
            ensure_valid(count < 256 && flags == 0)?;
            let operations = read_array(params, count as usize)?;
            Ok(operations.iter().filter_map(|params| read_batch_operation(params).transpose()))
        })
    }
}
