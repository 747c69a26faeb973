//! Further ways to break a rule, and programs that come near to it.

use std::os::fd::AsRawFd;
use std::process::{Command, Stdio};
use std::ptr::{null, null_mut};

use cuda_external_check::rules::Rule;
use cuda_external_sys::*;

use super::cuda::*;

pub struct Variant {
    pub name: &'static str,
    pub run: fn(),
    pub rules: &'static [Rule],
    pub on_gpu: bool,
}

pub const fn variant(name: &'static str, rules: &'static [Rule], on_gpu: bool, run: fn()) -> Variant {
    Variant { name, run, rules, on_gpu }
}

pub const VARIANTS: &[Variant] = &[
    variant("fill-after-the-imports-end", &[Rule::ImportBeforeMapping, Rule::UseAfterEnd], true, || {
        let _context = context();
        let memory = import();
        let address = map(memory, 0, SIZE).expect("the mapping");
        ok(destroy(memory));
        for _ in 0..3 {
            ok(fill(address));
        }
        ok(free(address));
    }),
    variant("graph-node-after-the-mappings-end", &[Rule::UseAfterEnd], false, || {
        let _context = context();
        let memory = import();
        let address = map(memory, 0, SIZE).expect("the mapping");
        ok(free(address));
        ok(destroy(memory));
        ok(fill_node(graph(), address));
    }),
    variant("mapping-freed-while-a-graph-fills-it", &[Rule::GraphAlive], false, || {
        with_mapping(|address| ok(fill_node(graph(), address)));
    }),
    variant("array-destroyed-while-a-graph-copies-from-it", &[Rule::GraphAlive], false, || {
        let _context = context();
        let memory = import();
        let array = map_array(memory, &image(64, 64, 0, 0)).expect("the mapping");
        ok(copy_node(graph(), CUDA_MEMCPY3D { srcArray: level(array), ..ROW }));
        ok(destroy_array(array));
        ok(destroy(memory));
    }),
    variant("graph-copies-into-an-array-that-has-ended", &[Rule::UseAfterEnd], false, || {
        let _context = context();
        let memory = import();
        let array = map_array(memory, &image(64, 64, 0, 0)).expect("the mapping");
        let level = level(array);
        ok(destroy_array(array));
        ok(destroy(memory));
        let into = CUDA_MEMCPY3D {
            srcMemoryType: CU_MEMORYTYPE_HOST,
            dstMemoryType: CU_MEMORYTYPE_ARRAY,
            dstArray: level,
            ..ROW
        };
        assert_eq!(copy_node(graph(), into), CUDA_ERROR_INVALID_HANDLE);
    }),
    variant("a-pipe-with-the-number-of-an-import", &[Rule::FdImportedBefore], false, || {
        let _context = context();
        let mut child = Command::new("true").stdout(Stdio::piped()).spawn().expect("a program");
        let output = child.stdout.take().expect("it is piped");
        let description = description(export());
        let memory = import_as(&description).expect("the import");
        // SAFETY: the number is free, and the union's field was set.
        unsafe { dup2(output.as_raw_fd(), description.handle.fd) };
        assert_eq!(import_as(&description), Err(CUDA_ERROR_UNKNOWN));
        child.wait().expect("the program ends");
        ok(destroy(memory));
    }),
    variant("surface-of-a-destroyed-array", &[Rule::UseAfterEnd], false, || {
        let _context = context();
        let memory = import();
        let array = map_array(memory, &image(64, 64, 0, 0)).expect("the mapping");
        let level = level(array);
        ok(surface(level));
        ok(destroy_array(array));
        assert_eq!(surface(level), CUDA_ERROR_INVALID_HANDLE);
        ok(destroy(memory));
    }),
    variant("array-destroyed-twice", &[Rule::HandleDestroyedTwice], false, || {
        let _context = context();
        let memory = import();
        let array = map_array(memory, &image(64, 64, 0, 0)).expect("the mapping");
        ok(destroy_array(array));
        assert_eq!(destroy_array(array), CUDA_ERROR_INVALID_HANDLE);
        ok(destroy(memory));
    }),
    variant("semaphore-destroyed-twice", &[Rule::HandleDestroyedTwice], false, || {
        let _context = context();
        let semaphore = timeline();
        ok(destroy_semaphore(semaphore));
        assert_eq!(destroy_semaphore(semaphore), CUDA_ERROR_INVALID_HANDLE);
    }),
    variant("signal-of-a-null-semaphore", &[Rule::HandleUnknown], false, || {
        let _context = context();
        assert_eq!(signal(null_mut(), 1, null_mut()), CUDA_ERROR_INVALID_HANDLE);
    }),
    variant("signal-of-a-destroyed-semaphore", &[Rule::HandleDestroyed], false, || {
        let _context = context();
        let semaphore = timeline();
        ok(destroy_semaphore(semaphore));
        assert_eq!(signal(semaphore, 1, null_mut()), CUDA_ERROR_INVALID_HANDLE);
    }),
    variant("null-array-of-a-graph-node", &[Rule::NullArray], false, || {
        let _context = context();
        let params = CUDA_EXT_SEM_SIGNAL_NODE_PARAMS { numExtSems: 1, ..Default::default() };
        let mut node = null_mut();
        // SAFETY: the mistake that the case is about.
        let code = unsafe { cuGraphAddExternalSemaphoresSignalNode(&mut node, graph(), null(), 0, &params) };
        assert_eq!(code, CUDA_ERROR_INVALID_VALUE);
    }),
    variant("graph-launched-twice-with-one-value", &[Rule::TimelineNotGrowing], false, || launched(2, true)),
    variant("graph-launched-after-its-semaphores-end", &[Rule::GraphAlive, Rule::UseAfterEnd], false, || {
        launched(1, false)
    }),
    variant("signals-of-a-capture-are-not-executed", &[], false, || {
        let _context = context();
        let (semaphore, stream) = (timeline(), stream());
        capture(c"cuStreamBeginCapture_v2", stream);
        ok(signal(semaphore, 5, stream));
        ok(signal(semaphore, 5, stream));
        capture(c"cuStreamEndCapture", stream);
        ok(signal(semaphore, 1, stream));
        ok(destroy_semaphore(semaphore));
    }),
    variant("not-freed-at-the-contexts-end", &[Rule::NotFreed], true, || {
        let _context = context();
        map(import(), 0, SIZE).expect("the mapping");
        // SAFETY: the context was retained once.
        ok(unsafe { cuDevicePrimaryCtxRelease_v2(0) });
    }),
    variant("freed-after-its-context", &[Rule::HandleContextGone, Rule::NotFreed], true, || {
        let _context = context();
        let address = map(import(), 0, SIZE).expect("the mapping");
        // SAFETY: as above.
        ok(unsafe { cuDevicePrimaryCtxRelease_v2(0) });
        assert_ne!(free(address), CUDA_SUCCESS);
    }),
    variant("context-retained-twice-and-released-once", &[], true, || {
        let _context = context();
        let _second = context();
        let memory = import();
        // SAFETY: the context was retained twice.
        ok(unsafe { cuDevicePrimaryCtxRelease_v2(0) });
        ok(destroy(memory));
    }),
    variant("address-of-a-mapping-given-to-another-allocation", &[], false, || {
        let _context = context();
        let memory = import();
        let mapped = map(memory, 0, SIZE).expect("the mapping");
        ok(free(mapped));
        let mut address = 0;
        // SAFETY: the pointer is valid.
        ok(unsafe { cuMemAlloc_v2(&mut address, SIZE as usize) });
        assert_eq!(address, mapped, "the fake driver gives the same address");
        ok(fill(address));
        ok(free(address));
        ok(destroy(memory));
    }),
    variant("a-queued-wait-after-many-signals", &[Rule::DestroyedInUse], false, || {
        let _context = context();
        let (semaphore, stream) = (timeline(), stream());
        for value in 1..40 {
            ok(signal(semaphore, value, stream));
        }
        ok(wait(semaphore, 99, stream));
        ok(destroy_semaphore(semaphore));
    }),
    variant("an-end-that-the-driver-refused", &[], false, || {
        let _context = context();
        let memory = import_as(&CUDA_EXTERNAL_MEMORY_HANDLE_DESC { size: 4097, ..description(export()) });
        let memory = memory.expect("the import");
        assert_eq!(destroy(memory), CUDA_ERROR_NOT_PERMITTED);
        ok(destroy(memory));
    }),
    variant("signal-in-each-threads-own-stream", &[], false, || {
        let context = context().0.addr();
        let semaphore = timeline().addr();
        for value in [2, 1] {
            let thread = std::thread::spawn(move || {
                // SAFETY: the context is alive.
                ok(unsafe { cuCtxSetCurrent(context as CUcontext) });
                // CU_STREAM_PER_THREAD.
                ok(signal(semaphore as CUexternalSemaphore, value, 2 as CUstream));
            });
            thread.join().expect("it ends");
        }
        ok(destroy_semaphore(semaphore as CUexternalSemaphore));
    }),
];

unsafe extern "C" {
    fn dup2(from: i32, to: i32) -> i32;
}

fn fill(address: CUdeviceptr) -> CUresult {
    // SAFETY: the checks of a case are about where this writes.
    unsafe { cuMemsetD8_v2(address, 1, 1) }
}

fn fill_node(graph: CUgraph, address: CUdeviceptr) -> CUresult {
    let params =
        CUDA_MEMSET_NODE_PARAMS { dst: address, elementSize: 1, width: 1, height: 1, ..Default::default() };
    let mut node = null_mut();
    // SAFETY: as above.
    unsafe { cuGraphAddMemsetNode(&mut node, graph, null(), 0, &params, null_mut()) }
}

/// Copies the first row of an array to the CPU.
const ROW: CUDA_MEMCPY3D = CUDA_MEMCPY3D {
    srcMemoryType: CU_MEMORYTYPE_ARRAY,
    dstMemoryType: CU_MEMORYTYPE_HOST,
    WidthInBytes: 64,
    Height: 1,
    Depth: 1,
    // SAFETY: zeros are its default.
    ..unsafe { std::mem::zeroed() }
};

fn copy_node(graph: CUgraph, copy: CUDA_MEMCPY3D) -> CUresult {
    type Function = unsafe extern "C" fn(
        *mut CUgraphNode,
        CUgraph,
        *const CUgraphNode,
        usize,
        *const CUDA_MEMCPY3D,
        CUcontext,
    ) -> CUresult;
    let symbol = load().expect("a driver").symbol(c"cuGraphAddMemcpyNode").expect("the fake driver has it");
    let mut node = null_mut();
    // SAFETY: cuda.h's type. The graph is not launched.
    unsafe {
        std::mem::transmute::<*mut std::ffi::c_void, Function>(symbol.as_ptr())(
            &mut node,
            graph,
            null(),
            0,
            &copy,
            null_mut(),
        )
    }
}

fn level(array: CUmipmappedArray) -> CUarray {
    let mut level = null_mut();
    // SAFETY: the array is alive.
    ok(unsafe { cuMipmappedArrayGetLevel(&mut level, array, 0) });
    level
}

fn surface(level: CUarray) -> CUresult {
    let mut resource = CUDA_RESOURCE_DESC { resType: CU_RESOURCE_TYPE_ARRAY, ..Default::default() };
    resource.res.array.hArray = level;
    let mut surface = 0;
    // SAFETY: as above.
    unsafe { cuSurfObjectCreate(&mut surface, &resource) }
}

fn launched(times: usize, in_order: bool) {
    let _context = context();
    let (semaphore, graph, stream) = (timeline(), graph(), stream());
    signal_node(graph, &[semaphore], 1).expect("the node");
    let mut instance = null_mut();
    // SAFETY: the handles are alive but for the mistake.
    unsafe {
        ok(cuGraphInstantiateWithFlags(&mut instance, graph, 0));
        if !in_order {
            ok(destroy_semaphore(semaphore));
        }
        for _ in 0..times {
            ok(cuGraphLaunch(instance, stream));
        }
        ok(cuGraphExecDestroy(instance));
        ok(cuGraphDestroy(graph));
    }
    if in_order {
        ok(destroy_semaphore(semaphore));
    }
}

/// Begins or ends a capture: the crate does not bind these in every version.
fn capture(name: &std::ffi::CStr, stream: CUstream) {
    type Function = unsafe extern "C" fn(CUstream, *mut CUgraph) -> CUresult;
    let symbol = load().expect("a driver").symbol(name).expect("the fake driver has it");
    // SAFETY: the fake driver looks at the stream alone.
    ok(unsafe {
        std::mem::transmute::<*mut std::ffi::c_void, Function>(symbol.as_ptr())(stream, null_mut())
    });
}
