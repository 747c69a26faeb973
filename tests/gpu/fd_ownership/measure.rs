//! Makes one call, and looks at what it left behind.

use std::fmt;
use std::mem::MaybeUninit;
use std::os::fd::RawFd;
use std::ptr::null_mut;

use cuda_external_sys::*;

use super::case::{Case, Kind, State};
use super::thing::Made;
use test_support::open_descriptors;

use crate::machine::{cuda, ok};

/// What a call answered, and what became of its arguments: a row of the table.
#[derive(Debug, PartialEq, Eq)]
pub struct Seen {
    pub result: String,
    pub descriptor: &'static str,
    pub handle: &'static str,
}

impl fmt::Display for Seen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} | {} | {}", self.result, self.descriptor, self.handle)
    }
}

/// Makes the call in a process that stands where the case asks.
pub fn measure(case: &Case) -> Seen {
    if case.state != State::NotInitialised {
        cuda();
    }
    let made = Made::new(case.thing);
    match case.state {
        // SAFETY: a thread may have no context.
        State::NoContext => ok(unsafe { cuCtxSetCurrent(null_mut()) }),
        // SAFETY: the context is retained once. It stays current, and is none any more.
        State::ReleasedContext => ok(unsafe { cuDevicePrimaryCtxRelease_v2(cuda().device) }),
        State::Ready | State::NotInitialised => {}
    }

    let file = file_behind(made.number);
    let before = open_descriptors();
    let (code, handle) = match case.kind {
        Kind::Memory => import_memory(case, &made),
        Kind::Semaphore => import_semaphore(case, &made),
    };
    let descriptor = match (file, file_behind(made.number)) {
        (None, None) => "-",
        (Some(_), None) => "closed",
        (before, after) if before == after => "open",
        _ => "replaced",
    };
    let expected = before - usize::from(descriptor == "closed");
    assert_eq!(open_descriptors(), expected, "open descriptors after {code:?}");
    if descriptor == "open" {
        // SAFETY: the driver has not taken it.
        unsafe { libc::close(made.number) };
    }
    match case.state {
        State::NoContext => _ = cuda(),
        // What it holds went with the context.
        State::ReleasedContext => std::mem::forget(made),
        State::Ready | State::NotInitialised => {}
    }
    Seen { result: format!("{code:?}"), descriptor, handle }
}

/// The file behind a number, if there is one.
fn file_behind(number: RawFd) -> Option<(u64, u64, u64, u32)> {
    let mut stat = MaybeUninit::<libc::stat>::zeroed();
    // SAFETY: the function writes one `stat`, which may be all zeros. Any number may be asked about.
    let (code, stat) = unsafe { (libc::fstat(number, stat.as_mut_ptr()), stat.assume_init()) };
    (code == 0).then_some((stat.st_dev, stat.st_ino, stat.st_rdev, stat.st_mode))
}

/// The handle's value before the call: no address of the driver's.
fn untouched<T>() -> *mut T {
    std::ptr::without_provenance_mut(0x5a5a_5a5a)
}

fn what_became<T>(out: bool, handle: *mut T) -> &'static str {
    match handle {
        _ if !out => "-",
        handle if handle == untouched() => "untouched",
        handle if handle.is_null() => "null",
        _ => "written",
    }
}

fn import_memory(case: &Case, made: &Made) -> (CUresult, &'static str) {
    let mut description = CUDA_EXTERNAL_MEMORY_HANDLE_DESC {
        type_: CUexternalMemoryHandleType(case.type_),
        size: (case.size)(made.size),
        flags: case.flags,
        ..Default::default()
    };
    description.reserved[0] = case.reserved;
    description.handle.fd = made.number;
    let mut memory = untouched();
    let out = if case.out { &raw mut memory } else { null_mut() };
    // SAFETY: the function reads the description, and writes a handle where it may.
    let code = unsafe { cuImportExternalMemory(out, &description) };
    if code == CUDA_SUCCESS {
        // SAFETY: it was imported just now, and nothing is mapped.
        ok(unsafe { cuDestroyExternalMemory(memory) });
    }
    (code, what_became(case.out, memory))
}

fn import_semaphore(case: &Case, made: &Made) -> (CUresult, &'static str) {
    let mut description = CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC {
        type_: CUexternalSemaphoreHandleType(case.type_),
        flags: case.flags,
        ..Default::default()
    };
    description.reserved[0] = case.reserved;
    description.handle.fd = made.number;
    let mut semaphore = untouched();
    let out = if case.out { &raw mut semaphore } else { null_mut() };
    // SAFETY: the function reads the description, and writes a handle where it may.
    let code = unsafe { cuImportExternalSemaphore(out, &description) };
    if code == CUDA_SUCCESS {
        // SAFETY: it was imported just now, and nothing waits for it.
        ok(unsafe { cuDestroyExternalSemaphore(semaphore) });
    }
    (code, what_became(case.out, semaphore))
}
