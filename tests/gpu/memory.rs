//! Memory that CUDA imports, from Vulkan and from CUDA: every byte, both ways.

use std::os::fd::AsRawFd;

use cuda_external_sys::*;
use libtest_mimic::Trial;

use test_support::{self as support, Need};

use crate::fixtures::{self, assert_both_ways};
use crate::machine::{self, assert_code, cuda as device, cuda_test, is_open, ok, vulkan_test};
use interop::bytes::{assert_same, pattern};
use interop::cuda::{Allocation, ImportedMemory, free_memory, import_memory, read, write};
use interop::vulkan::{Buffer, DedicatedTo, HANDLE_TYPE, Memory, Vulkan};

pub fn trials() -> Vec<Trial> {
    let (gpu, vulkan) = (machine::gpu_need(), machine::vulkan_need());
    let device_memory = Need::new("device-memory", &room());
    support::tests! {
        vulkan_test => every_size_goes_both_ways_dedicated_or_not, buffers_at_offsets_stay_apart,
            a_second_import_is_the_same_memory_whatever_its_flag, a_dedicated_import_is_mapped_from_its_start;
        [gpu, vulkan, device_memory] => buffers_beyond_4_gib_stay_apart;
        cuda_test => cudas_own_memory_goes_both_ways,
            cudas_own_import_leaves_the_descriptor_to_the_caller, a_mapping_returns_its_addresses;
    }
}

/// What is written through the one mapping is read through the other.
#[track_caller]
fn assert_same_memory(one: CUdeviceptr, other: CUdeviceptr, length: u64) {
    for (seed, from, to) in [(1, one, other), (2, other, one)] {
        let sent = pattern(seed, length as usize);
        write(from, &sent).unwrap();
        assert_same("in the other mapping", &read(to, sent.len()).unwrap(), &sent);
    }
}

fn every_size_goes_both_ways_dedicated_or_not(vulkan: &Vulkan) {
    for size in [1, 3, 4096, 65_535, 65_537, 1_000_003, 64 << 20] {
        for dedicated in [true, false] {
            println!("{size} bytes, dedicated: {dedicated}");
            assert_both_ways(&[fixtures::buffer(vulkan, size, dedicated).ends()]);
        }
    }
}

fn buffers_at_offsets_stay_apart(vulkan: &Vulkan) {
    // The first one has an offset too.
    parts_stay_apart(vulkan, &[(100_000, 1 << 16), (1, 0), (70_000, 0), (2_000_000, 0)]);
}

/// Offsets beyond 32 bits on both sides. Truncated, they would be the first buffer's.
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
    let memory = Memory::new(vulkan, end + rest, types, DedicatedTo::Nothing, HANDLE_TYPE).unwrap();
    let import = ImportedMemory::from_vulkan(&memory).unwrap();
    let whole = import.map_buffer(0, memory.size).unwrap();
    // CUDA may map the whole allocation, including parts that no buffer covers.
    let behind = pattern(3, rest as usize);
    write(whole + end, &behind).unwrap();
    for (buffer, offset) in &buffers {
        buffer.bind(&memory, *offset).unwrap();
    }
    let mapped = Vec::from_iter(buffers.iter().map(|(buffer, offset)| {
        let address = import.map_buffer(*offset, buffer.size).unwrap();
        assert_same_memory(address, whole + offset, buffer.size);
        (buffer, address)
    }));
    assert_both_ways(&mapped);
    assert_same("behind the buffers", &read(whole + end, behind.len()).unwrap(), &behind);
}

/// NVIDIA's manual requires the flag where the exporter's memory is dedicated. Measured on the H100 and the H200 with
/// driver 580.159.04: for a buffer the driver takes either, and every byte is right. A driver may refuse the wrong one, with
/// the manual's error.
fn a_second_import_is_the_same_memory_whatever_its_flag(vulkan: &Vulkan) {
    for (dedicated, flag) in [(false, false), (false, true), (true, true), (true, false)] {
        let shared = fixtures::buffer(vulkan, 1 << 20, dedicated);
        match import_memory(shared.memory.export().unwrap(), shared.memory.size, flag) {
            Ok(import) => {
                // SAFETY: nothing else has the handle.
                let import = unsafe { ImportedMemory::from_raw(import) };
                let address = import.map_buffer(0, shared.buffer.size).unwrap();
                assert_both_ways(&[(&shared.buffer, address)]);
                assert_same_memory(shared.address, address, shared.buffer.size);
            }
            Err(code) if flag != dedicated => assert_eq!(code, CUDA_ERROR_INVALID_VALUE),
            Err(code) => panic!("{code}"),
        }
        // Destroying the second import leaves the first one usable.
        assert_both_ways(&[shared.ends()]);
    }
}

/// The driver maps a dedicated import from its start only, though no document says so. Measured with driver 580.159.04:
/// the call returns INVALID_VALUE, and the import stays usable.
fn a_dedicated_import_is_mapped_from_its_start(vulkan: &Vulkan) {
    const OFFSET: u64 = 1 << 16;
    let shared = fixtures::buffer(vulkan, 1 << 20, true);
    let error = shared.import.map_buffer(OFFSET, shared.buffer.size - OFFSET).unwrap_err();
    assert_code(&error, CUDA_ERROR_INVALID_VALUE);
    assert_both_ways(&[shared.ends()]);
}

/// Returns an error where less memory is free than the test of 4 GiB needs.
fn room() -> Result<(), String> {
    let free = machine::found(free_memory())?;
    if free < 6 << 30 { Err(format!("{} MiB of device memory are free", free >> 20)) } else { Ok(()) }
}

/// Far below the 512 MiB from which on `cuImportExternalMemory` crashes on hosts with two GPUs.
const OWN_SIZE: usize = 4 << 20;

fn cudas_own_memory_goes_both_ways() {
    let allocation = Allocation::new(device(), OWN_SIZE).unwrap();
    let exporter = allocation.map().unwrap();
    let import = ImportedMemory::from_fd(allocation.export().unwrap(), allocation.size, false).unwrap();
    for offset in [0, 1 << 16] {
        let address = import.map_buffer(offset, allocation.size - offset).unwrap();
        assert_same_memory(exporter.address + offset, address, allocation.size - offset);
    }
}

/// The descriptor can be imported any number of times, and the caller closes it.
fn cudas_own_import_leaves_the_descriptor_to_the_caller() {
    let allocation = Allocation::new(device(), OWN_SIZE).unwrap();
    let fd = allocation.export().unwrap();
    let imports = [(); 3].map(|()| Allocation::import(device(), &fd, allocation.size).unwrap());
    assert!(is_open(fd.as_raw_fd()), "the descriptor is closed");
    drop(fd);
    let mappings = imports.each_ref().map(|import| import.map().unwrap());
    for mapping in &mappings[1..] {
        assert_same_memory(mappings[0].address, mapping.address, allocation.size);
    }
}

/// A range that is no longer reserved can be reserved again.
fn a_mapping_returns_its_addresses() {
    let allocation = Allocation::new(device(), OWN_SIZE).unwrap();
    let (address, size) = (allocation.map().unwrap().address, allocation.size as usize);
    let mut again = 0;
    // SAFETY: the function writes an address; nothing is mapped there.
    unsafe {
        ok(cuMemAddressReserve(&mut again, size, 0, address, 0));
        ok(cuMemAddressFree(again, size));
    }
    assert_eq!(again, address, "the range is still reserved");
}
