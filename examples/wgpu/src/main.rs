//! A buffer and a texture that wgpu and CUDA write in turn. A timeline semaphore orders them on the GPU: the CPU
//! enqueues all turns and waits once, at the end.
//!
//! In each turn one side reads what the other wrote, keeps a record of it, and writes its own pattern. When all is
//! done, both records are compared with the patterns, byte for byte.

mod compute_shaders;
mod cuda_mappings;
mod exported_resources;

use std::process::ExitCode;
use std::time::Duration;

use ash::vk;
use cuda_external_sys::*;

use compute_shaders::{ComputeShaders, ResourceSizes};
use cuda_mappings::CudaMappings;
use example_support::Result;
use example_support::cuda::{Cuda, DeviceMemory, ImportedSemaphore, Stream};
use example_support::test_bytes::compare_bytes;

/// How many times each side writes.
const ROUNDS: u32 = 8;
const SIZES: ResourceSizes = ResourceSizes { words: 1 << 18, width: 500, height: 300 };
const BUFFER_BYTES: usize = SIZES.words as usize * 4;
const TEXTURE_BYTES: usize = (SIZES.width * SIZES.height * 4) as usize;
/// The buffer's words, then the texture's texels.
const RECORD_WORDS: u32 = SIZES.words + SIZES.width * SIZES.height;
const RECORD_BYTES: usize = BUFFER_BYTES + TEXTURE_BYTES;
const TIMEOUT: Duration = Duration::from_secs(30);

/// What each side writes at an index of the record. The seed is the value that it signals afterwards.
fn record_value_at(seed: u32, index: u32) -> u32 {
    let x = (index ^ seed.wrapping_mul(0x9e37_79b9)).wrapping_mul(0x85eb_ca6b);
    x ^ (x >> 13)
}

/// wgpu writes and signals 1, CUDA reads, writes and signals 2, wgpu reads, writes and signals 3, and so on.
fn wgpu_signal_value(round: u32) -> u32 {
    2 * round + 1
}

fn cuda_signal_value(round: u32) -> u32 {
    2 * round + 2
}

fn main() -> ExitCode {
    example_support::example_main::run_example(include_str!("main.rs"), run_rounds)
}

fn run_rounds() -> Result<()> {
    // One GPU, found by its UUID: neither API's order of devices says anything about the other's.
    let cuda = Cuda::retain_primary(0)?;
    let stream = Stream::new()?;
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor {
        backends: wgpu::Backends::VULKAN,
        ..wgpu::InstanceDescriptor::new_without_display_handle()
    });
    let adapter = exported_resources::find_adapter(&instance, cuda.uuid)?;
    println!("{} in CUDA is {} in wgpu", cuda.name, adapter.get_info().name);
    let (device, queue) = exported_resources::open_device(&adapter)?;

    // wgpu cannot allocate exportable memory, so Vulkan does, and wgpu gets the buffer and the image.
    let (buffer, buffer_memory) = exported_resources::create_buffer(
        &device,
        &wgpu::BufferDescriptor {
            label: Some("shared buffer"),
            size: BUFFER_BYTES as u64,
            usage: wgpu::BufferUsages::STORAGE,
            mapped_at_creation: false,
        },
        vk::BufferUsageFlags::STORAGE_BUFFER,
    )?;
    let (texture, texture_memory) = exported_resources::create_texture(
        &device,
        &wgpu::TextureDescriptor {
            label: Some("shared texture"),
            size: wgpu::Extent3d { width: SIZES.width, height: SIZES.height, depth_or_array_layers: 1 },
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format: wgpu::TextureFormat::Rgba8Uint,
            usage: wgpu::TextureUsages::STORAGE_BINDING | wgpu::TextureUsages::TEXTURE_BINDING,
            view_formats: &[],
        },
        wgpu::TextureUses::STORAGE_WRITE_ONLY | wgpu::TextureUses::RESOURCE,
        vk::Format::R8G8B8A8_UINT,
        vk::ImageUsageFlags::STORAGE | vk::ImageUsageFlags::SAMPLED,
    )?;
    let (timeline, timeline_fd) = exported_resources::ExportedTimeline::new(&device, &queue)?;
    println!(
        "a buffer of {BUFFER_BYTES} bytes in an allocation of {}, a texture of {} x {} in one of {}",
        buffer_memory.size, SIZES.width, SIZES.height, texture_memory.size
    );

    // Declared after wgpu's objects, so that the imports go before the memory that they import.
    let timeline_type = CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD;
    let cuda_timeline = ImportedSemaphore::from_fd(timeline_fd, timeline_type)?;
    let array = CUDA_ARRAY3D_DESCRIPTOR {
        Width: SIZES.width as usize,
        Height: SIZES.height as usize,
        Depth: 0,
        Format: CU_AD_FORMAT_UNSIGNED_INT8,
        NumChannels: 4,
        Flags: 0,
    };
    let shared = CudaMappings::import_from_wgpu((buffer_memory, BUFFER_BYTES), (texture_memory, array))?;

    // What each side has read, for each round; and, since CUDA runs no kernel here, what it is to write.
    let rounds = ROUNDS as usize;
    let cuda_record = DeviceMemory::new(rounds * RECORD_BYTES)?;
    let cuda_source = DeviceMemory::new(rounds * RECORD_BYTES)?;
    let source = written_bytes(cuda_signal_value);
    example_support::cuda::write(cuda_source.address, &source)?;
    let record = (rounds * RECORD_BYTES) as u64;
    let compute = ComputeShaders::new((&device, &queue), (&buffer, &texture), SIZES, record);

    // Every turn is enqueued here, and none waited for.
    for round in 0..ROUNDS {
        let mut commands = Vec::new();
        if round > 0 {
            timeline.wait_in_next_submission(cuda_signal_value(round - 1).into());
            commands.push(exported_resources::acquire_from_cuda(&device, &buffer, &texture));
            commands.push(compute.record_read_pass((round - 1) * RECORD_WORDS));
        }
        commands.push(compute.record_write_pass(wgpu_signal_value(round)));
        commands.push(exported_resources::release_to_cuda(&device, &buffer, &texture));
        timeline.signal_in_next_submission(wgpu_signal_value(round).into());
        queue.submit(commands);

        let offset = u64::from(round) * RECORD_BYTES as u64;
        stream.wait(&[(&cuda_timeline, wgpu_signal_value(round).into())])?;
        shared.enqueue_read(&stream, cuda_record.address + offset)?;
        shared.enqueue_write(&stream, cuda_source.address + offset)?;
        stream.signal(&[(&cuda_timeline, cuda_signal_value(round).into())])?;
    }
    timeline.wait_in_next_submission(cuda_signal_value(ROUNDS - 1).into());
    queue.submit([
        exported_resources::acquire_from_cuda(&device, &buffer, &texture),
        compute.record_read_pass((ROUNDS - 1) * RECORD_WORDS),
    ]);
    println!("{ROUNDS} rounds are enqueued");

    // The last submission waits for CUDA's last signal, so this waits for both.
    let seen_by_wgpu = compute.wait_for_record(TIMEOUT).unwrap_or_else(|error| {
        eprintln!("Failed: {error}");
        std::process::exit(1) // without freeing what the GPU may still use
    });
    stream.synchronize()?;
    let seen_by_cuda = example_support::cuda::read(cuda_record.address, rounds * RECORD_BYTES)?;
    compare_bytes("CUDA's record of what wgpu wrote", &seen_by_cuda, &written_bytes(wgpu_signal_value))?;
    compare_bytes("wgpu's record of what CUDA wrote", &seen_by_wgpu, &source)?;
    println!("each side read what the other one wrote: {} bytes, all as expected", source.len());
    Ok(())
}

/// All that a side writes, round by round.
fn written_bytes(seed: fn(u32) -> u32) -> Vec<u8> {
    let words = |round| (0..RECORD_WORDS).map(move |index| record_value_at(seed(round), index));
    (0..ROUNDS).flat_map(words).flat_map(u32::to_ne_bytes).collect()
}
