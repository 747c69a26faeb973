//! CUDA's side: errors with names, the device and its context, and the two imports.

use std::ffi::CStr;
#[cfg(unix)]
use std::os::fd::{IntoRawFd, OwnedFd};
use std::ptr;

use cuda_external_sys::*;

use crate::{Error, Result};

/// Calls a function of the driver inside `unsafe`; a code that is not success becomes an error
/// with the function's name and the code's.
#[macro_export]
macro_rules! call {
    ($function:ident($($argument:expr),* $(,)?)) => {
        $crate::cuda::check(stringify!($function), $function($($argument),*))
    };
}
pub use call;

pub fn check(function: &str, code: CUresult) -> Result<()> {
    match code {
        CUDA_SUCCESS => Ok(()),
        code => Err(Error::Failed(format!("{function} says {code:?}"))),
    }
}

/// A device, with its primary context.
pub struct Cuda {
    pub device: CUdevice,
    pub context: usize, // a CUcontext, which threads may share
    pub name: String,
    pub uuid: [u8; 16],
}

/// How many devices CUDA has here: at least one, or the machine lacks something.
pub fn device_count() -> Result<i32> {
    load().map_err(|error| Error::Missing(error.to_string()))?;
    // SAFETY: takes no pointer.
    match unsafe { cuInit(0) } {
        CUDA_SUCCESS => {}
        code @ (CUDA_ERROR_NO_DEVICE | CUDA_ERROR_STUB_LIBRARY | CUDA_ERROR_SYSTEM_DRIVER_MISMATCH) => {
            return Err(Error::Missing(format!("CUDA's driver cannot be used here: cuInit says {code:?}")));
        }
        code => check("cuInit", code)?,
    }
    let mut count = 0;
    // SAFETY: `count` outlives the call.
    unsafe { call!(cuDeviceGetCount(&mut count)) }?;
    if count == 0 {
        return Err(Error::Missing("CUDA has no device here".to_owned()));
    }
    Ok(count)
}

impl Cuda {
    /// Takes the device's primary context and makes it current for this thread.
    pub fn open(ordinal: i32) -> Result<Self> {
        let count = device_count()?;
        if ordinal >= count {
            return Err(Error::Missing(format!("no CUDA device {ordinal}: this machine has {count}")));
        }
        let (mut device, mut uuid, mut name) = (0, CUuuid::default(), [0; 256]);
        let mut context = ptr::null_mut();
        // SAFETY: every pointer is to a variable of the type that the function writes; `name` is as
        // long as said.
        let name = unsafe {
            call!(cuDeviceGet(&mut device, ordinal))?;
            call!(cuDeviceGetUuid_v2(&mut uuid, device))?;
            call!(cuDeviceGetName(name.as_mut_ptr(), name.len() as i32, device))?;
            call!(cuDevicePrimaryCtxRetain(&mut context, device))?;
            CStr::from_ptr(name.as_ptr()).to_string_lossy().into_owned()
        };
        let uuid = uuid.bytes.map(|byte| byte.to_ne_bytes()[0]);
        let cuda = Self { device, context: context as usize, name, uuid };
        cuda.make_current()?;
        Ok(cuda)
    }

    /// For each further thread: without a current context every call says
    /// `CUDA_ERROR_INVALID_CONTEXT`.
    pub fn make_current(&self) -> Result<()> {
        // SAFETY: the context is retained for as long as `self` lives.
        unsafe { call!(cuCtxSetCurrent(self.context as CUcontext)) }
    }
}

impl Drop for Cuda {
    fn drop(&mut self) {
        // SAFETY: retained once, in `open`. The code is of no use to anyone here.
        let _ = unsafe { cuDevicePrimaryCtxRelease_v2(self.device) };
    }
}

/// Imports memory that another API exported as an opaque FD. `size` is the whole allocation's, not
/// the buffer's; `dedicated` says whether the exporter allocated it for one buffer or image.
///
/// The descriptor is the driver's from the call on, whatever the call says: after a failure the
/// driver has closed it in some cases and left it open in others. A program that then closed it
/// could close a file that another thread has just opened under the same number. Letting the
/// number go costs one descriptor at most.
#[cfg(unix)]
pub fn import_memory(fd: OwnedFd, size: u64, dedicated: bool) -> Result<CUexternalMemory> {
    let mut desc = CUDA_EXTERNAL_MEMORY_HANDLE_DESC {
        type_: CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD,
        size,
        flags: if dedicated { CUDA_EXTERNAL_MEMORY_DEDICATED } else { 0 },
        ..Default::default()
    };
    let mut memory = ptr::null_mut();
    desc.handle.fd = fd.into_raw_fd();
    // SAFETY: both pointers are to variables that outlive the call; the descriptor was ours to give.
    unsafe { call!(cuImportExternalMemory(&mut memory, &desc)) }?;
    Ok(memory)
}

/// Maps a range of imported memory, which `cuMemFree_v2` unmaps.
pub fn map_buffer(memory: CUexternalMemory, offset: u64, size: u64) -> Result<CUdeviceptr> {
    let desc = CUDA_EXTERNAL_MEMORY_BUFFER_DESC { offset, size, ..Default::default() };
    let mut address = 0;
    // SAFETY: `memory` is an import that was not destroyed; the driver checks the range against it.
    unsafe { call!(cuExternalMemoryGetMappedBuffer(&mut address, memory, &desc)) }?;
    Ok(address)
}

/// Imports a semaphore: `CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD` for a binary one,
/// `CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD` for a timeline. The descriptor is the
/// driver's from the call on, as in [`import_memory`].
#[cfg(unix)]
pub fn import_semaphore(fd: OwnedFd, type_: CUexternalSemaphoreHandleType) -> Result<CUexternalSemaphore> {
    let mut desc = CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC { type_, ..Default::default() };
    let mut semaphore = ptr::null_mut();
    desc.handle.fd = fd.into_raw_fd();
    // SAFETY: both pointers are to variables that outlive the call; the descriptor was ours to give.
    unsafe { call!(cuImportExternalSemaphore(&mut semaphore, &desc)) }?;
    Ok(semaphore)
}

/// Copies to `address`, and waits until it is there.
pub fn write(address: CUdeviceptr, bytes: &[u8]) -> Result<()> {
    // SAFETY: the driver reads no more of the host's memory than `bytes` has.
    unsafe { call!(cuMemcpyHtoD_v2(address, bytes.as_ptr().cast(), bytes.len())) }?;
    // A copy from pageable memory may return before the last of it has arrived.
    // SAFETY: takes nothing.
    unsafe { call!(cuCtxSynchronize()) }
}

/// Copies from `address`.
pub fn read(address: CUdeviceptr, length: usize) -> Result<Vec<u8>> {
    let mut bytes = vec![0; length];
    // SAFETY: the driver writes no more than `bytes` has room for.
    unsafe { call!(cuMemcpyDtoH_v2(bytes.as_mut_ptr().cast(), address, bytes.len())) }?;
    Ok(bytes)
}
