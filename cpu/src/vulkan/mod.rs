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

/// Returns the function with this name, or with the name that it had as an extension's.
fn find(list: &[(&CStr, Function)], name: &CStr) -> Option<Function> {
    let core = name.to_bytes().strip_suffix(b"KHR");
    let is_it = |known: &CStr| known == name || Some(known.to_bytes()) == core;
    list.iter().find(|(known, _)| is_it(known)).map(|(_, function)| *function)
}

unsafe fn name<'a>(name: *const c_char) -> &'a CStr {
    // SAFETY: by this function's own condition.
    unsafe { CStr::from_ptr(name) }
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
        // SAFETY: by this function's own condition, here and below.
        let key = unsafe { Self::key(handle) };
        lock(&self.0).get(&key).expect("the handle is not of this layer").clone()
    }

    unsafe fn insert(&self, handle: impl Handle, value: T) {
        let key = unsafe { Self::key(handle) };
        lock(&self.0).insert(key, Arc::new(value));
    }

    unsafe fn remove(&self, handle: impl Handle) -> Option<Arc<T>> {
        let key = unsafe { Self::key(handle) };
        lock(&self.0).remove(&key)
    }
}
