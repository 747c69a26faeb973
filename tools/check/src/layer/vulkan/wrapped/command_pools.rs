//! Pools of command buffers: what was recorded ends with a buffer, its pool or their device.

use ash::vk::{self, Handle as _};
use cuda_external_in_process::vulkan::array_slice;

use crate::layer::vulkan::chassis::intercept_macro::intercept;
use crate::layer::vulkan::state_tracker::vulkan_state::object_key;

intercept! {
    6, true, if true;
    allocate_command_buffers = c"vkAllocateCommandBuffers": PFN_vkAllocateCommandBuffers(
        device: vk::Device, info: *const vk::CommandBufferAllocateInfo<'_>, out: *mut vk::CommandBuffer,
    ) -> vk::Result |of, visit, next| {
        let result = next(visit);
        if result == vk::Result::SUCCESS {
            let new = array_slice(out.cast_const(), (*info).command_buffer_count).iter().map(|one| one.as_raw());
            visit.state().vulkan.add_cmd_buffers(object_key(device, (*info).command_pool), new);
        }
        result
    };
    free_command_buffers = c"vkFreeCommandBuffers": PFN_vkFreeCommandBuffers(
        device: vk::Device, pool: vk::CommandPool, count: u32, commands: *const vk::CommandBuffer,
    ) |of, visit| {
        for commands in array_slice(commands, count) {
            visit.state().vulkan.free_cmd_buffer(object_key(device, pool), commands.as_raw());
        }
    };
    reset_command_pool = c"vkResetCommandPool": PFN_vkResetCommandPool(
        device: vk::Device, pool: vk::CommandPool, flags: vk::CommandPoolResetFlags,
    ) -> vk::Result |of, visit| visit.state().vulkan.reset_command_pool(object_key(device, pool));
    destroy_command_pool = c"vkDestroyCommandPool": PFN_vkDestroyCommandPool(
        device: vk::Device, pool: vk::CommandPool, allocator: *const vk::AllocationCallbacks<'_>,
    ) |of, visit| visit.state().vulkan.end_command_pool(object_key(device, pool));
}
