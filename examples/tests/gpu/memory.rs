//! Checks every byte that CUDA and Vulkan pass to each other in memory that Vulkan exports.

use libtest_mimic::Trial;

use test_support::{self as support, Need};

use crate::opened_devices::{self, vulkan_trial};
use crate::shared_objects::assert_both_ways;
use example_support::cuda::{ImportedMemory, count_free_device_bytes, read, write};
use example_support::shared_resources::SharedBuffer;
use example_support::test_bytes::{assert_same_bytes, test_pattern};
use example_support::vulkan::{DedicatedTo, ExportableBuffer, HANDLE_TYPE, Vulkan, VulkanMemory};

pub fn trials() -> Vec<Trial> {
    let (gpu, vulkan) = (opened_devices::gpu_need(), opened_devices::vulkan_need());
    let device_memory = Need::new("device-memory", &require_6_gib_free());
    support::tests! {
        vulkan_trial => every_size_goes_both_ways_dedicated_or_not, buffers_at_offsets_stay_apart;
        [gpu, vulkan, device_memory] => buffers_beyond_4_gib_stay_apart;
    }
}

fn every_size_goes_both_ways_dedicated_or_not(vulkan: &Vulkan) {
    for size in [1, 3, 4096, 65_535, 65_537, 1_000_003, 64 << 20] {
        for dedicated in [true, false] {
            println!("{size} bytes, dedicated: {dedicated}");
            assert_both_ways(&[SharedBuffer::new(vulkan, size, dedicated).unwrap().buffer_and_mapping()]);
        }
    }
}

fn buffers_at_offsets_stay_apart(vulkan: &Vulkan) {
    // The first buffer has an offset too.
    assert_parts_stay_apart(vulkan, &[(100_000, 1 << 16), (1, 0), (70_000, 0), (2_000_000, 0)]);
}

/// Tests buffers around and beyond 4 GiB. With a 32-bit offset, the last buffer would overlap the first buffer.
fn buffers_beyond_4_gib_stay_apart() {
    opened_devices::opened_cuda();
    assert_parts_stay_apart(
        opened_devices::opened_vulkan(),
        &[(64 << 20, 0), (64 << 20, (4 << 30) - (32 << 20)), (64 << 20, 0)],
    );
}

/// Asserts that buffers in one allocation share no bytes. A part is a buffer's size and least offset.
fn assert_parts_stay_apart(vulkan: &Vulkan, parts: &[(u64, u64)]) {
    let mut end = 0;
    let buffers = Vec::from_iter(parts.iter().map(|&(size, least_offset)| {
        let buffer = ExportableBuffer::new(vulkan, size).unwrap();
        let offset = least_offset.max(end).next_multiple_of(buffer.needs.alignment);
        end = offset + buffer.needs.size;
        (buffer, offset)
    }));
    let types = buffers.iter().fold(u32::MAX, |types, (buffer, _)| types & buffer.needs.memory_type_bits);
    let rest = 3 << 20;
    let memory = VulkanMemory::new(vulkan, end + rest, types, DedicatedTo::Nothing, HANDLE_TYPE).unwrap();
    let import = ImportedMemory::from_vulkan(&memory).unwrap();
    let whole = import.map_buffer(0, memory.size).unwrap();
    // CUDA may map the whole allocation, including bytes that no buffer covers.
    let behind = test_pattern(3, rest as usize);
    write(whole + end, &behind).unwrap();
    for (buffer, offset) in &buffers {
        buffer.bind_memory(&memory, *offset).unwrap();
    }
    let mapped = Vec::from_iter(buffers.iter().map(|(buffer, offset)| {
        let address = import.map_buffer(*offset, buffer.size).unwrap();
        for (seed, from, to) in [(1, address, whole + offset), (2, whole + offset, address)] {
            let sent = test_pattern(seed, buffer.size as usize);
            write(from, &sent).unwrap();
            assert_same_bytes("in the other mapping", &read(to, sent.len()).unwrap(), &sent);
        }
        (buffer, address)
    }));
    assert_both_ways(&mapped);
    assert_same_bytes("behind the buffers", &read(whole + end, behind.len()).unwrap(), &behind);
}

/// Returns an error if less than 6 GiB of device memory are free. `buffers_beyond_4_gib_stay_apart` needs about 4 GiB.
fn require_6_gib_free() -> Result<(), String> {
    let free = opened_devices::error_as_text(count_free_device_bytes())?;
    if free < 6 << 30 { Err(format!("{} MiB of device memory are free", free >> 20)) } else { Ok(()) }
}
