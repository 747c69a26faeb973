//! Shared semaphores: a lavapipe timeline and a page of shared memory, whose values two threads keep equal.

use std::collections::BTreeMap;
use std::fs::File;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::thread::{Builder, JoinHandle};
use std::{io, slice};

use ash::prelude::VkResult;
use ash::vk;
use cuda_external_in_process::lock_ignoring_poison as lock;

use crate::shared_files::SemaphorePage;
use crate::thread_signals_and_values::spawn_without_signals;

pub struct SemaphorePayload {
    call: Arc<ash::Device>,
    /// lavapipe's timeline, also for a binary semaphore: then the n-th signal is the value n.
    pub native: vk::Semaphore,
    /// Whether this layer created `native`. Otherwise `native` is the application's handle.
    is_own: bool,
    pub shared: SemaphorePage,
    pub file: File,
    /// Held while a thread signals `native`: Mesa would lose the device if a signal did not raise the value.
    signaling: Mutex<()>,
    ending: AtomicBool,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

impl SemaphorePayload {
    /// Creates a lavapipe timeline with the page's value.
    pub fn new(
        call: &Arc<ash::Device>,
        is_own: bool,
        (shared, file): (SemaphorePage, File),
        allocator: Option<&vk::AllocationCallbacks>,
    ) -> VkResult<Arc<Self>> {
        let mut timeline = vk::SemaphoreTypeCreateInfo::default()
            .semaphore_type(vk::SemaphoreType::TIMELINE)
            .initial_value(shared.semaphore_value());
        let info = vk::SemaphoreCreateInfo::default().push_next(&mut timeline);
        // SAFETY: the device lives, and the structures are valid.
        let native = unsafe { call.create_semaphore(&info, allocator) }?;
        let (call, (signaling, ending, threads)) = (call.clone(), Default::default());
        Ok(Arc::new(Self { call, native, is_own, shared, file, signaling, ending, threads }))
    }

    /// Starts the two threads that keep the timeline and the page equal, unless an export or import has started them.
    pub fn start_mirror_threads(self: &Arc<Self>) -> io::Result<()> {
        let mut threads = lock(&self.threads);
        if threads.is_empty() {
            let _ = self.publish_current_value();
            for run in [Self::publish_native_values, Self::take_shared_values] {
                let payload = Arc::clone(self);
                let thread = Builder::new().name("vulkan semaphore".to_owned()).stack_size(256 << 10);
                threads.push(spawn_without_signals(thread, move || run(&payload))?);
            }
        }
        Ok(())
    }

    fn native_value(&self) -> VkResult<u64> {
        // SAFETY: the semaphore lives as long as `self`.
        unsafe { self.call.get_semaphore_counter_value(self.native) }
    }

    fn native_signal(&self, value: u64) -> VkResult<()> {
        let info = vk::SemaphoreSignalInfo::default().semaphore(self.native).value(value);
        // SAFETY: the semaphore lives as long as `self`, and each caller has locked `signaling`.
        unsafe { self.call.signal_semaphore(&info) }
    }

    fn publish_native_values(&self) {
        // `close_payload` sets `ending` and then signals: a thread that sees the signal's value also sees `ending`.
        while let Ok(value) = self.native_value() {
            if self.ending.load(SeqCst) {
                return;
            }
            self.shared.signal(value);
            let Some(next) = value.checked_add(1) else { return };
            let (semaphores, values) = (slice::from_ref(&self.native), slice::from_ref(&next));
            let info = vk::SemaphoreWaitInfo::default().semaphores(semaphores).values(values);
            // SAFETY: the semaphore lives as long as `self`.
            let result = unsafe { self.call.wait_semaphores(&info, u64::MAX) };
            if result.is_err_and(|code| code != vk::Result::TIMEOUT) {
                return;
            }
        }
    }

    fn take_shared_values(&self) {
        while let Some(next) = self.native_value().ok().and_then(|value| value.checked_add(1)) {
            if !self.shared.wait_while(next, || !self.ending.load(SeqCst)) || self.ending.load(SeqCst) {
                return;
            }
            let _lock = lock(&self.signaling);
            let value = self.shared.semaphore_value();
            if self.native_value().is_ok_and(|here| here < value) && self.native_signal(value).is_err() {
                return;
            }
        }
    }

    /// Writes the timeline's value to the page, unless the page's value is larger. Returns the page's value.
    pub fn publish_current_value(&self) -> VkResult<u64> {
        self.shared.signal(self.native_value()?);
        Ok(self.shared.semaphore_value())
    }

    pub fn signal_from_host(&self, value: u64) -> VkResult<()> {
        let _lock = lock(&self.signaling);
        self.native_signal(value)?;
        self.shared.signal(value);
        Ok(())
    }

    /// Ends the threads, and destroys `native` if this layer created it. No later call may use the semaphore.
    pub fn close_payload(&self) {
        let threads = std::mem::take(&mut *lock(&self.threads));
        if !threads.is_empty() {
            let _ = self.publish_current_value();
            self.ending.store(true, SeqCst);
            {
                // Ends the wait of `publish_native_values`. Nothing else uses the semaphore any more.
                let _lock = lock(&self.signaling);
                if let Some(next) = self.native_value().ok().and_then(|value| value.checked_add(1)) {
                    let _ = self.native_signal(next);
                }
            }
            self.shared.wake_waiters();
            for thread in threads {
                _ = thread.join();
            }
        }
        if self.is_own {
            // SAFETY: the threads have ended, and the application no longer uses the semaphore.
            unsafe { self.call.destroy_semaphore(self.native, None) };
        }
    }
}

/// A device's semaphores that can be exported or were imported.
#[derive(Default)]
pub struct SemaphorePayloadMap(Mutex<BTreeMap<vk::Semaphore, Arc<SemaphorePayload>>>);

impl SemaphorePayloadMap {
    pub fn find_payload(&self, semaphore: vk::Semaphore) -> Option<Arc<SemaphorePayload>> {
        lock(&self.0).get(&semaphore).cloned()
    }

    pub fn insert_payload(&self, semaphore: vk::Semaphore, payload: Arc<SemaphorePayload>) {
        let replaced = lock(&self.0).insert(semaphore, payload);
        replaced.iter().for_each(|payload| payload.close_payload());
    }

    pub fn remove_payload(&self, semaphore: vk::Semaphore) {
        let removed = lock(&self.0).remove(&semaphore);
        removed.iter().for_each(|payload| payload.close_payload());
    }

    /// Reserves the values of waits or signals. Returns `infos` with these values and with lavapipe's timelines.
    pub fn reserve_values<'a>(
        &self,
        infos: &[vk::SemaphoreSubmitInfo<'a>],
        signal: bool,
    ) -> Vec<vk::SemaphoreSubmitInfo<'a>> {
        let replaced = |info: &vk::SemaphoreSubmitInfo<'a>| match self.find_payload(info.semaphore) {
            Some(payload) => {
                info.semaphore(payload.native).value(payload.shared.reserve_value(signal, info.value))
            }
            None => *info,
        };
        infos.iter().map(replaced).collect()
    }

    pub fn cancel_reservations(
        &self,
        infos: &[vk::SemaphoreSubmitInfo<'_>],
        enqueued: &[vk::SemaphoreSubmitInfo<'_>],
        signal: bool,
    ) {
        for (info, enqueued) in infos.iter().zip(enqueued).rev() {
            if let Some(payload) = self.find_payload(info.semaphore) {
                payload.shared.cancel_reservation(signal, enqueued.value);
            }
        }
    }

    /// Publishes every semaphore's value. Holds the lock meanwhile, so that no thread can destroy a semaphore.
    pub fn publish_all_values(&self) {
        for payload in lock(&self.0).values() {
            let _ = payload.publish_current_value();
        }
    }

    pub fn close_all_payloads(&self) {
        let all = std::mem::take(&mut *lock(&self.0));
        all.into_values().for_each(|payload| payload.close_payload());
    }
}
