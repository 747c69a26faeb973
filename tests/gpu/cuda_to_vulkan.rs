//! Memory that CUDA allocates and Vulkan imports. Khronos calls it unsupported for OPAQUE_FD; NVIDIA's sample does it.

use std::fs::File;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};

use interop::bytes::{assert_same, pattern};
use interop::cuda::{self, Allocation, ImportedSemaphore, Stream};
use interop::vulkan::{Buffer, DedicatedTo, Memory, Semaphore, Vulkan};
use libtest_mimic::Trial;

use crate::machine::{self, test};

/// No power of two, and more than the granularity.
const SIZE: usize = 5_000_003;

pub fn trials() -> Vec<Trial> {
    vec![
        test("cuda_to_vulkan::memory_goes_both_ways", |vulkan| memory_goes_both_ways(vulkan, false)),
        test("cuda_to_vulkan::dedicated_memory_goes_both_ways", |vulkan| memory_goes_both_ways(vulkan, true)),
        test("cuda_to_vulkan::buffers_at_offsets_stay_apart", buffers_at_offsets),
        test("cuda_to_vulkan::memory_outlives_the_exporter", memory_outlives_the_exporter),
        test("cuda_to_vulkan::a_timeline_orders_both", a_timeline_orders_both),
        test("cuda_to_vulkan::an_imported_descriptor_is_closed", an_imported_descriptor_is_closed),
        test("cuda_to_vulkan::a_refused_descriptor_stays_open", a_refused_descriptor_stays_open),
    ]
}

fn allocate(buffer: &Buffer) -> Allocation {
    Allocation::new(machine::cuda(), buffer.needs.size as usize).unwrap()
}

fn import<'v>(vulkan: &'v Vulkan, allocation: &Allocation, buffer: &Buffer, to: DedicatedTo) -> Memory<'v> {
    let fd = allocation.export().unwrap();
    Memory::import(vulkan, fd, allocation.size, buffer.needs.memory_type_bits, to).unwrap()
}

fn memory_goes_both_ways(vulkan: &Vulkan, dedicated: bool) {
    let buffer = Buffer::new(vulkan, SIZE as u64).unwrap();
    let allocation = allocate(&buffer);
    let mapped = allocation.map().unwrap();
    let to = if dedicated { DedicatedTo::Buffer(buffer.raw) } else { DedicatedTo::Nothing };
    let memory = import(vulkan, &allocation, &buffer, to);
    buffer.bind(&memory, 0).unwrap();
    for round in [1, 3] {
        let sent = pattern(round, SIZE);
        cuda::write(mapped.address, &sent).unwrap();
        assert_same("from CUDA to Vulkan", &buffer.read(0, SIZE as u64).unwrap(), &sent);
        let sent = pattern(round + 1, SIZE);
        buffer.write(0, &sent).unwrap();
        assert_same("from Vulkan to CUDA", &cuda::read(mapped.address, SIZE).unwrap(), &sent);
    }
}

fn buffers_at_offsets(vulkan: &Vulkan) {
    let buffers = [(); 3].map(|()| Buffer::new(vulkan, SIZE as u64).unwrap());
    let step = buffers[0].needs.size.next_multiple_of(buffers[0].needs.alignment);
    let allocation = Allocation::new(machine::cuda(), 3 * step as usize).unwrap();
    let mapped = allocation.map().unwrap();
    let memory = import(vulkan, &allocation, &buffers[0], DedicatedTo::Nothing);
    for (at, buffer) in (0..).zip(&buffers) {
        buffer.bind(&memory, at * step).unwrap();
        buffer.write(0, &pattern(at, SIZE)).unwrap();
    }
    for (at, buffer) in (0..).zip(&buffers) {
        let seen = cuda::read(mapped.address + at * step, SIZE).unwrap();
        assert_same("from Vulkan", &seen, &pattern(at, SIZE));
        cuda::write(mapped.address + at * step, &pattern(at + 10, SIZE)).unwrap();
        assert_same("from CUDA", &buffer.read(0, SIZE as u64).unwrap(), &pattern(at + 10, SIZE));
    }
}

/// The import holds a reference: CUDA may let go first.
fn memory_outlives_the_exporter(vulkan: &Vulkan) {
    let buffer = Buffer::new(vulkan, SIZE as u64).unwrap();
    let allocation = allocate(&buffer);
    let memory = import(vulkan, &allocation, &buffer, DedicatedTo::Nothing);
    buffer.bind(&memory, 0).unwrap();
    let sent = pattern(7, SIZE);
    let mapped = allocation.map().unwrap();
    cuda::write(mapped.address, &sent).unwrap();
    drop(mapped);
    drop(allocation);
    assert_same("afterwards", &buffer.read(0, SIZE as u64).unwrap(), &sent);
}

fn a_timeline_orders_both(vulkan: &Vulkan) {
    const ROUNDS: u64 = 100;
    let buffer = Buffer::new(vulkan, SIZE as u64).unwrap();
    let allocation = allocate(&buffer);
    let mapped = allocation.map().unwrap();
    let memory = import(vulkan, &allocation, &buffer, DedicatedTo::Nothing);
    buffer.bind(&memory, 0).unwrap();
    let (timeline, stream) = (Semaphore::timeline(vulkan, 0).unwrap(), Stream::new().unwrap());
    let in_cuda = ImportedSemaphore::from_vulkan(&timeline).unwrap();
    let own = cuda::DeviceMemory::new(ROUNDS as usize).unwrap();
    let mut submissions = Vec::new();
    for round in 0..ROUNDS {
        // Vulkan fills with the round's number, CUDA keeps a byte of it.
        let word = u32::from_ne_bytes([round as u8; 4]);
        let waits: &[_] = if round == 0 { &[] } else { &[(timeline.raw, 2 * round)] };
        let fill = vulkan.submit(waits, &[(timeline.raw, 2 * round + 1)], |commands| {
            buffer.acquire(commands);
            // SAFETY: the buffer lives until the submission is done.
            unsafe { vulkan.device.cmd_fill_buffer(commands, buffer.raw, 0, SIZE as u64 & !3, word) };
            buffer.release(commands);
        });
        submissions.push(fill.unwrap());
        stream.wait(&[(&in_cuda, 2 * round + 1)]).unwrap();
        stream.copy(own.address + round, mapped.address + SIZE as u64 / 2, 1).unwrap();
        stream.signal(&[(&in_cuda, 2 * round + 2)]).unwrap();
    }
    stream.finish().unwrap();
    drop(submissions);
    let expected: Vec<u8> = (0..ROUNDS as u8).collect();
    assert_same("a byte of each round", &cuda::read(own.address, ROUNDS as usize).unwrap(), &expected);
}

fn is_open(number: RawFd) -> bool {
    // SAFETY: asks about a number.
    unsafe { libc::fcntl(number, libc::F_GETFD) != -1 }
}

fn an_imported_descriptor_is_closed(vulkan: &Vulkan) {
    let buffer = Buffer::new(vulkan, SIZE as u64).unwrap();
    let allocation = allocate(&buffer);
    let fd = allocation.export().unwrap();
    // Higher than any number that the driver opens meanwhile, so that nothing else gets it.
    // SAFETY: the new descriptor is nobody else's.
    let fd = unsafe { OwnedFd::from_raw_fd(libc::fcntl(fd.as_raw_fd(), libc::F_DUPFD_CLOEXEC, 500)) };
    let number = fd.as_raw_fd();
    let types = buffer.needs.memory_type_bits;
    let memory = Memory::import(vulkan, fd, allocation.size, types, DedicatedTo::Nothing).unwrap();
    assert!(!is_open(number), "descriptor {number} is open after the import");
    drop(memory);
}

/// Vulkan transfers the ownership with a successful import only. The descriptor is of no memory here.
fn a_refused_descriptor_stays_open(vulkan: &Vulkan) {
    use ash::vk;

    let file = File::open("/dev/null").unwrap();
    let mut import = vk::ImportMemoryFdInfoKHR::default()
        .handle_type(vk::ExternalMemoryHandleTypeFlags::OPAQUE_FD)
        .fd(file.as_raw_fd());
    let local = vulkan.memory_type(u32::MAX, vk::MemoryPropertyFlags::DEVICE_LOCAL).unwrap();
    let info = vk::MemoryAllocateInfo::default()
        .allocation_size(1 << 21)
        .memory_type_index(local)
        .push_next(&mut import);
    // SAFETY: a wrong descriptor is what is asked about; the driver checks it.
    let code = unsafe { vulkan.device.allocate_memory(&info, None) }.unwrap_err();
    assert!(is_open(file.as_raw_fd()), "the driver has closed a descriptor that it refused with {code:?}");
}
