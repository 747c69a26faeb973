//! Tests of invalid usage and unusual conditions, such as overflows, forged files, signals, and calls at process exit.

use std::fs::File;
use std::os::fd::FromRawFd;
use std::os::unix::fs::FileExt;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};

use example_support::cuda::{ImportedMemory, import_memory, map_mipmapped_array};

use super::*;

/// Exports 2 MiB of memory, and imports the memory with a size of `claimed` bytes.
fn import_claiming_size(claimed: u64, dedicated: bool) -> ImportedMemory {
    let allocation = CuMemAllocation::new(&FIRST_DEVICE, 2 << 20).unwrap();
    ImportedMemory::from_fd(allocation.export_allocation_fd().unwrap(), claimed, dedicated).unwrap()
}

/// Each row has the arguments of `import_claiming_size`, and the mapping's offset and size, in hexadecimal. The last
/// number is the code that cuExternalMemoryGetMappedBuffer returns on an H100 (driver 580.159.04), in decimal.
const MAPPED_RANGES: &str = "
    1000 0 1ff000 100000 1; 1fffff 0 1ff000 ffffffffffffffff 2; 1fffff 0 7fffffffffffffff 2000 1;
    200001 0 100000 fffffffffffffffe 2; 10000000000 0 1ff000 1 0; 10000000000 0 fffffffffffffffe ffffffffffffffff 1;
    7fffffffffffffff 0 fff 7ffffffffffff000 2; 7fffffffffffffff 0 3fffffffffffffff 201000 1;
    ffffffffffffffff 1 1000 fffffffffffffffe 1; 8000000000000000 0 1000000000000000 0 1; 8000000000000000 1 0 2000 0;
    fffffffffffff000 0 0 200001 1; fffffffffffff000 0 ffffffffffdfffff 1000 999;
    fffffffffffff000 1 0 800000000000 2; ffffffffffffffff 0 fffffffffffffffe 1ff000 999
";

#[test]
fn ranges_of_imported_memory_are_checked_as_on_a_gpu() {
    use_first_device();
    for row in MAPPED_RANGES.split(';') {
        let mut words = row.split_whitespace();
        let mut number = || u64::from_str_radix(words.next().unwrap(), 16).unwrap();
        let (claimed, dedicated, offset, size) = (number(), number() != 0, number(), number());
        let expected = words.next().unwrap().parse().unwrap();
        let memory = import_claiming_size(claimed, dedicated);
        let (mut address, desc) =
            (0, CUDA_EXTERNAL_MEMORY_BUFFER_DESC { offset, size, ..Default::default() });
        let code = unsafe { cuExternalMemoryGetMappedBuffer(&mut address, memory.raw(), &desc) };
        assert_eq!(code, CUresult(expected), "{row}");
        if code == CUDA_SUCCESS {
            assert_ok(unsafe { cuMemFree(address) });
        }
    }
}

/// The driver refuses a call whose offset, pitch or size overflows, or is too large for the buffer of 256 bytes.
#[test]
fn numbers_that_overflow_are_refused() {
    use_first_device();
    let (memory, mut host) = (DeviceMemory::new(256).unwrap(), [7_u8; 256]);
    assert_ok(unsafe { cuMemsetD8(memory.address, 1, 256) });
    let plain = CUDA_MEMCPY3D {
        srcMemoryType: CU_MEMORYTYPE_HOST,
        srcHost: host.as_mut_ptr().cast(),
        srcPitch: 16,
        srcHeight: 2,
        dstMemoryType: CU_MEMORYTYPE_DEVICE,
        dstDevice: memory.address,
        dstPitch: 16,
        dstHeight: 2,
        WidthInBytes: 16,
        Height: 2,
        Depth: 2,
        ..Default::default()
    };
    let edits: [fn(&mut CUDA_MEMCPY3D, usize); 9] = [
        |copy, number| copy.dstXInBytes = number,
        |copy, number| copy.dstY = number,
        |copy, number| copy.dstZ = number,
        |copy, number| copy.dstPitch = number,
        |copy, number| copy.dstHeight = number,
        |copy, number| copy.WidthInBytes = number,
        |copy, number| copy.Height = number,
        |copy, number| copy.Depth = number,
        |copy, number| (copy.srcHeight, copy.dstHeight, copy.Depth) = (number, number, number),
    ];
    for number in [1 << 60, (1 << 60) + 1, 1 << 63, usize::MAX] {
        for (place, edit) in edits.iter().enumerate() {
            let mut copy = plain;
            edit(&mut copy, number);
            assert_eq!(unsafe { cuMemcpy3D(&copy) }, CUDA_ERROR_INVALID_VALUE, "{place}, {number:#x}");
        }
        let codes = unsafe {
            [
                cuMemsetD8(memory.address, 1, number),
                cuMemsetD32(memory.address, 1, number),
                cuMemcpyHtoD(memory.address, host.as_ptr().cast(), number),
                cuMemHostRegister(host.as_mut_ptr().cast(), number | 1 << 63, 0),
            ]
        };
        assert_eq!(codes, [CUDA_ERROR_INVALID_VALUE; 4], "{number:#x}");
    }
    assert_eq!(read(memory.address, 256).unwrap(), [1; 256]);
    // The driver also refuses an array that begins after the end of the imported memory, a node with `usize::MAX`
    // dependencies, and a mapping whose end address overflows.
    let external = import_claiming_size(4096, false);
    let array = byte_array_desc([4, 4], 4);
    let (mut graph, mut node) = (null_mut(), null_mut());
    let params = CUDA_EXT_SEM_SIGNAL_NODE_PARAMS::default();
    unsafe {
        for offset in [u64::MAX, u64::MAX - 4095, 1 << 63] {
            let mapped = map_mipmapped_array(external.raw(), offset, array, 1);
            assert_eq!(mapped, Err(CUDA_ERROR_INVALID_VALUE), "{offset:#x}");
        }
        assert_ok(cuGraphCreate(&mut graph, 0));
        let nodes = &raw const node;
        let code = cuGraphAddExternalSemaphoresSignalNode(&mut node, graph, nodes, usize::MAX, &params);
        assert_eq!(code, CUDA_ERROR_INVALID_VALUE);
        assert_ok(cuGraphDestroy(graph));
        let allocation = CuMemAllocation::new(&FIRST_DEVICE, 2 << 20).unwrap();
        let last = 0_u64.wrapping_sub(2 << 20);
        assert_eq!(cuMemMap(last, 2 << 20, 0, allocation.raw(), 0), CUDA_ERROR_INVALID_VALUE);
    }
}

/// If a capture outlived its stream, the driver would refuse every later allocation by the thread.
#[test]
fn a_capture_ends_with_its_stream() {
    let own = create_test_context();
    for joined in [false, true] {
        let [first, second] = [(); 2].map(|()| Stream::new().unwrap());
        unsafe {
            assert_ok(cuStreamBeginCapture(first.raw(), CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
            if joined {
                assert_ok(cuStreamWaitEvent(second.raw(), record_end_event(first.raw()), 0));
            }
        }
        drop(first);
        drop(DeviceMemory::new(64).unwrap());
        assert_ok(unsafe { cuCtxSynchronize() });
    }
    // The end of the context ends the capture too.
    let stream = Stream::new().unwrap();
    unsafe {
        assert_ok(cuStreamBeginCapture(stream.raw(), CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
        assert_ok(cuCtxDestroy(own));
    }
    use_first_device();
    drop(DeviceMemory::new(64).unwrap());
    std::mem::forget(stream);
}

#[test]
fn a_primary_context_that_is_retained_lives() {
    use_first_device();
    scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                for round in 0..20_000 {
                    let mut context = null_mut();
                    unsafe {
                        assert_ok(cuDevicePrimaryCtxRetain(&mut context, 1));
                        assert_eq!(cuCtxSetCurrent(context), CUDA_SUCCESS, "{round}");
                        assert_ok(cuCtxSynchronize());
                        assert_ok(cuDevicePrimaryCtxRelease(1));
                    }
                }
            });
        }
    });
}

#[test]
fn a_streams_thread_takes_no_signal_of_the_program() {
    unsafe extern "C" fn store_signal_mask(_: CUstream, _: CUresult, into: *mut c_void) {
        let status = std::fs::read_to_string("/proc/thread-self/status").unwrap();
        unsafe { (*into.cast::<AtomicU64>()).store(signals_of_thread(&status), SeqCst) };
    }
    fn signals_of_thread(of: &str) -> u64 {
        let line = of.lines().find_map(|line| line.strip_prefix("SigBlk:")).unwrap();
        u64::from_str_radix(line.trim(), 16).unwrap()
    }
    use_first_device();
    let (stream, found) = (Stream::new().unwrap(), AtomicU64::new(u64::MAX));
    let (own, into) =
        (std::fs::read_to_string("/proc/thread-self/status").unwrap(), (&raw const found).cast_mut());
    assert_ok(unsafe { cuStreamAddCallback(stream.raw(), Some(store_signal_mask), into.cast(), 0) });
    stream.finish().unwrap();
    assert_eq!(found.load(SeqCst), signals_of_thread(&own));
    let [int, term, segv] = [libc::SIGINT, libc::SIGTERM, libc::SIGSEGV].map(|signal| 1_u64 << (signal - 1));
    let mut streams = 0;
    for task in std::fs::read_dir("/proc/self/task").unwrap() {
        // A thread of another test may have ended since `read_dir` listed it.
        let status = std::fs::read_to_string(task.unwrap().path().join("status")).unwrap_or_default();
        if status.starts_with("Name:\tcuda-external-c") {
            streams += 1;
            assert_eq!(signals_of_thread(&status) & (int | term | segv), int | term, "{status}");
        }
    }
    assert!(streams > 0);
}

#[test]
fn a_host_function_may_not_call_the_driver() {
    unsafe extern "C" fn call_driver_in_callback(into: *mut c_void) {
        let (codes, stream) = unsafe { &mut *into.cast::<([CUresult; 4], CUstream)>() };
        *codes = unsafe {
            [cuMemAlloc(&mut 0, 64), cuStreamSynchronize(*stream), cuInit(0), cuStreamQuery(*stream)]
        };
    }
    use_first_device();
    let stream = Stream::new().unwrap();
    let mut call_of = ([CUDA_SUCCESS; 4], stream.raw());
    assert_ok(unsafe {
        cuLaunchHostFunc(stream.raw(), Some(call_driver_in_callback), (&raw mut call_of).cast())
    });
    stream.finish().unwrap();
    let refused = CUDA_ERROR_NOT_PERMITTED;
    assert_eq!(call_of.0, [refused, refused, CUDA_SUCCESS, CUDA_ERROR_NOT_READY]);
}

#[test]
fn what_a_program_leaves_in_a_context_ends_with_it() {
    let (mut array, mut level, mut surface) = (null_mut(), null_mut(), 0);
    let desc = byte_array_desc([64, 64], 4);
    let own = create_test_context();
    unsafe {
        let module = load_ptx(".entry k() { ret; }");
        assert_ok(cuMipmappedArrayCreate(&mut array, &desc, 1));
        assert_ok(cuMipmappedArrayGetLevel(&mut level, array, 0));
        let mut resource = CUDA_RESOURCE_DESC { resType: CU_RESOURCE_TYPE_ARRAY, ..Default::default() };
        resource.res.array.hArray = level;
        assert_ok(cuSurfObjectCreate(&mut surface, &resource));
        let event = record_end_event(null_mut());
        assert_ok(cuCtxDestroy(own));
        assert_eq!(cuEventQuery(event), CUDA_ERROR_CONTEXT_IS_DESTROYED);
        assert_eq!(cuModuleUnload(module), CUDA_ERROR_INVALID_HANDLE);
        assert_eq!(cuMipmappedArrayGetLevel(&mut level, array, 0), CUDA_ERROR_CONTEXT_IS_DESTROYED);
    }
}

#[test]
#[ignore = "a process of calls_at_exit_are_answered"]
fn call_at_exit() {
    // The test registers this function before cuInit, so it runs after the driver's exit handler.
    extern "C" fn free_at_exit() {
        let mut context = null_mut();
        let codes = unsafe { [cuCtxGetCurrent(&mut context), cuCtxSynchronize(), cuMemAlloc(&mut 0, 64)] };
        assert_eq!(codes, [CUDA_ERROR_DEINITIALIZED; 3]);
        println!("ended");
    }
    extern "C" fn at_exit() {
        let (mut context, mut address, mut stream) = (null_mut(), 0, null_mut());
        unsafe {
            assert_ok(cuCtxGetCurrent(&mut context));
            assert!(!context.is_null());
            assert_ok(cuMemAlloc(&mut address, 64));
            assert_ok(cuStreamCreate(&mut stream, 0));
            assert_ok(cuMemsetD8Async(address, 1, 64, stream));
            assert_ok(cuStreamSynchronize(PER_THREAD_STREAM));
            assert_ok(cuCtxSynchronize());
            assert_ok(cuCtxSetCurrent(null_mut()));
        }
        println!("answered");
    }
    unsafe { libc::atexit(free_at_exit) };
    use_first_device();
    // `use_first_device` has created the thread's stack of contexts. This call creates the thread's default stream.
    assert_ok(unsafe { cuStreamSynchronize(PER_THREAD_STREAM) });
    unsafe { libc::atexit(at_exit) };
    std::process::exit(0);
}

#[test]
fn calls_at_exit_are_answered() {
    let output = process_of_test("invalid_usage::call_at_exit").output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.ends_with("answered\nended\n"), "{output:?}");
}

/// Calls the driver while stderr is a pipe without a reader, then while no address space is left for a thread's stack.
#[test]
#[ignore = "a process of a_process_without_resources_is_answered"]
fn call_without_resources() {
    use_first_device();
    let (stream, kernel) = (Stream::new().unwrap(), load_kernel("", ""));
    let absent = cuda_external_cpu::symbol(c"cuCtxDetach").unwrap().as_ptr();
    unsafe {
        let mut pipe = [0; 2];
        assert_eq!(libc::pipe(pipe.as_mut_ptr()) + libc::close(pipe[0]) + libc::dup2(pipe[1], 2), 2);
        let absent = std::mem::transmute::<*mut c_void, unsafe extern "C" fn(CUcontext) -> CUresult>(absent);
        assert_eq!(absent(null_mut()), CUDA_ERROR_NOT_SUPPORTED);
        let pages = std::fs::read_to_string("/proc/self/statm").unwrap();
        let used = pages.split(' ').next().unwrap().parse::<u64>().unwrap() * 4096;
        let limit = libc::rlimit { rlim_cur: used + (1 << 20), rlim_max: libc::RLIM_INFINITY };
        assert_eq!(libc::setrlimit(libc::RLIMIT_AS, &limit), 0);
        let (none, raw) = (null_mut(), stream.raw());
        assert_ok(cuLaunchKernel(kernel, 64, 1, 1, 64, 1, 1, 0, raw, none, none));
        assert_ok(cuStreamSynchronize(raw));
    }
    println!("answered");
}

#[test]
fn a_process_without_resources_is_answered() {
    let mut process = process_of_test("invalid_usage::call_without_resources");
    let output = process.env("CUDA_EXTERNAL_CPU_UNSUPPORTED", "1").output().unwrap();
    assert!(String::from_utf8_lossy(&output.stdout).contains("answered\n"), "{output:?}");
}

#[test]
fn a_semaphores_file_stays_as_it_is() {
    let (page, file) = SemaphorePage::create_page_file(false, 3).unwrap();
    assert!(file.set_len(0).is_err() && file.set_len(8192).is_err());
    assert_eq!(SemaphorePage::open_page_file(&file).unwrap().semaphore_value(), page.semaphore_value());
    // `open_page_file` refuses a file that cannot be sealed against shrinking, and a page of another version.
    let mut bytes = [0; 4096];
    file.read_exact_at(&mut bytes, 0).unwrap();
    let plain = unsafe { File::from_raw_fd(libc::memfd_create(c"plain".as_ptr(), libc::MFD_CLOEXEC)) };
    plain.write_all_at(&bytes, 0).unwrap();
    assert!(SemaphorePage::open_page_file(&plain).is_none());
    file.write_all_at(&[99], 8).unwrap();
    assert!(SemaphorePage::open_page_file(&file).is_none());
}

/// Creates a file whose header describes memory of 64 KiB.
fn create_memory_file(flags: u32) -> File {
    let file = unsafe { File::from_raw_fd(libc::memfd_create(c"memory".as_ptr(), flags)) };
    let size = (128 << 10) + 40;
    file.set_len(size).unwrap();
    let numbers = [size, 64 << 10].map(u64::to_ne_bytes).concat();
    file.write_all_at(&[&numbers[..], b"cuda-external-cp"].concat(), 0).unwrap();
    file
}

/// Access to memory whose file has become smaller would end the process with SIGBUS.
#[test]
fn a_file_of_imported_memory_cannot_be_made_smaller() {
    use_first_device();
    let plain = create_memory_file(libc::MFD_CLOEXEC);
    assert_eq!(import_memory(plain.into(), 64 << 10, false), Err(CUDA_ERROR_UNKNOWN));
    let sealed = create_memory_file(libc::MFD_CLOEXEC | libc::MFD_ALLOW_SEALING);
    import_memory(sealed.try_clone().unwrap().into(), 64 << 10, false).unwrap();
    assert!(sealed.set_len(0).is_err());
}

/// A canceled thread would unwind through the driver's frames, which do not allow unwinding.
#[test]
fn no_thread_is_canceled_in_a_call() {
    unsafe extern "C" {
        fn pthread_setcancelstate(state: c_int, old: *mut c_int) -> c_int;
    }
    use_first_device();
    let run = || {
        use_first_device();
        let file = create_memory_file(libc::MFD_CLOEXEC | libc::MFD_ALLOW_SEALING);
        unsafe { libc::pthread_cancel(libc::pthread_self()) };
        import_memory(file.into(), 64 << 10, false).unwrap();
        let mut before = 0;
        unsafe { pthread_setcancelstate(1, &mut before) };
        before
    };
    assert_eq!(std::thread::spawn(run).join().unwrap(), 0);
}
