//! `fork` after the parent has used CUDA: what each call returns in the child. CUDA does not support it.

use std::os::fd::OwnedFd;
use std::ptr::null_mut;

use cuda_external_sys::*;
use example_support::Result;
use example_support::cuda::{import_memory, import_semaphore};

use super::fixtures::exported_memory::{Exporter, SIZE, code_of, create_stream, map_bytes};
use super::fixtures::opened_devices::cuda;
use super::fixtures::question::{Question, QuestionGroup, answer_code, write_answer};

/// The objects of the parent, which the child inherits.
struct InheritedObjects {
    fd: OwnedFd,
    memory: CUexternalMemory,
    address: CUdeviceptr,
    stream: CUstream,
    context: CUcontext,
}

type ChildCall = fn(InheritedObjects) -> CUresult;

// SAFETY, of every call: whether it is defined is what is measured, in a process that does nothing else.
#[rustfmt::skip] // one call a line
const CHILD_CALLS: [(&str, ChildCall); 20] = [
    ("cuInit", |_| unsafe { cuInit(0) }),
    ("cuDriverGetVersion", |_| unsafe { cuDriverGetVersion(&mut 0) }),
    ("cuDeviceGetCount", |_| unsafe { cuDeviceGetCount(&mut 0) }),
    ("cuDeviceGet", |_| unsafe { cuDeviceGet(&mut 0, 0) }),
    ("cuDeviceGetUuid", |_| unsafe { cuDeviceGetUuid(&mut CUuuid::default(), 0) }),
    ("cuDeviceGetAttribute", |_| unsafe { cuDeviceGetAttribute(&mut 0, CU_DEVICE_ATTRIBUTE_INTEGRATED, 0) }),
    ("cuCtxGetCurrent", |_| unsafe { cuCtxGetCurrent(&mut null_mut()) }),
    ("cuCtxSetCurrent", |parent| unsafe { cuCtxSetCurrent(parent.context) }),
    ("cuCtxSynchronize", |_| unsafe { cuCtxSynchronize() }),
    ("cuDevicePrimaryCtxRetain", |_| unsafe { cuDevicePrimaryCtxRetain(&mut null_mut(), 0) }),
    ("cuMemAlloc", |_| unsafe { cuMemAlloc(&mut 0, 4096) }),
    ("cuMemGetInfo", |_| unsafe { cuMemGetInfo(&mut 0, &mut 0) }),
    ("cuMemcpyDtoH", |parent| unsafe { cuMemcpyDtoH([0_u8].as_mut_ptr().cast(), parent.address, 1) }),
    ("cuMemFree", |parent| unsafe { cuMemFree(parent.address) }),
    ("cuStreamCreate", |_| unsafe { cuStreamCreate(&mut null_mut(), 0) }),
    ("cuStreamQuery", |parent| unsafe { cuStreamQuery(parent.stream) }),
    ("cuImportExternalMemory", |parent| code_of(import_memory(parent.fd, SIZE, false))),
    ("cuExternalMemoryGetMappedBuffer", |parent| code_of(map_bytes(parent.memory, SIZE))),
    ("cuDestroyExternalMemory", |parent| unsafe { cuDestroyExternalMemory(parent.memory) }),
    ("cuImportExternalSemaphore", |parent| {
        let type_ = CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD;
        code_of(import_semaphore(parent.fd, type_))
    }),
];

pub fn group() -> QuestionGroup {
    let question = |(name, call)| Question::new(name, move || ask_driver(call).map(|_| ()));
    let later = Question::new("the parent after the child has ended", || {
        let address = ask_driver(|_| unsafe { cuCtxSynchronize() })?;
        answer_code(unsafe { cuMemcpyDtoH([0_u8].as_mut_ptr().cast(), address, 1) });
        Ok(())
    });
    QuestionGroup::new("fork", CHILD_CALLS.map(question).into_iter().chain([later]))
}

/// Makes the call in a child of this process, and says how it ended. Returns the address of the parent's mapping.
fn ask_driver(call: ChildCall) -> Result<CUdeviceptr> {
    let exported = Exporter::CUDA.allocate_leaked(SIZE)?;
    let memory = exported.import()?;
    let address = map_bytes(memory, SIZE)?;
    let context = cuda(0)?.context();
    let parent = InheritedObjects { fd: exported.fd()?, memory, address, stream: create_stream()?, context };
    // SAFETY: this process has threads of the driver alone. The child calls the driver, which is what is measured.
    let child = unsafe { libc::fork() };
    if child == 0 {
        // SAFETY: a hang ends by the signal.
        unsafe { libc::alarm(5) };
        answer_code(call(parent));
        // SAFETY: ends the child.
        unsafe { libc::_exit(0) };
    }
    let mut status = 0;
    unsafe { libc::waitpid(child, &mut status, 0) };
    match libc::WTERMSIG(status) {
        _ if !libc::WIFSIGNALED(status) => {}
        libc::SIGALRM => write_answer("hang"),
        signal => write_answer(format!("signal {signal} in the child")),
    }
    Ok(address)
}
