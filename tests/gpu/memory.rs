//! Vulkan's buffers in CUDA, both ways, every byte.

mod cuda;

use cuda_external_sys::*;
use libtest_mimic::Trial;

use test_support::{self as support, Need};

use crate::machine::{self, assert_code, cpu_test, memory_test};
use crate::shared::{self, assert_both_ways};
use interop::bytes::{assert_same, pattern};
use interop::cuda::{ImportedMemory, free_memory, import_memory, read, write};
use interop::vulkan::{Buffer, DedicatedTo, Memory, Vulkan};

pub fn trials() -> Vec<Trial> {
    let (gpu, vulkan) = (machine::gpu_need(), machine::vulkan_need());
    let device_memory = Need::new("device-memory", &room());
    let mut trials = support::tests! {
        memory_test => every_size_goes_both_ways_dedicated_or_not, buffers_at_offsets_stay_apart,
            a_second_import_is_the_same_memory_whatever_its_flag, a_dedicated_import_is_mapped_from_its_start;
        [gpu, vulkan, device_memory] => buffers_beyond_4_gib_stay_apart;
        cpu_test => a_descriptor_is_the_allocation_itself;
    };
    trials.extend(cuda::trials());
    trials
}

fn every_size_goes_both_ways_dedicated_or_not(vulkan: &Vulkan) {
    for size in [1, 3, 4096, 65_535, 65_537, 1_000_003, 64 << 20] {
        for dedicated in [true, false] {
            println!("{size} bytes, dedicated: {dedicated}");
            assert_both_ways(&[shared::buffer(vulkan, size, dedicated).ends()]);
        }
    }
}

fn buffers_at_offsets_stay_apart(vulkan: &Vulkan) {
    // The first one does not start at 0 either.
    parts_stay_apart(vulkan, &[(100_000, 1 << 16), (1, 0), (70_000, 0), (2_000_000, 0)]);
}

/// Offsets that 32 bits do not hold, on both sides. They would lead to the first buffer.
fn buffers_beyond_4_gib_stay_apart() {
    machine::cuda();
    parts_stay_apart(machine::vulkan(), &[(64 << 20, 0), (64 << 20, (4 << 30) - (32 << 20)), (64 << 20, 0)]);
}

/// Buffers in one allocation, each with its size and the least offset, else behind the one before. Each has a mapping
/// of its own and lies in the mapping of the whole.
fn parts_stay_apart(vulkan: &Vulkan, parts: &[(u64, u64)]) {
    let mut end = 0;
    let buffers = Vec::from_iter(parts.iter().map(|&(size, least_offset)| {
        let buffer = Buffer::new(vulkan, size).unwrap();
        let offset = least_offset.max(end).next_multiple_of(buffer.needs.alignment);
        end = offset + buffer.needs.size;
        (buffer, offset)
    }));
    let types = buffers.iter().fold(u32::MAX, |types, (buffer, _)| types & buffer.needs.memory_type_bits);
    let rest = 3 << 20;
    let memory = Memory::new(vulkan, end + rest, types, DedicatedTo::Nothing).unwrap();
    let import = ImportedMemory::from_vulkan(&memory).unwrap();
    let whole = import.map_buffer(0, memory.size).unwrap();
    // CUDA may map all of it, also what no buffer covers.
    let behind = pattern(3, rest as usize);
    write(whole + end, &behind).unwrap();
    for (buffer, offset) in &buffers {
        buffer.bind(&memory, *offset).unwrap();
    }
    let in_whole = Vec::from_iter(buffers.iter().map(|(buffer, offset)| (buffer, whole + offset)));
    assert_both_ways(&in_whole);
    let own = |(buffer, offset): &(Buffer, u64)| import.map_buffer(*offset, buffer.size).unwrap();
    assert_both_ways(&Vec::from_iter(buffers.iter().map(|part| (&part.0, own(part)))));
    for (buffer, address) in in_whole {
        let seen = read(address, buffer.size as usize).unwrap();
        assert_same("in the mapping of the whole", &seen, &buffer.read(0, buffer.size).unwrap());
    }
    assert_same("behind the buffers", &read(whole + end, behind.len()).unwrap(), &behind);
}

/// NVIDIA's manual requires the flag where the exporter's memory is dedicated. Measured on the H100 and the H200 with
/// driver 580.159: for a buffer the driver takes either, and every byte is right. A driver that refuses the wrong one
/// instead is in its rights, and then must name the error that the manual does.
fn a_second_import_is_the_same_memory_whatever_its_flag(vulkan: &Vulkan) {
    for (dedicated, flag) in [(false, false), (false, true), (true, true), (true, false)] {
        let shared = shared::buffer(vulkan, 1 << 20, dedicated);
        match import_memory(shared.memory.export().unwrap(), shared.memory.size, flag) {
            Ok(import) => {
                let import = ImportedMemory::from_raw(import);
                let address = import.map_buffer(0, shared.buffer.size).unwrap();
                assert_both_ways(&[(&shared.buffer, address)]);
                let seen = read(shared.address, 1 << 20).unwrap();
                assert_same("in the first import", &seen, &read(address, 1 << 20).unwrap());
            }
            Err(error) if flag != dedicated => assert_code(&error, CUDA_ERROR_INVALID_VALUE),
            Err(error) => panic!("{error}"),
        }
        // The second import's end is its own.
        assert_both_ways(&[shared.ends()]);
    }
}

/// The driver maps a dedicated import from its start only, though no document says so. Measured with driver 580.159:
/// the call returns INVALID_VALUE, and the import stays usable.
fn a_dedicated_import_is_mapped_from_its_start(vulkan: &Vulkan) {
    const OFFSET: u64 = 1 << 16;
    let shared = shared::buffer(vulkan, 1 << 20, true);
    let error = shared.import.map_buffer(OFFSET, shared.buffer.size - OFFSET).unwrap_err();
    assert_code(&error, CUDA_ERROR_INVALID_VALUE);
    assert_both_ways(&[shared.ends()]);
}

/// What the test of 4 GiB takes, and some more.
fn room() -> Result<(), String> {
    machine::found(machine::found_cuda().as_ref()?.make_current())?;
    let free = machine::found(free_memory())?;
    if free < 6 << 30 { Err(format!("{} MiB of device memory are free", free >> 20)) } else { Ok(()) }
}

/// The descriptors that the tests above give to CUDA, given back to Vulkan.
fn a_descriptor_is_the_allocation_itself(vulkan: &Vulkan) {
    const SIZE: u64 = 100_000;
    let (buffer, memory) = Buffer::with_memory(vulkan, SIZE, false).unwrap();
    let twin = Buffer::new(vulkan, SIZE).unwrap();
    let (fd, types) = (memory.export().unwrap(), twin.needs.memory_type_bits);
    let imported = Memory::import(vulkan, fd, memory.size, types, DedicatedTo::Nothing).unwrap();
    twin.bind(&imported, 0).unwrap();

    let bytes = pattern(4, SIZE as usize);
    buffer.write(0, &bytes).unwrap();
    assert_same("the twin", &twin.read(0, SIZE).unwrap(), &bytes);
    twin.write(50_000, &pattern(5, 1000)).unwrap();
    assert_same("the buffer", &buffer.read(50_000, 1000).unwrap(), &pattern(5, 1000));
}
