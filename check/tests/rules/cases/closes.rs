//! Calls of `close` after an import: which of them are one too many.

use std::fs::File;
use std::os::fd::{FromRawFd, IntoRawFd, OwnedFd};

use cuda_external_check::rules::Rule;
use cuda_external_sys::CUDA_ERROR_UNKNOWN;

use super::cuda::*;
use super::descriptors::close;
use super::variants::{Variant, variant};

const IMPORTED: &[Rule] = &[Rule::FdClosedAfterImport];

pub const VARIANTS: &[Variant] = &[
    variant("twelve-imported-descriptors-closed-in-a-row", IMPORTED, true, || {
        let _context = context();
        let exported: Vec<i32> = (0..12).map(|_| export()).collect();
        let imports: Vec<_> =
            exported.iter().map(|fd| import_as(&description(*fd)).expect("the import")).collect();
        exported.into_iter().for_each(close);
        imports.into_iter().for_each(|memory| ok(destroy(memory)));
    }),
    // The number is a file's by then. Its owner finds that somebody has closed it.
    variant("another-file-closed-by-its-number", IMPORTED, true, || {
        let _context = context();
        let fd = export();
        let memory = import_as(&description(fd)).expect("the import");
        let file = file_with_number(fd);
        close(fd);
        close(file);
        ok(destroy(memory));
    }),
    variant("closed-by-an-owned-descriptor-of-another-thread", IMPORTED, true, || {
        let _context = context();
        let fd = export();
        let memory = import_as(&description(fd)).expect("the import");
        // SAFETY: the mistake: the descriptor is the driver's. The runtime's own check would abort the process.
        std::thread::spawn(move || close(fd)).join().expect("it ends");
        ok(destroy(memory));
    }),
    variant("a-file-with-the-number-is-closed-once", &[], true, || {
        let _context = context();
        let fd = export();
        let memory = import_as(&description(fd)).expect("the import");
        // SAFETY: it is open, and this is its owner.
        drop(unsafe { OwnedFd::from_raw_fd(file_with_number(fd)) });
        ok(destroy(memory));
    }),
    variant("the-number-is-not-open-after-the-import", &[], true, || {
        let _context = context();
        let fd = export();
        let memory = import_as(&description(fd)).expect("the import");
        assert!(!std::path::Path::new(&format!("/proc/self/fd/{fd}")).exists());
        ok(destroy(memory));
    }),
    // The driver closes each of them, and the next one gets the number.
    variant("failed-imports-by-one-number", &[Rule::FdNotImportable], true, || {
        let _context = context();
        let number = || File::open("/dev/null").expect("a file").into_raw_fd();
        for fd in [number(), number(), number()] {
            assert_eq!(import_as(&description(fd)), Err(CUDA_ERROR_UNKNOWN));
            assert_eq!(import_as(&description(number())), Err(CUDA_ERROR_UNKNOWN));
            assert!(!std::path::Path::new(&format!("/proc/self/fd/{fd}")).exists());
        }
    }),
    variant("an-eventfd-imported", &[Rule::FdNotImportable], true, || {
        unsafe extern "C" {
            fn eventfd(value: u32, flags: i32) -> i32;
        }
        let _context = context();
        // SAFETY: makes a descriptor.
        assert_eq!(import_as(&description(unsafe { eventfd(0, 0) })), Err(CUDA_ERROR_UNKNOWN));
    }),
    variant("every-number-closed-upwards-and-downwards", &[], false, || {
        let _context = context();
        let memory = import();
        (3..200).for_each(close);
        let memories = [memory, import()];
        (3..200).rev().for_each(close);
        memories.into_iter().for_each(|memory| ok(destroy(memory)));
    }),
];

/// Opens files until one has the number.
pub fn file_with_number(fd: i32) -> i32 {
    let mut others = Vec::new();
    loop {
        let file = File::open("/dev/null").expect("a file");
        match file.into_raw_fd() {
            found if found == fd => return found,
            // SAFETY: it was opened here.
            found => others.push(unsafe { OwnedFd::from_raw_fd(found) }),
        }
        assert!(others.len() < 1000, "descriptor {fd} stays open");
    }
}
