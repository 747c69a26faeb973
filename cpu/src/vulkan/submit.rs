//! Submissions: shared semaphores in the place of the application's, and what a finished submission has signaled.

use std::ffi::c_void;
use std::slice;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ash::vk;

use super::chain;
use super::device::{self, Device};
use super::payload::Payload;

/// A signal that is enqueued.
struct Signal {
    queue: vk::Queue,
    fence: vk::Fence,
    payload: Arc<Payload>,
    value: u64,
}

/// What was enqueued on a device and may not have been signaled yet, in its order.
#[derive(Default)]
pub struct Pending(Mutex<Vec<Signal>>);

impl Pending {
    fn lock(&self) -> MutexGuard<'_, Vec<Signal>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&self, queue: vk::Queue, fence: vk::Fence, signals: Vec<(Arc<Payload>, u64)>) {
        let mut all = self.lock();
        all.retain(|signal| signal.payload.shared.value() < signal.value);
        if fence != vk::Fence::null() {
            // It was reset.
            let earlier = all.iter_mut().filter(|signal| signal.fence == fence);
            earlier.for_each(|signal| signal.fence = vk::Fence::null());
        }
        let signals = signals.into_iter();
        all.extend(signals.map(|(payload, value)| Signal { queue, fence, payload, value }));
    }

    /// The submission with this fence is finished, and so is what its queue got before it.
    fn settle_fence(&self, fence: vk::Fence) {
        let mut all = self.lock();
        let Some(last) = all.iter().rposition(|signal| signal.fence == fence) else { return };
        let queue = all[last].queue;
        let mut index = 0..;
        let is_over =
            |signal: &Signal| index.next().is_some_and(|index| index <= last) && signal.queue == queue;
        settle(&mut all, is_over);
    }

    /// The lock is held meanwhile, so that a second thread that waits for the same returns after it too.
    fn settle(&self, is_over: impl FnMut(&Signal) -> bool) {
        settle(&mut self.lock(), is_over);
    }

    /// The semaphore is about to be destroyed.
    pub fn forget(&self, payload: &Arc<Payload>) {
        self.lock().retain(|signal| !Arc::ptr_eq(&signal.payload, payload));
    }

    /// The device is about to be destroyed.
    pub fn clear(&self) {
        self.lock().clear();
    }
}

fn settle(all: &mut Vec<Signal>, mut is_over: impl FnMut(&Signal) -> bool) {
    all.retain(|signal| {
        let is_over = is_over(signal);
        if is_over {
            signal.payload.settle(signal.value);
        }
        !is_over
    });
}

/// A batch of `vkQueueSubmit` with shared semaphores: what replaces the application's lists.
struct Batch {
    waits: Vec<vk::Semaphore>,
    wait_values: Vec<u64>,
    signals: Vec<vk::Semaphore>,
    signal_values: Vec<u64>,
    timeline: vk::TimelineSemaphoreSubmitInfo<'static>,
}

unsafe fn list<'a, T>(first: *const T, count: u32) -> &'a [T] {
    if count == 0 {
        return &[];
    }
    // SAFETY: by this function's own condition.
    unsafe { slice::from_raw_parts(first, count as usize) }
}

/// Returns the batch with lavapipe's semaphores. Their payloads are added to `pending`.
unsafe fn replace(
    device: &Device,
    submit: &vk::SubmitInfo,
    pending: &mut Vec<(Arc<Payload>, u64)>,
) -> Option<Batch> {
    // SAFETY: by this function's own condition.
    let (waits, signals) = unsafe {
        let waits = list(submit.p_wait_semaphores, submit.wait_semaphore_count);
        (waits, list(submit.p_signal_semaphores, submit.signal_semaphore_count))
    };
    if !waits.iter().chain(signals).any(|semaphore| device.semaphores.is_shared(*semaphore)) {
        return None;
    }
    // SAFETY: as above.
    let (wait_values, signal_values, next) = unsafe {
        match chain::find::<vk::TimelineSemaphoreSubmitInfo>(submit.p_next) {
            Some(info) => (
                list(info.p_wait_semaphore_values, info.wait_semaphore_value_count),
                list(info.p_signal_semaphore_values, info.signal_semaphore_value_count),
                // Further down in the chain it stays, since the structs before it cannot be copied. The first one counts.
                if submit.p_next == (info as *const vk::TimelineSemaphoreSubmitInfo).cast() {
                    info.p_next
                } else {
                    submit.p_next
                },
            ),
            None => (&[][..], &[][..], submit.p_next),
        }
    };
    let value = |values: &[u64], index: usize| values.get(index).copied().unwrap_or(0);
    let mut batch = Batch {
        waits: Vec::with_capacity(waits.len()),
        wait_values: Vec::with_capacity(waits.len()),
        signals: Vec::with_capacity(signals.len()),
        signal_values: Vec::with_capacity(signals.len()),
        timeline: vk::TimelineSemaphoreSubmitInfo { p_next: next, ..Default::default() },
    };
    for (index, semaphore) in waits.iter().enumerate() {
        let (semaphore, value) = device.semaphores.wait(*semaphore, value(wait_values, index));
        batch.waits.push(semaphore);
        batch.wait_values.push(value);
    }
    for (index, semaphore) in signals.iter().enumerate() {
        let value = value(signal_values, index);
        let (native, value) = signal(device, *semaphore, value, pending);
        batch.signals.push(native);
        batch.signal_values.push(value);
    }
    Some(batch)
}

fn signal(
    device: &Device,
    semaphore: vk::Semaphore,
    value: u64,
    pending: &mut Vec<(Arc<Payload>, u64)>,
) -> (vk::Semaphore, u64) {
    let Some((payload, value)) = device.semaphores.signal(semaphore, value) else {
        return (semaphore, value);
    };
    let native = payload.native;
    pending.push((payload, value));
    (native, value)
}

pub unsafe extern "system" fn queue_submit(
    queue: vk::Queue,
    count: u32,
    submits: *const vk::SubmitInfo,
    fence: vk::Fence,
) -> vk::Result {
    // SAFETY: the application's arguments; the replaced lists outlive the call.
    unsafe {
        let device = device::of(queue);
        let mut pending = Vec::new();
        let mut copies = list(submits, count).to_vec();
        let mut batches = Vec::from_iter(copies.iter().map(|submit| replace(&device, submit, &mut pending)));
        for (copy, batch) in copies.iter_mut().zip(&mut batches) {
            let Some(batch) = batch else { continue };
            let timeline = &mut batch.timeline;
            timeline.p_wait_semaphore_values = batch.wait_values.as_ptr();
            timeline.wait_semaphore_value_count = copy.wait_semaphore_count;
            timeline.p_signal_semaphore_values = batch.signal_values.as_ptr();
            timeline.signal_semaphore_value_count = copy.signal_semaphore_count;
            copy.p_next = (&raw const *timeline).cast::<c_void>();
            copy.p_wait_semaphores = batch.waits.as_ptr();
            copy.p_signal_semaphores = batch.signals.as_ptr();
        }
        device.pending.add(queue, fence, pending);
        device.call.queue_submit.expect("Vulkan 1.0 has it")(queue, count, copies.as_ptr(), fence)
    }
}

pub unsafe extern "system" fn queue_submit2(
    queue: vk::Queue,
    count: u32,
    submits: *const vk::SubmitInfo2,
    fence: vk::Fence,
) -> vk::Result {
    // SAFETY: the application's arguments; the replaced lists outlive the call.
    unsafe {
        let device = device::of(queue);
        let mut pending = Vec::new();
        let mut copies = list(submits, count).to_vec();
        let lists = copies.iter().map(|submit| {
            let mut waits = list(submit.p_wait_semaphore_infos, submit.wait_semaphore_info_count).to_vec();
            for wait in &mut waits {
                (wait.semaphore, wait.value) = device.semaphores.wait(wait.semaphore, wait.value);
            }
            let mut signals =
                list(submit.p_signal_semaphore_infos, submit.signal_semaphore_info_count).to_vec();
            for info in &mut signals {
                (info.semaphore, info.value) = signal(&device, info.semaphore, info.value, &mut pending);
            }
            (waits, signals)
        });
        let lists = Vec::from_iter(lists);
        for (copy, (waits, signals)) in copies.iter_mut().zip(&lists) {
            copy.p_wait_semaphore_infos = waits.as_ptr();
            copy.p_signal_semaphore_infos = signals.as_ptr();
        }
        device.pending.add(queue, fence, pending);
        device.call.queue_submit2.expect("it was found by name")(queue, count, copies.as_ptr(), fence)
    }
}

pub unsafe extern "system" fn queue_wait_idle(queue: vk::Queue) -> vk::Result {
    // SAFETY: the application's arguments.
    unsafe {
        let device = device::of(queue);
        let result = device.call.queue_wait_idle.expect("Vulkan 1.0 has it")(queue);
        if result == vk::Result::SUCCESS {
            device.pending.settle(|signal| signal.queue == queue);
        }
        result
    }
}

pub unsafe extern "system" fn device_wait_idle(handle: vk::Device) -> vk::Result {
    // SAFETY: the application's arguments.
    unsafe {
        let device = device::of(handle);
        let result = device.call.device_wait_idle.expect("Vulkan 1.0 has it")(handle);
        if result == vk::Result::SUCCESS {
            device.pending.settle(|_| true);
        }
        result
    }
}

pub unsafe extern "system" fn wait_for_fences(
    handle: vk::Device,
    count: u32,
    fences: *const vk::Fence,
    all: vk::Bool32,
    timeout: u64,
) -> vk::Result {
    // SAFETY: the application's arguments.
    unsafe {
        let device = device::of(handle);
        let call = &device.call;
        let result = call.wait_for_fences.expect("Vulkan 1.0 has it")(handle, count, fences, all, timeout);
        if result == vk::Result::SUCCESS {
            let status = call.get_fence_status.expect("Vulkan 1.0 has it");
            for fence in list(fences, count) {
                if all != 0 || count == 1 || status(handle, *fence) == vk::Result::SUCCESS {
                    device.pending.settle_fence(*fence);
                }
            }
        }
        result
    }
}

pub unsafe extern "system" fn get_fence_status(handle: vk::Device, fence: vk::Fence) -> vk::Result {
    // SAFETY: the application's arguments.
    unsafe {
        let device = device::of(handle);
        let result = device.call.get_fence_status.expect("Vulkan 1.0 has it")(handle, fence);
        if result == vk::Result::SUCCESS {
            device.pending.settle_fence(fence);
        }
        result
    }
}
