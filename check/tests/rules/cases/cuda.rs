//! The calls that the cases are made of. A call returns its code; `ok` is for those that a case relies on.

use std::ptr::{null, null_mut};

use cuda_external_sys::*;

/// What one allocation has: a multiple of every granularity.
pub const SIZE: u64 = 2 << 20;

#[track_caller]
pub fn ok(code: CUresult) {
    assert_eq!(code, CUDA_SUCCESS);
}

/// A primary context, current in this thread.
pub struct Context(pub CUcontext);

pub fn context() -> Context {
    let mut context = null_mut();
    // SAFETY: the pointers are valid.
    unsafe {
        ok(cuInit(0));
        ok(cuDevicePrimaryCtxRetain(&mut context, 0));
        ok(cuCtxSetCurrent(context));
    }
    Context(context)
}

/// Exports memory of CUDA's, and returns the descriptor.
pub fn export_of(size: u64) -> i32 {
    let mut properties = CUmemAllocationProp {
        type_: CU_MEM_ALLOCATION_TYPE_PINNED,
        requestedHandleTypes: CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
        ..Default::default()
    };
    properties.location.type_ = CU_MEM_LOCATION_TYPE_DEVICE;
    let (mut handle, mut fd) = (0, -1);
    // SAFETY: the pointers are valid, and the type's handle is a descriptor.
    unsafe {
        ok(cuMemCreate(&mut handle, size as usize, &properties, 0));
        let code = cuMemExportToShareableHandle(
            (&raw mut fd).cast(),
            handle,
            CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
            0,
        );
        ok(code);
        ok(cuMemRelease(handle));
    }
    fd
}

pub fn export() -> i32 {
    export_of(SIZE)
}

pub fn description(fd: i32) -> CUDA_EXTERNAL_MEMORY_HANDLE_DESC {
    let mut description = CUDA_EXTERNAL_MEMORY_HANDLE_DESC { size: SIZE, ..Default::default() };
    description.type_ = CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD;
    description.handle.fd = fd;
    description
}

pub fn import_as(description: &CUDA_EXTERNAL_MEMORY_HANDLE_DESC) -> Result<CUexternalMemory, CUresult> {
    let mut memory = null_mut();
    // SAFETY: the pointers are valid.
    unsafe { cuImportExternalMemory(&mut memory, description) }.result().map(|()| memory)
}

pub fn import() -> CUexternalMemory {
    import_as(&description(export())).expect("the import")
}

pub fn map(memory: CUexternalMemory, offset: u64, size: u64) -> Result<CUdeviceptr, CUresult> {
    let buffer = CUDA_EXTERNAL_MEMORY_BUFFER_DESC { offset, size, ..Default::default() };
    let mut address = 0;
    // SAFETY: the pointers are valid.
    unsafe { cuExternalMemoryGetMappedBuffer(&mut address, memory, &buffer) }.result().map(|()| address)
}

pub fn image(
    width: usize,
    height: usize,
    depth: usize,
    flags: u32,
) -> CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC {
    let image = CUDA_ARRAY3D_DESCRIPTOR {
        Width: width,
        Height: height,
        Depth: depth,
        Format: CU_AD_FORMAT_UNSIGNED_INT8,
        NumChannels: 4,
        Flags: flags,
    };
    CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC { arrayDesc: image, numLevels: 1, ..Default::default() }
}

pub fn map_array(
    memory: CUexternalMemory,
    description: &CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC,
) -> Result<CUmipmappedArray, CUresult> {
    let mut array = null_mut();
    // SAFETY: the pointers are valid.
    unsafe { cuExternalMemoryGetMappedMipmappedArray(&mut array, memory, description) }
        .result()
        .map(|()| array)
}

pub fn free(address: CUdeviceptr) -> CUresult {
    // SAFETY: the checks of a case are about what follows.
    unsafe { cuMemFree_v2(address) }
}

pub fn destroy(memory: CUexternalMemory) -> CUresult {
    // SAFETY: as above.
    unsafe { cuDestroyExternalMemory(memory) }
}

pub fn destroy_array(array: CUmipmappedArray) -> CUresult {
    // SAFETY: as above.
    unsafe { cuMipmappedArrayDestroy(array) }
}

pub fn import_semaphore_as(kind: CUexternalSemaphoreHandleType) -> Result<CUexternalSemaphore, CUresult> {
    let mut description = CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC { type_: kind, ..Default::default() };
    description.handle.fd = export();
    let mut semaphore = null_mut();
    // SAFETY: the pointers are valid.
    unsafe { cuImportExternalSemaphore(&mut semaphore, &description) }.result().map(|()| semaphore)
}

pub fn timeline() -> CUexternalSemaphore {
    import_semaphore_as(CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD).expect("the import")
}

pub fn signal_with(
    semaphore: CUexternalSemaphore,
    params: CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS,
    stream: CUstream,
) -> CUresult {
    // SAFETY: one semaphore, one struct of parameters.
    unsafe { cuSignalExternalSemaphoresAsync(&semaphore, &params, 1, stream) }
}

pub fn to_value(value: u64) -> CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS {
    let mut params = CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS::default();
    params.params.fence.value = value;
    params
}

pub fn signal(semaphore: CUexternalSemaphore, value: u64, stream: CUstream) -> CUresult {
    signal_with(semaphore, to_value(value), stream)
}

pub fn wait(semaphore: CUexternalSemaphore, value: u64, stream: CUstream) -> CUresult {
    let mut params = CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS::default();
    params.params.fence.value = value;
    // SAFETY: as above.
    unsafe { cuWaitExternalSemaphoresAsync(&semaphore, &params, 1, stream) }
}

pub fn destroy_semaphore(semaphore: CUexternalSemaphore) -> CUresult {
    // SAFETY: the checks of a case are about what follows.
    unsafe { cuDestroyExternalSemaphore(semaphore) }
}

pub fn stream() -> CUstream {
    let mut stream = null_mut();
    // SAFETY: the pointer is valid.
    ok(unsafe { cuStreamCreate(&mut stream, CU_STREAM_NON_BLOCKING.into()) });
    stream
}

/// Maps an import of its own, lets the case use it, and ends both in order.
pub fn with_mapping(run: impl FnOnce(CUdeviceptr)) {
    let _context = context();
    let memory = import();
    let address = map(memory, 0, SIZE).expect("the mapping");
    run(address);
    ok(free(address));
    ok(destroy(memory));
}

/// A graph node that signals.
pub fn signal_node(
    graph: CUgraph,
    semaphores: &[CUexternalSemaphore],
    value: u64,
) -> Result<CUgraphNode, CUresult> {
    let values = vec![to_value(value); semaphores.len()];
    let params = CUDA_EXT_SEM_SIGNAL_NODE_PARAMS {
        extSemArray: semaphores.as_ptr().cast_mut(),
        paramsArray: values.as_ptr(),
        numExtSems: semaphores.len() as u32,
    };
    let mut node = null_mut();
    // SAFETY: the arrays have as many entries.
    unsafe { cuGraphAddExternalSemaphoresSignalNode(&mut node, graph, null(), 0, &params) }
        .result()
        .map(|()| node)
}

pub fn graph() -> CUgraph {
    let mut graph = null_mut();
    // SAFETY: the pointer is valid.
    ok(unsafe { cuGraphCreate(&mut graph, 0) });
    graph
}
