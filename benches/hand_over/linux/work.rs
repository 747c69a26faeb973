//! The measured work, by this crate. work.c has the same functions in C.

use std::ffi::c_void;
use std::ptr;

use ash::vk;
use cuda_external_sys::*;

/// What the functions work on; each uses its part. work.c declares the same struct.
#[repr(C)]
pub struct Work {
    pub fd: i32,
    pub size: u64,
    pub stream: CUstream,
    pub to_vulkan: CUexternalSemaphore,
    pub to_cuda: CUexternalSemaphore,
    pub submit: vk::PFN_vkQueueSubmit,
    pub queue: vk::Queue,
    pub submission: *const c_void,
    pub value: *mut u64,
}

/// Does the work `times` times.
pub type Job = unsafe extern "C" fn(work: &mut Work, times: u64) -> CUresult;

macro_rules! attempt {
    ($call:expr) => {
        match $call {
            CUDA_SUCCESS => {}
            code => return code,
        }
    };
}

pub unsafe extern "C" fn import(work: &mut Work, times: u64) -> CUresult {
    for _ in 0..times {
        let mut handle = CUDA_EXTERNAL_MEMORY_HANDLE_DESC {
            type_: CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD,
            size: work.size,
            ..Default::default()
        };
        let buffer = CUDA_EXTERNAL_MEMORY_BUFFER_DESC { size: work.size, ..Default::default() };
        let (mut memory, mut address) = (ptr::null_mut(), 0);
        unsafe {
            handle.handle.fd = libc::dup(work.fd);
            attempt!(cuImportExternalMemory(&mut memory, &handle));
            attempt!(cuExternalMemoryGetMappedBuffer(&mut address, memory, &buffer));
            attempt!(cuMemFree_v2(address));
            attempt!(cuDestroyExternalMemory(memory));
        }
    }
    CUDA_SUCCESS
}

/// CUDA signals, Vulkan waits and signals, CUDA waits.
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
