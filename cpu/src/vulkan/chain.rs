//! Chains of structs by `pNext`, and what the loader adds to two of them.

use std::ffi::c_void;

use ash::vk;

/// A struct of a chain as every one begins.
#[repr(C)]
pub struct Base {
    pub s_type: vk::StructureType,
    pub next: *mut Base,
}

/// Returns the first struct of a chain that fits. Here and below, a chain is one of Vulkan's structs, and outlives the result.
unsafe fn search(first: *const c_void, fits: impl Fn(*mut Base) -> bool) -> Option<*mut Base> {
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
pub unsafe fn find<'a, T: vk::TaggedStructure>(first: *const c_void) -> Option<&'a T> {
    // SAFETY: by this function's own condition.
    unsafe { find_mut(first).map(|found| &*found) }
}

/// As [`find`], in a chain that Vulkan fills in.
pub unsafe fn find_mut<'a, T: vk::TaggedStructure>(first: *const c_void) -> Option<&'a mut T> {
    // SAFETY: by this function's own condition; `sType` says which type it is.
    unsafe {
        let found = search(first, |base| (*base).s_type == T::STRUCTURE_TYPE)?;
        Some(&mut *found.cast::<T>())
    }
}

/// `VkLayerInstanceCreateInfo` or `VkLayerDeviceCreateInfo`, as far as it holds the next layer.
#[repr(C)]
struct LoaderInfo<F> {
    base: Base,
    /// `VkLayerFunction`: 0 where `link` is what follows.
    function: u32,
    link: *mut Link<F>,
}

/// `VkLayerInstanceLink`, or `VkLayerDeviceLink` with a second function.
#[repr(C)]
pub struct Link<F> {
    next: *mut Link<F>,
    pub get_instance_proc_addr: vk::PFN_vkGetInstanceProcAddr,
    pub get_device_proc_addr: F,
}

/// Returns the next layer's functions, and steps on, as each layer does for the one below it. The chain is the loader's, and `F`
/// belongs to the type.
pub unsafe fn next_layer<'a, F>(first: *const c_void, s_type: vk::StructureType) -> Option<&'a Link<F>> {
    // SAFETY: the loader's structs.
    unsafe {
        let fits =
            |base: *mut Base| (*base).s_type == s_type && (*base.cast::<LoaderInfo<F>>()).function == 0;
        let info = search(first, fits)?.cast::<LoaderInfo<F>>();
        let link = (*info).link;
        (*info).link = (*link).next;
        Some(&*link)
    }
}
