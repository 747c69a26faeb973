//! Chains of structs by `pNext`, and what the loader adds to two of them.

use std::ffi::c_void;

use ash::vk;

/// A struct of a chain as every one begins.
#[repr(C)]
pub struct Base {
    pub s_type: vk::StructureType,
    pub next: *mut Base,
}

/// Returns the first struct of a chain that fits.
///
/// # Safety
///
/// It is a chain of Vulkan's structs.
pub unsafe fn search(first: *const c_void, fits: impl Fn(*mut Base) -> bool) -> Option<*mut Base> {
    let mut at = first as *mut Base;
    while !at.is_null() {
        if fits(at) {
            return Some(at);
        }
        // SAFETY: by this function's own condition.
        at = unsafe { (*at).next };
    }
    None
}

/// Returns the struct of this type in a chain.
///
/// # Safety
///
/// It is a chain of Vulkan's structs that lives as long as the result.
pub unsafe fn find<'a, T: vk::TaggedStructure>(first: *const c_void) -> Option<&'a T> {
    // SAFETY: by this function's own condition.
    unsafe { find_mut(first).map(|found| &*found) }
}

/// As [`find`], of a chain that Vulkan fills in.
///
/// # Safety
///
/// As for [`find`], and nothing else has a reference to the struct.
pub unsafe fn find_mut<'a, T: vk::TaggedStructure>(first: *const c_void) -> Option<&'a mut T> {
    // SAFETY: by this function's own condition; `sType` says which type it is.
    unsafe {
        let found = search(first, |base| (*base).s_type == T::STRUCTURE_TYPE)?;
        Some(&mut *found.cast::<T>())
    }
}

/// `VkLayerInstanceCreateInfo` and `VkLayerDeviceCreateInfo`, as far as they hold the next layer.
#[repr(C)]
struct LoaderInfo<L> {
    base: Base,
    /// `VkLayerFunction`: 0 where `link` is what follows.
    function: u32,
    link: *mut L,
}

/// `VkLayerInstanceLink`.
#[repr(C)]
pub struct InstanceLink {
    next: *mut InstanceLink,
    pub get_instance_proc_addr: vk::PFN_vkGetInstanceProcAddr,
}

/// `VkLayerDeviceLink`.
#[repr(C)]
pub struct DeviceLink {
    next: *mut DeviceLink,
    _get_instance_proc_addr: vk::PFN_vkGetInstanceProcAddr,
    pub get_device_proc_addr: vk::PFN_vkGetDeviceProcAddr,
}

/// Returns the next layer's functions, and steps on, as each layer does for the one below it.
///
/// # Safety
///
/// It is the chain of `vkCreateInstance` as the loader calls it.
pub unsafe fn instance_link<'a>(first: *const c_void) -> Option<&'a InstanceLink> {
    // SAFETY: by this function's own condition.
    unsafe {
        let info = link_info::<InstanceLink>(first, vk::StructureType::LOADER_INSTANCE_CREATE_INFO)?;
        let link = &*info.link;
        info.link = link.next;
        Some(link)
    }
}

/// As [`instance_link`], for a device.
///
/// # Safety
///
/// It is the chain of `vkCreateDevice` as the loader calls it.
pub unsafe fn device_link<'a>(first: *const c_void) -> Option<&'a DeviceLink> {
    // SAFETY: by this function's own condition.
    unsafe {
        let info = link_info::<DeviceLink>(first, vk::StructureType::LOADER_DEVICE_CREATE_INFO)?;
        let link = &*info.link;
        info.link = link.next;
        Some(link)
    }
}

/// # Safety
///
/// It is a chain of Vulkan's structs, and `L` belongs to the type.
unsafe fn link_info<'a, L>(first: *const c_void, s_type: vk::StructureType) -> Option<&'a mut LoaderInfo<L>> {
    // SAFETY: by this function's own condition.
    unsafe {
        let fits =
            |base: *mut Base| (*base).s_type == s_type && (*base.cast::<LoaderInfo<L>>()).function == 0;
        Some(&mut *search(first, fits)?.cast::<LoaderInfo<L>>())
    }
}
