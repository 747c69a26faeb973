//! Repeated use, also from many threads, must leak nothing.

use std::fs::File;
use std::sync::Barrier;
use std::thread::scope;

use libtest_mimic::Trial;

use test_support::{count_open_descriptors, resident_bytes};

use crate::opened_devices::{cuda_trial, opened_cuda, vulkan_trial};
use example_support::cuda::{
    self, CuMemAllocation, ImportedMemory, ImportedSemaphore, count_free_device_bytes, import_memory,
};
use example_support::test_bytes::assert_same_bytes;
use example_support::vulkan::{ExportableSemaphore, Vulkan};

const ROUNDS: usize = 10_000;

/// Rounds in which allocators and caches may still grow.
const WARM_UP_ROUNDS: usize = 1_000;

/// The limit of the growth in resident bytes after the warm-up. A leak of 60 bytes in each round exceeds this limit.
const SLACK: usize = 512 << 10;

const SIZE: usize = 2 << 20;

pub fn trials() -> Vec<Trial> {
    test_support::tests! {
        cuda_trial => rounds_of_create_export_import_release_leak_nothing, rounds_of_failed_imports_leak_nothing,
            sixteen_threads_import_their_own_memory_at_once;
        vulkan_trial => rounds_of_semaphores_leak_nothing;
    }
}

/// Runs `ROUNDS` rounds. The rounds after the warm-up must not change the number of open descriptors or the number of
/// free bytes on the device. The process's resident bytes must grow by less than `SLACK` in these rounds.
fn assert_no_leak(mut round: impl FnMut()) {
    let now = || {
        // SAFETY: `malloc_trim` takes a number only. `malloc_trim` returns freed pages to the kernel. Without this
        // call, a leak that reuses freed pages would not increase `resident_bytes`.
        unsafe { libc::malloc_trim(0) };
        (count_open_descriptors(), count_free_device_bytes().unwrap(), resident_bytes())
    };
    (0..WARM_UP_ROUNDS).for_each(|_| round());
    let before = now();
    (WARM_UP_ROUNDS..ROUNDS).for_each(|_| round());
    let after = now();
    println!("descriptors, free device memory, resident bytes: {before:?}, then {after:?}");
    assert_eq!(after.0, before.0, "open descriptors");
    assert_eq!(after.1, before.1, "free device memory");
    assert!(after.2 < before.2 + SLACK, "{} resident bytes, then {}", before.2, after.2);
}

fn rounds_of_create_export_import_release_leak_nothing() {
    let cuda = opened_cuda();
    assert_no_leak(|| {
        let memory = CuMemAllocation::new(cuda, SIZE).unwrap();
        let imported =
            ImportedMemory::from_fd(memory.export_allocation_fd().unwrap(), memory.size, false).unwrap();
        imported.map_buffer(0, memory.size).unwrap();
    });
}

fn rounds_of_failed_imports_leak_nothing() {
    assert_no_leak(failed_import);
}

/// Tries to import /dev/null. NVIDIA's driver refuses the import, and closes the descriptor nevertheless.
fn failed_import() {
    let file = File::open("/dev/null").expect("/dev/null");
    assert!(import_memory(file.into(), SIZE as u64, false).is_err());
}

fn rounds_of_semaphores_leak_nothing(vulkan: &Vulkan) {
    let semaphore = ExportableSemaphore::new_timeline(vulkan, 0).unwrap();
    assert_no_leak(|| drop(ImportedSemaphore::from_vulkan(&semaphore).unwrap()));
}

/// In each round, a thread must read the bytes that this thread wrote to the imported memory. When all threads have
/// ended, as many descriptors must be open as before the threads started.
fn sixteen_threads_import_their_own_memory_at_once() {
    const THREADS: u8 = 16;
    drop(CuMemAllocation::new(opened_cuda(), SIZE).unwrap());
    let before = count_open_descriptors();
    let start = Barrier::new(THREADS.into());
    scope(|scope| {
        for thread in 0..THREADS {
            let start = &start;
            scope.spawn(move || {
                let memory = CuMemAllocation::new(opened_cuda(), SIZE).unwrap();
                start.wait();
                for round in 0..100 {
                    let fd = memory.export_allocation_fd().unwrap();
                    let imported = ImportedMemory::from_fd(fd, memory.size, false).unwrap();
                    let address = imported.map_buffer(0, memory.size).unwrap();
                    let bytes = vec![thread ^ (round << 4); SIZE];
                    cuda::write(address, &bytes).unwrap();
                    assert_same_bytes("the thread's", &cuda::read(address, SIZE).unwrap(), &bytes);
                }
            });
        }
    });
    assert_eq!(count_open_descriptors(), before);
}
