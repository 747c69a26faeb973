//! A dma-buf on a desktop: a frame of a screen capture, a camera or a decoder. CUDA refuses to import it there.
//!
//! Vulkan can import it. Vulkan then copies it to memory that it exports as an opaque FD, and CUDA imports that. The
//! copy runs on a transfer queue where there is one: a round trip with CUDA is much shorter there than on a graphics
//! queue (measured: docs/semaphore.md).
//!
//! What to look at:
//!
//! - the memory type of an import, which the file descriptor decides;
//! - the ownership transfer from VK_QUEUE_FAMILY_FOREIGN_EXT, since the writer may be another device;
//! - the timeline semaphore, for which CUDA waits on the GPU.
//!
//! The frame's rows are linear here, so a buffer can hold them. A frame with another DRM format modifier is
//! imported as an image instead (VK_EXT_image_drm_format_modifier), and copied by vkCmdCopyImageToBuffer: not
//! verified.
//!
//! Where Vulkan exports no dma-buf, an opaque FD replaces it, and the example prints what it could not verify.

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

        // 1. Import the frame: once for each buffer of the capture, not for each frame.
        let (fd, size) = (frame.memory.export_fd()?, frame.memory.size);
        let source = ExportableBuffer::new_for_handle_type(&vulkan, FRAME, handle_type)?;
        let type_bits = source.needs.memory_type_bits & importable_memory_types(&vulkan, &fd, handle_type)?;
        let source_memory =
            VulkanMemory::import_fd(&vulkan, fd, size, type_bits, DedicatedTo::Nothing, handle_type)?;
        source.bind_memory(&source_memory, 0)?;

        // 2. Memory that CUDA has mapped, and a semaphore that CUDA waits for.
        let target = SharedBuffer::new(&vulkan, FRAME, true)?;
        let copied = SharedSemaphore::new(&vulkan, SemaphoreKind::Timeline)?;
        let stream = Stream::new()?;

        for number in 1..=FRAMES {
            let pixels = test_bytes::test_pattern(number, FRAME as usize);
            frame.buffer.write(0, &pixels)?; // the other program's part; it is complete when this returns

            // 3. Copy on the transfer queue, then signal.
            let queue = vulkan.transfer_queue().unwrap_or(vulkan.first_queue());
            // The queue family of the frame's owner. CUDA is an external user of the same GPU.
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

            // 4. CUDA waits on the GPU. A program would launch its kernels after this wait. The copy to the host is not
            // in the stream, whose work must be complete before.
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

    /// Returns the memory types that the file behind the descriptor can be imported as. Opaque FDs have no such limit:
    /// their type is the exporter's.
    fn importable_memory_types(
        vulkan: &Vulkan,
        fd: &OwnedFd,
        handle_type: vk::ExternalMemoryHandleTypeFlags,
    ) -> Result<u32> {
        if handle_type == OPAQUE_FD {
            return Ok(u32::MAX);
        }
        let mut properties = vk::MemoryFdPropertiesKHR::default();
        // SAFETY: the descriptor is open; Vulkan only looks at it.
        unsafe {
            vulkan.external_memory.get_memory_fd_properties(handle_type, fd.as_raw_fd(), &mut properties)
        }?;
        Ok(properties.memory_type_bits)
    }

    /// A frame that another program would deliver: here another allocation of the same device.
    struct ProducerFrame<'v> {
        buffer: ExportableBuffer<'v>,
        memory: VulkanMemory<'v>,
        handle_type: vk::ExternalMemoryHandleTypeFlags,
    }

    impl<'v> ProducerFrame<'v> {
        /// Allocates a dma-buf, or an opaque FD if Vulkan exports no dma-buf, as Mesa's CPU driver may not.
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
