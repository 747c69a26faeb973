//! Measures a row of a table, after it has checked every byte of some round trips.

use std::cell::Cell;
use std::ptr::null_mut;

use ash::vk;
use cuda_external_sys::*;
use example_support::cuda::{self, DeviceMemory, INCREASE_PTX, Stream};
use example_support::hand_over::{HandOver, rounds};
use example_support::shared::SharedBuffer;
use example_support::vulkan::{Kind, Queue, Vulkan};
use example_support::{Result, bytes};
use test_support::bench::{self as support, Summary};

use super::commands::{Commands, Job as VulkanJob, SIZE};

pub const EXTERNAL: u32 = vk::QUEUE_FAMILY_EXTERNAL;

/// What CUDA does before it hands over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Job {
    Nothing,
    /// cuMemsetD32Async, which is one of the driver's kernels.
    Fill,
    /// A kernel that adds 1 to each word.
    Kernel,
}

/// How many round trips are checked, and how many are measured at once.
const CHECKED: u64 = 24;
const QUEUED: u64 = 60;
const SINGLE: u64 = 12;

pub struct Bench<'v> {
    pub vulkan: &'v Vulkan,
    pub stream: Stream,
    pub rounds: usize,
    kernel: CUfunction,
    pub commands: Commands<'v>,
    /// What CUDA writes, and what Vulkan copies it to.
    pub written: SharedBuffer<'v>,
    copied: SharedBuffer<'v>,
}

impl<'v> Bench<'v> {
    pub fn new(vulkan: &'v Vulkan) -> Result<Self> {
        let [written, copied] =
            [SharedBuffer::new(vulkan, SIZE, true)?, SharedBuffer::new(vulkan, SIZE, true)?];
        let (mut module, mut kernel) = (null_mut(), null_mut());
        // SAFETY: the text ends with a zero; the functions write handles. The module lives as long as the context.
        unsafe {
            cuModuleLoadData(&mut module, INCREASE_PTX.as_ptr().cast()).result()?;
            cuModuleGetFunction(&mut kernel, module, c"increase".as_ptr()).result()?;
        }
        Ok(Self {
            vulkan,
            stream: Stream::new()?,
            rounds: if support::is_bench() { 9 } else { 2 },
            kernel,
            commands: Commands::new(vulkan, &written.buffer, &copied.buffer)?,
            written,
            copied,
        })
    }

    /// Enqueues CUDA's work, which writes 1 MiB.
    pub fn work(&self, job: Job, mut to: CUdeviceptr, value: u64) -> Result<()> {
        let (mut count, mut by, stream) = ((SIZE / 4) as u32, 1_u32, self.stream.raw());
        let mut arguments = [(&raw mut to).cast(), (&raw mut count).cast(), (&raw mut by).cast()];
        let (block, arguments) = (256, arguments.as_mut_ptr());
        // SAFETY: what is written has the size. The kernel has these three arguments.
        let code = unsafe {
            match job {
                Job::Nothing => CUDA_SUCCESS,
                Job::Fill => cuMemsetD32Async(to, value as u32, count as usize, stream),
                Job::Kernel => {
                    let grid = count / block;
                    cuLaunchKernel(self.kernel, grid, 1, 1, block, 1, 1, 0, stream, arguments, null_mut())
                }
            }
        };
        Ok(code.result()?)
    }

    /// A row: the queues in their order, each with its work.
    pub fn round_trips(&self, queues: &[(&'v Queue, VulkanJob)], job: Job, kind: Kind) -> Result<String> {
        let family = |at: Option<usize>| at.and_then(|at| queues.get(at)).map_or(EXTERNAL, |(q, _)| q.family);
        let mut steps = Vec::new();
        for (at, &(queue, vulkan_job)) in queues.iter().enumerate() {
            let families = [family(at.checked_sub(1)), family(Some(at + 1))];
            let commands = match vulkan_job {
                VulkanJob::Nothing => None,
                vulkan_job => Some(self.commands.record(queue, families, vulkan_job, 1)?),
            };
            steps.push((queue, commands));
        }
        let hand_over = HandOver::new(self.vulkan, kind, &steps)?;
        let turn = || hand_over.turn(&self.stream, |value| self.work(job, self.written.address, value));
        if job != Job::Nothing && queues.iter().any(|(_, job)| job.copies()) {
            self.verify(job, hand_over.value() + 1, turn)?;
        }
        let single = rounds(self.rounds, SINGLE, || {
            (0..SINGLE).try_for_each(|_| turn().and_then(|()| self.stream.synchronize()))
        })?;
        let queued = self.queued(turn)?;
        drop(hand_over);
        let mut works = self.cuda_alone(job)?;
        for (queue, vulkan_job) in queues {
            works += self.vulkan_alone(queue, *vulkan_job)?;
        }
        let (single, price) = (Summary::of(single), queued.median - works);
        Ok(format!("{single:.1} | {queued:.1} | {price:.1}"))
    }

    /// All turns are queued, and the CPU waits for the last one.
    pub fn queued(&self, turn: impl Fn() -> Result<()>) -> Result<Summary> {
        let round = || (0..QUEUED).try_for_each(|_| turn()).and_then(|()| self.stream.synchronize());
        Ok(Summary::of(rounds(self.rounds, QUEUED, round)?))
    }

    /// Returns the time of CUDA's job by itself, in us.
    fn cuda_alone(&self, job: Job) -> Result<f64> {
        if job == Job::Nothing {
            return Ok(0.0);
        }
        let value = Cell::new(0);
        let work = || self.work(job, self.written.address, value.replace(value.get() + 1));
        Ok(self.queued(work)?.median)
    }

    /// Returns the time of Vulkan's job by itself on a queue, in us: that of many in a submission, less that of one.
    fn vulkan_alone(&self, queue: &Queue, job: VulkanJob) -> Result<f64> {
        const MANY: u32 = 65;
        if !job.copies() {
            return Ok(0.0);
        }
        let median = |times| {
            let commands = [self.commands.record(queue, [EXTERNAL; 2], job, times)?];
            let info = vk::SubmitInfo::default().command_buffers(&commands);
            // SAFETY: the buffers and the commands live as long as the bench.
            let round = || unsafe {
                self.vulkan.device.queue_submit(queue.raw, &[info], vk::Fence::null())?;
                Ok(self.vulkan.device.queue_wait_idle(queue.raw)?)
            };
            Ok::<_, example_support::Error>(Summary::of(rounds(self.rounds, 1, round)?).median)
        };
        Ok((median(MANY)? - median(1)?) / f64::from(MANY - 1))
    }

    /// Checks every byte of some queued turns: CUDA writes, Vulkan copies, and CUDA copies the copy.
    fn verify(&self, job: Job, first: u64, turn: impl Fn() -> Result<()>) -> Result<()> {
        let log = DeviceMemory::new((CHECKED * SIZE) as usize)?;
        self.stream.fill(self.written.address, 0, SIZE as usize)?;
        for at in 0..CHECKED {
            turn()?;
            self.stream.copy(log.address + at * SIZE, self.copied.address, SIZE as usize)?;
        }
        self.stream.synchronize()?;
        for at in 0..CHECKED {
            let seen = cuda::read(log.address + at * SIZE, SIZE as usize)?;
            let word = if job == Job::Kernel { at + 1 } else { first + at } as u32;
            let expected = word.to_ne_bytes().repeat(SIZE as usize / 4);
            bytes::compare(&format!("turn {at}"), &seen, &expected)?;
        }
        Ok(())
    }
}
