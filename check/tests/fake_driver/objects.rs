//! Allocations, imports, mappings, arrays and graphs.

use std::ffi::{c_int, c_uint, c_ulonglong, c_void};
use std::fs;
use std::process::abort;

use cuda_external_sys::*;

use crate::{current, driver, export, success_if, usize_of};

unsafe extern "C" {
    fn memfd_create(name: *const i8, flags: u32) -> c_int;
    fn close(fd: c_int) -> c_int;
}

pub struct Import {
    pub is_memory: bool,
    pub context: usize,
    pub value: u64,
    size: u64,
    flags: u32,
}

fn is_exported(fd: c_int) -> bool {
    fs::read_link(format!("/proc/self/fd/{fd}")).is_ok_and(|path| path.to_string_lossy().contains("memfd:fake-driver"))
}

fn insert(import: Import) -> usize {
    let mut driver = driver();
    let handle = driver.handle();
    driver.imports.insert(handle, import);
    handle
}

/// An import that is destroyed twice, or with its context gone, ends the process.
fn destroy(handle: usize) -> CUresult {
    let mut driver = driver();
    if handle == 0 {
        return CUDA_ERROR_INVALID_VALUE;
    }
    if driver.imports.get(&handle).is_some_and(|import| import.size == REFUSES_ITS_FIRST_END) && !driver.refused.contains(&handle) {
        driver.refused.push(handle);
        return CUDA_ERROR_NOT_PERMITTED;
    }
    let Some(import) = driver.imports.remove(&handle) else { abort() };
    let is_there = driver.contexts.contains_key(&import.context) || driver.primary_references > 0;
    if !is_there {
        abort();
    }
    CUDA_SUCCESS
}

const REFUSES_ITS_FIRST_END: u64 = 4097;

/// The types that a test may ask for: those of Linux, and Direct3D's for what they demand.
fn check_type(handle_type: u32, refused: &[u32]) -> CUresult {
    match handle_type {
        1..=10 if refused.contains(&handle_type) => CUDA_ERROR_NOT_SUPPORTED,
        1..=10 => CUDA_SUCCESS,
        _ => CUDA_ERROR_INVALID_VALUE,
    }
}

export! {
    cuMemCreate(
        handle: *mut CUmemGenericAllocationHandle,
        _size: usize,
        _properties: *const CUmemAllocationProp,
        _flags: c_ulonglong,
    ) {
        let fd = memfd_create(c"fake-driver".as_ptr().cast(), 1);
        let mut driver = driver();
        *handle = driver.handle() as u64;
        driver.allocations.insert(*handle, fd);
        CUDA_SUCCESS
    }
    cuMemRelease(handle: CUmemGenericAllocationHandle) {
        let fd = driver().allocations.remove(&handle);
        success_if(fd.is_some_and(|fd| close(fd) == 0))
    }
    cuMemExportToShareableHandle(
        out: *mut c_void,
        handle: CUmemGenericAllocationHandle,
        _kind: CUmemAllocationHandleType,
        _flags: c_ulonglong,
    ) {
        let Some(fd) = driver().allocations.get(&handle).copied() else { return CUDA_ERROR_INVALID_VALUE };
        // A new open file, as the real driver exports.
        let path = format!("/proc/self/fd/{fd}\0");
        let opened = fs::OpenOptions::new().read(true).write(true).open(path.trim_end_matches('\0'));
        let Ok(file) = opened else { return CUDA_ERROR_UNKNOWN };
        *out.cast::<c_int>() = std::os::fd::IntoRawFd::into_raw_fd(file);
        CUDA_SUCCESS
    }
    cuImportExternalMemory(out: *mut CUexternalMemory, desc: *const CUDA_EXTERNAL_MEMORY_HANDLE_DESC) {
        let desc = &*desc;
        if current() == 0 {
            return CUDA_ERROR_INVALID_CONTEXT;
        }
        let code = check_type(desc.type_.0, &[2, 3, 4, 8, 9]);
        if code != CUDA_SUCCESS {
            return code;
        }
        if desc.size == 0 || desc.flags > 1 || desc.reserved != [0; 16] {
            return CUDA_ERROR_INVALID_VALUE;
        }
        if desc.type_.0 == 1 {
            let is_exported = is_exported(desc.handle.fd);
            close(desc.handle.fd);
            if !is_exported {
                return CUDA_ERROR_UNKNOWN;
            }
        }
        let import = Import { is_memory: true, context: current(), value: 0, size: desc.size, flags: desc.flags };
        *out = insert(import) as CUexternalMemory;
        CUDA_SUCCESS
    }
    cuImportExternalSemaphore(out: *mut CUexternalSemaphore, desc: *const CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC) {
        let desc = &*desc;
        if current() == 0 {
            return CUDA_ERROR_INVALID_CONTEXT;
        }
        let code = check_type(desc.type_.0, &[2, 3, 4, 5, 6, 10]);
        if code != CUDA_SUCCESS {
            return code;
        }
        if desc.flags != 0 || desc.reserved != [0; 16] {
            return CUDA_ERROR_INVALID_VALUE;
        }
        if matches!(desc.type_.0, 1 | 9) {
            if !is_exported(desc.handle.fd) {
                return CUDA_ERROR_UNKNOWN;
            }
            close(desc.handle.fd);
        }
        let import = Import { is_memory: false, context: current(), value: 0, size: 0, flags: 0 };
        *out = insert(import) as CUexternalSemaphore;
        CUDA_SUCCESS
    }
    cuDestroyExternalMemory(memory: CUexternalMemory) { destroy(memory.addr()) }
    cuDestroyExternalSemaphore(semaphore: CUexternalSemaphore) { destroy(semaphore.addr()) }
    cuExternalMemoryGetMappedBuffer(
        address: *mut CUdeviceptr,
        memory: CUexternalMemory,
        desc: *const CUDA_EXTERNAL_MEMORY_BUFFER_DESC,
    ) {
        let desc = &*desc;
        let Some((size, flags)) = driver().imports.get(&memory.addr()).map(|import| (import.size, import.flags)) else {
            abort()
        };
        let is_right = desc.size > 0 && desc.offset.checked_add(desc.size).is_some_and(|end| end <= size);
        if !is_right || desc.flags != 0 || desc.reserved != [0; 16] || (flags == 1 && desc.offset != 0) {
            return CUDA_ERROR_INVALID_VALUE;
        }
        let mut driver = driver();
        *address = driver.address(desc.size);
        driver.buffers.insert(*address, desc.size as usize);
        CUDA_SUCCESS
    }
    cuExternalMemoryGetMappedMipmappedArray(
        out: *mut CUmipmappedArray,
        memory: CUexternalMemory,
        desc: *const CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC,
    ) {
        let mut driver = driver();
        if !driver.imports.contains_key(&memory.addr()) || (*desc).numLevels == 0 {
            abort();
        }
        let handle = driver.handle();
        driver.arrays.insert(handle, 0);
        *out = handle as CUmipmappedArray;
        CUDA_SUCCESS
    }
    cuMemFree_v2(address: CUdeviceptr) {
        let mut driver = driver();
        if driver.primary_references == 0 && driver.contexts.is_empty() {
            return CUDA_ERROR_CONTEXT_IS_DESTROYED;
        }
        driver.freed = Some(address);
        success_if(driver.buffers.remove(&address).is_some())
    }
    cuMemAlloc_v2(address: *mut CUdeviceptr, size: usize) {
        let mut driver = driver();
        let freed = driver.freed.take();
        *address = freed.unwrap_or_else(|| driver.address(size as u64));
        driver.buffers.insert(*address, size);
        CUDA_SUCCESS
    }
    cuMipmappedArrayDestroy(array: CUmipmappedArray) {
        if driver().arrays.remove(&array.addr()).is_none() {
            abort();
        }
        CUDA_SUCCESS
    }
    cuMipmappedArrayGetLevel(out: *mut CUarray, array: CUmipmappedArray, _level: c_uint) {
        if !driver().arrays.contains_key(&array.addr()) {
            abort();
        }
        *out = (array.addr() + 8) as CUarray;
        CUDA_SUCCESS
    }
    cuSurfObjectCreate(surface: *mut CUsurfObject, resource: *const CUDA_RESOURCE_DESC) {
        let level = (*resource).res.array.hArray.addr();
        if !driver().arrays.contains_key(&(level - 8)) {
            abort();
        }
        *surface = 1;
        CUDA_SUCCESS
    }
    cuPointerGetAttribute(data: *mut c_void, _attribute: c_uint, address: CUdeviceptr) {
        *data.cast::<u32>() = 2;
        let is_inside = |(start, size): (&u64, &usize)| (*start..start + *size as u64).contains(&address);
        success_if(driver().buffers.iter().any(is_inside))
    }

    cuGraphCreate(out: *mut CUgraph, _flags: c_uint) {
        let mut driver = driver();
        let handle = driver.handle();
        driver.graphs.insert(handle, ());
        *out = handle as CUgraph;
        CUDA_SUCCESS
    }
    cuGraphDestroy(graph: CUgraph) { success_if(driver().graphs.remove(&graph.addr()).is_some()) }
    cuGraphExecDestroy(graph: CUgraphExec) { success_if(driver().graphs.remove(&graph.addr()).is_some()) }
    cuGraphInstantiateWithFlags(out: *mut CUgraphExec, _graph: CUgraph, _flags: c_ulonglong) {
        let mut driver = driver();
        let handle = driver.handle();
        driver.graphs.insert(handle, ());
        *out = handle as CUgraphExec;
        CUDA_SUCCESS
    }
    cuGraphLaunch(graph: CUgraphExec, _stream: CUstream) {
        success_if(driver().graphs.contains_key(&graph.addr()))
    }
    cuGraphAddExternalSemaphoresSignalNode(
        out: *mut CUgraphNode,
        _graph: CUgraph,
        _after: *const CUgraphNode,
        _count: usize,
        params: *const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS,
    ) {
        if (*params).numExtSems > 0 && ((*params).extSemArray.is_null() || (*params).paramsArray.is_null()) {
            abort();
        }
        *out = driver().handle() as CUgraphNode;
        CUDA_SUCCESS
    }
    cuGraphExecExternalSemaphoresSignalNodeSetParams(
        _graph: CUgraphExec,
        _node: CUgraphNode,
        _params: *const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS,
    ) { CUDA_SUCCESS }
    cuGraphAddMemcpyNode(
        out: *mut CUgraphNode,
        _graph: CUgraph,
        _after: *const CUgraphNode,
        _count: usize,
        _copy: *const CUDA_MEMCPY3D,
        _context: CUcontext,
    ) {
        *out = driver().handle() as CUgraphNode;
        CUDA_SUCCESS
    }
    cuGraphAddMemsetNode(
        out: *mut CUgraphNode,
        _graph: CUgraph,
        _after: *const CUgraphNode,
        _count: usize,
        _params: *const CUDA_MEMSET_NODE_PARAMS,
        _context: CUcontext,
    ) {
        *out = driver().handle() as CUgraphNode;
        CUDA_SUCCESS
    }
}
