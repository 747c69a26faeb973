//! A Vulkan layer for Mesa's lavapipe: semaphore file descriptors, imports of CUDA memory, and the CUDA devices' UUIDs.
//!
//! Calls for other Vulkan devices go to the next layer unchanged. This layer holds no lock while a call may block.

mod device_identity;
mod layer_state;
mod loader_interface;
mod memory_import;
mod queue_submit;
mod semaphore_calls;
mod semaphore_payload;

use std::ffi::CStr;

use ash::vk;

type VkFunction = unsafe extern "system" fn();
type AllocCallbacks<'a> = *const vk::AllocationCallbacks<'a>;

const SEMAPHORE_FD: vk::ExternalSemaphoreHandleTypeFlags = vk::ExternalSemaphoreHandleTypeFlags::OPAQUE_FD;

macro_rules! functions {
    ($list:ident: $(fn $name:ident: $pfn:ident, $record:ident = $find:ident($first:ident: $first_type:ty
        $(, $argument:ident: $type:ty)*) $(-> $result:ty)? $body:block)*) => {
        $(
            #[allow(non_snake_case)]
            pub unsafe extern "system" fn $name($first: $first_type $(, $argument: $type)*) $(-> $result)? {
                // SAFETY: the arguments are as Vulkan requires: handles are alive, and pointers valid.
                unsafe {
                    let $record = $crate::vulkan::layer_state::$find($first);
                    $body
                }
            }
        )*
        pub const $list: &[(&str, $crate::vulkan::VkFunction)] = &[$((stringify!($name), {
            let function: vk::$pfn = $name;
            // SAFETY: all function pointers have one size, and nothing calls this one by the type `VkFunction`.
            unsafe { std::mem::transmute::<vk::$pfn, $crate::vulkan::VkFunction>(function) }
        })),*];
    };
}
use functions;

/// Returns the function with this name, or with this name without `KHR`.
fn find_layer_function(lists: &[&[(&str, VkFunction)]], name: &CStr) -> Option<VkFunction> {
    let name = name.to_str().ok()?;
    let is_named = |known: &str| known == name || Some(known) == name.strip_suffix("KHR");
    lists.iter().copied().flatten().find(|(known, _)| is_named(known)).map(|(_, function)| *function)
}

fn vk_result(result: Result<(), vk::Result>) -> vk::Result {
    result.err().unwrap_or(vk::Result::SUCCESS)
}
