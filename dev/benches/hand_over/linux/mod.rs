//! The tables: by queue family, by the transfer queue, with many semaphores, and with a graph.

mod commands;
mod measure;
mod shaders;

use std::ptr::null_mut;
use std::time::Instant;

use cuda_external_sys::*;
use example_support::cuda::{Cuda, DeviceMemory};
use example_support::hand_over::HandOver;
use example_support::shared::SharedSemaphore;
use example_support::vulkan::{Kind, Queue, Vulkan};
use example_support::{Error, Result, interrupts};
use test_support::bench::Summary;

use self::commands::{Job as VulkanJob, SIZE};
use self::measure::{Bench, EXTERNAL, Job};

const INTRODUCTION: &str = "\
A round trip: CUDA works and signals, Vulkan waits, works and signals, CUDA waits. Each work is of 1 MiB.
Times in us: median (5 % to 95 %). \"Price\": of a queued round trip, less both works by themselves.
";

pub fn measure_all() -> Result<()> {
    let cuda = Cuda::open(0)?;
    let vulkan = Vulkan::open(&cuda.uuid)?;
    println!("{}, CUDA {}", cuda.name, load().map_or(0, |driver| driver.version()));
    println!("{}\n{INTRODUCTION}", interrupts::leave_their_cpu(&vulkan)?);
    let bench = Bench::new(&vulkan)?;
    families(&bench)?;
    match vulkan.transfer_queue() {
        Some(transfer) => by_transfer(&bench, transfer)?,
        None => println!("\nVulkan has no family for transfers alone."),
    }
    println!("\n16 timelines, signaled and then waited for in one stream: the CPU's time\n");
    println!("one signal, one wait: {:.1}", semaphores(&bench, 16)?);
    println!("16 of each: {:.1}", semaphores(&bench, 1)?);
    Ok(())
}

/// Every queue family with each semaphore, each kind of work in CUDA and in Vulkan.
fn families(bench: &Bench) -> Result<()> {
    for queue in &bench.vulkan.queues {
        println!("Vulkan's queue family {}: {:?}", queue.family, queue.flags);
    }
    println!("\n| family | semaphore | CUDA | Vulkan | one at a time | queued | price |");
    println!("|---|---|---|---|---|---|---|");
    for queue in &bench.vulkan.queues {
        for kind in [Kind::Binary, Kind::Timeline] {
            for job in [Job::Nothing, Job::Fill, Job::Kernel] {
                for vulkan_job in VulkanJob::possible(queue.flags) {
                    let row = bench.round_trips(&[(queue, *vulkan_job)], job, kind)?;
                    println!("| {} | {} | {job:?} | {vulkan_job:?} | {row} |", queue.family, kind.name());
                }
            }
        }
    }
    Ok(())
}

/// The time that a transfer queue saves where Vulkan draws, and that a graph saves in place of CUDA's calls.
fn by_transfer<'v>(bench: &Bench<'v>, transfer: &'v Queue) -> Result<()> {
    let graphics = bench.vulkan.queue();
    let pass = (transfer, VulkanJob::TransferOwnership);
    let row = bench.round_trips(&[pass, (graphics, VulkanJob::Draw), pass], Job::Nothing, Kind::Timeline)?;
    println!("\nThe transfer queue, the graphics queue draws, the transfer queue: | {row} |");
    println!(
        "\nFrames: graphics draws, CUDA runs a kernel on that, and the next but one frame waits for CUDA\n"
    );
    println!("graphics signals CUDA: {:.1}", frames(bench, graphics, None)?);
    println!("by the transfer queue: {:.1}", frames(bench, graphics, Some(transfer))?);
    println!("\nCUDA waits for the transfer queue, fills 1 MiB and signals it: the CPU's time\n");
    println!("three calls: {:.1}", fills(bench, transfer, false)?);
    println!("one graph launch: {:.1}", fills(bench, transfer, true)?);
    Ok(())
}

/// Frames that are drawn ahead of CUDA. The buffers stay with Vulkan's family: what is drawn does not matter.
fn frames<'v>(bench: &Bench<'v>, graphics: &'v Queue, through: Option<&'v Queue>) -> Result<Summary> {
    let family = graphics.family;
    let next = through.map_or(EXTERNAL, |queue| queue.family);
    let mut steps =
        vec![(graphics, Some(bench.commands.record(graphics, [family, next], VulkanJob::Draw, 1)?))];
    if let Some(queue) = through {
        let commands = bench.commands.record(queue, [family, EXTERNAL], VulkanJob::TransferOwnership, 1)?;
        steps.push((queue, Some(commands)));
    }
    let hand_over = HandOver::new(bench.vulkan, Kind::Timeline, &steps)?;
    // CUDA works on memory of its own.
    let memory = DeviceMemory::new(SIZE as usize)?;
    bench.queued(|| {
        let value = hand_over.next(2);
        hand_over.submit()?;
        hand_over.wait(value, &bench.stream)?;
        bench.work(Job::Kernel, memory.address, value)?;
        hand_over.signal(&bench.stream)
    })
}

/// Measures how long the CPU takes to queue some turns, after a round that warms up.
fn on_the_cpu(bench: &Bench, turns: u64, mut turn: impl FnMut() -> Result<()>) -> Result<Summary> {
    let mut times = Vec::new();
    for at in 0..=bench.rounds {
        let start = Instant::now();
        (0..turns).try_for_each(|_| turn())?;
        if at > 0 {
            times.push(start.elapsed().as_secs_f64() * 1e6 / turns as f64);
        }
        bench.stream.synchronize()?;
    }
    Ok(Summary::of(times))
}

/// Signals 16 timelines and waits for them, with this many in a call.
fn semaphores(bench: &Bench, size: usize) -> Result<Summary> {
    let timelines = (0..16).map(|_| SharedSemaphore::new(bench.vulkan, Kind::Timeline));
    let timelines = timelines.collect::<Result<Vec<_>>>()?;
    let handles = Vec::from_iter(timelines.iter().map(|timeline| timeline.cuda.raw()));
    let (count, stream) = (size as u32, bench.stream.raw());
    let mut value = 0;
    let times = on_the_cpu(bench, 50, || {
        value += 1;
        let mut signals = vec![CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS::default(); size];
        let mut waits = vec![CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS::default(); size];
        signals.iter_mut().for_each(|signal| signal.params.fence.value = value);
        waits.iter_mut().for_each(|wait| wait.params.fence.value = value);
        for handles in handles.chunks(size).map(<[_]>::as_ptr) {
            // SAFETY: both lists have so many elements, which the driver copies, here and below.
            unsafe { cuSignalExternalSemaphoresAsync(handles, signals.as_ptr(), count, stream) }.result()?;
        }
        for handles in handles.chunks(size).map(<[_]>::as_ptr) {
            unsafe { cuWaitExternalSemaphoresAsync(handles, waits.as_ptr(), count, stream) }.result()?;
        }
        Ok(())
    })?;
    for timeline in &timelines {
        let seen = timeline.vulkan.value()?;
        if seen != value {
            return Err(Error::Failed(format!("a timeline was signaled to {value} and stands at {seen}")));
        }
    }
    Ok(times)
}

/// CUDA waits for the turn before, fills and signals; the transfer queue passes that on.
fn fills<'v>(bench: &Bench<'v>, transfer: &'v Queue, as_graph: bool) -> Result<Summary> {
    let hand_over = HandOver::new(bench.vulkan, Kind::Binary, &[(transfer, None)])?;
    let stream = &bench.stream;
    // The first turn's wait needs a signal by Vulkan, which follows one by CUDA.
    hand_over.signal(stream)?;
    hand_over.submit()?;
    let calls = || {
        hand_over.wait(0, stream)?;
        bench.work(Job::Fill, bench.written.address, 0x5a)?;
        hand_over.signal(stream)
    };
    if !as_graph {
        return on_the_cpu(bench, 100, || calls().and_then(|()| hand_over.submit()));
    }
    let (mut graph, mut exec) = (null_mut(), null_mut());
    // SAFETY: the functions write handles. The graph lives until its last launch has ended, since the measurement
    // synchronizes.
    unsafe {
        cuStreamBeginCapture(stream.raw(), CU_STREAM_CAPTURE_MODE_THREAD_LOCAL).result()?;
        calls()?;
        cuStreamEndCapture(stream.raw(), &mut graph).result()?;
        cuGraphInstantiate(&mut exec, graph, 0).result()?;
        let launch = || Ok(cuGraphLaunch(exec, stream.raw()).result()?);
        let times = on_the_cpu(bench, 100, || launch().and_then(|()| hand_over.submit()));
        cuGraphExecDestroy(exec).result()?;
        cuGraphDestroy(graph).result()?;
        times
    }
}
