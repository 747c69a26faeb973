//! `cuInit`, the devices and their attributes, and the names and descriptions of error codes.

use std::collections::HashMap;
use std::ffi::CString;
use std::ptr::null;
use std::sync::OnceLock;
use std::thread::available_parallelism;

use cuda_external_in_process::newest_release_constants::VERSION;

use crate::driver::base::device_count::{device_count, device_index, device_memory_size};
use crate::driver::base::init_state::initialize_driver;
use crate::driver::base::prelude::*;
use crate::shared_files::{DEVICE_NAME, device_uuid};

/// Each row has the number in cuda.h of its first attribute, and the values of attributes with consecutive numbers.
///
/// Image sizes are an H100's. Other sizes, limits and clocks are an H200's (580.159).
const ATTRIBUTES: &[(usize, &[c_int])] = &[
    (1, &[1024, 1024, 1024, 64, c_int::MAX, 65535, 65535]), // a block's threads and dimensions, a grid's dimensions
    // Shared and constant memory, warp size, pitch, registers, clock rate, alignment of textures.
    (8, &[48 << 10, 64 << 10, 32, c_int::MAX, 64 << 10, 1_980_000, 512]),
    (19, &[1]), // host memory can be mapped
    // Textures in one to three dimensions, and layered in two.
    (21, &[128 << 10, 128 << 10, 64 << 10, 16 << 10, 16 << 10, 16 << 10, 32 << 10, 32 << 10, 2 << 10]),
    (30, &[512, 1]), // the alignment of surfaces, concurrent kernels
    // Memory clock and bus width, L2 cache, threads of a multiprocessor, copy engines, unified addressing.
    (36, &[3_201_000, 6016, 60 << 20, 2048, 1, 1]),
    // Layered textures in one dimension, textures for gathers, the PCI domain (0), and the alignment of pitches.
    (42, &[32 << 10, 2 << 10, 0, 32 << 10, 32 << 10, 0, 0, 0, 0, 32]),
    (52, &[32 << 10, 32 << 10, 2046]), // cubemap textures
    // Surfaces in one to three dimensions, layered surfaces in one and two dimensions, and cubemaps.
    (55, &[32 << 10, 128 << 10, 64 << 10, 16 << 10, 16 << 10, 16 << 10]),
    (61, &[32 << 10, 2 << 10, 32 << 10, 32 << 10, 2 << 10, 32 << 10, 32 << 10, 2046]),
    // Textures in linear memory, their greatest pitch, and mipmapped textures in two dimensions.
    (69, &[256 << 20, 128 << 10, 65_000, (2 << 20) - 32, 32 << 10, 32 << 10]),
    // The compute capability, mipmapped textures in one dimension, priorities of streams.
    (75, &[9, 0, 32 << 10, 1]),
    (81, &[228 << 10, 64 << 10, 1]), // a multiprocessor's shared memory and registers, managed memory
    (87, &[2, 0, 1]),                // single to double precision performance, concurrent managed access
    (97, &[227 << 10, 0, 1]),        // the most shared memory of a block, and cuMemHostRegister
    (102, &[1, 1]),                  // virtual memory, and export as a file descriptor
    (106, &[32, 0, 0, 0, 0, 1 << 10]), // a multiprocessor's blocks, and shared memory that each block reserves
    (114, &[1, 1]),                    // timeline semaphores, memory pools
    (122, &[1, 1]),                    // stream memory operations of 64 bits, and NOR waits
];

pub fn device_attribute(attribute: CUdevice_attribute, index: usize) -> CudaResult<c_int> {
    ensure_valid((1..CU_DEVICE_ATTRIBUTE_MAX.0).contains(&attribute.0))?;
    Ok(match attribute {
        CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT => available_parallelism().map_or(1, |n| n.get() as c_int),
        CU_DEVICE_ATTRIBUTE_PCI_BUS_ID => 1 + index as c_int,
        CUdevice_attribute(number) => {
            let of_run = |(first, values): &(usize, &[c_int])| {
                values.get((number as usize).checked_sub(*first)?).copied()
            };
            ATTRIBUTES.iter().find_map(of_run).unwrap_or(0)
        }
    })
}

unsafe fn copy_c_string(to: *mut c_char, length: c_int, text: &str) -> CudaResult {
    ensure_valid(!to.is_null())?;
    if length == 0 {
        abort_as_driver_crashes("no room for the text");
    }
    // A negative length counts as a large length.
    let count = text.len().min(length as u32 as usize - 1);
    // SAFETY: the program's buffer has `length` bytes.
    unsafe {
        to.copy_from_nonoverlapping(text.as_ptr().cast(), count);
        to.add(count).write(0);
    }
    Ok(())
}

/// Returns the device with this PCI bus id. The id may lack the domain and the function.
fn device_by_pci_bus_id(id: &str) -> CudaResult<CUdevice> {
    let is_known = |letter: char| letter.is_ascii_hexdigit() || ":.".contains(letter);
    ensure_valid(id.contains(':') && id.chars().all(is_known))?;
    let has_id = |device: &CUdevice| {
        let full = pci_bus_id(*device);
        [&full, &full[5..], &full[..10], &full[5..10]].iter().any(|form| form.eq_ignore_ascii_case(id))
    };
    (0..device_count() as CUdevice).find(has_id).ok_or(CUDA_ERROR_INVALID_DEVICE)
}

fn pci_bus_id(device: CUdevice) -> String {
    format!("0000:{:02X}:00.0", 1 + device)
}

/// Returns an error code's name and description, which live until the process ends.
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
    // SAFETY: `to` is not null, and so valid for a write.
    unsafe { write_out(to, text) }?;
    ensure_valid(!text.is_null())
}

functions! {
    Nothing fn cuInit: PFN_cuInit, (flags) {
        ensure_valid(flags == 0)?;
        // Makes the error texts now. If a thread made the texts while another thread forks, cuGetErrorName in the child
        // would wait forever for the first thread, which the child lacks.
        error_name_and_text(CUDA_SUCCESS);
        initialize_driver()
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
        write_out(device, device_by_pci_bus_id(read_c_str(id)?.to_str().map_err(|_| CUDA_ERROR_INVALID_VALUE)?)?)
    }
    Init fn cuDeviceGetNvSciSyncAttributes: PFN_cuDeviceGetNvSciSyncAttributes, (list, device, flags) {
        ensure(!list.is_null(), CUDA_ERROR_INVALID_HANDLE)?;
        device_index(device)?;
        ensure_valid((1..=3).contains(&flags))?;
        Err(CUDA_ERROR_NOT_SUPPORTED)
    }
    Init fn cuModuleGetLoadingMode(mode: *mut c_uint) { write_out(mode, 1) }
    Init fn cuDeviceComputeCapability(major: *mut c_int, minor: *mut c_int, device: CUdevice) {
        let index = device_index(device)?;
        write_out(major, device_attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, index)?)?;
        write_out(minor, device_attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, index)?)
    }
    Init fn cuDeviceCanAccessPeer(can: *mut c_int, one: CUdevice, other: CUdevice) {
        write_created(can, || device_index(one).and(device_index(other)).map(|_| 0))
    }
    Init fn cuDeviceGetP2PAttribute(value: *mut c_int, _attribute: c_uint, one: CUdevice, other: CUdevice) {
        ensure_valid(device_index(one)? != device_index(other)?)?;
        write_out(value, 0)
    }
}
