//! A device's semaphores that can be exported or were imported.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use ash::vk;

use super::semaphore_payload::SemaphorePayload;
use cuda_external_in_process::lock_ignoring_poison as lock;

#[derive(Default)]
pub struct SemaphorePayloadMap(Mutex<BTreeMap<vk::Semaphore, Arc<SemaphorePayload>>>);

impl SemaphorePayloadMap {
    pub fn payload_of(&self, semaphore: vk::Semaphore) -> Option<Arc<SemaphorePayload>> {
        lock(&self.0).get(&semaphore).cloned()
    }

    pub fn insert_payload(&self, semaphore: vk::Semaphore, payload: Arc<SemaphorePayload>) {
        let replaced = lock(&self.0).insert(semaphore, payload);
        if let Some(replaced) = replaced {
            replaced.close_payload();
        }
    }

    pub fn remove_payload(&self, semaphore: vk::Semaphore) {
        let removed = lock(&self.0).remove(&semaphore);
        if let Some(removed) = removed {
            removed.close_payload();
        }
    }

    /// Reserves the values of waits or signals, and returns them with lavapipe's semaphores.
    pub fn reserve_values<'a>(
        &self,
        infos: &[vk::SemaphoreSubmitInfo<'a>],
        signal: bool,
    ) -> Vec<vk::SemaphoreSubmitInfo<'a>> {
        let replaced = |info: &vk::SemaphoreSubmitInfo<'a>| match self.payload_of(info.semaphore) {
            Some(payload) => {
                info.semaphore(payload.native).value(payload.shared.reserve_value(signal, info.value))
            }
            None => *info,
        };
        infos.iter().map(replaced).collect()
    }

    /// Takes back the values that were reserved for a failed submission.
    pub fn cancel_reservations(
        &self,
        infos: &[vk::SemaphoreSubmitInfo<'_>],
        enqueued: &[vk::SemaphoreSubmitInfo<'_>],
        signal: bool,
    ) {
        for (info, enqueued) in infos.iter().zip(enqueued).rev() {
            if let Some(payload) = self.payload_of(info.semaphore) {
                payload.shared.cancel_reservation(signal, enqueued.value);
            }
        }
    }

    /// Publishes every value. The lock is held meanwhile, so that no semaphore is destroyed.
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
