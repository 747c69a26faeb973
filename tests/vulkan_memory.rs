//! Vulkan's buffers in CUDA, both ways, every byte.

#[cfg(unix)]
#[path = "support/gpu.rs"]
mod gpu;
use test_support as support;

fn main() -> std::process::ExitCode {
    #[cfg(unix)]
    let trials = trials::all();
    #[cfg(not(unix))]
    let trials = Vec::new(); // file descriptors are Unix's
    support::run(trials, Some(1))
}

#[cfg(unix)]
mod trials {
    use ash::vk;
    use cuda_external_sys::*;
    use libtest_mimic::Trial;

    use crate::gpu::{self, Import, assert_same, pattern};
    use crate::support::{self, Need};
    use interop::buffer::{Buffer, Memory, Use};
    use interop::cuda::{self, call};
    use interop::vulkan::Vulkan;

    pub fn all() -> Vec<Trial> {
        let cpu = gpu::cpu_vulkan();
        let room = room();
        let needs = [
            Need::new("gpu", gpu::cuda()),
            Need::new("vulkan", gpu::vulkan()),
            Need::new("device-memory", &room),
        ];
        vec![
            gpu::memory_test("dedicated_memory_goes_both_ways", |v| sizes_go_both_ways(v, true)),
            gpu::memory_test("memory_that_is_not_dedicated_goes_both_ways", |v| sizes_go_both_ways(v, false)),
            gpu::memory_test("an_allocation_may_be_larger_than_its_buffer", larger_allocation),
            gpu::memory_test("buffers_at_offsets_stay_apart", suballocations),
            gpu::memory_test("two_mappings_of_one_import_are_the_same_memory", two_mappings),
            gpu::memory_test("two_imports_of_one_allocation_are_the_same_memory", two_imports),
            gpu::memory_test("a_range_beyond_the_allocation_is_refused", beyond_the_allocation),
            gpu::test("what_the_driver_says_of_a_wrong_dedicated_flag", wrong_dedicated_flag),
            support::test("more_than_4_gib_goes_both_ways", &needs, || {
                gpu::cuda().as_ref().unwrap().make_current().unwrap();
                more_than_4_gib(gpu::vulkan().as_ref().unwrap());
            }),
            support::test("a_descriptor_is_the_allocation_itself", &[Need::new("cpu-vulkan", &cpu)], || {
                a_descriptor_is_the_allocation_itself(&gpu::cpu_vulkan().unwrap());
            }),
        ]
    }

    fn sizes_go_both_ways(vulkan: &Vulkan, dedicated: bool) {
        for size in [1, 3, 4096, 65_535, 65_537, 1_000_003, 64 << 20] {
            let (buffer, memory) = Buffer::with_memory(vulkan, size, dedicated).unwrap();
            assert_eq!(memory.dedicated, dedicated);
            let import = Import::new(&memory);
            let address = import.map(0, size);
            both_ways(&format!("{size} bytes"), &buffer, address);
        }
    }

    /// Vulkan writes and CUDA reads; CUDA writes and Vulkan reads; and Vulkan sees what CUDA left.
    fn both_ways(what: &str, buffer: &Buffer, address: CUdeviceptr) {
        let from_vulkan = pattern(1, buffer.size as usize);
        buffer.write(0, &from_vulkan).unwrap();
        let seen = cuda::read(address, buffer.size as usize).unwrap();
        assert_same(&format!("{what}, from Vulkan to CUDA"), &seen, &from_vulkan);

        let from_cuda = pattern(2, buffer.size as usize);
        cuda::write(address, &from_cuda).unwrap();
        let seen = buffer.read(0, buffer.size).unwrap();
        assert_same(&format!("{what}, from CUDA to Vulkan"), &seen, &from_cuda);
    }

    fn larger_allocation(vulkan: &Vulkan) {
        let buffer = Buffer::new(vulkan, 100_000).unwrap();
        let size = buffer.needs.size + (3 << 20);
        let memory = Memory::new(vulkan, size, buffer.needs.memory_type_bits, Use::Shared).unwrap();
        buffer.bind(&memory, 0).unwrap();
        let import = Import::new(&memory);
        // CUDA may map all of it, also what no buffer covers.
        let address = import.map(0, memory.size);
        let rest = pattern(3, (memory.size - buffer.size) as usize);
        cuda::write(address + buffer.size, &rest).unwrap();
        both_ways("the buffer", &buffer, address);
        let seen = cuda::read(address + buffer.size, rest.len()).unwrap();
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
        let memory = Memory::new(vulkan, end, types, Use::Shared).unwrap();
        let import = Import::new(&memory);
        let whole = import.map(0, memory.size);
        let mut addresses = Vec::new();
        for (buffer, &offset) in buffers.iter().zip(&offsets) {
            buffer.bind(&memory, offset).unwrap();
            addresses.push(import.map(offset, buffer.size));
            println!("a buffer of {} bytes at {offset}, aligned to {}", buffer.size, buffer.needs.alignment);
        }
        // All are filled before any is read, so that one that lies on another shows.
        let data = |seed: usize, buffer: &Buffer| pattern(seed as u64, buffer.size as usize);
        for (i, buffer) in buffers.iter().enumerate() {
            buffer.write(0, &data(i, buffer)).unwrap();
        }
        for (i, buffer) in buffers.iter().enumerate() {
            let seen = cuda::read(addresses[i], buffer.size as usize).unwrap();
            assert_same("from Vulkan", &seen, &data(i, buffer));
            let seen = cuda::read(whole + offsets[i], buffer.size as usize).unwrap();
            assert_same("from Vulkan, in the mapping of the whole", &seen, &data(i, buffer));
        }
        for (i, buffer) in buffers.iter().enumerate() {
            cuda::write(addresses[i], &data(100 + i, buffer)).unwrap();
        }
        for (i, buffer) in buffers.iter().enumerate() {
            let seen = buffer.read(0, buffer.size).unwrap();
            assert_same("from CUDA", &seen, &data(100 + i, buffer));
        }
    }

    fn two_mappings(vulkan: &Vulkan) {
        let (buffer, memory) = Buffer::with_memory(vulkan, 1 << 20, false).unwrap();
        let import = Import::new(&memory);
        let (first, second) = (import.map(0, buffer.size), import.map(0, buffer.size));
        println!("the two mappings lie {} bytes apart", first.abs_diff(second));
        both_ways("the first mapping", &buffer, first);
        both_ways("the second mapping", &buffer, second);
        let bytes = pattern(7, 1 << 20);
        cuda::write(first, &bytes).unwrap();
        assert_same("through the second", &cuda::read(second, 1 << 20).unwrap(), &bytes);
    }

    fn two_imports(vulkan: &Vulkan) {
        let (buffer, memory) = Buffer::with_memory(vulkan, 1 << 20, true).unwrap();
        let second = Import::new(&memory);
        let address = second.map(0, buffer.size);
        {
            let first = Import::new(&memory);
            both_ways("the first import", &buffer, first.map(0, buffer.size));
        }
        // The first one's end is its own.
        assert_same("what it left", &cuda::read(address, 1 << 20).unwrap(), &pattern(2, 1 << 20));
        both_ways("the second import", &buffer, address);
    }

    fn beyond_the_allocation(vulkan: &Vulkan) {
        let (_buffer, memory) = Buffer::with_memory(vulkan, 1 << 20, false).unwrap();
        let import = Import::new(&memory);
        for (offset, size) in [(0, memory.size + 1), (memory.size, 1), (1 << 19, memory.size), (0, 0)] {
            let desc = CUDA_EXTERNAL_MEMORY_BUFFER_DESC { offset, size, ..Default::default() };
            let mut address = 0;
            // SAFETY: the import lives; a range that it does not have is what is asked about.
            let code = unsafe { cuExternalMemoryGetMappedBuffer(&mut address, import.raw, &desc) };
            println!("{size} bytes at {offset} of {}: {code:?}", memory.size);
            if code == CUDA_SUCCESS {
                // SAFETY: mapped above.
                unsafe { call!(cuMemFree_v2(address)) }.unwrap();
            }
            assert_eq!(code, CUDA_ERROR_INVALID_VALUE, "{size} bytes at {offset} of {}", memory.size);
        }
    }

    /// The rule is that the flag is Vulkan's. Not every driver holds a buffer to it.
    fn wrong_dedicated_flag(vulkan: &Vulkan) {
        for dedicated in [false, true] {
            let (buffer, memory) = Buffer::with_memory(vulkan, 1 << 20, dedicated).unwrap();
            match cuda::import_memory(memory.export().unwrap(), memory.size, !dedicated) {
                Ok(import) => {
                    println!("dedicated: {dedicated}, imported as the opposite: taken");
                    let import = Import::of(import);
                    both_ways("with the wrong flag", &buffer, import.map(0, buffer.size));
                }
                Err(error) => println!("dedicated: {dedicated}, imported as the opposite: {error}"),
            }
        }
    }

    /// What the 4 GiB test takes, and some air.
    fn room() -> std::result::Result<(), String> {
        gpu::cuda().as_ref()?.make_current().map_err(|error| error.to_string())?;
        let (mut free, mut total) = (0, 0);
        // SAFETY: both pointers are to variables here.
        unsafe { call!(cuMemGetInfo_v2(&mut free, &mut total)) }.map_err(|error| error.to_string())?;
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
        let memory = Memory::new(vulkan, size, buffers[0].needs.memory_type_bits, Use::Shared).unwrap();
        for (i, buffer) in buffers.iter().enumerate() {
            buffer.bind(&memory, i as u64 * part).unwrap();
        }
        let import = Import::new(&memory);
        let whole = import.map(0, size);
        // One that starts beyond 4 GiB.
        let tail = import.map(size - CHUNK as u64, CHUNK as u64);

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
            let seen = cuda::read(whole + (i * CHUNK) as u64, CHUNK).unwrap();
            assert_same(&format!("chunk {i} from Vulkan"), &seen, chunk(i));
        }
        assert_same("the tail", &cuda::read(tail, CHUNK).unwrap(), chunk(CHUNKS - 1));
        for i in 0..CHUNKS {
            cuda::write(whole + (i * CHUNK) as u64, chunk(CHUNKS + i)).unwrap();
        }
        for i in 0..CHUNKS {
            let (buffer, offset) = place(i);
            let seen = buffer.read(offset, CHUNK as u64).unwrap();
            assert_same(&format!("chunk {i} from CUDA"), &seen, chunk(CHUNKS + i));
        }
    }

    /// The descriptors that the tests above give to CUDA, given back to Vulkan.
    fn a_descriptor_is_the_allocation_itself(vulkan: &Vulkan) {
        use std::os::fd::IntoRawFd;

        const SIZE: u64 = 100_000;
        let (buffer, memory) = Buffer::with_memory(vulkan, SIZE, false).unwrap();
        let twin = Buffer::new(vulkan, SIZE).unwrap();
        let mut import = vk::ImportMemoryFdInfoKHR::default()
            .handle_type(vk::ExternalMemoryHandleTypeFlags::OPAQUE_FD)
            .fd(memory.export().unwrap().into_raw_fd());
        let types =
            vulkan.memory_type(twin.needs.memory_type_bits, vk::MemoryPropertyFlags::DEVICE_LOCAL).unwrap();
        let info = vk::MemoryAllocateInfo::default()
            .allocation_size(memory.size)
            .memory_type_index(types)
            .push_next(&mut import);
        // SAFETY: the descriptor was ours to give, and the rest is this device's.
        let imported = unsafe { vulkan.device.allocate_memory(&info, None) }.unwrap();
        // SAFETY: as above.
        unsafe { vulkan.device.bind_buffer_memory(twin.raw, imported, 0) }.unwrap();

        let bytes = pattern(4, SIZE as usize);
        buffer.write(0, &bytes).unwrap();
        assert_same("the twin", &twin.read(0, SIZE).unwrap(), &bytes);
        twin.write(50_000, &pattern(5, 1000)).unwrap();
        assert_same("the buffer", &buffer.read(50_000, 1000).unwrap(), &pattern(5, 1000));

        drop(twin);
        // SAFETY: nothing uses it any more.
        unsafe { vulkan.device.free_memory(imported, None) };
    }
}
