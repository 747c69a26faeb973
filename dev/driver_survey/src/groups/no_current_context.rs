//! Calls in a thread without a current context: every function that destroys or frees, and others that programs call
//! near them.

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use cuda_external_sys::*;
use example_support::cuda::{level_array, map_mipmapped_array};
use example_support::{Error, Result};

use super::fixtures::created;
use super::fixtures::exported_memory::{
    ARRAY_2D, MemoryExporter, SIZE, create_nonblocking_stream, map_bytes, signal_semaphore, wait_semaphore,
};
use super::fixtures::graph_fixtures::{create_memset_node, instantiate_graph};
use super::fixtures::opened_devices::cuda;
use super::fixtures::question::QuestionGroup;
use super::invalid_memory::{ask_one_call, call_questions, clear_context, imported_memory};
use super::invalid_semaphores::imported_timeline;

extern_driver! {
    fn cuMemAllocAsync(address: *mut CUdeviceptr, size: usize, stream: CUstream) -> CUresult;
    fn cuMemFreeAsync(address: CUdeviceptr, stream: CUstream) -> CUresult;
    fn cuMemHostAlloc(address: *mut *mut c_void, size: usize, flags: u32) -> CUresult;
    fn cuPointerGetAttribute(data: *mut c_void, attribute: u32, address: CUdeviceptr) -> CUresult;
    fn cuStreamGetCtx(stream: CUstream, context: *mut CUcontext) -> CUresult;
}

/// Leaves the thread without a context, and returns what was made before.
fn without_context<T, E>(made: std::result::Result<T, E>) -> Result<T>
where
    Error: From<E>,
{
    let made = made?;
    clear_context()?;
    Ok(made)
}

fn map_mipmap() -> Result<CUmipmappedArray> {
    let desc = CUDA_ARRAY3D_DESCRIPTOR { Flags: CUDA_ARRAY3D_SURFACE_LDST, ..ARRAY_2D };
    let memory = MemoryExporter::VULKAN.allocate_leaked(SIZE)?.import_into_cuda()?;
    Ok(unsafe { map_mipmapped_array(memory, 0, desc, 1) }?)
}

fn describe_array() -> Result<CUDA_RESOURCE_DESC> {
    let mut resource = CUDA_RESOURCE_DESC { resType: CU_RESOURCE_TYPE_ARRAY, ..Default::default() };
    resource.res.array.hArray = unsafe { level_array(map_mipmap()?, 0) }?;
    Ok(resource)
}

// After these calls the thread has no context.
fn stream() -> Result<CUstream> {
    without_context(create_nonblocking_stream())
}

fn memory() -> Result<CUdeviceptr> {
    without_context(created!(cuMemAlloc_v2(4096)))
}

fn memory_and_stream() -> Result<(CUdeviceptr, CUstream)> {
    let memory = created!(cuMemAlloc_v2(4096))?;
    Ok((memory, stream()?))
}

fn event() -> Result<CUevent> {
    without_context(created!(cuEventCreate(0)))
}

fn event_and_stream() -> Result<(CUevent, CUstream)> {
    let event = created!(cuEventCreate(0))?;
    Ok((event, stream()?))
}

/// A graph of one fill.
fn graph() -> Result<CUgraph> {
    without_context(create_memset_node().map(|(graph, _)| graph))
}

/// Pages of the process, registered.
fn register_pages() -> Result<*mut c_void> {
    let pages = Box::leak(Box::new([0_u64; 2048])).as_mut_ptr().cast();
    unsafe { cuMemHostRegister_v2(pages, 8192, 0) }.result()?;
    Ok(pages)
}

fn allocation_properties() -> CUmemAllocationProp {
    CUmemAllocationProp {
        type_: CU_MEM_ALLOCATION_TYPE_PINNED,
        location: CUmemLocation { type_: CU_MEM_LOCATION_TYPE_DEVICE, id: 0 },
        ..Default::default()
    }
}

fn map_allocation() -> Result<CUdeviceptr> {
    let address = created!(cuMemAddressReserve(SIZE as usize, 0, 0, 0))?;
    let allocation = created!(cuMemCreate(SIZE as usize, &allocation_properties(), 0))?;
    unsafe { cuMemMap(address, SIZE as usize, 0, allocation, 0) }.result()?;
    Ok(address)
}

const PTX: &std::ffi::CStr = c".version 6.0\n.target sm_50\n.address_size 64\n.visible .entry k() { ret; }\n";

pub fn group() -> QuestionGroup {
    let mut questions = Vec::new();
    let size = SIZE as usize;
    call_questions! { questions, ask_one_call, (),
        cuMemFree_v2 {
            "memory" => (memory()?);
            "a mapping" => (without_context(map_bytes(imported_memory()?, SIZE))?);
            "null" => { clear_context()?; } (0);
        }
        cuMemFreeAsync {
            "memory" => { let stream = create_nonblocking_stream()?; }
                (without_context(created!(cuMemAllocAsync(4096, stream)))?, stream);
        }
        cuMemFreeHost {
            "memory" => (without_context(created!(cuMemAllocHost_v2(4096)))?);
            "of cuMemHostAlloc" => (without_context(created!(cuMemHostAlloc(4096, 3)))?);
        }
        cuMemHostUnregister { "memory" => (without_context(register_pages())?); }
        cuMipmappedArrayDestroy {
            "mapped" => (without_context(map_mipmap())?);
            "null" => { clear_context()?; } (null_mut());
        }
        cuDestroyExternalMemory { "imported" => (without_context(imported_memory())?); }
        cuDestroyExternalSemaphore { "imported" => (without_context(imported_timeline())?); }
        cuStreamDestroy_v2 { "stream" => (stream()?); }
        cuEventDestroy_v2 { "event" => (event()?); }
        cuGraphDestroy { "graph" => (graph()?); }
        cuGraphExecDestroy { "executable" => (without_context(instantiate_graph(create_memset_node()?.0))?); }
        cuSurfObjectDestroy { "surface" => (without_context(created!(cuSurfObjectCreate(&describe_array()?)))?); }
        cuTexObjectDestroy {
            "texture" => { let (resource, sampling) = (describe_array()?, CUDA_TEXTURE_DESC::default()); }
                (without_context(created!(cuTexObjectCreate(&resource, &sampling, null())))?);
        }
        cuModuleUnload { "module" => (without_context(created!(cuModuleLoadData(PTX.as_ptr().cast())))?); }
        cuMemUnmap { "mapped" => (without_context(map_allocation())?, size); }
        cuMemRelease { "allocation" => (without_context(created!(cuMemCreate(size, &allocation_properties(), 0)))?); }
        cuMemAddressFree { "reserved" => (without_context(created!(cuMemAddressReserve(size, 0, 0, 0)))?, size); }
        cuIpcCloseMemHandle { "memory" => (memory()?); }
        cuCtxDestroy_v2 {
            "another context" => { let device = cuda(0)?.device; }
                (without_context(created!(cuCtxCreate_v2(0, device)))?);
        }

        cuMipmappedArrayGetLevel {
            "mapped" => { let mipmap = without_context(map_mipmap())?; } (&mut null_mut(), mipmap, 0);
        }
        cuArray3DGetDescriptor_v2 {
            "array" => { let level = unsafe { level_array(map_mipmap()?, 0) }?; clear_context()?; }
                (&mut Default::default(), level);
        }
        cuSurfObjectCreate { "array" => { let surface = without_context(describe_array())?; } (&mut 0, &surface); }
        cuPointerGetAttribute {
            "memory type" => { let (mut type_, address) = (0_u32, memory()?); } ((&raw mut type_).cast(), 2, address);
        }
        cuMemGetAddressRange_v2 { "memory" => { let address = memory()?; } (&mut 0, &mut 0, address); }
        cuMemCreate { "right" => { clear_context()?; } (&mut 0, size, &allocation_properties(), 0); }
        cuMemAlloc_v2 { "right" => { clear_context()?; } (&mut 0, 4096); }
        cuMemAllocHost_v2 { "right" => { clear_context()?; } (&mut null_mut(), 4096); }
        cuMemsetD8Async {
            "a created stream" => { let (at, stream) = memory_and_stream()?; }
                (at, 1, 64, stream);
        }
        cuMemsetD8_v2 { "right" => { let at = memory()?; } (at, 1, 64); }
        cuMemcpyHtoDAsync_v2 {
            "a created stream" => { let (at, stream) = memory_and_stream()?; }
                (at, [7_u8; 64].as_ptr().cast(), 64, stream);
        }
        cuMemcpyHtoD_v2 { "right" => { let at = memory()?; } (at, [7_u8; 64].as_ptr().cast(), 64); }
        cuMemAllocAsync { "a created stream" => { let stream = stream()?; } (&mut 0, 4096, stream); }
        cuStreamCreate { "right" => { clear_context()?; } (&mut null_mut(), 0); }
        cuStreamSynchronize { "a created stream" => (stream()?); }
        cuStreamQuery { "a created stream" => (stream()?); }
        cuStreamGetCtx { "a created stream" => { let stream = stream()?; } (stream, &mut null_mut()); }
        cuStreamBeginCapture_v2 { "a created stream" => (stream()?, CU_STREAM_CAPTURE_MODE_RELAXED); }
        cuEventCreate { "right" => { clear_context()?; } (&mut null_mut(), 0); }
        cuEventRecord { "a created stream" => { let (event, stream) = event_and_stream()?; } (event, stream); }
        cuEventQuery { "event" => (event()?); }
        cuEventSynchronize { "event" => (event()?); }
        cuStreamWaitEvent { "a created stream" => { let (event, stream) = event_and_stream()?; } (stream, event, 0); }
        cuLaunchHostFunc { "a created stream" => { let stream = stream()?; } (stream, Some(nothing), null_mut()); }
        cuGraphCreate { "right" => { clear_context()?; } (&mut null_mut(), 0); }
        cuGraphInstantiateWithFlags {
            "graph" => { let graph = graph()?; } (&mut null_mut(), graph, 0);
        }
        cuGraphLaunch {
            "a created stream" => { let exec = instantiate_graph(create_memset_node()?.0)?; } (exec, stream()?);
        }
    }
    for (name, is_signal) in [("signal", true), ("wait", false)] {
        questions.push(ask_one_call(&format!("a {name}: a created stream"), move |()| {
            let (semaphore, stream) = (imported_timeline()?, stream()?);
            Ok(if is_signal {
                signal_semaphore(semaphore, 2, stream)
            } else {
                wait_semaphore(semaphore, 1, stream)
            })
        }));
    }
    QuestionGroup::new("no-context", questions)
}

unsafe extern "C" fn nothing(_argument: *mut c_void) {}
