//! Semaphores between Vulkan and CUDA: a wait holds until the signal, and what was written before
//! the signal is seen after the wait.
//!
//! Each proof has a counter-proof: the same run with the semaphore left out sees the old bytes. The
//! signaler is held back, so that the result does not depend on timing: a timeline behind a gate
//! that the CPU opens; a binary semaphore, which may not be waited for before all that its signal
//! depends on is submitted, behind half a second of work on the GPU.

mod work;

use std::thread;
use std::time::{Duration, Instant};

use ash::vk;
use cuda_external_sys::*;
use libtest_mimic::Trial;

use self::work::{CudaWork, DELAY, VulkanWork};
use crate::machine;
use interop::bytes::{assert_same, pattern};
use interop::cuda::{self, DeviceMemory, ImportedMemory, ImportedSemaphore, Stream};
use interop::vulkan::{Buffer, HostBuffer, Semaphore, Vulkan};

const SIZE: usize = 4 << 20;

pub fn trials() -> Vec<Trial> {
    vec![
        machine::test("semaphores::cuda_waits_for_vulkans_timeline", |v| cuda_reads(v, Kind::Timeline, true)),
        machine::test("semaphores::left_out_of_cuda_a_timeline_is_missed", |v| {
            cuda_reads(v, Kind::Timeline, false)
        }),
        machine::test("semaphores::cuda_waits_for_vulkans_binary_semaphore", |v| {
            cuda_reads(v, Kind::Binary, true)
        }),
        machine::test("semaphores::left_out_of_cuda_a_binary_semaphore_is_missed", |v| {
            cuda_reads(v, Kind::Binary, false)
        }),
        machine::test("semaphores::vulkan_waits_for_cudas_timeline", |v| {
            vulkan_reads(v, Kind::Timeline, true)
        }),
        machine::test("semaphores::left_out_of_vulkan_a_timeline_is_missed", |v| {
            vulkan_reads(v, Kind::Timeline, false)
        }),
        machine::test("semaphores::vulkan_waits_for_cudas_binary_semaphore", |v| {
            vulkan_reads(v, Kind::Binary, true)
        }),
        machine::test("semaphores::left_out_of_vulkan_a_binary_semaphore_is_missed", |v| {
            vulkan_reads(v, Kind::Binary, false);
        }),
        machine::test("semaphores::one_call_signals_several", one_call_signals_several),
        machine::test("semaphores::one_call_waits_for_several", one_call_waits_for_several),
        machine::test("semaphores::a_timeline_counts_in_64_bits", a_timeline_counts_in_64_bits),
        machine::test("semaphores::an_import_as_the_other_kind_does_no_harm", import_as_the_other_kind),
        machine::test("semaphores::5000_rounds_with_a_timeline_lose_nothing", |v| rounds(v, Kind::Timeline)),
        machine::test("semaphores::5000_rounds_with_binary_semaphores_lose_nothing", |v| {
            rounds(v, Kind::Binary)
        }),
    ]
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Binary,
    Timeline,
}

fn semaphore(vulkan: &Vulkan, kind: Kind) -> (Semaphore<'_>, ImportedSemaphore) {
    match kind {
        Kind::Binary => {
            let semaphore = Semaphore::binary(vulkan).unwrap();
            let import = ImportedSemaphore::from_vulkan(&semaphore).unwrap();
            (semaphore, import)
        }
        Kind::Timeline => {
            let semaphore = Semaphore::timeline(vulkan, 0).unwrap();
            let import = ImportedSemaphore::from_vulkan(&semaphore).unwrap();
            (semaphore, import)
        }
    }
}

/// Vulkan writes, late; CUDA reads, with the wait or without.
fn cuda_reads(vulkan: &Vulkan, kind: Kind, waits: bool) {
    let (old, new) = (pattern(1, SIZE), pattern(2, SIZE));
    let (buffer, memory) = Buffer::with_memory(vulkan, SIZE as u64, false).unwrap();
    let import = ImportedMemory::from_vulkan(&memory).unwrap();
    let address = import.map_buffer(0, SIZE as u64).unwrap();
    let (copy, stream) = (DeviceMemory::new(SIZE).unwrap(), Stream::new().unwrap());
    let (semaphore, in_cuda) = semaphore(vulkan, kind);
    let gate = Semaphore::timeline(vulkan, 0).unwrap();
    let gates = [(gate.raw, 1)];
    let work = VulkanWork::new(vulkan);
    buffer.write(0, &old).unwrap();
    let host = HostBuffer::new(vulkan, SIZE as u64).unwrap();
    host.write(&new);

    let before: &[_] = if kind == Kind::Timeline { &gates } else { &[] };
    let late = vulkan
        .submit(before, &[(semaphore.raw, 1)], |commands| {
            if kind == Kind::Binary {
                work.record(commands);
            }
            buffer.acquire(commands);
            let region = vk::BufferCopy::default().size(SIZE as u64);
            // SAFETY: both buffers live until the submission is done.
            unsafe { vulkan.device.cmd_copy_buffer(commands, host.raw, buffer.raw, &[region]) };
            buffer.release(commands);
        })
        .unwrap();
    if waits {
        stream.wait(&[(&in_cuda, 1)]).unwrap();
    }
    stream.copy(copy.address, address, SIZE).unwrap();

    if waits {
        assert!(!stream.is_done().unwrap(), "the wait did not hold");
        if kind == Kind::Timeline {
            thread::sleep(DELAY);
            assert!(!stream.is_done().unwrap(), "the wait did not hold");
            assert!(!late.is_done().unwrap());
            gate.signal(1).unwrap();
        }
        stream.finish().unwrap();
        assert_same("after the wait", &cuda::read(copy.address, SIZE).unwrap(), &new);
        late.wait().unwrap();
    } else {
        stream.finish().unwrap();
        assert!(!late.is_done().unwrap(), "the delay was too short to prove anything");
        assert_same("without the wait", &cuda::read(copy.address, SIZE).unwrap(), &old);
        gate.signal(1).unwrap();
        late.wait().unwrap();
        // Nobody else waits for it, and a binary semaphore may not be destroyed while its
        // signal is under way: that is over now.
    }
}

/// CUDA writes, late; Vulkan reads, with the wait or without.
fn vulkan_reads(vulkan: &Vulkan, kind: Kind, waits: bool) {
    let (old, new) = (pattern(1, SIZE), pattern(2, SIZE));
    let (buffer, memory) = Buffer::with_memory(vulkan, SIZE as u64, false).unwrap();
    let import = ImportedMemory::from_vulkan(&memory).unwrap();
    let address = import.map_buffer(0, SIZE as u64).unwrap();
    let (source, stream) = (DeviceMemory::new(SIZE).unwrap(), Stream::new().unwrap());
    let (semaphore, in_cuda) = semaphore(vulkan, kind);
    let gate = Semaphore::timeline(vulkan, 0).unwrap();
    let gate_in_cuda = ImportedSemaphore::from_vulkan(&gate).unwrap();
    let work = CudaWork::new();
    buffer.write(0, &old).unwrap();
    cuda::write(source.address, &new).unwrap();
    let host = HostBuffer::new(vulkan, SIZE as u64).unwrap();

    match kind {
        Kind::Timeline => stream.wait(&[(&gate_in_cuda, 1)]).unwrap(),
        Kind::Binary => work.enqueue(&stream),
    }
    stream.copy(address, source.address, SIZE).unwrap();
    stream.signal(&[(&in_cuda, 1)]).unwrap();

    let after = [(semaphore.raw, 1)];
    let read = vulkan
        .submit(if waits { &after } else { &[] }, &[], |commands| {
            buffer.acquire(commands);
            let region = vk::BufferCopy::default().size(SIZE as u64);
            // SAFETY: both buffers live until the submission is done.
            unsafe { vulkan.device.cmd_copy_buffer(commands, buffer.raw, host.raw, &[region]) };
            vulkan.barrier(commands);
            buffer.release(commands);
        })
        .unwrap();

    if waits {
        assert!(!read.is_done().unwrap(), "the wait did not hold");
        if kind == Kind::Timeline {
            thread::sleep(DELAY);
            assert!(!read.is_done().unwrap(), "the wait did not hold");
            assert!(!stream.is_done().unwrap());
            gate.signal(1).unwrap();
        }
        read.wait().unwrap();
        assert_same("after the wait", host.bytes(), &new);
    } else {
        read.wait().unwrap();
        assert!(!stream.is_done().unwrap(), "the delay was too short to prove anything");
        assert_same("without the wait", host.bytes(), &old);
        gate.signal(1).unwrap();
    }
    stream.finish().unwrap();
}

fn one_call_signals_several(vulkan: &Vulkan) {
    let stream = Stream::new().unwrap();
    let gate = Semaphore::timeline(vulkan, 0).unwrap();
    let gate_in_cuda = ImportedSemaphore::from_vulkan(&gate).unwrap();
    let timelines: Vec<_> = (0..3).map(|_| semaphore(vulkan, Kind::Timeline)).collect();
    let (binary, binary_in_cuda) = semaphore(vulkan, Kind::Binary);

    stream.wait(&[(&gate_in_cuda, 1)]).unwrap();
    // Each with its own value; a binary semaphore's is ignored.
    let [a, b, c] = [&timelines[0], &timelines[1], &timelines[2]];
    stream.signal(&[(&a.1, 10), (&b.1, 20), (&binary_in_cuda, 999), (&c.1, 30)]).unwrap();
    thread::sleep(Duration::from_millis(100));
    let values = || timelines.iter().map(|(s, _)| s.value().unwrap()).collect::<Vec<u64>>();
    assert_eq!(values(), [0, 0, 0], "signaled before its turn");
    gate.signal(1).unwrap();
    stream.finish().unwrap();
    assert_eq!(values(), [10, 20, 30]);
    let waits = [(a.0.raw, 10), (b.0.raw, 20), (binary.raw, 0), (c.0.raw, 30)];
    vulkan.submit(&waits, &[], |_| {}).unwrap().wait().unwrap();
}

fn one_call_waits_for_several(vulkan: &Vulkan) {
    let stream = Stream::new().unwrap();
    let timelines: Vec<_> = (0..3).map(|_| semaphore(vulkan, Kind::Timeline)).collect();
    let (binary, binary_in_cuda) = semaphore(vulkan, Kind::Binary);
    vulkan.submit(&[], &[(binary.raw, 0)], |_| {}).unwrap().wait().unwrap();

    let [a, b, c] = [&timelines[0], &timelines[1], &timelines[2]];
    stream.wait(&[(&a.1, 5), (&binary_in_cuda, 0), (&b.1, 6), (&c.1, 7)]).unwrap();
    for ((timeline, _), value) in timelines.iter().zip(5..) {
        thread::sleep(Duration::from_millis(50));
        assert!(!stream.is_done().unwrap(), "one of the waits did not hold");
        // One short of it is not enough.
        timeline.signal(value - 1).unwrap();
        thread::sleep(Duration::from_millis(50));
        assert!(!stream.is_done().unwrap(), "one of the waits did not hold");
        timeline.signal(value).unwrap();
    }
    stream.finish().unwrap();
    // What has passed holds nobody.
    stream.wait(&[(&a.1, 5), (&b.1, 1), (&c.1, 0)]).unwrap();
    stream.finish().unwrap();
}

fn a_timeline_counts_in_64_bits(vulkan: &Vulkan) {
    for start in [(1_u64 << 31) - 1, (1 << 32) - 1, (1 << 40) - 1, (1 << 63) - 1] {
        let stream = Stream::new().unwrap();
        let semaphore = Semaphore::timeline(vulkan, start).unwrap();
        let in_cuda = ImportedSemaphore::from_vulkan(&semaphore).unwrap();
        stream.signal(&[(&in_cuda, start + 1)]).unwrap();
        stream.finish().unwrap();
        assert_eq!(semaphore.value().unwrap(), start + 1);
        stream.wait(&[(&in_cuda, start + 2)]).unwrap();
        thread::sleep(Duration::from_millis(50));
        assert!(!stream.is_done().unwrap(), "a wait for {:#x} did not hold", start + 2);
        semaphore.signal(start + 2).unwrap();
        stream.finish().unwrap();
    }
}

/// Driver 580.159 takes it and another may refuse it. The right import works beside it either way.
fn import_as_the_other_kind(vulkan: &Vulkan) {
    for (kind, other) in [
        (Kind::Binary, CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD),
        (Kind::Timeline, CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD),
    ] {
        let (semaphore, in_cuda) = semaphore(vulkan, kind);
        drop(ImportedSemaphore::from_fd(semaphore.export().unwrap(), other));
        let stream = Stream::new().unwrap();
        stream.signal(&[(&in_cuda, 1)]).unwrap();
        vulkan.submit(&[(semaphore.raw, 1)], &[], |_| {}).unwrap().wait().unwrap();
        stream.finish().unwrap();
    }
}

/// A number goes from CUDA to Vulkan and back, again and again, with no help of the CPU: what
/// CUDA gets back must be the numbers in their order.
fn rounds(vulkan: &Vulkan, kind: Kind) {
    const ROUNDS: u32 = 5000;
    /// How many may be under way.
    const AHEAD: usize = 100;
    // CUDA writes here and Vulkan there; what lies between keeps them from one cache line.
    const THERE: u64 = 4096;
    let (buffer, memory) = Buffer::with_memory(vulkan, 8192, false).unwrap();
    buffer.write(0, &[0xff; 8192]).unwrap();
    let import = ImportedMemory::from_vulkan(&memory).unwrap();
    let address = import.map_buffer(0, 8192).unwrap();
    let (received, stream) = (DeviceMemory::new(4 * ROUNDS as usize).unwrap(), Stream::new().unwrap());
    let (there, there_in_cuda) = semaphore(vulkan, kind);
    let (back, back_in_cuda) = semaphore(vulkan, kind);

    let started = Instant::now();
    let mut under_way = std::collections::VecDeque::new();
    for round in 0..ROUNDS {
        let value = u64::from(round) + 1;
        // SAFETY: the range is mapped.
        unsafe { cuMemsetD32Async(address, round, 1, stream.raw()) }.result().unwrap();
        stream.signal(&[(&there_in_cuda, value)]).unwrap();
        let submission = vulkan.submit(&[(there.raw, value)], &[(back.raw, value)], |commands| {
            buffer.acquire(commands);
            let region = vk::BufferCopy::default().dst_offset(THERE).size(4);
            // SAFETY: the buffer lives until the submission is done; the ranges are apart.
            unsafe { vulkan.device.cmd_copy_buffer(commands, buffer.raw, buffer.raw, &[region]) };
            buffer.release(commands);
        });
        under_way.push_back(submission.unwrap());
        stream.wait(&[(&back_in_cuda, value)]).unwrap();
        stream.copy(received.address + 4 * u64::from(round), address + THERE, 4).unwrap();
        if under_way.len() == AHEAD {
            under_way.pop_front().unwrap().wait().unwrap();
        }
    }
    drop(under_way);
    stream.finish().unwrap();
    let took = started.elapsed();
    println!("{ROUNDS} rounds in {took:?}, {:?} each", took / ROUNDS);

    let bytes = cuda::read(received.address, 4 * ROUNDS as usize).unwrap();
    let numbers: Vec<u32> = bytes.chunks(4).map(|b| u32::from_le_bytes(b.try_into().unwrap())).collect();
    assert_eq!(numbers, (0..ROUNDS).collect::<Vec<u32>>());
    if kind == Kind::Timeline {
        assert_eq!((there.value().unwrap(), back.value().unwrap()), (ROUNDS.into(), ROUNDS.into()));
    }
}
