//! The functions that Vulkan's loader asks a layer for: the layer interface, version 2.

use std::ffi::{CStr, c_char, c_void};
use std::ops::Deref;

use ash::vk;

use super::dispatch_map::DispatchMap;
use super::function_pointer_casts::{VoidFunction, cast_function, erase_function_type};
use super::structure_chains::find_structure;

type AllocCallbacks<'a> = *const vk::AllocationCallbacks<'a>;

/// A layer: its records of instances and devices, and the functions that the program gets in place of the next layer's.
pub trait VulkanLayer: Sized + 'static {
    type InstanceData: Send + Sync;
    type DeviceData: Send + Sync;

    fn instances() -> &'static DispatchMap<InstanceRecord<Self>>;
    fn devices() -> &'static DispatchMap<DeviceRecord<Self>>;

    /// Returns the layer's function of this name for an instance or a physical device, if the layer has one.
    fn intercepted_instance_function(_name: &CStr) -> VoidFunction {
        None
    }

    /// Returns the function that the program gets for `name`. `next` is the next layer's function of this name. If the
    /// program calls vkGetInstanceProcAddr, `device` is `None`.
    fn find_device_function(
        device: Option<&Self::DeviceData>,
        name: &CStr,
        next: VoidFunction,
    ) -> VoidFunction;

    /// Makes the layer's data of a new instance.
    ///
    /// # Safety
    ///
    /// The next layer made the instance, which lives as long as the result.
    unsafe fn make_instance_data(next: &NextLayerInstance) -> Self::InstanceData;

    /// Creates a device by [`CreateDeviceCall::create_device_in_next_layer`], and makes the layer's data of the device.
    ///
    /// # Safety
    ///
    /// The request has the program's arguments, which are valid as Vulkan requires.
    unsafe fn create_device_and_data(
        request: &CreateDeviceCall<'_, Self>,
    ) -> Result<(NextLayerDevice, Self::DeviceData), vk::Result>;

    fn before_device_destroyed(_device: &Self::DeviceData, _handle: vk::Device) {}
}

/// An instance with the next layer's vkGetInstanceProcAddr, or a device with its vkGetDeviceProcAddr.
pub struct NextLayerObject<H> {
    pub handle: H,
    get: unsafe extern "system" fn(H, *const c_char) -> VoidFunction,
}

pub type NextLayerInstance = NextLayerObject<vk::Instance>;
pub type NextLayerDevice = NextLayerObject<vk::Device>;

impl<H: Copy> NextLayerObject<H> {
    pub fn next_layer_function(&self, name: &CStr) -> VoidFunction {
        // SAFETY: the object lives, and the name is a C string.
        unsafe { (self.get)(self.handle, name.as_ptr()) }
    }
}

pub struct LayerObjectRecord<H, T> {
    pub next: NextLayerObject<H>,
    /// The next layer's vkDestroyInstance or vkDestroyDevice, which `new` looks up when the object is created. During
    /// vkDestroyInstance, a look-up would be too late: the loader would return the first layer's function, which calls
    /// this layer.
    destroy: Option<unsafe extern "system" fn(H, AllocCallbacks<'_>)>,
    own: T,
}

pub type InstanceRecord<L> = LayerObjectRecord<vk::Instance, <L as VulkanLayer>::InstanceData>;
pub type DeviceRecord<L> = LayerObjectRecord<vk::Device, <L as VulkanLayer>::DeviceData>;

impl<H: Copy, T> LayerObjectRecord<H, T> {
    /// # Safety
    ///
    /// `destroy` is the name of the function that destroys objects with handles of the type `H`.
    unsafe fn new(next: NextLayerObject<H>, destroy: &CStr, own: T) -> Self {
        // SAFETY: vkDestroyInstance and vkDestroyDevice have this type.
        Self { destroy: unsafe { cast_function(next.next_layer_function(destroy)) }, next, own }
    }
}

impl<H, T> Deref for LayerObjectRecord<H, T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.own
    }
}

pub struct CreateDeviceCall<'a, L: VulkanLayer> {
    pub instance: &'a InstanceRecord<L>,
    pub physical: vk::PhysicalDevice,
    pub info: &'a vk::DeviceCreateInfo<'a>,
    allocator: AllocCallbacks<'a>,
    out: *mut vk::Device,
    create: vk::PFN_vkCreateDevice,
    get: vk::PFN_vkGetDeviceProcAddr,
}

impl<L: VulkanLayer> CreateDeviceCall<'_, L> {
    /// Creates the device in the next layer.
    ///
    /// # Safety
    ///
    /// `info` is valid as Vulkan requires, and has the program's chain of structures.
    pub unsafe fn create_device_in_next_layer(
        &self,
        info: &vk::DeviceCreateInfo<'_>,
    ) -> Result<NextLayerDevice, vk::Result> {
        // SAFETY: `info` is valid. After a success, `out` points to the handle that the next layer has written.
        unsafe {
            (self.create)(self.physical, info, self.allocator, self.out).result()?;
            Ok(NextLayerDevice { handle: *self.out, get: self.get })
        }
    }
}

/// VkNegotiateLayerInterface of vk_layer.h, which ash lacks.
#[repr(C)]
pub struct NegotiateInterface {
    s_type: i32,
    next: *mut c_void,
    version: u32,
    get_instance_proc_addr: Option<vk::PFN_vkGetInstanceProcAddr>,
    get_device_proc_addr: Option<vk::PFN_vkGetDeviceProcAddr>,
    get_physical_device_proc_addr: VoidFunction,
}

/// Implements vkNegotiateLoaderLayerInterfaceVersion, which a layer exports: gives the loader the look-up functions.
///
/// # Safety
///
/// `interface` is the loader's structure, or null.
pub unsafe fn negotiate_interface<L: VulkanLayer>(interface: *mut NegotiateInterface) -> vk::Result {
    // SAFETY: `interface` is the loader's structure, or null.
    let Some(interface) = (unsafe { interface.as_mut() }).filter(|interface| interface.version >= 2) else {
        return vk::Result::ERROR_INITIALIZATION_FAILED;
    };
    interface.version = 2;
    interface.get_instance_proc_addr = Some(get_instance_proc_addr::<L>);
    interface.get_device_proc_addr = Some(get_device_proc_addr::<L>);
    interface.get_physical_device_proc_addr = None;
    vk::Result::SUCCESS
}

/// Returns this module's function of this name, if it is one of those that every layer must have.
fn common_layer_function<L: VulkanLayer>(name: &CStr) -> VoidFunction {
    macro_rules! by_name {
        ($($name:literal $pfn:ident $function:ident)*) => {
            match name.to_bytes() {
                // SAFETY: rustc compares the function with the type.
                $($name => unsafe { erase_function_type::<vk::$pfn>($function::<L>) },)*
                _ => None,
            }
        };
    }
    by_name! {
        b"vkGetInstanceProcAddr" PFN_vkGetInstanceProcAddr get_instance_proc_addr
        b"vkCreateInstance" PFN_vkCreateInstance create_instance
        b"vkDestroyInstance" PFN_vkDestroyInstance destroy_instance
        b"vkCreateDevice" PFN_vkCreateDevice create_device
        b"vkGetDeviceProcAddr" PFN_vkGetDeviceProcAddr get_device_proc_addr
        b"vkDestroyDevice" PFN_vkDestroyDevice destroy_device
    }
}

unsafe extern "system" fn get_instance_proc_addr<L: VulkanLayer>(
    instance: vk::Instance,
    name: *const c_char,
) -> VoidFunction {
    // SAFETY: the program's name is a C string, and its instance is alive or null.
    let (name, of) = unsafe { (CStr::from_ptr(name), L::instances().find_dispatchable(instance)) };
    let own = common_layer_function::<L>(name).or_else(|| L::intercepted_instance_function(name));
    let Some(of) = of else { return own };
    let next = of.next.next_layer_function(name);
    // The layer does not offer an instance function that the next layer lacks.
    next.and(own).or_else(|| L::find_device_function(None, name, next))
}

unsafe extern "system" fn get_device_proc_addr<L: VulkanLayer>(
    device: vk::Device,
    name: *const c_char,
) -> VoidFunction {
    // SAFETY: the program's name is a C string, and its device is alive or null.
    let (name, of) = unsafe { (CStr::from_ptr(name), L::devices().find_dispatchable(device)?) };
    let next = of.next.next_layer_function(name);
    next.and(common_layer_function::<L>(name)).or_else(|| L::find_device_function(Some(&of), name, next))
}

/// A link of the chain of layers: VkLayerInstanceLink or VkLayerDeviceLink, whose last functions differ.
#[repr(C)]
struct LayerChainLink {
    next: *mut LayerChainLink,
    get_instance_proc_addr: vk::PFN_vkGetInstanceProcAddr,
    /// VkLayerInstanceLink has another function here.
    get_device_proc_addr: VoidFunction,
}

/// VkLayerInstanceCreateInfo or VkLayerDeviceCreateInfo. If `function` is VK_LAYER_LINK_INFO, their union is a link.
#[repr(C)]
struct LayerCreateInfo {
    s_type: vk::StructureType,
    next: *const c_void,
    function: i32,
    link: *mut LayerChainLink,
}

/// Takes this layer's link from the chain, which then begins with the next layer's link.
///
/// # Safety
///
/// The loader made the chain of structures.
unsafe fn take_layer_chain_link<'a>(
    mut chain: *const c_void,
    kind: vk::StructureType,
) -> Option<&'a LayerChainLink> {
    const LINK_INFO: i32 = 0;
    // SAFETY: the loader made the chain, and lets each layer move `link` to the next layer's link.
    unsafe {
        loop {
            let info = find_structure(chain, kind)?.cast::<LayerCreateInfo>();
            if (*info).function == LINK_INFO {
                let link = (*info).link.as_ref()?;
                (*info).link = link.next;
                return Some(link);
            }
            chain = (*info).next;
        }
    }
}

unsafe extern "system" fn create_instance<L: VulkanLayer>(
    info: *const vk::InstanceCreateInfo<'_>,
    allocator: AllocCallbacks<'_>,
    out: *mut vk::Instance,
) -> vk::Result {
    // SAFETY: the structures of the program and the loader are valid, and vkCreateInstance has this type.
    let create = || unsafe {
        let link = take_layer_chain_link((*info).p_next, vk::StructureType::LOADER_INSTANCE_CREATE_INFO)?;
        let get = link.get_instance_proc_addr;
        let create = get(vk::Instance::null(), c"vkCreateInstance".as_ptr());
        let result = cast_function::<vk::PFN_vkCreateInstance>(create)?(info, allocator, out);
        if result == vk::Result::SUCCESS {
            let next = NextLayerInstance { handle: *out, get };
            let own = L::make_instance_data(&next);
            L::instances().insert_dispatchable(*out, LayerObjectRecord::new(next, c"vkDestroyInstance", own));
        }
        Some(result)
    };
    create().unwrap_or(vk::Result::ERROR_INITIALIZATION_FAILED)
}

unsafe extern "system" fn destroy_instance<L: VulkanLayer>(
    instance: vk::Instance,
    allocator: AllocCallbacks<'_>,
) {
    // SAFETY: the program's instance is alive or null.
    unsafe {
        let of = L::instances().remove_dispatchable(instance);
        if let Some(destroy) = of.and_then(|of| of.destroy) {
            destroy(instance, allocator);
        }
    }
}

unsafe extern "system" fn create_device<L: VulkanLayer>(
    physical: vk::PhysicalDevice,
    info: *const vk::DeviceCreateInfo<'_>,
    allocator: AllocCallbacks<'_>,
    out: *mut vk::Device,
) -> vk::Result {
    // SAFETY: the program's handle and structures are valid. vkCreateDevice and vkGetDeviceProcAddr have these types.
    let create = || unsafe {
        let link = take_layer_chain_link((*info).p_next, vk::StructureType::LOADER_DEVICE_CREATE_INFO)?;
        let instance = &*L::instances().find_dispatchable(physical)?;
        let create = (link.get_instance_proc_addr)(instance.next.handle, c"vkCreateDevice".as_ptr());
        let create = cast_function::<vk::PFN_vkCreateDevice>(create)?;
        let get = cast_function::<vk::PFN_vkGetDeviceProcAddr>(link.get_device_proc_addr)?;
        let request = CreateDeviceCall { instance, physical, info: &*info, allocator, out, create, get };
        let made = L::create_device_and_data(&request).map(|(next, own)| {
            L::devices()
                .insert_dispatchable(next.handle, LayerObjectRecord::new(next, c"vkDestroyDevice", own));
        });
        Some(made.err().unwrap_or(vk::Result::SUCCESS))
    };
    create().unwrap_or(vk::Result::ERROR_INITIALIZATION_FAILED)
}

unsafe extern "system" fn destroy_device<L: VulkanLayer>(device: vk::Device, allocator: AllocCallbacks<'_>) {
    // SAFETY: the program's device is alive or null.
    unsafe {
        let Some(of) = L::devices().remove_dispatchable(device) else { return };
        L::before_device_destroyed(&of, device);
        if let Some(destroy) = of.destroy {
            destroy(device, allocator);
        }
    }
}
