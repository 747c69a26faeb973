//! The driver in this process: orders, captures, faults, kernels, and what is left at a fork and at the end of the process.
#![cfg(target_os = "linux")]

use std::ffi::{CStr, c_void};
use std::os::fd::IntoRawFd;
use std::process::Command;
use std::ptr::{null, null_mut};
use std::sync::OnceLock;
use std::thread::{scope, sleep};
use std::time::{Duration, Instant};

use build_script::allowlist;
use cuda_external_cpu::shared::Semaphore;
use cuda_external_cpu::{Effect, Fault, KernelLaunch, inject_fault, register_kernel};
use cuda_external_sys::*;

// SAFETY, of the calls below: pointers are to variables of the right types, and handles live.

extern_driver! {
    fn cuGraphGetNodes(hGraph: CUgraph, nodes: *mut CUgraphNode, numNodes: *mut usize) -> CUresult;
}

#[track_caller]
fn ok(code: CUresult) {
    assert_eq!(code, CUDA_SUCCESS);
}

/// Makes the first device's context current.
fn start() {
    static CONTEXT: OnceLock<usize> = OnceLock::new();
    let context = *CONTEXT.get_or_init(|| {
        let mut context = null_mut();
        cuda_external_cpu::load().unwrap();
        unsafe {
            ok(cuInit(0));
            ok(cuDevicePrimaryCtxRetain(&mut context, 0));
        }
        context.expose_provenance()
    });
    ok(unsafe { cuCtxSetCurrent(std::ptr::with_exposed_provenance_mut(context)) });
}

fn stream(flags: CUstream_flags) -> CUstream {
    let mut stream = null_mut();
    ok(unsafe { cuStreamCreate(&mut stream, flags.0) });
    stream
}

fn memory(size: usize) -> CUdeviceptr {
    let mut address = 0;
    ok(unsafe { cuMemAlloc(&mut address, size) });
    address
}

/// Copies the first byte in a stream of its own.
fn first_byte(address: CUdeviceptr) -> u8 {
    let (mut byte, stream) = (0_u8, stream(CU_STREAM_NON_BLOCKING));
    unsafe {
        ok(cuMemcpyDtoHAsync((&raw mut byte).cast(), address, 1, stream));
        ok(cuStreamDestroy(stream));
    }
    byte
}

/// An event behind what a stream has.
fn end_of(stream: CUstream) -> CUevent {
    let mut event = null_mut();
    unsafe {
        ok(cuEventCreate(&mut event, CU_EVENT_DISABLE_TIMING.0));
        ok(cuEventRecord(event, stream));
    }
    event
}

fn is_done(event: CUevent) -> bool {
    let code = unsafe { cuEventQuery(event) };
    assert!(matches!(code, CUDA_SUCCESS | CUDA_ERROR_NOT_READY), "{code}");
    code == CUDA_SUCCESS
}

/// A timeline of this test, and the same one imported.
struct Timeline {
    page: Semaphore,
    cuda: CUexternalSemaphore,
}

impl Timeline {
    fn new() -> Self {
        let (page, fd) = Semaphore::create(false, 0).unwrap();
        let type_ = CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD;
        let mut desc = CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC { type_, ..Default::default() };
        desc.handle.fd = fd.into_raw_fd();
        let mut cuda = null_mut();
        ok(unsafe { cuImportExternalSemaphore(&mut cuda, &desc) });
        Self { page, cuda }
    }

    fn wait(&self, value: u64, stream: CUstream) {
        let mut params = CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS::default();
        params.params.fence.value = value;
        ok(unsafe { cuWaitExternalSemaphoresAsync(&self.cuda, &params, 1, stream) });
    }

    fn signal(&self, value: u64, stream: CUstream) {
        let mut params = CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS::default();
        params.params.fence.value = value;
        ok(unsafe { cuSignalExternalSemaphoresAsync(&self.cuda, &params, 1, stream) });
    }

    /// Whether the value comes within some seconds.
    fn comes_to(&self, value: u64) -> bool {
        let start = Instant::now();
        self.page.wait_while(value, || {
            sleep(Duration::from_millis(1));
            self.page.wake();
            start.elapsed() < Duration::from_secs(20)
        })
    }
}

/// Long enough that work that does not wait would be done.
fn pause() {
    sleep(Duration::from_millis(30));
}

#[test]
fn the_table_has_the_functions_of_a_linux_driver() {
    // Direct3D is Windows', and no x86 driver has the last one.
    let absent = [
        "cuD3D11GetDevice",
        "cuD3D11GetDevices",
        "cuGraphicsD3D11RegisterResource",
        "cuEventCreateFromEGLSync",
    ];
    for (symbol, _) in allowlist::FUNCTIONS {
        let name = std::ffi::CString::new(*symbol).unwrap();
        assert_eq!(cuda_external_cpu::symbol(&name).is_none(), absent.contains(symbol), "{symbol}");
    }
}

#[test]
fn work_keeps_its_order_behind_a_wait() {
    start();
    let (timeline, memory, stream) = (Timeline::new(), memory(64), stream(CU_STREAM_NON_BLOCKING));
    unsafe {
        timeline.wait(1, stream);
        // Memory that is not pinned is read before the call returns.
        let mut bytes = [7_u8; 64];
        ok(cuMemcpyHtoDAsync(memory, bytes.as_ptr().cast(), 64, stream));
        bytes.fill(8);
        let copied = end_of(stream);
        timeline.signal(2, stream);
        pause();
        assert_eq!((is_done(copied), timeline.page.value()), (false, 0));
        assert_eq!(cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
        timeline.page.signal(1);
        assert!(timeline.comes_to(2) && is_done(copied));
        ok(cuStreamSynchronize(stream));
        assert_eq!(first_byte(memory), 7);
        ok(cuStreamDestroy(stream));
        ok(cuMemFree(memory));
    }
}

#[test]
fn the_default_stream_and_blocking_streams_wait_for_one_another() {
    start();
    // A context of its own: its default stream is this test's.
    let mut own = null_mut();
    ok(unsafe { cuCtxCreate_v2(&mut own, 0, 0) });
    let (timeline, memory) = (Timeline::new(), memory(4096));
    let [blocking, other] = [CU_STREAM_DEFAULT; 2].map(stream);
    let free = stream(CU_STREAM_NON_BLOCKING);
    unsafe {
        timeline.wait(1, blocking);
        ok(cuMemsetD8Async(memory, 1, 1, null_mut()));
        let [in_default, in_other] = [null_mut(), other].map(end_of);
        ok(cuMemsetD8Async(memory + 2048, 1, 1, free));
        ok(cuStreamSynchronize(free));
        pause();
        assert_eq!([in_default, in_other].map(is_done), [false; 2]);
        assert_eq!(cuStreamQuery(null_mut()), CUDA_ERROR_NOT_READY);
        timeline.page.signal(1);
        ok(cuCtxSynchronize());
        assert_eq!([in_default, in_other].map(is_done), [true; 2]);
        ok(cuCtxDestroy(own));
    }
}

/// One branch waits, and the other one signals what it waits for.
#[test]
fn branches_of_a_graph_do_not_hold_one_another() {
    start();
    let (timeline, stream, mut graph, mut exec) =
        (Timeline::new(), stream(CU_STREAM_NON_BLOCKING), null_mut(), null_mut());
    let (mut wait, mut signal) =
        (CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS::default(), CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS::default());
    (wait.params.fence.value, signal.params.fence.value) = (1, 1);
    let mut semaphores = [timeline.cuda];
    let array = semaphores.as_mut_ptr();
    let wait = CUDA_EXT_SEM_WAIT_NODE_PARAMS { extSemArray: array, paramsArray: &wait, numExtSems: 1 };
    let signal = CUDA_EXT_SEM_SIGNAL_NODE_PARAMS { extSemArray: array, paramsArray: &signal, numExtSems: 1 };
    unsafe {
        ok(cuGraphCreate(&mut graph, 0));
        ok(cuGraphAddExternalSemaphoresWaitNode(&mut null_mut(), graph, null(), 0, &wait));
        ok(cuGraphAddExternalSemaphoresSignalNode(&mut null_mut(), graph, null(), 0, &signal));
        ok(cuGraphInstantiate(&mut exec, graph, 0));
        ok(cuGraphLaunch(exec, stream));
        assert!(timeline.comes_to(1));
        ok(cuStreamSynchronize(stream));
        ok(cuGraphExecDestroy(exec));
        ok(cuGraphDestroy(graph));
    }
}

#[test]
fn a_capture_takes_in_a_second_stream_by_an_event() {
    start();
    let [first, second] = [CU_STREAM_NON_BLOCKING; 2].map(stream);
    let (memory, mut graph, mut event, mut count) = (memory(64), null_mut(), null_mut(), 0);
    unsafe {
        ok(cuEventCreate(&mut event, CU_EVENT_DISABLE_TIMING.0));
        for joined in [false, true] {
            ok(cuStreamBeginCapture(first, CU_STREAM_CAPTURE_MODE_RELAXED));
            ok(cuMemsetD8Async(memory, 1, 1, first));
            ok(cuEventRecord(event, first));
            ok(cuStreamWaitEvent(second, event, 0));
            ok(cuMemsetD8Async(memory, 2, 1, second));
            if joined {
                ok(cuEventRecord(event, second));
                ok(cuStreamWaitEvent(first, event, 0));
            }
            let expected = if joined { CUDA_SUCCESS } else { CUDA_ERROR_STREAM_CAPTURE_UNJOINED };
            assert_eq!(cuStreamEndCapture(first, &mut graph), expected);
        }
        ok(cuGraphGetNodes(graph, null_mut(), &mut count));
        assert_eq!(count, 2);
        ok(cuGraphDestroy(graph));
    }
}

#[test]
fn kernels_are_functions_of_the_host() {
    const PTX: &CStr =
        c".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry test_add(\n.param .u64 words,\n\
                         .param .u32 by)\n{ ret; }\n.visible .entry test_unknown() { ret; }";
    fn add(launch: &KernelLaunch) {
        let words = launch.pointer::<u32>(0);
        for thread in 0..launch.threads() {
            unsafe { *words.add(thread) += launch.u32(1) };
        }
    }
    start();
    register_kernel("test_add", add);
    let (mut module, mut kernel, mut words, mut by) = (null_mut(), null_mut(), memory(64), 5_u32);
    let stream = stream(CU_STREAM_NON_BLOCKING);
    unsafe {
        ok(cuModuleLoadData(&mut module, PTX.as_ptr().cast()));
        let unknown = cuModuleGetFunction(&mut kernel, module, c"test_unknown".as_ptr());
        assert_eq!(unknown, CUDA_ERROR_NOT_SUPPORTED);
        assert_eq!(cuModuleGetFunction(&mut kernel, module, c"test_no".as_ptr()), CUDA_ERROR_NOT_FOUND);
        ok(cuModuleGetFunction(&mut kernel, module, c"test_add".as_ptr()));
        ok(cuMemsetD32Async(words, 3, 16, stream));
        let mut each = [(&raw mut words).cast(), (&raw mut by).cast()];
        ok(cuLaunchKernel(kernel, 2, 1, 1, 8, 1, 1, 0, stream, each.as_mut_ptr(), null_mut()));
        // The same arguments in one buffer: a pointer and, behind it, a number.
        let mut buffer = [words, u64::from(by)];
        let mut size = 12_usize;
        let mut extra: [*mut c_void; 5] = [
            std::ptr::without_provenance_mut(1),
            buffer.as_mut_ptr().cast(),
            std::ptr::without_provenance_mut(2),
            (&raw mut size).cast(),
            null_mut(),
        ];
        ok(cuLaunchKernel(kernel, 2, 1, 1, 8, 1, 1, 0, stream, null_mut(), extra.as_mut_ptr()));
        let mut seen = [0_u32; 16];
        ok(cuMemcpyDtoHAsync(seen.as_mut_ptr().cast(), words, 64, stream));
        assert_eq!(seen, [13; 16]);
    }
}

#[test]
fn faults_come_at_their_call() {
    start();
    let fault = |text: &str| inject_fault(text.parse().unwrap());
    // No other test calls these functions.
    fault("cuMemAllocHost:2=CUDA_ERROR_OUT_OF_MEMORY");
    fault("cuMemFreeHost=delay:40");
    let mut pinned = null_mut();
    let allocate = |pinned: &mut *mut c_void| unsafe { cuMemAllocHost(pinned, 64) };
    let codes = [(); 3].map(|()| allocate(&mut pinned));
    assert_eq!(codes, [CUDA_SUCCESS, CUDA_ERROR_OUT_OF_MEMORY, CUDA_SUCCESS]);
    let begin = Instant::now();
    ok(unsafe { cuMemFreeHost(pinned) });
    assert!(begin.elapsed() >= Duration::from_millis(40));

    let mut own = null_mut();
    ok(unsafe { cuCtxCreate_v2(&mut own, 0, 0) });
    inject_fault(Fault {
        function: "cuMemHostRegister".to_owned(),
        call: Some(1),
        effect: Effect::LoseDevice,
    });
    unsafe {
        assert_eq!(cuMemHostRegister(pinned, 64, 0), CUDA_ERROR_LAUNCH_FAILED);
        assert_eq!(cuMemAlloc(&mut 0, 64), CUDA_ERROR_LAUNCH_FAILED);
        assert_eq!(cuCtxSynchronize(), CUDA_ERROR_LAUNCH_FAILED);
        ok(cuCtxDestroy(own));
        // The other context is not lost.
        ok(cuCtxSynchronize());
    }
}

/// As a GPU's kernel that fails: the context is lost, and nothing hangs.
#[test]
fn a_kernel_that_panics_loses_its_context() {
    start();
    register_kernel("test_panic", |_| panic!("on purpose"));
    let image = c".version 8.0\n.target sm_75\n.address_size 64\n.entry test_panic() { ret; }";
    let (mut own, mut module, mut kernel) = (null_mut(), null_mut(), null_mut());
    unsafe {
        ok(cuCtxCreate_v2(&mut own, 0, 0));
        ok(cuModuleLoadData(&mut module, image.as_ptr().cast()));
        ok(cuModuleGetFunction(&mut kernel, module, c"test_panic".as_ptr()));
        ok(cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, null_mut(), null_mut(), null_mut()));
        assert_eq!(cuCtxSynchronize(), CUDA_ERROR_LAUNCH_FAILED);
        ok(cuCtxDestroy(own));
    }
}

/// The process that holds the memory of an IPC handle is gone.
#[test]
fn an_exporter_that_was_killed_is_an_error() {
    start();
    let (mut child, mut bytes) = (child("child_that_exports", std::process::Stdio::piped()), String::new());
    let mut output = std::io::BufReader::new(child.stdout.take().unwrap());
    while !bytes.starts_with("handle ") {
        bytes.clear();
        assert!(std::io::BufRead::read_line(&mut output, &mut bytes).unwrap() > 0);
    }
    let numbers: Vec<u8> = bytes.split_whitespace().skip(1).map(|number| number.parse().unwrap()).collect();
    let handle = CUipcMemHandle { reserved: std::array::from_fn(|at| numbers[at] as std::ffi::c_char) };
    let lazy = CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS.0;
    let mut address = 0;
    unsafe {
        ok(cuIpcOpenMemHandle(&mut address, handle, lazy));
        child.kill().unwrap();
        child.wait().unwrap();
        // What is mapped stays, and another mapping is refused.
        assert_eq!(first_byte(address), 9);
        ok(cuIpcCloseMemHandle(address));
        assert_eq!(cuIpcOpenMemHandle(&mut address, handle, lazy), CUDA_ERROR_INVALID_VALUE);
    }
}

#[test]
#[ignore = "runs in a child process"]
fn child_that_exports() {
    start();
    let (memory, mut handle) = (memory(64), CUipcMemHandle::default());
    unsafe {
        ok(cuMemsetD8(memory, 9, 64));
        ok(cuIpcGetMemHandle(&mut handle, memory));
    }
    let bytes = handle.reserved.map(|byte| (byte as u8).to_string());
    println!("\nhandle {}", bytes.join(" "));
    sleep(Duration::from_secs(60));
}

#[test]
fn memory_that_the_machine_lacks_is_refused() {
    start();
    let (mut free, mut total) = (0, 0);
    ok(unsafe { cuMemGetInfo(&mut free, &mut total) });
    for size in [total + 1, usize::MAX, 1 << 62] {
        assert_eq!(unsafe { cuMemAlloc(&mut 0, size) }, CUDA_ERROR_OUT_OF_MEMORY, "{size}");
    }
}

#[test]
fn many_threads_use_one_context() {
    start();
    scope(|scope| {
        for thread in 0..8_u8 {
            scope.spawn(move || {
                start();
                let (memory, stream) = (memory(4096), stream(CU_STREAM_NON_BLOCKING));
                for round in 0..50 {
                    let mut seen = [0_u8; 4096];
                    unsafe {
                        ok(cuMemsetD8Async(memory, thread ^ round, 4096, stream));
                        ok(cuMemcpyDtoHAsync(seen.as_mut_ptr().cast(), memory, 4096, stream));
                    }
                    assert_eq!(seen, [thread ^ round; 4096]);
                }
                unsafe {
                    ok(cuStreamDestroy(stream));
                    ok(cuMemFree(memory));
                }
            });
        }
    });
}

/// A child has none of the driver's threads: an answer, and no hang.
#[test]
fn after_a_fork_the_child_is_told() {
    start();
    let timeline = Timeline::new();
    timeline.wait(1, stream(CU_STREAM_NON_BLOCKING));
    // SAFETY: the child calls what takes no lock, and ends.
    let status = unsafe {
        match libc::fork() {
            0 => {
                let codes = [cuCtxSynchronize(), cuMemAlloc(&mut 0, 64), cuInit(0)];
                libc::_exit(i32::from(codes != [CUDA_ERROR_NOT_INITIALIZED; 3]));
            }
            child => {
                let mut status = -1;
                assert_eq!(libc::waitpid(child, &mut status, 0), child);
                status
            }
        }
    };
    timeline.page.signal(1);
    assert_eq!(status, 0);
}

/// The process of the test below.
#[test]
#[ignore = "runs in a child process"]
fn child_that_ends_with_a_wait() {
    start();
    Timeline::new().wait(1, stream(CU_STREAM_NON_BLOCKING));
    pause();
}

fn child(test: &str, stdout: std::process::Stdio) -> std::process::Child {
    let mut child = Command::new(std::env::current_exe().unwrap());
    child.args(["--exact", test, "--ignored", "--quiet", "--nocapture"]).stdout(stdout).spawn().unwrap()
}

#[test]
fn a_process_ends_with_a_wait_that_nobody_signals() {
    let this = std::env::current_exe().unwrap();
    let mut child = Command::new("timeout");
    child.arg("30").arg(this).args(["--exact", "child_that_ends_with_a_wait", "--ignored"]);
    let output = child.output().unwrap();
    assert!(output.status.success(), "{output:?}");
}
