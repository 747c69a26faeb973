//! The device's attributes on which sharing depends.

use std::ffi::{CStr, c_int};

use ash::vk;
use cuda_external_sys::*;
use example_support::Result;
use example_support::vulkan::Instance;

use crate::case::{Case, Group, answer, answer_code};
use crate::gpu::{cuda, vulkan};

macro_rules! attributes {
    ($($name:ident),* $(,)?) => { &[$((stringify!($name), $name)),*] };
}

const ATTRIBUTES: &[(&str, CUdevice_attribute)] = attributes![
    CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR,
    CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR,
    CU_DEVICE_ATTRIBUTE_INTEGRATED,
    CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT,
    CU_DEVICE_ATTRIBUTE_COMPUTE_PREEMPTION_SUPPORTED,
    CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED,
    CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED,
    CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_WIN32_HANDLE_SUPPORTED,
    CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_WIN32_KMT_HANDLE_SUPPORTED,
    CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_FABRIC_SUPPORTED,
    CU_DEVICE_ATTRIBUTE_TIMELINE_SEMAPHORE_INTEROP_SUPPORTED,
    CU_DEVICE_ATTRIBUTE_MEMPOOL_SUPPORTED_HANDLE_TYPES,
    CU_DEVICE_ATTRIBUTE_GENERIC_COMPRESSION_SUPPORTED,
    CU_DEVICE_ATTRIBUTE_SPARSE_CUDA_ARRAY_SUPPORTED,
    CU_DEVICE_ATTRIBUTE_DMA_BUF_SUPPORTED,
    CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_SUPPORTED,
    CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WITH_CUDA_VMM_SUPPORTED,
    CU_DEVICE_ATTRIBUTE_VULKAN_CIG_SUPPORTED,
    CU_DEVICE_ATTRIBUTE_VULKAN_CIG_STREAMS_SUPPORTED,
    CU_DEVICE_ATTRIBUTE_D3D12_CIG_SUPPORTED,
    CU_DEVICE_ATTRIBUTE_D3D12_CIG_STREAMS_SUPPORTED,
    CU_DEVICE_ATTRIBUTE_HOST_ALLOC_DMA_BUF_SUPPORTED,
    CU_DEVICE_ATTRIBUTE_DMA_BUF_MMAP_SUPPORTED,
];

const EXTENSIONS: &[&CStr] = &[
    c"VK_KHR_external_memory_fd",
    c"VK_KHR_external_semaphore_fd",
    c"VK_EXT_external_memory_dma_buf",
    c"VK_EXT_external_memory_host",
    c"VK_EXT_image_drm_format_modifier",
    c"VK_NV_external_compute_queue",
    c"VK_NV_external_memory_rdma",
    c"VK_EXT_memory_priority",
];

pub fn group() -> Group {
    let mut cases: Vec<Case> =
        ATTRIBUTES.iter().map(|&(name, attribute)| Case::new(name, move || device(attribute))).collect();
    cases.push(Case::new("cuDeviceGetLuid", luid));
    cases.push(Case::new("Vulkan's devices of the same UUID", same_uuid));
    for family in 0..6 {
        cases.push(Case::new(format!("Vulkan's queue family {family}"), move || queue_family(family)));
    }
    for &name in EXTENSIONS {
        cases.push(Case::new(name.to_string_lossy(), move || extension(name)));
    }
    Group::new("attributes", cases)
}

fn device(attribute: CUdevice_attribute) -> Result<()> {
    let (device, mut value): (_, c_int) = (cuda(0)?.device, 0);
    match unsafe { cuDeviceGetAttribute(&mut value, attribute, device) } {
        CUDA_SUCCESS => answer(value),
        code => answer_code(code),
    }
    Ok(())
}

fn luid() -> Result<()> {
    let (device, mut luid, mut mask) = (cuda(0)?.device, [0; 8], 0);
    answer_code(unsafe { cuDeviceGetLuid(luid.as_mut_ptr(), &mut mask, device) });
    Ok(())
}

fn same_uuid() -> Result<()> {
    let cuda = cuda(0)?;
    let candidates = Instance::open()?.devices()?;
    answer(candidates.iter().filter(|candidate| candidate.uuid == cuda.uuid).count());
    Ok(())
}

fn queue_family(family: usize) -> Result<()> {
    let vulkan = vulkan(0)?;
    let raw = &vulkan.instance.raw;
    let families = unsafe { raw.get_physical_device_queue_family_properties(vulkan.physical_device) };
    let Some(family) = families.get(family) else {
        answer("-");
        return Ok(());
    };
    let names = [
        (vk::QueueFlags::GRAPHICS, "graphics"),
        (vk::QueueFlags::COMPUTE, "compute"),
        (vk::QueueFlags::TRANSFER, "transfer"),
        (vk::QueueFlags::VIDEO_DECODE_KHR, "video decode"),
        (vk::QueueFlags::VIDEO_ENCODE_KHR, "video encode"),
        (vk::QueueFlags::OPTICAL_FLOW_NV, "optical flow"),
    ];
    let has = names.iter().filter(|(flag, _)| family.queue_flags.contains(*flag)).map(|(_, name)| *name);
    answer(format!("{}: {}", has.collect::<Vec<_>>().join(" + "), family.queue_count));
    Ok(())
}

fn extension(name: &CStr) -> Result<()> {
    let vulkan = vulkan(0)?;
    let has = unsafe { vulkan.instance.raw.enumerate_device_extension_properties(vulkan.physical_device) }?;
    let found = has.iter().any(|extension| extension.extension_name_as_c_str() == Ok(name));
    answer(if found { "yes" } else { "no" });
    Ok(())
}
