//! The measured work, by this crate. work.c has the same in C.

use std::ffi::c_void;

use ash::vk;
use cuda_external_sys::*;

/// What the function works on. work.c declares the same struct.
#[repr(C)]
pub struct Work {
    pub stream: CUstream,
    pub to_vulkan: CUexternalSemaphore,
    pub to_cuda: CUexternalSemaphore,
    pub submit: vk::PFN_vkQueueSubmit,
    pub queue: vk::Queue,
    pub submission: *const c_void,
    pub value: *mut u64,
}

macro_rules! attempt {
    ($call:expr) => {
        match $call {
            CUDA_SUCCESS => {}
            code => return code,
        }
    };
}

/// CUDA signals, Vulkan waits and signals, CUDA waits: so many times.
pub unsafe extern "C" fn hand_over(work: &mut Work, times: u64) -> CUresult {
    for _ in 0..times {
        let mut signal = CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS::default();
        let mut wait = CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS::default();
        unsafe {
            *work.value += 1;
            signal.params.fence.value = *work.value;
            wait.params.fence.value = *work.value;
            attempt!(cuSignalExternalSemaphoresAsync(&work.to_vulkan, &signal, 1, work.stream));
            let submitted = (work.submit)(work.queue, 1, work.submission.cast(), vk::Fence::null());
            if submitted != vk::Result::SUCCESS {
                return CUDA_ERROR_UNKNOWN;
            }
            attempt!(cuWaitExternalSemaphoresAsync(&work.to_cuda, &wait, 1, work.stream));
        }
    }
    unsafe { cuStreamSynchronize(work.stream) }
}
