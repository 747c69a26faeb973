//! What a shared semaphore holds: a timeline of lavapipe's and the page that every process maps, kept equal by two threads.

use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::{io, ptr, slice};

use ash::vk;

use super::device::Functions;
use crate::shared::Semaphore as Shared;

/// The functions of a device's timelines.
#[derive(Clone, Copy)]
pub struct Timeline {
    device: vk::Device,
    create: vk::PFN_vkCreateSemaphore,
    destroy: vk::PFN_vkDestroySemaphore,
    value: vk::PFN_vkGetSemaphoreCounterValue,
    wait: vk::PFN_vkWaitSemaphores,
    signal: vk::PFN_vkSignalSemaphore,
}

impl Timeline {
    /// Returns `None` for a device without timelines.
    pub fn new(device: vk::Device, call: &Functions) -> Option<Self> {
        Some(Self {
            device,
            create: call.create_semaphore?,
            destroy: call.destroy_semaphore?,
            value: call.get_value?,
            wait: call.wait_semaphores?,
            signal: call.signal_semaphore?,
        })
    }

    /// Creates a timeline.
    pub fn create(
        &self,
        value: u64,
        flags: vk::SemaphoreCreateFlags,
        allocator: *const vk::AllocationCallbacks,
    ) -> Result<vk::Semaphore, vk::Result> {
        let mut timeline = vk::SemaphoreTypeCreateInfo::default()
            .semaphore_type(vk::SemaphoreType::TIMELINE)
            .initial_value(value);
        let info = vk::SemaphoreCreateInfo::default().flags(flags).push_next(&mut timeline);
        let mut semaphore = vk::Semaphore::null();
        // SAFETY: the device lives.
        unsafe { (self.create)(self.device, &info, allocator, &mut semaphore) }.result()?;
        Ok(semaphore)
    }

    pub fn value(&self, semaphore: vk::Semaphore) -> Result<u64, vk::Result> {
        let mut value = 0;
        // SAFETY: the semaphore lives.
        unsafe { (self.value)(self.device, semaphore, &mut value) }.result_with_success(value)
    }

    /// Waits until the timeline has the value, or for as many nanoseconds.
    fn wait(&self, semaphore: vk::Semaphore, value: u64, timeout: u64) -> vk::Result {
        let info = vk::SemaphoreWaitInfo::default()
            .semaphores(slice::from_ref(&semaphore))
            .values(slice::from_ref(&value));
        // SAFETY: the semaphore lives.
        unsafe { (self.wait)(self.device, &info, timeout) }
    }

    fn signal(&self, semaphore: vk::Semaphore, value: u64) -> vk::Result {
        let info = vk::SemaphoreSignalInfo::default().semaphore(semaphore).value(value);
        // SAFETY: the semaphore lives.
        unsafe { (self.signal)(self.device, &info) }
    }
}

pub struct Payload {
    timeline: Timeline,
    /// For a binary semaphore too: its n-th signal is the value n.
    pub native: vk::Semaphore,
    /// Whether `native` is this layer's own, and not the application's handle.
    is_own: bool,
    pub shared: Shared,
    pub fd: OwnedFd,
    /// Held while the CPU signals, since Mesa loses the device if a value does not grow.
    signaling: Mutex<()>,
    ending: AtomicBool,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

impl Payload {
    pub fn new(
        timeline: Timeline,
        native: vk::Semaphore,
        is_own: bool,
        shared: Shared,
        fd: OwnedFd,
    ) -> Arc<Self> {
        let (signaling, ending, threads) = Default::default();
        Arc::new(Self { timeline, native, is_own, shared, fd, signaling, ending, threads })
    }

    /// Starts to keep both equal, which costs two threads: from the first export or import on.
    pub fn start(self: &Arc<Self>) -> io::Result<()> {
        let mut threads = self.threads.lock().unwrap_or_else(PoisonError::into_inner);
        if threads.is_empty() {
            if let Ok(value) = self.timeline.value(self.native) {
                self.shared.signal(value);
            }
            let payload = Arc::clone(self);
            threads.push(spawn(move || payload.publish_all())?);
            let payload = Arc::clone(self);
            threads.push(spawn(move || payload.take_all())?);
        }
        Ok(())
    }

    /// Passes the values of Vulkan's timeline on.
    fn publish_all(&self) {
        // `stop` sets `ending` and then signals the next value: whoever reads that one sees `ending`, any other waits for it.
        let mut last = self.timeline.value(self.native);
        while let Some(next) = last.ok().and_then(|value| value.checked_add(1)) {
            if self.ending.load(SeqCst) {
                return;
            }
            let result = self.timeline.wait(self.native, next, u64::MAX);
            let is_over = !matches!(result, vk::Result::SUCCESS | vk::Result::TIMEOUT);
            if is_over || self.ending.load(SeqCst) {
                return;
            }
            last = self.timeline.value(self.native).inspect(|value| _ = self.shared.signal(*value));
        }
    }

    /// Passes the values of the page on.
    fn take_all(&self) {
        while let Some(next) = self.timeline.value(self.native).ok().and_then(|value| value.checked_add(1)) {
            if !self.shared.wait_while(next, || !self.ending.load(SeqCst)) || self.ending.load(SeqCst) {
                return;
            }
            let _lock = self.signaling.lock().unwrap_or_else(PoisonError::into_inner);
            let value = self.shared.value();
            if self.timeline.value(self.native).is_ok_and(|here| here < value)
                && self.timeline.signal(self.native, value) != vk::Result::SUCCESS
            {
                return;
            }
        }
    }

    /// Returns the timeline's value.
    pub fn value(&self) -> Result<u64, vk::Result> {
        let value = self.timeline.value(self.native)?;
        self.shared.signal(value);
        Ok(self.shared.value())
    }

    /// Signals from the CPU.
    pub fn signal(&self, value: u64) -> vk::Result {
        let _lock = self.signaling.lock().unwrap_or_else(PoisonError::into_inner);
        let result = self.timeline.signal(self.native, value);
        if result == vk::Result::SUCCESS {
            self.shared.signal(value);
        }
        result
    }

    /// Passes on a value that a submission has signaled. lavapipe signals its fence before its timelines.
    pub fn settle(&self, value: u64) {
        const SECOND: u64 = 1_000_000_000;
        if self.shared.value() < value
            && self.timeline.wait(self.native, value, SECOND) == vk::Result::SUCCESS
        {
            self.shared.signal(value);
        }
    }

    /// Ends the threads.
    pub fn stop(&self) {
        let threads = std::mem::take(&mut *self.threads.lock().unwrap_or_else(PoisonError::into_inner));
        if threads.is_empty() {
            return;
        }
        self.ending.store(true, SeqCst);
        {
            // What ends `publish_all`'s wait: nothing else uses the semaphore any more.
            let _lock = self.signaling.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(next) = self.timeline.value(self.native).ok().and_then(|value| value.checked_add(1)) {
                let _ = self.timeline.signal(self.native, next);
            }
        }
        self.shared.wake();
        for thread in threads {
            let _ = thread.join();
        }
    }

    /// Ends the threads, and destroys what is this layer's.
    pub fn close(&self) {
        self.stop();
        if self.is_own {
            // SAFETY: the application has ended the use of the semaphore.
            unsafe { (self.timeline.destroy)(self.timeline.device, self.native, ptr::null()) };
        }
    }
}

/// Starts a thread that gets none of the process's signals, whose handlers do not expect it.
fn spawn(run: impl FnOnce() + Send + 'static) -> io::Result<JoinHandle<()>> {
    let builder = thread::Builder::new().name("vulkan semaphore".to_owned()).stack_size(256 << 10);
    // SAFETY: the sets are filled in before they are read.
    unsafe {
        let (mut all, mut before) = (MaybeUninit::uninit(), MaybeUninit::uninit());
        libc::sigfillset(all.as_mut_ptr());
        libc::pthread_sigmask(libc::SIG_SETMASK, all.as_ptr(), before.as_mut_ptr());
        let thread = builder.spawn(run);
        libc::pthread_sigmask(libc::SIG_SETMASK, before.as_ptr(), ptr::null_mut());
        thread
    }
}
