//! A buffer handed from Vulkan to CUDA and back with semaphores: the GPU waits, the CPU does not.
//!
//! What to look at:
//!
//! - binary semaphores: one for each direction, since each signal is for one wait;
//! - the timeline: one semaphore for both directions, with growing values;
//! - the two import types;
//! - the order: a signal is submitted before the wait for it;
//! - the ownership transfer in each of Vulkan's submissions;
//! - the end: all signals and waits are done before a semaphore is destroyed;
//! - what a round trip costs on a queue that also draws and on one that only copies.

example_support::example_main!(unix, "vulkan_semaphores.rs", unix::example);

#[cfg(unix)]
mod unix {
    use std::time::Instant;

    use ash::vk;
    use cuda_external_sys::*;
    use example_support::cuda::{Cuda, ImportedMemory, ImportedSemaphore, Stream};
    use example_support::vulkan::{ExportableBuffer, ExportableSemaphore, HostBuffer, Queue, Vulkan};
    use example_support::{Error, Result};

    const SIZE: u64 = 8 << 20;

    pub fn example() -> Result<()> {
        let cuda = Cuda::retain_primary(0)?;
        let vulkan = Vulkan::open_by_uuid(&cuda.uuid)?;
        println!("{} in CUDA is {} in Vulkan", cuda.name, vulkan.name);

        let buffer = ExportableBuffer::new(&vulkan, SIZE)?;
        let memory = buffer.allocate_memory(buffer.prefers_dedicated)?;
        let imported = ImportedMemory::from_vulkan(&memory)?;
        let address = imported.map_buffer(0, SIZE)?;

        // Binary: a semaphore for each direction. The value is ignored.
        let (to_cuda, to_vulkan) =
            (ExportableSemaphore::new_binary(&vulkan)?, ExportableSemaphore::new_binary(&vulkan)?);
        let binary = CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD;
        let in_cuda = [
            ImportedSemaphore::from_fd(to_cuda.export_fd()?, binary)?,
            ImportedSemaphore::from_fd(to_vulkan.export_fd()?, binary)?,
        ];
        let stream = Stream::new()?;
        for round in 1..=3 {
            let there = SignalAndWait { vulkan: &to_cuda, cuda: &in_cuda[0], value: 0 };
            let back = SignalAndWait { vulkan: &to_vulkan, cuda: &in_cuda[1], value: 0 };
            hand_over(round, &vulkan, vulkan.first_queue(), &buffer, address, &stream, &there, &back)?;
            println!("round {round} with two binary semaphores: every byte is right");
        }

        // Timeline: one semaphore, and each step has the next value. The queue for copies alone does not share the
        // engine that CUDA's kernels and drawing run on: the GPU need not switch between the two.
        let timeline = ExportableSemaphore::new_timeline(&vulkan, 0)?;
        let timeline_in_cuda = ImportedSemaphore::from_fd(
            timeline.export_fd()?,
            CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD,
        )?;
        let queues = [Some(vulkan.first_queue()), vulkan.transfer_queue()];
        let mut value = 0;
        for (round, queue) in (1..).zip(queues.into_iter().flatten()) {
            let step = |value| SignalAndWait { vulkan: &timeline, cuda: &timeline_in_cuda, value };
            hand_over(round, &vulkan, queue, &buffer, address, &stream, &step(value + 1), &step(value + 2))?;
            value += 2;
            let (family, flags) = (queue.family, queue.flags);
            println!("a timeline on queue family {family} ({flags:?}), now at {value}: every byte is right");
            // Signals and waits alone, a hundred round trips of them in the queues.
            let start = Instant::now();
            let mut submissions = Vec::new();
            for _ in 0..100 {
                stream.signal(&[(&timeline_in_cuda, value + 1)])?;
                let (wait, signal) = ((&timeline, value + 1), (&timeline, value + 2));
                submissions.push(vulkan.submit_to(queue, &[wait], &[signal], |_| {})?);
                stream.wait(&[(&timeline_in_cuda, value + 2)])?;
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

    /// A signal by one side and the wait for it by the other.
    struct SignalAndWait<'a> {
        vulkan: &'a ExportableSemaphore<'a>,
        cuda: &'a ImportedSemaphore,
        /// A timeline's value, which is ignored for a binary semaphore.
        value: u64,
    }

    /// Vulkan fills the buffer; CUDA overwrites its second half; Vulkan reads it. Everything is
    /// submitted before the CPU waits.
    #[allow(clippy::too_many_arguments)] // both sides' objects, without a struct between the reader and the calls
    fn hand_over(
        round: u8,
        vulkan: &Vulkan,
        queue: &Queue,
        buffer: &ExportableBuffer,
        address: CUdeviceptr,
        stream: &Stream,
        there: &SignalAndWait,
        back: &SignalAndWait,
    ) -> Result<()> {
        let (vulkans, cudas) = (round, !round);
        let filled = vulkan.submit_to(queue, &[], &[(there.vulkan, there.value)], |commands| {
            let word = u32::from_ne_bytes([vulkans; 4]);
            // The buffer's old contents are not needed, so it need not be acquired first.
            // SAFETY: the buffer lives until the submission is done.
            unsafe { vulkan.device.cmd_fill_buffer(commands, buffer.raw, 0, vk::WHOLE_SIZE, word) };
            buffer.record_transfer(commands, queue.family, vk::QUEUE_FAMILY_EXTERNAL);
        })?;

        stream.wait(&[(there.cuda, there.value)])?;
        stream.fill_async(address + SIZE / 2, cudas, (SIZE / 2) as usize)?;
        stream.signal(&[(back.cuda, back.value)])?;

        let host = HostBuffer::new(vulkan, SIZE)?;
        let read = vulkan.submit_to(queue, &[(back.vulkan, back.value)], &[], |commands| {
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
