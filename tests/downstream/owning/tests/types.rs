//! What holds on any machine: no panic, a typed error, and no descriptor leaked or closed twice.

use std::fs::{File, read_link};
use std::os::fd::AsRawFd;

use cuda_external_sys::{CUDA_ERROR_SHARED_OBJECT_INIT_FAILED, load};
use owning::ExternalMemory;

#[test]
fn without_a_driver_an_import_fails_and_its_descriptor_is_closed_once() {
    let file = File::open("Cargo.toml").expect("the package's own");
    let number = file.as_raw_fd();
    // SAFETY: a driver may be given any descriptor.
    let error = unsafe { ExternalMemory::import(file.into(), 4096, true) }.expect_err("it is a file");
    // A driver decides about the descriptor.
    if load().is_err() {
        assert_eq!(error, CUDA_ERROR_SHARED_OBJECT_INIT_FAILED);
        assert!(read_link(format!("/proc/self/fd/{number}")).is_err(), "the descriptor was leaked");
    }
}
