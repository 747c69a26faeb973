//! Measured hand-overs: CUDA signals, queues of Vulkan wait and signal in their order, and CUDA waits.

use std::cell::Cell;
use std::time::Instant;

use ash::vk;
use cuda_external_sys::*;

use crate::Result;
use crate::cuda::Stream;
use crate::shared::SharedSemaphore;
use crate::vulkan::{Kind, Queue, ReusableSubmission, Scope, Semaphore, Vulkan};

/// Semaphores from CUDA through queues of Vulkan and back to CUDA, with submissions that are made once.
pub struct HandOver<'v> {
    /// CUDA signals it; the first submission waits for it.
    pub to_vulkan: SharedSemaphore<'v>,
    /// The last submission signals it; CUDA waits for it.
    pub to_cuda: SharedSemaphore<'v>,
    submissions: Vec<(Box<ReusableSubmission>, &'v Queue)>,
    _between: Vec<Semaphore<'v>>,
    /// A timeline's value in this turn, and the one that the first submission waits for. The submissions point to them.
    values: Box<[Cell<u64>; 2]>,
    vulkan: &'v Vulkan,
}

impl<'v> HandOver<'v> {
    /// Creates the semaphores. Each queue runs its commands, which may be none, in every turn.
    pub fn new(
        vulkan: &'v Vulkan,
        kind: Kind,
        steps: &[(&'v Queue, Option<vk::CommandBuffer>)],
    ) -> Result<Self> {
        let [to_vulkan, to_cuda] = [SharedSemaphore::new(vulkan, kind)?, SharedSemaphore::new(vulkan, kind)?];
        let between =
            (1..steps.len()).map(|_| Semaphore::new(vulkan, kind, 0)).collect::<Result<Vec<_>>>()?;
        let values = Box::new([Cell::new(0), Cell::new(0)]);
        let [value, first_value] = values.each_ref().map(|value| value.as_ptr().cast_const());
        let chain = [to_vulkan.vulkan.raw].into_iter().chain(between.iter().map(|semaphore| semaphore.raw));
        let chain = Vec::from_iter(chain.chain([to_cuda.vulkan.raw]));
        let submissions = steps.iter().zip(chain.windows(2)).enumerate().map(|(at, (step, ends))| {
            let wait = (ends[0], if at == 0 { first_value } else { value });
            (ReusableSubmission::new(wait, step.1, (ends[1], value)), step.0)
        });
        let submissions = submissions.collect();
        Ok(Self { to_vulkan, to_cuda, submissions, _between: between, values, vulkan })
    }

    pub fn value(&self) -> u64 {
        self.values[0].get()
    }

    /// Begins a turn and returns its value. The first submission waits for the value of `late` turns before.
    pub fn next(&self, late: u64) -> u64 {
        let value = self.value() + 1;
        self.values[0].set(value);
        self.values[1].set(value.saturating_sub(late));
        value
    }

    /// CUDA signals this turn's value.
    pub fn signal(&self, stream: &Stream) -> Result<()> {
        let mut params = CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS::default();
        params.params.fence.value = self.value();
        let semaphore = self.to_vulkan.cuda.raw();
        // SAFETY: one semaphore and its parameters, which the driver copies.
        Ok(unsafe { cuSignalExternalSemaphoresAsync(&semaphore, &params, 1, stream.raw()) }.result()?)
    }

    pub fn wait(&self, value: u64, stream: &Stream) -> Result<()> {
        let mut params = CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS::default();
        params.params.fence.value = value;
        let semaphore = self.to_cuda.cuda.raw();
        // SAFETY: one semaphore and its parameters, which the driver copies.
        Ok(unsafe { cuWaitExternalSemaphoresAsync(&semaphore, &params, 1, stream.raw()) }.result()?)
    }

    pub fn submit(&self) -> Result<()> {
        for (submission, queue) in &self.submissions {
            // SAFETY: the values live as long as `self`. Dropping it waits for the queues.
            unsafe { submission.submit(self.vulkan, queue) }?;
        }
        Ok(())
    }

    /// CUDA works and signals, the queues wait, work and signal, and CUDA waits.
    pub fn turn(&self, stream: &Stream, work: impl FnOnce(u64) -> Result<()>) -> Result<()> {
        let value = self.next(0);
        work(value)?;
        self.signal(stream)?;
        self.submit()?;
        self.wait(value, stream)
    }

    /// Does the given number of turns, a hundred of them queued at a time, and waits for their end.
    pub fn queued(&self, stream: &Stream, turns: u64, work: impl Fn(u64) -> Result<()>) -> Result<()> {
        for first in (0..turns).step_by(100) {
            for _ in first..turns.min(first + 100) {
                self.turn(stream, &work)?;
            }
            stream.synchronize()?;
        }
        Ok(())
    }
}

impl Drop for HandOver<'_> {
    fn drop(&mut self) {
        // SAFETY: the device lives. The semaphores and the values may go when the queues are idle.
        let _ = unsafe { self.vulkan.device.device_wait_idle() };
    }
}

/// Measures rounds of `turns` turns each, after one that warms up. Returns the microseconds of a turn, for each round.
pub fn rounds(rounds: usize, turns: u64, mut round: impl FnMut() -> Result<()>) -> Result<Vec<f64>> {
    round()?;
    let mut times = Vec::new();
    for _ in 0..rounds {
        let start = Instant::now();
        round()?;
        times.push(start.elapsed().as_secs_f64() * 1e6 / turns as f64);
    }
    Ok(times)
}

/// Records commands that can be submitted again and again: a queue takes buffers from a family, works, and gives them
/// to a family. CUDA is `QUEUE_FAMILY_EXTERNAL`.
///
/// # Safety
///
/// The buffers are this device's, and live for as long as the commands are in use.
pub unsafe fn record(
    vulkan: &Vulkan,
    queue: &Queue,
    buffers: &[vk::Buffer],
    [from, to]: [u32; 2],
    scope: Scope,
    work: impl FnOnce(vk::CommandBuffer),
) -> Result<vk::CommandBuffer> {
    let device = &vulkan.device;
    let info = vk::CommandBufferAllocateInfo::default().command_pool(queue.commands).command_buffer_count(1);
    let begin = vk::CommandBufferBeginInfo::default().flags(vk::CommandBufferUsageFlags::SIMULTANEOUS_USE);
    // SAFETY: the pool is this device's, and so are the buffers. The structures outlive the calls.
    unsafe {
        let commands = device.allocate_command_buffers(&info)?[0];
        device.begin_command_buffer(commands, &begin)?;
        vulkan.transfer(commands, buffers, [from, queue.family], scope);
        work(commands);
        vulkan.transfer(commands, buffers, [queue.family, to], scope);
        device.end_command_buffer(commands)?;
        Ok(commands)
    }
}
