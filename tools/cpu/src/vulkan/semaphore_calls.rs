//! Semaphores: their creation, export and import, and the host's signals and waits.

use std::ffi::c_int;
use std::fs::File;
use std::io;
use std::os::fd::{FromRawFd, IntoRawFd};

use ash::prelude::VkResult;
use ash::vk;
use cuda_external_in_process::vulkan::{array_slice, find_in_chain};

use super::layer_state::LayerDevice;
use super::queue_submit::publish_values_after_call;
use super::semaphore_payload::SemaphorePayload;
use super::{AllocCallbacks, SEMAPHORE_FD, functions, vk_result};
use crate::shared_files::{self, SemaphorePage};

const INVALID: vk::Result = vk::Result::ERROR_INVALID_EXTERNAL_HANDLE;

fn vk_result_of_io_error(error: io::Error) -> vk::Result {
    match error.raw_os_error() {
        Some(libc::EMFILE | libc::ENFILE) => vk::Result::ERROR_TOO_MANY_OBJECTS,
        _ => vk::Result::ERROR_OUT_OF_HOST_MEMORY,
    }
}

unsafe fn import_semaphore(device: &LayerDevice, info: &vk::ImportSemaphoreFdInfoKHR) -> VkResult<()> {
    // This layer does not support temporary imports, which last until the next wait.
    if info.fd < 0 || info.flags.contains(vk::SemaphoreImportFlags::TEMPORARY) {
        return Err(INVALID);
    }
    // SAFETY: the application passes an open descriptor, which it does not close after a successful import.
    let file = unsafe { shared_files::borrow_fd_as_file(info.fd) };
    let shared = SemaphorePage::open_page_file(&file).ok_or(INVALID)?;
    let file = file.try_clone().map_err(vk_result_of_io_error)?;
    let payload = SemaphorePayload::new(&device.call, true, (shared, file), None)?;
    if let Err(error) = payload.start_mirror_threads() {
        payload.close_payload();
        return Err(vk_result_of_io_error(error));
    }
    // SAFETY: a successful import owns the application's descriptor. This layer has duplicated it.
    drop(unsafe { File::from_raw_fd(info.fd) });
    device.semaphores.insert_payload(info.semaphore, payload);
    Ok(())
}

functions! {
    FUNCTIONS:
    fn vkCreateSemaphore: PFN_vkCreateSemaphore, device = device_of(
        handle: vk::Device, info: *const vk::SemaphoreCreateInfo<'_>, allocator: AllocCallbacks<'_>,
        semaphore: *mut vk::Semaphore
    ) -> vk::Result {
        let exported = find_in_chain::<vk::ExportSemaphoreCreateInfo>((*info).p_next);
        if !device.is_lavapipe || exported.is_none_or(|exported| !exported.handle_types.contains(SEMAPHORE_FD)) {
            return (device.call.fp_v1_0().create_semaphore)(handle, info, allocator, semaphore);
        }
        let type_ = find_in_chain::<vk::SemaphoreTypeCreateInfo>((*info).p_next);
        let timeline = type_.filter(|type_| type_.semaphore_type == vk::SemaphoreType::TIMELINE);
        let page = SemaphorePage::create_page_file(timeline.is_none(), timeline.map_or(0, |type_| type_.initial_value));
        let page = page.map_err(vk_result_of_io_error);
        let payload = page.and_then(|page| SemaphorePayload::new(&device.call, false, page, allocator.as_ref()));
        vk_result(payload.map(|payload| {
            *semaphore = payload.native;
            device.semaphores.insert_payload(payload.native, payload);
        }))
    }
    fn vkDestroySemaphore: PFN_vkDestroySemaphore, device = device_of(
        handle: vk::Device, semaphore: vk::Semaphore, allocator: AllocCallbacks<'_>
    ) {
        device.semaphores.remove_payload(semaphore);
        (device.call.fp_v1_0().destroy_semaphore)(handle, semaphore, allocator);
    }
    fn vkGetSemaphoreCounterValue: PFN_vkGetSemaphoreCounterValue, device = device_of(
        handle: vk::Device, semaphore: vk::Semaphore, value: *mut u64
    ) -> vk::Result {
        match device.semaphores.find_payload(semaphore) {
            Some(payload) => vk_result(payload.publish_current_value().map(|found| *value = found)),
            None => (device.call.fp_v1_2().get_semaphore_counter_value)(handle, semaphore, value),
        }
    }
    fn vkSignalSemaphore: PFN_vkSignalSemaphore, device = device_of(
        handle: vk::Device, info: *const vk::SemaphoreSignalInfo<'_>
    ) -> vk::Result {
        match device.semaphores.find_payload((*info).semaphore) {
            Some(payload) => vk_result(payload.signal_from_host((*info).value)),
            None => (device.call.fp_v1_2().signal_semaphore)(handle, info),
        }
    }
    fn vkWaitSemaphores: PFN_vkWaitSemaphores, device = device_of(
        handle: vk::Device, info: *const vk::SemaphoreWaitInfo<'_>, timeout: u64
    ) -> vk::Result {
        let native = |semaphore: &vk::Semaphore| {
            device.semaphores.find_payload(*semaphore).map_or(*semaphore, |payload| payload.native)
        };
        let semaphores = array_slice((*info).p_semaphores, (*info).semaphore_count).iter().map(native);
        let semaphores = Vec::from_iter(semaphores);
        let copy = vk::SemaphoreWaitInfo { p_semaphores: semaphores.as_ptr(), ..*info };
        publish_values_after_call(&device, (device.call.fp_v1_2().wait_semaphores)(handle, &copy, timeout))
    }
}

// Functions that lavapipe may lack. A newer Mesa has them for SYNC_FD.
functions! {
    ADDED:
    fn vkGetSemaphoreFdKHR: PFN_vkGetSemaphoreFdKHR, device = device_of(
        handle: vk::Device, info: *const vk::SemaphoreGetFdInfoKHR<'_>, fd: *mut c_int
    ) -> vk::Result {
        if (*info).handle_type != SEMAPHORE_FD {
            let next = device.semaphore_fd.as_ref();
            return next.map_or(INVALID, |next| (next.get_semaphore_fd_khr)(handle, info, fd));
        }
        let Some(payload) = device.semaphores.find_payload((*info).semaphore) else { return INVALID };
        let file = payload.start_mirror_threads().and_then(|()| payload.file.try_clone());
        vk_result(file.map(|file| *fd = file.into_raw_fd()).map_err(vk_result_of_io_error))
    }
    fn vkImportSemaphoreFdKHR: PFN_vkImportSemaphoreFdKHR, device = device_of(
        handle: vk::Device, info: *const vk::ImportSemaphoreFdInfoKHR<'_>
    ) -> vk::Result {
        if (*info).handle_type != SEMAPHORE_FD {
            let next = device.semaphore_fd.as_ref();
            return next.map_or(INVALID, |next| (next.import_semaphore_fd_khr)(handle, info));
        }
        vk_result(import_semaphore(&device, &*info))
    }
}
