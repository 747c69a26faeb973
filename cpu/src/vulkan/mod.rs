//! A Vulkan layer over Mesa's lavapipe: `VK_KHR_external_semaphore_fd` with opaque descriptors, which lavapipe lacks, and
//! the driver's devices under their names and UUIDs.
//!
//! Other Vulkan devices are passed through. No lock of this layer is held during a call to the next layer that may block.

mod chain;
mod device;
mod instance;
mod memory;
mod payload;
mod semaphore;
mod submit;

use std::collections::BTreeMap;
use std::ffi::{CStr, CString, c_char, c_void};
use std::sync::{Arc, Mutex};

use ash::vk::{self, Handle};

use crate::lock;

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
    interface.get_instance_proc_addr = instance::vkGetInstanceProcAddr;
    interface.get_device_proc_addr = device::vkGetDeviceProcAddr;
    interface.get_physical_device_proc_addr = None;
    vk::Result::SUCCESS
}

/// A function that the loader or the application calls here.
type Function = unsafe extern "system" fn();
type Allocator<'a> = *const vk::AllocationCallbacks<'a>;

/// Declares functions of the layer and a list of them by their names in C. Bodies run in an unsafe block: arguments are as Vulkan
/// requires.
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

/// Looks a function of the next layer up, under its older name where it has no other.
unsafe fn load(get: impl Fn(*const c_char) -> vk::PFN_vkVoidFunction, name: &CStr) -> *const c_void {
    let older = CString::new([name.to_bytes(), b"KHR"].concat()).unwrap_or_default();
    let found = get(name.as_ptr()).or_else(|| get(older.as_ptr()));
    found.map_or(std::ptr::null(), |function| function as *const c_void)
}

/// Returns a C function's result.
fn code(result: Result<(), vk::Result>) -> vk::Result {
    result.err().unwrap_or(vk::Result::SUCCESS)
}

/// Returns a list of the application's.
unsafe fn list<'a, T>(first: *const T, count: u32) -> &'a [T] {
    // SAFETY: by this function's own condition.
    unsafe { crate::list(first, count as usize) }.unwrap_or_default()
}

/// The instances, or the devices, that live, by what the loader stores in their handles and in those of their children.
struct Registry<T>(Mutex<BTreeMap<usize, Arc<T>>>);

impl<T> Registry<T> {
    const fn new() -> Self {
        Self(Mutex::new(BTreeMap::new()))
    }

    unsafe fn key(handle: impl Handle) -> usize {
        // SAFETY: the loader's pointer is the first field of what the handle points to.
        unsafe { *(handle.as_raw() as *const usize) }
    }

    unsafe fn get(&self, handle: impl Handle) -> Arc<T> {
        // SAFETY: by this function's own condition.
        unsafe { self.find(handle) }.expect("the handle is of this layer")
    }

    /// Returns `None` while the handle is being created: the loader asks for functions with it then.
    unsafe fn find(&self, handle: impl Handle) -> Option<Arc<T>> {
        // SAFETY: by this function's own condition, here and below.
        let key = unsafe { Self::key(handle) };
        lock(&self.0).get(&key).cloned()
    }

    unsafe fn insert(&self, handle: impl Handle, value: T) {
        let key = unsafe { Self::key(handle) };
        lock(&self.0).insert(key, Arc::new(value));
    }

    /// Returns `None` for the null handle.
    unsafe fn remove(&self, handle: impl Handle + Copy) -> Option<Arc<T>> {
        if handle.as_raw() == 0 {
            return None;
        }
        let key = unsafe { Self::key(handle) };
        lock(&self.0).remove(&key)
    }
}
