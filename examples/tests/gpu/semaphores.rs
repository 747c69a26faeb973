//! Tests semaphores between Vulkan and CUDA: after a wait, one API must see what the other API wrote before its signal.

use std::collections::VecDeque;
use std::thread;
use std::time::{Duration, Instant};

use ash::vk;
use cuda_external_sys::*;
use libtest_mimic::Trial;

use crate::opened_devices::{assert_success, vulkan_trial};
use example_support::cuda::{self, DeviceMemory, Stream};
use example_support::shared_resources::{SharedBuffer, SharedSemaphore};
use example_support::test_bytes::{assert_same_bytes, test_pattern};
use example_support::vulkan::{ExportableSemaphore, HostBuffer, SemaphoreKind, Vulkan};

const SIZE: usize = 4 << 20;

const DELAY: Duration = Duration::from_millis(500);

pub fn trials() -> Vec<Trial> {
    let mut trials = test_support::tests! {
        vulkan_trial => one_call_waits_for_several_and_one_signals_several, a_timeline_counts_in_64_bits,
            five_thousand_rounds_lose_nothing;
    };
    for (name, reader, waits) in [
        ("cuda_waits_for_vulkans_timeline", ReadingApi::Cuda, true),
        ("left_out_of_cuda_a_timeline_is_missed", ReadingApi::Cuda, false),
        ("vulkan_waits_for_cudas_timeline", ReadingApi::Vulkan, true),
        ("left_out_of_vulkan_a_timeline_is_missed", ReadingApi::Vulkan, false),
    ] {
        let run = move |vulkan: &'static Vulkan| read_after_late_write(vulkan, reader, waits);
        trials.push(vulkan_trial(&format!("semaphores::{name}"), run));
    }
    trials
}

#[derive(Clone, Copy)]
enum ReadingApi {
    Cuda,
    Vulkan,
}

/// Reads a shared buffer with `reader`. The other API writes new bytes to this buffer after the CPU signals `gate`. If
/// `waits` is true, `reader` waits for the write and must read the new bytes. If `waits` is false, `reader` reads
/// before the write and must read the old bytes.
fn read_after_late_write(vulkan: &Vulkan, reader: ReadingApi, waits: bool) {
    let (old, new) = (test_pattern(1, SIZE), test_pattern(2, SIZE));
    let shared = SharedBuffer::new(vulkan, SIZE as u64, false).unwrap();
    let (memory, stream) = (DeviceMemory::new(SIZE).unwrap(), Stream::new().unwrap());
    let host = HostBuffer::new(vulkan, SIZE as u64).unwrap();
    // The CPU signals `gate` after all submissions. A wait for a binary semaphore may be submitted only after every
    // signal that the wait depends on, so both semaphores are timelines.
    let [semaphore, gate] = [(); 2].map(|()| SharedSemaphore::new(vulkan, SemaphoreKind::Timeline).unwrap());
    shared.buffer.write(0, &old).unwrap();
    match reader {
        ReadingApi::Cuda => host.write(&new),
        ReadingApi::Vulkan => cuda::write(memory.address, &new).unwrap(),
    }

    let submission = match reader {
        ReadingApi::Cuda => {
            let (gate, signal) = ([(&gate.vulkan, 1)], [(&semaphore.vulkan, 1)]);
            let record = |commands| shared.buffer.record_write(commands, 0, &host);
            let submission = vulkan.submit(&gate, &signal, record).unwrap();
            if waits {
                stream.wait(&[(&semaphore.cuda, 1)]).unwrap();
            }
            stream.copy_async(memory.address, shared.address, SIZE).unwrap();
            submission
        }
        ReadingApi::Vulkan => {
            stream.wait(&[(&gate.cuda, 1)]).unwrap();
            stream.copy_async(shared.address, memory.address, SIZE).unwrap();
            stream.signal(&[(&semaphore.cuda, 1)]).unwrap();
            let wait: &[_] = if waits { &[(&semaphore.vulkan, 1)] } else { &[] };
            vulkan.submit(wait, &[], |commands| shared.buffer.record_read(commands, 0, &host)).unwrap()
        }
    };
    let cuda_is_done = || stream.is_done().unwrap();
    let vulkan_is_done = || submission.is_done().unwrap();
    let (writer_is_done, reader_is_done): (&dyn Fn() -> bool, &dyn Fn() -> bool) = match reader {
        ReadingApi::Cuda => (&vulkan_is_done, &cuda_is_done),
        ReadingApi::Vulkan => (&cuda_is_done, &vulkan_is_done),
    };

    thread::sleep(DELAY);
    if waits {
        assert!(!reader_is_done(), "the wait did not hold");
    } else {
        poll_until(reader_is_done);
    }
    assert!(!writer_is_done(), "the delay was too short to prove anything");
    gate.vulkan.signal_from_host(1).unwrap();
    poll_until(reader_is_done);
    let seen = match reader {
        ReadingApi::Cuda => &cuda::read(memory.address, SIZE).unwrap(),
        ReadingApi::Vulkan => host.bytes(),
    };
    assert_same_bytes("what the reader saw", seen, if waits { &new } else { &old });
    poll_until(writer_is_done);
}

fn poll_until(is_done: &dyn Fn() -> bool) {
    let end = Instant::now() + Duration::from_secs(60);
    while !is_done() {
        assert!(Instant::now() < end, "not done after a minute");
        thread::sleep(Duration::from_micros(200));
    }
}

/// Sleeps, and panics if the stream is done after the sleep. The stream must have a wait that should still block.
/// Without this wait, the stream's work would take much less time than the sleep.
#[track_caller]
fn assert_stream_still_waits(stream: &Stream) {
    thread::sleep(Duration::from_millis(50));
    assert!(!stream.is_done().unwrap(), "a wait did not hold");
}

/// CUDA waits for a different value of each timeline. CUDA and Vulkan must ignore the value for a binary semaphore.
fn one_call_waits_for_several_and_one_signals_several(vulkan: &Vulkan) {
    let stream = Stream::new().unwrap();
    let timelines = [(); 3].map(|()| SharedSemaphore::new(vulkan, SemaphoreKind::Timeline).unwrap());
    let [signaled, signals] = [(); 2].map(|()| SharedSemaphore::new(vulkan, SemaphoreKind::Binary).unwrap());
    vulkan.submit(&[], &[(&signaled.vulkan, 0)], |_| {}).unwrap().wait().unwrap();

    let [a, b, c] = &timelines;
    stream.wait(&[(&a.cuda, 5), (&signaled.cuda, 0), (&b.cuda, 6), (&c.cuda, 7)]).unwrap();
    stream.signal(&[(&a.cuda, 10), (&b.cuda, 20), (&signals.cuda, 999), (&c.cuda, 30)]).unwrap();
    for (timeline, value) in timelines.iter().zip(5..) {
        assert_stream_still_waits(&stream);
        // A smaller value is not enough.
        timeline.vulkan.signal_from_host(value - 1).unwrap();
        assert_stream_still_waits(&stream);
        assert_eq!(timeline.vulkan.counter_value().unwrap(), value - 1, "signaled before its turn");
        timeline.vulkan.signal_from_host(value).unwrap();
    }
    stream.finish().unwrap();
    assert_eq!(timelines.each_ref().map(|timeline| timeline.vulkan.counter_value().unwrap()), [10, 20, 30]);
    let waits = [(&a.vulkan, 10), (&b.vulkan, 20), (&signals.vulkan, 0), (&c.vulkan, 30)];
    vulkan.submit(&waits, &[], |_| {}).unwrap().wait().unwrap();
    // Waits for values that have passed do not block.
    stream.wait(&[(&a.cuda, 5), (&b.cuda, 1), (&c.cuda, 0)]).unwrap();
    stream.finish().unwrap();
}

fn a_timeline_counts_in_64_bits(vulkan: &Vulkan) {
    for start in [(1_u64 << 31) - 1, (1 << 32) - 1, (1 << 40) - 1, (1 << 63) - 1] {
        println!("from {start:#x} on");
        let stream = Stream::new().unwrap();
        let timeline =
            SharedSemaphore::import_semaphore(ExportableSemaphore::new_timeline(vulkan, start).unwrap())
                .unwrap();
        stream.signal(&[(&timeline.cuda, start + 1)]).unwrap();
        stream.finish().unwrap();
        assert_eq!(timeline.vulkan.counter_value().unwrap(), start + 1);
        stream.wait(&[(&timeline.cuda, start + 2)]).unwrap();
        assert_stream_still_waits(&stream);
        timeline.vulkan.signal_from_host(start + 2).unwrap();
        stream.finish().unwrap();
    }
}

fn five_thousand_rounds_lose_nothing(vulkan: &Vulkan) {
    for kind in [SemaphoreKind::Timeline, SemaphoreKind::Binary] {
        assert_rounds_lose_nothing(vulkan, kind);
    }
}

/// In each round, CUDA writes a number, Vulkan copies the number, and CUDA copies Vulkan's copy. Within a round, only
/// semaphores of `kind` order one API's work after the other API's work. No number may be lost or out of order.
fn assert_rounds_lose_nothing(vulkan: &Vulkan, kind: SemaphoreKind) {
    const ROUNDS: u32 = 5000;
    /// How many submissions may be in flight.
    const AHEAD: usize = 100;
    // CUDA and Vulkan write at different offsets, so that they share no cache line.
    const THERE: u64 = 4096;
    let SharedBuffer { buffer, address, .. } = &SharedBuffer::new(vulkan, 8192, false).unwrap();
    buffer.write(0, &[0xff; 8192]).unwrap();
    let (received, stream) = (DeviceMemory::new(4 * ROUNDS as usize).unwrap(), Stream::new().unwrap());
    let [there, back] = [(); 2].map(|()| SharedSemaphore::new(vulkan, kind).unwrap());

    let mut under_way = VecDeque::new();
    for round in 0..ROUNDS {
        let value = u64::from(round) + 1;
        // SAFETY: the address is the start of a mapped buffer, which lives until the stream is done.
        assert_success(unsafe { cuMemsetD32Async(*address, round, 1, stream.raw()) });
        stream.signal(&[(&there.cuda, value)]).unwrap();
        let (wait, signal) = ([(&there.vulkan, value)], [(&back.vulkan, value)]);
        let submission = vulkan.submit(&wait, &signal, |commands| {
            buffer.acquire_from_cuda(commands);
            let region = vk::BufferCopy::default().dst_offset(THERE).size(4);
            // SAFETY: the buffer lives until the submission is done. The source and the target do not overlap.
            unsafe { vulkan.device.cmd_copy_buffer(commands, buffer.raw, buffer.raw, &[region]) };
            buffer.release_to_cuda(commands);
        });
        under_way.push_back(submission.unwrap());
        stream.wait(&[(&back.cuda, value)]).unwrap();
        stream.copy_async(received.address + 4 * u64::from(round), address + THERE, 4).unwrap();
        if under_way.len() == AHEAD {
            under_way.pop_front().unwrap().wait().unwrap();
        }
    }
    drop(under_way);
    stream.finish().unwrap();
    let bytes = cuda::read(received.address, 4 * ROUNDS as usize).unwrap();
    let numbers = bytes.chunks(4).map(|bytes| u32::from_le_bytes(bytes.try_into().unwrap()));
    assert!(numbers.eq(0..ROUNDS), "a number is lost, or out of its order");
    if kind == SemaphoreKind::Timeline {
        let values = [&there, &back].map(|semaphore| semaphore.vulkan.counter_value().unwrap());
        assert_eq!(values, [ROUNDS.into(); 2]);
    }
}
