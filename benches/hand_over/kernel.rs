//! A kernel for CUDA's side.

use std::ffi::{CStr, c_char, c_void};
use std::ptr::null_mut;

use cuda_external_sys::*;
use interop::{Error, Result};

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

type ModuleLoadData = unsafe extern "C" fn(module: *mut *mut c_void, image: *const c_void) -> CUresult;
type ModuleGetFunction =
    unsafe extern "C" fn(function: *mut *mut c_void, module: *mut c_void, name: *const c_char) -> CUresult;

type LaunchKernel = unsafe extern "C" fn(
    function: *mut c_void,
    grid: u32,
    grid_y: u32,
    grid_z: u32,
    block: u32,
    block_y: u32,
    block_z: u32,
    shared: u32,
    stream: CUstream,
    parameters: *mut *mut c_void,
    extra: *mut *mut c_void,
) -> CUresult;

/// The threads of a block.
const BLOCK: u32 = 256;

pub struct Kernel {
    launch: LaunchKernel,
    function: *mut c_void,
}

impl Kernel {
    /// Loads the kernel, which lives as long as the context.
    pub fn load() -> Result<Self> {
        let driver = load().map_err(|error| Error::Missing(error.to_string()))?;
        let symbol = |name: &CStr| {
            let missing = || Error::Missing(format!("the driver has no {}", name.to_string_lossy()));
            driver.symbol(name).ok_or_else(missing)
        };
        let (mut module, mut function) = (null_mut(), null_mut());
        // SAFETY: the functions have these types in every driver; the text ends with a zero.
        unsafe {
            let load: ModuleLoadData = std::mem::transmute(symbol(c"cuModuleLoadData")?);
            let get: ModuleGetFunction = std::mem::transmute(symbol(c"cuModuleGetFunction")?);
            let launch: LaunchKernel = std::mem::transmute(symbol(c"cuLaunchKernel")?);
            load(&mut module, PTX.as_ptr().cast()).result()?;
            get(&mut function, module, c"fill".as_ptr()).result()?;
            Ok(Self { launch, function })
        }
    }

    /// Launches a thread for each of `count` words, a multiple of the block's threads.
    ///
    /// # Safety
    ///
    /// The parameters must have the kernel's types, and name memory for `count` words.
    pub unsafe fn launch(&self, count: u32, stream: CUstream, parameters: &mut [*mut c_void; 3]) -> CUresult {
        let (grid, parameters) = (count / BLOCK, parameters.as_mut_ptr());
        // SAFETY: the caller vouches for the parameters.
        unsafe { (self.launch)(self.function, grid, 1, 1, BLOCK, 1, 1, 0, stream, parameters, null_mut()) }
    }
}
