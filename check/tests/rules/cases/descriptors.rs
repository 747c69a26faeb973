//! File descriptors, and what an import is told.

use std::fs::File;
use std::os::fd::{AsRawFd, IntoRawFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::ptr::null_mut;

use cuda_external_check::rules::Rule;
use cuda_external_sys::*;

use super::Case;
use super::closes::file_with_number;
use super::cuda::*;

pub fn cases() -> Vec<Case> {
    vec![
        Case::new(Rule::FdNotOpen, not_open, whole),
        Case::new(Rule::FdNotImportable, a_socket, whole),
        Case::new(Rule::FdImportedBefore, imported_before, imported_twice_from_two_exports),
        Case::new(Rule::FdClosedAfterImport, closed_after_import, numbers_are_used_again),
        Case::new(
            Rule::FdClosedAfterFailure,
            closed_after_failure,
            closed_after_a_failure_that_leaves_it_open,
        )
        .also(&[Rule::FdNotImportable])
        .also_good(&[Rule::FdNotImportable]),
        Case::new(Rule::ImportSizeZero, || refused(|desc| desc.size = 0), whole),
        Case::new(Rule::ReservedNotZero, || refused(|desc| desc.reserved[3] = 1), whole),
        Case::new(Rule::UnknownFlags, || refused(|desc| desc.flags = 4), dedicated),
        Case::new(Rule::TypeNotSupported, || refused(|desc| desc.type_.0 = 77), whole),
        Case::new(Rule::DedicatedMissing, || resource(0), || resource(CUDA_EXTERNAL_MEMORY_DEDICATED)).fake(),
        Case { gpus: "2", ..Case::new(Rule::CudaMemoryTooLarge, || of_cuda(512), || of_cuda(510)).fake() },
    ]
}

/// An import and a mapping, ended in the documented order.
pub fn whole() {
    with_mapping(|_| {});
}

pub fn close(fd: i32) {
    unsafe extern "C" {
        fn close(fd: i32) -> i32;
    }
    // SAFETY: the mistake that the case is about, in a process of its own.
    unsafe { close(fd) };
}

fn not_open() {
    let _context = context();
    // Far above the descriptors that the driver and the check open in between.
    assert_eq!(import_as(&description(1000)), Err(CUDA_ERROR_UNKNOWN));
}

fn a_socket() {
    let _context = context();
    let (reader, _writer) = UnixStream::pair().expect("two sockets");
    assert_eq!(import_as(&description(OwnedFd::from(reader).into_raw_fd())), Err(CUDA_ERROR_UNKNOWN));
}

fn imported_before() {
    let _context = context();
    let description = description(export());
    let memory = import_as(&description).expect("the import");
    // SAFETY: a union's field that was set.
    let file = file_with_number(unsafe { description.handle.fd });
    // The driver would close this file.
    assert_eq!(import_as(&description), Err(CUDA_ERROR_UNKNOWN));
    assert!(std::path::Path::new(&format!("/proc/self/fd/{file}")).exists());
    ok(destroy(memory));
}

fn imported_twice_from_two_exports() {
    let _context = context();
    for memory in [import(), import()] {
        ok(destroy(memory));
    }
}

fn closed_after_import() {
    let _context = context();
    let fd = export();
    let memory = import_as(&description(fd)).expect("the import");
    close(fd);
    ok(destroy(memory));
}

/// Files are opened and closed beside imports, and have the numbers by then.
fn numbers_are_used_again() {
    let _context = context();
    for _ in 0..80 {
        let file = File::open("/dev/null").expect("a file");
        let memory = import();
        drop(file);
        drop(File::open("/dev/null").expect("a file"));
        ok(destroy(memory));
    }
}

fn closed_after_failure() {
    let _context = context();
    let fd = File::open("/dev/null").expect("a file").into_raw_fd();
    assert_eq!(import_as(&description(fd)), Err(CUDA_ERROR_UNKNOWN));
    close(fd);
}

/// A semaphore's import leaves the descriptor open where it fails; the caller closes it.
fn closed_after_a_failure_that_leaves_it_open() {
    let _context = context();
    let file = OwnedFd::from(File::open("/dev/null").expect("a file"));
    let mut description = CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC {
        type_: CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD,
        ..Default::default()
    };
    description.handle.fd = file.as_raw_fd();
    let mut semaphore = null_mut();
    // SAFETY: the pointers are valid.
    assert_eq!(unsafe { cuImportExternalSemaphore(&mut semaphore, &description) }, CUDA_ERROR_UNKNOWN);
    drop(file);
}

fn refused(change: fn(&mut CUDA_EXTERNAL_MEMORY_HANDLE_DESC)) {
    let _context = context();
    let mut description = description(export());
    change(&mut description);
    assert_eq!(import_as(&description), Err(CUDA_ERROR_INVALID_VALUE));
}

fn dedicated() {
    let _context = context();
    let description =
        CUDA_EXTERNAL_MEMORY_HANDLE_DESC { flags: CUDA_EXTERNAL_MEMORY_DEDICATED, ..description(export()) };
    let memory = import_as(&description).expect("the import");
    let address = map(memory, 0, SIZE).expect("the mapping");
    ok(free(address));
    ok(destroy(memory));
}

fn resource(flags: u32) {
    let _context = context();
    let type_ = CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D12_RESOURCE;
    let memory =
        import_as(&CUDA_EXTERNAL_MEMORY_HANDLE_DESC { type_, flags, ..description(0) }).expect("the import");
    ok(destroy(memory));
}

fn of_cuda(mib: u64) {
    let _context = context();
    let size = mib << 20;
    let description = CUDA_EXTERNAL_MEMORY_HANDLE_DESC { size, ..description(export_of(size)) };
    match import_as(&description) {
        Ok(memory) => ok(destroy(memory)),
        Err(code) => assert_eq!(code, CUDA_ERROR_NOT_SUPPORTED),
    }
}
