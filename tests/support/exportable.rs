//! Device memory that CUDA itself exports, and what its tests ask of the machine.

#![allow(dead_code)] // each test program uses its part

use std::ffi::c_int;
use std::fs::read_to_string;
use std::os::fd::{FromRawFd, OwnedFd};

use cuda_external_sys::*;

use crate::gpu;
use crate::support::Need;
use interop::cuda::Cuda;
use interop::vulkan::Vulkan;

/// Panics with the name of the error.
#[track_caller]
pub fn ok(code: CUresult) {
    assert_eq!(code, CUDA_SUCCESS);
}

/// The first device, with its context current in this thread.
pub fn cuda() -> &'static Cuda {
    let cuda = gpu::cuda().as_ref().unwrap();
    cuda.make_current().unwrap();
    cuda
}

/// The same device in Vulkan.
pub fn vulkan() -> &'static Vulkan {
    gpu::vulkan().as_ref().unwrap()
}

pub fn gpu_need() -> Need {
    Need::new("gpu", gpu::cuda())
}

pub fn vulkan_need() -> Need {
    Need::new("vulkan", gpu::vulkan())
}

/// The driver that docs/fd-ownership.md and docs/teardown.md were measured with. Where its
/// documentation leaves a behaviour open, another one may answer otherwise.
pub fn driver_need() -> Need {
    const DRIVER: &str = "580";
    const FILE: &str = "/sys/module/nvidia/version";
    let found = read_to_string(FILE).map_err(|error| format!("{FILE}: {error}"));
    let found = found.and_then(|version| match version.split('.').next() {
        Some(DRIVER) => Ok(()),
        _ => Err(format!("the document is of driver {DRIVER}, and this is {}", version.trim())),
    });
    Need::new("driver", &found)
}

/// Bytes of the current device's memory that nobody uses.
pub fn free_memory() -> usize {
    let (mut free, mut total) = (0, 0);
    // SAFETY: the function writes two sizes.
    ok(unsafe { cuMemGetInfo_v2(&mut free, &mut total) });
    free
}

/// Device memory that CUDA exports. It has no address of its own: it is reached by importing it.
pub struct Exportable {
    pub handle: CUmemGenericAllocationHandle,
    pub size: u64,
}

impl Exportable {
    /// At least so many bytes.
    pub fn new(cuda: &Cuda, bytes: usize) -> Self {
        let properties = CUmemAllocationProp {
            type_: CU_MEM_ALLOCATION_TYPE_PINNED,
            requestedHandleTypes: CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
            location: CUmemLocation { type_: CU_MEM_LOCATION_TYPE_DEVICE, id: cuda.device },
            ..Default::default()
        };
        let (mut granularity, mut handle) = (0, 0);
        let minimum = CU_MEM_ALLOC_GRANULARITY_MINIMUM;
        // SAFETY: the functions read the properties, and write a size and a handle.
        unsafe {
            ok(cuMemGetAllocationGranularity(&mut granularity, &properties, minimum));
            let size = bytes.next_multiple_of(granularity);
            ok(cuMemCreate(&mut handle, size, &properties, 0));
            Self { handle, size: size as u64 }
        }
    }

    /// A new descriptor of the same memory.
    pub fn fd(&self) -> OwnedFd {
        let mut fd: c_int = -1;
        let kind = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
        // SAFETY: for this type of handle the function writes an int, which nobody else owns.
        unsafe {
            ok(cuMemExportToShareableHandle((&raw mut fd).cast(), self.handle, kind, 0));
            OwnedFd::from_raw_fd(fd)
        }
    }
}

impl Drop for Exportable {
    fn drop(&mut self) {
        // SAFETY: the handle is released once.
        ok(unsafe { cuMemRelease(self.handle) });
    }
}

/// Fills through a mapping of this size; the fill is done when this returns.
pub fn fill(address: CUdeviceptr, byte: u8, size: u64) {
    // SAFETY: the driver checks the range.
    unsafe {
        ok(cuMemsetD8_v2(address, byte, size as usize));
        ok(cuCtxSynchronize());
    }
}

#[track_caller]
pub fn assert_filled(bytes: &[u8], byte: u8) {
    if let Some(at) = bytes.iter().position(|read| *read != byte) {
        panic!("byte {at} of {} is {:#04x}, not {byte:#04x}", bytes.len(), bytes[at]);
    }
}
