//! The functions that Vulkan's loader asks a layer for: the layer interface, version 2.
//!
//! Instances and devices are created with the next layer's functions. These are looked up at that time: later, the
//! loader's own function would return this layer's function again. The loader also asks before it has an instance, and
//! while an instance is being created. It then gets the functions that need no instance.

use std::ffi::{CStr, c_char, c_void};
use std::ops::Deref;

use ash::vk;

use super::dispatch_map::DispatchMap;
use super::function_pointers::{VoidFunction, cast_function, erase_function};
use super::structure_chains::find_structure;

type AllocCallbacks<'a> = *const vk::AllocationCallbacks<'a>;

/// A layer: its records of instances and devices, and the functions that it exports in front of the next layer's.
pub trait VulkanLayer: Sized + 'static {
    type InstanceData: Send + Sync;
    type DeviceData: Send + Sync;

    fn instances() -> &'static DispatchMap<InstanceRecord<Self>>;
    fn devices() -> &'static DispatchMap<DeviceRecord<Self>>;

    /// Its function of an instance or a physical device, where it has one of this name.
    fn intercepted_instance_function(_name: &CStr) -> VoidFunction {
        None
    }

    /// Returns the layer's function of this name, if it has one. `next` is the next layer's function. The device is
    /// `None` if the loader asks an instance.
    fn find_device_function(
        device: Option<&Self::DeviceData>,
        name: &CStr,
        next: VoidFunction,
    ) -> VoidFunction;

    /// Takes in a new instance.
    ///
    /// # Safety
    ///
    /// The instance was made by the next layer, and lives as long as the result.
    unsafe fn new_instance(next: &NextInstance) -> Self::InstanceData;

    /// Has the next layer make a device, by [`DeviceRequest::create_in_next_layer`], and takes it in.
    ///
    /// # Safety
    ///
    /// The request is the program's, as Vulkan requires it.
    unsafe fn new_device(
        request: &DeviceRequest<'_, Self>,
    ) -> Result<(NextDevice, Self::DeviceData), vk::Result>;

    /// Before the next layer destroys a device.
    fn before_device_destroyed(_device: &Self::DeviceData, _handle: vk::Device) {}
}

/// An instance, with the next layer's function for look-ups.
pub struct NextInstance {
    pub handle: vk::Instance,
    get: vk::PFN_vkGetInstanceProcAddr,
}

impl NextInstance {
    /// The next layer's function.
    pub fn next_function(&self, name: &CStr) -> VoidFunction {
        // SAFETY: the instance lives, and the name ends in zero.
        unsafe { (self.get)(self.handle, name.as_ptr()) }
    }
}

/// The same of a device.
pub struct NextDevice {
    pub handle: vk::Device,
    get: vk::PFN_vkGetDeviceProcAddr,
}

impl NextDevice {
    /// The next layer's function.
    pub fn next_function(&self, name: &CStr) -> VoidFunction {
        // SAFETY: the device lives, and the name ends in zero.
        unsafe { (self.get)(self.handle, name.as_ptr()) }
    }
}

/// An instance that is alive.
pub struct InstanceRecord<L: VulkanLayer> {
    pub next: NextInstance,
    /// Looked up when the instance was created. Later, the loader's look-up returns the first layer's function, whose
    /// call leads here again.
    destroy: Option<vk::PFN_vkDestroyInstance>,
    own: L::InstanceData,
}

/// A device that is alive.
pub struct DeviceRecord<L: VulkanLayer> {
    pub next: NextDevice,
    own: L::DeviceData,
}

impl<L: VulkanLayer> Deref for InstanceRecord<L> {
    type Target = L::InstanceData;
    fn deref(&self) -> &L::InstanceData {
        &self.own
    }
}

impl<L: VulkanLayer> Deref for DeviceRecord<L> {
    type Target = L::DeviceData;
    fn deref(&self) -> &L::DeviceData {
        &self.own
    }
}

/// A device that the program wants to have.
pub struct DeviceRequest<'a, L: VulkanLayer> {
    pub instance: &'a InstanceRecord<L>,
    pub physical: vk::PhysicalDevice,
    pub info: &'a vk::DeviceCreateInfo<'a>,
    allocator: AllocCallbacks<'a>,
    out: *mut vk::Device,
    create: vk::PFN_vkCreateDevice,
    get: vk::PFN_vkGetDeviceProcAddr,
}

impl<L: VulkanLayer> DeviceRequest<'_, L> {
    /// Calls the next layer.
    ///
    /// # Safety
    ///
    /// The structure is as Vulkan requires it, with the program's chain.
    pub unsafe fn create_in_next_layer(
        &self,
        info: &vk::DeviceCreateInfo<'_>,
    ) -> Result<NextDevice, vk::Result> {
        // SAFETY: `info` is as Vulkan requires it. The loader has a value in what is written to.
        unsafe {
            (self.create)(self.physical, info, self.allocator, self.out).result()?;
            Ok(NextDevice { handle: *self.out, get: self.get })
        }
    }
}

/// vk_layer.h's, which ash does not have.
#[repr(C)]
pub struct NegotiateInterface {
    s_type: i32,
    next: *mut c_void,
    version: u32,
    get_instance_proc_addr: Option<vk::PFN_vkGetInstanceProcAddr>,
    get_device_proc_addr: Option<vk::PFN_vkGetDeviceProcAddr>,
    get_physical_device_proc_addr: VoidFunction,
}

/// A layer's vkNegotiateLoaderLayerInterfaceVersion, the one function that its library exports.
///
/// # Safety
///
/// The loader's structure, or null.
pub unsafe fn negotiate_interface<L: VulkanLayer>(interface: *mut NegotiateInterface) -> vk::Result {
    // SAFETY: `interface` is the loader's structure, or null.
    let Some(interface) = (unsafe { interface.as_mut() }) else {
        return vk::Result::ERROR_INITIALIZATION_FAILED;
    };
    if interface.version < 2 {
        return vk::Result::ERROR_INITIALIZATION_FAILED;
    }
    interface.version = 2;
    interface.get_instance_proc_addr = Some(get_instance_proc_addr::<L>);
    interface.get_device_proc_addr = Some(get_device_proc_addr::<L>);
    interface.get_physical_device_proc_addr = None;
    vk::Result::SUCCESS
}

/// The functions that each layer precedes.
fn own_function<L: VulkanLayer>(name: &CStr) -> VoidFunction {
    // SAFETY: each type is that of a function.
    unsafe {
        match name.to_bytes() {
            b"vkGetInstanceProcAddr" => {
                erase_function::<vk::PFN_vkGetInstanceProcAddr>(get_instance_proc_addr::<L>)
            }
            b"vkCreateInstance" => erase_function::<vk::PFN_vkCreateInstance>(create_instance::<L>),
            b"vkDestroyInstance" => erase_function::<vk::PFN_vkDestroyInstance>(destroy_instance::<L>),
            b"vkCreateDevice" => erase_function::<vk::PFN_vkCreateDevice>(create_device::<L>),
            b"vkGetDeviceProcAddr" => {
                erase_function::<vk::PFN_vkGetDeviceProcAddr>(get_device_proc_addr::<L>)
            }
            b"vkDestroyDevice" => erase_function::<vk::PFN_vkDestroyDevice>(destroy_device::<L>),
            _ => None,
        }
    }
}

unsafe extern "system" fn get_instance_proc_addr<L: VulkanLayer>(
    instance: vk::Instance,
    name: *const c_char,
) -> VoidFunction {
    // SAFETY: the program's name ends in zero, and its instance is alive or null.
    let (name, of) = unsafe { (CStr::from_ptr(name), L::instances().find_dispatchable(instance)) };
    let own = own_function::<L>(name).or_else(|| L::intercepted_instance_function(name));
    let Some(of) = of else { return own };
    let next = of.next.next_function(name);
    // Functions that the next layer lacks are not offered.
    next.and(own).or_else(|| L::find_device_function(None, name, next))
}

unsafe extern "system" fn get_device_proc_addr<L: VulkanLayer>(
    device: vk::Device,
    name: *const c_char,
) -> VoidFunction {
    // SAFETY: the program's name ends in zero, and its device is alive or null.
    let (name, of) = unsafe { (CStr::from_ptr(name), L::devices().find_dispatchable(device)?) };
    let next = of.next.next_function(name);
    next.and(own_function::<L>(name)).or_else(|| L::find_device_function(Some(&of), name, next))
}

/// A link of the chain of layers: VkLayerInstanceLink, and VkLayerDeviceLink with one function more.
#[repr(C)]
struct ChainLink {
    next: *mut ChainLink,
    get_instance_proc_addr: vk::PFN_vkGetInstanceProcAddr,
    /// The device's, in a device's link.
    get_device_proc_addr: VoidFunction,
}

/// VkLayerInstanceCreateInfo and VkLayerDeviceCreateInfo.
#[repr(C)]
struct LayerCreateInfo {
    s_type: vk::StructureType,
    next: *const c_void,
    function: i32,
    link: *mut ChainLink,
}

/// Takes this layer's link from the chain, which then begins with the next layer's.
///
/// # Safety
///
/// A chain of structures that the loader made.
unsafe fn take_chain_link<'a>(mut chain: *const c_void, kind: vk::StructureType) -> Option<&'a ChainLink> {
    const LINK_INFO: i32 = 0;
    // SAFETY: the loader made the chain, and lets layers change its structure.
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
    // SAFETY: the program's structures are valid, and a function of this name has this type.
    let create = || unsafe {
        let link = take_chain_link((*info).p_next, vk::StructureType::LOADER_INSTANCE_CREATE_INFO)?;
        let get = link.get_instance_proc_addr;
        let create = get(vk::Instance::null(), c"vkCreateInstance".as_ptr());
        let result = cast_function::<vk::PFN_vkCreateInstance>(create)?(info, allocator, out);
        if result == vk::Result::SUCCESS {
            let next = NextInstance { handle: *out, get };
            let destroy = cast_function(next.next_function(c"vkDestroyInstance"));
            let own = L::new_instance(&next);
            L::instances().insert_dispatchable(*out, InstanceRecord { next, destroy, own });
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
        let Some(of) = L::instances().remove_dispatchable(instance) else { return };
        if let Some(destroy) = of.destroy {
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
    // SAFETY: the program's handle and structures are valid, and functions of these names have these types.
    let create = || unsafe {
        let link = take_chain_link((*info).p_next, vk::StructureType::LOADER_DEVICE_CREATE_INFO)?;
        let instance = &*L::instances().find_dispatchable(physical)?;
        let create = (link.get_instance_proc_addr)(instance.next.handle, c"vkCreateDevice".as_ptr());
        let create = cast_function::<vk::PFN_vkCreateDevice>(create)?;
        let get = cast_function::<vk::PFN_vkGetDeviceProcAddr>(link.get_device_proc_addr)?;
        let request = DeviceRequest { instance, physical, info: &*info, allocator, out, create, get };
        let made = L::new_device(&request).map(|(next, own)| {
            L::devices().insert_dispatchable(next.handle, DeviceRecord { next, own });
        });
        Some(made.err().unwrap_or(vk::Result::SUCCESS))
    };
    create().unwrap_or(vk::Result::ERROR_INITIALIZATION_FAILED)
}

unsafe extern "system" fn destroy_device<L: VulkanLayer>(device: vk::Device, allocator: AllocCallbacks<'_>) {
    // SAFETY: the program's device is alive or null, and a function of this name has this type.
    unsafe {
        let Some(of) = L::devices().remove_dispatchable(device) else { return };
        L::before_device_destroyed(&of, device);
        if let Some(destroy) =
            cast_function::<vk::PFN_vkDestroyDevice>(of.next.next_function(c"vkDestroyDevice"))
        {
            destroy(device, allocator);
        }
    }
}
