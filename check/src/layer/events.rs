//! Whether queued work is done: an event behind the work that uses an object.
//!
//! A stream's own state does not tell: later work of the program may still run when the object's work is done.

use std::collections::HashMap;
use std::ptr;
use std::sync::Arc;

use cuda_external_sys::{CUDA_ERROR_NOT_READY, CUDA_SUCCESS, CUevent, CUstream};

use crate::layer::call::pause;
use crate::layer::driver;
use crate::layer::lock::Lock;

/// The events that are free, by their contexts.
pub type Pool = HashMap<usize, Vec<usize>>;

/// An event of the driver, which is used again when no object refers to it.
pub struct Event {
    event: usize,
    pub context: usize,
    pool: Arc<Lock<Pool>>,
}

impl Event {
    /// Records an event in a stream that is not captured. None where the driver refuses: then nothing is known of the work.
    /// Not to be called under the state's lock, nor is `is_pending`.
    pub fn record(pool: &Arc<Lock<Pool>>, context: usize, stream: usize) -> Option<Arc<Self>> {
        let free = pool.lock().get_mut(&context).and_then(Vec::pop);
        let event = free.or_else(create)?;
        let recorded = driver::event_record(event as CUevent, stream as CUstream) == CUDA_SUCCESS;
        let event = Self { event, context, pool: pool.clone() };
        recorded.then(|| Arc::new(event))
    }

    /// Whether the work before it is known to be still queued or running after some pauses. A clock may stand still.
    pub fn is_pending(&self, pauses: u32) -> bool {
        driver::outside_of_captures(|| {
            let is_pending = || driver::event_query(self.event as CUevent) == CUDA_ERROR_NOT_READY;
            is_pending() && (0..pauses).all(|_| (pause(50), is_pending()).1)
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
        self.pool.lock().entry(self.context).or_default().push(self.event);
    }
}
