//! Imported semaphores, and the work that waits for semaphores or signals them.

use std::mem::offset_of;

use crate::driver::base::prelude::*;
use crate::shared_files::SemaphorePage;

pub static SEMAPHORES: HandleRegistry<SemaphorePage> = HandleRegistry::new(5, CUDA_ERROR_INVALID_VALUE);

pub type SignalParams = CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS;

// Waits also use `SignalParams`: the fields that this driver reads have the same offsets in the parameters of a wait.
macro_rules! same_place {
    ($($field:ident).+) => {
        offset_of!(SignalParams, $($field).+) == offset_of!(CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS, $($field).+)
    };
}
const _: () = assert!(same_place!(params.fence.value) && same_place!(flags) && same_place!(reserved));
const _: () = assert!(size_of::<SignalParams>() == size_of::<CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS>());

#[derive(Clone)]
pub struct SemaphoreWork {
    pub is_signal: bool,
    pub semaphores: Vec<CUexternalSemaphore>,
    pub params: Vec<SignalParams>,
}

// SAFETY: handles are numbers, and this driver dereferences no pointer in the parameters.
unsafe impl Send for SemaphoreWork {}
// SAFETY: nothing changes through a shared reference.
unsafe impl Sync for SemaphoreWork {}

impl SemaphoreWork {
    /// Copies the arguments of a call. Each array must have `count` elements, or be null.
    pub unsafe fn from_arguments(
        is_signal: bool,
        semaphores: *const CUexternalSemaphore,
        params: *const SignalParams,
        count: c_uint,
    ) -> CudaResult<Self> {
        let count = count as usize;
        // SAFETY: both arrays have `count` elements, or are null.
        let (semaphores, params) = unsafe { (read_array(semaphores, count)?, read_array(params, count)?) };
        Ok(Self { is_signal, semaphores: semaphores.to_vec(), params: params.to_vec() })
    }

    /// Reserves turns of binary semaphores, and returns the function that signals or waits. Skips destroyed semaphores,
    /// as NVIDIA's driver does in a graph.
    pub fn work_function(&self) -> impl Fn() -> CudaResult + Send + Sync + use<> {
        let signal = self.is_signal;
        let mut used = Vec::new();
        for (handle, params) in self.semaphores.iter().zip(&self.params) {
            let semaphore = match SEMAPHORES.look_up_handle(*handle) {
                HandleLookup::Live(semaphore) => semaphore,
                HandleLookup::Null => abort_as_driver_crashes("a semaphore is null"),
                _ => continue,
            };
            let value = semaphore.reserve_value(signal, params.params.fence.value);
            used.push((semaphore, value));
        }
        move || {
            for (semaphore, value) in &used {
                if signal { semaphore.signal(*value) } else { semaphore.wait(*value) }
            }
            Ok(())
        }
    }
}
