//! A Vulkan layer over Mesa's lavapipe: `VK_KHR_external_semaphore_fd` with opaque descriptors, which lavapipe lacks, and
//! the driver's devices under their names and UUIDs.
//!
//! Other Vulkan devices are passed through. No lock of this layer is held during a call to the next layer that may
//! block. A file uses only the files above it:
//!
//! ```text
//! payload                     a lavapipe timeline and the page that every process maps
//! semaphores                  a device's semaphores
//! state                       the instances and the devices that live
//! physical                    what physical devices are said to be
//! memory, semaphore, submit   the functions of devices
//! loader                      what Vulkan's loader asks for
//! ```

mod loader;
mod memory;
mod payload;
mod physical;
mod semaphore;
mod semaphores;
mod state;
mod submit;

use std::ffi::CStr;

use ash::vk;

/// A function that the loader or the application calls here.
type Function = unsafe extern "system" fn();
type Allocator<'a> = *const vk::AllocationCallbacks<'a>;

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
        pub const $list: &[(&str, $crate::vulkan::Function)] = &[$((stringify!($name), {
            let function: vk::$pfn = $name;
            // SAFETY: any function's address may have this type until it is called by its own.
            unsafe { std::mem::transmute::<vk::$pfn, $crate::vulkan::Function>(function) }
        })),*];
    };
}
use functions;

/// Returns the function with this name, or with the name that it had as an extension's.
fn find(lists: &[&[(&str, Function)]], name: &CStr) -> Option<Function> {
    let name = name.to_str().ok()?;
    let is_it = |known: &str| known == name || Some(known) == name.strip_suffix("KHR");
    lists.iter().copied().flatten().find(|(known, _)| is_it(known)).map(|(_, function)| *function)
}

/// Returns a C function's result.
fn code(result: Result<(), vk::Result>) -> vk::Result {
    result.err().unwrap_or(vk::Result::SUCCESS)
}
