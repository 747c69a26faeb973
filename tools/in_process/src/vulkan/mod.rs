//! What every Vulkan layer needs. A layer implements [`VulkanLayer`], and exports [`negotiate_interface`] as
//! vkNegotiateLoaderLayerInterfaceVersion.

mod dispatch_map;
mod function_pointers;
mod layer_interface;
mod structure_chains;

pub use dispatch_map::DispatchMap;
pub use function_pointers::{VoidFunction, cast_function, erase_function, first_known_function};
pub use layer_interface::{
    DeviceRecord, DeviceRequest, InstanceRecord, LayerRecord, NegotiateInterface, NextDevice, NextInstance,
    NextObject, VulkanLayer, negotiate_interface,
};
pub use structure_chains::{array_slice, find_in_chain, find_in_out_chain};
