//! What is wrong about a kernel is refused. The example `kernel` runs one on imported memory.

use std::ffi::CStr;
use std::ptr::null_mut;

use cuda_external_sys::*;
use interop::cuda::{DeviceMemory, INCREASE_PTX, Stream, read, write};
use libtest_mimic::Trial;

use crate::machine::{cuda_test, ok};

pub fn trials() -> Vec<Trial> {
    test_support::tests! {
        cuda_test => what_is_wrong_is_refused;
    }
}

struct Module(CUmodule);

impl Module {
    fn load(image: &CStr) -> Result<Self, CUresult> {
        let mut module = null_mut();
        // SAFETY: a text with a zero at its end.
        unsafe { cuModuleLoadData(&mut module, image.as_ptr().cast()) }.result()?;
        Ok(Self(module))
    }

    fn kernel(&self, name: &CStr) -> Result<CUfunction, CUresult> {
        let mut kernel = null_mut();
        // SAFETY: a text with a zero at its end, and the module lives.
        unsafe { cuModuleGetFunction(&mut kernel, self.0, name.as_ptr()) }.result()?;
        Ok(kernel)
    }
}

impl Drop for Module {
    fn drop(&mut self) {
        // SAFETY: no kernel of it runs.
        ok(unsafe { cuModuleUnload(self.0) });
    }
}

/// Launches `increase` with blocks of so many threads.
fn increase(
    kernel: CUfunction,
    stream: &Stream,
    mut words: CUdeviceptr,
    mut count: u32,
    threads: u32,
) -> CUresult {
    let mut by = 1000_u32;
    let mut arguments = [(&raw mut words).cast(), (&raw mut count).cast(), (&raw mut by).cast()];
    let (blocks, raw) = (count.div_ceil(threads.max(1)), stream.raw());
    let arguments = arguments.as_mut_ptr();
    // SAFETY: the kernel has these three arguments, and the words are mapped.
    unsafe { cuLaunchKernel(kernel, blocks, 1, 1, threads, 1, 1, 0, raw, arguments, null_mut()) }
}

fn what_is_wrong_is_refused() {
    let module = Module::load(INCREASE_PTX).unwrap();
    let kernel = module.kernel(c"increase").unwrap();
    let (stream, memory) = (Stream::new().unwrap(), DeviceMemory::new(4096).unwrap());
    let load = |text: &CStr| Module::load(text).err();
    assert_eq!(
        load(c".version 6.3\n.target sm_75\n.address_size 64\n nonsense"),
        Some(CUDA_ERROR_INVALID_PTX)
    );
    assert_eq!(
        load(c".version 99.0\n.target sm_75\n.address_size 64\n"),
        Some(CUDA_ERROR_UNSUPPORTED_PTX_VERSION)
    );
    assert_eq!(load(c"not an image"), Some(CUDA_ERROR_INVALID_IMAGE));
    assert_eq!(module.kernel(c"decrease").err(), Some(CUDA_ERROR_NOT_FOUND));
    assert_eq!(increase(kernel, &stream, memory.address, 1024, 0), CUDA_ERROR_INVALID_VALUE);
    assert_eq!(increase(kernel, &stream, memory.address, 1024, 2048), CUDA_ERROR_INVALID_VALUE);
    // None of these was an error of the context.
    write(memory.address, &[0; 4096]).unwrap();
    ok(increase(kernel, &stream, memory.address, 1024, 1024));
    stream.finish().unwrap();
    assert_eq!(read(memory.address, 4096).unwrap(), [1000_u32.to_le_bytes(); 1024].concat());
}
