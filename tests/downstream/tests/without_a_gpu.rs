//! Tests the library `model` without a GPU. The driver is cuda-external-cpu, a CUDA driver in software.

use std::fs;
#[cfg(feature = "load")]
use std::os::fd::AsRawFd;
use std::os::fd::{FromRawFd, OwnedFd};
use std::ptr::null_mut;

use cuda_external_cpu::InjectedFault;
use cuda_external_sys::*;
use model::ImportedBuffer;

const SIZE: u64 = 2 << 20;

/// Makes a context of cuda-external-cpu current. With `link`, the linker has bound CUDA's functions to this driver.
fn make_context_current() {
    #[cfg(feature = "load")]
    // SAFETY: `cuda_external_cpu::symbol` returns functions of the types that cuda.h declares.
    unsafe { load_with(cuda_external_cpu::NAME, cuda_external_cpu::symbol) }.unwrap();
    let mut context = null_mut();
    // SAFETY: the pointer is to a variable here.
    unsafe {
        cuInit(0).result().unwrap();
        cuDevicePrimaryCtxRetain(&mut context, 0).result().unwrap();
        cuCtxSetCurrent(context).result().unwrap();
    }
}

/// Allocates memory in CUDA, and returns a descriptor of it.
fn export_memory() -> OwnedFd {
    let properties = CUmemAllocationProp {
        type_: CU_MEM_ALLOCATION_TYPE_PINNED,
        requestedHandleTypes: CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
        location: CUmemLocation { type_: CU_MEM_LOCATION_TYPE_DEVICE, id: 0 },
        ..Default::default()
    };
    let (mut memory, mut fd) = (0, -1_i32);
    // SAFETY: every pointer is to a variable of the type that the function uses. Nothing else owns the descriptor.
    unsafe {
        cuMemCreate(&mut memory, SIZE as usize, &properties, 0).result().unwrap();
        let kind = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
        cuMemExportToShareableHandle((&raw mut fd).cast(), memory, kind, 0).result().unwrap();
        cuMemRelease(memory).result().unwrap();
        OwnedFd::from_raw_fd(fd)
    }
}

/// Imports the memory twice, fills the first buffer, and returns the last byte of the second.
fn fill_and_read_last_byte(memory: OwnedFd) -> Result<u8, CUresult> {
    let other = memory.try_clone().unwrap();
    let mut last = 0;
    // SAFETY: the descriptors are of memory of `SIZE` bytes, and each call is done before the imports are dropped.
    unsafe {
        let buffer = ImportedBuffer::import_and_map(memory, SIZE, false, 0, SIZE)?;
        let other = ImportedBuffer::import_and_map(other, SIZE, false, 0, SIZE)?;
        cuMemsetD8(buffer.device_address(), 0x5a, SIZE as usize).result()?;
        cuMemcpyDtoH((&raw mut last).cast(), other.device_address() + SIZE - 1, 1).result()?;
    }
    Ok(last)
}

/// Returns the number of the process's open descriptors, and of the device's free bytes.
fn count_descriptors_and_free_memory() -> (usize, usize) {
    let (mut free, mut total) = (0, 0);
    // SAFETY: both pointers are to variables here.
    unsafe { cuMemGetInfo(&mut free, &mut total) }.result().unwrap();
    (fs::read_dir("/proc/self/fd").unwrap().count(), free)
}

#[test]
fn memory_is_shared_and_every_call_may_fail() {
    make_context_current();
    for call in 1.. {
        let (descriptors, memory_before) = count_descriptors_and_free_memory();
        let memory = export_memory();
        let fault =
            format!("*:{call}=CUDA_ERROR_OUT_OF_MEMORY").parse::<InjectedFault>().unwrap().in_this_thread();
        let result = fill_and_read_last_byte(memory);
        drop(fault);
        if result.is_ok() {
            // Six calls: two imports, two mappings, a fill and a copy. A drop makes the seventh, and ignores errors.
            assert_eq!((result, call), (Ok(0x5a), 7));
            break;
        }
        assert_eq!(result, Err(CUDA_ERROR_OUT_OF_MEMORY));
        // Calls 1 and 3 are the imports. Neither cuda-external-cpu nor `model` closes a failed import's descriptor.
        let left = usize::from([1, 3].contains(&call));
        assert_eq!(
            count_descriptors_and_free_memory(),
            (descriptors + left, memory_before),
            "after call {call}"
        );
    }
}

#[cfg(feature = "load")]
#[test]
#[ignore = "needs a process without a driver: run it alone"]
fn without_a_driver_an_import_fails_and_its_descriptor_is_closed_once() {
    let file = fs::File::open("Cargo.toml").unwrap();
    let number = file.as_raw_fd();
    // SAFETY: no driver sees the descriptor.
    let error = unsafe { ImportedBuffer::import_and_map(file.into(), 4096, true, 0, 4096) }
        .expect_err("there is no driver");
    assert_eq!(error, CUDA_ERROR_SHARED_OBJECT_INIT_FAILED);
    assert!(fs::read_link(format!("/proc/self/fd/{number}")).is_err(), "the descriptor was leaked");
}
