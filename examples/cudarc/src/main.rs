//! cudarc's kernels on Vulkan's memory, imported by this crate: a buffer, and an image with all its mip levels in
//! place.
//!
//! Two parts: a kernel changes a Vulkan buffer; kernels make an image's mip levels through surface objects and read
//! them through a texture object. Vulkan reads what CUDA wrote, and every byte is compared with what the CPU computes.
//!
//! The two crates share handles: cudarc's context is the primary one, which this crate makes current; cudarc's stream
//! is a `CUstream` by a cast; a mapped address is a `u64` to both, and so is a surface or texture object.

mod handle_conversion;
mod surface_and_texture_objects;

use std::process::ExitCode;
use std::sync::Arc;

use ash::vk;
use cuda_external_sys::*;
use cudarc::driver::{
    CudaContext, CudaFunction, CudaModule, CudaStream, DriverError, LaunchConfig, PushKernelArg,
};
use cudarc::nvrtc::Ptx;
use example_support::cuda::{Cuda, ImportedMemory, Stream};
use example_support::shared_resources::SharedImage;
use example_support::vulkan::{Buffer, Image, ImageShape, Vulkan};
use example_support::{Error, Result, test_bytes};

use surface_and_texture_objects::{SurfaceObject, TextureObject};

/// Bytes in a texel of `R8G8B8A8_UINT`.
const TEXEL: usize = 4;

fn main() -> ExitCode {
    example_support::example_main::run_example(include_str!("main.rs"), example)
}

fn example() -> Result<()> {
    // This crate first: without a driver it returns an error, where cudarc panics.
    let cuda = Cuda::retain_primary(0)?;
    let vulkan = Vulkan::open_by_uuid(&cuda.uuid)?;
    let kernels = Kernels::load_kernels()?;
    println!("{} in CUDA is {} in Vulkan", cuda.name, vulkan.name);

    share_buffer(&vulkan, &kernels)?;
    let image = shared_image(&vulkan)?;
    make_mip_levels(&image, &kernels)
}

/// cudarc's part: the primary context, which is current already; a stream; a module with three functions.
struct Kernels {
    stream: Arc<CudaStream>,
    module: Arc<CudaModule>,
}

impl Kernels {
    fn load_kernels() -> Result<Self> {
        let context = CudaContext::new(0).map_err(driver_error)?;
        let stream = context.new_stream().map_err(driver_error)?;
        // The driver compiles PTX for the GPU that there is. NVRTC, which a user's machine may lack, is not needed.
        let module = context.load_module(Ptx::from_src(include_str!("kernels.ptx"))).map_err(driver_error)?;
        Ok(Self { stream, module })
    }

    fn find_function(&self, name: &str) -> Result<CudaFunction> {
        self.module.load_function(name).map_err(driver_error)
    }

    fn synchronize(&self) -> Result<()> {
        self.stream.synchronize().map_err(driver_error)
    }
}

fn driver_error(error: DriverError) -> Error {
    handle_conversion::error_code(error).into()
}

/// Vulkan writes words to a buffer, a kernel changes them, Vulkan reads them.
fn share_buffer(vulkan: &Vulkan, kernels: &Kernels) -> Result<()> {
    const COUNT: u32 = 1_000_000;
    const FACTOR: u32 = 0x9e37_79b9;
    let size = u64::from(COUNT) * 4;
    let (buffer, memory) = Buffer::with_memory(vulkan, size, true)?;
    let imported = ImportedMemory::from_vulkan(&memory)?; // destroyed at the end, before Vulkan's buffer and memory
    let address = imported.map_buffer(0, size)?;

    let sent: Vec<u8> = (0..COUNT).flat_map(|i| (i ^ (i << 7)).to_ne_bytes()).collect();
    buffer.write(0, &sent)?; // Vulkan is done, and has released the buffer to CUDA, when this returns
    let scale = kernels.find_function("scale")?;
    let mut launch = kernels.stream.launch_builder(&scale);
    launch.arg(&address).arg(&COUNT).arg(&FACTOR);
    // SAFETY: the kernel takes these three; the mapping has COUNT words.
    unsafe { launch.launch(LaunchConfig::for_num_elems(COUNT)) }.map_err(driver_error)?;
    // SAFETY: cudarc's stream, by this crate's function.
    unsafe { cuStreamSynchronize(handle_conversion::to_external(&kernels.stream)) }.result()?;

    // The same words by cudarc's copy, in a stream that this crate made.
    let own_stream = Stream::new()?;
    // SAFETY: both outlive the slice, and the mapping has `size` bytes.
    let copied = unsafe {
        let stream = handle_conversion::to_cudarc(kernels.stream.context(), own_stream.raw());
        let slice = handle_conversion::as_cudarc_slice::<u8>(&stream, address, size as usize);
        let copied = stream.clone_dtoh(&*slice).map_err(driver_error)?;
        handle_conversion::release(slice);
        copied
    };

    let expected: Vec<u8> =
        (0..COUNT).flat_map(|i| (i ^ (i << 7)).wrapping_mul(FACTOR).wrapping_add(i).to_ne_bytes()).collect();
    compare_bytes("buffer: Vulkan's words, changed by a kernel, copied by cudarc", &copied, &expected)?;
    compare_bytes(
        "buffer: Vulkan's words, changed by a kernel, read by Vulkan",
        &buffer.read(0, size)?,
        &expected,
    )
}

/// A Vulkan image with a full chain of mip levels, mapped so that kernels may write it.
fn shared_image(vulkan: &Vulkan) -> Result<SharedImage<'_>> {
    let extent = vk::Extent3D { width: 640, height: 360, depth: 1 };
    let shape = ImageShape { view: vk::ImageViewType::TYPE_2D, extent, layers: 1, levels: 10 };
    // For storage in Vulkan, for surfaces in CUDA: CUDA_ARRAY3D_SURFACE_LDST.
    SharedImage::new(vulkan, shape, vk::Format::R8G8B8A8_UINT, vk::ImageUsageFlags::STORAGE)
}

fn level_size(image: &Image<'_>, level: u32) -> (u32, u32) {
    let extent = image.shape.level_extent(level);
    (extent.width, extent.height)
}

/// Vulkan writes level 0. A kernel makes each further level from the one above, in place. Another reads all levels
/// through a texture object, and Vulkan reads them too.
fn make_mip_levels(shared: &SharedImage<'_>, kernels: &Kernels) -> Result<()> {
    let image = &shared.image;
    let levels = image.shape.levels;
    let mut expected = vec![test_bytes::test_pattern(1, image.level_size(0))];
    for level in 1..levels {
        let (above_width, _) = level_size(image, level - 1);
        let next = halve_level_on_cpu(&expected[level as usize - 1], above_width, level_size(image, level));
        expected.push(next);
    }
    // The levels that the kernel is to make hold something else before.
    let mut sent: Vec<Vec<u8>> = (0..levels).map(|level| vec![0xcc; image.level_size(level)]).collect();
    sent[0].clone_from(&expected[0]);
    image.write(&sent)?;

    let halve = kernels.find_function("halve")?;
    let surfaces: Vec<SurfaceObject> =
        (0..levels).map(|level| SurfaceObject::new(shared.mipmap, level)).collect::<Result<_>>()?;
    for level in 1..levels {
        let (width, height) = level_size(image, level);
        let mut launch = kernels.stream.launch_builder(&halve);
        launch.arg(&surfaces[level as usize - 1].0).arg(&surfaces[level as usize].0).arg(&width).arg(&height);
        // SAFETY: the kernel takes these four; the size is the level's.
        unsafe { launch.launch(launch_in_16x16_blocks(width, height)) }.map_err(driver_error)?;
    }

    let fetch = kernels.find_function("fetch")?;
    let texture = TextureObject::new(shared.mipmap, levels)?;
    for level in 0..levels {
        let (width, height) = level_size(image, level);
        // cudarc's own memory, in its own type.
        let mut texels = kernels.stream.alloc_zeros::<u8>(image.level_size(level)).map_err(driver_error)?;
        let lod = level as f32;
        let mut launch = kernels.stream.launch_builder(&fetch);
        launch.arg(&texture.0).arg(&lod).arg(&width).arg(&height).arg(&mut texels);
        // SAFETY: the kernel takes these five; `texels` has room for the level.
        unsafe { launch.launch(launch_in_16x16_blocks(width, height)) }.map_err(driver_error)?;
        let seen = kernels.stream.clone_dtoh(&texels).map_err(driver_error)?;
        let what = format!("image: level {level}, {width} x {height}, read through the texture object");
        compare_bytes(&what, &seen, &expected[level as usize])?;
    }
    kernels.synchronize()?;
    for (level, (seen, expected)) in image.read()?.iter().zip(&expected).enumerate() {
        compare_bytes(&format!("image: level {level}, read by Vulkan"), seen, expected)?;
    }
    Ok(())
}

/// What the kernel `halve` makes, on the CPU.
fn halve_level_on_cpu(above: &[u8], above_width: u32, (width, height): (u32, u32)) -> Vec<u8> {
    let texel = |x: u32, y: u32| &above[(2 * y * above_width + 2 * x) as usize * TEXEL..][..TEXEL];
    (0..height).flat_map(|y| (0..width).flat_map(move |x| texel(x, y))).copied().collect()
}

/// Enough blocks of 16 by 16 threads.
fn launch_in_16x16_blocks(width: u32, height: u32) -> LaunchConfig {
    LaunchConfig {
        grid_dim: (width.div_ceil(16), height.div_ceil(16), 1),
        block_dim: (16, 16, 1),
        shared_mem_bytes: 0,
    }
}

fn compare_bytes(what: &str, seen: &[u8], expected: &[u8]) -> Result<()> {
    test_bytes::compare_bytes(what, seen, expected)?;
    println!("{what}: {} bytes, all as expected", seen.len());
    Ok(())
}
