//! Devices, their attributes, and the names of codes.

use std::collections::HashMap;
use std::ffi::{CString, c_char, c_int, c_uint, c_void};
use std::ptr::null;
use std::sync::{Mutex, OnceLock};
use std::thread::available_parallelism;

use cuda_external_sys::*;

use super::call::{Answer, Pointer, check, functions, initialize, text};
use super::lock;
use crate::shared::{DEVICE_NAME, device_uuid};

/// The CUDA release whose functions are here.
const VERSION: c_int = 13050;

/// The variable with the number of devices.
pub const VARIABLE: &str = "CUDA_EXTERNAL_CPU_DEVICES";

static COUNT: OnceLock<usize> = OnceLock::new();

/// Sets the number of devices, from 1 to 8, in place of `CUDA_EXTERNAL_CPU_DEVICES`. Returns whether it has this number now: once
/// a function has asked for it, it does not change.
pub fn set_devices(number: usize) -> bool {
    (1..=8).contains(&number) && *COUNT.get_or_init(|| number) == number
}

/// Returns the number of devices: 1, or what the variable says, at most 8.
pub fn count() -> usize {
    *COUNT.get_or_init(|| {
        let Ok(text) = std::env::var(VARIABLE) else { return 1 };
        text.parse().ok().filter(|count| (1..=8).contains(count)).unwrap_or_else(|| {
            eprintln!("cuda-external-cpu: {VARIABLE}={text}: not a number from 1 to 8");
            std::process::abort();
        })
    })
}

/// Returns the index of a device.
pub fn index(device: CUdevice) -> Answer<usize> {
    usize::try_from(device).ok().filter(|index| *index < count()).ok_or(CUDA_ERROR_INVALID_DEVICE)
}

/// Returns the memory of each device: the machine's or the container's.
pub fn memory() -> usize {
    static MEMORY: OnceLock<usize> = OnceLock::new();
    *MEMORY.get_or_init(|| {
        // SAFETY: the function only reads a number of the system, here and below.
        let pages = unsafe { libc::sysconf(libc::_SC_PHYS_PAGES) } as usize;
        let size = unsafe { libc::sysconf(libc::_SC_PAGESIZE) } as usize;
        let limit = std::fs::read_to_string("/sys/fs/cgroup/memory.max").ok();
        let limit = limit.and_then(|text| text.trim().parse().ok()).unwrap_or(usize::MAX);
        (pages * size).min(limit)
    })
}

/// Returns an attribute's value. The ones that are not here are 0.
fn attribute(attribute: CUdevice_attribute, index: usize) -> Answer<c_int> {
    Ok(match attribute {
        CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED
        | CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED
        | CU_DEVICE_ATTRIBUTE_TIMELINE_SEMAPHORE_INTEROP_SUPPORTED
        | CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING
        | CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY
        | CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS
        | CU_DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED
        | CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT => 1,
        CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR => 9,
        CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT => available_parallelism().map_or(1, |n| n.get() as c_int),
        CU_DEVICE_ATTRIBUTE_WARP_SIZE => 32,
        CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK
        | CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X
        | CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y => 1024,
        CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z => 64,
        CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X => c_int::MAX,
        CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y | CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z => 65535,
        CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT | CU_DEVICE_ATTRIBUTE_SURFACE_ALIGNMENT => 512,
        CU_DEVICE_ATTRIBUTE_TEXTURE_PITCH_ALIGNMENT => 32,
        CU_DEVICE_ATTRIBUTE_MAX_PITCH => c_int::MAX,
        CU_DEVICE_ATTRIBUTE_PCI_BUS_ID => 1 + index as c_int,
        CUdevice_attribute(number) if number == 0 || number >= CU_DEVICE_ATTRIBUTE_MAX.0 => {
            return Err(CUDA_ERROR_INVALID_VALUE);
        }
        _ => 0,
    })
}

/// Copies a text of C's into a buffer, as much as fits.
unsafe fn copy_text(to: *mut c_char, length: c_int, text: &str) -> Answer {
    check(!to.is_null() && length > 0, CUDA_ERROR_INVALID_VALUE)?;
    let count = text.len().min(length as usize - 1);
    // SAFETY: the caller has room for `length` bytes.
    unsafe {
        to.copy_from_nonoverlapping(text.as_ptr().cast(), count);
        to.add(count).write(0);
    }
    Ok(())
}

/// Reads `domain:bus:device` or `bus:device`, with `.function` or without. Returns the index of the device.
fn by_bus_id(text: &str) -> Answer<CUdevice> {
    let wrong = CUDA_ERROR_INVALID_VALUE;
    let hex = |part: &str| u32::from_str_radix(part, 16).map_err(|_| wrong);
    let (place, function) = text.split_once('.').unwrap_or((text, "0"));
    let parts = place.split(':').map(hex).collect::<Answer<Vec<_>>>()?;
    let (domain, bus, device) = match parts[..] {
        [domain, bus, device] => (domain, bus, device),
        [bus, device] => (0, bus, device),
        _ => return Err(wrong),
    };
    let found = (domain, device, hex(function)?) == (0, 0, 0) && (1..=count() as u32).contains(&bus);
    if found { Ok(bus as CUdevice - 1) } else { Err(CUDA_ERROR_INVALID_DEVICE) }
}

/// Returns a code's name or its words, which live until the process ends.
fn words(code: CUresult, name: bool) -> Option<*const c_char> {
    static TEXTS: Mutex<Option<HashMap<String, &'static std::ffi::CStr>>> = Mutex::new(None);
    let text = code.name()?;
    let text = if name {
        text.to_owned()
    } else {
        text.trim_start_matches("CUDA_").replace('_', " ").to_lowercase()
    };
    let mut texts = lock(&TEXTS);
    let leak = |text: &str| &*Box::leak(CString::new(text).unwrap_or_default().into_boxed_c_str());
    let made = texts.get_or_insert_default().entry(text.clone()).or_insert_with(|| leak(&text));
    Some(made.as_ptr())
}

unsafe fn put_words(code: CUresult, to: *mut *const c_char, name: bool) -> Answer {
    let found = words(code, name);
    // SAFETY: the caller's pointer.
    unsafe { to.put(found.unwrap_or(null())) }?;
    found.map(|_| ()).ok_or(CUDA_ERROR_INVALID_VALUE)
}

functions! {
    Nothing fn cuInit: PFN_cuInit, (flags: c_uint) {
        check(flags == 0, CUDA_ERROR_INVALID_VALUE)?;
        initialize()
    }
    Nothing fn cuDriverGetVersion: PFN_cuDriverGetVersion, (version: *mut c_int) { version.put(VERSION) }
    Nothing fn cuGetErrorName: PFN_cuGetErrorName, (error: CUresult, text: *mut *const c_char) {
        put_words(error, text, true)
    }
    Nothing fn cuGetErrorString: PFN_cuGetErrorString, (error: CUresult, text: *mut *const c_char) {
        put_words(error, text, false)
    }
    Init fn cuDeviceGetCount: PFN_cuDeviceGetCount, (number: *mut c_int) { number.put(count() as c_int) }
    Init fn cuDeviceGet: PFN_cuDeviceGet, (device: *mut CUdevice, ordinal: c_int) {
        index(ordinal)?;
        device.put(ordinal)
    }
    Init fn cuDeviceGetName: PFN_cuDeviceGetName, (name: *mut c_char, length: c_int, device: CUdevice) {
        index(device)?;
        copy_text(name, length, DEVICE_NAME)
    }
    Init fn cuDeviceGetUuid: PFN_cuDeviceGetUuid_v2, (uuid: *mut CUuuid, device: CUdevice) {
        let bytes = device_uuid(index(device)? as u8);
        uuid.put(CUuuid { bytes: bytes.map(|byte| byte as c_char) })
    }
    Init fn cuDeviceGetUuid_v2: PFN_cuDeviceGetUuid_v2, (uuid: *mut CUuuid, device: CUdevice) {
        cuDeviceGetUuid(uuid, device).result()
    }
    Init fn cuDeviceGetLuid: PFN_cuDeviceGetLuid, (_luid: *mut c_char, _mask: *mut c_uint, device: CUdevice) {
        index(device)?;
        Err(CUDA_ERROR_NOT_SUPPORTED)
    }
    Init fn cuDeviceTotalMem_v2: unsafe extern "C" fn(*mut usize, CUdevice) -> CUresult,
        (size: *mut usize, device: CUdevice)
    {
        index(device)?;
        size.put(memory())
    }
    Init fn cuDeviceGetAttribute: PFN_cuDeviceGetAttribute,
        (value: *mut c_int, name: CUdevice_attribute, device: CUdevice)
    {
        value.put(attribute(name, index(device)?)?)
    }
    Init fn cuDeviceGetPCIBusId: PFN_cuDeviceGetPCIBusId, (id: *mut c_char, length: c_int, device: CUdevice) {
        check(length >= 13, CUDA_ERROR_INVALID_VALUE)?;
        copy_text(id, length, &format!("0000:{:02X}:00.0", 1 + index(device)?))
    }
    Init fn cuDeviceGetByPCIBusId: PFN_cuDeviceGetByPCIBusId, (device: *mut CUdevice, id: *const c_char) {
        device.put(by_bus_id(text(id)?.to_str().map_err(|_| CUDA_ERROR_INVALID_VALUE)?)?)
    }
    Init fn cuDeviceGetNvSciSyncAttributes: PFN_cuDeviceGetNvSciSyncAttributes,
        (list: *mut c_void, device: CUdevice, flags: c_int)
    {
        index(device)?;
        check(!list.is_null(), CUDA_ERROR_INVALID_HANDLE)?;
        check((1..=3).contains(&flags), CUDA_ERROR_INVALID_VALUE)?;
        Err(CUDA_ERROR_NOT_SUPPORTED)
    }
}
