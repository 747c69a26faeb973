//! Tests of cuda-external-cpu, which is linked into this program. What a GPU must pass too is in examples/tests/gpu.
#![cfg(target_os = "linux")]

mod invalid_usage;
mod memory_ends_under_work;
mod module_images;

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::ptr::{null, null_mut};
use std::sync::LazyLock;
use std::thread::{scope, sleep};
use std::time::{Duration, Instant};

use cuda_external_cpu::InjectedFault;
use cuda_external_cpu::shared_files::SemaphorePage;
use cuda_external_sys::*;
use example_support::cuda::{
    CuMemAllocation, Cuda, DeviceMemory, ImportedSemaphore, SignalWaitArrays, Stream, read, write,
};

// SAFETY of the calls below: each pointer is null or valid as cuda.h requires, and the driver checks handles and sizes.

extern_driver! {
    fn cuModuleLoadDataEx(
        module: *mut CUmodule, image: *const c_void, count: u32, keys: *mut c_int, values: *mut *mut c_void
    ) -> CUresult;
    fn cuLinkAddData_v2(
        link: *mut c_void, kind: c_int, data: *const c_void, size: usize, name: *const c_char, count: u32,
        keys: *const c_int, values: *const *mut c_void
    ) -> CUresult;
    fn cuLinkComplete(link: *mut c_void, image: *mut *const c_void, size: *mut usize) -> CUresult;
    fn cuLinkCreate_v2(count: u32, keys: *const c_int, values: *const *mut c_void, link: *mut *mut c_void) -> CUresult;
    fn cuLinkDestroy(link: *mut c_void) -> CUresult;
    fn cuLaunchKernelEx(
        config: *const c_void, kernel: CUfunction, each: *mut *mut c_void, extra: *mut *mut c_void
    ) -> CUresult;
    fn cuOccupancyMaxPotentialBlockSize(
        grid: *mut c_int, block: *mut c_int, kernel: CUfunction, shared: *const c_void, bytes: usize,
        most: c_int
    ) -> CUresult;
    fn cuMemAllocAsync(address: *mut CUdeviceptr, size: usize, stream: CUstream) -> CUresult;
    fn cuMemFreeAsync(address: CUdeviceptr, stream: CUstream) -> CUresult;
    fn cuMemsetD8Async_ptsz(to: CUdeviceptr, value: u8, count: usize, stream: CUstream) -> CUresult;
    fn cuMemcpyDtoH_v2_ptds(to: *mut c_void, from: CUdeviceptr, count: usize) -> CUresult;
    fn cuStreamGetCaptureInfo_v3(
        stream: CUstream, status: *mut c_int, id: *mut u64, graph: *mut CUgraph, nodes: *mut *const CUgraphNode,
        edges: *mut *const u64, count: *mut usize
    ) -> CUresult;
    fn cuStreamUpdateCaptureDependencies_v2(
        stream: CUstream, nodes: *const CUgraphNode, edges: *const u64, count: usize, flags: u32
    ) -> CUresult;
    fn cuGraphNodeGetType(node: CUgraphNode, kind: *mut CUgraphNodeType) -> CUresult;
    fn cuGraphAddEmptyNode(
        node: *mut CUgraphNode, graph: CUgraph, dependencies: *const CUgraphNode, count: usize
    ) -> CUresult;
    fn cuStreamQuery_ptsz(stream: CUstream) -> CUresult;
    fn cuMemGetAccess(flags: *mut u64, location: *const CUmemLocation, address: CUdeviceptr) -> CUresult;
    fn cuStreamWaitValue32_v2(stream: CUstream, address: CUdeviceptr, value: u32, flags: u32) -> CUresult;
    fn cuStreamWriteValue64_v2(stream: CUstream, address: CUdeviceptr, value: u64, flags: u32) -> CUresult;
    fn cuStreamBatchMemOp_v2(
        stream: CUstream, count: u32, operations: *mut CUstreamBatchMemOpParams, flags: u32
    ) -> CUresult;
    fn cuMemAllocManaged(address: *mut CUdeviceptr, size: usize, flags: u32) -> CUresult;
    fn cuOccupancyMaxActiveBlocksPerMultiprocessor(
        count: *mut c_int, kernel: CUfunction, threads: c_int, shared: usize
    ) -> CUresult;
    fn cuStreamAddCallback(
        stream: CUstream, callback: Option<unsafe extern "C" fn(CUstream, CUresult, *mut c_void)>,
        argument: *mut c_void, flags: u32
    ) -> CUresult;
    fn cuMemcpy(dst: CUdeviceptr, src: CUdeviceptr, ByteCount: usize) -> CUresult;
    fn cuMipmappedArrayCreate(
        array: *mut CUmipmappedArray, desc: *const CUDA_ARRAY3D_DESCRIPTOR, levels: u32
    ) -> CUresult;
    fn cuModuleGetGlobal_v2(
        address: *mut CUdeviceptr, size: *mut usize, module: CUmodule, name: *const c_char
    ) -> CUresult;
}

#[track_caller]
fn assert_ok(code: CUresult) {
    assert_eq!(code, CUDA_SUCCESS);
}

/// CU_STREAM_PER_THREAD of cuda.h, the thread's default stream.
const PER_THREAD_STREAM: CUstream = std::ptr::without_provenance_mut(2);

static FIRST_DEVICE: LazyLock<Cuda> = LazyLock::new(|| {
    assert!(cuda_external_cpu::set_device_count(2));
    cuda_external_cpu::load().unwrap();
    Cuda::retain_primary(0).unwrap()
});

fn use_first_device() {
    FIRST_DEVICE.make_current().unwrap();
}

/// Creates a context and makes it current. In the primary context, another test's call could invalidate a capture.
fn create_test_context() -> CUcontext {
    use_first_device();
    let mut own = null_mut();
    assert_ok(unsafe { cuCtxCreate_v2(&mut own, 0, 0) });
    own
}

fn record_end_event(stream: CUstream) -> CUevent {
    let mut event = null_mut();
    unsafe {
        assert_ok(cuEventCreate(&mut event, CU_EVENT_DISABLE_TIMING.0));
        assert_ok(cuEventRecord(event, stream));
    }
    event
}

fn is_done(event: CUevent) -> bool {
    let code = unsafe { cuEventQuery(event) };
    assert!(matches!(code, CUDA_SUCCESS | CUDA_ERROR_NOT_READY), "{code}");
    code == CUDA_SUCCESS
}

/// Creates a timeline semaphore. Returns the semaphore's page and the semaphore's import into CUDA. The test's thread
/// signals and waits by the page.
fn import_timeline() -> (SemaphorePage, ImportedSemaphore) {
    let (page, file) = SemaphorePage::create_page_file(false, 0).unwrap();
    let type_ = CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD;
    (page, ImportedSemaphore::from_fd(file.into(), type_).unwrap())
}

/// Sleeps long enough for work to complete, unless the work waits for something.
fn sleep_past_work() {
    sleep(Duration::from_millis(30));
}

#[allow(non_snake_case)] // C's names
fn byte_array_desc([width, height]: [usize; 2], channels: u32) -> CUDA_ARRAY3D_DESCRIPTOR {
    let (Width, Height, Format, NumChannels) = (width, height, CU_AD_FORMAT_UNSIGNED_INT8, channels);
    CUDA_ARRAY3D_DESCRIPTOR { Width, Height, Format, NumChannels, ..Default::default() }
}

/// For cuMemcpy and CU_MEMORYTYPE_UNIFIED, the driver finds out whether an address is the host's or the device's.
#[test]
fn a_copy_may_name_memory_of_either_side() {
    use_first_device();
    let memory = DeviceMemory::new(64).unwrap();
    let (bytes, mut back) = (Vec::from_iter(0..64_u8), [0_u8; 64]);
    let from = bytes.as_ptr().expose_provenance() as u64;
    let to = back.as_mut_ptr().expose_provenance() as u64;
    let desc = byte_array_desc([64, 4], 1);
    let (mut array, mut level) = (null_mut(), null_mut());
    unsafe {
        assert_ok(cuMipmappedArrayCreate(&mut array, &desc, 2));
        assert_ok(cuMipmappedArrayGetLevel(&mut level, array, 1));
        assert_ok(cuMemcpy(memory.address, from, 64));
        let mut copy = CUDA_MEMCPY2D { WidthInBytes: 32, Height: 2, ..Default::default() };
        (copy.srcMemoryType, copy.srcDevice) = (CU_MEMORYTYPE_UNIFIED, memory.address);
        (copy.dstMemoryType, copy.dstArray) = (CU_MEMORYTYPE_ARRAY, level);
        assert_ok(cuMemcpy2D(&copy));
        (copy.srcMemoryType, copy.srcArray) = (CU_MEMORYTYPE_ARRAY, level);
        (copy.dstMemoryType, copy.dstDevice) = (CU_MEMORYTYPE_UNIFIED, to);
        assert_ok(cuMemcpy2D(&copy));
        assert_eq!(back[..], bytes[..]);
        assert_eq!(cuMemcpyDtoD(memory.address, from, 64), CUDA_ERROR_INVALID_VALUE);
        assert_ok(cuMipmappedArrayDestroy(array));
    }
}

/// If memory is not pinned, cuMemcpyHtoDAsync reads it before returning: `bytes.fill` does not change the copy.
#[test]
fn a_copy_of_pageable_memory_reads_it_in_the_call() {
    use_first_device();
    let ((page, cuda), memory, stream) =
        (import_timeline(), DeviceMemory::new(64).unwrap(), Stream::new().unwrap());
    stream.wait(&[(&cuda, 1)]).unwrap();
    let mut bytes = [7_u8; 64];
    assert_ok(unsafe { cuMemcpyHtoDAsync(memory.address, bytes.as_ptr().cast(), 64, stream.raw()) });
    bytes.fill(8);
    page.signal(1);
    stream.finish().unwrap();
    assert_eq!(read(memory.address, 64).unwrap(), [7; 64]);
}

#[test]
fn the_default_stream_and_blocking_streams_wait_for_one_another() {
    let own = create_test_context();
    let ((page, cuda), memory, free) =
        (import_timeline(), DeviceMemory::new(4096).unwrap(), Stream::new().unwrap());
    let [blocking, other] = [(); 2].map(|()| {
        let mut stream = null_mut();
        assert_ok(unsafe { cuStreamCreate(&mut stream, CU_STREAM_DEFAULT.0) });
        stream
    });
    let mut wait = SignalWaitArrays::new(&[(&cuda, 1)]);
    let wait = wait.wait_node_params();
    unsafe {
        // In a `_ptsz` function, null is the thread's default stream, which is PER_THREAD_STREAM in every function.
        assert_ok(cuWaitExternalSemaphoresAsync_ptsz(wait.extSemArray, wait.paramsArray, 1, null_mut()));
        assert_eq!(cuStreamQuery(PER_THREAD_STREAM), CUDA_ERROR_NOT_READY);
        assert_ok(cuWaitExternalSemaphoresAsync(wait.extSemArray, wait.paramsArray, 1, blocking));
        assert_ok(cuMemsetD8Async(memory.address, 1, 1, null_mut()));
        let [in_default, in_other] = [null_mut(), other].map(record_end_event);
        free.fill_async(memory.address + 2048, 1, 1).unwrap();
        free.finish().unwrap();
        sleep_past_work();
        assert_eq!([in_default, in_other].map(is_done), [false; 2]);
        assert_eq!(cuStreamQuery(null_mut()), CUDA_ERROR_NOT_READY);
        page.signal(1);
        assert_ok(cuCtxSynchronize());
        assert_eq!([in_default, in_other].map(is_done), [true; 2]);
        drop((cuda, memory, free));
        assert_ok(cuCtxDestroy(own));
    }
}

/// One branch of a graph waits for a value that the other branch signals: the graph's launch must complete.
#[test]
fn branches_of_a_graph_do_not_hold_one_another() {
    use_first_device();
    let ((page, cuda), stream, mut graph, mut exec) =
        (import_timeline(), Stream::new().unwrap(), null_mut(), null_mut());
    let mut values = SignalWaitArrays::new(&[(&cuda, 1)]);
    unsafe {
        assert_ok(cuGraphCreate(&mut graph, 0));
        let (node, wait, signal) = (&mut null_mut(), values.wait_node_params(), values.signal_node_params());
        assert_ok(cuGraphAddExternalSemaphoresWaitNode(node, graph, null(), 0, &wait));
        assert_ok(cuGraphAddExternalSemaphoresSignalNode(node, graph, null(), 0, &signal));
        assert_ok(cuGraphInstantiate(&mut exec, graph, 0));
        assert_ok(cuGraphLaunch(exec, stream.raw()));
        page.wait(1);
        stream.finish().unwrap();
        assert_ok(cuGraphExecDestroy(exec));
        assert_ok(cuGraphDestroy(graph));
    }
}

/// A wait in one thread's default stream does not delay another thread's default stream.
#[test]
fn a_per_thread_form_has_the_threads_own_default_stream() {
    let own = create_test_context();
    let ((page, cuda), memory) = (import_timeline(), DeviceMemory::new(96).unwrap());
    let mut wait = CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS::default();
    wait.params.fence.value = 1;
    let (address, context, mut seen) = (memory.address, own.expose_provenance(), [0_u8; 64]);
    let in_another_thread = move || unsafe {
        assert_ok(cuCtxSetCurrent(std::ptr::with_exposed_provenance_mut(context)));
        assert_ok(cuMemsetD8Async_ptsz(address + 64, 7, 32, null_mut()));
        let mut seen = [0_u8; 32];
        assert_ok(cuMemcpyDtoH_v2_ptds(seen.as_mut_ptr().cast(), address + 64, 32));
        assert_eq!((seen, cuStreamQuery_ptsz(null_mut())), ([7; 32], CUDA_SUCCESS));
    };
    unsafe {
        assert_ok(cuWaitExternalSemaphoresAsync_ptsz(&cuda.raw(), &wait, 1, null_mut()));
        assert_ok(cuMemsetD8Async_ptsz(address, 5, 64, null_mut()));
        std::thread::spawn(in_another_thread).join().unwrap();
        assert_eq!(cuStreamQuery_ptsz(null_mut()), CUDA_ERROR_NOT_READY);
        page.signal(1);
        assert_ok(cuMemcpyDtoH_v2_ptds(seen.as_mut_ptr().cast(), address, 64));
        assert_eq!(seen, [5; 64]);
        drop((memory, cuda));
        assert_ok(cuCtxDestroy(own));
    }
}

/// The graph does not wait for a cuEventRecord that follows the graph's launch.
#[test]
fn an_external_wait_is_for_the_record_at_the_launch() {
    create_test_context();
    let [first, second] = [(); 2].map(|()| Stream::new().unwrap());
    let ((page, cuda), event) = (import_timeline(), record_end_event(first.raw()));
    let (mut graph, mut exec) = (null_mut(), null_mut());
    unsafe {
        assert_ok(cuStreamBeginCapture(second.raw(), CU_STREAM_CAPTURE_MODE_RELAXED));
        assert_ok(cuStreamWaitEvent(second.raw(), event, CU_EVENT_WAIT_EXTERNAL.0));
        assert_ok(cuStreamEndCapture(second.raw(), &mut graph));
        assert_ok(cuGraphInstantiate(&mut exec, graph, 0));
        first.wait(&[(&cuda, 1)]).unwrap();
        assert_ok(cuGraphLaunch(exec, first.raw()));
        assert_ok(cuEventRecord(event, first.raw()));
    }
    page.signal(1);
    first.finish().unwrap();
}

#[test]
fn a_stream_waits_for_a_value_in_memory() {
    use_first_device();
    let [first, second] = [(); 2].map(|()| Stream::new().unwrap());
    let memory = DeviceMemory::new(64).unwrap();
    let operation = |operation, address, value64, flags| {
        let operand = CUstreamBatchMemOpParams_waitValue_operand { value64 };
        let of_wait = CUstreamBatchMemOpParams_waitValue { operation, address, operand, flags, alias: 0 };
        CUstreamBatchMemOpParams { waitValue: of_wait }
    };
    let [barrier, mut flush] = [CU_STREAM_MEM_OP_BARRIER, CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES]
        .map(|operation| CUstreamBatchMemOpParams { pad: [operation.0.into(), 0, 0, 0, 0, 0] });
    let mut batch = [
        operation(CU_STREAM_MEM_OP_WAIT_VALUE_32, memory.address + 4, 7, 1),
        operation(CU_STREAM_MEM_OP_WRITE_VALUE_64, memory.address + 8, 9, 0),
        barrier,
    ];
    write(memory.address, &[0; 64]).unwrap();
    unsafe {
        assert_ok(cuStreamBatchMemOp_v2(first.raw(), 3, batch.as_mut_ptr(), 0));
        assert_ok(cuStreamWaitValue32_v2(first.raw(), memory.address + 8, 9, 1));
        sleep_past_work();
        assert_eq!(cuStreamQuery(first.raw()), CUDA_ERROR_NOT_READY);
        assert_ok(cuStreamWriteValue64_v2(second.raw(), memory.address, 7 << 32, 0));
        // A list with an error enqueues none of its operations.
        batch[1] = operation(CU_STREAM_MEM_OP_WRITE_VALUE_64, memory.address + 16, 10, 0);
        batch[2].operation = CUstreamBatchMemOpType(7);
        assert_eq!(cuStreamBatchMemOp_v2(second.raw(), 3, batch.as_mut_ptr(), 0), CUDA_ERROR_INVALID_VALUE);
        assert_eq!(cuStreamBatchMemOp_v2(second.raw(), 256, batch.as_mut_ptr(), 0), CUDA_ERROR_INVALID_VALUE);
        assert_eq!(cuStreamBatchMemOp_v2(second.raw(), 1, &mut flush, 0), CUDA_ERROR_NOT_SUPPORTED);
        // The codes below were measured on an H100 with driver 580.159.04.
        let flushing = cuStreamWaitValue32_v2(second.raw(), memory.address, 0, 1 << 30);
        assert_eq!(flushing, CUDA_ERROR_NOT_SUPPORTED);
        let unordered = cuStreamWriteValue64_v2(second.raw(), memory.address, 7, 1);
        assert_eq!(unordered, CUDA_ERROR_INVALID_VALUE);
        let misaligned = cuStreamWriteValue64_v2(second.raw(), memory.address + 4, 7, 0);
        assert_eq!(misaligned, CUDA_ERROR_INVALID_VALUE);
    }
    first.finish().and_then(|()| second.finish()).unwrap();
    assert_eq!(read(memory.address + 8, 16).unwrap(), [9_u64, 0].map(u64::to_le_bytes).concat());
}

#[test]
fn a_turn_that_is_taken_back_is_given_again() {
    let (semaphore, _) = SemaphorePage::create_page_file(true, 0).unwrap();
    for signal in [false, true] {
        assert_eq!(semaphore.reserve_value(signal, 0), 1);
        semaphore.cancel_reservation(signal, 1);
        assert_eq!([semaphore.reserve_value(signal, 0), semaphore.reserve_value(signal, 0)], [1, 2]);
    }
    // Turn 2 is still reserved, so `cancel_reservation` executes the signal of turn 1.
    semaphore.cancel_reservation(true, 1);
    assert_eq!(semaphore.semaphore_value(), 1);
}

/// Returns a stream's capture status, the capture's graph, and the nodes that the next node will depend on.
fn capture_info(stream: &Stream) -> (c_int, CUgraph, Vec<CUgraphNode>) {
    let (raw, mut status, mut graph, mut count) = (stream.raw(), 0, null_mut(), 0);
    let (mut nodes, mut edges) = (null(), null());
    unsafe {
        let (s, g, n, e, c) = (&mut status, &mut graph, &mut nodes, &mut edges, &mut count);
        assert_ok(cuStreamGetCaptureInfo_v3(raw, s, null_mut(), g, n, e, c));
        let entries = 0..count;
        assert!(entries.clone().all(|at| *edges.add(at) == 0));
        (status, graph, entries.map(|at| *nodes.add(at)).collect())
    }
}

/// During the capture, the test adds the node `own` to the graph by cuGraphAddEmptyNode. `own` is not a captured node.
#[test]
fn a_captured_stream_says_its_graph_and_its_last_nodes() {
    create_test_context();
    let (memory, [first, second]) =
        (DeviceMemory::new(64).unwrap(), [(); 2].map(|()| Stream::new().unwrap()));
    let info = || capture_info(&first);
    unsafe {
        let (mut ended, mut own, mut kind) = (null_mut(), null_mut(), CU_GRAPH_NODE_TYPE_KERNEL);
        assert_eq!(info(), (0, null_mut(), vec![]));
        assert_ok(cuStreamBeginCapture(first.raw(), CU_STREAM_CAPTURE_MODE_RELAXED));
        let (_, graph, none) = info();
        assert_eq!(none, []);
        first.fill_async(memory.address, 1, 1).unwrap();
        assert_ok(cuStreamWaitEvent(second.raw(), record_end_event(first.raw()), 0));
        first.fill_async(memory.address, 1, 1).unwrap();
        second.fill_async(memory.address, 2, 1).unwrap();
        assert_ok(cuStreamWaitEvent(first.raw(), record_end_event(second.raw()), 0));
        let (status, same, last) = info();
        assert_eq!((status, same, last.len()), (1, graph, 2));
        assert_ok(cuGraphNodeGetType(last[0], &mut kind));
        assert_eq!(kind, CU_GRAPH_NODE_TYPE_MEMSET);
        assert_ok(cuGraphAddEmptyNode(&mut own, graph, last.as_ptr(), last.len()));
        // With the flags 0, `update` adds dependencies of the next captured node. With the flags 1, it replaces them.
        let update = |node: *const CUgraphNode, count, flags| {
            (cuStreamUpdateCaptureDependencies_v2(first.raw(), node, null(), count, flags), info().2)
        };
        assert_eq!(update(&own, 1, 0), (CUDA_SUCCESS, [&last[..], &[own]].concat()));
        assert_eq!(update([own, own].as_ptr(), 2, 1), (CUDA_SUCCESS, vec![own]));
        for (node, count, flags) in [(&raw const graph as _, 1, 0), (&raw const own, 1, 2), (null(), 1, 1)] {
            assert_eq!(update(node, count, flags), (CUDA_ERROR_INVALID_VALUE, vec![own]));
        }
        assert_eq!(update(null(), 0, 1), (CUDA_SUCCESS, vec![]));
        // cuStreamEndCapture succeeds although no node depends on `own` (measured: H100).
        assert_ok(cuStreamEndCapture(first.raw(), &mut ended));
        assert_eq!((ended, info().0), (graph, 0));
        assert_eq!(update(null(), 0, 2).0, CUDA_ERROR_ILLEGAL_STATE);
        assert_ok(cuGraphDestroy(graph));
        // cuStreamEndCapture fails, since `first` does not wait for the node that `second` has captured.
        assert_ok(cuStreamBeginCapture(first.raw(), CU_STREAM_CAPTURE_MODE_RELAXED));
        assert_ok(cuStreamWaitEvent(second.raw(), record_end_event(first.raw()), 0));
        second.fill_async(memory.address, 2, 1).unwrap();
        assert_eq!(cuStreamEndCapture(first.raw(), &mut ended), CUDA_ERROR_STREAM_CAPTURE_UNJOINED);
    }
    // If a capture fails, the driver destroys the captured graph, even if cuMemAlloc in another thread is looking at
    // all captures.
    scope(|scope| {
        scope.spawn(|| {
            use_first_device();
            (0..2000).for_each(|_| drop(DeviceMemory::new(1)));
        });
        (0..500).for_each(|_| unsafe {
            assert_ok(cuStreamBeginCapture(first.raw(), CU_STREAM_CAPTURE_MODE_RELAXED));
            let (_, graph, _) = info();
            assert_eq!(cuStreamSynchronize(first.raw()), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
            assert_eq!(info(), (2, null_mut(), vec![]));
            assert_eq!(cuStreamEndCapture(first.raw(), null_mut()), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
            assert_eq!(cuGraphDestroy(graph), CUDA_ERROR_INVALID_VALUE);
        });
    });
}

const PTX_HEADER: &str = ".version 8.0\n.target sm_75\n.address_size 64\n";

/// Loads PTX that follows `PTX_HEADER`.
fn load_ptx(text: &str) -> CUmodule {
    let (text, mut module) = (CString::new(format!("{PTX_HEADER}{text}")).unwrap(), null_mut());
    assert_ok(unsafe { cuModuleLoadData(&mut module, text.as_ptr().cast()) });
    module
}

fn kernel_of_module(module: CUmodule, name: &CStr) -> CUfunction {
    let mut kernel = null_mut();
    assert_ok(unsafe { cuModuleGetFunction(&mut kernel, module, name.as_ptr()) });
    kernel
}

/// Returns a kernel with these parameters and this body. Its module also has a kernel that the driver refuses.
fn load_kernel(parameters: &str, body: &str) -> CUfunction {
    let refused =
        ".entry refused() { mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32 {a}, {b}, {c}, {d}; ret; }";
    let module = load_ptx(&format!(".entry kernel({parameters}) {{ {body} ret; }}\n{refused}"));
    let code = unsafe { cuModuleGetFunction(&mut null_mut(), module, c"refused".as_ptr()) };
    assert_eq!(code, CUDA_ERROR_NOT_SUPPORTED);
    kernel_of_module(module, c"kernel")
}

/// The grid has so many blocks that several of the driver's threads run the blocks. ThreadSanitizer can then find races
/// between these threads.
#[test]
fn arguments_are_pointers_or_one_buffer() {
    const BLOCKS: u32 = 320;
    use_first_device();
    let kernel = load_kernel(
        ".param .u64 .ptr .global .align 16 words, // here\n.param .align 4 .b8 by[4]",
        ".reg .b32 %r<5>; .reg .b64 %d<3>;
         ld.param.u64 %d0, [words]; ld.param.u32 %r0, [by];
         mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x; mad.lo.u32 %r1, %r1, %r2, %r3;
         red.global.add.u32 [%d0], 1; mul.wide.u32 %d1, %r1, 4; add.u64 %d0, %d0, %d1;
         ld.global.u32 %r2, [%d0+4]; add.u32 %r2, %r2, %r0; st.global.u32 [%d0+4], %r2;",
    );
    let size = 4 + BLOCKS as usize * 8 * 4;
    let (memory, stream) = (DeviceMemory::new(size).unwrap(), Stream::new().unwrap());
    stream.fill_async(memory.address, 0, size).unwrap();
    let (mut words, mut by) = (memory.address, 5_u32);
    let mut each = [(&raw mut words).cast(), (&raw mut by).cast()];
    // The same arguments in one buffer: a pointer, then a number.
    let (mut buffer, mut bytes) = ([words, u64::from(by)], 12_usize);
    let keys = [1, 2].map(std::ptr::without_provenance_mut);
    let mut extra: [*mut c_void; 5] =
        [keys[0], buffer.as_mut_ptr().cast(), keys[1], (&raw mut bytes).cast(), null_mut()];
    let (each, extra) = (each.as_mut_ptr(), extra.as_mut_ptr());
    for (each, extra) in [(each, null_mut()), (null_mut(), extra)] {
        assert_ok(unsafe { cuLaunchKernel(kernel, BLOCKS, 1, 1, 8, 1, 1, 0, stream.raw(), each, extra) });
    }
    // The driver ignores the launch attribute 8 (the priority), which is a hint. The driver refuses the launch
    // attribute 2, which asks for a cooperative launch.
    let mut config =
        [u64::from(BLOCKS) | 1 << 32, 1 | 8 << 32, 1 | 1 << 32, 0, stream.raw().addr() as u64, 0, 1];
    for (attribute, code) in [([8_u64, 0], CUDA_SUCCESS), ([2, 1], CUDA_ERROR_NOT_SUPPORTED)] {
        let attribute = [attribute[0], attribute[1], 0, 0, 0, 0, 0, 0, 0];
        config[5] = attribute.as_ptr().expose_provenance() as u64;
        assert_eq!(unsafe { cuLaunchKernelEx(config.as_ptr().cast(), kernel, each, null_mut()) }, code);
    }
    stream.finish().unwrap();
    let mut expected = vec![15; 1 + BLOCKS as usize * 8];
    expected[0] = 3 * BLOCKS * 8;
    assert_eq!(
        read(memory.address, size).unwrap(),
        expected.into_iter().flat_map(u32::to_ne_bytes).collect::<Vec<_>>()
    );
    let (mut grid, mut block) = (0, 0);
    assert_ok(unsafe { cuOccupancyMaxPotentialBlockSize(&mut grid, &mut block, kernel, null(), 0, 512) });
    // A multiprocessor has 2,048 threads, which are four blocks of 512.
    assert_eq!((block, grid % 4), (512, 0));
    for shared in [0, usize::MAX, usize::MAX - 1023, usize::MAX - 1024, 1 << 63] {
        assert_ok(unsafe { cuOccupancyMaxActiveBlocksPerMultiprocessor(&mut grid, kernel, 32, shared) });
        assert_eq!(grid, 32, "{shared:#x}");
    }
    let none = unsafe { cuOccupancyMaxActiveBlocksPerMultiprocessor(&mut grid, kernel, 0, 0) };
    assert_eq!(none, CUDA_ERROR_INVALID_VALUE);
}

/// cuCtxSynchronize returns the code of a kernel's fault. A kernel may read memory of another context of its device, as
/// on an H100, also by a vector load that begins in a buffer and ends after the buffer.
#[test]
fn a_kernel_that_fails_loses_its_context() {
    for (body, code) in [
        ("trap;", CUDA_ERROR_LAUNCH_FAILED),
        (".reg .b64 %d; mov.u64 %d, 64; st.global.u32 [%d], 1;", CUDA_ERROR_ILLEGAL_ADDRESS),
        (".reg .b64 %d<3>; ld.global.v2.u64 {%d0, %d1}, [BUFFER+32];", CUDA_SUCCESS),
    ] {
        use_first_device();
        let buffer = DeviceMemory::new(44).unwrap();
        let own = create_test_context();
        let kernel = load_kernel("", &body.replace("BUFFER", &buffer.address.to_string()));
        unsafe {
            assert_ok(cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, null_mut(), null_mut(), null_mut()));
            assert_eq!(cuCtxSynchronize(), code);
            assert_ok(cuCtxDestroy(own));
        }
    }
}

#[test]
fn a_log_names_the_line_and_a_variable_has_an_address() {
    use_first_device();
    let load = |rest: &str| {
        let text = CString::new(format!("{PTX_HEADER}{rest}")).unwrap();
        let (mut module, mut log) = (null_mut(), [0_u8; 64]);
        let mut values = [log.as_mut_ptr().cast(), std::ptr::without_provenance_mut(64)];
        let code = unsafe {
            cuModuleLoadDataEx(&mut module, text.as_ptr().cast(), 2, [5, 6].as_mut_ptr(), values.as_mut_ptr())
        };
        (code, module, CStr::from_bytes_until_nul(&log).unwrap().to_str().unwrap().to_owned())
    };
    let (code, _, log) = load(".entry k() { wgmma.fence.sync.aligned; }");
    assert_eq!(
        (code, &*log),
        (CUDA_ERROR_NOT_SUPPORTED, "PTX, line 4: wgmma.fence.sync.aligned: not supported")
    );
    let (code, module, _) = load(".global .u32 words[2] = {1, 7}; .entry k() { ret; }");
    let (mut address, mut size) = (0, 0);
    assert_ok(code);
    let kernel = kernel_of_module(module, c"k");
    assert_ok(unsafe { cuModuleGetGlobal_v2(&mut address, &mut size, module, c"words".as_ptr()) });
    assert_eq!((size, read(address, 8).unwrap()), (8, [1_u32, 7].map(u32::to_ne_bytes).concat()));
    assert_ok(unsafe { cuModuleUnload(module) });
    assert!(read(address, 8).is_err());
    let launch = |each| unsafe { cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, null_mut(), each, null_mut()) };
    assert_eq!(launch(null_mut()), CUDA_ERROR_INVALID_HANDLE, "a kernel ends with its module");
}

#[test]
fn faults_come_at_their_call() {
    let own = create_test_context();
    // The faults are for this thread alone, since other tests call these functions too.
    let faults = ["cuMemAllocHost:2=2", "cuMemFreeHost=delay:40", "cuMemHostRegister:1=lost"];
    let _scopes = faults.map(|fault| fault.parse::<InjectedFault>().unwrap().in_this_thread());
    let mut pinned = null_mut();
    let codes = [(); 3].map(|()| unsafe { cuMemAllocHost(&mut pinned, 64) });
    assert_eq!(codes, [CUDA_SUCCESS, CUDA_ERROR_OUT_OF_MEMORY, CUDA_SUCCESS]);
    let begin = Instant::now();
    unsafe {
        assert_ok(cuMemFreeHost(pinned));
        assert!(begin.elapsed() >= Duration::from_millis(40));
        assert_eq!(cuMemHostRegister(pinned, 64, 0), CUDA_ERROR_LAUNCH_FAILED);
        assert_eq!(cuMemAlloc(&mut 0, 64), CUDA_ERROR_LAUNCH_FAILED);
        assert_ok(cuCtxDestroy(own));
        // The primary context, which is current again, is not lost.
        assert_ok(cuCtxSynchronize());
    }
}

#[test]
fn a_fault_ends_with_its_scope_and_is_of_one_thread() {
    use_first_device();
    let fault: InjectedFault = "cuIpcGetMemHandle=801".parse().unwrap();
    let call = || unsafe { cuIpcGetMemHandle(&mut CUipcMemHandle::default(), 0) };
    let in_another_thread = || scope(|scope| scope.spawn(|| (use_first_device(), call()).1).join().unwrap());
    let without = call();
    assert_ne!(without, CUDA_ERROR_NOT_SUPPORTED);
    {
        let _scope = fault.clone().in_this_thread();
        assert_eq!([call(), in_another_thread()], [CUDA_ERROR_NOT_SUPPORTED, without]);
    }
    {
        let _scope = fault.scoped();
        assert_eq!([call(), in_another_thread()], [CUDA_ERROR_NOT_SUPPORTED; 2]);
    }
    assert_eq!(call(), without);
}

/// Returns a command that runs one of this program's ignored tests in a new process.
fn process_of_test(name: &str) -> Command {
    let mut process = Command::new(std::env::current_exe().unwrap());
    process.args(["--exact", name, "--ignored", "--nocapture"]).stdout(Stdio::piped());
    process
}

/// Exports memory, prints the bytes of the IPC handle, and sleeps: the test that started this process kills it.
#[test]
#[ignore = "a process of an_exporter_that_is_killed_is_an_answer"]
fn run_exporter() {
    use_first_device();
    let (memory, mut handle) = (DeviceMemory::new(64).unwrap(), CUipcMemHandle::default());
    write(memory.address, &[9; 64]).unwrap();
    assert_ok(unsafe { cuIpcGetMemHandle(&mut handle, memory.address) });
    println!("\nhandle {}", handle.reserved.map(|byte| byte.to_string()).join(" "));
    sleep(Duration::from_secs(60));
}

#[test]
fn an_exporter_that_is_killed_is_an_answer() {
    use_first_device();
    let mut exporter = process_of_test("run_exporter").spawn().unwrap();
    let mut lines = BufReader::new(exporter.stdout.take().unwrap()).lines().map(Result::unwrap);
    let line = lines.find(|line| line.starts_with("handle ")).unwrap();
    let bytes: Vec<c_char> = line.split(' ').skip(1).map(|byte| byte.parse().unwrap()).collect();
    let handle = CUipcMemHandle { reserved: bytes.try_into().unwrap() };
    let (mut address, lazy) = (0, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS.0);
    assert_ok(unsafe { cuIpcOpenMemHandle(&mut address, handle, lazy) });
    // Each forged handle has a wrong offset in the exporter's file (byte 32) or a wrong size (byte 40).
    for (at, number) in [(32, u64::MAX), (32, 1 << 40), (32, 1), (40, u64::MAX), (40, 1 << 40), (40, 0)] {
        let mut forged = handle;
        for (byte, of_number) in forged.reserved[at..].iter_mut().zip(number.to_ne_bytes()) {
            *byte = of_number as c_char;
        }
        assert_ok(unsafe { cuIpcCloseMemHandle(address) });
        let code = unsafe { cuIpcOpenMemHandle(&mut 0, forged, lazy) };
        assert!(
            matches!(code, CUDA_ERROR_INVALID_VALUE | CUDA_ERROR_MAP_FAILED),
            "{at}, {number:#x}: {code}"
        );
        assert_ok(unsafe { cuIpcOpenMemHandle(&mut address, handle, lazy) });
    }
    exporter.kill().unwrap();
    exporter.wait().unwrap();
    // When the exporter has ended, the existing mapping stays valid, but cuIpcOpenMemHandle refuses a new one.
    assert_eq!(read(address, 64).unwrap(), [9; 64]);
    assert_ok(unsafe { cuIpcCloseMemHandle(address) });
    assert_eq!(unsafe { cuIpcOpenMemHandle(&mut address, handle, lazy) }, CUDA_ERROR_INVALID_VALUE);
}
