//! Repeated use, also from many threads, and what the process still holds afterwards.

use std::fs::File;
use std::hint::black_box;
use std::io::Read;
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::scope;

use libtest_mimic::Trial;

use test_support::{open_descriptors, resident_bytes};

use crate::machine::{cuda, cuda_test, vulkan_test};
use interop::bytes::assert_same;
use interop::cuda::{self, Allocation, ImportedMemory, ImportedSemaphore, free_memory, import_memory};
use interop::vulkan::{Semaphore, Vulkan};

const ROUNDS: usize = 10_000;

/// Rounds in which allocators and caches may still grow.
const WARM_UP_ROUNDS: usize = 1_000;

/// Less than 60 bytes a round, which is less than any leaked structure takes.
const SLACK: usize = 512 << 10;

const SIZE: usize = 2 << 20;

pub fn trials() -> Vec<Trial> {
    test_support::tests! {
        cuda_test => rounds_of_create_export_import_release_leak_nothing, rounds_of_failed_imports_leak_nothing,
            sixteen_threads_import_their_own_memory_at_once, failed_imports_close_no_other_file;
        vulkan_test => rounds_of_semaphores_leak_nothing;
        [] => rounds_that_leak_are_seen;
    }
}

/// Asserts that nothing in the process grows with the number of rounds.
fn assert_no_leak(round: impl FnMut()) {
    let now = || (open_descriptors(), free_memory().unwrap(), held_bytes());
    let [before, after] = before_and_after(round, now);
    println!("descriptors, free device memory, resident bytes: {before:?}, then {after:?}");
    assert_eq!(after.0, before.0, "open descriptors");
    assert_eq!(after.1, before.1, "free device memory");
    assert!(after.2 < before.2 + SLACK, "{} resident bytes, then {}", before.2, after.2);
}

/// Returns resident bytes without freed ones, which a leak could otherwise reuse.
fn held_bytes() -> usize {
    // SAFETY: takes a number.
    unsafe { libc::malloc_trim(0) };
    resident_bytes()
}

/// Readings before and after the rounds that count.
fn before_and_after<T>(mut round: impl FnMut(), now: impl Fn() -> T) -> [T; 2] {
    (0..WARM_UP_ROUNDS).for_each(|_| round());
    let before = now();
    (WARM_UP_ROUNDS..ROUNDS).for_each(|_| round());
    [before, now()]
}

/// The smallest leak that the other tests must see, and a single descriptor.
fn rounds_that_leak_are_seen() {
    // `black_box`, or the optimizer may remove the leak.
    let [before, after] = before_and_after(|| _ = black_box(Box::leak(Box::new([1u8; 256]))), held_bytes);
    assert!(after >= before + SLACK, "{before} resident bytes, then {after}");
    let before = open_descriptors();
    let _file = File::open("/").expect("the root directory");
    assert_eq!(open_descriptors(), before + 1);
}

fn rounds_of_create_export_import_release_leak_nothing() {
    let cuda = cuda();
    assert_no_leak(|| {
        let memory = Allocation::new(cuda, SIZE).unwrap();
        let imported = ImportedMemory::from_fd(memory.export().unwrap(), memory.size, false).unwrap();
        imported.map_buffer(0, memory.size).unwrap();
    });
}

fn rounds_of_failed_imports_leak_nothing() {
    assert_no_leak(failed_import);
}

/// The driver closes this descriptor although it refuses the import. The caller gave it up before.
fn failed_import() {
    let file = File::open("/dev/null").expect("/dev/null");
    assert!(import_memory(file.into(), SIZE as u64, false).is_err());
}

fn rounds_of_semaphores_leak_nothing(vulkan: &Vulkan) {
    let semaphore = Semaphore::timeline(vulkan, 0).unwrap();
    assert_no_leak(|| drop(ImportedSemaphore::from_vulkan(&semaphore).unwrap()));
}

/// Each thread's memory holds what that thread wrote, and the process keeps no descriptor.
fn sixteen_threads_import_their_own_memory_at_once() {
    const THREADS: u8 = 16;
    drop(Allocation::new(cuda(), SIZE).unwrap());
    let before = open_descriptors();
    let start = Barrier::new(THREADS.into());
    scope(|scope| {
        for thread in 0..THREADS {
            let start = &start;
            scope.spawn(move || {
                let memory = Allocation::new(cuda(), SIZE).unwrap();
                start.wait();
                for round in 0..100 {
                    let fd = memory.export().unwrap();
                    let imported = ImportedMemory::from_fd(fd, memory.size, false).unwrap();
                    let address = imported.map_buffer(0, memory.size).unwrap();
                    let bytes = vec![thread ^ (round << 4); SIZE];
                    cuda::write(address, &bytes).unwrap();
                    assert_same("the thread's", &cuda::read(address, SIZE).unwrap(), &bytes);
                }
            });
        }
    });
    assert_eq!(open_descriptors(), before);
}

/// The driver closes a descriptor that it refuses once, and not a newer one with the same number.
fn failed_imports_close_no_other_file() {
    let stop = AtomicBool::new(false);
    scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                while !stop.load(Ordering::Relaxed) {
                    let mut file = File::open("/dev/zero").expect("/dev/zero");
                    file.read_exact(&mut [0xff]).expect("it is open, and not another one");
                }
            });
        }
        let imports = Vec::from_iter((0..8).map(|_| {
            scope.spawn(|| {
                cuda();
                (0..2_000).for_each(|_| failed_import());
            })
        }));
        let ended = Vec::from_iter(imports.into_iter().map(|thread| thread.join().is_ok()));
        stop.store(true, Ordering::Relaxed);
        assert_eq!(ended, [true; 8]);
    });
}
