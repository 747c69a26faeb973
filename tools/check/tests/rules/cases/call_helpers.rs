//! The calls of the cases. If a call returns the driver's code and must succeed, a case passes the code to `assert_ok`.

use std::mem::ManuallyDrop;
use std::os::fd::IntoRawFd;
use std::ptr::null_mut;

use cuda_external_sys::*;
use example_support::cuda::{CuMemAllocation, Cuda};

/// The size of one allocation: a multiple of the allocation granularity of the tested drivers.
pub const SIZE: u64 = 2 << 20;

// SAFETY of calls in this directory: pointers are valid, or invalid on purpose in a process that runs only this case.

#[track_caller]
pub fn assert_ok(code: CUresult) {
    assert_eq!(code, CUDA_SUCCESS);
}

macro_rules! calls {
    ($($name:ident($of:ty) $function:ident;)*) => {$(
        pub fn $name(of: $of) -> CUresult {
            unsafe { $function(of) }
        }
    )*};
}

calls! {
    free_buffer(CUdeviceptr) cuMemFree;
    destroy_memory(CUexternalMemory) cuDestroyExternalMemory;
    destroy_array(CUmipmappedArray) cuMipmappedArrayDestroy;
    destroy_semaphore(CUexternalSemaphore) cuDestroyExternalSemaphore;
    destroy_context(CUcontext) cuCtxDestroy;
    destroy_stream(CUstream) cuStreamDestroy;
    set_current(CUcontext) cuCtxSetCurrent;
    release_primary_context(CUdevice) cuDevicePrimaryCtxRelease;
}

/// Retains the context until the process ends, and makes it current.
pub fn retain_primary_context() -> CUcontext {
    ManuallyDrop::new(Cuda::retain_primary(0).expect("a device")).context()
}

/// Creates a context, which is then current.
pub fn new_context() -> CUcontext {
    let mut context = null_mut();
    assert_ok(unsafe { cuCtxCreate_v2(&mut context, 0, 0) });
    context
}

/// Makes the primary context current, too.
pub fn export_sized_memory(size: u64) -> i32 {
    let cuda = Cuda::retain_primary(0).expect("a device");
    let allocation = CuMemAllocation::new(&cuda, size as usize).expect("enough memory");
    allocation.export_allocation_fd().expect("a descriptor").into_raw_fd()
}

pub fn export_memory() -> i32 {
    export_sized_memory(SIZE)
}

pub fn desc_of_fd(fd: i32) -> CUDA_EXTERNAL_MEMORY_HANDLE_DESC {
    let type_ = CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD;
    let mut description = CUDA_EXTERNAL_MEMORY_HANDLE_DESC { type_, size: SIZE, ..Default::default() };
    description.handle.fd = fd;
    description
}

pub fn try_import(description: &CUDA_EXTERNAL_MEMORY_HANDLE_DESC) -> Result<CUexternalMemory, CUresult> {
    let mut memory = null_mut();
    unsafe { cuImportExternalMemory(&mut memory, description) }.result().map(|()| memory)
}

pub fn import_fd(fd: i32) -> CUexternalMemory {
    try_import(&desc_of_fd(fd)).expect("the import")
}

pub fn import_memory() -> CUexternalMemory {
    import_fd(export_memory())
}

pub fn try_map_buffer(memory: CUexternalMemory, offset: u64, size: u64) -> Result<CUdeviceptr, CUresult> {
    let buffer = CUDA_EXTERNAL_MEMORY_BUFFER_DESC { offset, size, ..Default::default() };
    let mut address = 0;
    unsafe { cuExternalMemoryGetMappedBuffer(&mut address, memory, &buffer) }.result().map(|()| address)
}

pub fn map_whole_import(memory: CUexternalMemory) -> CUdeviceptr {
    try_map_buffer(memory, 0, SIZE).expect("the mapping")
}

pub type ImageDesc = CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC;

pub fn sized_image(width: usize, height: usize, depth: usize) -> ImageDesc {
    let arrays = CUDA_ARRAY3D_DESCRIPTOR {
        Width: width,
        Height: height,
        Depth: depth,
        Format: CU_AD_FORMAT_UNSIGNED_INT8,
        NumChannels: 4,
        ..Default::default()
    };
    ImageDesc { arrayDesc: arrays, numLevels: 1, ..Default::default() }
}

pub fn try_map_array(memory: CUexternalMemory, image: &ImageDesc) -> Result<CUmipmappedArray, CUresult> {
    let mut array = null_mut();
    unsafe { cuExternalMemoryGetMappedMipmappedArray(&mut array, memory, image) }.result().map(|()| array)
}

pub fn map_array(memory: CUexternalMemory) -> CUmipmappedArray {
    try_map_array(memory, &sized_image(64, 64, 0)).expect("the mapping")
}

pub fn fill_byte(address: CUdeviceptr) -> CUresult {
    unsafe { cuMemsetD8(address, 1, 1) }
}

pub fn import_semaphore(
    fd: i32,
    type_: CUexternalSemaphoreHandleType,
) -> Result<CUexternalSemaphore, CUresult> {
    let mut description = CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC { type_, ..Default::default() };
    description.handle.fd = fd;
    let mut semaphore = null_mut();
    unsafe { cuImportExternalSemaphore(&mut semaphore, &description) }.result().map(|()| semaphore)
}

/// Imports exported memory as a timeline semaphore: cuda-external-cpu accepts any export.
pub fn import_timeline() -> CUexternalSemaphore {
    let type_ = CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD;
    import_semaphore(export_memory(), type_).expect("the import")
}

pub type SignalParams = CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS;

pub fn signal_params_with(value: u64) -> SignalParams {
    let mut params = SignalParams::default();
    params.params.fence.value = value;
    params
}

pub fn signal_with(semaphore: CUexternalSemaphore, params: SignalParams, stream: CUstream) -> CUresult {
    unsafe { cuSignalExternalSemaphoresAsync(&semaphore, &params, 1, stream) }
}

pub fn signal_semaphore(semaphore: CUexternalSemaphore, value: u64, stream: CUstream) -> CUresult {
    signal_with(semaphore, signal_params_with(value), stream)
}

pub fn wait_semaphore(semaphore: CUexternalSemaphore, value: u64, stream: CUstream) {
    let mut params = CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS::default();
    params.params.fence.value = value;
    assert_ok(unsafe { cuWaitExternalSemaphoresAsync(&semaphore, &params, 1, stream) });
}

pub fn destroy_semaphore_after_work(semaphore: CUexternalSemaphore) {
    assert_ok(unsafe { cuCtxSynchronize() });
    assert_ok(destroy_semaphore(semaphore));
}

pub fn create_stream() -> CUstream {
    let mut stream = null_mut();
    assert_ok(unsafe { cuStreamCreate(&mut stream, CU_STREAM_NON_BLOCKING.into()) });
    stream
}

pub fn create_graph() -> CUgraph {
    let mut graph = null_mut();
    assert_ok(unsafe { cuGraphCreate(&mut graph, 0) });
    graph
}

pub fn with_import(run: impl FnOnce(CUexternalMemory)) {
    let memory = import_memory();
    run(memory);
    assert_ok(destroy_memory(memory));
}

pub fn with_imported_timeline(run: impl FnOnce(CUexternalSemaphore)) {
    let semaphore = import_timeline();
    run(semaphore);
    destroy_semaphore_after_work(semaphore);
}
