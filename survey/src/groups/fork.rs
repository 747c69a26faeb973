//! `fork` after the parent has used CUDA: what each call returns in the child. CUDA does not support it.

use std::os::fd::{IntoRawFd, OwnedFd};
use std::ptr::null_mut;

use cuda_external_sys::*;
use interop::cuda::{import_memory, map_buffer};
use interop::{Error, Result};

use crate::case::{Case, Group, answer};
use crate::gpu::{allocate, cuda, stream};

const SIZE: u64 = 2 << 20;

/// What the parent has made. The child inherits it.
struct Parent {
    fd: Option<OwnedFd>,
    memory: CUexternalMemory,
    address: CUdeviceptr,
    stream: CUstream,
    context: CUcontext,
}

type Call = (&'static str, fn(&mut Parent) -> CUresult);

// SAFETY, of every call: whether it is defined is what is measured, in a process that does nothing else.
#[rustfmt::skip] // one call a line
const CALLS: &[Call] = &[
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
    ("cuMemcpyDtoH", |parent| unsafe { cuMemcpyDtoH((&raw mut parent.stream).cast(), parent.address, 1) }),
    ("cuMemFree", |parent| unsafe { cuMemFree(parent.address) }),
    ("cuStreamCreate", |_| unsafe { cuStreamCreate(&mut null_mut(), 0) }),
    ("cuStreamQuery", |parent| unsafe { cuStreamQuery(parent.stream) }),
    ("cuImportExternalMemory", |parent| {
        import_memory(parent.fd.take().expect("it is taken once"), SIZE, false).err().unwrap_or(CUDA_SUCCESS)
    }),
    ("cuExternalMemoryGetMappedBuffer", |parent| {
        let buffer = CUDA_EXTERNAL_MEMORY_BUFFER_DESC { size: SIZE, ..Default::default() };
        unsafe { cuExternalMemoryGetMappedBuffer(&mut 0, parent.memory, &buffer) }
    }),
    ("cuDestroyExternalMemory", |parent| unsafe { cuDestroyExternalMemory(parent.memory) }),
    ("cuImportExternalSemaphore", |parent| {
        let fd = parent.fd.take().expect("it is taken once").into_raw_fd();
        let type_ = CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD;
        let mut desc = CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC { type_, ..Default::default() };
        desc.handle.fd = fd;
        unsafe { cuImportExternalSemaphore(&mut null_mut(), &desc) }
    }),
];

pub fn group() -> Group {
    let after = CALLS.iter().map(|&(name, call)| Case::new(name, move || run(Some(parent()?), call)));
    let mut cases: Vec<Case> = after.collect();
    cases.push(Case::new("the parent after the child has ended", parents_later_calls));
    Group::new("fork", cases)
}

fn parent() -> Result<Parent> {
    let cuda = cuda(0)?;
    let memory = allocate(cuda, SIZE)?;
    let imported = import_memory(memory.export()?, SIZE, false)?;
    // SAFETY: the import lives.
    let address = unsafe { map_buffer(imported, 0, SIZE) }?;
    let fd = Some(memory.export()?);
    Ok(Parent { fd, memory: imported, address, stream: stream()?, context: cuda.context() })
}

/// Makes the call in a child of this process, and says how it ended.
fn run(parent: Option<Parent>, call: fn(&mut Parent) -> CUresult) -> Result<()> {
    let mut parent = parent.ok_or_else(|| Error::Failed("there is no parent".to_owned()))?;
    // SAFETY: this process has threads of the driver alone. The child calls the driver, which is what is measured.
    let child = unsafe { libc::fork() };
    if child == 0 {
        // SAFETY: a hang ends by the signal.
        unsafe { libc::alarm(5) };
        answer(format!("{:?}", call(&mut parent)));
        // SAFETY: ends the child.
        unsafe { libc::_exit(0) };
    }
    let mut status = 0;
    // SAFETY: the child is ours.
    unsafe { libc::waitpid(child, &mut status, 0) };
    if libc::WIFSIGNALED(status) {
        let signal = libc::WTERMSIG(status);
        answer(if signal == libc::SIGALRM {
            "hang".to_owned()
        } else {
            format!("signal {signal} in the child")
        });
    }
    Ok(())
}

fn parents_later_calls() -> Result<()> {
    let parent = parent()?;
    let address = parent.address;
    run(Some(parent), |_| unsafe { cuCtxSynchronize() })?;
    let mut byte = 0_u8;
    // SAFETY: the mapping lives.
    answer(format!("{:?}", unsafe { cuMemcpyDtoH((&raw mut byte).cast(), address, 1) }));
    Ok(())
}
