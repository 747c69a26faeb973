use std::ffi::c_void;
use std::mem::transmute_copy;

use ash::vk;

/// The result of Vulkan's look-ups by name: a function of any type, or `None`.
pub type VoidFunction = vk::PFN_vkVoidFunction;

/// Returns a function with its type, or `None` for `None`.
///
/// # Safety
///
/// `F` is the type of the function.
pub unsafe fn cast_function<F: Copy>(function: VoidFunction) -> Option<F> {
    const { assert!(size_of::<F>() == size_of::<*const c_void>()) };
    // SAFETY: `F` is the function's type, and both types are addresses of functions.
    function.map(|function| unsafe { transmute_copy(&function) })
}

/// Returns a function without its type, as the result of a look-up by name.
///
/// # Safety
///
/// `F` is a type of function pointers.
pub unsafe fn erase_function_type<F: Copy>(function: F) -> VoidFunction {
    const { assert!(size_of::<F>() == size_of::<VoidFunction>()) };
    // SAFETY: both types are addresses of functions.
    unsafe { transmute_copy(&function) }
}
