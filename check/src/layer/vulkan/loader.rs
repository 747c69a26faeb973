//! What Vulkan's loader asks for: the layer interface, version 2.

use std::ffi::{CStr, c_char, c_void};
use std::mem::transmute;

use ash::vk::{self, Handle};

use crate::layer::checked::check;
use crate::layer::visit::Visit;

use super::tables::{DEVICES, Device, INSTANCES, Instance, first_of, key, typed};
use super::{commands, device};
use cuda_external_guest::vulkan::find_in_chain;

/// vk_layer.h's, which ash does not have.
#[repr(C)]
pub struct NegotiateLayerInterface {
    s_type: i32,
    next: *mut c_void,
    version: u32,
    get_instance_proc_addr: Option<vk::PFN_vkGetInstanceProcAddr>,
    get_device_proc_addr: Option<vk::PFN_vkGetDeviceProcAddr>,
    get_physical_device_proc_addr: vk::PFN_vkVoidFunction,
}

/// A link of the chain of layers: VkLayerInstanceLink, and VkLayerDeviceLink with one function more.
#[repr(C)]
struct Link {
    next: *mut Link,
    get_instance_proc_addr: vk::PFN_vkGetInstanceProcAddr,
    /// The device's, in a device's link.
    get_proc_addr: vk::PFN_vkVoidFunction,
}

/// VkLayerInstanceCreateInfo and VkLayerDeviceCreateInfo.
#[repr(C)]
struct LayerCreateInfo {
    s_type: vk::StructureType,
    next: *const c_void,
    function: i32,
    link: *mut Link,
}

const LOADER_INSTANCE: vk::StructureType = vk::StructureType::from_raw(47);
const LOADER_DEVICE: vk::StructureType = vk::StructureType::from_raw(48);
const LINK_INFO: i32 = 0;

/// # Safety
///
/// The loader's structure, or null.
#[cfg_attr(feature = "library", unsafe(no_mangle))]
#[allow(non_snake_case)]
pub unsafe extern "system" fn vkNegotiateLoaderLayerInterfaceVersion(
    interface: *mut NegotiateLayerInterface,
) -> vk::Result {
    // SAFETY: the caller's promise.
    let Some(interface) = (unsafe { interface.as_mut() }) else {
        return vk::Result::ERROR_INITIALIZATION_FAILED;
    };
    interface.version = interface.version.min(2);
    interface.get_instance_proc_addr = Some(get_instance_proc_addr);
    interface.get_device_proc_addr = Some(get_device_proc_addr);
    interface.get_physical_device_proc_addr = None;
    vk::Result::SUCCESS
}

/// The names of Vulkan's functions that the layer stands before, but for those that begin and end instances and devices.
pub fn functions() -> Vec<&'static str> {
    let all = [device::NAMES, commands::NAMES].concat();
    all.into_iter().filter_map(|name| name.to_str().ok()).collect()
}

/// A function of the layer, as Vulkan hands functions out.
pub fn erased(function: *const ()) -> vk::PFN_vkVoidFunction {
    // SAFETY: a function's address; the caller of Vulkan knows its type by its name.
    unsafe { transmute::<*const (), vk::PFN_vkVoidFunction>(function) }
}

/// The layer's function of this name, if it stands before one. Without the check it is a layer that does nothing.
fn intercepted(name: &CStr) -> vk::PFN_vkVoidFunction {
    let is_checked = check().is_some();
    match name.to_bytes() {
        b"vkGetInstanceProcAddr" => erased(get_instance_proc_addr as *const ()),
        b"vkCreateInstance" => erased(create_instance as *const ()),
        b"vkDestroyInstance" => erased(destroy_instance as *const ()),
        b"vkCreateDevice" => erased(create_device as *const ()),
        b"vkGetDeviceProcAddr" => erased(get_device_proc_addr as *const ()),
        b"vkDestroyDevice" => erased(destroy_device as *const ()),
        _ if is_checked => device::intercepted(name).or_else(|| commands::intercepted(name)),
        _ => None,
    }
}

unsafe extern "system" fn get_instance_proc_addr(
    instance: vk::Instance,
    name: *const c_char,
) -> vk::PFN_vkVoidFunction {
    // SAFETY: the program's name ends in zero, and its instance is alive or null.
    unsafe {
        let own = intercepted(CStr::from_ptr(name));
        // The loader also asks before it has an instance, or with one that is not made yet.
        let Some(next) = INSTANCES.get(key(instance)) else { return own };
        let found = (next.get_proc_addr)(instance, name);
        // What the next layer does not have is not there.
        found.and_then(|found| own.or(Some(found)))
    }
}

unsafe extern "system" fn get_device_proc_addr(
    device: vk::Device,
    name: *const c_char,
) -> vk::PFN_vkVoidFunction {
    // SAFETY: as above.
    unsafe {
        let found = (DEVICES.get(key(device))?.get_proc_addr)(device, name);
        found.and_then(|found| intercepted(CStr::from_ptr(name)).or(Some(found)))
    }
}

/// Takes this layer's link from the chain, which then begins with the next layer's.
///
/// # Safety
///
/// A chain of structures that the loader made.
unsafe fn take_link<'a>(mut next: *const c_void, kind: vk::StructureType) -> Option<&'a Link> {
    // SAFETY: the caller's promise; the loader lets layers change its structure.
    unsafe {
        loop {
            let info = find_in_chain(next, kind)?.cast::<LayerCreateInfo>();
            if (*info).function == LINK_INFO {
                let link = (*info).link.as_ref()?;
                (*info).link = link.next;
                return Some(link);
            }
            next = (*info).next;
        }
    }
}

unsafe extern "system" fn create_instance(
    info: *const vk::InstanceCreateInfo<'_>,
    allocator: *const vk::AllocationCallbacks<'_>,
    out: *mut vk::Instance,
) -> vk::Result {
    // SAFETY: the program's structures are valid, and a function of this name has this type.
    let create = || unsafe {
        let get_proc_addr = take_link((*info).p_next, LOADER_INSTANCE)?.get_instance_proc_addr;
        let create = get_proc_addr(vk::Instance::null(), c"vkCreateInstance".as_ptr());
        let result = typed::<vk::PFN_vkCreateInstance>(create)?(info, allocator, out);
        if result == vk::Result::SUCCESS {
            // Later the loader's own function would return this layer's functions again.
            INSTANCES.add(key(*out), Instance { get_proc_addr, handle: *out });
        }
        Some(result)
    };
    create().unwrap_or(vk::Result::ERROR_INITIALIZATION_FAILED)
}

unsafe extern "system" fn destroy_instance(
    instance: vk::Instance,
    allocator: *const vk::AllocationCallbacks<'_>,
) {
    // SAFETY: the program's instance is alive or null, and a function of this name has this type.
    unsafe {
        let Some(next) = INSTANCES.remove(key(instance)) else { return };
        let destroy = (next.get_proc_addr)(instance, c"vkDestroyInstance".as_ptr());
        if let Some(destroy) = typed::<vk::PFN_vkDestroyInstance>(destroy) {
            destroy(instance, allocator);
        }
    }
}

unsafe extern "system" fn create_device(
    physical: vk::PhysicalDevice,
    info: *const vk::DeviceCreateInfo<'_>,
    allocator: *const vk::AllocationCallbacks<'_>,
    out: *mut vk::Device,
) -> vk::Result {
    // SAFETY: the program's handle and structures are valid, and functions of these names have these types.
    let create = || unsafe {
        let link = take_link((*info).p_next, LOADER_DEVICE)?;
        let instance = INSTANCES.get(key(physical))?.handle;
        let of_instance = |name: &CStr| (link.get_instance_proc_addr)(instance, name.as_ptr());
        let create = typed::<vk::PFN_vkCreateDevice>(of_instance(c"vkCreateDevice"))?;
        let get_proc_addr = typed::<vk::PFN_vkGetDeviceProcAddr>(link.get_proc_addr)?;
        let result = create(physical, info, allocator, out);
        if result == vk::Result::SUCCESS {
            let handle = *out;
            let find = |name: &CStr| get_proc_addr(handle, name.as_ptr());
            let (functions, commands) = (device::Table::load(&find), commands::Table::load(&find));
            let names = [c"vkGetPhysicalDeviceProperties2", c"vkGetPhysicalDeviceProperties2KHR"];
            let get_properties = first_of(&of_instance, &names);
            let uuid = typed::<vk::PFN_vkGetPhysicalDeviceProperties2>(get_properties).map(|get| {
                let mut ids = vk::PhysicalDeviceIDProperties::default();
                get(physical, &mut vk::PhysicalDeviceProperties2::default().push_next(&mut ids));
                ids.device_uuid
            });
            // A device of Vulkan 1.0 leaves the structure as it was.
            let uuid = uuid.filter(|uuid| *uuid != [0; 16]);
            DEVICES.add(key(handle), Device { functions, commands, get_proc_addr, handle, uuid });
        }
        Some(result)
    };
    create().unwrap_or(vk::Result::ERROR_INITIALIZATION_FAILED)
}

unsafe extern "system" fn destroy_device(device: vk::Device, allocator: *const vk::AllocationCallbacks<'_>) {
    // SAFETY: as for an instance.
    unsafe {
        let Some(next) = DEVICES.remove(key(device)) else { return };
        if check().is_some() {
            Visit::default().state().vulkan.end_device(device.as_raw());
        }
        let destroy = (next.get_proc_addr)(device, c"vkDestroyDevice".as_ptr());
        if let Some(destroy) = typed::<vk::PFN_vkDestroyDevice>(destroy) {
            destroy(device, allocator);
        }
    }
}
