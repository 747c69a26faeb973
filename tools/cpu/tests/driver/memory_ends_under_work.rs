//! Tests in which the program frees or protects memory, or destroys the context or the stream, while work uses the
//! memory. The process must not crash, and no call may hang.

use std::mem::ManuallyDrop;

use super::*;

macro_rules! listed_enum {
    ($name:ident, $all:ident: $($variant:ident)*) => {
        #[derive(Clone, Copy, Debug, PartialEq)]
        enum $name { $($variant),* }
        const $all: &[$name] = &[$($name::$variant),*];
    };
}

listed_enum! { MemoryKind, KINDS: Allocated StreamOrdered Managed Pinned Virtual ModuleVariable }
listed_enum! { WorkKind, WORKS: Fill CopyTo CopyFrom Store Load WriteValue WaitForValue }
listed_enum! { EndKind, ENDINGS: Free NoAccess ReadOnly DestroyContext DestroyStream }

const SIZE: usize = 2 << 20;

struct MemoryWithKernels {
    address: CUdeviceptr,
    module: CUmodule,
    stores: CUfunction,
    loads: CUfunction,
}

fn set_access(address: CUdeviceptr, flags: CUmemAccess_flags) -> CUresult {
    let location = CUmemLocation { type_: CU_MEM_LOCATION_TYPE_DEVICE, id: 0 };
    unsafe { cuMemSetAccess(address, SIZE, &CUmemAccessDesc { location, flags }, 1) }
}

/// Creates memory, and kernels that access each page of the memory many times.
fn create_memory(kind: MemoryKind, stream: CUstream) -> MemoryWithKernels {
    let body = |access: &str| {
        format!(
            "(.param .u64 to) {{ .reg .b64 %d<3>; .reg .b32 %r<2>; .reg .pred %p; ld.param.u64 %d0, [to];
             mov.u32 %r0, 0;
             L: cvt.u64.u32 %d1, %r0; and.b64 %d1, %d1, 511; shl.b64 %d1, %d1, 12; add.u64 %d2, %d0, %d1; {access}
             add.u32 %r0, %r0, 1; setp.lt.u32 %p, %r0, 2000; @%p bra L; ret; }}"
        )
    };
    let module = load_ptx(&format!(
        ".visible .global .b8 variable[{SIZE}];\n.entry stores{}\n.entry loads{}",
        body("st.global.u32 [%d2], %r0;"),
        body("ld.global.u32 %r1, [%d2];")
    ));
    let [stores, loads] = [c"stores", c"loads"].map(|name| kernel_of_module(module, name));
    let (mut address, mut size, mut pinned) = (0, 0, null_mut());
    unsafe {
        match kind {
            MemoryKind::Allocated => assert_ok(cuMemAlloc(&mut address, SIZE)),
            MemoryKind::StreamOrdered => assert_ok(cuMemAllocAsync(&mut address, SIZE, stream)),
            MemoryKind::Managed => assert_ok(cuMemAllocManaged(&mut address, SIZE, 1)),
            MemoryKind::ModuleVariable => {
                assert_ok(cuModuleGetGlobal_v2(&mut address, &mut size, module, c"variable".as_ptr()))
            }
            MemoryKind::Pinned => {
                assert_ok(cuMemAllocHost(&mut pinned, SIZE));
                address = pinned.expose_provenance() as u64;
            }
            MemoryKind::Virtual => {
                let allocation = CuMemAllocation::new(&FIRST_DEVICE, SIZE).unwrap();
                assert_ok(cuMemAddressReserve(&mut address, SIZE, 0, 0, 0));
                assert_ok(cuMemMap(address, SIZE, 0, allocation.raw(), 0));
                assert_ok(set_access(address, CU_MEM_ACCESS_FLAGS_PROT_READWRITE));
            }
        }
    }
    MemoryWithKernels { address, module, stores, loads }
}

unsafe fn enqueue_work(work: WorkKind, memory: &MemoryWithKernels, other: CUdeviceptr, stream: CUstream) {
    let mut address = memory.address;
    let mut each = [(&raw mut address).cast()];
    let mut launch = |kernel| unsafe {
        cuLaunchKernel(kernel, 4, 1, 1, 1, 1, 1, 0, stream, each.as_mut_ptr(), null_mut())
    };
    assert_ok(unsafe {
        match work {
            WorkKind::Fill => cuMemsetD8Async(memory.address, 1, SIZE, stream),
            WorkKind::CopyTo => cuMemcpyDtoDAsync(memory.address, other, SIZE, stream),
            WorkKind::CopyFrom => cuMemcpyDtoDAsync(other, memory.address, SIZE, stream),
            WorkKind::Store => launch(memory.stores),
            WorkKind::Load => launch(memory.loads),
            WorkKind::WriteValue => cuStreamWriteValue64_v2(stream, memory.address, 7, 0),
            // Every value is at least 0, so the wait ends at once.
            WorkKind::WaitForValue => cuStreamWaitValue32_v2(stream, memory.address, 0, 0),
        }
    });
}

unsafe fn end_memory(
    ending: EndKind,
    kind: MemoryKind,
    memory: &MemoryWithKernels,
    context: CUcontext,
    stream: CUstream,
) {
    let address = memory.address;
    match (ending, kind) {
        (EndKind::DestroyContext, _) => assert_ok(unsafe { cuCtxDestroy(context) }),
        (EndKind::DestroyStream, _) => assert_ok(unsafe { cuStreamDestroy(stream) }),
        (EndKind::NoAccess, _) => assert_ok(set_access(address, CU_MEM_ACCESS_FLAGS_PROT_NONE)),
        (EndKind::ReadOnly, _) => assert_ok(set_access(address, CU_MEM_ACCESS_FLAGS_PROT_READ)),
        (_, MemoryKind::Allocated | MemoryKind::Managed) => assert_ok(unsafe { cuMemFree(address) }),
        (_, MemoryKind::StreamOrdered) => assert_ok(unsafe { cuMemFreeAsync(address, stream) }),
        (_, MemoryKind::ModuleVariable) => assert_ok(unsafe { cuModuleUnload(memory.module) }),
        (_, MemoryKind::Pinned) => {
            assert_ok(unsafe { cuMemFreeHost(std::ptr::with_exposed_provenance_mut(address as usize)) })
        }
        (_, MemoryKind::Virtual) => unsafe {
            assert_ok(cuMemUnmap(address, SIZE));
            assert_ok(cuMemAddressFree(address, SIZE));
        },
    }
}

/// Enqueues a wait until the semaphore `cuda` has the value 1, then `work`, and then a signal of the value 2.
fn enqueue_waiting_work(
    work: WorkKind,
    memory: &MemoryWithKernels,
    other: CUdeviceptr,
    cuda: &ImportedSemaphore,
    stream: &Stream,
) {
    stream.wait(&[(cuda, 1)]).unwrap();
    unsafe { enqueue_work(work, memory, other, stream.raw()) };
    stream.signal(&[(cuda, 2)]).unwrap();
}

/// Returns cuCtxSynchronize's code after `work` on memory of the kind `kind` was queued and `ending` followed. On an
/// H100 the code is the same, unless the H100's driver waits for the work during `ending`.
fn expected_code_of_queued_work(kind: MemoryKind, work: WorkKind, ending: EndKind) -> CUresult {
    let is_kernel = matches!(work, WorkKind::Store | WorkKind::Load);
    let is_lost = match (ending, kind) {
        (EndKind::ReadOnly, _) => {
            !matches!(work, WorkKind::CopyFrom | WorkKind::Load | WorkKind::WaitForValue)
        }
        (EndKind::Free, MemoryKind::StreamOrdered | MemoryKind::ModuleVariable) => false,
        (EndKind::Free, MemoryKind::Virtual) | (EndKind::NoAccess, _) => true,
        (EndKind::Free, _) => is_kernel,
        (EndKind::DestroyContext | EndKind::DestroyStream, _) => false,
    };
    if is_lost { CUDA_ERROR_ILLEGAL_ADDRESS } else { CUDA_SUCCESS }
}

fn end_memory_under_work(kind: MemoryKind, work: WorkKind, ending: EndKind, is_queued: bool) {
    let context = create_test_context();
    // The context's end frees the stream and the semaphore.
    let ((page, cuda), stream) = (import_timeline(), ManuallyDrop::new(Stream::new().unwrap()));
    let (cuda, mut other, mut elsewhere) = (ManuallyDrop::new(cuda), 0, null_mut());
    unsafe {
        assert_ok(cuMemAlloc(&mut other, SIZE));
        let memory = create_memory(kind, stream.raw());
        if is_queued {
            enqueue_waiting_work(work, &memory, other, &cuda, &stream);
        } else {
            enqueue_work(work, &memory, other, stream.raw());
        }
        if kind == MemoryKind::Pinned {
            assert_ok(cuCtxCreate_v2(&mut elsewhere, 0, 0));
        }
        end_memory(ending, kind, &memory, context, stream.raw());
        page.signal(1);
        if ending != EndKind::DestroyContext {
            assert_ok(cuCtxSetCurrent(context));
            let code = cuCtxSynchronize();
            let case = format!("{kind:?}, {work:?}, {ending:?}, {is_queued}");
            if is_queued {
                assert_eq!(code, expected_code_of_queued_work(kind, work, ending), "{case}");
            } else {
                assert!([CUDA_SUCCESS, CUDA_ERROR_ILLEGAL_ADDRESS].contains(&code), "{case}: {code}");
            }
            assert_ok(cuCtxDestroy(context));
        }
        if !elsewhere.is_null() {
            assert_ok(cuCtxDestroy(elsewhere));
        }
    }
}

#[test]
fn no_ending_of_memory_ends_the_process() {
    use_first_device();
    let mut count = 0;
    scope(|scope| {
        for &kind in KINDS {
            for (&work, &ending) in
                WORKS.iter().flat_map(|work| ENDINGS.iter().map(move |ending| (work, ending)))
            {
                let is_access = matches!(ending, EndKind::NoAccess | EndKind::ReadOnly);
                for is_queued in
                    [false, true].into_iter().filter(|_| !is_access || kind == MemoryKind::Virtual)
                {
                    count += 1;
                    scope.spawn(move || end_memory_under_work(kind, work, ending, is_queued));
                }
            }
        }
    });
    assert_eq!(count, 280);
}

/// Other memory does not get the addresses of freed memory until queued work that uses these addresses has completed.
#[test]
fn a_queued_kernel_does_not_reach_memory_that_is_allocated_later() {
    use_first_device();
    for ending in [EndKind::Free, EndKind::DestroyContext] {
        let context = create_test_context();
        let ((page, cuda), stream) = (import_timeline(), ManuallyDrop::new(Stream::new().unwrap()));
        let (cuda, mut elsewhere) = (ManuallyDrop::new(cuda), null_mut());
        unsafe {
            let memory = create_memory(MemoryKind::Allocated, stream.raw());
            enqueue_waiting_work(WorkKind::Store, &memory, 0, &cuda, &stream);
            end_memory(ending, MemoryKind::Allocated, &memory, context, stream.raw());
            assert_ok(cuCtxCreate_v2(&mut elsewhere, 0, 0));
            let later = [(); 4].map(|()| DeviceMemory::new(SIZE).unwrap());
            later.iter().for_each(|later| assert_ok(cuMemsetD8(later.address, 5, SIZE)));
            page.signal(1);
            page.wait(2);
            for later in &later {
                assert!(read(later.address, SIZE).unwrap().iter().all(|byte| *byte == 5), "{ending:?}");
            }
        }
    }
}

/// While other work waits, the driver returns freed memory to the system, and keeps only the addresses reserved.
#[test]
fn freed_memory_is_returned_while_other_work_waits() {
    use_first_device();
    let ((page, cuda), stream) = (import_timeline(), Stream::new().unwrap());
    let shared_kib = || {
        let status = std::fs::read_to_string("/proc/self/status").unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("RssShmem:")).unwrap();
        line.trim_end_matches("kB").trim().parse::<usize>().unwrap()
    };
    stream.wait(&[(&cuda, 1)]).unwrap();
    let (own, before) = (create_test_context(), shared_kib());
    for _ in 0..8 {
        let memory = DeviceMemory::new(64 << 20).unwrap();
        assert_ok(unsafe { cuMemsetD8(memory.address, 1, 64 << 20) });
    }
    let kept = shared_kib().saturating_sub(before);
    page.signal(1);
    assert_ok(unsafe { cuCtxDestroy(own) });
    use_first_device();
    stream.finish().unwrap();
    assert!(kept < 256 << 10, "{kept} KiB");
}

/// As on an H100, cuMemsetD8 refuses to write to read-only memory, and the context stays usable.
#[test]
fn memory_that_may_be_read_only_is_not_written() {
    let context = create_test_context();
    let memory = create_memory(MemoryKind::Virtual, null_mut());
    assert_ok(set_access(memory.address, CU_MEM_ACCESS_FLAGS_PROT_READ));
    unsafe {
        let location = CUmemLocation { type_: CU_MEM_LOCATION_TYPE_DEVICE, id: 0 };
        let mut flags = 0;
        assert_ok(cuMemGetAccess(&mut flags, &location, memory.address));
        assert_eq!(flags, u64::from(CU_MEM_ACCESS_FLAGS_PROT_READ.0));
        assert_eq!(cuMemsetD8(memory.address, 7, SIZE), CUDA_ERROR_INVALID_VALUE);
        assert_ok(cuCtxSynchronize());
        assert_ok(cuCtxDestroy(context));
    }
}
