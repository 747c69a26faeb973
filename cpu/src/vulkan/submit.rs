//! Submissions: shared semaphores in the place of the application's.

use std::slice;
use std::sync::{Arc, Mutex};

use ash::vk;

use super::chain;
use super::device::{self, Device};
use super::payload::Payload;
use crate::lock;

/// A payload and the value that a submission signals.
pub type Signal = (Arc<Payload>, u64);

pub struct PendingSignal {
    queue: vk::Queue,
    fence: vk::Fence,
    pub payload: Arc<Payload>,
    value: u64,
}

/// What was enqueued on a device and may not have been signaled yet, in its order. lavapipe signals a submission's fence before its
/// timelines: who is told that a submission is finished finds its values in the pages, even if the process is killed then.
#[derive(Default)]
pub struct Pending(Mutex<Vec<PendingSignal>>);

impl Pending {
    fn add(&self, queue: vk::Queue, fence: vk::Fence, signals: Vec<Signal>) {
        let mut all = lock(&self.0);
        all.retain(|signal| signal.payload.shared.value() < signal.value);
        // The fence was reset.
        let earlier = all.iter_mut().filter(|signal| signal.fence == fence);
        earlier.for_each(|signal| signal.fence = vk::Fence::null());
        let signals = signals.into_iter();
        all.extend(signals.map(|(payload, value)| PendingSignal { queue, fence, payload, value }));
    }

    /// The submission with this fence is finished, and so is what its queue got before it.
    fn settle_fence(&self, fence: vk::Fence) {
        let all = lock(&self.0);
        let Some(last) = all.iter().rposition(|signal| signal.fence == fence) else { return };
        let finished = all[..=last].iter().filter(|signal| signal.queue == all[last].queue);
        finished.for_each(|signal| signal.payload.settle(signal.value));
    }

    /// These are executed. The lock is held meanwhile, so that a second thread that waits for the same returns after it too.
    pub fn settle(&self, is_over: impl Fn(&PendingSignal) -> bool) {
        lock(&self.0).retain(|signal| {
            let is_over = is_over(signal);
            if is_over {
                signal.payload.settle(signal.value);
            }
            !is_over
        });
    }
}

/// Returns a list of the application's, which may be null where it is empty.
pub unsafe fn list<'a, T>(first: *const T, count: u32) -> &'a [T] {
    if count == 0 {
        return &[];
    }
    // SAFETY: by this function's own condition.
    unsafe { slice::from_raw_parts(first, count as usize) }
}

/// What replaces the lists of a batch of `vkQueueSubmit` with shared semaphores.
struct Batch {
    waits: Semaphores,
    signals: Semaphores,
    timeline: vk::TimelineSemaphoreSubmitInfo<'static>,
}

type Semaphores = (Vec<vk::Semaphore>, Vec<u64>);

/// Returns the batch with lavapipe's semaphores.
unsafe fn replace(device: &Device, submit: &vk::SubmitInfo, pending: &mut Vec<Signal>) -> Option<Batch> {
    // SAFETY: by this function's own condition, here and below.
    let (waits, signals) = unsafe {
        let waits = list(submit.p_wait_semaphores, submit.wait_semaphore_count);
        (waits, list(submit.p_signal_semaphores, submit.signal_semaphore_count))
    };
    let is_shared = |semaphore: &vk::Semaphore| device.semaphores.payload(*semaphore).is_some();
    if !waits.iter().chain(signals).any(is_shared) {
        return None;
    }
    let (mut wait_values, mut signal_values, mut next): (&[u64], &[u64], _) = (&[], &[], submit.p_next);
    if let Some(info) = unsafe { chain::find::<vk::TimelineSemaphoreSubmitInfo>(submit.p_next) } {
        wait_values = unsafe { list(info.p_wait_semaphore_values, info.wait_semaphore_value_count) };
        signal_values = unsafe { list(info.p_signal_semaphore_values, info.signal_semaphore_value_count) };
        // Further down in the chain it stays, since the structs before it cannot be copied. The first one counts.
        if submit.p_next == (&raw const *info).cast() {
            next = info.p_next;
        }
    }
    let value = |values: &[u64], at: usize| values.get(at).copied().unwrap_or(0);
    let wait = |(at, semaphore): (usize, &_)| device.semaphores.wait(*semaphore, value(wait_values, at));
    let signal = |(at, semaphore): (usize, &_)| {
        device.semaphores.signal(*semaphore, value(signal_values, at), pending)
    };
    Some(Batch {
        waits: waits.iter().enumerate().map(wait).unzip(),
        signals: signals.iter().enumerate().map(signal).unzip(),
        timeline: vk::TimelineSemaphoreSubmitInfo { p_next: next, ..Default::default() },
    })
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
        let mut copies = list(submits, count).to_vec();
        let mut pending = Vec::new();
        let mut batches = Vec::from_iter(copies.iter().map(|submit| replace(&device, submit, &mut pending)));
        for (copy, batch) in copies.iter_mut().zip(&mut batches) {
            let Some(Batch { waits, signals, timeline }) = batch else { continue };
            timeline.p_wait_semaphore_values = waits.1.as_ptr();
            timeline.wait_semaphore_value_count = copy.wait_semaphore_count;
            timeline.p_signal_semaphore_values = signals.1.as_ptr();
            timeline.signal_semaphore_value_count = copy.signal_semaphore_count;
            copy.p_next = (&raw const *timeline).cast();
            copy.p_wait_semaphores = waits.0.as_ptr();
            copy.p_signal_semaphores = signals.0.as_ptr();
        }
        device.pending.add(queue, fence, pending);
        (device.call.fp_v1_0().queue_submit)(queue, count, copies.as_ptr(), fence)
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
        let mut copies = list(submits, count).to_vec();
        let mut pending = Vec::new();
        let lists = copies.iter().map(|submit| {
            let mut waits = list(submit.p_wait_semaphore_infos, submit.wait_semaphore_info_count).to_vec();
            for wait in &mut waits {
                (wait.semaphore, wait.value) = device.semaphores.wait(wait.semaphore, wait.value);
            }
            let mut signals =
                list(submit.p_signal_semaphore_infos, submit.signal_semaphore_info_count).to_vec();
            for signal in &mut signals {
                (signal.semaphore, signal.value) =
                    device.semaphores.signal(signal.semaphore, signal.value, &mut pending);
            }
            (waits, signals)
        });
        let lists = Vec::from_iter(lists);
        for (copy, (waits, signals)) in copies.iter_mut().zip(&lists) {
            copy.p_wait_semaphore_infos = waits.as_ptr();
            copy.p_signal_semaphore_infos = signals.as_ptr();
        }
        device.pending.add(queue, fence, pending);
        (device.call.fp_v1_3().queue_submit2)(queue, count, copies.as_ptr(), fence)
    }
}

pub unsafe extern "system" fn queue_wait_idle(queue: vk::Queue) -> vk::Result {
    // SAFETY: the application's arguments, here and below.
    unsafe {
        let device = device::of(queue);
        let result = (device.call.fp_v1_0().queue_wait_idle)(queue);
        device.pending.settle(|signal| result == vk::Result::SUCCESS && signal.queue == queue);
        result
    }
}

pub unsafe extern "system" fn device_wait_idle(handle: vk::Device) -> vk::Result {
    unsafe {
        let device = device::of(handle);
        let result = (device.call.fp_v1_0().device_wait_idle)(handle);
        device.pending.settle(|_| result == vk::Result::SUCCESS);
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
    unsafe {
        let device = device::of(handle);
        let result = (device.call.fp_v1_0().wait_for_fences)(handle, count, fences, all, timeout);
        if result == vk::Result::SUCCESS {
            list(fences, count).iter().for_each(|fence| _ = get_fence_status(handle, *fence));
        }
        result
    }
}

pub unsafe extern "system" fn get_fence_status(handle: vk::Device, fence: vk::Fence) -> vk::Result {
    unsafe {
        let device = device::of(handle);
        let result = (device.call.fp_v1_0().get_fence_status)(handle, fence);
        if result == vk::Result::SUCCESS {
            device.pending.settle_fence(fence);
        }
        result
    }
}
