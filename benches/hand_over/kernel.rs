//! A kernel for CUDA's side.

use std::ptr::null_mut;

use cuda_external_sys::*;
use interop::Result;
use interop::cuda::INCREASE_PTX;

/// The threads of a block.
const BLOCK: u32 = 256;

pub struct Kernel(CUfunction);

impl Kernel {
    /// Loads the kernel, which lives as long as the context.
    pub fn load() -> Result<Self> {
        let (mut module, mut function) = (null_mut(), null_mut());
        // SAFETY: the text ends with a zero; the functions write handles.
        unsafe {
            cuModuleLoadData(&mut module, INCREASE_PTX.as_ptr().cast()).result()?;
            cuModuleGetFunction(&mut function, module, c"increase".as_ptr()).result()?;
        }
        Ok(Self(function))
    }

    /// Enqueues that each of `count` words becomes greater by 1. `count` is a multiple of the block's threads.
    ///
    /// # Safety
    ///
    /// `words` must be the address of so many words.
    pub unsafe fn increase(&self, mut words: CUdeviceptr, mut count: u32, stream: CUstream) -> CUresult {
        let (mut by, grid) = (1_u32, count / BLOCK);
        let mut arguments = [(&raw mut words).cast(), (&raw mut count).cast(), (&raw mut by).cast()];
        let arguments = arguments.as_mut_ptr();
        // SAFETY: the kernel has these three arguments.
        unsafe { cuLaunchKernel(self.0, grid, 1, 1, BLOCK, 1, 1, 0, stream, arguments, null_mut()) }
    }
}
