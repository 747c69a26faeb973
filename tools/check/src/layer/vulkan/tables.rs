//! The devices that are alive, and how the layer's functions stand before those of the next layer.

use std::ffi::CStr;

use ash::vk;
use cuda_external_in_process::vulkan::{self, Function, Registry};

/// The check as a Vulkan layer.
pub struct Check;

/// The layer's record of a device.
pub struct Device {
    /// The next layer's functions: a list for each table, in the table's order.
    pub functions: Vec<Vec<Function>>,
    pub handle: vk::Device,
    /// The UUID of the physical device, where Vulkan reports it.
    pub uuid: Option<[u8; 16]>,
}

/// Functions that stand before the next layer's, each by the names of the core and of extensions.
pub struct Table {
    pub names: &'static [&'static [&'static CStr]],
    /// The function of a name.
    pub function: fn(&CStr) -> Function,
    /// Whether only the rules about accesses need this function.
    pub is_of_frames: bool,
}

pub type OfDevice = vulkan::OfDevice<Check>;

pub static DEVICES: Registry<OfDevice> = Registry::new();

/// The result of a function whose device, or whose next function, does not exist.
pub trait Gone {
    const GONE: Self;
}

impl Gone for () {
    const GONE: Self = ();
}

impl Gone for vk::Result {
    const GONE: Self = Self::ERROR_DEVICE_LOST;
}

/// Exports functions of a device. Each runs the code that follows its arguments, and passes the device's record and
/// the next layer's function (a closure) to it. Code that does not take that function runs before it. A row has the
/// name in the core and the name in the extension; `CALL` is the first of the two. `$table` is the position of this
/// table in the loader's list. The condition says whether there is anything to look at.
macro_rules! intercept {
    (@run $visit:ident, $call:ident, [] $body:expr) => {{
        super::tables::intercept! { @run $visit, $call, [_unused] $body };
        $call($visit)
    }};
    (@run $visit:ident, $call:ident, [$next:ident] $body:expr) => {{
        let $next = &$call;
        // SAFETY: the program's handles and structures are as Vulkan needs them.
        unsafe { $body }
    }};
    ($table:literal, $is_of_frames:literal, if $condition:expr; $($function:ident = $($name:literal)|+: $pfn:ident(
        $first:ident: $first_ty:ty $(, $arg:ident: $ty:ty)* $(,)?
    ) $(-> $result:ty)? |$of:ident, $visit:ident $(, $next:ident)?| $body:expr;)*) => {
        #[allow(non_camel_case_types)] // the functions' names
        enum At {
            $($function),*
        }

        pub const TABLE: super::tables::Table = super::tables::Table {
            names: &[$(&[$($name),+]),*],
            function,
            is_of_frames: $is_of_frames,
        };

        /// The layer's function of this name.
        fn function(name: &std::ffi::CStr) -> ash::vk::PFN_vkVoidFunction {
            $(if [$($name),+].contains(&name) {
                // SAFETY: the type of a function, which rustc compares.
                return unsafe { cuda_external_in_process::vulkan::erased::<ash::vk::$pfn>($function) };
            })*
            None
        }

        $(
            #[allow(clippy::too_many_arguments)] // Vulkan's
            unsafe extern "system" fn $function($first: $first_ty $(, $arg: $ty)*) $(-> $result)? {
                use super::tables::{DEVICES, Gone};
                use cuda_external_in_process::vulkan::typed;
                #[allow(dead_code)] // not every function says its name
                const CALL: &str = super::tables::text([$($name),+][0]);
                // SAFETY: the program's handle is alive.
                let device = unsafe { DEVICES.get($first) };
                let Some($of) = device.as_deref().map(|of| &**of) else { return Gone::GONE };
                // SAFETY: the next layer's function of this name has this type.
                let next = unsafe { typed::<ash::vk::$pfn>($of.functions[$table][At::$function as usize]) };
                let Some(next) = next else { return Gone::GONE };
                if !$condition {
                    // SAFETY: the program makes this call with these arguments.
                    return unsafe { next($first $(, $arg)*) };
                }
                let mut visit = crate::layer::chassis::layer_call::Visit::default();
                // SAFETY: the program makes this call with these arguments.
                let next = |visit: &mut crate::layer::chassis::layer_call::Visit| visit.outside(|| unsafe { next($first $(, $arg)*) });
                let $visit = &mut visit;
                #[allow(unused_unsafe)] // not every function looks at what its pointers point to
                let result = super::tables::intercept! { @run $visit, next, [$($next)?] $body };
                visit.send();
                result
            }
        )*
    };
}
pub(super) use intercept;

pub const fn text(name: &'static CStr) -> &'static str {
    match name.to_str() {
        Ok(name) => name,
        Err(_) => "",
    }
}
