//! A kernel reads and writes a Vulkan image in place, through a surface object, frame after frame.
//!
//! Vulkan clears an image with optimal tiling. In each frame a kernel changes every texel, and Vulkan copies the image
//! for the CPU. All frames are enqueued at once: a timeline semaphore orders them, and the CPU waits only at the end.
//!
//! The documentation's page "vulkan_image" shows how an image and a semaphore are shared. Its section "In place"
//! explains this file. Look at the mapping's flag CUDA_ARRAY3D_SURFACE_LDST, which a surface object requires; at the
//! kernel, whose surface functions take x in bytes; and at the release after each of Vulkan's copies except the last.

example_support::example_main!(unix, "image_in_place.rs", example);

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

/// The kernel above in PTX, which the driver compiles for the GPU. PTX for sm_75 runs on Turing and all later GPUs.
#[cfg(unix)]
const PTX: &std::ffi::CStr = c"
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

#[cfg(unix)]
fn example() -> example_support::Result<()> {
    use std::ptr;

    use ash::vk;
    use cuda_external_sys::*;
    use example_support::Error;
    use example_support::cuda::{Cuda, ImportedMemory, Stream};
    use example_support::shared_resources::{SharedImage, SharedSemaphore};
    use example_support::test_bytes::compare_bytes;
    use example_support::vulkan::{ExportableImage, HostBuffer, ImageShape, SemaphoreKind, Vulkan};

    const WIDTH: u32 = 640;
    const HEIGHT: u32 = 360;
    /// The size of the image in bytes, without padding.
    const SIZE: usize = (WIDTH * HEIGHT) as usize * 4;
    const FRAMES: u64 = 3;

    let cuda = Cuda::retain_primary(0)?;
    let vulkan = Vulkan::open_by_uuid(&cuda.uuid)?;
    let timeline = SharedSemaphore::new(&vulkan, SemaphoreKind::Timeline)?;
    let stream = Stream::new()?;

    // CUDA maps the image as a mipmapped array that kernels may write, and makes a surface object of its only level.
    let extent = vk::Extent3D { width: WIDTH, height: HEIGHT, depth: 1 };
    let shape = ImageShape { view: vk::ImageViewType::TYPE_2D, extent, layers: 1, levels: 1 };
    let image = ExportableImage::new(&vulkan, shape, vk::Format::R8G8B8A8_UNORM, SharedImage::USAGE, 0)?;
    let array = CUDA_ARRAY3D_DESCRIPTOR {
        Width: WIDTH as usize,
        Height: HEIGHT as usize,
        Format: CU_AD_FORMAT_UNSIGNED_INT8,
        NumChannels: 4,
        Flags: CUDA_ARRAY3D_SURFACE_LDST,
        ..Default::default()
    };
    let import = ImportedMemory::from_vulkan(&image.memory)?;
    // SAFETY: `array` has the extent and the texel size of the image, which has one level.
    let mipmap = unsafe { import.map_mipmapped_array(image.offset, array, 1) }?;
    let mut level = CUDA_RESOURCE_DESC { resType: CU_RESOURCE_TYPE_ARRAY, ..Default::default() };
    let mut surface: CUsurfObject = 0;
    let (mut module, mut kernel) = (ptr::null_mut(), ptr::null_mut());
    // SAFETY: here and below, each pointer is to a variable of the type that the function takes.
    unsafe {
        cuMipmappedArrayGetLevel(&mut level.res.array.hArray, mipmap, 0).result()?;
        cuSurfObjectCreate(&mut surface, &level).result()?;

        cuModuleLoadData(&mut module, PTX.as_ptr().cast()).result()?;
        let found = cuModuleGetFunction(&mut kernel, module, c"paint".as_ptr());
        if found == CUDA_ERROR_NOT_SUPPORTED {
            return Err(Error::Missing("a driver that compiles PTX".to_owned())); // cuda-external-cpu
        }
        found.result()?;
    }

    // Vulkan clears the image, releases it to CUDA, and signals 1.
    let host = HostBuffer::new(&vulkan, SIZE as u64 * FRAMES)?;
    let color = vk::ImageSubresourceRange::default()
        .aspect_mask(vk::ImageAspectFlags::COLOR)
        .level_count(1)
        .layer_count(1);
    let cleared = vulkan.submit(&[], &[(&timeline.vulkan, 1)], |commands| {
        image.acquire_or_initialize(commands);
        let (general, black) = (vk::ImageLayout::GENERAL, vk::ClearColorValue { float32: [0.0; 4] });
        // SAFETY: the image lives until the submission is done.
        unsafe { vulkan.device.cmd_clear_color_image(commands, image.raw, general, &black, &[color]) };
        image.release_to_cuda(commands);
    })?;
    let mut submissions = vec![cleared];

    for frame in 0..FRAMES {
        let (handed_over, painted) = (2 * frame + 1, 2 * frame + 2);

        // CUDA waits until Vulkan has released the image, runs the kernel, and signals.
        stream.wait(&[(&timeline.cuda, handed_over)])?;
        let (mut width, mut height, mut number) = (WIDTH, HEIGHT, frame as u32);
        let mut arguments = [
            (&raw mut surface).cast(),
            (&raw mut width).cast(),
            (&raw mut height).cast(),
            (&raw mut number).cast(),
        ];
        let (across, down) = (WIDTH.div_ceil(16), HEIGHT.div_ceil(16));
        let (arguments, stream_of) = (arguments.as_mut_ptr(), stream.raw());
        // SAFETY: the kernel has these four arguments, which the driver copies.
        unsafe {
            cuLaunchKernel(kernel, across, down, 1, 16, 16, 1, 0, stream_of, arguments, ptr::null_mut())
        }
        .result()?;
        stream.signal(&[(&timeline.cuda, painted)])?;

        // Vulkan waits for CUDA's signal, acquires the image and copies it. If another frame follows, Vulkan releases
        // the image to CUDA. Then Vulkan signals.
        let (wait, signal) = ([(&timeline.vulkan, painted)], [(&timeline.vulkan, painted + 1)]);
        submissions.push(vulkan.submit(&wait, &signal, |commands| {
            image.acquire_or_initialize(commands);
            image.record_copy(commands, &host, frame * SIZE as u64);
            if frame + 1 < FRAMES {
                image.release_to_cuda(commands);
            }
        })?);
    }

    // The CPU waits here only. The surface object is destroyed before the mapping, which the end of the scope destroys.
    timeline.vulkan.wait(2 * FRAMES + 1)?;
    stream.finish()?;
    // SAFETY: no kernel uses the surface and the module any more.
    unsafe {
        cuSurfObjectDestroy(surface).result()?;
        cuModuleUnload(module).result()?;
    }
    drop(submissions);

    // Alpha counts the launches: Vulkan cleared it to 0, and each launch of the kernel adds 1.
    for (frame, seen) in host.bytes().chunks_exact(SIZE).enumerate() {
        let texels = (0..HEIGHT).flat_map(|y| (0..WIDTH).map(move |x| [x as u8, y as u8]));
        let expected = texels.flat_map(|[x, y]| [x, y, frame as u8, frame as u8 + 1]);
        compare_bytes(&format!("frame {frame}"), seen, &expected.collect::<Vec<_>>())?;
        println!("frame {frame}, {WIDTH} x {HEIGHT}, painted in place: every byte is right");
    }
    Ok(())
}
