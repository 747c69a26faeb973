//! Memory that CUDA itself exports: imported as external memory, and by CUDA's own import.

use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

use libtest_mimic::Trial;

use crate::machine;
use interop::bytes::{assert_same, pattern};
use interop::cuda::{self, Allocation, ImportedMemory, MappedAllocation};

/// Far below the 512 MiB from which on `cuImportExternalMemory` crashes on hosts with two GPUs.
const SIZE: usize = 4 << 20;
const OFFSET: u64 = 1 << 16;

pub fn trials() -> Vec<Trial> {
    vec![
        machine::cuda_test("memory::of_cuda_imported_as_external_memory_goes_both_ways", || {
            external_memory(0)
        }),
        machine::cuda_test("memory::of_cuda_imported_as_external_memory_at_an_offset", || {
            external_memory(OFFSET)
        }),
        machine::cuda_test("memory::of_cuda_imported_by_cudas_own_import_goes_both_ways", own_import),
        machine::cuda_test(
            "memory::cudas_own_import_leaves_the_descriptor_to_the_caller",
            own_import_leaves_the_descriptor,
        ),
        machine::cuda_test("memory::an_imported_descriptor_is_closed", an_imported_descriptor_is_closed),
    ]
}

fn both_ways(exporter: &MappedAllocation, offset: u64, importer: u64) {
    let length = SIZE - offset as usize;
    let sent = pattern(1, length);
    cuda::write(exporter.address + offset, &sent).unwrap();
    assert_same("from the exporter to the importer", &cuda::read(importer, length).unwrap(), &sent);
    let sent = pattern(2, length);
    cuda::write(importer, &sent).unwrap();
    let seen = cuda::read(exporter.address + offset, length).unwrap();
    assert_same("from the importer to the exporter", &seen, &sent);
}

fn external_memory(offset: u64) {
    let allocation = Allocation::new(machine::cuda(), SIZE).unwrap();
    let exporter = allocation.map().unwrap();
    let import = ImportedMemory::from_fd(allocation.export().unwrap(), allocation.size, false).unwrap();
    let address = import.map_buffer(offset, allocation.size - offset).unwrap();
    both_ways(&exporter, offset, address);
}

fn own_import() {
    let allocation = Allocation::new(machine::cuda(), SIZE).unwrap();
    let exporter = allocation.map().unwrap();
    let fd = allocation.export().unwrap();
    let import = Allocation::import(machine::cuda(), &fd, allocation.size).unwrap();
    drop(fd);
    let importer = import.map().unwrap();
    assert_ne!(exporter.address, importer.address);
    both_ways(&exporter, 0, importer.address);
}

/// It imports as often as the caller likes.
fn own_import_leaves_the_descriptor() {
    let allocation = Allocation::new(machine::cuda(), SIZE).unwrap();
    let fd = allocation.export().unwrap();
    let imports = [(); 3].map(|()| Allocation::import(machine::cuda(), &fd, allocation.size).unwrap());
    let mappings = imports.each_ref().map(|import| import.map().unwrap());
    let sent = pattern(3, SIZE);
    cuda::write(mappings[0].address, &sent).unwrap();
    for mapping in &mappings {
        assert_same("through another import", &cuda::read(mapping.address, SIZE).unwrap(), &sent);
    }
    // SAFETY: asks about the descriptor, which lives.
    assert_ne!(unsafe { libc::fcntl(fd.as_raw_fd(), libc::F_GETFD) }, -1, "the descriptor is closed");
}

fn an_imported_descriptor_is_closed() {
    let allocation = Allocation::new(machine::cuda(), SIZE).unwrap();
    let fd = allocation.export().unwrap();
    // Higher than any number that the driver opens meanwhile, so that nothing else gets it.
    // SAFETY: the new descriptor is nobody else's.
    let fd = unsafe { OwnedFd::from_raw_fd(libc::fcntl(fd.as_raw_fd(), libc::F_DUPFD_CLOEXEC, 500)) };
    let number = fd.as_raw_fd();
    let import = ImportedMemory::from_fd(fd, allocation.size, false).unwrap();
    // SAFETY: asks about a number.
    let flags = unsafe { libc::fcntl(number, libc::F_GETFD) };
    assert_eq!(flags, -1, "descriptor {number} is open after the import");
    drop(import);
}
