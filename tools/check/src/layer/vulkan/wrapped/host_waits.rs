//! Functions by which the host learns that work of Vulkan is done.

use std::ffi::c_void;

use ash::vk::{self, Handle as _};
use cuda_external_in_process::vulkan::array_slice;

use crate::layer::chassis::layer_call::LayerCall;

use crate::layer::vulkan::chassis::intercept_macro::intercept;
use crate::layer::vulkan::core_checks::semaphore_order::note_batch;
use crate::layer::vulkan::state_tracker::vulkan_state::object_key;
use crate::layer::vulkan::sync::queue_or_stream::QueueOrStream;

/// The host waits for a queue, or for any work of Vulkan.
fn wait_for_work(
    visit: &mut LayerCall,
    queue: Option<vk::Queue>,
    is_done: vk::Result,
    next: impl FnOnce(&mut LayerCall) -> vk::Result,
) -> vk::Result {
    let result = next(visit);
    if result == is_done {
        let of = queue.map(|queue| QueueOrStream::Queue(queue.as_raw()));
        visit.state().note_host_wait(|order| !order.is_stream() && of.is_none_or(|of| of == order));
    }
    result
}

/// The host waits for what was submitted with a fence.
fn note_fence_signaled(visit: &LayerCall, device: vk::Device, fence: vk::Fence) {
    let mut state = visit.state();
    let record = state.vulkan.fence_records.get(&object_key(device, fence)).copied();
    state.note_host_wait_for_record(record);
}

intercept! {
    1, false, if true;
    queue_wait_idle = c"vkQueueWaitIdle": PFN_vkQueueWaitIdle(queue: vk::Queue) -> vk::Result |of, visit, next|
        wait_for_work(visit, Some(queue), vk::Result::SUCCESS, next);
    device_wait_idle = c"vkDeviceWaitIdle": PFN_vkDeviceWaitIdle(device: vk::Device) -> vk::Result |of, visit, next|
        wait_for_work(visit, None, vk::Result::SUCCESS, next);
    wait_for_fences = c"vkWaitForFences": PFN_vkWaitForFences(
        device: vk::Device, count: u32, fences: *const vk::Fence, all: vk::Bool32, timeout: u64,
    ) -> vk::Result |of, visit, next| {
        // It is not known which of several fences is signaled.
        let result = next(visit);
        for fence in array_slice(fences, count).iter().filter(|_| result == vk::Result::SUCCESS) {
            note_fence_signaled(visit, device, *fence);
        }
        result
    };
    get_fence_status = c"vkGetFenceStatus": PFN_vkGetFenceStatus(device: vk::Device, fence: vk::Fence) -> vk::Result
        |of, visit, next| {
            let result = next(visit);
            if result == vk::Result::SUCCESS {
                note_fence_signaled(visit, device, fence);
            }
            result
        };
    get_event_status = c"vkGetEventStatus": PFN_vkGetEventStatus(device: vk::Device, event: vk::Event) -> vk::Result
        |of, visit, next| wait_for_work(visit, None, vk::Result::EVENT_SET, next);
    get_query_results = c"vkGetQueryPoolResults": PFN_vkGetQueryPoolResults(
        device: vk::Device, pool: vk::QueryPool, first: u32, count: u32, size: usize, data: *mut c_void, stride: u64,
        flags: vk::QueryResultFlags,
    ) -> vk::Result |of, visit, next| wait_for_work(visit, None, vk::Result::SUCCESS, next);
    // Presentation waits for semaphores as a submission does.
    queue_present = c"vkQueuePresentKHR": PFN_vkQueuePresentKHR(
        queue: vk::Queue, info: *const vk::PresentInfoKHR<'_>,
    ) -> vk::Result |of, visit| {
        let waits = array_slice((*info).p_wait_semaphores, (*info).wait_semaphore_count).iter().map(|one| (*one, 0));
        note_batch(visit, (of.handle, queue, CALL), waits, [].into_iter(), [].into_iter());
    };
    wait_for_present = c"vkWaitForPresentKHR": PFN_vkWaitForPresentKHR(
        device: vk::Device, swapchain: vk::SwapchainKHR, id: u64, timeout: u64,
    ) -> vk::Result |of, visit, next| wait_for_work(visit, None, vk::Result::SUCCESS, next);
}
