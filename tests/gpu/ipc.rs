//! Memory of `cuMemAlloc` in another process, by a handle of 64 bytes. Imported memory has none.

use std::io::{Read, Write};

use cuda_external_sys::*;
use interop::bytes::{assert_same, pattern};
use interop::cuda::{self, DeviceMemory};
use interop::vulkan::Vulkan;
use libtest_mimic::Trial;

use crate::machine::{cuda as device, cuda_test, ok, vulkan_test};
use crate::{fixtures, processes};

const SIZE: usize = 4 << 20;

/// The kind of this module's exporter.
pub const EXPORTER: &str = "ipc";

pub fn trials() -> Vec<Trial> {
    test_support::tests! {
        cuda_test => memory_passes_both_ways_by_its_handle;
        vulkan_test => imported_memory_has_no_handle;
    }
}

fn handle(address: CUdeviceptr) -> Result<CUipcMemHandle, CUresult> {
    let mut handle = CUipcMemHandle::default();
    // SAFETY: the function writes a handle.
    unsafe { cuIpcGetMemHandle(&mut handle, address) }.result().map(|()| handle)
}

fn open(handle: CUipcMemHandle, flags: u32) -> Result<CUdeviceptr, CUresult> {
    let mut address = 0;
    // SAFETY: the function writes an address.
    unsafe { cuIpcOpenMemHandle(&mut address, handle, flags) }.result().map(|()| address)
}

/// The exporter's process. Returns whether the answer was right, by its exit code.
pub fn exporter() {
    let (mut socket, _) = processes::importer();
    device();
    let memory = DeviceMemory::new(SIZE).unwrap();
    cuda::write(memory.address, &pattern(1, SIZE)).unwrap();
    let handle = handle(memory.address).unwrap();
    assert_eq!(open(handle, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS.into()), Err(CUDA_ERROR_INVALID_CONTEXT));
    socket.write_all(&handle.reserved.map(|byte| byte.to_ne_bytes()[0])).unwrap();
    socket.read_exact(&mut [0]).unwrap();
    assert_same("the answer", &cuda::read(memory.address, SIZE).unwrap(), &pattern(2, SIZE));
}

fn memory_passes_both_ways_by_its_handle() {
    let (mut process, mut socket) = processes::start(EXPORTER);
    let mut bytes = [0; 64];
    socket.read_exact(&mut bytes).unwrap();
    let handle = CUipcMemHandle { reserved: bytes.map(|byte| byte as std::ffi::c_char) };

    let lazy = CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS.into();
    let address = open(handle, lazy).unwrap();
    assert_eq!(open(handle, lazy), Ok(address), "a second reference");
    assert_eq!(open(handle, 2), Err(CUDA_ERROR_INVALID_VALUE));
    assert_eq!(open(CUipcMemHandle::default(), lazy), Err(CUDA_ERROR_INVALID_VALUE));
    assert_same("the question", &cuda::read(address, SIZE).unwrap(), &pattern(1, SIZE));
    cuda::write(address, &pattern(2, SIZE)).unwrap();
    // SAFETY: nothing uses the memory afterwards.
    unsafe {
        ok(cuIpcCloseMemHandle(address));
        ok(cuIpcCloseMemHandle(address));
        assert_eq!(cuIpcCloseMemHandle(address), CUDA_ERROR_INVALID_VALUE);
    }
    socket.write_all(&[0]).unwrap();
    assert!(process.wait().unwrap().success());
}

fn imported_memory_has_no_handle(vulkan: &Vulkan) {
    let shared = fixtures::buffer(vulkan, SIZE as u64, false);
    assert_eq!(handle(shared.address).err(), Some(CUDA_ERROR_INVALID_VALUE));
}
