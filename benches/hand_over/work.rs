//! The loops that are measured, by this crate. work.c is the same in C.

use std::ffi::c_void;

use ash::vk;
use cuda_external_sys::*;
use interop::vulkan::{Prepared, Queue};

/// A submission to a queue of Vulkan. What it waits for and signals is in it.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Step {
    pub queue: vk::Queue,
    pub submission: *const vk::SubmitInfo<'static>,
}

impl Step {
    pub fn new(submission: &Prepared, queue: &Queue) -> Self {
        Self { queue: queue.raw, submission: submission.info() }
    }
}

/// What CUDA does before it hands over.
#[repr(u32)]
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub enum Job {
    Nothing = 0,
    /// cuMemsetD32Async, which is a kernel of the driver's own.
    Fill = 1,
    /// cuMemcpyDtoDAsync.
    Copy = 2,
    /// A kernel.
    Kernel = 3,
}

/// cuLaunchKernel, which this crate does not bind.
pub type Launch = unsafe extern "C" fn(
    function: *mut c_void,
    grid_x: u32,
    grid_y: u32,
    grid_z: u32,
    block_x: u32,
    block_y: u32,
    block_z: u32,
    shared: u32,
    stream: CUstream,
    parameters: *mut *mut c_void,
    extra: *mut *mut c_void,
) -> CUresult;

/// What the loops work on. work.c declares the same struct.
#[repr(C)]
pub struct Work {
    pub stream: CUstream,
    pub to_vulkan: CUexternalSemaphore,
    pub to_cuda: CUexternalSemaphore,
    pub submit: vk::PFN_vkQueueSubmit,
    pub steps: *const Step,
    pub step_count: u32,
    pub job: Job,
    /// The timelines' values of this turn, and of the one before the last: the submissions point to them.
    pub value: *mut u64,
    pub late: *mut u64,
    /// What CUDA writes, and the eight sources of its copies, one behind the other.
    pub to: CUdeviceptr,
    pub from: CUdeviceptr,
    pub size: u64,
    pub launch: Option<Launch>,
    pub kernel: *mut c_void,
}

/// Takes so many turns.
pub type Loop = unsafe extern "C" fn(work: &Work, times: u64) -> CUresult;

/// The threads of a block of the kernel.
const BLOCK: u32 = 256;

macro_rules! attempt {
    ($call:expr) => {
        match $call {
            CUDA_SUCCESS => {}
            code => return code,
        }
    };
}

unsafe fn signal(work: &Work) -> CUresult {
    let mut params = CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS::default();
    unsafe {
        params.params.fence.value = *work.value;
        cuSignalExternalSemaphoresAsync(&work.to_vulkan, &params, 1, work.stream)
    }
}

unsafe fn wait(work: &Work) -> CUresult {
    let mut params = CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS::default();
    unsafe {
        params.params.fence.value = *work.value;
        cuWaitExternalSemaphoresAsync(&work.to_cuda, &params, 1, work.stream)
    }
}

unsafe fn submit(work: &Work) -> CUresult {
    for at in 0..work.step_count as usize {
        unsafe {
            let step = *work.steps.add(at);
            if (work.submit)(step.queue, 1, step.submission, vk::Fence::null()) != vk::Result::SUCCESS {
                return CUDA_ERROR_UNKNOWN;
            }
        }
    }
    CUDA_SUCCESS
}

pub unsafe fn cuda_job(work: &Work) -> CUresult {
    unsafe {
        let mut value = *work.value as u32;
        let mut count = (work.size / 4) as u32;
        match work.job {
            Job::Nothing => CUDA_SUCCESS,
            Job::Fill => cuMemsetD32Async(work.to, value, count as usize, work.stream),
            Job::Copy => {
                let from = work.from + u64::from(value % 8) * work.size;
                cuMemcpyDtoDAsync_v2(work.to, from, work.size as usize, work.stream)
            }
            Job::Kernel => {
                let mut to = work.to;
                let mut parameters: [*mut c_void; 3] =
                    [(&raw mut to).cast(), (&raw mut value).cast(), (&raw mut count).cast()];
                let launch = work.launch.expect("the kernel's rows have it");
                let (blocks, parameters) = (count / BLOCK, parameters.as_mut_ptr());
                let extra = std::ptr::null_mut();
                launch(work.kernel, blocks, 1, 1, BLOCK, 1, 1, 0, work.stream, parameters, extra)
            }
        }
    }
}

/// CUDA works and signals, Vulkan waits, works and signals, CUDA waits.
pub unsafe fn turn(work: &Work) -> CUresult {
    unsafe {
        *work.value += 1;
        attempt!(cuda_job(work));
        attempt!(signal(work));
        attempt!(submit(work));
        wait(work)
    }
}

/// Each turn is over, and the CPU knows it, before the next one begins.
pub unsafe extern "C" fn one_at_a_time(work: &Work, times: u64) -> CUresult {
    for _ in 0..times {
        attempt!(unsafe { turn(work) });
        attempt!(unsafe { cuStreamSynchronize(work.stream) });
    }
    CUDA_SUCCESS
}

/// All turns are queued, and the CPU waits for the last one.
pub unsafe extern "C" fn queued(work: &Work, times: u64) -> CUresult {
    for _ in 0..times {
        attempt!(unsafe { turn(work) });
    }
    unsafe { cuStreamSynchronize(work.stream) }
}

/// Frames: Vulkan draws and signals, CUDA waits and works on that, and Vulkan's next but one frame waits for it.
pub unsafe extern "C" fn frames(work: &Work, times: u64) -> CUresult {
    for _ in 0..times {
        unsafe {
            *work.value += 1;
            *work.late = (*work.value).saturating_sub(2);
            attempt!(submit(work));
            attempt!(wait(work));
            attempt!(cuda_job(work));
            attempt!(signal(work));
        }
    }
    unsafe { cuStreamSynchronize(work.stream) }
}
