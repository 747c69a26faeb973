//! The measured work, by this crate. work.c has the same functions in C.

use std::ffi::c_void;
use std::ptr;

use ash::vk;
use cuda_external_sys::*;

/// What the functions work on; each uses its part. work.c declares the same struct.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Work {
    pub fd: i32,
    pub size: u64,
    pub stream: CUstream,
    pub from: CUdeviceptr,
    pub to: CUdeviceptr,
    pub image: CUmipmappedArray,
    pub levels: u32,
    pub width: u32,
    pub height: u32,
    pub texel: u32,
    pub to_vulkan: CUexternalSemaphore,
    pub to_cuda: CUexternalSemaphore,
    pub submit: Option<vk::PFN_vkQueueSubmit>,
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

pub unsafe extern "C" fn copy(work: &mut Work, times: u64) -> CUresult {
    for _ in 0..times {
        attempt!(unsafe { cuMemcpyDtoDAsync_v2(work.to, work.from, work.size as usize, work.stream) });
    }
    unsafe { cuStreamSynchronize(work.stream) }
}

pub unsafe extern "C" fn copy_image(work: &mut Work, times: u64) -> CUresult {
    for _ in 0..times {
        let mut offset = 0;
        for level in 0..work.levels {
            let mut array = ptr::null_mut();
            attempt!(unsafe { cuMipmappedArrayGetLevel(&mut array, work.image, level) });
            let pitch = (work.width >> level) as usize * work.texel as usize;
            let height = (work.height >> level) as usize;
            let mut copy = CUDA_MEMCPY3D {
                WidthInBytes: pitch,
                Height: height,
                Depth: 1,
                srcMemoryType: CU_MEMORYTYPE_DEVICE,
                srcDevice: work.from + offset,
                srcPitch: pitch,
                dstMemoryType: CU_MEMORYTYPE_ARRAY,
                dstArray: array,
                ..Default::default()
            };
            attempt!(unsafe { cuMemcpy3DAsync_v2(&copy, work.stream) });
            copy.srcMemoryType = CU_MEMORYTYPE_ARRAY;
            copy.srcArray = array;
            copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
            copy.dstDevice = work.to + offset;
            copy.dstPitch = pitch;
            attempt!(unsafe { cuMemcpy3DAsync_v2(&copy, work.stream) });
            offset += (pitch * height) as u64;
        }
    }
    unsafe { cuStreamSynchronize(work.stream) }
}

unsafe fn signal(work: &Work, semaphore: CUexternalSemaphore) -> CUresult {
    let mut params = CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS::default();
    unsafe {
        params.params.fence.value = *work.value;
        cuSignalExternalSemaphoresAsync(&semaphore, &params, 1, work.stream)
    }
}

unsafe fn wait(work: &Work, semaphore: CUexternalSemaphore) -> CUresult {
    let mut params = CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS::default();
    unsafe {
        params.params.fence.value = *work.value;
        cuWaitExternalSemaphoresAsync(&semaphore, &params, 1, work.stream)
    }
}

/// CUDA signals, Vulkan waits and signals, CUDA waits.
unsafe fn hand_over(work: &Work) -> CUresult {
    unsafe {
        *work.value += 1;
        attempt!(signal(work, work.to_vulkan));
        let submit = work.submit.expect("setups.rs sets it for the jobs that hand over");
        if submit(work.queue, 1, work.submission.cast(), vk::Fence::null()) != vk::Result::SUCCESS {
            return CUDA_ERROR_UNKNOWN;
        }
        wait(work, work.to_cuda)
    }
}

pub unsafe extern "C" fn hand_over_and_see(work: &mut Work, times: u64) -> CUresult {
    for _ in 0..times {
        attempt!(unsafe { hand_over(work) });
        attempt!(unsafe { cuStreamSynchronize(work.stream) });
    }
    CUDA_SUCCESS
}

pub unsafe extern "C" fn hand_over_all(work: &mut Work, times: u64) -> CUresult {
    for _ in 0..times {
        attempt!(unsafe { hand_over(work) });
    }
    unsafe { cuStreamSynchronize(work.stream) }
}

/// Without Vulkan: what CUDA signals, CUDA waits for.
pub unsafe extern "C" fn signal_and_wait(work: &mut Work, times: u64) -> CUresult {
    for _ in 0..times {
        unsafe {
            *work.value += 1;
            attempt!(signal(work, work.to_vulkan));
            attempt!(wait(work, work.to_vulkan));
        }
    }
    unsafe { cuStreamSynchronize(work.stream) }
}
