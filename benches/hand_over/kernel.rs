//! A kernel for CUDA's side.

use std::ffi::{CStr, c_void};
use std::ptr::null_mut;

use cuda_external_sys::*;
use interop::Result;

/// Writes `value + i` to word `i`.
const PTX: &CStr = c"
.version 6.3
.target sm_52
.address_size 64
.visible .entry fill(.param .u64 to, .param .u32 value, .param .u32 count)
{
    .reg .pred %p;
    .reg .b32 %r<7>;
    .reg .b64 %d<3>;
    ld.param.u64 %d0, [to];
    ld.param.u32 %r0, [value];
    ld.param.u32 %r1, [count];
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r3, %ntid.x;
    mov.u32 %r4, %tid.x;
    mad.lo.u32 %r5, %r2, %r3, %r4;
    setp.ge.u32 %p, %r5, %r1;
    @%p ret;
    add.u32 %r6, %r0, %r5;
    cvta.to.global.u64 %d0, %d0;
    mul.wide.u32 %d1, %r5, 4;
    add.u64 %d2, %d0, %d1;
    st.global.u32 [%d2], %r6;
    ret;
}
";

/// The threads of a block.
const BLOCK: u32 = 256;

pub struct Kernel(CUfunction);

impl Kernel {
    /// Loads the kernel, which lives as long as the context.
    pub fn load() -> Result<Self> {
        let (mut module, mut function) = (null_mut(), null_mut());
        // SAFETY: the text ends with a zero; the functions write handles.
        unsafe {
            cuModuleLoadData(&mut module, PTX.as_ptr().cast()).result()?;
            cuModuleGetFunction(&mut function, module, c"fill".as_ptr()).result()?;
        }
        Ok(Self(function))
    }

    /// Launches a thread for each of `count` words, a multiple of the block's threads.
    ///
    /// # Safety
    ///
    /// The parameters must have the kernel's types, and name memory for `count` words.
    pub unsafe fn launch(&self, count: u32, stream: CUstream, parameters: &mut [*mut c_void; 3]) -> CUresult {
        let (grid, parameters) = (count / BLOCK, parameters.as_mut_ptr());
        // SAFETY: the caller vouches for the parameters.
        unsafe { cuLaunchKernel(self.0, grid, 1, 1, BLOCK, 1, 1, 0, stream, parameters, null_mut()) }
    }
}
