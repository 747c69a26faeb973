//! The driver's start, devices' attributes, and the names of codes.

use std::collections::HashMap;
use std::ffi::CString;
use std::ptr::null;
use std::sync::OnceLock;
use std::thread::available_parallelism;

use cuda_external_in_process::newest_release::VERSION;

use crate::driver::base::device_ids::{device_count, device_index, device_memory_size};
use crate::driver::base::init_state::initialize;
use crate::driver::base::prelude::*;
use crate::shared_files::{DEVICE_NAME, device_uuid};

/// Returns an attribute's value. The ones that are not here are 0.
pub fn device_attribute(attribute: CUdevice_attribute, index: usize) -> CudaResult<c_int> {
    Ok(match attribute {
        CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED
        | CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED
        | CU_DEVICE_ATTRIBUTE_TIMELINE_SEMAPHORE_INTEROP_SUPPORTED
        | CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING
        | CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY
        | CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS
        | CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY
        | CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS
        | CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED
        | CU_DEVICE_ATTRIBUTE_HOST_REGISTER_SUPPORTED
        | CU_DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED
        | CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT => 1,
        CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR => 9,
        CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT => available_parallelism().map_or(1, |n| n.get() as c_int),
        CU_DEVICE_ATTRIBUTE_WARP_SIZE => 32,
        CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK
        | CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X
        | CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y => 1024,
        CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z => 64,
        CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR => 2048,
        CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK => 48 << 10,
        CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN => 227 << 10,
        CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR => 228 << 10,
        CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY | CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK => 64 << 10,
        CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X | CU_DEVICE_ATTRIBUTE_MAX_PITCH => c_int::MAX,
        CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y | CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z => 65535,
        CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT | CU_DEVICE_ATTRIBUTE_SURFACE_ALIGNMENT => 512,
        CU_DEVICE_ATTRIBUTE_TEXTURE_PITCH_ALIGNMENT => 32,
        CU_DEVICE_ATTRIBUTE_PCI_BUS_ID => 1 + index as c_int,
        // What programs divide by, and what they size their work by, as an H200 has it with driver 580.159.
        CU_DEVICE_ATTRIBUTE_CLOCK_RATE => 1_980_000,
        CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE => 3_201_000,
        CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH => 6016,
        CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE => 60 << 20,
        CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR => 32,
        CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR => 64 << 10,
        CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK => 1 << 10,
        CU_DEVICE_ATTRIBUTE_SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO => 2,
        CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LINEAR_WIDTH => 256 << 20,
        CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_PITCH => (2 << 20) - 32,
        CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_HEIGHT => 65_000,
        CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_WIDTH
        | CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_WIDTH
        | CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_WIDTH
        | CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_WIDTH => 128 << 10,
        CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_HEIGHT | CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_HEIGHT => {
            64 << 10
        }
        CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LAYERED_WIDTH
        | CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_MIPMAPPED_WIDTH
        | CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_WIDTH
        | CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_HEIGHT
        | CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_MIPMAPPED_WIDTH
        | CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_MIPMAPPED_HEIGHT
        | CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_GATHER_WIDTH
        | CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_GATHER_HEIGHT
        | CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURECUBEMAP_WIDTH
        | CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURECUBEMAP_LAYERED_WIDTH
        | CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE1D_WIDTH
        | CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE1D_LAYERED_WIDTH
        | CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_LAYERED_WIDTH
        | CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_LAYERED_HEIGHT
        | CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACECUBEMAP_WIDTH
        | CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACECUBEMAP_LAYERED_WIDTH => 32 << 10,
        CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_WIDTH
        | CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_HEIGHT
        | CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_DEPTH
        | CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE3D_WIDTH
        | CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE3D_HEIGHT
        | CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE3D_DEPTH => 16 << 10,
        CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURECUBEMAP_LAYERED_LAYERS
        | CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACECUBEMAP_LAYERED_LAYERS => 2046,
        CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LAYERED_LAYERS
        | CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_LAYERS
        | CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE1D_LAYERED_LAYERS
        | CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_LAYERED_LAYERS => 2 << 10,
        CUdevice_attribute(number) if number == 0 || number >= CU_DEVICE_ATTRIBUTE_MAX.0 => {
            return Err(CUDA_ERROR_INVALID_VALUE);
        }
        _ => 0,
    })
}

/// Copies a text into a C buffer, as much as fits.
unsafe fn copy_c_string(to: *mut c_char, length: c_int, text: &str) -> CudaResult {
    ensure_valid(!to.is_null())?;
    if length == 0 {
        abort_as_driver_crashes("no room for the text");
    }
    // A negative length is a large one.
    let count = text.len().min(length as u32 as usize - 1);
    // SAFETY: the caller has room for `length` bytes.
    unsafe {
        to.copy_from_nonoverlapping(text.as_ptr().cast(), count);
        to.add(count).write(0);
    }
    Ok(())
}

/// Returns the device with an id as cuDeviceGetPCIBusId writes it, with or without the domain and the function.
fn find_by_pci_bus_id(id: &str) -> CudaResult<CUdevice> {
    ensure_valid(
        id.contains(':') && id.chars().all(|letter| letter.is_ascii_hexdigit() || ":.".contains(letter)),
    )?;
    let is_it = |device: &CUdevice| {
        let full = pci_bus_id(*device);
        [&full, &full[5..], &full[..10], &full[5..10]].iter().any(|form| form.eq_ignore_ascii_case(id))
    };
    (0..device_count() as CUdevice).find(is_it).ok_or(CUDA_ERROR_INVALID_DEVICE)
}

fn pci_bus_id(device: CUdevice) -> String {
    format!("0000:{:02X}:00.0", 1 + device)
}

/// Returns a code's name and its words, which live until the process ends.
fn error_name_and_text(code: CUresult) -> Option<&'static [CString; 2]> {
    static TEXTS: OnceLock<HashMap<u32, [CString; 2]>> = OnceLock::new();
    let texts = |number| {
        let name = CUresult::from(number).name()?;
        let words = name.trim_start_matches("CUDA_").replace('_', " ").to_lowercase();
        Some((number, [CString::new(name).ok()?, CString::new(words).ok()?]))
    };
    TEXTS.get_or_init(|| (0..1000).filter_map(texts).collect()).get(&code.0)
}

unsafe fn write_error_text(code: CUresult, to: *mut *const c_char, index: usize) -> CudaResult {
    let text = error_name_and_text(code).map_or(null(), |texts| texts[index].as_ptr());
    if to.is_null() {
        abort_as_driver_crashes("null for the text");
    }
    // SAFETY: the caller passes a valid pointer.
    unsafe { write_out(to, text) }?;
    ensure_valid(!text.is_null())
}

functions! {
    Nothing fn cuInit: PFN_cuInit, (flags) {
        ensure_valid(flags == 0)?;
        // Made now: a child of fork would wait for a thread that was making them.
        error_name_and_text(CUDA_SUCCESS);
        initialize()
    }
    Nothing fn cuDriverGetVersion: PFN_cuDriverGetVersion, (version) { write_out(version, VERSION) }
    Nothing fn cuGetErrorName: PFN_cuGetErrorName, (error, text) { write_error_text(error, text, 0) }
    Nothing fn cuGetErrorString: PFN_cuGetErrorString, (error, text) { write_error_text(error, text, 1) }
    Init fn cuDeviceGetCount: PFN_cuDeviceGetCount, (number) { write_out(number, device_count() as c_int) }
    Init fn cuDeviceGet: PFN_cuDeviceGet, (device, ordinal) {
        write_created(device, || device_index(ordinal).map(|_| ordinal))
    }
    Init fn cuDeviceGetName: PFN_cuDeviceGetName, (name, length, device) {
        ensure_valid(!name.is_null())?;
        device_index(device)?;
        copy_c_string(name, length, DEVICE_NAME)
    }
    Init fn cuDeviceGetUuid | cuDeviceGetUuid_v2: PFN_cuDeviceGetUuid_v2, (uuid, device) {
        let of = |index: usize| CUuuid { bytes: device_uuid(index as u8).map(|byte| byte as c_char) };
        write_created(uuid, || device_index(device).map(of))
    }
    Init fn cuDeviceGetLuid: PFN_cuDeviceGetLuid, (luid, mask, device) {
        ensure_valid(!luid.is_null() && !mask.is_null())?;
        device_index(device)?;
        Err(CUDA_ERROR_NOT_SUPPORTED)
    }
    Init fn cuDeviceTotalMem_v2(size: *mut usize, device: CUdevice) {
        write_created(size, || device_index(device).map(|_| device_memory_size()))
    }
    Init fn cuDeviceGetAttribute: PFN_cuDeviceGetAttribute, (value, name, device) {
        write_created(value, || device_attribute(name, device_index(device)?))
    }
    Init fn cuDeviceGetPCIBusId: PFN_cuDeviceGetPCIBusId, (id, length, device) {
        ensure_valid(!id.is_null())?;
        device_index(device)?;
        ensure_valid(length >= 13)?;
        copy_c_string(id, length, &pci_bus_id(device))
    }
    Init fn cuDeviceGetByPCIBusId: PFN_cuDeviceGetByPCIBusId, (device, id) {
        write_out(device, find_by_pci_bus_id(read_c_str(id)?.to_str().map_err(|_| CUDA_ERROR_INVALID_VALUE)?)?)
    }
    Init fn cuDeviceGetNvSciSyncAttributes: PFN_cuDeviceGetNvSciSyncAttributes, (list, device, flags) {
        ensure(!list.is_null(), CUDA_ERROR_INVALID_HANDLE)?;
        device_index(device)?;
        ensure_valid((1..=3).contains(&flags))?;
        Err(CUDA_ERROR_NOT_SUPPORTED)
    }
}
