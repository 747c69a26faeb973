//! The driver's library and its devices.

use std::ffi::{CStr, OsStr, c_char, c_int};
use std::path::PathBuf;

use cuda_external_sys::*;
use libloading::Library;

use super::facts::{Cuda, CudaDevice, NotByName};
use super::process::{answer, calling};
use crate::program::file_of;

const NAME: &str = "libcuda.so.1";

pub fn probe() -> ! {
    let mut cuda = Cuda::default();
    calling("dlopen of libcuda.so.1");
    // SAFETY: a driver of that name has the driver's functions.
    if let Err(LoadError::NoDriver(attempts)) = unsafe { load_from(NAME) } {
        cuda.by_name = attempts.into_iter().next().map(|attempt| match attempt.error.clone() {
            AttemptError::Stub => NotByName::Stub(by_name()),
            AttemptError::NotADriver => NotByName::NotADriver(by_name()),
            AttemptError::NotOpened(words) => NotByName::NotOpened(words),
            _ => NotByName::NotOpened(attempt.to_string()),
        });
    }
    calling("load");
    match load() {
        Ok(driver) => {
            cuda.version = driver.version();
            let function = driver.symbol(c"cuDriverGetVersion");
            cuda.file = function.and_then(|function| file_of(function.as_ptr()));
        }
        Err(error) => {
            cuda.not_loaded = Some(format!("{error:#}"));
            answer(&cuda);
        }
    }
    calling("cuInit");
    // SAFETY: takes flags alone.
    let code = unsafe { cuInit(0) };
    cuda.init = Some((code.into(), format!("{code:?}")));
    if code == CUDA_SUCCESS {
        cuda.devices = devices();
    }
    answer(&cuda)
}

/// The file that the name leads to. It stays open.
fn by_name() -> PathBuf {
    // SAFETY: it was opened before, and its initializers did no harm.
    let library = unsafe { Library::new(OsStr::new(NAME)) }.ok().map(std::mem::ManuallyDrop::new);
    let address = |name: &[u8]| {
        // SAFETY: the address is not called.
        unsafe { library.as_ref()?.get::<*const std::ffi::c_void>(name) }.ok().map(|symbol| *symbol)
    };
    address(b"cuInit\0").and_then(file_of).unwrap_or_else(|| NAME.into())
}

fn devices() -> Vec<CudaDevice> {
    let mut count = 0;
    calling("cuDeviceGetCount");
    // SAFETY: each pointer is to one value, here and below.
    let code = unsafe { cuDeviceGetCount(&mut count) };
    if code != CUDA_SUCCESS {
        return Vec::new();
    }
    (0..count).map(device).collect()
}

fn device(ordinal: c_int) -> CudaDevice {
    let (mut device, mut uuid) = (0, CUuuid::default());
    let (mut name, mut pci) = ([0 as c_char; 128], [0 as c_char; 32]);
    calling("the attributes of a device");
    // SAFETY: the texts are as long as said.
    unsafe {
        _ = cuDeviceGet(&mut device, ordinal);
        _ = cuDeviceGetName(name.as_mut_ptr(), name.len() as c_int, device);
        // The first version returns the whole GPU's in MIG mode.
        if cuDeviceGetUuid_v2(&mut uuid, device) != CUDA_SUCCESS {
            _ = cuDeviceGetUuid(&mut uuid, device);
        }
        _ = cuDeviceGetPCIBusId(pci.as_mut_ptr(), pci.len() as c_int, device);
    }
    let attribute = |attribute| {
        let mut value = 0;
        // SAFETY: the device is one of CUDA's, and the call writes one number.
        let code = unsafe { cuDeviceGetAttribute(&mut value, attribute, device) };
        if code == CUDA_SUCCESS { value } else { 0 }
    };
    CudaDevice {
        name: text(&name),
        uuid: uuid.to_string(),
        pci: text(&pci),
        compute_mode: attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_MODE),
        exports_fd: attribute(CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED) != 0,
        exports_dma_buf: attribute(CU_DEVICE_ATTRIBUTE_DMA_BUF_SUPPORTED) != 0,
    }
}

fn text(characters: &[c_char]) -> String {
    // SAFETY: zeros follow what the driver wrote.
    unsafe { CStr::from_ptr(characters.as_ptr()) }.to_string_lossy().into_owned()
}
