//! What holds where nothing is loaded: no panic, a typed error, and no descriptor leaked or closed twice.
#![cfg(feature = "load")]

use std::fs::{File, read_link};
use std::os::fd::AsRawFd;

use cuda_external_sys::{CUDA_ERROR_SHARED_OBJECT_INIT_FAILED, load};
use model::Buffer;

#[test]
fn without_a_driver_an_import_fails_and_its_descriptor_is_closed_once() {
    if load().is_ok() {
        return;
    }
    let file = File::open("Cargo.toml").expect("the package's own");
    let number = file.as_raw_fd();
    // SAFETY: no driver sees the descriptor.
    let error = unsafe { Buffer::import(file.into(), 4096, true, 0, 4096) }.expect_err("there is no driver");
    assert_eq!(error, CUDA_ERROR_SHARED_OBJECT_INIT_FAILED);
    assert!(read_link(format!("/proc/self/fd/{number}")).is_err(), "the descriptor was leaked");
}
