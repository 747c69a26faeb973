//! Semaphores: their creation, export and import, and the CPU's calls.

use std::collections::BTreeMap;
use std::ffi::c_int;
use std::os::fd::{AsFd, BorrowedFd, FromRawFd, OwnedFd};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::{ptr, slice};

use ash::vk;

use super::chain;
use super::device::{self, Device};
use super::payload::Payload;
use crate::shared::Semaphore as Shared;

const OPAQUE_FD: vk::ExternalSemaphoreHandleTypeFlags = vk::ExternalSemaphoreHandleTypeFlags::OPAQUE_FD;

/// A semaphore of the application's.
#[derive(Default)]
struct Entry {
    is_binary: bool,
    /// Of one that can be exported, or was imported.
    permanent: Option<Arc<Payload>>,
    /// Imported for the next wait alone.
    temporary: Option<Arc<Payload>>,
    /// Those whose wait is enqueued, with the value that it waits for.
    used: Vec<(Arc<Payload>, u64)>,
}

impl Entry {
    fn payloads(self) -> impl Iterator<Item = Arc<Payload>> {
        let used = self.used.into_iter().map(|(payload, _)| payload);
        used.chain(self.temporary).chain(self.permanent)
    }
}

/// A device's semaphores, by the application's handle.
#[derive(Default)]
pub struct Semaphores(Mutex<BTreeMap<vk::Semaphore, Entry>>);

impl Semaphores {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<vk::Semaphore, Entry>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns what the CPU's calls use.
    pub fn payload(&self, semaphore: vk::Semaphore) -> Option<Arc<Payload>> {
        let map = self.lock();
        let entry = map.get(&semaphore)?;
        entry.temporary.as_ref().or(entry.permanent.as_ref()).cloned()
    }

    /// Returns whether a payload replaces the semaphore in submissions.
    pub fn is_shared(&self, semaphore: vk::Semaphore) -> bool {
        self.payload(semaphore).is_some()
    }

    /// Enqueues a wait: returns lavapipe's semaphore and the value to wait for.
    pub fn wait(&self, semaphore: vk::Semaphore, value: u64) -> (vk::Semaphore, u64) {
        let mut map = self.lock();
        let Some(entry) = map.get_mut(&semaphore) else { return (semaphore, value) };
        if let Some(payload) = entry.temporary.take() {
            let (native, value) = (payload.native, payload.shared.next_wait());
            entry.used.push((payload, value));
            return (native, value);
        }
        match &entry.permanent {
            Some(payload) if entry.is_binary => (payload.native, payload.shared.next_wait()),
            Some(payload) => (payload.native, value),
            None => (semaphore, value),
        }
    }

    /// Enqueues a signal: returns the payload, and the value to signal.
    pub fn signal(&self, semaphore: vk::Semaphore, value: u64) -> Option<(Arc<Payload>, u64)> {
        let map = self.lock();
        let entry = map.get(&semaphore)?;
        let payload = entry.temporary.as_ref().or(entry.permanent.as_ref()).cloned()?;
        let value = if entry.is_binary { payload.shared.next_signal() } else { value };
        Some((payload, value))
    }

    /// Ends everything that is left.
    pub fn close(&self) {
        let entries = std::mem::take(&mut *self.lock());
        entries.into_values().flat_map(Entry::payloads).for_each(|payload| payload.close());
    }
}

pub unsafe extern "system" fn create(
    handle: vk::Device,
    info: *const vk::SemaphoreCreateInfo,
    allocator: *const vk::AllocationCallbacks,
    semaphore: *mut vk::Semaphore,
) -> vk::Result {
    // SAFETY: the application's arguments.
    unsafe {
        let device = device::of(handle);
        let first = (*info).p_next;
        let is_exported = chain::find::<vk::ExportSemaphoreCreateInfo>(first)
            .is_some_and(|export| export.handle_types.contains(OPAQUE_FD));
        let type_ = chain::find::<vk::SemaphoreTypeCreateInfo>(first);
        let value = type_.filter(|type_| type_.semaphore_type == vk::SemaphoreType::TIMELINE);
        let (is_binary, value) = (value.is_none(), value.map_or(0, |type_| type_.initial_value));
        let mut entry = Entry { is_binary, ..Entry::default() };
        match device.timeline {
            Some(timeline) if is_exported => {
                let native = match timeline.create(value, (*info).flags, allocator) {
                    Ok(native) => native,
                    Err(code) => return code,
                };
                let Ok((shared, fd)) = Shared::create(is_binary, value) else {
                    device.call.destroy_semaphore.expect("Vulkan 1.0 has it")(handle, native, allocator);
                    return vk::Result::ERROR_OUT_OF_HOST_MEMORY;
                };
                entry.permanent = Some(Payload::new(timeline, native, false, shared, fd));
                *semaphore = native;
            }
            _ => {
                let create = device.call.create_semaphore.expect("Vulkan 1.0 has it");
                let result = create(handle, info, allocator, semaphore);
                if result != vk::Result::SUCCESS || device.timeline.is_none() {
                    return result;
                }
            }
        }
        device.semaphores.lock().insert(*semaphore, entry);
        vk::Result::SUCCESS
    }
}

pub unsafe extern "system" fn destroy(
    handle: vk::Device,
    semaphore: vk::Semaphore,
    allocator: *const vk::AllocationCallbacks,
) {
    // SAFETY: the application's arguments.
    unsafe {
        let device = device::of(handle);
        let entry = device.semaphores.lock().remove(&semaphore);
        for payload in entry.into_iter().flat_map(Entry::payloads) {
            device.pending.forget(&payload);
            payload.close();
        }
        device.call.destroy_semaphore.expect("Vulkan 1.0 has it")(handle, semaphore, allocator);
    }
}

pub unsafe extern "system" fn export(
    handle: vk::Device,
    info: *const vk::SemaphoreGetFdInfoKHR,
    fd: *mut c_int,
) -> vk::Result {
    // SAFETY: the application's arguments.
    unsafe {
        let device = device::of(handle);
        if (*info).handle_type != OPAQUE_FD || device.timeline.is_none() {
            // A newer Mesa's SYNC_FD.
            return match device.call.get_semaphore_fd {
                Some(export) => export(handle, info, fd),
                None => vk::Result::ERROR_INVALID_EXTERNAL_HANDLE,
            };
        }
        let Some(payload) = device.semaphores.payload((*info).semaphore) else {
            return vk::Result::ERROR_INVALID_EXTERNAL_HANDLE;
        };
        match payload.start().and_then(|()| payload.fd.try_clone()) {
            Ok(new) => *fd = std::os::fd::IntoRawFd::into_raw_fd(new),
            Err(error) => return code(&error),
        }
        vk::Result::SUCCESS
    }
}

/// Returns the code for an error of the system.
fn code(error: &std::io::Error) -> vk::Result {
    match error.raw_os_error() {
        Some(libc::EMFILE | libc::ENFILE) => vk::Result::ERROR_TOO_MANY_OBJECTS,
        _ => vk::Result::ERROR_OUT_OF_HOST_MEMORY,
    }
}

pub unsafe extern "system" fn import(
    handle: vk::Device,
    info: *const vk::ImportSemaphoreFdInfoKHR,
) -> vk::Result {
    // SAFETY: the application's arguments.
    unsafe {
        let device = device::of(handle);
        let info = &*info;
        if info.handle_type != OPAQUE_FD || device.timeline.is_none() {
            return match device.call.import_semaphore_fd {
                Some(import) => import(handle, info),
                None => vk::Result::ERROR_INVALID_EXTERNAL_HANDLE,
            };
        }
        let payload = match import_payload(&device, info) {
            Ok(payload) => payload,
            Err(code) => return code,
        };
        // From here on the descriptor is this layer's, which has its own of the same file.
        drop(OwnedFd::from_raw_fd(info.fd));
        let mut map = device.semaphores.lock();
        let entry = map.entry(info.semaphore).or_default();
        let is_temporary = info.flags.contains(vk::SemaphoreImportFlags::TEMPORARY);
        let place = if is_temporary { &mut entry.temporary } else { &mut entry.permanent };
        let replaced = place.replace(payload).map(|payload| (payload, u64::MAX));
        entry.used.extend(replaced);
        // Threads for what will not be waited for again.
        let is_over = |used: &(Arc<Payload>, u64)| used.0.shared.value() >= used.1 || used.1 == u64::MAX;
        let over = entry.used.iter().filter(|used| is_over(used)).map(|used| Arc::clone(&used.0));
        let over = Vec::from_iter(over);
        drop(map);
        over.iter().for_each(|payload| payload.stop());
        vk::Result::SUCCESS
    }
}

unsafe fn import_payload(
    device: &Device,
    info: &vk::ImportSemaphoreFdInfoKHR,
) -> Result<Arc<Payload>, vk::Result> {
    let invalid = vk::Result::ERROR_INVALID_EXTERNAL_HANDLE;
    if info.fd < 0 {
        return Err(invalid);
    }
    // SAFETY: by this function's own condition.
    let fd = unsafe { BorrowedFd::borrow_raw(info.fd) };
    let shared = Shared::open(fd).ok_or(invalid)?;
    let is_binary = device.semaphores.lock().get(&info.semaphore).is_some_and(|entry| entry.is_binary);
    if shared.is_binary() != is_binary {
        return Err(invalid);
    }
    let fd = fd.as_fd().try_clone_to_owned().map_err(|error| code(&error))?;
    let timeline = device.timeline.ok_or(invalid)?;
    let native = timeline.create(shared.value(), vk::SemaphoreCreateFlags::empty(), ptr::null())?;
    let payload = Payload::new(timeline, native, true, shared, fd);
    payload.start().map_err(|error| {
        payload.close();
        code(&error)
    })?;
    Ok(payload)
}

pub unsafe extern "system" fn get_value(
    handle: vk::Device,
    semaphore: vk::Semaphore,
    value: *mut u64,
) -> vk::Result {
    // SAFETY: the application's arguments.
    unsafe {
        let device = device::of(handle);
        match device.semaphores.payload(semaphore) {
            Some(payload) => match payload.value() {
                Ok(found) => *value = found,
                Err(code) => return code,
            },
            None => return device.call.get_value.expect("it was found by name")(handle, semaphore, value),
        }
        vk::Result::SUCCESS
    }
}

pub unsafe extern "system" fn signal(handle: vk::Device, info: *const vk::SemaphoreSignalInfo) -> vk::Result {
    // SAFETY: the application's arguments.
    unsafe {
        let device = device::of(handle);
        match device.semaphores.payload((*info).semaphore) {
            Some(payload) => payload.signal((*info).value),
            None => device.call.signal_semaphore.expect("it was found by name")(handle, info),
        }
    }
}

pub unsafe extern "system" fn wait(
    handle: vk::Device,
    info: *const vk::SemaphoreWaitInfo,
    timeout: u64,
) -> vk::Result {
    // SAFETY: the application's arguments.
    unsafe {
        let device = device::of(handle);
        let mut copy = *info;
        let count = copy.semaphore_count as usize;
        let semaphores = slice::from_raw_parts(copy.p_semaphores, count);
        let values = slice::from_raw_parts(copy.p_values, count);
        let payloads = semaphores.iter().map(|semaphore| device.semaphores.payload(*semaphore));
        let payloads = Vec::from_iter(payloads);
        let native = |(semaphore, payload): (&vk::Semaphore, &Option<Arc<Payload>>)| {
            payload.as_ref().map_or(*semaphore, |payload| payload.native)
        };
        let natives = Vec::from_iter(semaphores.iter().zip(&payloads).map(native));
        copy.p_semaphores = natives.as_ptr();
        let result = device.call.wait_semaphores.expect("it was found by name")(handle, &copy, timeout);
        if result == vk::Result::SUCCESS {
            let is_any = copy.flags.contains(vk::SemaphoreWaitFlags::ANY);
            for (payload, value) in payloads.iter().zip(values) {
                match payload {
                    Some(payload) if is_any => _ = payload.value(),
                    Some(payload) => _ = payload.shared.signal(*value),
                    None => {}
                }
            }
        }
        result
    }
}
