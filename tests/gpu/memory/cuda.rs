//! Memory that CUDA itself exports: imported as external memory, and by CUDA's own import.

use libtest_mimic::Trial;
use std::os::fd::AsRawFd;

use crate::machine::{assert_closes, cuda as device, cuda_test, is_open};
use interop::bytes::{assert_same, pattern};
use interop::cuda::{self, Allocation, ImportedMemory};

/// Far below the 512 MiB from which on `cuImportExternalMemory` crashes on hosts with two GPUs.
const SIZE: usize = 4 << 20;

pub fn trials() -> Vec<Trial> {
    test_support::tests! {
        cuda_test => an_import_as_external_memory_goes_both_ways, an_imported_descriptor_is_closed,
            cudas_own_import_leaves_the_descriptor_to_the_caller;
    }
}

/// What is written through the one mapping is read through the other.
#[track_caller]
fn assert_both_ways(exporter: u64, importer: u64, length: usize) {
    for (seed, from, to) in [(1, exporter, importer), (2, importer, exporter)] {
        let sent = pattern(seed, length);
        cuda::write(from, &sent).unwrap();
        assert_same("in the other mapping", &cuda::read(to, length).unwrap(), &sent);
    }
}

fn an_import_as_external_memory_goes_both_ways() {
    let allocation = Allocation::new(device(), SIZE).unwrap();
    let exporter = allocation.map().unwrap();
    let import = ImportedMemory::from_fd(allocation.export().unwrap(), allocation.size, false).unwrap();
    for offset in [0, 1 << 16] {
        let address = import.map_buffer(offset, allocation.size - offset).unwrap();
        assert_both_ways(exporter.address + offset, address, SIZE - offset as usize);
    }
}

/// It imports as often as the caller likes, and the caller may close it.
fn cudas_own_import_leaves_the_descriptor_to_the_caller() {
    let allocation = Allocation::new(device(), SIZE).unwrap();
    let fd = allocation.export().unwrap();
    let imports = [(); 3].map(|()| Allocation::import(device(), &fd, allocation.size).unwrap());
    assert!(is_open(fd.as_raw_fd()), "the descriptor is closed");
    drop(fd);
    let mappings = imports.each_ref().map(|import| import.map().unwrap());
    for mapping in &mappings[1..] {
        assert_both_ways(mappings[0].address, mapping.address, SIZE);
    }
}

fn an_imported_descriptor_is_closed() {
    let allocation = Allocation::new(device(), SIZE).unwrap();
    let import = |fd| ImportedMemory::from_fd(fd, allocation.size, false).unwrap();
    assert_closes(&allocation.export().unwrap(), import);
}
