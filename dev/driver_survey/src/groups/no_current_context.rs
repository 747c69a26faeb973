//! Calls in a thread without a current context: every function that destroys or frees, and others that programs call
//! near them.

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use cuda_external_sys::*;
use example_support::Result;
use example_support::cuda::{level_array, map_mipmapped_array};

use super::fixtures::exported_memory::{
    Exporter, SIZE, array_2d, create_stream, map_bytes, signal_semaphore, wait_semaphore,
};
use super::fixtures::graph_fixtures::{create_memset_node, instantiate};
use super::fixtures::opened_devices::cuda;
use super::fixtures::question::QuestionGroup;
use super::invalid_memory::{ask_one_call, calls, imported_memory, leave_context};
use super::invalid_semaphores::imported_timeline;

extern_driver! {
    fn cuMemAllocAsync(address: *mut CUdeviceptr, size: usize, stream: CUstream) -> CUresult;
    fn cuMemFreeAsync(address: CUdeviceptr, stream: CUstream) -> CUresult;
    fn cuMemHostAlloc(address: *mut *mut c_void, size: usize, flags: u32) -> CUresult;
    fn cuPointerGetAttribute(data: *mut c_void, attribute: u32, address: CUdeviceptr) -> CUresult;
    fn cuStreamGetCtx(stream: CUstream, context: *mut CUcontext) -> CUresult;
}

/// Makes something, and leaves the thread without a context.
fn without_context<T>(made: Result<T>) -> Result<T> {
    let made = made?;
    leave_context()?;
    Ok(made)
}

/// Calls a function that writes one value.
fn created_value<T: Default>(call: impl FnOnce(*mut T) -> CUresult) -> Result<T> {
    let mut made = T::default();
    call(&mut made).result()?;
    Ok(made)
}

fn created_pointer<T>(call: impl FnOnce(*mut *mut T) -> CUresult) -> Result<*mut T> {
    let mut made = null_mut();
    call(&mut made).result()?;
    Ok(made)
}

fn allocate_memory() -> Result<CUdeviceptr> {
    created_value(|address| unsafe { cuMemAlloc_v2(address, 4096) })
}

fn map_mipmap() -> Result<CUmipmappedArray> {
    let array = array_2d(64, 64, (CU_AD_FORMAT_UNSIGNED_INT8, 4));
    let desc = CUDA_ARRAY3D_DESCRIPTOR { Flags: CUDA_ARRAY3D_SURFACE_LDST, ..array };
    Ok(unsafe {
        map_mipmapped_array(Exporter::VULKAN.allocate_leaked(SIZE)?.import_into_cuda()?, 0, desc, 1)
    }?)
}

fn describe_array() -> Result<CUDA_RESOURCE_DESC> {
    let mut resource = CUDA_RESOURCE_DESC { resType: CU_RESOURCE_TYPE_ARRAY, ..Default::default() };
    resource.res.array.hArray = unsafe { level_array(map_mipmap()?, 0) }?;
    Ok(resource)
}

fn create_surface() -> Result<CUsurfObject> {
    let resource = describe_array()?;
    created_value(|surface| unsafe { cuSurfObjectCreate(surface, &resource) })
}

fn create_texture() -> Result<CUtexObject> {
    let (resource, sampling) = (describe_array()?, CUDA_TEXTURE_DESC::default());
    created_value(|texture| unsafe { cuTexObjectCreate(texture, &resource, &sampling, null()) })
}

fn create_event() -> Result<CUevent> {
    created_pointer(|event| unsafe { cuEventCreate(event, 0) })
}

// As these are called, the thread is left without a context.
fn stream() -> Result<CUstream> {
    without_context(create_stream())
}

fn memory() -> Result<CUdeviceptr> {
    without_context(allocate_memory())
}

fn event_and_stream() -> Result<(CUevent, CUstream)> {
    without_context(Ok((create_event()?, create_stream()?)))
}

/// A graph of one fill.
fn filling_graph() -> Result<CUgraph> {
    Ok(create_memset_node()?.0)
}

fn instantiated_graph() -> Result<CUgraphExec> {
    instantiate(filling_graph()?)
}

fn allocate_host() -> Result<*mut c_void> {
    created_pointer(|address| unsafe { cuMemAllocHost_v2(address, 4096) })
}

fn allocate_host_with_flags() -> Result<*mut c_void> {
    created_pointer(|address| unsafe { cuMemHostAlloc(address, 4096, 3) })
}

/// Pages of the process, registered.
fn register_pages() -> Result<*mut c_void> {
    let pages = Box::leak(Box::new([0_u64; 2048])).as_mut_ptr().cast();
    unsafe { cuMemHostRegister_v2(pages, 8192, 0) }.result()?;
    Ok(pages)
}

fn reserve_addresses() -> Result<CUdeviceptr> {
    created_value(|address| unsafe { cuMemAddressReserve(address, SIZE as usize, 0, 0, 0) })
}

fn create_allocation() -> Result<CUmemGenericAllocationHandle> {
    let prop = CUmemAllocationProp {
        type_: CU_MEM_ALLOCATION_TYPE_PINNED,
        location: CUmemLocation { type_: CU_MEM_LOCATION_TYPE_DEVICE, id: cuda(0)?.device },
        ..Default::default()
    };
    created_value(|handle| unsafe { cuMemCreate(handle, SIZE as usize, &prop, 0) })
}

fn map_allocation() -> Result<CUdeviceptr> {
    let (address, allocation) = (reserve_addresses()?, create_allocation()?);
    unsafe { cuMemMap(address, SIZE as usize, 0, allocation, 0) }.result()?;
    Ok(address)
}

fn load_module() -> Result<CUmodule> {
    const PTX: &[u8] = b".version 6.0\n.target sm_50\n.address_size 64\n.visible .entry k() { ret; }\n\0";
    created_pointer(|module| unsafe { cuModuleLoadData(module, PTX.as_ptr().cast()) })
}

/// A context that is not current, and no other one is.
fn create_other_context() -> Result<CUcontext> {
    let device = cuda(0)?.device;
    let context = created_pointer(|context| unsafe { cuCtxCreate_v2(context, 0, device) })?;
    leave_context()?;
    Ok(context)
}

fn allocate_in(stream: CUstream) -> Result<CUdeviceptr> {
    created_value(|address| unsafe { cuMemAllocAsync(address, 4096, stream) })
}

pub fn group() -> QuestionGroup {
    let mut questions = Vec::new();
    let size = SIZE as usize;
    calls! { questions, ask_one_call, (),
        cuMemFree_v2 {
            "memory" => (memory()?);
            "a mapping" => (without_context(map_bytes(imported_memory()?, SIZE).map_err(Into::into))?);
            "null" => { leave_context()?; } (0);
        }
        cuMemFreeAsync {
            "memory" => { let stream = create_stream()?; } (without_context(allocate_in(stream))?, stream);
        }
        cuMemFreeHost {
            "memory" => (without_context(allocate_host())?);
            "of cuMemHostAlloc" => (without_context(allocate_host_with_flags())?);
        }
        cuMemHostUnregister { "memory" => (without_context(register_pages())?); }
        cuMipmappedArrayDestroy {
            "mapped" => (without_context(map_mipmap())?);
            "null" => { leave_context()?; } (null_mut());
        }
        cuDestroyExternalMemory { "imported" => (without_context(imported_memory())?); }
        cuDestroyExternalSemaphore { "imported" => (without_context(imported_timeline())?); }
        cuStreamDestroy_v2 { "stream" => (stream()?); }
        cuEventDestroy_v2 { "event" => (without_context(create_event())?); }
        cuGraphDestroy { "graph" => (without_context(filling_graph())?); }
        cuGraphExecDestroy { "executable" => (without_context(instantiated_graph())?); }
        cuSurfObjectDestroy { "surface" => (without_context(create_surface())?); }
        cuTexObjectDestroy { "texture" => (without_context(create_texture())?); }
        cuModuleUnload { "module" => (without_context(load_module())?); }
        cuMemUnmap { "mapped" => (without_context(map_allocation())?, size); }
        cuMemRelease { "allocation" => (without_context(create_allocation())?); }
        cuMemAddressFree { "reserved" => (without_context(reserve_addresses())?, size); }
        cuIpcCloseMemHandle { "memory" => (memory()?); }
        cuCtxDestroy_v2 { "another context" => (without_context(create_other_context())?); }

        cuMipmappedArrayGetLevel {
            "mapped" => { let mipmap = without_context(map_mipmap())?; } (&mut null_mut(), mipmap, 0);
        }
        cuArray3DGetDescriptor_v2 {
            "array" => { let level = unsafe { level_array(map_mipmap()?, 0) }?; leave_context()?; }
                (&mut Default::default(), level);
        }
        cuSurfObjectCreate { "array" => { let surface = without_context(describe_array())?; } (&mut 0, &surface); }
        cuPointerGetAttribute {
            "memory type" => { let (mut type_, address) = (0_u32, memory()?); } ((&raw mut type_).cast(), 2, address);
        }
        cuMemGetAddressRange_v2 { "memory" => { let address = memory()?; } (&mut 0, &mut 0, address); }
        cuMemCreate { "right" => { leave_context()?; } (&mut 0, size, &CUmemAllocationProp {
            type_: CU_MEM_ALLOCATION_TYPE_PINNED,
            location: CUmemLocation { type_: CU_MEM_LOCATION_TYPE_DEVICE, id: 0 }, ..Default::default() }, 0); }
        cuMemAlloc_v2 { "right" => { leave_context()?; } (&mut 0, 4096); }
        cuMemAllocHost_v2 { "right" => { leave_context()?; } (&mut null_mut(), 4096); }
        cuMemsetD8Async {
            "a created stream" => { let (at, stream) = without_context(Ok((allocate_memory()?, create_stream()?)))?; }
                (at, 1, 64, stream);
        }
        cuMemsetD8_v2 { "right" => { let at = memory()?; } (at, 1, 64); }
        cuMemcpyHtoDAsync_v2 {
            "a created stream" => { let (at, stream) = without_context(Ok((allocate_memory()?, create_stream()?)))?; }
                (at, [7_u8; 64].as_ptr().cast(), 64, stream);
        }
        cuMemcpyHtoD_v2 { "right" => { let at = memory()?; } (at, [7_u8; 64].as_ptr().cast(), 64); }
        cuMemAllocAsync { "a created stream" => { let stream = stream()?; } (&mut 0, 4096, stream); }
        cuStreamCreate { "right" => { leave_context()?; } (&mut null_mut(), 0); }
        cuStreamSynchronize { "a created stream" => (stream()?); }
        cuStreamQuery { "a created stream" => (stream()?); }
        cuStreamGetCtx { "a created stream" => { let stream = stream()?; } (stream, &mut null_mut()); }
        cuStreamBeginCapture_v2 { "a created stream" => (stream()?, CU_STREAM_CAPTURE_MODE_RELAXED); }
        cuEventCreate { "right" => { leave_context()?; } (&mut null_mut(), 0); }
        cuEventRecord { "a created stream" => { let (event, stream) = event_and_stream()?; } (event, stream); }
        cuEventQuery { "event" => (without_context(create_event())?); }
        cuEventSynchronize { "event" => (without_context(create_event())?); }
        cuStreamWaitEvent { "a created stream" => { let (event, stream) = event_and_stream()?; } (stream, event, 0); }
        cuLaunchHostFunc { "a created stream" => { let stream = stream()?; } (stream, Some(nothing), null_mut()); }
        cuGraphCreate { "right" => { leave_context()?; } (&mut null_mut(), 0); }
        cuGraphInstantiateWithFlags {
            "graph" => { let graph = without_context(filling_graph())?; } (&mut null_mut(), graph, 0);
        }
        cuGraphLaunch { "a created stream" => { let graph = instantiated_graph()?; } (graph, stream()?); }
    }
    for (name, is_signal) in [("signal", true), ("wait", false)] {
        questions.push(ask_one_call(&format!("a {name}: a created stream"), move |()| {
            let (semaphore, stream) = without_context(Ok((imported_timeline()?, create_stream()?)))?;
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
