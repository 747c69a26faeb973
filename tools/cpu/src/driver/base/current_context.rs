use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ffi::c_uint;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use cuda_external_sys::*;

use super::cuda_result::CudaResult;
use super::device_count::MAX_DEVICES;
pub use super::handle_registry::ContextId;
use super::handle_registry::HandleRegistry;
use crate::thread_signals_and_values::PerThreadValue;

pub struct Context {
    pub id: ContextId,
    pub device: usize,
    /// The code that calls in this context return after work in the context has failed; 0 before.
    lost: AtomicU32,
    /// The limits by their numbers in cuda.h. They have no effect in this driver.
    pub limits: Mutex<BTreeMap<c_uint, usize>>,
}

/// The default limits of a context on a GPU (measured).
const DEFAULT_LIMITS: [(c_uint, usize); 7] =
    [(0, 1024), (1, 8_650_752), (2, 8 << 20), (4, 2048), (5, 64), (6, 0), (7, 227 << 10)];

pub static CONTEXTS: HandleRegistry<Context> = HandleRegistry::new(1, CUDA_ERROR_INVALID_CONTEXT);

static CONTEXT_STACK: PerThreadValue<RefCell<Vec<u64>>> = PerThreadValue::new();

impl Context {
    pub fn new(device: usize) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let id = ContextId(NEXT.fetch_add(MAX_DEVICES as u64, Ordering::Relaxed) + device as u64);
        Self { id, device, lost: AtomicU32::new(0), limits: Mutex::new(DEFAULT_LIMITS.into()) }
    }

    pub fn ensure_context_not_lost(&self) -> CudaResult {
        match self.lost.load(Ordering::Relaxed) {
            0 => Ok(()),
            code => Err(code.into()),
        }
    }

    pub fn mark_context_lost(&self, code: CUresult) {
        _ = self.lost.compare_exchange(0, code.0, Ordering::Relaxed, Ordering::Relaxed);
    }
}

pub fn current_number() -> Option<u64> {
    CONTEXT_STACK.with_value(|stack| stack.borrow().last().copied())
}

pub fn push_current_context(number: u64) {
    CONTEXT_STACK.with_value(|stack| stack.borrow_mut().push(number));
}

pub fn pop_current_context() -> Option<u64> {
    CONTEXT_STACK.with_value(|stack| stack.borrow_mut().pop())
}

pub fn find_context_by_id(id: ContextId) -> Option<(u64, Arc<Context>)> {
    CONTEXTS.find_object_where(|context| context.id == id)
}

pub fn current_context() -> CudaResult<Arc<Context>> {
    let number = current_number().ok_or(CUDA_ERROR_INVALID_CONTEXT)?;
    let context = CONTEXTS.find_object(number).map_err(|_| CUDA_ERROR_CONTEXT_IS_DESTROYED)?;
    context.ensure_context_not_lost()?;
    Ok(context)
}

pub fn given_or_current_context(context: CUcontext) -> CudaResult<Arc<Context>> {
    if context.is_null() { current_context() } else { CONTEXTS.find_object(context) }
}

/// Returns the thread's current context, or `None` if none is current. A destroyed or lost context is an error.
pub fn current_context_or_none() -> CudaResult<Option<Arc<Context>>> {
    current_number().map(|_| current_context()).transpose()
}

pub fn mark_current_context_lost() {
    if let Ok(context) = current_context() {
        context.mark_context_lost(CUDA_ERROR_LAUNCH_FAILED);
    }
}
