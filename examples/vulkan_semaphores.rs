//! A buffer is handed from Vulkan to CUDA and back with semaphores: the GPU waits for them, the CPU does not.
//!
//! What to look at:
//!
//! - binary semaphores: one for each direction, so that each API's wait can take only the other API's signal;
//! - the timeline: one semaphore for both directions, with growing values;
//! - the two handle types (`handle_type` of exported_semaphore.rs in examples/support);
//! - the order: a signal is submitted before the wait for it;
//! - the ownership transfer in each of Vulkan's submissions that use the buffer;
//! - the end: all signals and waits are done before a semaphore is destroyed;
//! - what a round trip costs on a queue that also draws and on a queue that only copies.

example_support::example_main!(unix, "vulkan_semaphores.rs", unix::example);

#[cfg(unix)]
mod unix {
    use std::time::Instant;

    use ash::vk;
    use example_support::cuda::{Cuda, Stream};
    use example_support::shared_resources::{SharedBuffer, SharedSemaphore};
    use example_support::vulkan::{HostBuffer, Queue, SemaphoreKind, Vulkan};
    use example_support::{Error, Result};

    const SIZE: u64 = 8 << 20;

    pub fn example() -> Result<()> {
        let cuda = Cuda::retain_primary(0)?;
        let vulkan = Vulkan::open_by_uuid(&cuda.uuid)?;
        println!("{} in CUDA is {} in Vulkan", cuda.name, vulkan.name);

        let shared = SharedBuffer::new(&vulkan, SIZE, true)?;

        // Each direction has a binary semaphore. Vulkan and CUDA ignore the value, here 0.
        let to_cuda = SharedSemaphore::new(&vulkan, SemaphoreKind::Binary)?;
        let to_vulkan = SharedSemaphore::new(&vulkan, SemaphoreKind::Binary)?;
        let stream = Stream::new()?;
        for round in 1..=3 {
            hand_over(
                round,
                &vulkan,
                vulkan.first_queue(),
                &shared,
                &stream,
                (&to_cuda, 0),
                (&to_vulkan, 0),
            )?;
            println!("round {round} with two binary semaphores: every byte is right");
        }

        // Both directions use one timeline, whose value grows with each signal.
        let timeline = SharedSemaphore::new(&vulkan, SemaphoreKind::Timeline)?;
        let queues = [Some(vulkan.first_queue()), vulkan.transfer_queue()];
        let mut value = 0;
        for (round, queue) in (1..).zip(queues.into_iter().flatten()) {
            hand_over(
                round,
                &vulkan,
                queue,
                &shared,
                &stream,
                (&timeline, value + 1),
                (&timeline, value + 2),
            )?;
            value += 2;
            let (family, flags) = (queue.family, queue.flags);
            println!("a timeline on queue family {family} ({flags:?}), now at {value}: every byte is right");
            // Measures a hundred round trips of signals and waits, without other work.
            let start = Instant::now();
            let mut submissions = Vec::new();
            for _ in 0..100 {
                stream.signal(&[(&timeline.cuda, value + 1)])?;
                let (wait, signal) = ((&timeline.vulkan, value + 1), (&timeline.vulkan, value + 2));
                submissions.push(vulkan.submit_to(queue, &[wait], &[signal], |_| {})?);
                stream.wait(&[(&timeline.cuda, value + 2)])?;
                value += 2;
            }
            stream.synchronize()?;
            println!(
                "  a round trip with nothing between takes {:.1} us",
                start.elapsed().as_secs_f64() * 1e4
            );
        }

        // No signal and no wait may be outstanding when the imports are destroyed: synchronize first.
        stream.synchronize()?;
        Ok(())
    }

    /// Vulkan fills the buffer, CUDA overwrites its second half, and Vulkan reads it. The CPU waits only at the end.
    fn hand_over(
        round: u8,
        vulkan: &Vulkan,
        queue: &Queue,
        shared: &SharedBuffer,
        stream: &Stream,
        (to_cuda, to_cuda_value): (&SharedSemaphore, u64),
        (to_vulkan, to_vulkan_value): (&SharedSemaphore, u64),
    ) -> Result<()> {
        let (vulkans, cudas, buffer) = (round, !round, &shared.buffer);
        // Vulkan does not acquire the buffer first, since it does not need the old bytes.
        let filled = vulkan.submit_to(queue, &[], &[(&to_cuda.vulkan, to_cuda_value)], |commands| {
            let word = u32::from_ne_bytes([vulkans; 4]);
            // SAFETY: the buffer lives until the submission is done.
            unsafe { vulkan.device.cmd_fill_buffer(commands, buffer.raw, 0, vk::WHOLE_SIZE, word) };
            buffer.record_transfer(commands, queue.family, vk::QUEUE_FAMILY_EXTERNAL);
        })?;

        stream.wait(&[(&to_cuda.cuda, to_cuda_value)])?;
        stream.fill_async(shared.address + SIZE / 2, cudas, (SIZE / 2) as usize)?;
        stream.signal(&[(&to_vulkan.cuda, to_vulkan_value)])?;

        let host = HostBuffer::new(vulkan, SIZE)?;
        let read = vulkan.submit_to(queue, &[(&to_vulkan.vulkan, to_vulkan_value)], &[], |commands| {
            buffer.record_transfer(commands, vk::QUEUE_FAMILY_EXTERNAL, queue.family);
            let region = vk::BufferCopy::default().size(SIZE);
            // SAFETY: both buffers live until the submission is done.
            unsafe { vulkan.device.cmd_copy_buffer(commands, buffer.raw, host.raw, &[region]) };
            vulkan.memory_barrier(commands);
            buffer.record_transfer(commands, queue.family, vk::QUEUE_FAMILY_EXTERNAL);
        })?;

        filled.wait()?;
        read.wait()?;
        let (first, second) = host.bytes().split_at((SIZE / 2) as usize);
        if first.iter().any(|&byte| byte != vulkans) || second.iter().any(|&byte| byte != cudas) {
            return Err(Error::Failed(format!("round {round}: bytes differ")));
        }
        Ok(())
    }
}
