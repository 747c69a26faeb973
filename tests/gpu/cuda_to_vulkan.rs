//! Memory that CUDA allocates and Vulkan imports, beside what the example `cuda_to_vulkan` does. Khronos calls it unsupported
//! for OPAQUE_FD; NVIDIA's sample does it.

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
        vulkan_test => buffers_at_offsets_stay_apart_and_outlive_the_exporter, a_refused_descriptor_stays_open;
    }
}

/// The import holds a reference: CUDA may release its own afterwards.
fn buffers_at_offsets_stay_apart_and_outlive_the_exporter(vulkan: &Vulkan) {
    let buffers = [(); 3].map(|()| Buffer::new(vulkan, SIZE as u64).unwrap());
    let needs = buffers[0].needs;
    let step = needs.size.next_multiple_of(needs.alignment);
    let allocation = Allocation::new(device(), 3 * step as usize).unwrap();
    let mapped = allocation.map().unwrap();
    let (fd, types) = (allocation.export().unwrap(), needs.memory_type_bits);
    let memory =
        Memory::import(vulkan, fd, allocation.size, types, DedicatedTo::Nothing, HANDLE_TYPE).unwrap();
    let bound = Vec::from_iter((0..).zip(&buffers).map(|(index, buffer)| {
        buffer.bind(&memory, index * step).unwrap();
        (buffer, mapped.address + index * step)
    }));
    assert_both_ways(&bound);
    let sent = pattern(7, SIZE);
    cuda::write(bound[2].1, &sent).unwrap();
    drop(mapped);
    drop(allocation);
    assert_same("afterwards", &buffers[2].read(0, SIZE as u64).unwrap(), &sent);
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
