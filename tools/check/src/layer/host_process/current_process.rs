//! The check that the process runs under, and the place that this process has in what is shared.

use std::fs;
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicPtr, AtomicU32};

use cuda_external_in_process::ForkState;

use crate::options::Options;
use crate::rules::Rule;
use crate::shared_file::{ProcessEntry, SharedFile};

/// The state that a process shares with its children.
pub struct ActiveCheck {
    pub shared: &'static SharedFile,
    pub options: Options,
}

static CHECK: OnceLock<ActiveCheck> = OnceLock::new();
static IMAGE: AtomicPtr<ProcessEntry> = AtomicPtr::new(ptr::null_mut());

/// The start of this process, in hundredths of a second since the system's start. It distinguishes two processes that
/// had the same number.
static STARTED: AtomicU32 = AtomicU32::new(0);

/// Whether cuInit succeeded, or a context is there without it.
pub static LIFE: ForkState = ForkState::new();

/// None where the layer is loaded without the check.
pub fn active_check() -> Option<&'static ActiveCheck> {
    CHECK.get()
}

pub fn is_reported(rule: Rule) -> bool {
    active_check().is_some_and(|check| check.options.is_rule_enabled(rule))
}

pub fn set_active_check(check: ActiveCheck) {
    STARTED.store(recorded_start().unwrap_or_else(start_time_of_now), Relaxed);
    _ = CHECK.set(check);
}

pub fn start_time() -> u32 {
    STARTED.load(Relaxed)
}

/// The system's record of the process. It stays the same when the process executes another program.
fn recorded_start() -> Option<u32> {
    let text = fs::read_to_string("/proc/self/stat").ok()?;
    // The name may have any characters. Behind it the start is the twentieth.
    let start: u64 = text.rsplit_once(')')?.1.split_whitespace().nth(19)?.parse().ok()?;
    Some(start as u32)
}

/// Returns the start that a process would have which begins now.
fn start_time_of_now() -> u32 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the struct is filled by the call.
    unsafe { libc::clock_gettime(libc::CLOCK_BOOTTIME, &mut time) };
    // Both wrap around after 497 days.
    (time.tv_sec * 100 + time.tv_nsec / 10_000_000) as u32
}

/// The entry of this process in the shared file. `None` if there is no entry yet, or there was no room for one.
pub fn process_entry() -> Option<&'static ProcessEntry> {
    // SAFETY: the pointer is null, or within the shared file.
    unsafe { IMAGE.load(Acquire).as_ref() }
}

pub fn set_process_entry(image: &'static ProcessEntry) {
    IMAGE.store(ptr::from_ref(image).cast_mut(), Release);
}

pub fn after_fork_in_child() {
    IMAGE.store(ptr::null_mut(), Release);
    STARTED.store(start_time_of_now(), Relaxed);
    LIFE.after_fork_in_child();
}
