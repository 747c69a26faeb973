//! Pitched memory, pinned memory of the host, and the range that an address lies in: beside imported memory, and with
//! it.

use std::alloc::{Layout, alloc, dealloc};
use std::ptr::null_mut;
use std::slice;

use cuda_external_sys::*;
use interop::bytes::{assert_same, pattern};
use interop::cuda::{DeviceMemory, Stream, read};
use interop::vulkan::Vulkan;
use libtest_mimic::Trial;

use crate::fixtures;
use crate::machine::{cuda_test, ok, vulkan_test};

const SIZE: usize = 1 << 20;

pub fn trials() -> Vec<Trial> {
    test_support::tests! {
        vulkan_test => pinned_memory_is_copied_to_vulkans, an_imported_buffer_is_a_range;
        cuda_test => rows_have_a_pitch, the_hosts_own_memory_is_pinned_and_released;
    }
}

/// Returns the allocation that the address lies in.
fn range(address: CUdeviceptr) -> Result<(CUdeviceptr, usize), CUresult> {
    let (mut start, mut size) = (0, 0);
    // SAFETY: the function writes an address and a size.
    unsafe { cuMemGetAddressRange(&mut start, &mut size, address) }.result()?;
    Ok((start, size))
}

fn rows_have_a_pitch() {
    let (mut address, mut pitch) = (0, 0);
    // SAFETY: the function writes an address and a pitch.
    ok(unsafe { cuMemAllocPitch(&mut address, &mut pitch, 1001, 37, 4) });
    println!("1001 bytes have a pitch of {pitch}");
    assert!(pitch >= 1001 && pitch % 4 == 0);
    let (start, size) = range(address + 36 * pitch as u64).unwrap();
    assert!(start == address && size >= 36 * pitch + 1001, "{size} bytes from {start:#x} on");
    // SAFETY: it was allocated here.
    ok(unsafe { cuMemFree(address) });
    // SAFETY: the function writes an address and a pitch, or nothing.
    let code = |width, element| unsafe { cuMemAllocPitch(&mut 0, &mut 0, width, 37, element) };
    assert_eq!([code(0, 4), code(1001, 3)], [CUDA_ERROR_INVALID_VALUE; 2]);
}

/// `cuMemcpy` takes an address on both sides.
fn pinned_memory_is_copied_to_vulkans(vulkan: &Vulkan) {
    let (stream, shared) = (Stream::new().unwrap(), fixtures::buffer(vulkan, SIZE as u64, false));
    let mut pinned = null_mut();
    // SAFETY: the function writes an address.
    ok(unsafe { cuMemAllocHost(&mut pinned, SIZE) });
    // SAFETY: the memory has so many bytes, and nothing else uses it.
    let bytes = unsafe { slice::from_raw_parts_mut(pinned.cast::<u8>(), SIZE) };
    let sent = pattern(1, SIZE);
    bytes.copy_from_slice(&sent);
    // SAFETY: both are so large, and live until the copies are done.
    unsafe {
        ok(cuMemcpy(shared.address, pinned.addr() as u64, SIZE));
        ok(cuCtxSynchronize());
        assert_same("in Vulkan", &shared.buffer.read(0, SIZE as u64).unwrap(), &sent);
        shared.buffer.write(0, &pattern(2, SIZE)).unwrap();
        ok(cuMemcpyDtoHAsync(pinned, shared.address, SIZE, stream.raw()));
        stream.finish().unwrap();
        assert_same("in the host's memory", bytes, &pattern(2, SIZE));
        ok(cuMemFreeHost(pinned));
        // A size of 0 is not an error.
        ok(cuMemAllocHost(&mut pinned, 0));
        assert_eq!(cuMemAllocHost(null_mut(), SIZE), CUDA_ERROR_INVALID_VALUE);
    }
}

fn the_hosts_own_memory_is_pinned_and_released() {
    let layout = Layout::from_size_align(SIZE, 4096).expect("a layout");
    let (stream, device) = (Stream::new().unwrap(), DeviceMemory::new(SIZE).unwrap());
    // SAFETY: the memory lives until it is unregistered, and has so many bytes.
    unsafe {
        let memory = alloc(layout);
        memory.copy_from(pattern(3, SIZE).as_ptr(), SIZE);
        let pinned = memory.cast();
        ok(cuMemHostRegister(pinned, SIZE, CU_MEMHOSTREGISTER_PORTABLE));
        let twice = cuMemHostRegister(pinned, SIZE, 0);
        ok(cuMemcpyHtoDAsync(device.address, pinned, SIZE, stream.raw()));
        stream.finish().unwrap();
        assert_same("on the device", &read(device.address, SIZE).unwrap(), &pattern(3, SIZE));
        ok(cuMemHostUnregister(pinned));
        assert_eq!(twice, CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
        assert_eq!(cuMemHostUnregister(pinned), CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
        assert_eq!(cuMemHostRegister(pinned, SIZE, 0x100), CUDA_ERROR_INVALID_VALUE);
        dealloc(memory, layout);
    }
}

fn an_imported_buffer_is_a_range(vulkan: &Vulkan) {
    let shared = fixtures::buffer(vulkan, SIZE as u64, false);
    println!("a mapping of {SIZE} bytes at {:#x}: {:x?}", shared.address, range(shared.address + 100));
    assert_eq!(range(shared.address + 100), Ok((shared.address, SIZE)));
    assert_eq!(range(16), Err(CUDA_ERROR_NOT_FOUND));
}
