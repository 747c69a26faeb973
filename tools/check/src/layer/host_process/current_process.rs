//! The check that the process runs under, and the place that this process has in what is shared.

use std::fs;
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicPtr, AtomicU32};

use cuda_external_in_process::Life;

use crate::options::Options;
use crate::rules::Rule;
use crate::shared_file::{Executed, Shared};

/// The state that a process shares with its children.
pub struct Check {
    pub shared: &'static Shared,
    pub options: Options,
}

static CHECK: OnceLock<Check> = OnceLock::new();
static IMAGE: AtomicPtr<Executed> = AtomicPtr::new(ptr::null_mut());

/// The start of this process, in hundredths of a second since the system's start. It distinguishes two processes that
/// had the same number.
static STARTED: AtomicU32 = AtomicU32::new(0);

/// Whether cuInit succeeded, or a context is there without it.
pub static LIFE: Life = Life::new();

/// None where the layer is loaded without the check.
pub fn check() -> Option<&'static Check> {
    CHECK.get()
}

/// Whether a rule is reported.
pub fn reports(rule: Rule) -> bool {
    check().is_some_and(|check| check.options.reports(rule))
}

/// When the layer is loaded.
pub fn begin(check: Check) {
    STARTED.store(noted_start().unwrap_or_else(now), Relaxed);
    _ = CHECK.set(check);
}

pub fn started() -> u32 {
    STARTED.load(Relaxed)
}

/// The system's record of the process. It stays the same when the process executes another program.
fn noted_start() -> Option<u32> {
    let text = fs::read_to_string("/proc/self/stat").ok()?;
    // The name may have any characters. Behind it the start is the twentieth.
    text.rsplit_once(')')?.1.split_whitespace().nth(19)?.parse().ok()
}

/// Returns the start that a process would have which begins now.
fn now() -> u32 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the struct is filled by the call.
    unsafe { libc::clock_gettime(libc::CLOCK_BOOTTIME, &mut time) };
    (time.tv_sec * 100 + time.tv_nsec / 10_000_000) as u32
}

/// The entry of this process in the shared file. `None` if there is no entry yet, or there was no room for one.
pub fn image() -> Option<&'static Executed> {
    // SAFETY: the pointer is null, or within the shared file.
    unsafe { IMAGE.load(Acquire).as_ref() }
}

pub fn set_image(image: &'static Executed) {
    IMAGE.store(ptr::from_ref(image).cast_mut(), Release);
}

/// For the child of a fork.
pub fn in_child() {
    IMAGE.store(ptr::null_mut(), Release);
    STARTED.store(now(), Relaxed);
    LIFE.in_child();
}
