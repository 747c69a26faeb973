//! A dma-buf on a desktop: a frame of a screen capture, a camera or a decoder. CUDA refuses to import it there.
//!
//! Vulkan can import it. Vulkan then copies it to memory that it exports as an opaque FD, and CUDA imports that.
//! The copy is done by a transfer queue, which hands over to CUDA without a switch of contexts.
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
    use example_support::cuda::{self, Cuda, ImportedMemory, ImportedSemaphore, Stream};
    use example_support::vulkan::{DedicatedTo, ExportableBuffer, ExportableSemaphore, Vulkan, VulkanMemory};
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

        // 2. Memory for CUDA, and a semaphore.
        let target = ExportableBuffer::new(&vulkan, FRAME)?;
        let target_memory = target.allocate_memory(target.prefers_dedicated)?;
        let imports = FrameCopyInCuda::new(&vulkan, &target_memory)?;

        for number in 1..=FRAMES {
            let pixels = test_bytes::test_pattern(number, FRAME as usize);
            frame.buffer.write(0, &pixels)?; // the other program's part; it is complete when this returns

            // 3. Copy on the transfer queue, then signal.
            let queue = vulkan.transfer_queue().unwrap_or(vulkan.first_queue());
            // The queue family of the frame's owner. CUDA is an external user of the same GPU.
            let owner =
                if handle_type == DMA_BUF { vk::QUEUE_FAMILY_FOREIGN_EXT } else { vk::QUEUE_FAMILY_EXTERNAL };
            let _submission = vulkan.submit_to(queue, &[], &[(&imports.semaphore, number)], |commands| {
                source.record_transfer(commands, owner, queue.family);
                if number > 1 {
                    target.record_transfer(commands, vk::QUEUE_FAMILY_EXTERNAL, queue.family);
                }
                let region = vk::BufferCopy::default().size(FRAME);
                // SAFETY: both buffers live until the submission is complete.
                unsafe { vulkan.device.cmd_copy_buffer(commands, source.raw, target.raw, &[region]) };
                source.record_transfer(commands, queue.family, owner);
                target.record_transfer(commands, queue.family, vk::QUEUE_FAMILY_EXTERNAL);
            })?;

            // 4. CUDA waits on the GPU.
            test_bytes::compare_bytes(
                "CUDA's view of the frame",
                &imports.read_frame_in_cuda(number)?,
                &pixels,
            )?;
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

    /// CUDA's imports: the memory that holds the copy of a frame, and the semaphore that Vulkan signals after the copy.
    struct FrameCopyInCuda<'v> {
        stream: Stream,
        imported_semaphore: ImportedSemaphore,
        semaphore: ExportableSemaphore<'v>,
        address: u64,
        _memory: ImportedMemory,
    }

    impl<'v> FrameCopyInCuda<'v> {
        fn new(vulkan: &'v Vulkan, memory: &VulkanMemory<'v>) -> Result<Self> {
            let semaphore = ExportableSemaphore::new_timeline(vulkan, 0)?;
            let imported = ImportedMemory::from_vulkan(memory)?;
            Ok(Self {
                stream: Stream::new()?,
                imported_semaphore: ImportedSemaphore::from_vulkan(&semaphore)?,
                semaphore,
                address: imported.map_buffer(0, FRAME)?,
                _memory: imported,
            })
        }

        /// A program would launch its kernels here. The copy to the host needs the stream's work to be complete.
        fn read_frame_in_cuda(&self, value: u64) -> Result<Vec<u8>> {
            self.stream.wait(&[(&self.imported_semaphore, value)])?;
            self.stream.finish()?;
            cuda::read(self.address, FRAME as usize)
        }
    }

    /// The memory types that the file behind the descriptor can be imported as. Opaque FDs have no such limit: their
    /// type is the exporter's.
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

    /// What another program delivers: here another allocation of the same device.
    struct ProducerFrame<'v> {
        buffer: ExportableBuffer<'v>,
        memory: VulkanMemory<'v>,
        handle_type: vk::ExternalMemoryHandleTypeFlags,
    }

    impl<'v> ProducerFrame<'v> {
        /// Mesa's CPU driver may import dma-bufs and not export any.
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
