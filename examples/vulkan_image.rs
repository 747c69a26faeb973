//! CUDA reads and writes a Vulkan image with mip levels and optimal tiling. A timeline semaphore orders the work.
//!
//! The documentation's page "vulkan_image" walks through this file. Look at the stages, access masks, layouts and queue
//! families of the barriers. The mapping's `desc` repeats Vulkan's description of the image, including the number of
//! levels. The CPU waits only at the end. The teardown destroys CUDA's imports before the imported objects.
//!
//! In examples, support/src/array_descriptors.rs converts other formats and shapes; tests/gpu/images.rs tests them.

example_support::example_main!(unix, "vulkan_image.rs", image::example);

#[cfg(unix)]
pub mod image {
    use std::os::fd::{FromRawFd, IntoRawFd, OwnedFd};
    use std::ptr;
    use std::slice::from_ref;

    use ash::{khr, vk};
    use cuda_external_sys::*;
    use example_support::test_bytes::{compare_bytes, test_pattern};
    use example_support::vulkan::{
        ExportableSemaphore, HostBuffer, SemaphoreKind, Vulkan, require_exportable,
    };
    use example_support::{Result, cuda};

    const FORMAT: vk::Format = vk::Format::R8G8B8A8_UNORM;
    /// The size of a texel in bytes.
    const TEXEL: usize = 4;
    const WIDTH: usize = 640;
    const HEIGHT: usize = 360;
    const LEVELS: usize = 5;
    const GENERAL: vk::ImageLayout = vk::ImageLayout::GENERAL;
    const COPY: vk::PipelineStageFlags2 = vk::PipelineStageFlags2::COPY;
    /// The byte that CUDA writes into the upper half of every level.
    const CUDA_WROTE: u8 = 0x2a;

    /// The size of level 0 in bytes. The host buffer has this much room for each level.
    const ROOM: usize = WIDTH * HEIGHT * TEXEL;

    fn level_extent(level: usize) -> (usize, usize) {
        (WIDTH >> level, HEIGHT >> level)
    }

    pub fn example() -> Result<()> {
        // SAFETY: handles are valid while they are used, and structs outlive the calls that read them.
        unsafe { share_image() }
    }

    #[expect(unsafe_op_in_unsafe_fn)] // nearly every line is an unsafe call
    unsafe fn share_image() -> Result<()> {
        // Finds CUDA's device, and the same device in Vulkan.
        cuda::device_count()?; // calls cuInit, too
        let (mut cuda_device, mut uuid) = (0, CUuuid::default());
        cuDeviceGet(&mut cuda_device, 0).result()?;
        cuDeviceGetUuid(&mut uuid, cuda_device).result()?;
        let vulkan = Vulkan::open_by_uuid(&uuid.to_bytes())?;
        let (device, family) = (&vulkan.device, vulkan.first_queue().family);

        // Creates an exportable image.
        let fd = vk::ExternalMemoryHandleTypeFlags::OPAQUE_FD;
        let mut external = vk::ExternalMemoryImageCreateInfo::default().handle_types(fd);
        let info = vk::ImageCreateInfo::default()
            .image_type(vk::ImageType::TYPE_2D)
            .format(FORMAT)
            .extent(vk::Extent3D { width: WIDTH as u32, height: HEIGHT as u32, depth: 1 })
            .mip_levels(LEVELS as u32)
            .array_layers(1)
            .samples(vk::SampleCountFlags::TYPE_1)
            .tiling(vk::ImageTiling::OPTIMAL)
            .usage(vk::ImageUsageFlags::TRANSFER_SRC | vk::ImageUsageFlags::TRANSFER_DST)
            .initial_layout(vk::ImageLayout::UNDEFINED)
            .push_next(&mut external);
        require_exportable(&vulkan, &info)?;
        let image = device.create_image(&info, None)?;

        // Makes a dedicated allocation for the image, and exports it.
        let needs = device.get_image_memory_requirements(image);
        let mut export = vk::ExportMemoryAllocateInfo::default().handle_types(fd);
        let mut dedicated = vk::MemoryDedicatedAllocateInfo::default().image(image);
        let info = vk::MemoryAllocateInfo::default()
            .allocation_size(needs.size)
            .memory_type_index(
                vulkan.memory_type(needs.memory_type_bits, vk::MemoryPropertyFlags::DEVICE_LOCAL)?,
            )
            .push_next(&mut export)
            .push_next(&mut dedicated);
        let memory = device.allocate_memory(&info, None)?;
        device.bind_image_memory(image, memory, 0)?;
        let exporter = khr::external_memory_fd::Device::new(&vulkan.instance.raw, device);
        let info = vk::MemoryGetFdInfoKHR::default().memory(memory).handle_type(fd);
        let memory_fd = OwnedFd::from_raw_fd(exporter.get_memory_fd(&info)?);

        // Creates the timeline semaphore, and exports it.
        let fd = vk::ExternalSemaphoreHandleTypeFlags::OPAQUE_FD;
        let mut export = vk::ExportSemaphoreCreateInfo::default().handle_types(fd);
        let mut kind = vk::SemaphoreTypeCreateInfo::default().semaphore_type(vk::SemaphoreType::TIMELINE);
        let info = vk::SemaphoreCreateInfo::default().push_next(&mut export).push_next(&mut kind);
        let timeline = device.create_semaphore(&info, None)?;
        let exporter = khr::external_semaphore_fd::Device::new(&vulkan.instance.raw, device);
        let info = vk::SemaphoreGetFdInfoKHR::default().semaphore(timeline).handle_type(fd);
        let timeline_fd = OwnedFd::from_raw_fd(exporter.get_semaphore_fd(&info)?);
        let timeline = ExportableSemaphore::from_raw(&vulkan, timeline, SemaphoreKind::Timeline);

        // Opens CUDA's context and a stream on the same device.
        let (mut context, mut stream) = (ptr::null_mut(), ptr::null_mut());
        cuDevicePrimaryCtxRetain(&mut context, cuda_device).result()?;
        cuCtxSetCurrent(context).result()?;
        cuStreamCreate(&mut stream, CU_STREAM_NON_BLOCKING.into()).result()?;

        // CUDA imports the memory. The program gives the descriptor up by `into_raw_fd`, and never closes it.
        let mut desc = CUDA_EXTERNAL_MEMORY_HANDLE_DESC {
            type_: CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD,
            size: needs.size,
            flags: CUDA_EXTERNAL_MEMORY_DEDICATED,
            ..Default::default()
        };
        desc.handle.fd = memory_fd.into_raw_fd();
        let mut imported = ptr::null_mut();
        cuImportExternalMemory(&mut imported, &desc).result()?;

        // CUDA maps the image. `desc` repeats Vulkan's description.
        let desc = CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC {
            offset: 0,
            arrayDesc: CUDA_ARRAY3D_DESCRIPTOR {
                Width: WIDTH,
                Height: HEIGHT,
                Depth: 0,
                Format: CU_AD_FORMAT_UNORM_INT8X4,
                NumChannels: 4,
                Flags: 0,
            },
            numLevels: LEVELS as u32,
            ..Default::default()
        };
        let mut mipmap = ptr::null_mut();
        cuExternalMemoryGetMappedMipmappedArray(&mut mipmap, imported, &desc).result()?;

        // CUDA imports the semaphore.
        let mut desc = CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC {
            type_: CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD,
            ..Default::default()
        };
        desc.handle.fd = timeline_fd.into_raw_fd();
        let mut semaphore = ptr::null_mut();
        cuImportExternalSemaphore(&mut semaphore, &desc).result()?;

        // Vulkan writes every level, releases the image to CUDA, and signals 1.
        let host = HostBuffer::new(&vulkan, (LEVELS * ROOM) as u64)?;
        let sent = test_pattern(1, LEVELS * ROOM);
        host.write(&sent);
        let written = vulkan.submit(&[], &[(&timeline, 1)], |commands| {
            let first = all_levels_barrier(image)
                .dst_stage_mask(COPY)
                .dst_access_mask(vk::AccessFlags2::TRANSFER_WRITE)
                .old_layout(vk::ImageLayout::UNDEFINED);
            record_barrier(device, commands, first);
            device.cmd_copy_buffer_to_image(commands, host.raw, image, GENERAL, &all_level_copies());
            let release = all_levels_barrier(image)
                .src_stage_mask(COPY)
                .src_access_mask(vk::AccessFlags2::TRANSFER_WRITE)
                .src_queue_family_index(family)
                .dst_queue_family_index(vk::QUEUE_FAMILY_EXTERNAL);
            record_barrier(device, commands, release);
        })?;

        // CUDA waits for 1.
        let mut wait = CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS::default();
        wait.params.fence.value = 1;
        cuWaitExternalSemaphoresAsync(&semaphore, &wait, 1, stream).result()?;

        // CUDA copies each level to `texels`, fills the upper half there, and copies the level back.
        let pitch = WIDTH * TEXEL;
        let mut texels = 0;
        cuMemAlloc(&mut texels, pitch * HEIGHT).result()?;
        for level in 0..LEVELS {
            let (width, height) = level_extent(level);
            let mut array = ptr::null_mut();
            cuMipmappedArrayGetLevel(&mut array, mipmap, level as u32).result()?;
            let read = CUDA_MEMCPY2D {
                srcMemoryType: CU_MEMORYTYPE_ARRAY,
                srcArray: array,
                dstMemoryType: CU_MEMORYTYPE_DEVICE,
                dstDevice: texels,
                dstPitch: pitch,
                WidthInBytes: width * TEXEL,
                Height: height,
                ..Default::default()
            };
            cuMemcpy2DAsync(&read, stream).result()?;
            // A kernel could work here instead.
            cuMemsetD8Async(texels, CUDA_WROTE, pitch * (height / 2), stream).result()?;
            let write = CUDA_MEMCPY2D {
                srcMemoryType: CU_MEMORYTYPE_DEVICE,
                srcDevice: texels,
                srcPitch: pitch,
                dstMemoryType: CU_MEMORYTYPE_ARRAY,
                dstArray: array,
                WidthInBytes: width * TEXEL,
                Height: height,
                ..Default::default()
            };
            cuMemcpy2DAsync(&write, stream).result()?;
        }

        // CUDA signals 2.
        let mut signal = CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS::default();
        signal.params.fence.value = 2;
        cuSignalExternalSemaphoresAsync(&semaphore, &signal, 1, stream).result()?;

        // Vulkan waits for 2, acquires the image, reads every level, and signals 3.
        let read = vulkan.submit(&[(&timeline, 2)], &[(&timeline, 3)], |commands| {
            let acquire = all_levels_barrier(image)
                .src_stage_mask(vk::PipelineStageFlags2::ALL_COMMANDS)
                .dst_stage_mask(COPY)
                .dst_access_mask(vk::AccessFlags2::TRANSFER_READ)
                .src_queue_family_index(vk::QUEUE_FAMILY_EXTERNAL)
                .dst_queue_family_index(family);
            record_barrier(device, commands, acquire);
            device.cmd_copy_image_to_buffer(commands, image, GENERAL, host.raw, &all_level_copies());
            vulkan.memory_barrier(commands); // for the CPU
        })?;

        // Here the CPU waits for the first time, until the timeline is at 3.
        timeline.wait(3)?;
        let seen = host.bytes();

        // Teardown: wait for both APIs, then destroy CUDA's mapping, import and semaphore, then Vulkan's objects.
        cuStreamSynchronize(stream).result()?;
        drop((written, read));
        cuMemFree(texels).result()?;
        cuMipmappedArrayDestroy(mipmap).result()?;
        cuDestroyExternalMemory(imported).result()?;
        cuDestroyExternalSemaphore(semaphore).result()?;
        cuStreamDestroy(stream).result()?;
        cuDevicePrimaryCtxRelease(cuda_device).result()?;
        device.destroy_image(image, None);
        device.free_memory(memory, None);

        // The lower half of each level has Vulkan's bytes, and the upper half CUDA's.
        for level in 0..LEVELS {
            let (width, height) = level_extent(level);
            let bytes = level * ROOM..level * ROOM + width * height * TEXEL;
            let mut expected = sent[bytes.clone()].to_vec();
            expected[..width * (height / 2) * TEXEL].fill(CUDA_WROTE);
            compare_bytes(&format!("level {level}"), &seen[bytes], &expected)?;
            println!("level {level}, {width} x {height}: every byte is right");
        }
        Ok(())
    }

    /// Returns a barrier for all levels of the image, in the layout GENERAL and without an ownership transfer.
    fn all_levels_barrier(image: vk::Image) -> vk::ImageMemoryBarrier2<'static> {
        let range = vk::ImageSubresourceRange::default()
            .aspect_mask(vk::ImageAspectFlags::COLOR)
            .level_count(LEVELS as u32)
            .layer_count(1);
        vk::ImageMemoryBarrier2::default()
            .image(image)
            .subresource_range(range)
            .old_layout(GENERAL)
            .new_layout(GENERAL)
            .src_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
            .dst_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
    }

    unsafe fn record_barrier(
        device: &ash::Device,
        commands: vk::CommandBuffer,
        barrier: vk::ImageMemoryBarrier2,
    ) {
        let info = vk::DependencyInfo::default().image_memory_barriers(from_ref(&barrier));
        // SAFETY: the commands are being recorded, and the image lives.
        unsafe { device.cmd_pipeline_barrier2(commands, &info) };
    }

    /// Returns the copy region of each level, with its place in the host buffer.
    fn all_level_copies() -> Vec<vk::BufferImageCopy> {
        let region = |level| {
            let (width, height) = level_extent(level);
            let subresource = vk::ImageSubresourceLayers::default()
                .aspect_mask(vk::ImageAspectFlags::COLOR)
                .mip_level(level as u32)
                .layer_count(1);
            vk::BufferImageCopy::default()
                .buffer_offset((level * ROOM) as u64)
                .image_subresource(subresource)
                .image_extent(vk::Extent3D { width: width as u32, height: height as u32, depth: 1 })
        };
        (0..LEVELS).map(region).collect()
    }
}
