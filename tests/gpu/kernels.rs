//! Wrong kernels and launches are refused. The example `kernel` runs a kernel on imported memory.

use std::ffi::CStr;
use std::ptr::null_mut;

use cuda_external_sys::*;
use interop::cuda::{DeviceMemory, INCREASE_PTX, Stream, read, write};
use libtest_mimic::Trial;

use crate::machine::{cuda_test, ok};

pub fn trials() -> Vec<Trial> {
    test_support::tests! { cuda_test => what_is_wrong_is_refused; }
}

fn load(image: &CStr) -> Result<CUmodule, CUresult> {
    let mut module = null_mut();
    // SAFETY: a text with a zero at its end.
    unsafe { cuModuleLoadData(&mut module, image.as_ptr().cast()) }.result().map(|()| module)
}

fn find(module: CUmodule, name: &CStr) -> Result<CUfunction, CUresult> {
    let mut kernel = null_mut();
    // SAFETY: a text with a zero at its end, and the module lives.
    unsafe { cuModuleGetFunction(&mut kernel, module, name.as_ptr()) }.result().map(|()| kernel)
}

fn what_is_wrong_is_refused() {
    let text = c".version 6.3\n.target sm_75\n.address_size 64\n nonsense";
    assert_eq!(load(text), Err(CUDA_ERROR_INVALID_PTX));
    let text = c".version 99.0\n.target sm_75\n.address_size 64\n";
    assert_eq!(load(text), Err(CUDA_ERROR_UNSUPPORTED_PTX_VERSION));
    assert_eq!(load(c"not an image"), Err(CUDA_ERROR_INVALID_IMAGE));
    let module = load(INCREASE_PTX).unwrap();
    assert_eq!(find(module, c"decrease"), Err(CUDA_ERROR_NOT_FOUND));

    const COUNT: usize = 1024;
    let (kernel, stream) = (find(module, c"increase").unwrap(), Stream::new().unwrap());
    let memory = DeviceMemory::new(4 * COUNT).unwrap();
    write(memory.address, &[0; 4 * COUNT]).unwrap();
    let (mut words, mut count, mut by) = (memory.address, COUNT as u32, 1000_u32);
    let mut arguments = [(&raw mut words).cast(), (&raw mut count).cast(), (&raw mut by).cast()];
    let arguments = arguments.as_mut_ptr();
    // A block of so many threads.
    let launch = |threads| {
        // SAFETY: the kernel has these three arguments, and the words are there.
        unsafe { cuLaunchKernel(kernel, 1, 1, 1, threads, 1, 1, 0, stream.raw(), arguments, null_mut()) }
    };
    assert_eq!([0, 2048].map(launch), [CUDA_ERROR_INVALID_VALUE; 2]);
    // None of these was an error of the context.
    ok(launch(1024));
    stream.finish().unwrap();
    assert_eq!(read(memory.address, 4 * COUNT).unwrap(), [by.to_le_bytes(); COUNT].concat());
    // SAFETY: no kernel of it runs.
    ok(unsafe { cuModuleUnload(module) });
}
