//! wgpu and CUDA write a buffer and a texture in turns, which a timeline semaphore orders on the GPU.
//!
//! Each side copies what the other side has written. At the end, the copies are compared with the written bytes.

mod cuda_mappings;
mod exported_resources;

use std::process::ExitCode;
use std::time::Duration;

use cuda_external_sys::*;
use wgpu::util::DeviceExt;

use cuda_mappings::CudaMappings;
use example_support::cuda::{Cuda, DeviceMemory, ImportedSemaphore, Stream};
use example_support::test_bytes::{compare_bytes, test_pattern};
use example_support::{Error, Result};

/// How many times each side writes.
const ROUNDS: u32 = 8;
const BUFFER_BYTES: usize = 1 << 20;
/// The texture's extent. Between a buffer and a texture, wgpu copies only rows of a multiple of 256 bytes.
const WIDTH: u32 = 512;
const HEIGHT: u32 = 300;
const ROW_BYTES: u32 = 4 * WIDTH;
/// What one side writes in a round: the buffer's bytes, then the texture's.
const ROUND_BYTES: usize = BUFFER_BYTES + (ROW_BYTES * HEIGHT) as usize;
const TIMEOUT: Duration = Duration::from_secs(30);

/// Returns the value that wgpu signals in a round. wgpu signals 1, CUDA reads, writes and signals 2, wgpu 3, and so on.
fn wgpu_signal_value(round: u32) -> u64 {
    2 * u64::from(round) + 1
}

fn cuda_signal_value(round: u32) -> u64 {
    2 * u64::from(round) + 2
}

/// Returns all that a side writes, round by round. The seed of a round's bytes is the value that the side then signals.
fn written_bytes(signal_value: fn(u32) -> u64) -> Vec<u8> {
    (0..ROUNDS).flat_map(|round| test_pattern(signal_value(round), ROUND_BYTES)).collect()
}

fn main() -> ExitCode {
    example_support::example_main::run_example(include_str!("main.rs"), run_rounds)
}

fn run_rounds() -> Result<()> {
    // `find_adapter` finds the GPU by its UUID, since CUDA and wgpu number their devices independently.
    let cuda = Cuda::retain_primary(0)?;
    let stream = Stream::new()?;
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor {
        backends: wgpu::Backends::VULKAN,
        ..wgpu::InstanceDescriptor::new_without_display_handle()
    });
    let adapter = exported_resources::find_adapter(&instance, cuda.uuid)?;
    println!("{} in CUDA is {} in wgpu", cuda.name, adapter.get_info().name);
    let (device, queue) = exported_resources::open_device(&adapter)?;

    // wgpu cannot allocate exportable memory: these functions call Vulkan, and hand a buffer and a texture to wgpu.
    let (buffer, buffer_memory) = exported_resources::create_buffer(&device, BUFFER_BYTES as u64)?;
    let (texture, texture_memory) = exported_resources::create_texture(&device, WIDTH, HEIGHT)?;
    let (timeline, timeline_fd) = exported_resources::ExportedTimeline::new(&device, &queue)?;
    println!(
        "a buffer of {BUFFER_BYTES} bytes in an allocation of {}, a texture of {WIDTH} x {HEIGHT} in one of {}",
        buffer_memory.size, texture_memory.size
    );

    // CUDA's imports are declared after wgpu's objects, so that Rust drops each import before the imported object.
    let timeline_type = CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD;
    let cuda_timeline = ImportedSemaphore::from_fd(timeline_fd, timeline_type)?;
    let array = CUDA_ARRAY3D_DESCRIPTOR {
        Width: WIDTH as usize,
        Height: HEIGHT as usize,
        Depth: 0,
        Format: CU_AD_FORMAT_UNSIGNED_INT8,
        NumChannels: 4,
        Flags: 0,
    };
    // SAFETY: `array` has the texture's extent, and Rgba8Uint has four channels of 8-bit unsigned integers.
    let shared =
        unsafe { CudaMappings::import_from_wgpu((buffer_memory, BUFFER_BYTES), (texture_memory, array)) }?;

    // `wgpu_from` and `cuda_from` have the bytes that each side writes. `wgpu_record` and `cuda_record` receive the
    // bytes that each side reads. In a real program, shaders and kernels would write and read the shared buffer and
    // texture.
    let (wgpu_source, cuda_source) = (written_bytes(wgpu_signal_value), written_bytes(cuda_signal_value));
    let cuda_from = DeviceMemory::new(cuda_source.len())?;
    let cuda_record = DeviceMemory::new(wgpu_source.len())?;
    example_support::cuda::write(cuda_from.address, &cuda_source)?;
    let wgpu_from = device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
        label: Some("source"),
        contents: &wgpu_source,
        usage: wgpu::BufferUsages::COPY_SRC,
    });
    let wgpu_record = device.create_buffer(&wgpu::BufferDescriptor {
        label: Some("record"),
        size: cuda_source.len() as u64,
        usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    });
    let texels = |buffer, offset| wgpu::TexelCopyBufferInfo {
        buffer,
        layout: wgpu::TexelCopyBufferLayout { offset, bytes_per_row: Some(ROW_BYTES), rows_per_image: None },
    };
    let bytes = BUFFER_BYTES as u64;
    let record_read = |encoder: &mut wgpu::CommandEncoder, round: u32| {
        let at = u64::from(round) * ROUND_BYTES as u64;
        encoder.copy_buffer_to_buffer(&buffer, 0, &wgpu_record, at, bytes);
        encoder.copy_texture_to_buffer(
            texture.as_image_copy(),
            texels(&wgpu_record, at + bytes),
            texture.size(),
        );
    };
    let record_write = |encoder: &mut wgpu::CommandEncoder, round: u32| {
        let at = u64::from(round) * ROUND_BYTES as u64;
        encoder.copy_buffer_to_buffer(&wgpu_from, at, &buffer, 0, bytes);
        encoder.copy_buffer_to_texture(
            texels(&wgpu_from, at + bytes),
            texture.as_image_copy(),
            texture.size(),
        );
    };

    // This loop enqueues all turns, and the CPU waits for none of them.
    for round in 0..ROUNDS {
        let mut commands = Vec::new();
        let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        if round > 0 {
            timeline.wait_in_next_submission(cuda_signal_value(round - 1));
            commands.push(exported_resources::acquire_from_cuda(&device, &buffer, &texture));
            record_read(&mut encoder, round - 1);
        }
        record_write(&mut encoder, round);
        commands.push(encoder.finish());
        commands.push(exported_resources::release_to_cuda(&device, &buffer, &texture));
        timeline.signal_in_next_submission(wgpu_signal_value(round));
        queue.submit(commands);

        let offset = u64::from(round) * ROUND_BYTES as u64;
        stream.wait(&[(&cuda_timeline, wgpu_signal_value(round))])?;
        shared.enqueue_read(&stream, cuda_record.address + offset)?;
        shared.enqueue_write(&stream, cuda_from.address + offset)?;
        stream.signal(&[(&cuda_timeline, cuda_signal_value(round))])?;
    }
    timeline.wait_in_next_submission(cuda_signal_value(ROUNDS - 1));
    let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    record_read(&mut encoder, ROUNDS - 1);
    let acquired = exported_resources::acquire_from_cuda(&device, &buffer, &texture);
    let submission_index = Some(queue.submit([acquired, encoder.finish()]));
    println!("{ROUNDS} rounds are enqueued");

    // `poll` waits for the last submission, which waits for CUDA's last signal. So `poll` waits for both APIs.
    wgpu_record.map_async(wgpu::MapMode::Read, .., |_| {});
    let waited = device.poll(wgpu::PollType::Wait { submission_index, timeout: Some(TIMEOUT) });
    if let Err(error) = waited {
        eprintln!("Failed: wgpu's work is not complete: {error}");
        std::process::exit(1) // without freeing what the GPU may still use
    }
    stream.synchronize()?;
    let seen_by_wgpu = wgpu_record.get_mapped_range(..).map_err(|error| Error::Failed(error.to_string()))?;
    let seen_by_cuda = example_support::cuda::read(cuda_record.address, wgpu_source.len())?;
    compare_bytes("CUDA's record of what wgpu wrote", &seen_by_cuda, &wgpu_source)?;
    compare_bytes("wgpu's record of what CUDA wrote", &seen_by_wgpu, &cuda_source)?;
    println!("each side read what the other one wrote: {} bytes, all as expected", cuda_source.len());
    Ok(())
}
