//! Frames in flight: CUDA writes a ring of three images, and Vulkan reads each while CUDA writes the next ones.
//!
//! The documentation's page "frames" walks through this file. Before the first frame, Vulkan moves each image out of
//! the layout UNDEFINED and releases it to CUDA. There are two timelines: CUDA signals one, and Vulkan the other.
//! Before an image is written again, CUDA and the CPU wait until Vulkan has read it. A resize creates a new ring.
//!
//! No window is opened. In a program with a swapchain, each frame's submission also waits for the binary semaphore that
//! vkAcquireNextImageKHR signals, and signals the binary semaphore that vkQueuePresentKHR waits for.

example_support::example_main!(target_os = "linux", "frames_in_flight.rs", linux::example);

#[cfg(target_os = "linux")]
pub mod linux {
    use ash::vk;
    use cuda_external_sys::*;
    use example_support::Result;
    use example_support::array_descriptors::array_descriptor;
    use example_support::cuda::{Cuda, DeviceMemory, Stream};
    use example_support::shared_resources::{SharedImage, SharedSemaphore};
    use example_support::test_bytes::compare_bytes;
    use example_support::vulkan::{
        ExportableImage, HostBuffer, ImageShape, SemaphoreKind, Submission, Vulkan,
    };

    /// The number of images, and of frames in flight.
    const IMAGES: u64 = 3;
    const FRAMES: u64 = 10;
    /// The size of a texel in bytes.
    const TEXEL: usize = 4;

    pub fn example() -> Result<()> {
        let cuda = Cuda::retain_primary(0)?;
        let vulkan = Vulkan::open_by_uuid(&cuda.uuid)?;
        vulkan.require_shared_semaphores()?;
        let stream = Stream::new()?;
        // The second size simulates a resize: the first ring is destroyed, and the new ring's timelines start again.
        for (width, height) in [(640, 360), (800, 450)] {
            run_frames_in_flight(&vulkan, &stream, width, height)?;
            println!(
                "{FRAMES} frames of {width} x {height}, written by CUDA, read by Vulkan: every byte is right"
            );
        }
        Ok(())
    }

    fn run_frames_in_flight(vulkan: &Vulkan, stream: &Stream, width: u32, height: u32) -> Result<()> {
        let extent = vk::Extent3D { width, height, depth: 1 };
        let size = width as usize * height as usize * TEXEL;
        // Each image of the ring is imported and mapped once.
        let images = (0..IMAGES).map(|_| map_image(vulkan, extent)).collect::<Result<Vec<_>>>()?;
        // A timeline's values must grow, but CUDA's signal for a frame and Vulkan's for an earlier frame have no fixed
        // order. So CUDA signals `written`, and Vulkan signals `read`.
        let written = SharedSemaphore::new(vulkan, SemaphoreKind::Timeline)?;
        let read = SharedSemaphore::new(vulkan, SemaphoreKind::Timeline)?;
        let texels = DeviceMemory::new(size)?;
        let host = HostBuffer::new(vulkan, size as u64 * FRAMES)?;

        // Before frame 0, Vulkan moves each image out of the layout UNDEFINED, and releases it to CUDA.
        let first = vulkan.submit(&[], &[(&read.vulkan, 1)], |commands| {
            for shared in &images {
                shared.image.acquire_or_initialize(commands);
                shared.image.release_to_cuda(commands);
            }
        })?;
        let mut submissions: [Option<Submission>; IMAGES as usize] = [Some(first), None, None];

        for frame in 0..FRAMES {
            let slot = (frame % IMAGES) as usize;
            let shared = &images[slot];

            // Vulkan signals `free_at` when it has read the image's previous frame. Before frame 0, it signals 1.
            let free_at = (frame + 2).saturating_sub(IMAGES).max(1);
            // The CPU waits until the commands of the image's previous frame are done, and frees them.
            read.vulkan.wait(free_at)?;
            submissions[slot] = None;

            // CUDA waits for `free_at`, writes the image, and signals frame + 1.
            stream.wait(&[(&read.cuda, free_at)])?;
            stream.fill_async(texels.address, frame as u8 + 1, size)?;
            copy_to_image(&texels, shared, stream)?;
            stream.signal(&[(&written.cuda, frame + 1)])?;

            // Vulkan waits for frame + 1, acquires the image, reads it, releases it, and signals frame + 2.
            let (wait, signal) = ([(&written.vulkan, frame + 1)], [(&read.vulkan, frame + 2)]);
            submissions[slot] = Some(vulkan.submit(&wait, &signal, |commands| {
                shared.image.acquire_or_initialize(commands);
                // A program with a window draws or presents the image here.
                shared.image.record_copy(commands, &host, frame * size as u64);
                shared.image.release_to_cuda(commands);
            })?);
        }

        // Vulkan and CUDA must be done before the images are destroyed.
        drop(submissions);
        stream.finish()?;
        for (frame, seen) in host.bytes().chunks_exact(size).enumerate() {
            compare_bytes(&format!("frame {frame}"), seen, &vec![frame as u8 + 1; size])?;
        }
        Ok(())
    }

    fn map_image(vulkan: &Vulkan, extent: vk::Extent3D) -> Result<SharedImage<'_>> {
        let shape = ImageShape { view: vk::ImageViewType::TYPE_2D, extent, layers: 1, levels: 1 };
        let (format, usage) = (vk::Format::R8G8B8A8_UNORM, vk::ImageUsageFlags::empty());
        let image = ExportableImage::new(vulkan, shape, format, SharedImage::USAGE, 0)?;
        // SAFETY: `array_descriptor` describes the image. The usages in `SharedImage::USAGE` add no flags.
        unsafe { SharedImage::map_unreleased_image(image, array_descriptor(&shape, format, usage)?) }
    }

    fn copy_to_image(texels: &DeviceMemory, to: &SharedImage, stream: &Stream) -> Result<()> {
        let vk::Extent3D { width, height, .. } = to.image.shape.extent;
        let row = width as usize * TEXEL;
        let copy = CUDA_MEMCPY2D {
            srcMemoryType: CU_MEMORYTYPE_DEVICE,
            srcDevice: texels.address,
            srcPitch: row,
            dstMemoryType: CU_MEMORYTYPE_ARRAY,
            dstArray: to.level_array(0)?,
            WidthInBytes: row,
            Height: height as usize,
            ..Default::default()
        };
        // SAFETY: `texels` and `to` have `height` rows of `row` bytes. Both live until the copy is done, or until an
        // error ends the example.
        Ok(unsafe { cuMemcpy2DAsync(&copy, stream.raw()) }.result()?)
    }
}
