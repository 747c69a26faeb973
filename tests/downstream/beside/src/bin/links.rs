//! Calls functions that this crate does not bind, by each way to declare them; with `cudarc-linked` and `c`, others do.

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

// The package's library is not linked, which has what build.rs compiles.
#[cfg(feature = "c")]
#[link(name = "import", kind = "static")]
unsafe extern "C" {
    fn import_nothing() -> i32;
}

fn main() {
    let mut address = 0;
    // SAFETY: without cuInit each returns an error.
    unsafe {
        println!("{:?}", cuMemAdvise(0, 0, 1, CUmemLocation::default()));
        println!("{:?}", cuProfilerStart());
        println!("{:?}", cuMemAllocAsync(&mut address, 1, ptr::null_mut()));
        #[cfg(feature = "c")]
        println!("{:?}", import_nothing());
        #[cfg(feature = "cudarc-linked")]
        println!("{:?}", cudarc::driver::result::free_async(0, ptr::null_mut()));
    }
}
