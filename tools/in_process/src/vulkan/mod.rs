//! The code that every Vulkan layer needs: see [`VulkanLayer`] and [`negotiate_interface`].

mod dispatch_map;
mod function_pointer_casts;
mod layer_interface;
mod structure_chains;

pub use dispatch_map::DispatchMap;
pub use function_pointer_casts::{VoidFunction, cast_function, erase_function_type};
pub use layer_interface::{
    CreateDeviceCall, DeviceRecord, InstanceRecord, LayerObjectRecord, NegotiateInterface, NextLayerDevice,
    NextLayerInstance, NextLayerObject, VulkanLayer, negotiate_interface,
};
pub use structure_chains::{array_slice, find_in_chain, find_in_output_chain};
