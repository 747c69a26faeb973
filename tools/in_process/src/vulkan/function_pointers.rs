//! Functions of Vulkan as it hands them out.

use std::ffi::{CStr, c_void};
use std::mem::transmute_copy;

use ash::vk;

/// A function that Vulkan's users know by its name.
pub type VoidFunction = vk::PFN_vkVoidFunction;

/// A function of Vulkan by its type.
///
/// # Safety
///
/// `F` is the type of the function.
pub unsafe fn cast_function<F: Copy>(function: VoidFunction) -> Option<F> {
    const { assert!(size_of::<F>() == size_of::<*const c_void>()) };
    // SAFETY: `F` is the function's type; both are addresses of functions.
    function.map(|function| unsafe { transmute_copy(&function) })
}

/// A function of the layer, whose type Vulkan's users know by its name.
///
/// # Safety
///
/// `F` is the type of a function.
pub unsafe fn erase_function<F: Copy>(function: F) -> VoidFunction {
    const { assert!(size_of::<F>() == size_of::<VoidFunction>()) };
    // SAFETY: `F` is the function's type; both are addresses of functions.
    unsafe { transmute_copy(&function) }
}

/// The first of these names that the next layer has.
pub fn first_known_function(find: &dyn Fn(&CStr) -> VoidFunction, names: &[&'static CStr]) -> VoidFunction {
    names.iter().find_map(|name| find(name))
}
