use std::ffi::CStr;
use std::ptr;

use cuda_external_sys::*;

use crate::{Error, Result};

/// A device and its primary context. Dropping this value releases the context.
pub struct Cuda {
    pub device: CUdevice,
    context: usize, // a CUcontext, which threads may share
    pub name: String,
    /// The device's UUID, as Vulkan and OpenGL report it.
    pub uuid: [u8; 16],
}

/// Returns the number of devices, at least one. Without a usable driver or a device, returns [`Error::Missing`].
pub fn device_count() -> Result<i32> {
    load().map_err(|error| Error::Missing(error.to_string()))?;
    // SAFETY: the function takes no pointer.
    match unsafe { cuInit(0) } {
        CUDA_SUCCESS => {}
        code @ (CUDA_ERROR_NO_DEVICE | CUDA_ERROR_STUB_LIBRARY | CUDA_ERROR_SYSTEM_DRIVER_MISMATCH) => {
            return Err(Error::Missing(format!("CUDA's driver cannot be used: cuInit returned {code}")));
        }
        code => code.result()?,
    }
    let mut count = 0;
    // SAFETY: `count` outlives the call.
    unsafe { cuDeviceGetCount(&mut count) }.result()?;
    if count == 0 {
        return Err(Error::Missing("CUDA has no device".to_owned()));
    }
    Ok(count)
}

impl Cuda {
    /// Retains the primary context of the device with this ordinal, and makes it current in this thread.
    pub fn retain_primary(ordinal: i32) -> Result<Self> {
        let count = device_count()?;
        if ordinal >= count {
            return Err(Error::Missing(format!("no CUDA device {ordinal}: this machine has {count}")));
        }
        let (mut device, mut uuid, mut name) = (0, CUuuid::default(), [0; 256]);
        let mut context = ptr::null_mut();
        // SAFETY: every pointer is to a variable of the type that the function writes.
        let name = unsafe {
            cuDeviceGet(&mut device, ordinal).result()?;
            cuDeviceGetUuid(&mut uuid, device).result()?;
            cuDeviceGetName(name.as_mut_ptr(), name.len() as i32, device).result()?;
            cuDevicePrimaryCtxRetain(&mut context, device).result()?;
            CStr::from_ptr(name.as_ptr()).to_string_lossy().into_owned()
        };
        let cuda = Self { device, context: context as usize, name, uuid: uuid.to_bytes() };
        cuda.make_current()?;
        Ok(cuda)
    }

    pub fn context(&self) -> CUcontext {
        self.context as CUcontext
    }

    /// Makes the context current in this thread. The thread that called `retain_primary` does not need this call.
    pub fn make_current(&self) -> Result<()> {
        // SAFETY: the context is retained for as long as `self` lives.
        Ok(unsafe { cuCtxSetCurrent(self.context()) }.result()?)
    }
}

impl Drop for Cuda {
    fn drop(&mut self) {
        // SAFETY: `retain_primary` retained the context once. The result can be an error of earlier work: ignore it.
        let _ = unsafe { cuDevicePrimaryCtxRelease(self.device) };
    }
}

/// Completes a copy from the host, whose function returned `code`. If `code` is an error, returns this error. Otherwise
/// waits for the current context's work: a copy from pageable memory may return before the last bytes have arrived.
/// Returns an error if the wait fails.
pub(super) fn finish_host_copy(code: CUresult) -> Result<()> {
    code.result()?;
    // SAFETY: the function takes no argument.
    Ok(unsafe { cuCtxSynchronize() }.result()?)
}

/// Asserts that a destructor's calls succeeded. During a panic, asserts nothing: a second panic aborts the process.
#[track_caller]
pub(super) fn assert_teardown_succeeded(codes: &[CUresult]) {
    if !std::thread::panicking() {
        assert!(codes.iter().all(|&code| code == CUDA_SUCCESS), "the teardown returned {codes:?}");
    }
}
