//! Functions by which the host learns that work of Vulkan is done.

use std::ffi::c_void;

use ash::vk::{self, Handle as _};
use cuda_external_in_process::vulkan::array_slice;

use crate::layer::chassis::wrapped_call::LayerCall;
use crate::layer::vulkan::chassis::{AllocCallbacks, intercept};
use crate::layer::vulkan::core_checks::semaphore_order::{check_host_wait, note_value_reached};
use crate::layer::vulkan::state_tracker::vulkan_state::{QueueOrStream, WaitTarget, object_key};
use crate::layer::vulkan::wrapped::record_on_success::note_on_success;

fn note_wait_on_success(
    layer_call: &mut LayerCall,
    work: WaitTarget,
    next: impl FnOnce(&mut LayerCall) -> vk::Result,
) -> vk::Result {
    note_on_success(layer_call, next, |layer_call| layer_call.lock_state().note_host_wait(work))
}

fn note_host_fence_wait(layer_call: &LayerCall, device: vk::Device, fence: vk::Fence) {
    let mut state = layer_call.lock_state();
    let record = state.vulkan.fence_records.get(&object_key(device, fence)).cloned();
    state.note_host_wait_for_record(record);
}

intercept! {
    queue_wait_idle = c"vkQueueWaitIdle": PFN_vkQueueWaitIdle(queue: vk::Queue) -> vk::Result |of, layer_call, next|
        note_wait_on_success(layer_call, WaitTarget::Of(QueueOrStream::Queue(queue.as_raw())), next);
    device_wait_idle = c"vkDeviceWaitIdle":
    PFN_vkDeviceWaitIdle(device: vk::Device) -> vk::Result |of, layer_call, next|
        note_wait_on_success(layer_call, WaitTarget::AllQueues, next);
    wait_for_fences = c"vkWaitForFences": PFN_vkWaitForFences(
        device: vk::Device, count: u32, fences: *const vk::Fence, all: vk::Bool32, timeout: u64,
    ) -> vk::Result |of, layer_call, next| note_on_success(layer_call, next, |layer_call| {
        if all == vk::FALSE && count > 1 {
            // Vulkan does not report which fence is signaled.
            return layer_call.lock_state().note_unknown_host_wait();
        }
        for fence in array_slice(fences, count) {
            note_host_fence_wait(layer_call, device, *fence);
        }
    });
    get_fence_status = c"vkGetFenceStatus": PFN_vkGetFenceStatus(device: vk::Device, fence: vk::Fence) -> vk::Result
        |of, layer_call, next| note_on_success(layer_call, next, |layer_call| note_host_fence_wait(layer_call,
        device, fence));
    destroy_fence = c"vkDestroyFence": PFN_vkDestroyFence(
        device: vk::Device, fence: vk::Fence, allocator: AllocCallbacks<'_>,
    ) |of, layer_call| _ = layer_call.lock_state().vulkan.fence_records.remove(&object_key(device, fence));
    wait_semaphores = c"vkWaitSemaphores" | c"vkWaitSemaphoresKHR": PFN_vkWaitSemaphores(
        device: vk::Device, info: *const vk::SemaphoreWaitInfo<'_>, timeout: u64,
    ) -> vk::Result |of, layer_call, next| {
        let info = &*info;
        let semaphores = array_slice(info.p_semaphores, info.semaphore_count).iter();
        let values = array_slice(info.p_values, info.semaphore_count).iter().copied();
        let each = Vec::from_iter(semaphores.map(|semaphore| object_key(device, *semaphore)).zip(values));
        let is_any = info.flags.contains(vk::SemaphoreWaitFlags::ANY) && info.semaphore_count > 1;
        for (semaphore, value) in each.iter().filter(|_| timeout > 0 && !is_any) {
            check_host_wait(layer_call, *semaphore, *value);
        }
        note_on_success(layer_call, next, |layer_call| {
            if is_any {
                // Vulkan does not report which semaphore was signaled.
                return layer_call.lock_state().note_unknown_host_wait();
            }
            for (semaphore, value) in &each {
                note_value_reached(layer_call, *semaphore, *value);
            }
        })
    };
    get_counter = c"vkGetSemaphoreCounterValue" | c"vkGetSemaphoreCounterValueKHR": PFN_vkGetSemaphoreCounterValue(
        device: vk::Device, semaphore: vk::Semaphore, out: *mut u64,
    ) -> vk::Result |of, layer_call, next|
        note_on_success(layer_call, next, |layer_call| note_value_reached(layer_call, object_key(device,
        semaphore), *out));
    get_event_status = c"vkGetEventStatus": PFN_vkGetEventStatus(device: vk::Device, event: vk::Event) -> vk::Result
        |of, layer_call, next| {
            let result = next(layer_call);
            if result == vk::Result::EVENT_SET {
                layer_call.lock_state().note_host_wait(WaitTarget::AllQueues);
            }
            result
        };
    get_query_results = c"vkGetQueryPoolResults": PFN_vkGetQueryPoolResults(
        device: vk::Device, pool: vk::QueryPool, first: u32, count: u32, size: usize, data: *mut c_void, stride: u64,
        flags: vk::QueryResultFlags,
    ) -> vk::Result |of, layer_call, next| note_wait_on_success(layer_call, WaitTarget::AllQueues, next);
    wait_for_present = c"vkWaitForPresentKHR": PFN_vkWaitForPresentKHR(
        device: vk::Device, swapchain: vk::SwapchainKHR, id: u64, timeout: u64,
    ) -> vk::Result |of, layer_call, next| note_wait_on_success(layer_call, WaitTarget::AllQueues, next);
}
