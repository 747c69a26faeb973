//! Chains of structs by `pNext`, and what the loader adds to two of them.

use std::ffi::c_void;

use ash::vk::{self, BaseOutStructure};

/// Returns the structs of a chain, which is one of Vulkan's and outlives the result.
unsafe fn structs<'a>(first: *const c_void) -> impl Iterator<Item = *mut BaseOutStructure<'a>> {
    let present = |at: *mut BaseOutStructure<'a>| (!at.is_null()).then_some(at);
    // SAFETY: by this function's own condition.
    std::iter::successors(present(first.cast_mut().cast()), move |at| present(unsafe { (**at).p_next }))
}

/// Returns the struct of this type in a chain that Vulkan reads.
pub unsafe fn find<'a, T: vk::TaggedStructure>(first: *const c_void) -> Option<&'a T> {
    // SAFETY: by this function's own condition; `sType` says which type it is, here and below.
    unsafe {
        structs(first).find(|base| (**base).s_type == T::STRUCTURE_TYPE).map(|found| &*found.cast::<T>())
    }
}

/// Returns the struct of this type in a chain that Vulkan fills in.
pub unsafe fn find_mut<'a, T: vk::TaggedStructure>(first: *mut c_void) -> Option<&'a mut T> {
    // SAFETY: by this function's own condition; the caller owns the chain.
    unsafe {
        structs(first).find(|base| (**base).s_type == T::STRUCTURE_TYPE).map(|found| &mut *found.cast::<T>())
    }
}

/// `VkLayerInstanceCreateInfo` or `VkLayerDeviceCreateInfo`, as far as it holds the next layer.
#[repr(C)]
struct LoaderInfo<'a> {
    base: BaseOutStructure<'a>,
    /// `VkLayerFunction`: 0 where `link` is what follows.
    function: u32,
    link: *mut Link,
}

/// `VkLayerDeviceLink`, or `VkLayerInstanceLink`, whose third field is another one.
#[repr(C)]
pub struct Link {
    next: *mut Link,
    pub get_instance_proc_addr: vk::PFN_vkGetInstanceProcAddr,
    pub get_device_proc_addr: vk::PFN_vkVoidFunction,
}

/// Returns the next layer's functions, and steps on, as each layer does for the one below it. The chain is the loader's.
pub unsafe fn next_layer<'a>(first: *const c_void, s_type: vk::StructureType) -> Option<&'a Link> {
    // SAFETY: the loader's structs.
    unsafe {
        let mut infos = structs(first).filter(|base| (**base).s_type == s_type);
        let info = infos.find(|base| (*base.cast::<LoaderInfo>()).function == 0)?.cast::<LoaderInfo>();
        let link = (*info).link;
        (*info).link = (*link).next;
        Some(&*link)
    }
}
