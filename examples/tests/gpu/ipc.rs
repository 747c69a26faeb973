//! Tests IPC handles of memory between two processes, and calls of CUDA in a child forked after `cuInit`.

use std::io::{Read, Write};
use std::process::Stdio;
use std::ptr::null_mut;

use cuda_external_sys::*;
use example_support::cuda::{self, DeviceMemory};
use example_support::shared_resources::SharedBuffer;
use example_support::test_bytes::{assert_same_bytes, test_pattern};
use example_support::vulkan::Vulkan;
use libtest_mimic::Trial;
use test_support::this_program;

use crate::opened_devices::{assert_success, cuda_trial, opened_cuda as device, vulkan_trial};

const SIZE: usize = 4 << 20;

pub const EXPORTER: &str = "--exporter";

pub fn trials() -> Vec<Trial> {
    test_support::tests! {
        cuda_trial => memory_passes_both_ways_by_its_handle, a_child_of_fork_is_refused_and_its_parent_goes_on;
        vulkan_trial => imported_memory_has_no_handle;
    }
}

fn ipc_handle(address: CUdeviceptr) -> Result<CUipcMemHandle, CUresult> {
    let mut handle = CUipcMemHandle::default();
    // SAFETY: `cuIpcGetMemHandle` writes the handle to `handle`, a local variable.
    unsafe { cuIpcGetMemHandle(&mut handle, address) }.result().map(|()| handle)
}

fn open_ipc_handle(handle: CUipcMemHandle, flags: u32) -> Result<CUdeviceptr, CUresult> {
    let mut address = 0;
    // SAFETY: `cuIpcOpenMemHandle` writes the address to `address`, a local variable.
    unsafe { cuIpcOpenMemHandle(&mut address, handle, flags) }.result().map(|()| address)
}

/// Runs in the process that `memory_passes_both_ways_by_its_handle` starts. Allocates memory, and sends the memory's
/// IPC handle to the test. Panics if this process can open the handle, or if the test does not write the expected bytes
/// to the memory.
pub fn run_exporter() {
    device();
    let memory = DeviceMemory::new(SIZE).unwrap();
    cuda::write(memory.address, &test_pattern(1, SIZE)).unwrap();
    let handle = ipc_handle(memory.address).unwrap();
    assert_eq!(
        open_ipc_handle(handle, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS.into()),
        Err(CUDA_ERROR_INVALID_CONTEXT)
    );
    std::io::stdout().write_all(&handle.reserved.map(|byte| byte.to_ne_bytes()[0])).unwrap();
    std::io::stdout().flush().unwrap();
    // Waits until the test closes its end of the pipe.
    std::io::stdin().read_to_end(&mut Vec::new()).unwrap();
    assert_same_bytes("the answer", &cuda::read(memory.address, SIZE).unwrap(), &test_pattern(2, SIZE));
}

fn memory_passes_both_ways_by_its_handle() {
    let mut program = this_program();
    let mut process = program.arg(EXPORTER).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut bytes = [0; 64];
    process.stdout.as_mut().expect("a pipe").read_exact(&mut bytes).unwrap();
    let handle = CUipcMemHandle { reserved: bytes.map(|byte| byte as std::ffi::c_char) };

    let lazy = CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS.into();
    let address = open_ipc_handle(handle, lazy).unwrap();
    assert_eq!(open_ipc_handle(handle, lazy), Ok(address), "a second reference");
    assert_eq!(open_ipc_handle(handle, 2), Err(CUDA_ERROR_INVALID_VALUE));
    assert_eq!(open_ipc_handle(CUipcMemHandle::default(), lazy), Err(CUDA_ERROR_INVALID_VALUE));
    assert_same_bytes("the question", &cuda::read(address, SIZE).unwrap(), &test_pattern(1, SIZE));
    cuda::write(address, &test_pattern(2, SIZE)).unwrap();
    // SAFETY: nothing uses the address any more. The third call must fail, since the handle was opened twice.
    unsafe {
        assert_success(cuIpcCloseMemHandle(address));
        assert_success(cuIpcCloseMemHandle(address));
        assert_eq!(cuIpcCloseMemHandle(address), CUDA_ERROR_INVALID_VALUE);
    }
    // `wait` closes the exporter's input first.
    assert!(process.wait().unwrap().success());
}

/// A child is forked after CUDA's first use. In this child, each call in `codes` must return
/// `CUDA_ERROR_NOT_INITIALIZED` (*measured* on an H200). The parent must still be able to write to the device memory
/// that it allocated before the fork.
fn a_child_of_fork_is_refused_and_its_parent_goes_on() {
    let memory = DeviceMemory::new(SIZE).unwrap();
    // SAFETY: the child calls only CUDA, `alarm` and `_exit`. Each pointer is to a live value.
    let status = unsafe {
        let child = libc::fork();
        if child == 0 {
            libc::alarm(5);
            let codes = [
                cuInit(0),
                cuDeviceGetCount(&mut 0),
                cuCtxGetCurrent(&mut null_mut()),
                cuCtxSynchronize(),
                cuMemAlloc(&mut 0, SIZE),
                cuMemFree(memory.address),
                cuStreamCreate(&mut null_mut(), 0),
                cuImportExternalMemory(&mut null_mut(), &CUDA_EXTERNAL_MEMORY_HANDLE_DESC::default()),
            ];
            libc::_exit(codes.iter().filter(|code| **code != CUDA_ERROR_NOT_INITIALIZED).count() as i32);
        }
        let mut status = 0;
        libc::waitpid(child, &mut status, 0);
        status
    };
    assert_eq!(status, 0, "a call hung, crashed, or was not refused");
    cuda::write(memory.address, &test_pattern(1, SIZE)).unwrap();
}

fn imported_memory_has_no_handle(vulkan: &Vulkan) {
    let shared = SharedBuffer::new(vulkan, SIZE as u64, false).unwrap();
    assert_eq!(ipc_handle(shared.address).err(), Some(CUDA_ERROR_INVALID_VALUE));
}
