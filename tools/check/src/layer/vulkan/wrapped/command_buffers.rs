//! Functions that allocate, begin, execute and free command buffers, and that reset and destroy their pools.

use ash::vk::{self, Handle as _};
use cuda_external_in_process::vulkan::array_slice;

use crate::layer::vulkan::chassis::intercept;
use crate::layer::vulkan::state_tracker::vulkan_state::object_key;

intercept! {
    allocate_command_buffers = c"vkAllocateCommandBuffers": PFN_vkAllocateCommandBuffers(
        device: vk::Device, info: *const vk::CommandBufferAllocateInfo<'_>, out: *mut vk::CommandBuffer,
    ) -> vk::Result |of, layer_call, next| {
        let result = next(layer_call);
        if result == vk::Result::SUCCESS {
            let new = array_slice(out.cast_const(), (*info).command_buffer_count).iter().map(|one| one.as_raw());
            layer_call.lock_state().vulkan.cmd_buffers.add_allocated(object_key(device, (*info).command_pool), new);
        }
        result
    };
    free_command_buffers = c"vkFreeCommandBuffers": PFN_vkFreeCommandBuffers(
        device: vk::Device, pool: vk::CommandPool, count: u32, commands: *const vk::CommandBuffer,
    ) |of, layer_call| {
        let mut state = layer_call.lock_state();
        for commands in array_slice(commands, count) {
            state.vulkan.cmd_buffers.forget_cmd_buffer(commands.as_raw());
        }
    };
    reset_command_pool = c"vkResetCommandPool": PFN_vkResetCommandPool(
        device: vk::Device, pool: vk::CommandPool, flags: vk::CommandPoolResetFlags,
    ) -> vk::Result |of, layer_call|
        layer_call.lock_state().vulkan.cmd_buffers.forget_pool_recordings(object_key(device, pool));
    destroy_command_pool = c"vkDestroyCommandPool": PFN_vkDestroyCommandPool(
        device: vk::Device, pool: vk::CommandPool, allocator: *const vk::AllocationCallbacks<'_>,
    ) |of, layer_call| layer_call.lock_state().vulkan.cmd_buffers.forget_pool(object_key(device, pool));
    begin_command_buffer = c"vkBeginCommandBuffer": PFN_vkBeginCommandBuffer(
        commands: vk::CommandBuffer, info: *const vk::CommandBufferBeginInfo<'_>,
    ) -> vk::Result |of, layer_call| layer_call.lock_state().vulkan.cmd_buffers.begin_recording(commands.as_raw());
    execute_commands = c"vkCmdExecuteCommands": PFN_vkCmdExecuteCommands(
        commands: vk::CommandBuffer, count: u32, others: *const vk::CommandBuffer,
    ) |of, layer_call| {
        let mut state = layer_call.lock_state();
        for other in array_slice(others, count) {
            for command in state.vulkan.cmd_buffers.recorded_commands(other.as_raw()).to_vec() {
                state.vulkan.record_command(commands.as_raw(), command);
            }
        }
    };
}
