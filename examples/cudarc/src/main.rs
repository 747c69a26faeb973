//! cudarc's kernels on Vulkan's memory, imported by this crate: a buffer, and an image with all its mip levels in
//! place.
//!
//! Three parts: a kernel changes a Vulkan buffer; kernels filter an image's mip chain through surface objects and read
//! it through a texture object; copies with a pitch move a level to a buffer and back. Vulkan reads what CUDA wrote,
//! and every byte is compared with what the CPU computes.
//!
//! The two crates share handles: cudarc's context is the primary one, which this crate makes current; cudarc's stream
//! is a `CUstream` by a cast; a mapped address is a `u64` to both, and so is a surface or texture object.

mod cpu;
mod handles;
mod objects;

use std::process::ExitCode;
use std::sync::Arc;

use ash::vk;
use cuda_external_sys::*;
use cudarc::driver::{
    CudaContext, CudaFunction, CudaModule, CudaStream, DriverError, LaunchConfig, PushKernelArg,
};
use cudarc::nvrtc::Ptx;
use example_support::cuda::{Cuda, ImportedMemory, Stream, level_array};
use example_support::vulkan::{Buffer, Image, ImageShape, Vulkan};
use example_support::{Error, Result, array_descriptors, test_bytes};

use objects::{Surface, Texture};

/// Bytes in a texel of `R8G8B8A8_UINT`.
const TEXEL: usize = 4;

fn main() -> ExitCode {
    example_support::example_main::run_example(include_str!("main.rs"), example)
}

fn example() -> Result<()> {
    // This crate first: without a driver it returns an error, where cudarc panics.
    let cuda = Cuda::open(0)?;
    let vulkan = Vulkan::open(&cuda.uuid)?;
    let kernels = Kernels::load()?;
    println!("{} in CUDA is {} in Vulkan", cuda.name, vulkan.name);

    buffer(&vulkan, &kernels)?;
    let image = SharedImage::new(&vulkan)?;
    filter_levels(&image, &kernels)?;
    copy_with_pitch(&vulkan, &image, &kernels)
}

/// cudarc's part: the primary context, which is current already; a stream; a module with three functions.
struct Kernels {
    stream: Arc<CudaStream>,
    module: Arc<CudaModule>,
}

impl Kernels {
    fn load() -> Result<Self> {
        let context = CudaContext::new(0).map_err(driver_error)?;
        let stream = context.new_stream().map_err(driver_error)?;
        // The driver compiles PTX for the GPU that there is. NVRTC, which a user's machine may lack, is not needed.
        let module = context.load_module(Ptx::from_src(include_str!("kernels.ptx"))).map_err(driver_error)?;
        Ok(Self { stream, module })
    }

    fn function(&self, name: &str) -> Result<CudaFunction> {
        self.module.load_function(name).map_err(driver_error)
    }

    /// The same stream, for this crate's functions.
    fn raw_stream(&self) -> CUstream {
        handles::to_external(&self.stream)
    }

    fn synchronize(&self) -> Result<()> {
        self.stream.synchronize().map_err(driver_error)
    }
}

fn driver_error(error: DriverError) -> Error {
    handles::code(error).into()
}

/// Vulkan writes words to a buffer, a kernel changes them, Vulkan reads them.
fn buffer(vulkan: &Vulkan, kernels: &Kernels) -> Result<()> {
    const COUNT: u32 = 1_000_000;
    const FACTOR: u32 = 0x9e37_79b9;
    let size = u64::from(COUNT) * 4;
    let (buffer, memory) = Buffer::with_memory(vulkan, size, true)?;
    let imported = ImportedMemory::from_vulkan(&memory)?; // destroyed at the end, before Vulkan's buffer and memory
    let address = imported.map_buffer(0, size)?;

    let sent: Vec<u8> = (0..COUNT).flat_map(|i| (i ^ (i << 7)).to_ne_bytes()).collect();
    buffer.write(0, &sent)?; // Vulkan is done, and has released the buffer to CUDA, when this returns
    let scale = kernels.function("scale")?;
    let mut launch = kernels.stream.launch_builder(&scale);
    launch.arg(&address).arg(&COUNT).arg(&FACTOR);
    // SAFETY: the kernel takes these three; the mapping has COUNT words.
    unsafe { launch.launch(LaunchConfig::for_num_elems(COUNT)) }.map_err(driver_error)?;
    kernels.synchronize()?;

    // The same words by cudarc's copy, in a stream that this crate made.
    let own_stream = Stream::new()?;
    // SAFETY: both outlive the slice, and the mapping has `size` bytes.
    let copied = unsafe {
        let stream = handles::to_cudarc(kernels.stream.context(), own_stream.raw());
        let slice = handles::as_slice::<u8>(&stream, address, size as usize);
        let copied = stream.clone_dtoh(&*slice).map_err(driver_error)?;
        handles::release(slice);
        copied
    };

    let expected: Vec<u8> =
        (0..COUNT).flat_map(|i| (i ^ (i << 7)).wrapping_mul(FACTOR).wrapping_add(i).to_ne_bytes()).collect();
    compare("buffer: Vulkan's words, changed by a kernel, copied by cudarc", &copied, &expected)?;
    compare("buffer: Vulkan's words, changed by a kernel, read by Vulkan", &buffer.read(0, size)?, &expected)
}

/// A Vulkan image with a full chain of mip levels, mapped so that kernels may write it.
struct SharedImage<'v> {
    mipmap: CUmipmappedArray,
    _imported: ImportedMemory, // dropped before the image
    image: Image<'v>,
}

impl<'v> SharedImage<'v> {
    fn new(vulkan: &'v Vulkan) -> Result<Self> {
        let extent = vk::Extent3D { width: 640, height: 360, depth: 1 };
        let shape = ImageShape { view: vk::ImageViewType::TYPE_2D, extent, layers: 1, levels: 10 };
        let format = vk::Format::R8G8B8A8_UINT;
        let usage = vk::ImageUsageFlags::TRANSFER_SRC
            | vk::ImageUsageFlags::TRANSFER_DST
            | vk::ImageUsageFlags::SAMPLED
            | vk::ImageUsageFlags::STORAGE;
        let image = Image::new(vulkan, shape, format, usage, 0)?;
        let imported = ImportedMemory::from_vulkan(&image.memory)?;
        let surface = true; // kernels write: CUDA_ARRAY3D_SURFACE_LDST
        let array =
            array_descriptors::array_descriptor(format, extent, shape.layers, shape.view, usage, surface)
                .ok_or_else(|| Error::Failed(format!("CUDA has no element for {format:?}")))?;
        let mipmap = imported.map_mipmapped_array(image.offset, array, shape.levels)?;
        Ok(Self { mipmap, _imported: imported, image })
    }

    fn size(&self, level: u32) -> (u32, u32) {
        let extent = self.image.shape.level_extent(level);
        (extent.width, extent.height)
    }
}

/// Vulkan writes level 0. A kernel makes each further level from the one above, in place. Another reads all levels
/// through a texture object, and Vulkan reads them too.
fn filter_levels(shared: &SharedImage<'_>, kernels: &Kernels) -> Result<()> {
    let image = &shared.image;
    let levels = image.shape.levels;
    let expected = cpu::mip_chain(test_bytes::test_pattern(1, image.level_size(0)), shared.size(0), levels);
    // The levels that the kernel is to make hold something else before.
    let mut sent: Vec<Vec<u8>> = (0..levels).map(|level| vec![0xcc; image.level_size(level)]).collect();
    sent[0].clone_from(&expected[0]);
    image.write(&sent)?;

    let halve = kernels.function("halve")?;
    let surfaces: Vec<Surface> =
        (0..levels).map(|level| Surface::new(shared.mipmap, level)).collect::<Result<_>>()?;
    for level in 1..levels {
        let (above_width, above_height) = shared.size(level - 1);
        let (width, height) = shared.size(level);
        let mut launch = kernels.stream.launch_builder(&halve);
        launch.arg(&surfaces[level as usize - 1].0).arg(&above_width).arg(&above_height);
        launch.arg(&surfaces[level as usize].0).arg(&width).arg(&height);
        // SAFETY: the kernel takes these six; the sizes are the levels'.
        unsafe { launch.launch(tiles(width, height)) }.map_err(driver_error)?;
    }

    let fetch = kernels.function("fetch")?;
    let texture = Texture::new(shared.mipmap, levels)?;
    for level in 0..levels {
        let (width, height) = shared.size(level);
        // cudarc's own memory, in its own type.
        let mut texels = kernels.stream.alloc_zeros::<u8>(image.level_size(level)).map_err(driver_error)?;
        let lod = level as f32;
        let mut launch = kernels.stream.launch_builder(&fetch);
        launch.arg(&texture.0).arg(&lod).arg(&width).arg(&height).arg(&mut texels);
        // SAFETY: the kernel takes these five; `texels` has room for the level.
        unsafe { launch.launch(tiles(width, height)) }.map_err(driver_error)?;
        let seen = kernels.stream.clone_dtoh(&texels).map_err(driver_error)?;
        let what = format!("image: level {level}, {width} x {height}, read through the texture object");
        compare(&what, &seen, &expected[level as usize])?;
    }
    kernels.synchronize()?;
    for (level, (seen, expected)) in image.read()?.iter().zip(&expected).enumerate() {
        compare(&format!("image: level {level}, read by Vulkan"), seen, expected)?;
    }
    Ok(())
}

/// Copies level 0 to a Vulkan buffer whose rows are longer than the image's, and other rows from that buffer back.
fn copy_with_pitch(vulkan: &Vulkan, shared: &SharedImage<'_>, kernels: &Kernels) -> Result<()> {
    const GAP: u8 = 0xee;
    let (width, height) = shared.size(0);
    let (row, rows) = (width as usize * TEXEL, height as usize);
    let pitch = row + 256;
    let size = pitch * rows;
    let (buffer, memory) = Buffer::with_memory(vulkan, size as u64, true)?;
    let imported = ImportedMemory::from_vulkan(&memory)?;
    let address = imported.map_buffer(0, size as u64)?;
    // SAFETY: the image is mapped.
    let level = unsafe { level_array(shared.mipmap, 0) }?;

    // From the image to the buffer: the gap after each row stays as it was.
    buffer.write(0, &vec![GAP; size])?;
    let to_buffer = CUDA_MEMCPY2D {
        srcMemoryType: CU_MEMORYTYPE_ARRAY,
        srcArray: level,
        dstMemoryType: CU_MEMORYTYPE_DEVICE,
        dstDevice: address,
        dstPitch: pitch,
        WidthInBytes: row,
        Height: rows,
        ..Default::default()
    };
    // SAFETY: the buffer has `rows` rows of `pitch` bytes.
    unsafe { cuMemcpy2DAsync_v2(&to_buffer, kernels.raw_stream()) }.result()?;
    kernels.synchronize()?;
    let with_gaps = |texels: &[u8]| -> Vec<u8> {
        texels.chunks(row).flat_map(|row| row.iter().copied().chain([GAP; 256])).collect()
    };
    let expected = with_gaps(&test_bytes::test_pattern(1, row * rows));
    compare("pitch: the image's rows in Vulkan's buffer", &buffer.read(0, size as u64)?, &expected)?;

    // From the buffer to the image: what Vulkan wrote, without the gaps.
    let other = test_bytes::test_pattern(2, row * rows);
    buffer.write(0, &with_gaps(&other))?;
    let to_image = CUDA_MEMCPY2D {
        srcMemoryType: CU_MEMORYTYPE_DEVICE,
        srcDevice: address,
        srcPitch: pitch,
        dstMemoryType: CU_MEMORYTYPE_ARRAY,
        dstArray: level,
        WidthInBytes: row,
        Height: rows,
        ..Default::default()
    };
    // SAFETY: the buffer and the array are as large as the copy says, and live until the stream is done.
    unsafe { cuMemcpy2DAsync_v2(&to_image, kernels.raw_stream()) }.result()?;
    kernels.synchronize()?;
    compare("pitch: Vulkan's rows in the image", &shared.image.read()?[0], &other)
}

/// Enough blocks of 16 by 16 threads.
fn tiles(width: u32, height: u32) -> LaunchConfig {
    LaunchConfig {
        grid_dim: (width.div_ceil(16), height.div_ceil(16), 1),
        block_dim: (16, 16, 1),
        shared_mem_bytes: 0,
    }
}

fn compare(what: &str, seen: &[u8], expected: &[u8]) -> Result<()> {
    test_bytes::compare_bytes(what, seen, expected)?;
    println!("{what}: {} bytes, all as expected", seen.len());
    Ok(())
}
