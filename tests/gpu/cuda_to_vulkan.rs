//! Memory that CUDA allocates and Vulkan imports. Khronos calls it unsupported for OPAQUE_FD; NVIDIA's sample does it.

use std::fs::File;
use std::os::fd::AsRawFd;

use ash::vk;
use interop::bytes::{assert_same, pattern};
use interop::cuda::{self, Allocation};
use interop::vulkan::{Buffer, DedicatedTo, HANDLE_TYPE, Memory, Vulkan};
use libtest_mimic::Trial;

use crate::fixtures::assert_both_ways;
use crate::machine::{cuda as device, vulkan_test};

/// Not a power of two, and more than the granularity.
const SIZE: usize = 5_000_003;

pub fn trials() -> Vec<Trial> {
    test_support::tests! {
        vulkan_test => dedicated_memory_goes_both_ways, buffers_at_offsets_stay_apart,
            memory_outlives_the_exporter, a_refused_descriptor_stays_open;
    }
}

fn import<'v>(vulkan: &'v Vulkan, allocation: &Allocation, buffer: &Buffer, to: DedicatedTo) -> Memory<'v> {
    let fd = allocation.export().unwrap();
    Memory::import(vulkan, fd, allocation.size, buffer.needs.memory_type_bits, to, HANDLE_TYPE).unwrap()
}

/// A Vulkan buffer on all of an allocation of CUDA: a dedicated import must be as large as what its buffer needs.
fn imported(vulkan: &Vulkan, dedicated: bool) -> (Buffer<'_>, Memory<'_>, Allocation) {
    let allocation = Allocation::new(device(), SIZE).unwrap();
    let buffer = Buffer::new(vulkan, allocation.size).unwrap();
    assert_eq!(buffer.needs.size, allocation.size);
    let to = if dedicated { DedicatedTo::Buffer(buffer.raw) } else { DedicatedTo::Nothing };
    let memory = import(vulkan, &allocation, &buffer, to);
    buffer.bind(&memory, 0).unwrap();
    (buffer, memory, allocation)
}

fn dedicated_memory_goes_both_ways(vulkan: &Vulkan) {
    let (buffer, _memory, allocation) = imported(vulkan, true);
    let mapped = allocation.map().unwrap();
    assert_both_ways(&[(&buffer, mapped.address)]);
}

fn buffers_at_offsets_stay_apart(vulkan: &Vulkan) {
    let buffers = [(); 3].map(|()| Buffer::new(vulkan, SIZE as u64).unwrap());
    let step = buffers[0].needs.size.next_multiple_of(buffers[0].needs.alignment);
    let allocation = Allocation::new(device(), 3 * step as usize).unwrap();
    let mapped = allocation.map().unwrap();
    let memory = import(vulkan, &allocation, &buffers[0], DedicatedTo::Nothing);
    let bound = Vec::from_iter((0..).zip(&buffers).map(|(index, buffer)| {
        buffer.bind(&memory, index * step).unwrap();
        (buffer, mapped.address + index * step)
    }));
    assert_both_ways(&bound);
}

/// The import holds a reference: CUDA may release its own first.
fn memory_outlives_the_exporter(vulkan: &Vulkan) {
    let (buffer, _memory, allocation) = imported(vulkan, false);
    let sent = pattern(7, SIZE);
    let mapped = allocation.map().unwrap();
    cuda::write(mapped.address, &sent).unwrap();
    drop(mapped);
    drop(allocation);
    assert_same("afterwards", &buffer.read(0, SIZE as u64).unwrap(), &sent);
}

/// Vulkan transfers the ownership with a successful import only. The descriptor is of no memory here.
fn a_refused_descriptor_stays_open(vulkan: &Vulkan) {
    let file = File::open("/dev/null").unwrap();
    let mut import = vk::ImportMemoryFdInfoKHR::default()
        .handle_type(vk::ExternalMemoryHandleTypeFlags::OPAQUE_FD)
        .fd(file.as_raw_fd());
    let local = vulkan.memory_type(u32::MAX, vk::MemoryPropertyFlags::DEVICE_LOCAL).unwrap();
    let info = vk::MemoryAllocateInfo::default()
        .allocation_size(1 << 21)
        .memory_type_index(local)
        .push_next(&mut import);
    // SAFETY: the driver checks the descriptor, which is a wrong one on purpose.
    let code = unsafe { vulkan.device.allocate_memory(&info, None) }.unwrap_err();
    assert!(file.metadata().is_ok(), "the driver has closed a descriptor that it refused with {code:?}");
}
