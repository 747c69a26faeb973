//! Functions that create, signal, export, import and destroy semaphores, and that submit work to queues.

use std::iter;
use std::sync::Arc;

use ash::vk;
use cuda_external_in_process::vulkan::{array_slice, find_in_chain};

use crate::layer::chassis::wrapped_call::LayerCall;
use crate::layer::vulkan::chassis::{AllocCallbacks, intercept};
use crate::layer::vulkan::core_checks::export_mismatch::{
    check_exporter_in_use, check_vulkan_import, note_fd_imported_by_vulkan,
};
use crate::layer::vulkan::core_checks::import_facts::SharedObjectFacts;
use crate::layer::vulkan::core_checks::semaphore_order::{
    SubmittedSemaphore, enqueue_fence_signal, enqueue_submitted_batch, note_host_signal_call,
};
use crate::layer::vulkan::state_tracker::vulkan_state::{ExportableKind, object_key};
use crate::layer::vulkan::sync::queue_and_stream_replay::SemaphoreId;
use crate::layer::vulkan::utils::stage_work_kinds::StageWorkKinds;
use crate::layer::vulkan::wrapped::record_on_success::note_on_success;
use crate::layer::vulkan::wrapped::shared_objects::note_exported_fd;
use crate::object_description::ObjectKind;

macro_rules! batch_semaphores {
    ($info:expr) => {{
        let values: Option<&vk::TimelineSemaphoreSubmitInfo<'_>> = find_in_chain($info.p_next);
        let (waits, signals) = values.map_or((&[][..], &[][..]), |values| {
            let waits = array_slice(values.p_wait_semaphore_values, values.wait_semaphore_value_count);
            (waits, array_slice(values.p_signal_semaphore_values, values.signal_semaphore_value_count))
        });
        let all_waits = array_slice($info.p_wait_semaphores, $info.wait_semaphore_count).iter().copied();
        let all_signals =
            array_slice($info.p_signal_semaphores, $info.signal_semaphore_count).iter().copied();
        let with_zeros = |values: &'static [u64]| values.iter().copied().chain(iter::repeat(0));
        let submitted = |(semaphore, value)| SubmittedSemaphore::new(semaphore, value);
        let waits = all_waits.zip(with_zeros(waits)).map(submitted);
        (waits, all_signals.zip(with_zeros(signals)).map(submitted))
    }};
}

fn create_semaphore_state(
    layer_call: &mut LayerCall,
    uuid: Option<[u8; 16]>,
    semaphore: vk::Semaphore,
    device: vk::Device,
    info: &vk::SemaphoreCreateInfo<'_>,
) {
    let semaphore = object_key(device, semaphore);
    // SAFETY: the program passes a valid `pNext` chain to Vulkan.
    let (kind, is_exportable) = unsafe {
        let kind: Option<&vk::SemaphoreTypeCreateInfo<'_>> = find_in_chain(info.p_next);
        let export: Option<&vk::ExportSemaphoreCreateInfo<'_>> = find_in_chain(info.p_next);
        (kind, export.is_some_and(|of| !of.handle_types.is_empty()))
    };
    let is_timeline = kind.is_some_and(|kind| kind.semaphore_type == vk::SemaphoreType::TIMELINE);
    let value = kind.map_or(0, |kind| kind.initial_value);
    let made = layer_call.call_site();
    let made_by = made.clone();
    let vulkan = &mut layer_call.lock_state().vulkan;
    if is_exportable {
        vulkan.add_exportable(Some(semaphore), ExportableKind::Semaphore { is_timeline }, uuid, made);
    } else if is_timeline {
        vulkan.internal_timelines.insert(semaphore);
    }
    if value > 0 {
        let (id, _) = vulkan.semaphore_id(semaphore);
        vulkan.replay.note_host_signal(id, value, Arc::new(made_by));
    }
}

intercept! {
    create_semaphore = c"vkCreateSemaphore": PFN_vkCreateSemaphore(
        device: vk::Device, info: *const vk::SemaphoreCreateInfo<'_>, allocator: AllocCallbacks<'_>,
        out: *mut vk::Semaphore,
    ) -> vk::Result |of, layer_call, next|
        note_on_success(layer_call, next, |layer_call| create_semaphore_state(layer_call, of.uuid, *out, device,
        &*info));
    destroy_semaphore = c"vkDestroySemaphore": PFN_vkDestroySemaphore(
        device: vk::Device, semaphore: vk::Semaphore, allocator: AllocCallbacks<'_>,
    ) |of, layer_call| {
        let semaphore = object_key(device, semaphore);
        check_exporter_in_use(layer_call, semaphore);
        let mut state = layer_call.lock_state();
        state.vulkan.end_exported_handle(semaphore);
        state.vulkan.internal_timelines.remove(&semaphore);
        state.vulkan.replay.forget_semaphore(SemaphoreId::Internal(semaphore));
    };
    signal_semaphore = c"vkSignalSemaphore" | c"vkSignalSemaphoreKHR": PFN_vkSignalSemaphore(
        device: vk::Device, info: *const vk::SemaphoreSignalInfo<'_>,
    ) -> vk::Result |of, layer_call| note_host_signal_call(layer_call, device, &*info);
    get_semaphore_fd = c"vkGetSemaphoreFdKHR": PFN_vkGetSemaphoreFdKHR(
        device: vk::Device, info: *const vk::SemaphoreGetFdInfoKHR<'_>, out: *mut i32,
    ) -> vk::Result |of, layer_call, next| note_on_success(layer_call, next, |layer_call| {
        let of = object_key(device, (*info).semaphore);
        note_exported_fd(layer_call, *out, of, (*info).handle_type.as_raw());
    });
    import_semaphore_fd = c"vkImportSemaphoreFdKHR": PFN_vkImportSemaphoreFdKHR(
        device: vk::Device, info: *const vk::ImportSemaphoreFdInfoKHR<'_>,
    ) -> vk::Result |of, layer_call, next| {
        let fd = (*info).fd;
        let exporter = if fd >= 0 {
            let handle_type = (*info).handle_type;
            let (_, is_timeline) = layer_call.lock_state().vulkan.semaphore_id(object_key(device, (*info).semaphore));
            let is_opaque = handle_type == vk::ExternalSemaphoreHandleTypeFlags::OPAQUE_FD;
            let facts = SharedObjectFacts {
                is_timeline: is_opaque.then_some(is_timeline),
                ..SharedObjectFacts::facts_of_vulkan_import(ObjectKind::Semaphore, handle_type.as_raw(), of.uuid)
            };
            check_vulkan_import(layer_call, fd, &facts)
        } else {
            None
        };
        note_on_success(layer_call, next, |layer_call| {
            if fd >= 0 {
                note_fd_imported_by_vulkan(layer_call, fd);
            }
            let (vulkan, semaphore) = (&mut layer_call.lock_state().vulkan, object_key(device, (*info).semaphore));
            vulkan.end_exported_handle(semaphore);
            let is_temporary = (*info).flags.contains(vk::SemaphoreImportFlags::TEMPORARY);
            match exporter.filter(|_| !is_temporary) {
                Some(number) => vulkan.note_vulkan_import(semaphore, number),
                // The check does not see the signals of the imported payload.
                None => vulkan.replay.mark_semaphore_foreign(SemaphoreId::Internal(semaphore)),
            }
        })
    };
    queue_submit = c"vkQueueSubmit": PFN_vkQueueSubmit(
        queue: vk::Queue, count: u32, infos: *const vk::SubmitInfo<'_>, fence: vk::Fence,
    ) -> vk::Result |of, layer_call| {
        for info in array_slice(infos, count) {
            let (waits, signals) = batch_semaphores!(info);
            let stages = array_slice(info.p_wait_dst_stage_mask, info.wait_semaphore_count).iter();
            let scopes = stages.map(|stages| StageWorkKinds::from_legacy_stage_mask(*stages));
            let scopes = scopes.chain(iter::repeat(StageWorkKinds::ALL));
            let waits = waits.zip(scopes).map(|(wait, scope)| SubmittedSemaphore { scope, ..wait });
            let commands = array_slice(info.p_command_buffers, info.command_buffer_count).iter().copied();
            enqueue_submitted_batch(layer_call, (of.handle, queue), waits, commands, signals);
        }
        enqueue_fence_signal(layer_call, of.handle, queue, fence);
    };
    queue_submit2 = c"vkQueueSubmit2" | c"vkQueueSubmit2KHR": PFN_vkQueueSubmit2(
        queue: vk::Queue, count: u32, infos: *const vk::SubmitInfo2<'_>, fence: vk::Fence,
    ) -> vk::Result |of, layer_call| {
        for info in array_slice(infos, count) {
            let submitted = |info: &vk::SemaphoreSubmitInfo<'_>| {
                let scope = StageWorkKinds::from_stage_mask(info.stage_mask);
                SubmittedSemaphore { scope, ..SubmittedSemaphore::new(info.semaphore, info.value) }
            };
            let waits = array_slice(info.p_wait_semaphore_infos, info.wait_semaphore_info_count).iter().map(submitted);
            let signals = array_slice(info.p_signal_semaphore_infos, info.signal_semaphore_info_count).iter();
            let commands = array_slice(info.p_command_buffer_infos, info.command_buffer_info_count).iter();
            let commands = commands.map(|info| info.command_buffer);
            enqueue_submitted_batch(layer_call, (of.handle, queue), waits, commands, signals.map(submitted));
        }
        enqueue_fence_signal(layer_call, of.handle, queue, fence);
    };
    queue_bind_sparse = c"vkQueueBindSparse": PFN_vkQueueBindSparse(
        queue: vk::Queue, count: u32, infos: *const vk::BindSparseInfo<'_>, fence: vk::Fence,
    ) -> vk::Result |of, layer_call| {
        for info in array_slice(infos, count) {
            let (waits, signals) = batch_semaphores!(info);
            enqueue_submitted_batch(layer_call, (of.handle, queue), waits, iter::empty(), signals);
        }
        enqueue_fence_signal(layer_call, of.handle, queue, fence);
    };
    // A presentation waits for semaphores, as a submission does.
    queue_present = c"vkQueuePresentKHR": PFN_vkQueuePresentKHR(
        queue: vk::Queue, info: *const vk::PresentInfoKHR<'_>,
    ) -> vk::Result |of, layer_call| {
        let waits = array_slice((*info).p_wait_semaphores, (*info).wait_semaphore_count).iter();
        let waits = waits.map(|one| SubmittedSemaphore::new(*one, 0));
        enqueue_submitted_batch(layer_call, (of.handle, queue), waits, iter::empty(), iter::empty());
    };
}
