//! The handle types that a desktop or server GPU on Linux does not import: each is refused with a
//! documented error, and none takes what it was handed.

use std::ffi::{c_int, c_void};
use std::fs::File;
use std::io::Read;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::ptr::null_mut;

use cuda_external_sys::*;
use libtest_mimic::Trial;

use test_support::test;

use crate::machine::{cuda, gpu_need, ok};

pub fn trials() -> Vec<Trial> {
    let gpu = [gpu_need()];
    let mut trials = Vec::new();
    for (name, type_, code) in MEMORY {
        trials.push(test(&format!("unsupported_types::memory_of_type_{name}"), &gpu, || {
            assert_eq!(import_memory(*type_), *code);
        }));
    }
    for (name, type_, code) in SEMAPHORES {
        trials.push(test(&format!("unsupported_types::semaphore_of_type_{name}"), &gpu, || {
            assert_eq!(import_semaphore(*type_), *code);
        }));
    }
    trials.extend([
        test("unsupported_types::a_dma_buf_is_exported_and_not_imported", &gpu, dma_buf),
        test("unsupported_types::a_luid_is_for_windows", &gpu, luid),
        test("unsupported_types::attributes_of_nvscisync_are_refused", &gpu, nvscisync_attributes),
    ]);
    trials
}

type Row<T> = (&'static str, T, CUresult);

const MEMORY: &[Row<CUexternalMemoryHandleType>] = &[
    ("opaque_win32", CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_WIN32, CUDA_ERROR_NOT_SUPPORTED),
    ("opaque_win32_kmt", CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_WIN32_KMT, CUDA_ERROR_NOT_SUPPORTED),
    ("d3d12_heap", CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D12_HEAP, CUDA_ERROR_NOT_SUPPORTED),
    ("d3d12_resource", CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D12_RESOURCE, CUDA_ERROR_NOT_SUPPORTED),
    ("d3d11_resource", CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D11_RESOURCE, CUDA_ERROR_NOT_SUPPORTED),
    ("d3d11_resource_kmt", CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D11_RESOURCE_KMT, CUDA_ERROR_NOT_SUPPORTED),
    ("nvscibuf", CU_EXTERNAL_MEMORY_HANDLE_TYPE_NVSCIBUF, CUDA_ERROR_NOT_SUPPORTED),
    ("0", CUexternalMemoryHandleType(0), CUDA_ERROR_INVALID_VALUE),
    ("77", CUexternalMemoryHandleType(77), CUDA_ERROR_INVALID_VALUE),
];

const SEMAPHORES: &[Row<CUexternalSemaphoreHandleType>] = &[
    ("opaque_win32", CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_WIN32, CUDA_ERROR_NOT_SUPPORTED),
    ("opaque_win32_kmt", CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_WIN32_KMT, CUDA_ERROR_NOT_SUPPORTED),
    ("d3d12_fence", CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_D3D12_FENCE, CUDA_ERROR_NOT_SUPPORTED),
    ("d3d11_fence", CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_D3D11_FENCE, CUDA_ERROR_NOT_SUPPORTED),
    ("nvscisync", CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_NVSCISYNC, CUDA_ERROR_NOT_SUPPORTED),
    ("d3d11_keyed_mutex", CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_D3D11_KEYED_MUTEX, CUDA_ERROR_NOT_SUPPORTED),
    (
        "d3d11_keyed_mutex_kmt",
        CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_D3D11_KEYED_MUTEX_KMT,
        CUDA_ERROR_NOT_SUPPORTED,
    ),
    (
        "timeline_semaphore_win32",
        CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_WIN32,
        CUDA_ERROR_NOT_SUPPORTED,
    ),
    ("0", CUexternalSemaphoreHandleType(0), CUDA_ERROR_INVALID_VALUE),
    ("77", CUexternalSemaphoreHandleType(77), CUDA_ERROR_INVALID_VALUE),
];

/// What a handle points to: no object of anybody's, and readable, should a driver look.
static NOTHING: [u64; 512] = [0; 512];

fn import_memory(type_: CUexternalMemoryHandleType) -> CUresult {
    cuda();
    let mut description = CUDA_EXTERNAL_MEMORY_HANDLE_DESC { type_, size: 1 << 21, ..Default::default() };
    description.handle.win32.handle = (&raw const NOTHING).cast_mut().cast();
    if description_is_of_resource(type_) {
        description.flags = CUDA_EXTERNAL_MEMORY_DEDICATED;
    }
    // SAFETY: the function reads the description, and writes a handle.
    unsafe { cuImportExternalMemory(&mut null_mut(), &description) }
}

/// These are dedicated by their nature, and the flag must say so.
fn description_is_of_resource(type_: CUexternalMemoryHandleType) -> bool {
    matches!(
        type_,
        CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D12_RESOURCE
            | CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D11_RESOURCE
            | CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D11_RESOURCE_KMT
    )
}

fn import_semaphore(type_: CUexternalSemaphoreHandleType) -> CUresult {
    cuda();
    let mut description = CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC { type_, ..Default::default() };
    description.handle.win32.handle = (&raw const NOTHING).cast_mut().cast();
    // SAFETY: as above.
    unsafe { cuImportExternalSemaphore(&mut null_mut(), &description) }
}

/// The device attribute is about export; import is for integrated GPUs.
fn dma_buf() {
    let cuda = cuda();
    let (mut supported, mut address, mut fd): (c_int, _, c_int) = (0, 0, -1);
    let size = 2 << 20;
    // SAFETY: the functions write an int, an address and, for this type of handle, an int.
    let fd = unsafe {
        let attribute = CU_DEVICE_ATTRIBUTE_DMA_BUF_SUPPORTED;
        ok(cuDeviceGetAttribute(&mut supported, attribute, cuda.device));
        ok(cuMemAlloc_v2(&mut address, size));
        let kind = CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD;
        let exported = cuMemGetHandleForAddressRange((&raw mut fd).cast(), address, size, kind, 0);
        if supported == 0 {
            assert_eq!(exported, CUDA_ERROR_NOT_SUPPORTED);
            return ok(cuMemFree_v2(address));
        }
        ok(exported);
        OwnedFd::from_raw_fd(fd)
    };
    let mut description = CUDA_EXTERNAL_MEMORY_HANDLE_DESC {
        type_: CUexternalMemoryHandleType(9), // DMABUF_FD, which headers before 13.0 do not name
        size: size as u64,
        ..Default::default()
    };
    description.handle.fd = fd.as_raw_fd();
    // SAFETY: as above.
    let code = unsafe { cuImportExternalMemory(&mut null_mut(), &description) };
    assert_eq!(code, CUDA_ERROR_NOT_SUPPORTED);
    // The descriptor is still ours: the same dma-buf is behind it.
    assert!(File::from(fd).read(&mut [0]).is_err_and(|error| error.raw_os_error() != Some(libc::EBADF)));
    // SAFETY: it is freed once.
    ok(unsafe { cuMemFree_v2(address) });
}

fn nvscisync_attributes() {
    let device = cuda().device;
    let list: *mut c_void = (&raw const NOTHING).cast_mut().cast();
    for (list, flags, expected) in [
        (list, CUDA_NVSCISYNC_ATTR_SIGNAL, CUDA_ERROR_NOT_SUPPORTED),
        (list, CUDA_NVSCISYNC_ATTR_WAIT, CUDA_ERROR_NOT_SUPPORTED),
        (list, CUDA_NVSCISYNC_ATTR_SIGNAL | CUDA_NVSCISYNC_ATTR_WAIT, CUDA_ERROR_NOT_SUPPORTED),
        (list, 0, CUDA_ERROR_INVALID_VALUE),
        (null_mut(), CUDA_NVSCISYNC_ATTR_WAIT, CUDA_ERROR_INVALID_HANDLE),
    ] {
        // SAFETY: the list is memory that can be read.
        let code = unsafe { cuDeviceGetNvSciSyncAttributes(list, device, flags as c_int) };
        assert_eq!(code, expected, "{list:?}, flags {flags}");
    }
}

fn luid() {
    let (mut luid, mut mask) = ([0; 8], 0);
    // SAFETY: the function writes eight bytes and a number.
    let code = unsafe { cuDeviceGetLuid(luid.as_mut_ptr(), &mut mask, cuda().device) };
    assert_eq!(code, CUDA_ERROR_NOT_SUPPORTED);
}
