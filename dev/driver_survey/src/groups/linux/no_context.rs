//! Calls in a thread without a current context: every function that destroys or frees, and others that programs call
//! near them.

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use cuda_external_sys::*;
use example_support::Result;
use example_support::cuda::{level_array, map_mipmapped_array};

use super::invalid::{calls, case, imported, leave_context};
use super::invalid_semaphores::timeline;
use super::shared::{Exporter, SIZE, array_2d, map, signal, stream, wait};
use crate::case::Group;
use crate::gpu::cuda;

extern_driver! {
    fn cuMemAllocAsync(address: *mut CUdeviceptr, size: usize, stream: CUstream) -> CUresult;
    fn cuMemFreeAsync(address: CUdeviceptr, stream: CUstream) -> CUresult;
    fn cuMemHostAlloc(address: *mut *mut c_void, size: usize, flags: u32) -> CUresult;
    fn cuPointerGetAttribute(data: *mut c_void, attribute: u32, address: CUdeviceptr) -> CUresult;
    fn cuStreamGetCtx(stream: CUstream, context: *mut CUcontext) -> CUresult;
}

/// Makes something, and leaves the thread without a context.
fn left<T>(made: Result<T>) -> Result<T> {
    let made = made?;
    leave_context()?;
    Ok(made)
}

/// Calls a function that writes one value.
fn made<T: Default>(call: impl FnOnce(*mut T) -> CUresult) -> Result<T> {
    let mut made = T::default();
    call(&mut made).result()?;
    Ok(made)
}

fn pointer<T>(call: impl FnOnce(*mut *mut T) -> CUresult) -> Result<*mut T> {
    let mut made = null_mut();
    call(&mut made).result()?;
    Ok(made)
}

fn memory() -> Result<CUdeviceptr> {
    made(|address| unsafe { cuMemAlloc_v2(address, 4096) })
}

fn mipmap() -> Result<CUmipmappedArray> {
    let array = array_2d(64, 64, (CU_AD_FORMAT_UNSIGNED_INT8, 4));
    let desc = CUDA_ARRAY3D_DESCRIPTOR { Flags: CUDA_ARRAY3D_SURFACE_LDST, ..array };
    Ok(unsafe { map_mipmapped_array(Exporter::VULKAN.leak(SIZE)?.import()?, 0, desc, 1) }?)
}

fn resource() -> Result<CUDA_RESOURCE_DESC> {
    let mut resource = CUDA_RESOURCE_DESC { resType: CU_RESOURCE_TYPE_ARRAY, ..Default::default() };
    resource.res.array.hArray = unsafe { level_array(mipmap()?, 0) }?;
    Ok(resource)
}

fn surface() -> Result<CUsurfObject> {
    let resource = resource()?;
    made(|surface| unsafe { cuSurfObjectCreate(surface, &resource) })
}

fn texture() -> Result<CUtexObject> {
    let (resource, sampling) = (resource()?, CUDA_TEXTURE_DESC::default());
    made(|texture| unsafe { cuTexObjectCreate(texture, &resource, &sampling, null()) })
}

fn event() -> Result<CUevent> {
    pointer(|event| unsafe { cuEventCreate(event, 0) })
}

/// A graph of one fill.
fn graph() -> Result<CUgraph> {
    let graph = pointer(|graph| unsafe { cuGraphCreate(graph, 0) })?;
    let fill = CUDA_MEMSET_NODE_PARAMS {
        dst: memory()?,
        elementSize: 1,
        width: 64,
        height: 1,
        ..Default::default()
    };
    let context = pointer(|context| unsafe { cuCtxGetCurrent(context) })?;
    pointer(|node| unsafe { cuGraphAddMemsetNode(node, graph, null(), 0, &fill, context) })?;
    Ok(graph)
}

fn executable() -> Result<CUgraphExec> {
    let graph = graph()?;
    pointer(|executable| unsafe { cuGraphInstantiateWithFlags(executable, graph, 0) })
}

fn host() -> Result<*mut c_void> {
    pointer(|address| unsafe { cuMemAllocHost_v2(address, 4096) })
}

fn host_with_flags() -> Result<*mut c_void> {
    pointer(|address| unsafe { cuMemHostAlloc(address, 4096, 3) })
}

/// Pages of the process, registered.
fn registered() -> Result<*mut c_void> {
    let pages = Box::leak(Box::new([0_u64; 2048])).as_mut_ptr().cast();
    unsafe { cuMemHostRegister_v2(pages, 8192, 0) }.result()?;
    Ok(pages)
}

fn reserved() -> Result<CUdeviceptr> {
    made(|address| unsafe { cuMemAddressReserve(address, SIZE as usize, 0, 0, 0) })
}

fn allocation() -> Result<CUmemGenericAllocationHandle> {
    let prop = CUmemAllocationProp {
        type_: CU_MEM_ALLOCATION_TYPE_PINNED,
        location: CUmemLocation { type_: CU_MEM_LOCATION_TYPE_DEVICE, id: cuda(0)?.device },
        ..Default::default()
    };
    made(|handle| unsafe { cuMemCreate(handle, SIZE as usize, &prop, 0) })
}

fn mapped() -> Result<CUdeviceptr> {
    let (address, allocation) = (reserved()?, allocation()?);
    unsafe { cuMemMap(address, SIZE as usize, 0, allocation, 0) }.result()?;
    Ok(address)
}

fn module() -> Result<CUmodule> {
    const PTX: &[u8] = b".version 6.0\n.target sm_50\n.address_size 64\n.visible .entry k() { ret; }\n\0";
    pointer(|module| unsafe { cuModuleLoadData(module, PTX.as_ptr().cast()) })
}

/// A context that is not current, and no other one is.
fn other_context() -> Result<CUcontext> {
    let device = cuda(0)?.device;
    let context = pointer(|context| unsafe { cuCtxCreate_v2(context, 0, device) })?;
    leave_context()?;
    Ok(context)
}

fn allocated_in(stream: CUstream) -> Result<CUdeviceptr> {
    made(|address| unsafe { cuMemAllocAsync(address, 4096, stream) })
}

pub fn group() -> Group {
    let mut cases = Vec::new();
    let size = SIZE as usize;
    calls! { cases, case, (),
        cuMemFree_v2 {
            "memory" => (left(memory())?);
            "a mapping" => (left(map(imported()?, SIZE).map_err(Into::into))?);
            "null" => { leave_context()?; } (0);
        }
        cuMemFreeAsync { "memory" => { let stream = stream()?; } (left(allocated_in(stream))?, stream); }
        cuMemFreeHost {
            "memory" => (left(host())?);
            "of cuMemHostAlloc" => (left(host_with_flags())?);
        }
        cuMemHostUnregister { "memory" => (left(registered())?); }
        cuMipmappedArrayDestroy { "mapped" => (left(mipmap())?); "null" => { leave_context()?; } (null_mut()); }
        cuDestroyExternalMemory { "imported" => (left(imported())?); }
        cuDestroyExternalSemaphore { "imported" => (left(timeline())?); }
        cuStreamDestroy_v2 { "stream" => (left(stream())?); }
        cuEventDestroy_v2 { "event" => (left(event())?); }
        cuGraphDestroy { "graph" => (left(graph())?); }
        cuGraphExecDestroy { "executable" => (left(executable())?); }
        cuSurfObjectDestroy {
            "surface" => (left(surface())?);
        }
        cuTexObjectDestroy {
            "texture" => (left(texture())?);
        }
        cuModuleUnload { "module" => (left(module())?); }
        cuMemUnmap { "mapped" => (left(mapped())?, size); }
        cuMemRelease { "allocation" => (left(allocation())?); }
        cuMemAddressFree { "reserved" => (left(reserved())?, size); }
        cuIpcCloseMemHandle { "memory" => (left(memory())?); }
        cuCtxDestroy_v2 {
            "another context" => (left(other_context())?);
        }

        cuMipmappedArrayGetLevel { "mapped" => { let mipmap = left(mipmap())?; } (&mut null_mut(), mipmap, 0); }
        cuArray3DGetDescriptor_v2 {
            "array" => { let level = unsafe { level_array(mipmap()?, 0) }?; leave_context()?; }
                (&mut Default::default(), level);
        }
        cuSurfObjectCreate { "array" => { let surface = left(resource())?; } (&mut 0, &surface); }
        cuPointerGetAttribute {
            "memory type" => { let (mut type_, address) = (0_u32, left(memory())?); }
                ((&raw mut type_).cast(), 2, address);
        }
        cuMemGetAddressRange_v2 { "memory" => { let address = left(memory())?; } (&mut 0, &mut 0, address); }
        cuMemCreate { "right" => { leave_context()?; } (&mut 0, size, &CUmemAllocationProp {
            type_: CU_MEM_ALLOCATION_TYPE_PINNED,
            location: CUmemLocation { type_: CU_MEM_LOCATION_TYPE_DEVICE, id: 0 }, ..Default::default() }, 0); }
        cuMemAlloc_v2 { "right" => { leave_context()?; } (&mut 0, 4096); }
        cuMemAllocHost_v2 { "right" => { leave_context()?; } (&mut null_mut(), 4096); }
        cuMemsetD8Async {
            "a created stream" => { let (at, stream) = left(Ok((memory()?, stream()?)))?; }
                (at, 1, 64, stream);
        }
        cuMemsetD8_v2 { "right" => { let at = left(memory())?; } (at, 1, 64); }
        cuMemcpyHtoDAsync_v2 {
            "a created stream" => { let (at, stream) = left(Ok((memory()?, stream()?)))?; }
                (at, [7_u8; 64].as_ptr().cast(), 64, stream);
        }
        cuMemcpyHtoD_v2 { "right" => { let at = left(memory())?; } (at, [7_u8; 64].as_ptr().cast(), 64); }
        cuMemAllocAsync { "a created stream" => { let stream = left(stream())?; } (&mut 0, 4096, stream); }
        cuStreamCreate { "right" => { leave_context()?; } (&mut null_mut(), 0); }
        cuStreamSynchronize { "a created stream" => (left(stream())?); }
        cuStreamQuery { "a created stream" => (left(stream())?); }
        cuStreamGetCtx { "a created stream" => { let stream = left(stream())?; } (stream, &mut null_mut()); }
        cuStreamBeginCapture_v2 { "a created stream" => (left(stream())?, CU_STREAM_CAPTURE_MODE_RELAXED); }
        cuEventCreate { "right" => { leave_context()?; } (&mut null_mut(), 0); }
        cuEventRecord {
            "a created stream" => { let (event, stream) = left(Ok((event()?, stream()?)))?; } (event, stream);
        }
        cuEventQuery { "event" => (left(event())?); }
        cuEventSynchronize { "event" => (left(event())?); }
        cuStreamWaitEvent {
            "a created stream" => { let (event, stream) = left(Ok((event()?, stream()?)))?; }
                (stream, event, 0);
        }
        cuLaunchHostFunc {
            "a created stream" => { let stream = left(stream())?; } (stream, Some(nothing), null_mut());
        }
        cuGraphCreate { "right" => { leave_context()?; } (&mut null_mut(), 0); }
        cuGraphInstantiateWithFlags { "graph" => { let graph = left(graph())?; } (&mut null_mut(), graph, 0); }
        cuGraphLaunch {
            "a created stream" => { let (graph, stream) = left(Ok((executable()?, stream()?)))?; }
                (graph, stream);
        }
    }
    for (name, is_signal) in [("signal", true), ("wait", false)] {
        cases.push(case(&format!("a {name}: a created stream"), move |()| {
            let (semaphore, stream) = left(Ok((timeline()?, stream()?)))?;
            Ok(if is_signal { signal(semaphore, 2, stream) } else { wait(semaphore, 1, stream) })
        }));
    }
    Group::new("no-context", cases)
}

unsafe extern "C" fn nothing(_argument: *mut c_void) {}
