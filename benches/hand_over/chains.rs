//! A frame: the graphics queue directly, and with the transfer queue between it and CUDA.

use interop::Result;
use interop::cuda::DeviceMemory;
use interop::hand_over::HandOver;
use interop::vulkan::{Kind, Queue};
use test_support::bench::Summary;

use crate::commands::{Job as VulkanJob, SIZE};
use crate::measure::{Bench, EXTERNAL, JOBS, Job};

pub fn all<'v>(bench: &Bench<'v>) -> Result<()> {
    let graphics = bench.vulkan.queue();
    let Some(transfer) = bench.vulkan.transfer_queue() else {
        println!("\nNo chains: Vulkan has no family for transfers alone.");
        return Ok(());
    };
    let pass = (transfer, VulkanJob::TransferOwnership);
    let turns = |queues: &[(&'v Queue, VulkanJob)], job| bench.turns(queues, job, Kind::Timeline);
    println!(
        "\nThe same, with the transfer queue (family {}) between CUDA and another queue, timelines.\n\
             Every queue takes both buffers over and gives them on.\n",
        transfer.family
    );
    println!("| queues | CUDA | one at a time | queued | price |\n|---|---|---|---|---|");
    for (job, name) in JOBS {
        for (work, what) in [(VulkanJob::Draw, "draws"), (VulkanJob::Copy, "copies")] {
            println!("| graphics {what} | {name} | {} |", turns(&[(graphics, work)], job)?);
            let row = turns(&[pass, (graphics, work), pass], job)?;
            println!("| transfer, graphics {what}, transfer | {name} | {row} |");
        }
        println!("| transfer copies | {name} | {} |", turns(&[(transfer, VulkanJob::Copy)], job)?);
    }
    println!("\nFrames: graphics draws, CUDA works on that, and the next but one frame waits for CUDA.\n");
    println!("| way to CUDA | CUDA | a frame |\n|---|---|---|");
    for (job, name) in JOBS {
        println!("| graphics signals CUDA | {name} | {:.1} |", frames(bench, graphics, None, job)?);
        println!("| by the transfer queue | {name} | {:.1} |", frames(bench, graphics, Some(transfer), job)?);
    }
    Ok(())
}

/// Frames that are drawn ahead of CUDA. The buffers stay with Vulkan's family: what is drawn does not matter.
fn frames<'v>(
    bench: &Bench<'v>,
    graphics: &'v Queue,
    through: Option<&'v Queue>,
    job: Job,
) -> Result<Summary> {
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
        bench.work(job, memory.address, value)?;
        hand_over.signal(&bench.stream)
    })
}
