//! On a desktop GPU, CUDA does not import a dma-buf, such as a frame of a screen capture, a camera or a decoder.
//!
//! So Vulkan imports the dma-buf, and copies the frame to memory that CUDA imports by an opaque FD. A transfer-only
//! queue copies, if there is one: its hand-overs to CUDA are faster than a graphics queue's (docs/semaphore.md).
//!
//! What to look at:
//!
//! - the memory types of Vulkan's import, which depend on the file descriptor;
//! - the ownership transfers from VK_QUEUE_FAMILY_FOREIGN_EXT and back: another device may write the frame;
//! - the timeline semaphore: CUDA waits for it on the GPU.
//!
//! The frame is linear here, so a buffer can hold it. A frame that is not linear would be imported as an image
//! (VK_EXT_image_drm_format_modifier) and copied by vkCmdCopyImageToBuffer (not verified).
//!
//! If Vulkan exports no dma-buf, the example uses an opaque FD instead, and prints that the dma-buf is not verified.

example_support::example_main!(target_os = "linux", "dma_buf.rs", linux::example);

#[cfg(target_os = "linux")]
pub mod linux {
    use std::os::fd::{AsRawFd, OwnedFd};

    use ash::vk;
    use example_support::cuda::{self, Cuda, Stream};
    use example_support::shared_resources::{SharedBuffer, SharedSemaphore};
    use example_support::vulkan::{DedicatedTo, ExportableBuffer, SemaphoreKind, Vulkan, VulkanMemory};
    use example_support::{Error, Result, test_bytes};

    const DMA_BUF: vk::ExternalMemoryHandleTypeFlags = vk::ExternalMemoryHandleTypeFlags::DMA_BUF_EXT;
    const OPAQUE_FD: vk::ExternalMemoryHandleTypeFlags = vk::ExternalMemoryHandleTypeFlags::OPAQUE_FD;

    /// 1920 by 1080 pixels of four bytes, row by row.
    const FRAME: u64 = 1920 * 1080 * 4;
    const FRAMES: u64 = 3;

    pub fn example() -> Result<()> {
        let cuda = Cuda::retain_primary(0)?;
        let vulkan = Vulkan::open_by_uuid(&cuda.uuid)?;
        let frame = ProducerFrame::new(&vulkan)?;
        let handle_type = frame.handle_type;
        println!("{} imports the frame as {handle_type:?}", vulkan.name);

        // 1. Import each buffer of the capture once, not once for each frame.
        let (fd, size) = (frame.memory.export_fd()?, frame.memory.size);
        let source = ExportableBuffer::new_for_handle_type(&vulkan, FRAME, handle_type)?;
        let type_bits = source.needs.memory_type_bits & importable_memory_types(&vulkan, &fd, handle_type)?;
        let source_memory =
            VulkanMemory::import_fd(&vulkan, fd, size, type_bits, DedicatedTo::Nothing, handle_type)?;
        source.bind_memory(&source_memory, 0)?;

        // 2. Share memory, which CUDA maps, and a semaphore, for which CUDA waits.
        let target = SharedBuffer::new(&vulkan, FRAME, true)?;
        let copied = SharedSemaphore::new(&vulkan, SemaphoreKind::Timeline)?;
        let stream = Stream::new()?;

        for number in 1..=FRAMES {
            let pixels = test_bytes::test_pattern(number, FRAME as usize);
            frame.buffer.write(0, &pixels)?; // the other program's part; `write` returns when the bytes are there

            // 3. Copy and signal. A transfer-only queue hands over faster than a graphics queue (docs/semaphore.md).
            let queue = vulkan.transfer_queue().unwrap_or(vulkan.first_queue());
            // The queue family that owns the frame before and after the copy.
            let owner =
                if handle_type == DMA_BUF { vk::QUEUE_FAMILY_FOREIGN_EXT } else { vk::QUEUE_FAMILY_EXTERNAL };
            let _submission = vulkan.submit_to(queue, &[], &[(&copied.vulkan, number)], |commands| {
                source.record_transfer(commands, owner, queue.family);
                if number > 1 {
                    target.buffer.record_transfer(commands, vk::QUEUE_FAMILY_EXTERNAL, queue.family);
                }
                let region = vk::BufferCopy::default().size(FRAME);
                // SAFETY: both buffers live until the submission is complete.
                unsafe { vulkan.device.cmd_copy_buffer(commands, source.raw, target.buffer.raw, &[region]) };
                source.record_transfer(commands, queue.family, owner);
                target.buffer.record_transfer(commands, queue.family, vk::QUEUE_FAMILY_EXTERNAL);
            })?;

            // 4. The stream waits for the copy. `cuda::read` does not run in the stream, so the CPU waits too.
            stream.wait(&[(&copied.cuda, number)])?;
            stream.finish()?;
            let seen = cuda::read(target.address, FRAME as usize)?;
            test_bytes::compare_bytes("CUDA's view of the frame", &seen, &pixels)?;
            println!("frame {number}: {FRAME} bytes, all as expected");
        }

        if handle_type == OPAQUE_FD {
            println!(
                "Not verified here: the dma-buf. {} exports none (VK_EXT_external_memory_dma_buf).",
                vulkan.name
            );
        }
        Ok(())
    }

    /// Returns a mask of the memory types that an import may use: all for opaque FDs, for which Vulkan has no query.
    fn importable_memory_types(
        vulkan: &Vulkan,
        fd: &OwnedFd,
        handle_type: vk::ExternalMemoryHandleTypeFlags,
    ) -> Result<u32> {
        if handle_type == OPAQUE_FD {
            return Ok(u32::MAX);
        }
        let mut properties = vk::MemoryFdPropertiesKHR::default();
        // SAFETY: the descriptor is open, and the query does not take it over.
        unsafe {
            vulkan.external_memory.get_memory_fd_properties(handle_type, fd.as_raw_fd(), &mut properties)
        }?;
        Ok(properties.memory_type_bits)
    }

    /// The frame and its memory. A real frame comes from another program; this example allocates the frame itself.
    struct ProducerFrame<'v> {
        buffer: ExportableBuffer<'v>,
        memory: VulkanMemory<'v>,
        handle_type: vk::ExternalMemoryHandleTypeFlags,
    }

    impl<'v> ProducerFrame<'v> {
        /// Allocates a frame to export as a dma-buf, or as an opaque FD if Vulkan cannot allocate it for a dma-buf.
        fn new(vulkan: &'v Vulkan) -> Result<Self> {
            let of_type = |handle_type| {
                let buffer = ExportableBuffer::new_for_handle_type(vulkan, FRAME, handle_type)?;
                Ok(Self { memory: buffer.allocate_memory(false)?, buffer, handle_type })
            };
            match vulkan.shares_dma_bufs {
                true => of_type(DMA_BUF).or_else(|_: Error| of_type(OPAQUE_FD)),
                false => of_type(OPAQUE_FD),
            }
        }
    }
}
