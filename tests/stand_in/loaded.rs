//! `load` mode: this program again as a child, which finds the stand-in as it would find the driver.

use std::env;
use std::ffi::{CStr, c_char, c_int, c_long, c_void};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::ptr;
use std::sync::{Barrier, OnceLock};
use std::thread;

use cuda_external_sys::*;
use libtest_mimic::Trial;

use crate::driver::calls::{self, Control};
use crate::driver::{self, layout::releases};
use crate::support::{self, Need};

/// Names the part that a child plays.
pub const CASE: &str = "CUDA_EXTERNAL_SYS_TEST_CASE";

pub fn trials(needs: &[Need]) -> Vec<Trial> {
    let test = |name, run: fn()| support::test(name, needs, run);
    vec![
        test("loaded_calls_arrive", || print!("loaded: {}", run("calls"))),
        test("loaded_calls_arrive_in_many_threads", || print!("loaded: {}", run("threads"))),
        test("the_example_shares_memory", || {
            let output = run("example");
            assert!(output.contains("stand-in (no GPU)"), "{output}");
            assert!(output.contains("Shared: "), "{output}");
        }),
        test("descriptors_are_closed_as_by_a_driver", || print!("{}", run("descriptors"))),
    ]
}

/// The stand-in for this build's bindings, made once, in a place that people can name.
fn stand_in() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("stand-in");
        let include = releases::this_builds_header().expect("the test needs it");
        driver::build(&releases::this_builds(), &include, &folder).unwrap_or_else(|words| panic!("{words}"));
        folder
    })
}

/// Runs a child, and gives what it printed.
fn run(case: &str) -> String {
    let mut command = support::this_program();
    let output = command.env(CASE, case).env("LD_LIBRARY_PATH", stand_in()).output().expect("it starts");
    let words = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{}\n{words}{}", output.status, String::from_utf8_lossy(&output.stderr));
    words
}

pub fn child(case: &str) -> ExitCode {
    match case {
        "calls" => {
            println!("{}", calls::all(&control(), |_| Vec::new()).unwrap_or_else(|words| panic!("{words}")))
        }
        "threads" => threads(),
        "example" => return crate::opaque_fd::main(),
        "descriptors" => descriptors(),
        other => panic!("no case is called {other}"),
    }
    ExitCode::SUCCESS
}

fn control() -> Control {
    let driver = load().unwrap_or_else(|error| panic!("{error}"));
    let symbol = |name: &CStr| driver.symbol(name).expect("the stand-in was found first").as_ptr();
    // SAFETY: the stand-in's functions have these types, by stand_in.h.
    unsafe {
        Control {
            record: std::mem::transmute::<*mut c_void, unsafe extern "C" fn(c_int)>(symbol(
                c"stand_in_record",
            )),
            answer: std::mem::transmute::<*mut c_void, unsafe extern "C" fn(c_int)>(symbol(
                c"stand_in_answer",
            )),
            text: std::mem::transmute::<*mut c_void, unsafe extern "C" fn() -> *const c_char>(symbol(
                c"stand_in_text",
            )),
        }
    }
}

/// All threads begin with functions that nobody has called: each slot is resolved by several at once.
fn threads() {
    const THREADS: usize = 8;
    const CODE: u32 = 9140;
    let control = control();
    control.start(CODE);
    let start = Barrier::new(THREADS);
    let calls: usize = thread::scope(|scope| {
        let one = |round| {
            let (start, control) = (&start, &control);
            scope.spawn(move || {
                start.wait();
                let counts = calls::once(control, round, CODE, |_| Vec::new());
                counts.unwrap_or_else(|words| panic!("{words}")).calls
            })
        };
        let threads: Vec<_> = (0..THREADS).map(one).collect();
        threads.into_iter().map(|thread| thread.join().expect("its calls arrived")).sum()
    });
    println!("{THREADS} threads, {calls} calls");
}

/// Who closes a descriptor, and which mistake has which code, as docs/fd-ownership.md has it.
fn descriptors() {
    let open_before = open_descriptors();
    let mut context = ptr::null_mut();
    // SAFETY: each call gets live handles and pointers to what it writes.
    unsafe {
        assert_eq!(cuCtxSynchronize(), CUDA_ERROR_NOT_INITIALIZED);
        assert_eq!(cuInit(0), CUDA_SUCCESS);
        assert_eq!(cuCtxSynchronize(), CUDA_ERROR_INVALID_CONTEXT);
        assert_eq!(cuDevicePrimaryCtxRetain(&mut context, 0), CUDA_SUCCESS);
        assert_eq!(cuCtxSetCurrent(context), CUDA_SUCCESS);
    }
    let (handle, size) = allocate();

    let (fd, code, memory) = import(export(handle), size);
    assert_eq!((code, is_open(fd)), (CUDA_SUCCESS, false), "a success takes the descriptor");
    assert_eq!(map(memory, size - 4096, 4096), CUDA_SUCCESS);
    assert_eq!(map(memory, size - 4096, 4097), CUDA_ERROR_INVALID_VALUE);
    destroy(memory);

    let (fd, code, memory) = import(export(handle), 16 * size);
    assert_eq!((code, is_open(fd)), (CUDA_SUCCESS, false), "a size beyond the memory's is not noticed");
    assert_eq!(map(memory, 0, 16 * size), CUDA_ERROR_INVALID_VALUE, "until it is mapped");
    destroy(memory);

    let (fd, code, _) = import(export(handle), 0);
    assert_eq!((code, is_open(fd)), (CUDA_ERROR_INVALID_VALUE, true), "it was not looked at");
    // SAFETY: it is open, and ours.
    unsafe { libc::close(fd) };

    let mut pipe = [-1; 2];
    // SAFETY: it has room for two.
    assert_eq!(unsafe { libc::pipe(pipe.as_mut_ptr()) }, 0);
    let (fd, code, _) = import(pipe[0], size);
    assert_eq!((code, is_open(fd)), (CUDA_ERROR_UNKNOWN, false), "what is no memory is closed all the same");

    // SAFETY: the handle and the context are live, and nothing uses them any more.
    unsafe {
        assert_eq!(cuMemRelease(handle), CUDA_SUCCESS);
        assert_eq!(cuDevicePrimaryCtxRelease_v2(0), CUDA_SUCCESS);
        assert_eq!(cuCtxSynchronize(), CUDA_ERROR_CONTEXT_IS_DESTROYED);
        assert_eq!(libc::close(pipe[1]), 0);
    }
    assert_eq!(open_descriptors(), open_before, "nothing is left open");
    let live = load().expect("it is loaded").symbol(c"stand_in_live").expect("the stand-in has it");
    // SAFETY: it has this type, by stand_in.h.
    let live =
        unsafe { std::mem::transmute::<*mut c_void, unsafe extern "C" fn() -> c_long>(live.as_ptr())() };
    assert_eq!(live, 0, "nothing is left alive");
}

fn allocate() -> (CUmemGenericAllocationHandle, usize) {
    let prop = CUmemAllocationProp {
        type_: CU_MEM_ALLOCATION_TYPE_PINNED,
        requestedHandleTypes: CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
        location: CUmemLocation { type_: CU_MEM_LOCATION_TYPE_DEVICE, id: 0 },
        ..Default::default()
    };
    let (mut handle, mut size) = (0, 0);
    // SAFETY: all pointers are to live values.
    unsafe {
        let minimum = CU_MEM_ALLOC_GRANULARITY_MINIMUM;
        assert_eq!(cuMemGetAllocationGranularity(&mut size, &prop, minimum), CUDA_SUCCESS);
        assert_eq!(cuMemCreate(&mut handle, size, &prop, 0), CUDA_SUCCESS);
    }
    (handle, size)
}

fn export(handle: CUmemGenericAllocationHandle) -> c_int {
    let mut fd = -1;
    let kind = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    // SAFETY: the handle is live, and a descriptor is an int.
    let code = unsafe { cuMemExportToShareableHandle((&raw mut fd).cast(), handle, kind, 0) };
    assert_eq!(code, CUDA_SUCCESS);
    fd
}

fn import(fd: c_int, size: usize) -> (c_int, CUresult, CUexternalMemory) {
    let desc = CUDA_EXTERNAL_MEMORY_HANDLE_DESC {
        type_: CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD,
        handle: CUDA_EXTERNAL_MEMORY_HANDLE_DESC_handle { fd },
        size: size as u64,
        ..Default::default()
    };
    let mut memory = ptr::null_mut();
    // SAFETY: the descriptor is the caller's to give away.
    let code = unsafe { cuImportExternalMemory(&mut memory, &desc) };
    (fd, code, memory)
}

fn map(memory: CUexternalMemory, offset: usize, size: usize) -> CUresult {
    let desc =
        CUDA_EXTERNAL_MEMORY_BUFFER_DESC { offset: offset as u64, size: size as u64, ..Default::default() };
    let mut address = 0;
    // SAFETY: the memory is live. What was mapped is freed at once: only the answer counts.
    unsafe {
        let code = cuExternalMemoryGetMappedBuffer(&mut address, memory, &desc);
        if code == CUDA_SUCCESS {
            assert_eq!(cuMemFree_v2(address), CUDA_SUCCESS);
        }
        code
    }
}

fn destroy(memory: CUexternalMemory) {
    // SAFETY: nothing is mapped from it any more.
    assert_eq!(unsafe { cuDestroyExternalMemory(memory) }, CUDA_SUCCESS);
}

fn is_open(fd: c_int) -> bool {
    // SAFETY: it only asks.
    unsafe { libc::fcntl(fd, libc::F_GETFD) != -1 }
}

fn open_descriptors() -> usize {
    fs::read_dir("/proc/self/fd").expect("Linux has it").count()
}
