//! Cases about imports: their file descriptors, and their descriptions (`CUDA_EXTERNAL_MEMORY_HANDLE_DESC`).

use std::fs::File;
use std::os::fd::{AsRawFd, FromRawFd, IntoRawFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::thread;

use cuda_external_check::rules::Rule;
use cuda_external_sys::*;

use super::call_helpers::*;
use super::{RuleCase, named_case, rule_case};
use crate::support::follows_remedy;

const CLOSED: &[&Rule] = &[Rule::FD_CLOSED_AFTER_IMPORT];

pub const CASES: &[RuleCase] = &[
    // The number 1000 is not open: the driver and the check open descriptors with far lower numbers.
    rule_case(Rule::FD_NOT_OPEN, || assert_fd_refused(1000)),
    rule_case(Rule::FD_NOT_IMPORTABLE, || {
        let (reader, _writer) = UnixStream::pair().expect("two sockets");
        assert_fd_refused(OwnedFd::from(reader).into_raw_fd());
    }),
    rule_case(Rule::FD_IMPORTED_BEFORE, || {
        with_imported_fd(|fd| {
            let file = open_file_with_number(fd);
            // Without the check the driver would close this file.
            assert_fd_refused(fd);
            assert!(is_open(file));
        });
    }),
    rule_case(Rule::FD_CLOSED_AFTER_IMPORT, || with_imported_fd(close_fd)),
    named_case("twelve-imported-descriptors-closed-in-a-row", CLOSED, || {
        let exported: Vec<i32> = (0..12).map(|_| export_memory()).collect();
        let imports: Vec<_> = exported.iter().map(|fd| import_fd(*fd)).collect();
        exported.into_iter().for_each(close_fd);
        imports.into_iter().for_each(|memory| assert_ok(destroy_memory(memory)));
    }),
    // `close_fd(fd)` closes another file, which has the imported descriptor's number. `close_fd(file)` then fails.
    named_case("another-file-closed-by-its-number", CLOSED, || {
        with_imported_fd(|fd| {
            let file = open_file_with_number(fd);
            close_fd(fd);
            close_fd(file);
        });
    }),
    named_case("closed-by-another-thread", CLOSED, || {
        with_imported_fd(|fd| thread::spawn(move || close_fd(fd)).join().expect("it ends"));
    }),
    named_case("a-file-with-the-number-is-closed-once", &[], || {
        with_imported_fd(|fd| close_fd(open_file_with_number(fd)))
    }),
    // Files that are opened and closed beside imports get the numbers of imported descriptors.
    named_case("numbers-are-used-again", &[], || {
        for _ in 0..80 {
            let file = open_dev_null();
            with_imported_fd(|_| {
                close_fd(file);
                close_fd(open_dev_null());
            });
        }
    }),
    rule_case(Rule::FD_CLOSED_AFTER_FAILURE, || {
        let fd = open_dev_null();
        assert_fd_refused(fd);
        close_fd(fd);
    })
    .also_breaks(&[Rule::FD_NOT_IMPORTABLE]),
    // The driver closes the descriptor of each failed import, and the next file gets the same number.
    named_case("failed-imports-by-one-number", &[Rule::FD_NOT_IMPORTABLE], || {
        for fd in [open_dev_null(), open_dev_null(), open_dev_null()] {
            assert_fd_refused(fd);
            assert_fd_refused(open_dev_null());
            assert!(!is_open(fd));
        }
    }),
    // A failed import of a semaphore leaves the descriptor open, and the caller closes the descriptor.
    named_case("closed-after-a-failure-that-leaves-it-open", &[Rule::FD_NOT_IMPORTABLE], || {
        let (file, type_) = (open_dev_null(), CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD);
        assert_eq!(import_semaphore(file, type_), Err(CUDA_ERROR_UNKNOWN));
        close_fd(file);
    }),
    rule_case(Rule::IMPORT_SIZE_ZERO, || assert_import_refused(|desc| desc.size = 0)).with_remedy(),
    rule_case(Rule::STRUCT_TOO_SHORT, || {
        // A program that declares the union `handle` as one pointer writes `size` and `flags` 8 bytes too early.
        assert_import_refused(|desc| {
            (desc.handle.win32.name, desc.size) = (std::ptr::without_provenance(SIZE as usize), 0);
        });
    })
    .with_remedy(),
    rule_case(Rule::RESERVED_NOT_ZERO, || assert_import_refused(|desc| desc.reserved[3] = 1)).with_remedy(),
    rule_case(Rule::UNKNOWN_FLAGS, || assert_import_refused(|desc| desc.flags = 4)).with_remedy(),
    rule_case(Rule::TYPE_NOT_SUPPORTED, || assert_import_refused(|desc| desc.type_.0 = 77)),
];

pub const CASES_WITHOUT_GPU: &[RuleCase] = &[
    named_case("every-number-closed-upwards-and-downwards", &[], || {
        let memory = import_memory();
        (3..200).for_each(close_fd);
        let memories = [memory, import_memory()];
        (3..200).rev().for_each(close_fd);
        memories.into_iter().for_each(|memory| assert_ok(destroy_memory(memory)));
    }),
    rule_case(Rule::CUDA_MEMORY_512_MIB, || import_cuda_memory(512))
        .with_driver_variable("CUDA_EXTERNAL_CPU_DEVICES", "2"),
    named_case("less-than-512-mib", &[], || import_cuda_memory(510))
        .with_driver_variable("CUDA_EXTERNAL_CPU_DEVICES", "2"),
];

fn close_fd(fd: i32) {
    unsafe { libc::close(fd) };
}

fn is_open(fd: i32) -> bool {
    Path::new(&format!("/proc/self/fd/{fd}")).exists()
}

fn open_dev_null() -> i32 {
    File::open("/dev/null").expect("a file").into_raw_fd()
}

fn open_file_with_number(fd: i32) -> i32 {
    let mut others = Vec::new();
    loop {
        let found = open_dev_null();
        if found == fd {
            return fd;
        }
        others.push(unsafe { OwnedFd::from_raw_fd(found) });
        assert!(others.len() < 1000, "descriptor {} stays open", fd.as_raw_fd());
    }
}

fn with_imported_fd(run: impl FnOnce(i32)) {
    let fd = export_memory();
    let memory = import_fd(fd);
    run(fd);
    assert_ok(destroy_memory(memory));
}

fn assert_fd_refused(fd: i32) {
    assert_eq!(try_import(&desc_of_fd(fd)), Err(CUDA_ERROR_UNKNOWN));
}

fn assert_import_refused(change: fn(&mut CUDA_EXTERNAL_MEMORY_HANDLE_DESC)) {
    let mut description = desc_of_fd(export_memory());
    if follows_remedy() {
        return assert_ok(destroy_memory(try_import(&description).expect("the import")));
    }
    change(&mut description);
    assert_eq!(try_import(&description), Err(CUDA_ERROR_INVALID_VALUE));
}

fn import_cuda_memory(mib: u64) {
    let size = mib << 20;
    match try_import(&CUDA_EXTERNAL_MEMORY_HANDLE_DESC { size, ..desc_of_fd(export_sized_memory(size)) }) {
        Ok(memory) => assert_ok(destroy_memory(memory)),
        Err(code) => assert_eq!(code, CUDA_ERROR_NOT_SUPPORTED),
    }
}
