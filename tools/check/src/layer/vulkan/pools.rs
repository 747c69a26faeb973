//! Pools of command buffers: what was recorded ends with a buffer, its pool or their device.

use ash::vk::{self, Handle as _};
use cuda_external_in_process::vulkan::entries;

use super::records::handle;
use super::tables::intercept;

intercept! {
    6, true, if true;
    allocate = c"vkAllocateCommandBuffers": PFN_vkAllocateCommandBuffers(
        device: vk::Device, info: *const vk::CommandBufferAllocateInfo<'_>, out: *mut vk::CommandBuffer,
    ) -> vk::Result |of, visit, next| {
        let result = next(visit);
        if result == vk::Result::SUCCESS {
            let new = entries(out.cast_const(), (*info).command_buffer_count).iter().map(|one| one.as_raw());
            visit.state().vulkan.add_commands(handle(device, (*info).command_pool), new);
        }
        result
    };
    free = c"vkFreeCommandBuffers": PFN_vkFreeCommandBuffers(
        device: vk::Device, pool: vk::CommandPool, count: u32, commands: *const vk::CommandBuffer,
    ) |of, visit| {
        for commands in entries(commands, count) {
            visit.state().vulkan.free_commands(handle(device, pool), commands.as_raw());
        }
    };
    reset = c"vkResetCommandPool": PFN_vkResetCommandPool(
        device: vk::Device, pool: vk::CommandPool, flags: vk::CommandPoolResetFlags,
    ) -> vk::Result |of, visit| visit.state().vulkan.reset_pool(handle(device, pool));
    destroy = c"vkDestroyCommandPool": PFN_vkDestroyCommandPool(
        device: vk::Device, pool: vk::CommandPool, allocator: *const vk::AllocationCallbacks<'_>,
    ) |of, visit| visit.state().vulkan.end_pool(handle(device, pool));
}
