//! How the layer's functions run before those of the next layer: the live Vulkan devices, with the next layer's
//! functions, and the macro that defines the layer's functions.

use std::collections::HashMap;
use std::ffi::CStr;

use ash::vk;
use cuda_external_in_process::vulkan::{self, DispatchMap, VoidFunction};

pub struct CheckLayer;

pub struct DeviceRecord {
    /// The next layer's functions, by the first of the names in `wrapped::TABLES`.
    pub functions: HashMap<&'static CStr, VoidFunction>,
    pub handle: vk::Device,
    pub uuid: Option<[u8; 16]>,
}

/// The layer's functions in one file of `vulkan/wrapped`, each with its names in Vulkan's core and in extensions.
pub struct InterceptTable {
    pub names: &'static [&'static [&'static CStr]],
    pub find_layer_function: fn(&CStr) -> VoidFunction,
}

pub type CheckLayerDevice = vulkan::DeviceRecord<CheckLayer>;

pub static DEVICES: DispatchMap<CheckLayerDevice> = DispatchMap::new();

/// The result of a call if the layer does not know the device, or if the next layer does not have the function.
pub trait NoDeviceResult {
    const NO_DEVICE: Self;
}

impl NoDeviceResult for () {
    const NO_DEVICE: Self = ();
}

impl NoDeviceResult for vk::Result {
    const NO_DEVICE: Self = Self::ERROR_DEVICE_LOST;
}

pub type AllocCallbacks<'a> = *const vk::AllocationCallbacks<'a>;

/// Defines the layer's versions of Vulkan's device functions.
///
/// A `$body` with `$next` calls the next layer's function itself. Without `$next`, that function runs after `$body`.
macro_rules! intercept {
    (@run $layer_call:ident, $call:ident, [] $body:expr) => {{
        crate::layer::vulkan::chassis::intercept! { @run $layer_call, $call, [_unused] $body };
        $call($layer_call)
    }};
    (@run $layer_call:ident, $call:ident, [$next:ident] $body:expr) => {{
        let $next = &$call;
        // SAFETY: the program passes handles and pointers that are valid as Vulkan's rules demand.
        unsafe { $body }
    }};
    ($($function:ident = $($name:literal)|+: $pfn:ident(
        $first:ident: $first_ty:ty $(, $arg:ident: $ty:ty)* $(,)?
    ) $(-> $result:ty)? |$of:ident, $layer_call:ident $(, $next:ident)?| $body:expr;)*) => {
        type Table = crate::layer::vulkan::chassis::InterceptTable;

        pub const TABLE: Table = Table {
            names: &[$(&[$($name),+]),*],
            find_layer_function,
        };

        fn find_layer_function(name: &std::ffi::CStr) -> ash::vk::PFN_vkVoidFunction {
            $(if [$($name),+].contains(&name) {
                // SAFETY: rustc checks that the function is a `$pfn`, and the caller casts it back to `$pfn`.
                return unsafe { cuda_external_in_process::vulkan::erase_function_type::<ash::vk::$pfn>($function) };
            })*
            None
        }

        $(
            #[allow(clippy::too_many_arguments)] // Vulkan's parameters
            unsafe extern "system" fn $function($first: $first_ty $(, $arg: $ty)*) $(-> $result)? {
                use crate::layer::chassis::wrapped_call::LayerCall;
                use crate::layer::vulkan::chassis::{DEVICES, NoDeviceResult, intercept, name_text};
                use cuda_external_in_process::vulkan::cast_function;
                const NAMES: &[&std::ffi::CStr] = &[$($name),+];
                // SAFETY: the program passes a valid Vulkan handle.
                let device = unsafe { DEVICES.find_dispatchable($first) };
                let Some($of) = device.as_deref().map(|of| &**of) else { return NoDeviceResult::NO_DEVICE };
                // SAFETY: this entry is `None`, or the next layer's function of this name, which is a `$pfn`.
                let next = unsafe {
                    cast_function::<ash::vk::$pfn>($of.functions.get(NAMES[0]).copied().flatten())
                };
                let Some(next) = next else { return NoDeviceResult::NO_DEVICE };
                let mut layer_call = LayerCall::new(name_text(NAMES[0]));
                let next = |layer_call: &mut LayerCall| {
                    // SAFETY: the program makes this call with these arguments.
                    layer_call.run_unlocked(|| unsafe { next($first $(, $arg)*) })
                };
                let $layer_call = &mut layer_call;
                #[allow(unused_unsafe)] // not every function looks at what its pointers point to
                let result = intercept! { @run $layer_call, next, [$($next)?] $body };
                layer_call.send_findings();
                result
            }
        )*
    };
}
pub(in crate::layer::vulkan) use intercept;

pub const fn name_text(name: &'static CStr) -> &'static str {
    match name.to_str() {
        Ok(name) => name,
        Err(_) => "",
    }
}
