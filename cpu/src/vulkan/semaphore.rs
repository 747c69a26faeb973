//! Semaphores: their creation, export and import, and the CPU's calls.

use std::collections::BTreeMap;
use std::ffi::c_int;
use std::fs::File;
use std::io;
use std::os::fd::{FromRawFd, IntoRawFd};
use std::sync::{Arc, Mutex};

use ash::prelude::VkResult;
use ash::vk;

use super::device::{self, Device};
use super::payload::Payload;
use super::submit::list;
use super::{chain, code};
use crate::lock;
use crate::shared::{self, Semaphore as Shared};

const OPAQUE_FD: vk::ExternalSemaphoreHandleTypeFlags = vk::ExternalSemaphoreHandleTypeFlags::OPAQUE_FD;
const INVALID: vk::Result = vk::Result::ERROR_INVALID_EXTERNAL_HANDLE;

struct Entry {
    is_binary: bool,
    /// Of one that can be exported, or was imported.
    payload: Option<Arc<Payload>>,
}

/// A device's semaphores, by the application's handle.
#[derive(Default)]
pub struct Semaphores(Mutex<BTreeMap<vk::Semaphore, Entry>>);

impl Semaphores {
    pub fn payload(&self, semaphore: vk::Semaphore) -> Option<Arc<Payload>> {
        lock(&self.0).get(&semaphore)?.payload.clone()
    }

    fn is_binary(&self, semaphore: vk::Semaphore) -> bool {
        lock(&self.0).get(&semaphore).is_some_and(|entry| entry.is_binary)
    }

    /// Enqueues waits or signals: returns them with lavapipe's semaphores and their values.
    pub fn enqueue<'a>(
        &self,
        infos: &[vk::SemaphoreSubmitInfo<'a>],
        signal: bool,
    ) -> Vec<vk::SemaphoreSubmitInfo<'a>> {
        let replaced = |info: &vk::SemaphoreSubmitInfo<'a>| match self.payload(info.semaphore) {
            Some(payload) => info.semaphore(payload.native).value(payload.shared.enqueue(signal, info.value)),
            None => *info,
        };
        infos.iter().map(replaced).collect()
    }

    /// Passes every value on. The lock is held meanwhile: no semaphore is destroyed.
    pub fn publish(&self) {
        let semaphores = lock(&self.0);
        semaphores.values().flat_map(|entry| &entry.payload).for_each(|payload| _ = payload.value());
    }

    /// Ends everything that is left.
    pub fn close(&self) {
        let entries = std::mem::take(&mut *lock(&self.0));
        entries.into_values().filter_map(|entry| entry.payload).for_each(|payload| payload.close());
    }
}

pub unsafe extern "system" fn create(
    handle: vk::Device,
    info: *const vk::SemaphoreCreateInfo,
    allocator: *const vk::AllocationCallbacks,
    semaphore: *mut vk::Semaphore,
) -> vk::Result {
    // SAFETY: the application's arguments, here and below.
    unsafe {
        let device = device::of(handle);
        let first = (*info).p_next;
        let is_exported = chain::find::<vk::ExportSemaphoreCreateInfo>(first)
            .is_some_and(|export| export.handle_types.contains(OPAQUE_FD));
        let type_ = chain::find::<vk::SemaphoreTypeCreateInfo>(first);
        let timeline = type_.filter(|type_| type_.semaphore_type == vk::SemaphoreType::TIMELINE);
        let (is_binary, value) = (timeline.is_none(), timeline.map_or(0, |type_| type_.initial_value));
        let mut payload = None;
        if is_exported && device.is_lavapipe {
            let Ok(page) = Shared::create(is_binary, value) else {
                return vk::Result::ERROR_OUT_OF_HOST_MEMORY;
            };
            match Payload::new(&device.call, false, page, (*info).flags, allocator.as_ref()) {
                Ok(made) => *semaphore = payload.insert(made).native,
                Err(code) => return code,
            }
        } else {
            let result = (device.call.fp_v1_0().create_semaphore)(handle, info, allocator, semaphore);
            if result != vk::Result::SUCCESS {
                return result;
            }
        }
        lock(&device.semaphores.0).insert(*semaphore, Entry { is_binary, payload });
        vk::Result::SUCCESS
    }
}

pub unsafe extern "system" fn destroy(
    handle: vk::Device,
    semaphore: vk::Semaphore,
    allocator: *const vk::AllocationCallbacks,
) {
    unsafe {
        let device = device::of(handle);
        let entry = lock(&device.semaphores.0).remove(&semaphore);
        if let Some(payload) = entry.and_then(|entry| entry.payload) {
            payload.close();
        }
        (device.call.fp_v1_0().destroy_semaphore)(handle, semaphore, allocator);
    }
}

/// Returns the code for an error of the system.
fn code_of(error: &io::Error) -> vk::Result {
    match error.raw_os_error() {
        Some(libc::EMFILE | libc::ENFILE) => vk::Result::ERROR_TOO_MANY_OBJECTS,
        _ => vk::Result::ERROR_OUT_OF_HOST_MEMORY,
    }
}

pub unsafe extern "system" fn export(
    handle: vk::Device,
    info: *const vk::SemaphoreGetFdInfoKHR,
    fd: *mut c_int,
) -> vk::Result {
    unsafe {
        let device = device::of(handle);
        if (*info).handle_type != OPAQUE_FD {
            // A newer Mesa's SYNC_FD.
            let next = device.semaphore_fd.as_ref();
            return next.map_or(INVALID, |next| (next.get_semaphore_fd_khr)(handle, info, fd));
        }
        let Some(payload) = device.semaphores.payload((*info).semaphore) else { return INVALID };
        match payload.start().and_then(|()| payload.file.try_clone()) {
            Ok(new) => *fd = new.into_raw_fd(),
            Err(error) => return code_of(&error),
        }
        vk::Result::SUCCESS
    }
}

pub unsafe extern "system" fn import(
    handle: vk::Device,
    info: *const vk::ImportSemaphoreFdInfoKHR,
) -> vk::Result {
    unsafe {
        let device = device::of(handle);
        if (*info).handle_type != OPAQUE_FD {
            let next = device.semaphore_fd.as_ref();
            return next.map_or(INVALID, |next| (next.import_semaphore_fd_khr)(handle, info));
        }
        code(import_payload(&device, &*info))
    }
}

unsafe fn import_payload(device: &Device, info: &vk::ImportSemaphoreFdInfoKHR) -> VkResult<()> {
    // An import for the next wait alone is not here.
    if info.fd < 0 || info.flags.contains(vk::SemaphoreImportFlags::TEMPORARY) {
        return Err(INVALID);
    }
    // SAFETY: the application's descriptor.
    let file = unsafe { shared::borrow(info.fd) };
    let shared = Shared::open(&file).ok_or(INVALID)?;
    if shared.is_binary() != device.semaphores.is_binary(info.semaphore) {
        return Err(INVALID);
    }
    let file = file.try_clone().map_err(|error| code_of(&error))?;
    let payload = Payload::new(&device.call, true, (shared, file), vk::SemaphoreCreateFlags::empty(), None)?;
    if let Err(error) = payload.start() {
        payload.close();
        return Err(code_of(&error));
    }
    // From here on the descriptor is this layer's, which has its own of the same file.
    drop(unsafe { File::from_raw_fd(info.fd) });
    let mut semaphores = lock(&device.semaphores.0);
    let replaced = semaphores.get_mut(&info.semaphore).and_then(|entry| entry.payload.replace(payload));
    drop(semaphores);
    if let Some(replaced) = replaced {
        replaced.close();
    }
    Ok(())
}

pub unsafe extern "system" fn get_value(
    handle: vk::Device,
    semaphore: vk::Semaphore,
    value: *mut u64,
) -> vk::Result {
    unsafe {
        let device = device::of(handle);
        match device.semaphores.payload(semaphore) {
            Some(payload) => code(payload.value().map(|found| *value = found)),
            None => (device.call.fp_v1_2().get_semaphore_counter_value)(handle, semaphore, value),
        }
    }
}

pub unsafe extern "system" fn signal(handle: vk::Device, info: *const vk::SemaphoreSignalInfo) -> vk::Result {
    unsafe {
        let device = device::of(handle);
        match device.semaphores.payload((*info).semaphore) {
            Some(payload) => code(payload.signal((*info).value)),
            None => (device.call.fp_v1_2().signal_semaphore)(handle, info),
        }
    }
}

pub unsafe extern "system" fn wait(
    handle: vk::Device,
    info: *const vk::SemaphoreWaitInfo,
    timeout: u64,
) -> vk::Result {
    unsafe {
        let device = device::of(handle);
        let mut copy = *info;
        let native = |semaphore: &vk::Semaphore| {
            device.semaphores.payload(*semaphore).map_or(*semaphore, |payload| payload.native)
        };
        let semaphores = list(copy.p_semaphores, copy.semaphore_count).iter().map(native);
        let semaphores = Vec::from_iter(semaphores);
        copy.p_semaphores = semaphores.as_ptr();
        let result = (device.call.fp_v1_2().wait_semaphores)(handle, &copy, timeout);
        device.semaphores.publish();
        result
    }
}
