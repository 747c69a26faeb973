//! Every queue family with each semaphore, each kind of work in CUDA and in Vulkan.

use interop::Result;
use interop::vulkan::Kind;

use crate::commands::Job as VulkanJob;
use crate::measure::{Bench, JOBS};

const VULKAN_JOBS: [(VulkanJob, &str); 5] = [
    (VulkanJob::Nothing, "nothing"),
    (VulkanJob::TransferOwnership, "ownership"),
    (VulkanJob::Copy, "copy"),
    (VulkanJob::NarrowCopy, "copy, named stages"),
    (VulkanJob::Draw, "draw"),
];

pub fn all(bench: &Bench) -> Result<()> {
    for queue in &bench.vulkan.queues {
        println!("Vulkan's queue family {}: {:?}", queue.family, queue.flags);
    }
    println!(
        "\n| family | semaphore | CUDA | Vulkan | one at a time | queued | price |\n|---|---|---|---|---|---|---|"
    );
    for queue in &bench.vulkan.queues {
        for kind in [Kind::Binary, Kind::Timeline] {
            for (job, job_name) in JOBS {
                for (vulkan_job, vulkan_name) in VULKAN_JOBS {
                    if vulkan_job.is_possible(queue.flags) {
                        let row = bench.turns(&[(queue, vulkan_job)], job, kind)?;
                        let (family, kind) = (queue.family, kind.name());
                        println!("| {family} | {kind} | {job_name} | {vulkan_name} | {row} |");
                    }
                }
            }
        }
    }
    Ok(())
}
