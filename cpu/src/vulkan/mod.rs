//! A Vulkan layer over Mesa's lavapipe: `VK_KHR_external_semaphore_fd` with opaque descriptors, which lavapipe lacks, and
//! the driver's devices under their names and UUIDs.
//!
//! Other Vulkan devices are passed through. No lock of this layer is held during a call to the next layer, except a
//! semaphore's own lock while it is signaled.

mod chain;
mod device;
mod instance;
mod memory;
mod payload;
mod semaphore;
mod submit;

use std::collections::BTreeMap;
use std::ffi::{CStr, c_char, c_void};
use std::sync::{Arc, PoisonError, RwLock};

use ash::vk::{self, Handle};

/// `VkNegotiateLayerInterface`.
#[repr(C)]
pub struct Interface {
    s_type: u32,
    next: *mut c_void,
    version: u32,
    get_instance_proc_addr: vk::PFN_vkGetInstanceProcAddr,
    get_device_proc_addr: vk::PFN_vkGetDeviceProcAddr,
    get_physical_device_proc_addr: vk::PFN_vkVoidFunction,
}

/// What Vulkan's loader calls first.
#[unsafe(no_mangle)]
#[allow(non_snake_case)] // C's name
pub unsafe extern "system" fn vkNegotiateLoaderLayerInterfaceVersion(
    interface: *mut Interface,
) -> vk::Result {
    // SAFETY: the loader passes a valid struct.
    let interface = unsafe { &mut *interface };
    if interface.version < 2 {
        return vk::Result::ERROR_INITIALIZATION_FAILED;
    }
    interface.version = 2;
    interface.get_instance_proc_addr = instance::get_instance_proc_addr;
    interface.get_device_proc_addr = device::get_device_proc_addr;
    interface.get_physical_device_proc_addr = None;
    vk::Result::SUCCESS
}

/// A function that the loader or the application calls here.
type Function = unsafe extern "system" fn();

/// A list of functions by their names in C.
macro_rules! functions {
    ($($name:literal: $type:ident = $function:path,)*) => {
        &[$(($name, {
            let function: ash::vk::$type = $function;
            // SAFETY: any function's address may have this type until it is called by its own.
            unsafe { std::mem::transmute::<ash::vk::$type, crate::vulkan::Function>(function) }
        })),*]
    };
}
use functions;

/// Declares a table of the next layer's functions. Names after the first are older ones of the same function.
macro_rules! table {
    ($(#[$attribute:meta])* $table:ident { $($field:ident: $type:ident = $($name:literal)|+,)* }) => {
        $(#[$attribute])*
        #[derive(Clone, Copy)]
        pub struct $table {
            $(pub $field: Option<ash::vk::$type>,)*
        }

        impl $table {
            /// Looks all of them up.
            pub fn load(find: impl Fn(&std::ffi::CStr) -> ash::vk::PFN_vkVoidFunction) -> Self {
                Self {
                    $($field: None$(.or_else(|| find($name)))+.map(|function| {
                        // SAFETY: the function with this name has this type.
                        unsafe {
                            std::mem::transmute::<unsafe extern "system" fn(), ash::vk::$type>(function)
                        }
                    }),)*
                }
            }
        }
    };
}
use table;

/// Returns the function with this name.
fn find(list: &[(&CStr, Function)], name: &CStr) -> Option<Function> {
    list.iter().find(|(known, _)| *known == name).map(|(_, function)| *function)
}

unsafe fn name<'a>(name: *const c_char) -> &'a CStr {
    // SAFETY: by this function's own condition.
    unsafe { CStr::from_ptr(name) }
}

/// The instances, or the devices, that live, by what the loader stores in their handles and in those of their children.
struct Registry<T>(RwLock<BTreeMap<usize, Arc<T>>>);

impl<T> Registry<T> {
    const fn new() -> Self {
        Self(RwLock::new(BTreeMap::new()))
    }

    unsafe fn key(handle: impl Handle) -> usize {
        // SAFETY: the loader's pointer is the first field of what the handle points to.
        unsafe { *(handle.as_raw() as *const usize) }
    }

    unsafe fn get(&self, handle: impl Handle) -> Arc<T> {
        // SAFETY: by this function's own condition.
        let key = unsafe { Self::key(handle) };
        let map = self.0.read().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(map.get(&key).expect("the handle is not of this layer"))
    }

    unsafe fn insert(&self, handle: impl Handle, value: Arc<T>) {
        // SAFETY: by this function's own condition.
        let key = unsafe { Self::key(handle) };
        self.0.write().unwrap_or_else(PoisonError::into_inner).insert(key, value);
    }

    unsafe fn remove(&self, handle: impl Handle) -> Option<Arc<T>> {
        // SAFETY: by this function's own condition.
        let key = unsafe { Self::key(handle) };
        self.0.write().unwrap_or_else(PoisonError::into_inner).remove(&key)
    }
}
