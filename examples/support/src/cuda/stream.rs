//! A stream, and the calls that enqueue work in it.

use std::ptr;
use std::thread;
use std::time::{Duration, Instant};

use cuda_external_sys::*;

use super::imported_semaphore::{ImportedSemaphore, SignalWaitArrays};
use super::primary_context::assert_teardown_succeeded;
use crate::{Error, Result};

/// How long [`Stream::finish`] waits before it returns an error.
const TIMEOUT: Duration = Duration::from_secs(60);

/// A stream that does not synchronize with the default stream.
pub struct Stream {
    raw: CUstream,
}

impl Stream {
    pub fn new() -> Result<Self> {
        let mut raw = ptr::null_mut();
        // SAFETY: the pointer is to a variable here.
        unsafe { cuStreamCreate(&mut raw, CU_STREAM_NON_BLOCKING.0) }.result()?;
        Ok(Self { raw })
    }

    pub fn raw(&self) -> CUstream {
        self.raw
    }

    /// Enqueues a signal of all semaphores, each with its value. CUDA ignores the value for a binary semaphore.
    pub fn signal(&self, semaphores: &[(&ImportedSemaphore, u64)]) -> Result<()> {
        let mut values = SignalWaitArrays::new(semaphores);
        let CUDA_EXT_SEM_SIGNAL_NODE_PARAMS { extSemArray, paramsArray, numExtSems } =
            values.signal_node_params();
        // SAFETY: both arrays have `numExtSems` elements, which the driver copies.
        unsafe { cuSignalExternalSemaphoresAsync(extSemArray, paramsArray, numExtSems, self.raw) }
            .result()?;
        Ok(())
    }

    /// Enqueues a wait for all semaphores, each with its value. CUDA ignores the value for a binary semaphore.
    pub fn wait(&self, semaphores: &[(&ImportedSemaphore, u64)]) -> Result<()> {
        let mut values = SignalWaitArrays::new(semaphores);
        let CUDA_EXT_SEM_WAIT_NODE_PARAMS { extSemArray, paramsArray, numExtSems } =
            values.wait_node_params();
        // SAFETY: both arrays have `numExtSems` elements, which the driver copies.
        unsafe { cuWaitExternalSemaphoresAsync(extSemArray, paramsArray, numExtSems, self.raw) }.result()?;
        Ok(())
    }

    pub fn copy_async(&self, to: CUdeviceptr, from: CUdeviceptr, length: usize) -> Result<()> {
        // SAFETY: the driver checks both ranges.
        Ok(unsafe { cuMemcpyDtoDAsync(to, from, length, self.raw) }.result()?)
    }

    pub fn fill_async(&self, address: CUdeviceptr, byte: u8, length: usize) -> Result<()> {
        // SAFETY: the driver checks the range.
        Ok(unsafe { cuMemsetD8Async(address, byte, length, self.raw) }.result()?)
    }

    pub fn is_done(&self) -> Result<bool> {
        // SAFETY: the stream lives.
        match unsafe { cuStreamQuery(self.raw) } {
            CUDA_ERROR_NOT_READY => Ok(false),
            code => Ok(code.result().map(|()| true)?),
        }
    }

    /// Waits until all work in the stream is done, without a time limit. With the context's default flags,
    /// the waiting thread usually spins.
    pub fn synchronize(&self) -> Result<()> {
        // SAFETY: the stream lives.
        Ok(unsafe { cuStreamSynchronize(self.raw) }.result()?)
    }

    /// Waits until all work in the stream is done. Returns an error if this takes more than a minute.
    pub fn finish(&self) -> Result<()> {
        let end = Instant::now() + TIMEOUT;
        while !self.is_done()? {
            if Instant::now() > end {
                return Err(Error::Failed(format!("the stream's work is not done after {TIMEOUT:?}")));
            }
            thread::sleep(Duration::from_micros(200));
        }
        Ok(())
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        // SAFETY: nothing uses the stream after this. Work that is left in it still completes.
        assert_teardown_succeeded(&[unsafe { cuStreamDestroy(self.raw) }]);
    }
}
