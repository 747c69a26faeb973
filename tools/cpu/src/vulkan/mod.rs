//! A Vulkan layer over Mesa's lavapipe: `VK_KHR_external_semaphore_fd` with opaque descriptors, which lavapipe lacks, and
//! the driver's devices under their names and UUIDs.
//!
//! Other Vulkan devices are passed through. No lock of this layer is held during a call to the next layer that may
//! block.

mod layer_state;
mod loader_interface;
mod memory_import;
mod physical_devices;
mod queue_submit;
mod semaphore_calls;
mod semaphore_payload;
mod vulkan_semaphores;

use std::ffi::CStr;

use ash::vk;

/// A function that the loader or the application calls here.
type VkFunction = unsafe extern "system" fn();
type AllocCallbacks<'a> = *const vk::AllocationCallbacks<'a>;

/// Declares functions of the layer, and a list of them by their C names. Each body is in an unsafe block, since the
/// caller passes arguments that are valid for Vulkan.
macro_rules! functions {
    ($list:ident: $(fn $name:ident: $pfn:ident, ($($argument:ident: $type:ty),*) $(-> $result:ty)? $body:block)*) => {
        $(
            #[allow(non_snake_case)]
            pub unsafe extern "system" fn $name($($argument: $type),*) $(-> $result)? {
                // SAFETY: the arguments are as Vulkan requires.
                unsafe { $body }
            }
        )*
        pub const $list: &[(&str, $crate::vulkan::VkFunction)] = &[$((stringify!($name), {
            let function: vk::$pfn = $name;
            // SAFETY: any function's address may have this type until it is called by its own.
            unsafe { std::mem::transmute::<vk::$pfn, $crate::vulkan::VkFunction>(function) }
        })),*];
    };
}
use functions;

/// Returns the function with this name, or with the name that it had as an extension's.
fn find_function(lists: &[&[(&str, VkFunction)]], name: &CStr) -> Option<VkFunction> {
    let name = name.to_str().ok()?;
    let is_it = |known: &str| known == name || Some(known) == name.strip_suffix("KHR");
    lists.iter().copied().flatten().find(|(known, _)| is_it(known)).map(|(_, function)| *function)
}

fn vk_result(result: Result<(), vk::Result>) -> vk::Result {
    result.err().unwrap_or(vk::Result::SUCCESS)
}
