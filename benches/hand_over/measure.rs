//! The tables: each row sets its loop up, checks every byte of some turns, and measures.

use std::cell::RefCell;
use std::collections::HashMap;
use std::env;
use std::path::PathBuf;
use std::ptr::null_mut;
use std::time::Instant;

use ash::vk;
use cuda_external_sys::*;
use interop::cuda::{self, Cuda};
use interop::vulkan::{Buffer, Memory, Prepared, Queue, Semaphore, Vulkan};
use interop::{Error, Result};
use libloading::os::unix::{Library, RTLD_GLOBAL, RTLD_NOW};

use crate::commands::{Commands, Job as VulkanJob, SIZE};
use crate::kernel::Kernel;
use crate::work::{self, Job, Loop, Step, Work};
use bench_support::{self as support, Summary};

pub const EXTERNAL: u32 = vk::QUEUE_FAMILY_EXTERNAL;

pub const JOBS: [(Job, &str); 4] =
    [(Job::Nothing, "nothing"), (Job::Fill, "fill"), (Job::Copy, "copy"), (Job::Kernel, "kernel")];

const VULKAN_JOBS: [(VulkanJob, &str); 7] = [
    (VulkanJob::Nothing, "nothing"),
    (VulkanJob::Own, "ownership"),
    (VulkanJob::Copy, "copy"),
    (VulkanJob::NarrowCopy, "copy, named stages"),
    (VulkanJob::BareCopy, "copy, no ownership"),
    (VulkanJob::Dispatch, "dispatch"),
    (VulkanJob::Draw, "draw"),
];

pub fn all() -> Result<()> {
    let cuda = Cuda::open(0)?;
    let vulkan = Vulkan::open(&cuda.uuid)?;
    let bench = Bench::new(&vulkan)?;
    println!("{}, CUDA {}", cuda.name, load().map_or(0, |driver| driver.version()));
    println!(
        "A turn: CUDA works and signals, Vulkan waits, works and signals, CUDA waits. Each work is of 1 MiB."
    );
    println!(
        "Times in us: median (5 % to 95 %). \"Price\": of the queued turn, less both works by themselves."
    );
    println!("The last column: this crate's time over C's, queued.\n");
    for queue in &vulkan.queues {
        println!("Vulkan's queue family {}: {:?}", queue.family, queue.flags);
    }
    println!(
        "\n| family | semaphore | CUDA | Vulkan | one at a time | queued | price | Rust / C |\n|---|---|---|---|---|---|---|---|"
    );
    for queue in &vulkan.queues {
        for timeline in [false, true] {
            for (job, job_name) in JOBS {
                for (vulkan_job, vulkan_name) in VULKAN_JOBS {
                    if bench.can(job) && vulkan_job.is_possible(queue.flags) {
                        let kind = if timeline { "timeline" } else { "binary" };
                        let row = bench.turns(&[(queue, vulkan_job)], job, timeline)?;
                        println!("| {} | {kind} | {job_name} | {vulkan_name} | {row} |", queue.family);
                    }
                }
            }
        }
    }
    crate::chains::all(&bench)?;
    crate::batches::all(&bench)
}

pub struct Bench<'v> {
    pub vulkan: &'v Vulkan,
    pub stream: CUstream,
    pub rounds: usize,
    kernel: Option<Kernel>,
    c: Library,
    pub commands: Commands<'v>,
    /// What CUDA writes and what Vulkan copies it to, as CUDA has mapped them.
    pub written: CUdeviceptr,
    copied: CUdeviceptr,
    pub patterns: CUdeviceptr,
    /// What the works take by themselves, as far as measured.
    alone: RefCell<Alone>,
    _buffers: [(Buffer<'v>, Memory<'v>); 2],
}

#[derive(Default)]
struct Alone {
    cuda: HashMap<Job, f64>,
    vulkan: HashMap<(u32, VulkanJob), f64>,
}

/// How many turns are checked, and how many are measured at once.
const CHECKED: u64 = 24;
pub const QUEUED: u64 = 60;
const SINGLE: u64 = 12;

// SAFETY, of every call here: the pointers are to variables of the right type, and what a row makes lives until
// its end, after its stream and its queues are done.

impl<'v> Bench<'v> {
    fn new(vulkan: &'v Vulkan) -> Result<Self> {
        let shared = || Buffer::with_memory(vulkan, SIZE, true);
        let buffers = [shared()?, shared()?];
        let mut mapped = [0; 2];
        for (address, (_, memory)) in mapped.iter_mut().zip(&buffers) {
            let imported = cuda::import_memory(memory.export()?, memory.size, memory.dedicated)?;
            *address = cuda::map_buffer(imported, 0, SIZE)?;
        }
        let (mut stream, mut patterns) = (null_mut(), 0);
        unsafe {
            cuStreamCreate(&mut stream, CU_STREAM_NON_BLOCKING.into()).result()?;
            cuMemAlloc_v2(&mut patterns, 9 * SIZE as usize).result()?;
        }
        for value in 0..8 {
            let bytes: Vec<u8> = words(Job::Copy, value).flat_map(u32::to_ne_bytes).collect();
            cuda::write(patterns + u64::from(value) * SIZE, &bytes)?;
        }
        let kernel = Kernel::load();
        if let Err(error) = &kernel {
            println!("No rows with a kernel: {error}");
        }
        Ok(Self {
            vulkan,
            stream,
            rounds: if support::is_bench() { 9 } else { 2 },
            kernel: kernel.ok(),
            c: compile(),
            commands: Commands::new(vulkan, &buffers[0].0, &buffers[1].0)?,
            written: mapped[0],
            copied: mapped[1],
            patterns,
            alone: RefCell::default(),
            _buffers: buffers,
        })
    }

    /// Whether CUDA can do the job here.
    pub fn can(&self, job: Job) -> bool {
        job != Job::Kernel || self.kernel.is_some()
    }

    /// A row: the queues in their order, each with its work.
    pub fn turns(&self, queues: &[(&Queue, VulkanJob)], job: Job, timeline: bool) -> Result<String> {
        let mut values = [0_u64; 2];
        let value: *mut u64 = &raw mut values[0];
        let semaphore = || {
            if timeline { Semaphore::timeline(self.vulkan, 0) } else { Semaphore::binary(self.vulkan) }
        };
        // From CUDA to the first queue, from each queue to the next one, and from the last one to CUDA.
        let semaphores = (0..=queues.len()).map(|_| semaphore()).collect::<Result<Vec<_>>>()?;
        let mut submissions = Vec::new();
        for (at, (queue, vulkan_job)) in queues.iter().enumerate() {
            let family =
                |at: Option<usize>| at.and_then(|at| queues.get(at)).map_or(EXTERNAL, |(q, _)| q.family);
            let commands = if *vulkan_job == VulkanJob::Nothing {
                None
            } else {
                let (from, to) = (family(at.checked_sub(1)), family(Some(at + 1)));
                Some(self.commands.record(queue, from, *vulkan_job, to)?)
            };
            let wait = (semaphores[at].raw, value.cast_const());
            submissions.push(Prepared::new(wait, commands, (semaphores[at + 1].raw, value.cast_const())));
        }
        let steps: Vec<Step> = submissions
            .iter()
            .zip(queues)
            .map(|(submission, (queue, _))| Step::new(submission, queue))
            .collect();
        let ends = [&semaphores[0], &semaphores[queues.len()]];
        let mut work = self.work(ends, &steps, job, timeline)?;
        (work.value, work.late) = (value, &raw mut values[1]);
        let copies = queues.iter().any(|(_, job)| !matches!(job, VulkanJob::Nothing | VulkanJob::Own));
        if copies && job != Job::Nothing {
            self.verify(&work)?;
        }
        let [single, _] = self.measure("one_at_a_time", work::one_at_a_time, &mut work, SINGLE)?;
        let [queued, c] = self.measure("queued", work::queued, &mut work, QUEUED)?;
        let ratio = Summary::of_ratios(&queued, &c);
        self.end(work)?;
        let (single, queued) = (Summary::of(single), Summary::of(queued));
        let mut works = self.cuda_alone(job)?;
        for (queue, vulkan_job) in queues {
            works += self.vulkan_alone(queue, *vulkan_job)?;
        }
        let price = queued.median - works;
        Ok(format!("{single:.1} | {queued:.1} | {price:.1} | {:.2}", ratio.median))
    }

    /// What CUDA's job takes by itself, in us.
    fn cuda_alone(&self, job: Job) -> Result<f64> {
        if let Some(known) = self.alone.borrow().cuda.get(&job) {
            return Ok(*known);
        }
        let mut value = 0_u64;
        let work = Work { value: &raw mut value, ..self.empty(job) };
        let mut times = Vec::new();
        for _ in 0..=self.rounds {
            let start = Instant::now();
            for _ in 0..QUEUED {
                unsafe {
                    *work.value += 1;
                    work::cuda_job(&work).result()?;
                }
            }
            unsafe { cuStreamSynchronize(self.stream) }.result()?;
            times.push(start.elapsed().as_secs_f64() * 1e6 / QUEUED as f64);
        }
        let time = if job == Job::Nothing { 0.0 } else { Summary::of(times).median };
        self.alone.borrow_mut().cuda.insert(job, time);
        Ok(time)
    }

    /// What Vulkan's job takes by itself on a queue, in us: many in a submission, less a submission of one.
    fn vulkan_alone(&self, queue: &Queue, job: VulkanJob) -> Result<f64> {
        const MANY: u32 = 65;
        if matches!(job, VulkanJob::Nothing | VulkanJob::Own) {
            return Ok(0.0);
        }
        let key = (queue.family, job);
        if let Some(known) = self.alone.borrow().vulkan.get(&key) {
            return Ok(*known);
        }
        let mut medians = [0.0; 2];
        for (median, times) in medians.iter_mut().zip([1, MANY]) {
            let commands = [self.commands.record_times(queue, EXTERNAL, job, times, EXTERNAL)?];
            let info = vk::SubmitInfo::default().command_buffers(&commands);
            let mut durations = Vec::new();
            for _ in 0..=self.rounds {
                let start = Instant::now();
                unsafe {
                    self.vulkan.device.queue_submit(queue.raw, &[info], vk::Fence::null())?;
                    self.vulkan.device.queue_wait_idle(queue.raw)?;
                }
                durations.push(start.elapsed().as_secs_f64() * 1e6);
            }
            *median = Summary::of(durations).median;
        }
        let time = (medians[1] - medians[0]) / f64::from(MANY - 1);
        self.alone.borrow_mut().vulkan.insert(key, time);
        Ok(time)
    }

    pub fn work(&self, ends: [&Semaphore; 2], steps: &[Step], job: Job, timeline: bool) -> Result<Work> {
        let type_ = if timeline {
            CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD
        } else {
            CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD
        };
        Ok(Work {
            to_vulkan: cuda::import_semaphore(ends[0].export()?, type_)?,
            to_cuda: cuda::import_semaphore(ends[1].export()?, type_)?,
            steps: steps.as_ptr(),
            step_count: steps.len() as u32,
            ..self.empty(job)
        })
    }

    /// CUDA's side alone.
    fn empty(&self, job: Job) -> Work {
        Work {
            stream: self.stream,
            to_vulkan: null_mut(),
            to_cuda: null_mut(),
            submit: self.vulkan.device.fp_v1_0().queue_submit,
            steps: std::ptr::null(),
            step_count: 0,
            job,
            value: null_mut(),
            late: null_mut(),
            to: self.written,
            from: self.patterns,
            size: SIZE,
            launch: self.kernel.map(|kernel| kernel.launch),
            kernel: self.kernel.map_or(null_mut(), |kernel| kernel.function),
        }
    }

    /// Every byte of some turns that are all queued: what CUDA writes, Vulkan copies, and CUDA copies that.
    fn verify(&self, work: &Work) -> Result<()> {
        let mut log = 0;
        unsafe { cuMemAlloc_v2(&mut log, (CHECKED * SIZE) as usize) }.result()?;
        let first = unsafe { *work.value } as u32 + 1;
        for at in 0..CHECKED {
            unsafe {
                work::turn(work).result()?;
                cuMemcpyDtoDAsync_v2(log + at * SIZE, self.copied, SIZE as usize, self.stream).result()?;
            }
        }
        unsafe { cuStreamSynchronize(self.stream) }.result()?;
        for at in 0..CHECKED {
            let seen = cuda::read(log + at * SIZE, SIZE as usize)?;
            let expected = words(work.job, first + at as u32).flat_map(u32::to_ne_bytes);
            if !seen.into_iter().eq(expected) {
                return Err(Error::Failed(format!("turn {at}: CUDA reads other bytes than it wrote")));
            }
        }
        Ok(unsafe { cuMemFree_v2(log) }.result()?)
    }

    /// This crate's times and C's, in turns, in us.
    pub fn measure(&self, name: &str, rust: Loop, work: &mut Work, turns: u64) -> Result<[Vec<f64>; 2]> {
        // SAFETY: work.c's functions have this type.
        let c: Loop = unsafe { *self.c.get(name.as_bytes()).expect("work.c has it") };
        let sides = [rust, c];
        let mut times = [const { Vec::new() }; 2];
        // The first round warms up.
        for round in 0..=self.rounds {
            for turn in 0..2 {
                let side = (round + turn) % 2;
                let start = Instant::now();
                unsafe { sides[side](work, turns) }.result()?;
                if round > 0 {
                    times[side].push(start.elapsed().as_secs_f64() * 1e6 / turns as f64);
                }
            }
        }
        Ok(times)
    }

    pub fn end(&self, work: Work) -> Result<()> {
        unsafe {
            self.vulkan.device.device_wait_idle()?;
            cuDestroyExternalSemaphore(work.to_vulkan).result()?;
            cuDestroyExternalSemaphore(work.to_cuda).result()?;
        }
        Ok(())
    }
}

/// What CUDA writes in a turn.
fn words(job: Job, value: u32) -> Box<dyn Iterator<Item = u32>> {
    let count = (SIZE / 4) as u32;
    match job {
        Job::Nothing => Box::new(std::iter::empty()),
        Job::Fill => Box::new(std::iter::repeat_n(value, count as usize)),
        Job::Copy => Box::new((0..count).map(move |at| at.wrapping_mul(2_654_435_761) ^ (value % 8))),
        Job::Kernel => Box::new((0..count).map(move |at| value.wrapping_add(at))),
    }
}

/// C's side. It is linked with the driver as a C program is, through its PLT.
fn compile() -> Library {
    let directory = support::directory();
    let home = env::var_os("CUDA_HOME").map_or_else(|| "/usr/local/cuda".into(), PathBuf::from);
    support::write(&directory, "hand_over.c", include_str!("work.c"));
    let include = format!("-I{}", home.join("include").display());
    support::cc(&directory, &["-shared", "-fPIC", &include, "-o", "hand_over.so", "hand_over.c"]);
    // SAFETY: the driver is open already, and hand_over.so has no initializer.
    unsafe {
        let driver = Library::open(Some("libcuda.so.1"), RTLD_NOW | RTLD_GLOBAL);
        std::mem::forget(driver.expect("the driver is open already"));
        Library::open(Some(directory.join("hand_over.so")), RTLD_NOW).expect("it was just compiled")
    }
}
