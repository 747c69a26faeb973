//! cudarc launches a kernel on a Vulkan buffer that cuda-external-sys imports.
//!
//! Both crates use the primary context. Stream handles are cast, and a mapped address is a `u64` in both crates.

mod handle_conversion;

use std::process::ExitCode;

use cuda_external_sys::*;
use cudarc::driver::{CudaContext, DriverError, LaunchConfig, PushKernelArg};
use cudarc::nvrtc::Ptx;
use example_support::cuda::{Cuda, Stream};
use example_support::shared_resources::SharedBuffer;
use example_support::test_bytes::compare_bytes;
use example_support::vulkan::Vulkan;
use example_support::{Error, Result};

const COUNT: u32 = 1_000_000;
const FACTOR: u32 = 0x9e37_79b9;
const SIZE: u64 = COUNT as u64 * 4;

fn main() -> ExitCode {
    example_support::example_main::run_example(include_str!("main.rs"), share_buffer)
}

fn share_buffer() -> Result<()> {
    // Call cuda-external-sys first: if there is no driver, it returns an error, but cudarc panics.
    let cuda = Cuda::retain_primary(0)?;
    let vulkan = Vulkan::open_by_uuid(&cuda.uuid)?;
    println!("{} in CUDA is {} in Vulkan", cuda.name, vulkan.name);
    let shared = SharedBuffer::new(&vulkan, SIZE, true)?; // Vulkan exports the buffer, cuda-external-sys imports it

    // The driver compiles the PTX, so the program does not need NVRTC.
    let context = CudaContext::new(0).map_err(driver_error)?;
    let stream = context.new_stream().map_err(driver_error)?;
    let module = context.load_module(Ptx::from_src(include_str!("scale.ptx"))).map_err(driver_error)?;
    let scale = module.load_function("scale").map_err(driver_error)?;

    let sent: Vec<u8> = (0..COUNT).flat_map(|i| (i ^ (i << 7)).to_ne_bytes()).collect();
    shared.buffer.write(0, &sent)?; // waits until Vulkan has released the buffer to CUDA
    let mut launch = stream.launch_builder(&scale);
    launch.arg(&shared.address).arg(&COUNT).arg(&FACTOR);
    // SAFETY: the kernel takes these three arguments, and the mapping has COUNT integers.
    unsafe { launch.launch(LaunchConfig::for_num_elems(COUNT)) }.map_err(driver_error)?;
    // SAFETY: the stream lives.
    unsafe { cuStreamSynchronize(handle_conversion::external_stream_handle(&stream)) }.result()?;

    // cudarc copies the integers to the CPU, in a stream that cuda-external-sys created.
    let own_stream = Stream::new()?;
    // SAFETY: `own_stream` belongs to the primary context, and `context` is the primary context too. `own_stream` and
    // the mapping outlive the slice, and the mapping has SIZE bytes.
    let copied = unsafe {
        let stream = handle_conversion::wrap_stream_for_cudarc(&context, own_stream.raw());
        let slice =
            handle_conversion::wrap_mapping_as_cudarc_slice::<u8>(&stream, shared.address, SIZE as usize);
        let copied = stream.clone_dtoh(&*slice).map_err(driver_error)?;
        handle_conversion::leak_cudarc_slice(slice);
        copied
    };

    let expected: Vec<u8> =
        (0..COUNT).flat_map(|i| (i ^ (i << 7)).wrapping_mul(FACTOR).wrapping_add(i).to_ne_bytes()).collect();
    compare_bytes("Vulkan's 32-bit integers, changed by a kernel, copied by cudarc", &copied, &expected)?;
    compare_bytes(
        "Vulkan's 32-bit integers, changed by a kernel, read by Vulkan",
        &shared.buffer.read(0, SIZE)?,
        &expected,
    )?;
    println!("{SIZE} bytes, changed by cudarc's kernel: every one right");
    Ok(())
}

fn driver_error(error: DriverError) -> Error {
    handle_conversion::driver_error_code(error).into()
}
