//! A kernel that reads and writes a Vulkan image in place, by a surface object, frame after frame.
//!
//! Vulkan clears an image with optimal tiling. In each frame a kernel changes every texel of it and Vulkan copies it for
//! the CPU. All frames are enqueued at once: a timeline semaphore orders them, and the CPU waits once, at the end.
//!
//! The documentation's page "vulkan_image" explains this file. Look at the flag of the mapping, without which a kernel
//! may not write; at the kernel, which counts x in bytes; and at the release after Vulkan's copy, which the next frame's
//! kernel waits for.

#[cfg(unix)]
fn main() -> std::process::ExitCode {
    interop::example::main(include_str!("image_in_place.rs"), in_place::example)
}

#[cfg(not(unix))]
fn main() {
    println!("This example shares file descriptors, which this system does not have.");
}

#[cfg(unix)]
#[allow(dead_code)] // what the other examples use
mod vulkan_setup;

#[cfg(unix)]
pub mod in_place {
    use std::ffi::CStr;
    use std::os::fd::{FromRawFd, IntoRawFd, OwnedFd};
    use std::{ptr, slice};

    use ash::{khr, vk};
    use cuda_external_sys::*;
    use interop::bytes::compare;
    use interop::{Error, Result};

    use super::vulkan_setup::{Vulkan, semaphore_at};

    const WIDTH: u32 = 640;
    const HEIGHT: u32 = 360;
    /// The bytes of a texel, and of the image without padding.
    const TEXEL: usize = 4;
    const SIZE: usize = (WIDTH * HEIGHT) as usize * TEXEL;
    const FRAMES: u64 = 3;
    const GENERAL: vk::ImageLayout = vk::ImageLayout::GENERAL;
    const COPY: vk::PipelineStageFlags2 = vk::PipelineStageFlags2::COPY;
    const CLEAR: vk::PipelineStageFlags2 = vk::PipelineStageFlags2::CLEAR;
    const ALL: vk::PipelineStageFlags2 = vk::PipelineStageFlags2::ALL_COMMANDS;

    // extern "C" __global__ void paint(cudaSurfaceObject_t image, unsigned width, unsigned height, unsigned frame)
    // {
    //     unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
    //     unsigned y = blockIdx.y * blockDim.y + threadIdx.y;
    //     if (x >= width || y >= height)
    //         return;
    //     // A surface counts x in bytes, and y in rows.
    //     uchar4 texel = surf2Dread<uchar4>(image, x * sizeof(uchar4), y);
    //     texel = make_uchar4(x, y, frame, texel.w + 1);
    //     surf2Dwrite(texel, image, x * sizeof(uchar4), y);
    // }

    /// The kernel above in PTX, which the driver compiles for its GPU. sm_75 is Turing and all later GPUs.
    const PTX: &CStr = c"
.version 6.3
.target sm_75
.address_size 64

.visible .entry paint(.param .u64 image, .param .u32 width, .param .u32 height, .param .u32 frame)
{
    .reg .pred %right, %below, %outside;
    .reg .b16 %red, %green, %blue, %alpha;
    .reg .b32 %x, %y, %bytes, %block, %threads, %thread, %width, %height, %frame;
    .reg .b64 %image;

    ld.param.u64 %image, [image];
    ld.param.u32 %width, [width];
    ld.param.u32 %height, [height];
    ld.param.u32 %frame, [frame];
    mov.u32 %block, %ctaid.x;
    mov.u32 %threads, %ntid.x;
    mov.u32 %thread, %tid.x;
    mad.lo.s32 %x, %block, %threads, %thread;
    mov.u32 %block, %ctaid.y;
    mov.u32 %threads, %ntid.y;
    mov.u32 %thread, %tid.y;
    mad.lo.s32 %y, %block, %threads, %thread;
    setp.ge.u32 %right, %x, %width;
    setp.ge.u32 %below, %y, %height;
    or.pred %outside, %right, %below;
    @%outside bra DONE;

    shl.b32 %bytes, %x, 2;
    suld.b.2d.v4.b8.trap {%red, %green, %blue, %alpha}, [%image, {%bytes, %y}];
    cvt.u16.u32 %red, %x;
    cvt.u16.u32 %green, %y;
    cvt.u16.u32 %blue, %frame;
    add.s16 %alpha, %alpha, 1;
    sust.b.2d.v4.b8.trap [%image, {%bytes, %y}], {%red, %green, %blue, %alpha};
DONE:
    ret;
}
";

    pub fn example() -> Result<()> {
        // SAFETY: handles are valid while they are used, and structs outlive the calls that read them. An error ends the
        // process.
        unsafe { share() }
    }

    #[expect(unsafe_op_in_unsafe_fn)] // nearly every line is such a call
    unsafe fn share() -> Result<()> {
        let vulkan = Vulkan::open()?;
        let device = &vulkan.device;

        // The image, in memory that is dedicated to it and exported.
        let fd = vk::ExternalMemoryHandleTypeFlags::OPAQUE_FD;
        let mut external = vk::ExternalMemoryImageCreateInfo::default().handle_types(fd);
        let info = vk::ImageCreateInfo::default()
            .image_type(vk::ImageType::TYPE_2D)
            .format(vk::Format::R8G8B8A8_UNORM)
            .extent(vk::Extent3D { width: WIDTH, height: HEIGHT, depth: 1 })
            .mip_levels(1)
            .array_layers(1)
            .samples(vk::SampleCountFlags::TYPE_1)
            .tiling(vk::ImageTiling::OPTIMAL)
            .usage(vk::ImageUsageFlags::TRANSFER_SRC | vk::ImageUsageFlags::TRANSFER_DST)
            .initial_layout(vk::ImageLayout::UNDEFINED)
            .push_next(&mut external);
        vulkan.check_exportable_image(&info)?;
        let image = device.create_image(&info, None)?;
        let needs = device.get_image_memory_requirements(image);
        let mut export = vk::ExportMemoryAllocateInfo::default().handle_types(fd);
        let mut dedicated = vk::MemoryDedicatedAllocateInfo::default().image(image);
        let info = vk::MemoryAllocateInfo::default()
            .allocation_size(needs.size)
            .memory_type_index(vulkan.memory_type(&needs, vk::MemoryPropertyFlags::DEVICE_LOCAL)?)
            .push_next(&mut export)
            .push_next(&mut dedicated);
        let memory = device.allocate_memory(&info, None)?;
        device.bind_image_memory(image, memory, 0)?;
        let exporter = khr::external_memory_fd::Device::new(&vulkan.instance, device);
        let info = vk::MemoryGetFdInfoKHR::default().memory(memory).handle_type(fd);
        let memory_fd = OwnedFd::from_raw_fd(exporter.get_memory_fd(&info)?);

        // The timeline semaphore, exported.
        let fd = vk::ExternalSemaphoreHandleTypeFlags::OPAQUE_FD;
        let mut export = vk::ExportSemaphoreCreateInfo::default().handle_types(fd);
        let mut kind = vk::SemaphoreTypeCreateInfo::default().semaphore_type(vk::SemaphoreType::TIMELINE);
        let info = vk::SemaphoreCreateInfo::default().push_next(&mut export).push_next(&mut kind);
        let timeline = device.create_semaphore(&info, None)?;
        let exporter = khr::external_semaphore_fd::Device::new(&vulkan.instance, device);
        let info = vk::SemaphoreGetFdInfoKHR::default().semaphore(timeline).handle_type(fd);
        let timeline_fd = OwnedFd::from_raw_fd(exporter.get_semaphore_fd(&info)?);

        // CUDA's context and stream, on the same device. The descriptors are given up by `into_raw_fd` and never closed.
        let (mut context, mut stream) = (ptr::null_mut(), ptr::null_mut());
        cuDevicePrimaryCtxRetain(&mut context, vulkan.cuda_device).result()?;
        cuCtxSetCurrent(context).result()?;
        cuStreamCreate(&mut stream, CU_STREAM_NON_BLOCKING.into()).result()?;
        let mut desc = CUDA_EXTERNAL_MEMORY_HANDLE_DESC {
            type_: CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD,
            size: needs.size,
            flags: CUDA_EXTERNAL_MEMORY_DEDICATED,
            ..Default::default()
        };
        desc.handle.fd = memory_fd.into_raw_fd();
        let mut imported = ptr::null_mut();
        cuImportExternalMemory(&mut imported, &desc).result()?;
        let mut desc = CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC {
            type_: CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD,
            ..Default::default()
        };
        desc.handle.fd = timeline_fd.into_raw_fd();
        let mut semaphore = ptr::null_mut();
        cuImportExternalSemaphore(&mut semaphore, &desc).result()?;

        // The image as a mipmapped array that kernels may write, and a surface object on its one level.
        let desc = CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC {
            arrayDesc: CUDA_ARRAY3D_DESCRIPTOR {
                Width: WIDTH as usize,
                Height: HEIGHT as usize,
                Format: CU_AD_FORMAT_UNSIGNED_INT8,
                NumChannels: 4,
                Flags: CUDA_ARRAY3D_SURFACE_LDST,
                ..Default::default()
            },
            numLevels: 1,
            ..Default::default()
        };
        let mut mipmap = ptr::null_mut();
        cuExternalMemoryGetMappedMipmappedArray(&mut mipmap, imported, &desc).result()?;
        let mut level = CUDA_RESOURCE_DESC { resType: CU_RESOURCE_TYPE_ARRAY, ..Default::default() };
        cuMipmappedArrayGetLevel(&mut level.res.array.hArray, mipmap, 0).result()?;
        let mut surface: CUsurfObject = 0;
        cuSurfObjectCreate(&mut surface, &level).result()?;

        // The kernel.
        let (mut module, mut kernel) = (ptr::null_mut(), ptr::null_mut());
        cuModuleLoadData(&mut module, PTX.as_ptr().cast()).result()?;
        let found = cuModuleGetFunction(&mut kernel, module, c"paint".as_ptr());
        if found == CUDA_ERROR_NOT_SUPPORTED {
            return Err(Error::Missing("a driver that compiles PTX".to_owned())); // a driver in software
        }
        found.result()?;

        // Vulkan clears the image, hands it over, and signals 1.
        let host = vulkan.host_buffer(SIZE * FRAMES as usize)?;
        vulkan.submit(None, semaphore_at(timeline, 1, ALL), |commands| {
            let first = barrier(image)
                .dst_stage_mask(CLEAR)
                .dst_access_mask(vk::AccessFlags2::TRANSFER_WRITE)
                .old_layout(vk::ImageLayout::UNDEFINED);
            vulkan.image_barrier(commands, first);
            let black = vk::ClearColorValue { float32: [0.0; 4] };
            device.cmd_clear_color_image(commands, image, GENERAL, &black, &[range()]);
            let release = barrier(image)
                .src_stage_mask(CLEAR)
                .src_access_mask(vk::AccessFlags2::TRANSFER_WRITE)
                .src_queue_family_index(vulkan.family)
                .dst_queue_family_index(vk::QUEUE_FAMILY_EXTERNAL);
            vulkan.image_barrier(commands, release);
        })?;

        for frame in 0..FRAMES {
            let (handed_over, painted) = (2 * frame + 1, 2 * frame + 2);

            // CUDA waits until Vulkan has handed the image over, paints, and signals.
            let mut wait = CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS::default();
            wait.params.fence.value = handed_over;
            cuWaitExternalSemaphoresAsync(&semaphore, &wait, 1, stream).result()?;
            let (mut width, mut height, mut number) = (WIDTH, HEIGHT, frame as u32);
            let mut arguments = [
                (&raw mut surface).cast(),
                (&raw mut width).cast(),
                (&raw mut height).cast(),
                (&raw mut number).cast(),
            ];
            let (across, down) = (WIDTH.div_ceil(16), HEIGHT.div_ceil(16));
            let arguments = arguments.as_mut_ptr();
            cuLaunchKernel(kernel, across, down, 1, 16, 16, 1, 0, stream, arguments, ptr::null_mut())
                .result()?;
            let mut signal = CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS::default();
            signal.params.fence.value = painted;
            cuSignalExternalSemaphoresAsync(&semaphore, &signal, 1, stream).result()?;

            // Vulkan waits for that, takes the image back, copies it, hands it over again, and signals.
            let wait = semaphore_at(timeline, painted, COPY);
            vulkan.submit(Some(wait), semaphore_at(timeline, painted + 1, ALL), |commands| {
                let acquire = barrier(image)
                    .src_stage_mask(COPY)
                    .dst_stage_mask(COPY)
                    .dst_access_mask(vk::AccessFlags2::TRANSFER_READ)
                    .src_queue_family_index(vk::QUEUE_FAMILY_EXTERNAL)
                    .dst_queue_family_index(vulkan.family);
                vulkan.image_barrier(commands, acquire);
                let to = vk::BufferImageCopy::default()
                    .buffer_offset(frame * SIZE as u64)
                    .image_subresource(
                        vk::ImageSubresourceLayers::default()
                            .aspect_mask(vk::ImageAspectFlags::COLOR)
                            .layer_count(1),
                    )
                    .image_extent(vk::Extent3D { width: WIDTH, height: HEIGHT, depth: 1 });
                device.cmd_copy_image_to_buffer(commands, image, GENERAL, host.buffer, &[to]);
                // The source is the copy: the next frame's kernel writes only when it has read.
                let release = barrier(image)
                    .src_stage_mask(COPY)
                    .src_queue_family_index(vulkan.family)
                    .dst_queue_family_index(vk::QUEUE_FAMILY_EXTERNAL);
                vulkan.image_barrier(commands, release);
                let for_the_cpu = vk::MemoryBarrier2::default()
                    .src_stage_mask(COPY)
                    .src_access_mask(vk::AccessFlags2::TRANSFER_WRITE)
                    .dst_stage_mask(vk::PipelineStageFlags2::HOST)
                    .dst_access_mask(vk::AccessFlags2::HOST_READ);
                vulkan.memory_barrier(commands, for_the_cpu);
            })?;
        }

        // The CPU waits, for the first time.
        let end = [2 * FRAMES + 1];
        let info = vk::SemaphoreWaitInfo::default().semaphores(slice::from_ref(&timeline)).values(&end);
        device.wait_semaphores(&info, 10_000_000_000)?;
        let frames = host.read(SIZE * FRAMES as usize);

        // Teardown: the work of both, the surface object, then as in the other examples.
        cuStreamSynchronize(stream).result()?;
        device.device_wait_idle()?;
        cuSurfObjectDestroy(surface).result()?;
        cuMipmappedArrayDestroy(mipmap).result()?;
        cuDestroyExternalMemory(imported).result()?;
        cuDestroyExternalSemaphore(semaphore).result()?;
        cuModuleUnload(module).result()?;
        cuStreamDestroy(stream).result()?;
        cuDevicePrimaryCtxRelease(vulkan.cuda_device).result()?;
        device.destroy_semaphore(timeline, None);
        device.destroy_image(image, None);
        device.free_memory(memory, None);
        vulkan.close(host);

        // Alpha counts the frames: each kernel has read what the one before it wrote.
        for (frame, seen) in frames.chunks_exact(SIZE).enumerate() {
            let texels = (0..HEIGHT).flat_map(|y| (0..WIDTH).map(move |x| [x as u8, y as u8]));
            let expected = texels.flat_map(|[x, y]| [x, y, frame as u8, frame as u8 + 1]);
            compare(&format!("frame {frame}"), seen, &expected.collect::<Vec<_>>())?;
            println!("frame {frame}, {WIDTH} x {HEIGHT}, painted in place: every byte is right");
        }
        Ok(())
    }

    fn range() -> vk::ImageSubresourceRange {
        vk::ImageSubresourceRange::default()
            .aspect_mask(vk::ImageAspectFlags::COLOR)
            .level_count(1)
            .layer_count(1)
    }

    /// A barrier for the whole image, in the layout GENERAL.
    fn barrier(image: vk::Image) -> vk::ImageMemoryBarrier2<'static> {
        vk::ImageMemoryBarrier2::default()
            .image(image)
            .subresource_range(range())
            .old_layout(GENERAL)
            .new_layout(GENERAL)
            .src_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
            .dst_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
    }
}
