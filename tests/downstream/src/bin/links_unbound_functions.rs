//! Calls functions that cuda-external-sys lacks, declared by `extern_driver!`, in an extern block, or by cudarc.

use std::ptr;

use cuda_external_sys::*;

extern_driver! {
    #[link_name = "cuMemAdvise_v2"]
    fn cuMemAdvise(ptr: CUdeviceptr, count: usize, advice: u32, location: CUmemLocation) -> CUresult;
    fn cuProfilerStart() -> i32;
}

unsafe extern "C" {
    fn cuMemAllocAsync(dptr: *mut CUdeviceptr, bytesize: usize, stream: CUstream) -> CUresult;
}

fn main() {
    let mut address = 0;
    // SAFETY: without cuInit each function returns an error before it reads an argument.
    unsafe {
        println!("{:?}", cuMemAdvise(0, 0, 1, CUmemLocation::default()));
        println!("{:?}", cuProfilerStart());
        println!("{:?}", cuMemAllocAsync(&mut address, 1, ptr::null_mut()));
        #[cfg(feature = "cudarc-linked")]
        println!("{:?}", cudarc::driver::result::free_async(0, ptr::null_mut()));
    }
}
