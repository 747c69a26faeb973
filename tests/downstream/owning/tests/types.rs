//! What holds on any machine: no panic, a typed error, and no descriptor leaked or closed twice.

use std::fs::File;
use std::os::fd::{AsRawFd, OwnedFd};

use cuda_external_sys::*;
use owning::{Error, ExternalMemory, MemoryKind, Semaphore};

fn is_open(fd: i32) -> bool {
    std::fs::read_link(format!("/proc/self/fd/{fd}")).is_ok()
}

fn file() -> OwnedFd {
    File::open("Cargo.toml").expect("the package's own").into()
}

#[test]
fn without_a_driver_an_import_fails_and_its_descriptor_is_closed_once() {
    if load().is_ok() {
        return without_a_context();
    }
    for import in [
        |fd| unsafe { ExternalMemory::import(fd, 4096, MemoryKind::Opaque { dedicated: false }) }.map(drop),
        |fd| unsafe { Semaphore::import_timeline(fd) }.map(drop),
    ] {
        let fd = file();
        let number = fd.as_raw_fd();
        let result: Result<(), Error> = import(fd);
        assert_eq!(result, Err(Error(CUDA_ERROR_SHARED_OBJECT_INIT_FAILED)));
        assert!(!is_open(number), "the descriptor was leaked");
    }
}

/// On a machine with a driver: an error as well, and the driver decides about the descriptor.
fn without_a_context() {
    let result = unsafe { ExternalMemory::import(file(), 4096, MemoryKind::Opaque { dedicated: true }) };
    assert!(result.is_err());
}

#[test]
fn dma_bufs_are_there_with_every_toolkit() {
    assert_ne!(MemoryKind::DmaBuf, MemoryKind::Opaque { dedicated: false });
}
