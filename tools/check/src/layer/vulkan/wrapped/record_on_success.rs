//! Calls the next layer's functions, and records the effect of a call that succeeds.

use ash::vk;

use crate::layer::chassis::wrapped_call::LayerCall;
use crate::layer::vulkan::state_tracker::vulkan_state::{PassObject, object_key};

pub fn note_on_success(
    layer_call: &mut LayerCall,
    next: impl FnOnce(&mut LayerCall) -> vk::Result,
    note: impl FnOnce(&mut LayerCall),
) -> vk::Result {
    let result = next(layer_call);
    if result == vk::Result::SUCCESS {
        note(layer_call);
    }
    result
}

pub fn note_created<T: vk::Handle + Copy>(
    layer_call: &mut LayerCall,
    device: vk::Device,
    out: *const T,
    next: impl FnOnce(&mut LayerCall) -> vk::Result,
    describe: impl FnOnce(&mut LayerCall) -> Option<PassObject>,
) -> vk::Result {
    note_on_success(layer_call, next, |layer_call| {
        let new = describe(layer_call);
        // SAFETY: the successful call wrote to `out`.
        layer_call.lock_state().vulkan.replace_pass_object(object_key(device, unsafe { *out }), new);
    })
}
