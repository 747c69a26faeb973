//! Whether queued work is done: an event behind the work that uses an object.
//!
//! A stream's own state does not tell: later work of the program's may still run when the object's work is done.

use std::collections::HashMap;
use std::ptr;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use cuda_external_sys::{CUDA_ERROR_NOT_READY, CUDA_SUCCESS, CUevent, CUstream};

use crate::layer::driver;

/// An event of the driver's, which is used again when no object refers to it.
#[derive(Debug)]
pub struct Event {
    event: usize,
    context: usize,
}

/// The events that are free, by their contexts. Nobody waits for the lock, which a forked process may find taken.
static POOL: Mutex<Option<HashMap<usize, Vec<usize>>>> = Mutex::new(None);

impl Event {
    /// Records an event in a stream that is not captured. None where the driver refuses: then nothing is known of the work.
    pub fn record(context: usize, stream: usize) -> Option<Arc<Self>> {
        let free = POOL.try_lock().ok()?.get_or_insert_default().get_mut(&context).and_then(Vec::pop);
        let event = free.or_else(create)?;
        let recorded = driver::event_record(event as CUevent, stream as CUstream) == CUDA_SUCCESS;
        let event = Self { event, context };
        recorded.then(|| Arc::new(event))
    }

    /// The context that it is of.
    pub fn context(&self) -> usize {
        self.context
    }

    /// Whether the work before it is known to be still queued or running after a time.
    pub fn is_pending(&self, after: Duration) -> bool {
        let began = Instant::now();
        driver::outside_of_captures(|| {
            loop {
                let is_pending = driver::event_query(self.event as CUevent) == CUDA_ERROR_NOT_READY;
                if !is_pending || began.elapsed() >= after {
                    return is_pending;
                }
            }
        })
    }
}

fn create() -> Option<usize> {
    const DISABLE_TIMING: u32 = 2;
    let mut event: CUevent = ptr::null_mut();
    let code = driver::outside_of_captures(|| driver::event_create(&mut event, DISABLE_TIMING));
    (code == CUDA_SUCCESS).then(|| event.addr())
}

impl Drop for Event {
    fn drop(&mut self) {
        if let Ok(mut pool) = POOL.try_lock() {
            pool.get_or_insert_default().entry(self.context).or_default().push(self.event);
        }
    }
}

/// The context's events went with it.
pub fn forget(context: usize) {
    if let Ok(mut pool) = POOL.try_lock() {
        pool.get_or_insert_default().remove(&context);
    }
}
