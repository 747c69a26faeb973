//! wgpu-cuda-interop shares memory of CUDA with a buffer of wgpu, and baracuda imports the same memory.

use baracuda_cuda_sys::{CUdeviceptr, types::CUDA_EXTERNAL_MEMORY_HANDLE_DESC};
use baracuda_driver::memory::{memcpy, memset_u32};
use baracuda_driver::{Context, Device, external::ExternalMemory};
use wgpu_cuda_interop::{AllocSize, interop::create_wgpu_cuda_buffer};

const SIZE: usize = 1024;

fn main() {
    let instance = wgpu::Instance::default();
    let adapter = pollster::block_on(instance.request_adapter(&Default::default())).unwrap();
    let (device, queue) = pollster::block_on(adapter.request_device(&Default::default())).unwrap();
    baracuda_driver::init().unwrap();
    let context = Context::new(&Device::get(0).unwrap()).unwrap();
    let size = AllocSize { height: 4, width: 64, stride: SIZE / 4 };
    let usage = wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST;
    let shared = create_wgpu_cuda_buffer(&device, &adapter, size, usage);
    let written = Vec::from_iter((0..SIZE).map(|at| (at ^ at >> 8) as u8));
    queue.write_buffer(&shared.buffer, 0, &written);
    queue.submit([]);
    device.poll(wgpu::PollType::Wait).unwrap();
    let (memory, mut read) = (&shared.cuda_mem, vec![0; SIZE]);
    let fd = unsafe { libc::dup(memory.shared_handle as i32) };
    let desc = CUDA_EXTERNAL_MEMORY_HANDLE_DESC::from_fd(fd, memory.cuda_alloc_size as u64);
    let imported = unsafe { ExternalMemory::import(&context, &desc) }.unwrap();
    let address = imported.mapped_buffer(0, SIZE as u64, 0).unwrap();
    unsafe { memcpy(CUdeviceptr(read.as_mut_ptr().expose_provenance() as u64), address, SIZE) }.unwrap();
    assert_eq!(read, written);
    memset_u32(address, 0x01020304, SIZE / 4).unwrap();
    context.synchronize().unwrap();
    let usage = wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST;
    let back = wgpu::BufferDescriptor { label: None, size: SIZE as u64, usage, mapped_at_creation: false };
    let (back, mut encoder) =
        (device.create_buffer(&back), device.create_command_encoder(&Default::default()));
    encoder.copy_buffer_to_buffer(&shared.buffer, 0, &back, 0, SIZE as u64);
    queue.submit([encoder.finish()]);
    back.slice(..).map_async(wgpu::MapMode::Read, Result::unwrap);
    device.poll(wgpu::PollType::Wait).unwrap();
    assert_eq!(back.slice(..).get_mapped_range()[..], [4, 3, 2, 1].repeat(SIZE / 4));
    println!("{SIZE} bytes each way are equal");
}
