//! Vulkan's buffers in CUDA, both ways, every byte.

mod cuda;

use ash::vk;
use cuda_external_sys::*;
use libtest_mimic::Trial;

use test_support::{self as support, Need};

use crate::machine::{self, assert_code};
use interop::bytes::{assert_same, pattern};
use interop::cuda::{ImportedMemory, free_memory, import_memory, read, write};
use interop::vulkan::{Buffer, DedicatedTo, Memory, Vulkan};

pub fn trials() -> Vec<Trial> {
    let cpu = machine::cpu_vulkan();
    let room = room();
    let needs = [machine::gpu_need(), machine::vulkan_need(), Need::new("device-memory", &room)];
    let mut trials = vec![
        machine::memory_test("memory::dedicated_memory_goes_both_ways", |v| sizes_go_both_ways(v, true)),
        machine::memory_test("memory::memory_that_is_not_dedicated_goes_both_ways", |v| {
            sizes_go_both_ways(v, false)
        }),
        machine::memory_test("memory::an_allocation_may_be_larger_than_its_buffer", larger_allocation),
        machine::memory_test("memory::buffers_at_offsets_stay_apart", suballocations),
        machine::memory_test("memory::two_mappings_of_one_import_are_the_same_memory", two_mappings),
        machine::memory_test("memory::two_imports_of_one_allocation_are_the_same_memory", two_imports),
        machine::memory_test("memory::a_range_beyond_the_allocation_is_refused", beyond_the_allocation),
        machine::memory_test("memory::a_dedicated_import_is_mapped_from_its_start", dedicated_at_an_offset),
        machine::test("memory::a_wrong_dedicated_flag_is_refused_or_harmless", wrong_dedicated_flag),
        support::test("memory::more_than_4_gib_goes_both_ways", &needs, || {
            machine::cuda();
            more_than_4_gib(machine::vulkan());
        }),
        support::test(
            "memory::a_descriptor_is_the_allocation_itself",
            &[Need::new("cpu-vulkan", &cpu)],
            || {
                a_descriptor_is_the_allocation_itself(&machine::cpu_vulkan().unwrap());
            },
        ),
    ];
    trials.extend(cuda::trials());
    trials
}

fn sizes_go_both_ways(vulkan: &Vulkan, dedicated: bool) {
    for size in [1, 3, 4096, 65_535, 65_537, 1_000_003, 64 << 20] {
        let (buffer, memory) = Buffer::with_memory(vulkan, size, dedicated).unwrap();
        assert_eq!(memory.dedicated, dedicated);
        let import = ImportedMemory::from_vulkan(&memory).unwrap();
        let address = import.map_buffer(0, size).unwrap();
        both_ways(&format!("{size} bytes"), &buffer, address);
    }
}

/// Vulkan writes and CUDA reads; CUDA writes and Vulkan reads; and Vulkan sees what CUDA left.
fn both_ways(what: &str, buffer: &Buffer, address: CUdeviceptr) {
    let from_vulkan = pattern(1, buffer.size as usize);
    buffer.write(0, &from_vulkan).unwrap();
    let seen = read(address, buffer.size as usize).unwrap();
    assert_same(&format!("{what}, from Vulkan to CUDA"), &seen, &from_vulkan);

    let from_cuda = pattern(2, buffer.size as usize);
    write(address, &from_cuda).unwrap();
    let seen = buffer.read(0, buffer.size).unwrap();
    assert_same(&format!("{what}, from CUDA to Vulkan"), &seen, &from_cuda);
}

fn larger_allocation(vulkan: &Vulkan) {
    let buffer = Buffer::new(vulkan, 100_000).unwrap();
    let size = buffer.needs.size + (3 << 20);
    let memory = Memory::new(vulkan, size, buffer.needs.memory_type_bits, DedicatedTo::Nothing).unwrap();
    buffer.bind(&memory, 0).unwrap();
    let import = ImportedMemory::from_vulkan(&memory).unwrap();
    // CUDA may map all of it, also what no buffer covers.
    let address = import.map_buffer(0, memory.size).unwrap();
    let rest = pattern(3, (memory.size - buffer.size) as usize);
    write(address + buffer.size, &rest).unwrap();
    both_ways("the buffer", &buffer, address);
    let seen = read(address + buffer.size, rest.len()).unwrap();
    assert_same("the rest of the allocation", &seen, &rest);
}

fn suballocations(vulkan: &Vulkan) {
    let sizes = [100_000_u64, 1, 70_000, 2_000_000];
    let buffers: Vec<Buffer> = sizes.iter().map(|&size| Buffer::new(vulkan, size).unwrap()).collect();
    let mut offsets = Vec::new();
    // The first one does not start at 0 either.
    let mut end = 1 << 16;
    let mut types = u32::MAX;
    for buffer in &buffers {
        let offset = u64::next_multiple_of(end, buffer.needs.alignment);
        offsets.push(offset);
        end = offset + buffer.needs.size;
        types &= buffer.needs.memory_type_bits;
    }
    let memory = Memory::new(vulkan, end, types, DedicatedTo::Nothing).unwrap();
    let import = ImportedMemory::from_vulkan(&memory).unwrap();
    let whole = import.map_buffer(0, memory.size).unwrap();
    let mut addresses = Vec::new();
    for (buffer, &offset) in buffers.iter().zip(&offsets) {
        buffer.bind(&memory, offset).unwrap();
        addresses.push(import.map_buffer(offset, buffer.size).unwrap());
        println!("a buffer of {} bytes at {offset}, aligned to {}", buffer.size, buffer.needs.alignment);
    }
    // All are filled before any is read, so that one that lies on another shows.
    let data = |seed: usize, buffer: &Buffer| pattern(seed as u64, buffer.size as usize);
    for (i, buffer) in buffers.iter().enumerate() {
        buffer.write(0, &data(i, buffer)).unwrap();
    }
    for (i, buffer) in buffers.iter().enumerate() {
        let seen = read(addresses[i], buffer.size as usize).unwrap();
        assert_same("from Vulkan", &seen, &data(i, buffer));
        let seen = read(whole + offsets[i], buffer.size as usize).unwrap();
        assert_same("from Vulkan, in the mapping of the whole", &seen, &data(i, buffer));
    }
    for (i, buffer) in buffers.iter().enumerate() {
        write(addresses[i], &data(100 + i, buffer)).unwrap();
    }
    for (i, buffer) in buffers.iter().enumerate() {
        let seen = buffer.read(0, buffer.size).unwrap();
        assert_same("from CUDA", &seen, &data(100 + i, buffer));
    }
}

fn two_mappings(vulkan: &Vulkan) {
    let (buffer, memory) = Buffer::with_memory(vulkan, 1 << 20, false).unwrap();
    let import = ImportedMemory::from_vulkan(&memory).unwrap();
    let (first, second) =
        (import.map_buffer(0, buffer.size).unwrap(), import.map_buffer(0, buffer.size).unwrap());
    println!("the two mappings lie {} bytes apart", first.abs_diff(second));
    both_ways("the first mapping", &buffer, first);
    both_ways("the second mapping", &buffer, second);
    let bytes = pattern(7, 1 << 20);
    write(first, &bytes).unwrap();
    assert_same("through the second", &read(second, 1 << 20).unwrap(), &bytes);
}

fn two_imports(vulkan: &Vulkan) {
    let (buffer, memory) = Buffer::with_memory(vulkan, 1 << 20, true).unwrap();
    let second = ImportedMemory::from_vulkan(&memory).unwrap();
    let address = second.map_buffer(0, buffer.size).unwrap();
    {
        let first = ImportedMemory::from_vulkan(&memory).unwrap();
        both_ways("the first import", &buffer, first.map_buffer(0, buffer.size).unwrap());
    }
    // The first one's end is its own.
    assert_same("what it left", &read(address, 1 << 20).unwrap(), &pattern(2, 1 << 20));
    both_ways("the second import", &buffer, address);
}

fn beyond_the_allocation(vulkan: &Vulkan) {
    let (_buffer, memory) = Buffer::with_memory(vulkan, 1 << 20, false).unwrap();
    let import = ImportedMemory::from_vulkan(&memory).unwrap();
    for (offset, size) in [(0, memory.size + 1), (memory.size, 1), (1 << 19, memory.size), (0, 0)] {
        let error = import.map_buffer(offset, size).map(|_| ()).unwrap_err();
        assert_code(&error, CUDA_ERROR_INVALID_VALUE);
    }
}

/// NVIDIA's manual requires the flag where the exporter's memory is dedicated. Measured on the H100 and the H200 with
/// driver 580.159: for a buffer the driver takes either, and every byte is right. A driver that refuses it instead is
/// in its rights, and then must name the error that the manual does.
fn wrong_dedicated_flag(vulkan: &Vulkan) {
    for dedicated in [false, true] {
        let (buffer, memory) = Buffer::with_memory(vulkan, 1 << 20, dedicated).unwrap();
        let fd = memory.export().unwrap();
        match import_memory(fd, memory.size, !dedicated) {
            Ok(import) => {
                let import = ImportedMemory::from_raw(import);
                both_ways("with the wrong flag", &buffer, import.map_buffer(0, buffer.size).unwrap());
            }
            Err(error) => assert_code(&error, CUDA_ERROR_INVALID_VALUE),
        }
        // The right flag still works.
        let import = ImportedMemory::from_vulkan(&memory).unwrap();
        both_ways("with the right flag", &buffer, import.map_buffer(0, buffer.size).unwrap());
    }
}

/// The driver maps a dedicated import from its start only, though no document says so. Measured with driver 580.159:
/// the call returns INVALID_VALUE, and the import stays usable.
fn dedicated_at_an_offset(vulkan: &Vulkan) {
    const OFFSET: u64 = 1 << 16;
    let (buffer, memory) = Buffer::with_memory(vulkan, 1 << 20, true).unwrap();
    let import = ImportedMemory::from_vulkan(&memory).unwrap();
    let error = import.map_buffer(OFFSET, buffer.size - OFFSET).unwrap_err();
    assert_code(&error, CUDA_ERROR_INVALID_VALUE);
    both_ways("from the start", &buffer, import.map_buffer(0, buffer.size).unwrap());
}

/// What the test of 4 GiB takes, and some more.
fn room() -> Result<(), String> {
    machine::found_cuda().as_ref()?.make_current().map_err(|error| error.to_string())?;
    let free = free_memory().map_err(|error| error.to_string())?;
    if free < 6 << 30 { Err(format!("{} MiB of device memory are free", free >> 20)) } else { Ok(()) }
}

/// Offsets and sizes that 32 bits do not hold, on both sides.
fn more_than_4_gib(vulkan: &Vulkan) {
    const CHUNK: usize = 64 << 20;
    const CHUNKS: usize = 65;
    let size = (CHUNK * CHUNKS) as u64;
    let mut limits = vk::PhysicalDeviceMaintenance4Properties::default();
    let mut properties = vk::PhysicalDeviceProperties2::default().push_next(&mut limits);
    // SAFETY: the device is this instance's.
    unsafe {
        vulkan.instance.raw.get_physical_device_properties2(vulkan.physical_device, &mut properties);
    }
    let largest = limits.max_buffer_size;
    println!("an allocation of {size} bytes; this Vulkan's largest buffer has {largest}");
    // One buffer where Vulkan has such; else several, one after the other.
    let part = if largest >= size { size } else { (16 * CHUNK) as u64 };
    let sizes: Vec<u64> = (0..size.div_ceil(part)).map(|i| part.min(size - i * part)).collect();
    let buffers: Vec<Buffer> = sizes.iter().map(|&size| Buffer::new(vulkan, size).unwrap()).collect();
    let memory = Memory::new(vulkan, size, buffers[0].needs.memory_type_bits, DedicatedTo::Nothing).unwrap();
    for (i, buffer) in buffers.iter().enumerate() {
        buffer.bind(&memory, i as u64 * part).unwrap();
    }
    let import = ImportedMemory::from_vulkan(&memory).unwrap();
    let whole = import.map_buffer(0, size).unwrap();
    // One that starts beyond 4 GiB.
    let tail = import.map_buffer(size - CHUNK as u64, CHUNK as u64).unwrap();

    // Every chunk has bytes of its own: another stretch of one pattern.
    let bytes = pattern(9, CHUNK + 4099 * 2 * CHUNKS);
    let chunk = |i: usize| &bytes[4099 * i..][..CHUNK];
    let place = |i: usize| {
        let at = (i * CHUNK) as u64;
        (&buffers[(at / part) as usize], at % part)
    };
    for i in 0..CHUNKS {
        let (buffer, offset) = place(i);
        buffer.write(offset, chunk(i)).unwrap();
    }
    for i in 0..CHUNKS {
        let seen = read(whole + (i * CHUNK) as u64, CHUNK).unwrap();
        assert_same(&format!("chunk {i} from Vulkan"), &seen, chunk(i));
    }
    assert_same("the tail", &read(tail, CHUNK).unwrap(), chunk(CHUNKS - 1));
    for i in 0..CHUNKS {
        write(whole + (i * CHUNK) as u64, chunk(CHUNKS + i)).unwrap();
    }
    for i in 0..CHUNKS {
        let (buffer, offset) = place(i);
        let seen = buffer.read(offset, CHUNK as u64).unwrap();
        assert_same(&format!("chunk {i} from CUDA"), &seen, chunk(CHUNKS + i));
    }
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
