//! A Vulkan image that CUDA reads and writes as a mipmapped array, level by level.
//!
//! Look at: the descriptor, converted from what Vulkan was told (interop/src/formats.rs, to copy from);
//! the layout that the image is moved to before CUDA touches it, and its way to and from
//! VK_QUEUE_FAMILY_EXTERNAL (`begin` and `release` in interop/src/vulkan/image.rs); the copies of a level
//! (interop/src/cuda/array.rs), where layers are slices; the teardown, where the levels' arrays are not freed.

#[cfg(unix)]
fn main() -> std::process::ExitCode {
    interop::example::main(include_str!("vulkan_image.rs"), example)
}

#[cfg(not(unix))]
fn main() {
    println!("This example shares file descriptors, which this system does not have.");
}

#[cfg(unix)]
fn example() -> interop::Result<()> {
    use std::ptr;

    use ash::vk;
    use cuda_external_sys::*;
    use interop::cuda::{self, Cuda};
    use interop::vulkan::{Image, Placement, Shape, Vulkan};
    use interop::{Error, formats};

    let cuda = Cuda::open(0)?;
    let vulkan = Vulkan::open(&cuda.uuid)?;
    println!("{} in CUDA is {} in Vulkan", cuda.name, vulkan.name);

    // An array of four layers, with half floats, that Vulkan could draw to and sample from.
    let shape = Shape {
        view: vk::ImageViewType::TYPE_2D_ARRAY,
        extent: vk::Extent3D { width: 640, height: 360, depth: 1 },
        layers: 4,
        levels: 5,
    };
    let format = vk::Format::R16G16B16A16_SFLOAT;
    let usage = vk::ImageUsageFlags::TRANSFER_SRC
        | vk::ImageUsageFlags::TRANSFER_DST
        | vk::ImageUsageFlags::SAMPLED
        | vk::ImageUsageFlags::COLOR_ATTACHMENT;
    let image = Image::new(&vulkan, shape, format, usage, Placement::OwnMemory)?;
    let memory = &image.memory;
    println!("{format:?}, {shape:?}");
    println!("in an allocation of {} bytes, dedicated: {}", memory.size, memory.dedicated);

    let imported = cuda::import_memory(memory.export()?, memory.size, memory.dedicated)?;
    let surface = false; // no kernel is to write through a surface
    let desc = CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC {
        offset: image.offset, // where it is bound in the allocation
        arrayDesc: formats::array_descriptor(format, shape.extent, shape.layers, shape.view, usage, surface)
            .ok_or_else(|| Error::Failed(format!("CUDA has no element for {format:?}")))?,
        numLevels: shape.levels,
        ..Default::default()
    };
    let texel = formats::texel_size(desc.arrayDesc.Format, desc.arrayDesc.NumChannels);
    println!("for CUDA: {:?}, {texel} bytes a texel", desc.arrayDesc);
    let mut mipmap = ptr::null_mut();
    // SAFETY: `imported` is the import above, and the descriptor says what Vulkan was told.
    unsafe { cuExternalMemoryGetMappedMipmappedArray(&mut mipmap, imported, &desc) }.result()?;

    // From Vulkan to CUDA. Each level has bytes of its own.
    let bytes = |seed: usize| -> Vec<Vec<u8>> {
        let level =
            |level| (0..image.level_size(level)).map(|i| (i / 3 + i * seed + level as usize) as u8).collect();
        (0..shape.levels).map(level).collect()
    };
    let from_vulkan = bytes(5);
    image.write(&from_vulkan)?;
    let mut right = true;
    for (level, sent) in (0..).zip(&from_vulkan) {
        let same = cuda::read_level(mipmap, &shape, texel, level)? == *sent;
        println!("Vulkan wrote level {level}, {} bytes; CUDA read the same: {same}", sent.len());
        right &= same;
    }

    // From CUDA to Vulkan.
    let from_cuda = bytes(7);
    for (level, sent) in (0..).zip(&from_cuda) {
        cuda::write_level(mipmap, &shape, texel, level, sent)?;
    }
    for ((level, sent), seen) in (0..).zip(&from_cuda).zip(image.read()?) {
        let same = seen == *sent;
        println!("CUDA wrote level {level}, {} bytes; Vulkan read the same: {same}", sent.len());
        right &= same;
    }

    // The mapping, then the import, then the exporter's image and memory.
    // SAFETY: each is freed once, and not used after.
    unsafe {
        cuCtxSynchronize().result()?;
        cuMipmappedArrayDestroy(mipmap).result()?;
        cuDestroyExternalMemory(imported).result()?;
    }
    if right { Ok(()) } else { Err(Error::Failed("bytes differ".to_owned())) }
}
