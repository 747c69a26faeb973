//! A frame: the graphics queue directly, and with the transfer queue between it and CUDA.

use interop::Result;
use interop::vulkan::{Prepared, Queue, Semaphore};

use crate::commands::{Job as VulkanJob, SIZE};
use crate::measure::{Bench, EXTERNAL, JOBS, QUEUED};
use crate::work::{self, Job, Step};
use bench_support::Summary;

pub fn all(bench: &Bench) -> Result<()> {
    let graphics = bench.vulkan.queue();
    let Some(transfer) = bench.vulkan.transfer_queue() else {
        println!("\nNo chains: Vulkan has no family for transfers alone.");
        return Ok(());
    };
    let pass = (transfer, VulkanJob::Own);
    println!(
        "\nThe same, with the transfer queue (family {}) between CUDA and another queue, timelines.\n\
             Every queue takes both buffers over and gives them on.\n",
        transfer.family
    );
    println!("| queues | CUDA | one at a time | queued | price | Rust / C |\n|---|---|---|---|---|---|");
    for (job, name) in JOBS {
        if !bench.can(job) {
            continue;
        }
        for (work, what) in [(VulkanJob::Draw, "draws"), (VulkanJob::Copy, "copies")] {
            let row = bench.turns(&[(graphics, work)], job, true)?;
            println!("| graphics {what} | {name} | {row} |");
            let row = bench.turns(&[pass, (graphics, work), pass], job, true)?;
            println!("| transfer, graphics {what}, transfer | {name} | {row} |");
        }
        let row = bench.turns(&[(transfer, VulkanJob::Copy)], job, true)?;
        println!("| transfer copies | {name} | {row} |");
    }
    println!("\nFrames: graphics draws, CUDA works on that, and the next but one frame waits for CUDA.\n");
    println!("| way to CUDA | CUDA | a frame | Rust / C |\n|---|---|---|---|");
    for (job, name) in JOBS {
        if !bench.can(job) {
            continue;
        }
        println!("| graphics signals CUDA | {name} | {} |", frames(bench, graphics, None, job)?);
        println!("| by the transfer queue | {name} | {} |", frames(bench, graphics, Some(transfer), job)?);
    }
    Ok(())
}

/// Frames that are drawn ahead of CUDA. The buffers stay with Vulkan's family: what is drawn does not matter.
fn frames(bench: &Bench, graphics: &Queue, through: Option<&Queue>, job: Job) -> Result<String> {
    let mut values = [0_u64; 2];
    let (value, late) = (&raw mut values[0], &raw mut values[1]);
    let timeline = || Semaphore::timeline(bench.vulkan, 0);
    let [to_vulkan, between, to_cuda] = [timeline()?, timeline()?, timeline()?];
    let (family, draw) = (graphics.family, VulkanJob::Draw);
    let next = through.map_or(EXTERNAL, |queue| queue.family);
    let drawn = if through.is_some() { &between } else { &to_cuda };
    let commands = bench.commands.record(graphics, family, draw, next)?;
    let wait = (to_vulkan.raw, late.cast_const());
    let mut submissions =
        vec![(Prepared::new(wait, Some(commands), (drawn.raw, value.cast_const())), graphics)];
    if let Some(queue) = through {
        let commands = bench.commands.record(queue, family, VulkanJob::Own, EXTERNAL)?;
        let (wait, signal) = ((between.raw, value.cast_const()), (to_cuda.raw, value.cast_const()));
        submissions.push((Prepared::new(wait, Some(commands), signal), queue));
    }
    let steps: Vec<Step> =
        submissions.iter().map(|(submission, queue)| Step::new(submission, queue)).collect();
    let mut work = bench.work([&to_vulkan, &to_cuda], &steps, job, true)?;
    // CUDA works on memory of its own.
    work.to = bench.patterns + 8 * SIZE;
    (work.value, work.late) = (value, late);
    let [rust, c] = bench.measure("frames", work::frames, &mut work, QUEUED)?;
    let ratio = Summary::of_ratios(&rust, &c);
    bench.end(work)?;
    Ok(format!("{:.1} | {:.2}", Summary::of(rust), ratio.median))
}
