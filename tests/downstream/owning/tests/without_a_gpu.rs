//! A library's own test on any machine: the driver in software shares its memory.

use std::os::fd::{FromRawFd, OwnedFd};

use cuda_external_sys::*;
use owning::ExternalMemory;

const SIZE: u64 = 2 << 20;

/// Allocates memory in CUDA, and returns a descriptor of it.
fn exported() -> OwnedFd {
    let properties = CUmemAllocationProp {
        type_: CU_MEM_ALLOCATION_TYPE_PINNED,
        requestedHandleTypes: CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
        location: CUmemLocation { type_: CU_MEM_LOCATION_TYPE_DEVICE, id: 0 },
        ..Default::default()
    };
    let (mut memory, mut fd) = (0, -1_i32);
    // SAFETY: every pointer is to a variable of the type that the function writes; the descriptor is new.
    unsafe {
        cuMemCreate(&mut memory, SIZE as usize, &properties, 0).result().unwrap();
        let kind = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
        cuMemExportToShareableHandle((&raw mut fd).cast(), memory, kind, 0).result().unwrap();
        cuMemRelease(memory).result().unwrap();
        OwnedFd::from_raw_fd(fd)
    }
}

#[test]
fn an_import_shares_memory_and_returns_each_error() {
    cuda_external_cpu::load().unwrap();
    let mut context = std::ptr::null_mut();
    // SAFETY: as above.
    unsafe {
        cuInit(0).result().unwrap();
        cuDevicePrimaryCtxRetain(&mut context, 0).result().unwrap();
        cuCtxSetCurrent(context).result().unwrap();
    }
    let fd = exported();
    let other = fd.try_clone().unwrap();
    // SAFETY: the descriptors are of memory of this size.
    let [one, two] = [fd, other].map(|fd| unsafe { ExternalMemory::import(fd, SIZE, false) }.unwrap());
    let (one, two) = (one.map(0, SIZE).unwrap(), two.map(0, SIZE).unwrap());
    let mut read = [0_u8; 4];
    // SAFETY: both are mapped, and the array has four bytes.
    unsafe {
        cuMemsetD8(one.address, 0x5a, SIZE as usize).result().unwrap();
        cuMemcpyDtoH(read.as_mut_ptr().cast(), two.address + SIZE - 4, 4).result().unwrap();
    }
    assert_eq!(read, [0x5a; 4]);

    cuda_external_cpu::inject_fault("cuImportExternalMemory:1=CUDA_ERROR_OUT_OF_MEMORY".parse().unwrap());
    // SAFETY: as above.
    let error = unsafe { ExternalMemory::import(exported(), SIZE, false) }.unwrap_err();
    assert_eq!(error, CUDA_ERROR_OUT_OF_MEMORY);
}
