//! The instances and devices that are alive, and the functions that stand before those of the next layer.

use std::collections::BTreeMap;
use std::ffi::{CStr, c_void};
use std::mem::transmute_copy;
use std::sync::{Arc, PoisonError, RwLock};

use ash::vk;

use super::{commands, device};

pub struct Instance {
    pub get_proc_addr: vk::PFN_vkGetInstanceProcAddr,
    pub handle: vk::Instance,
}

pub struct Device {
    pub functions: device::Table,
    pub commands: commands::Table,
    pub get_proc_addr: vk::PFN_vkGetDeviceProcAddr,
    pub handle: vk::Device,
    /// The physical device's, where Vulkan tells it.
    pub uuid: Option<[u8; 16]>,
}

/// By the keys of their handles.
pub struct Tables<T>(RwLock<BTreeMap<usize, Arc<T>>>);

pub static INSTANCES: Tables<Instance> = Tables(RwLock::new(BTreeMap::new()));
pub static DEVICES: Tables<Device> = Tables(RwLock::new(BTreeMap::new()));

/// What a handle points to first, which the loader gives to a device's queues and command buffers too. 0 for a null handle.
///
/// # Safety
///
/// The handle is null or of an instance, a physical device, a device, a queue or a command buffer.
pub unsafe fn key(handle: impl vk::Handle) -> usize {
    // SAFETY: such a handle points to the loader's table.
    unsafe { (handle.as_raw() as *const usize).as_ref() }.map_or(0, |key| *key)
}

impl<T> Tables<T> {
    pub fn add(&self, key: usize, new: T) {
        self.0.write().unwrap_or_else(PoisonError::into_inner).insert(key, Arc::new(new));
    }

    pub fn get(&self, key: usize) -> Option<Arc<T>> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).get(&key).cloned()
    }

    pub fn remove(&self, key: usize) -> Option<Arc<T>> {
        self.0.write().unwrap_or_else(PoisonError::into_inner).remove(&key)
    }
}

/// A function of Vulkan by its type.
///
/// # Safety
///
/// `F` is the type of the function.
pub unsafe fn typed<F: Copy>(function: vk::PFN_vkVoidFunction) -> Option<F> {
    const { assert!(size_of::<F>() == size_of::<*const c_void>()) };
    // SAFETY: the caller's promise; both are addresses of functions.
    function.map(|function| unsafe { transmute_copy(&function) })
}

/// The first of these names that the next layer has.
pub fn first_of(
    find: &dyn Fn(&CStr) -> vk::PFN_vkVoidFunction,
    names: &[&'static CStr],
) -> vk::PFN_vkVoidFunction {
    names.iter().find_map(|name| find(name))
}

/// What a function returns where the device, or its function, is not there.
pub trait Gone {
    const GONE: Self;
}

impl Gone for () {
    const GONE: Self = ();
}

impl Gone for vk::Result {
    const GONE: Self = Self::ERROR_DEVICE_LOST;
}

/// Functions of a device that stand before the next layer's: each runs what stands behind its arguments, and gets the
/// record of the device and the next function as a closure. The names are that of the core and that of the extension.
macro_rules! intercept {
    ($table:ident; $($function:ident = $($name:literal)|+: $pfn:ident(
        $first:ident: $first_ty:ty $(, $arg:ident: $ty:ty)* $(,)?
    ) $(-> $result:ty)? |$of:ident, $visit:ident, $next:ident| $body:expr;)*) => {
        /// The next layer's functions.
        pub struct Table {
            $($function: Option<ash::vk::$pfn>,)*
        }

        impl Table {
            /// # Safety
            ///
            /// `find` returns the functions of these names, or null.
            pub unsafe fn load(find: &dyn Fn(&std::ffi::CStr) -> ash::vk::PFN_vkVoidFunction) -> Self {
                use super::tables::{first_of, typed};
                // SAFETY: a function of this name has this type.
                unsafe { Self { $($function: typed(first_of(find, &[$($name),+])),)* } }
            }
        }

        pub const NAMES: &[&std::ffi::CStr] = &[$($($name),+),*];

        /// The layer's function of this name.
        fn function(name: &std::ffi::CStr) -> ash::vk::PFN_vkVoidFunction {
            $(if [$($name),+].contains(&name) {
                return super::loader::erased($function as *const ());
            })*
            None
        }

        $(
            #[allow(clippy::too_many_arguments)] // Vulkan's
            unsafe extern "system" fn $function($first: $first_ty $(, $arg: $ty)*) $(-> $result)? {
                use super::tables::{DEVICES, Gone, key};
                // SAFETY: the program's handle is alive.
                let device = DEVICES.get(unsafe { key($first) });
                let Some($of) = device.as_deref() else { return Gone::GONE };
                let Some(next) = $of.$table.$function else { return Gone::GONE };
                let mut visit = crate::layer::visit::Visit::default();
                // SAFETY: the program's own call.
                let $next = |visit: &mut crate::layer::visit::Visit| visit.outside(|| unsafe { next($first $(, $arg)*) });
                let $visit = &mut visit;
                // SAFETY: the program's handles and structures are as Vulkan needs them.
                #[allow(unused_unsafe)] // not every function looks at what its pointers point to
                let result = unsafe { $body };
                visit.send();
                result
            }
            const _: ash::vk::$pfn = $function;
        )*
    };
}
pub(super) use intercept;
