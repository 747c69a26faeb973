//! The check that the process runs under, the place that this process has in what is shared, and where the program
//! called a function.

use std::fs;
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicPtr, AtomicU32};

use cuda_external_in_process::{AtomicProcessStage, HookScope};

use crate::call_stack::{capture_stack, has_new_code_files};
use crate::layer_options::LayerOptions;
use crate::python_frames::find_frame_reader;
use crate::rules::Rule;
use crate::shared_file::{DEPTH, ProcessEntry, SharedFile, StackFrames};

/// The state that a process shares with its children.
pub struct ActiveCheck {
    pub shared: &'static SharedFile,
    pub options: LayerOptions,
}

static CHECK: OnceLock<ActiveCheck> = OnceLock::new();
static IMAGE: AtomicPtr<ProcessEntry> = AtomicPtr::new(ptr::null_mut());

/// The start of this process, in hundredths of a second since the system's start. It distinguishes two processes that
/// had the same number.
static STARTED: AtomicU32 = AtomicU32::new(0);

/// Whether cuInit succeeded, or a context is there without it.
pub static LIFE: AtomicProcessStage = AtomicProcessStage::new();

/// None where the layer is loaded without the check.
pub fn active_check() -> Option<&'static ActiveCheck> {
    CHECK.get()
}

pub fn is_rule_reported(rule: Rule) -> bool {
    active_check().is_some_and(|check| check.options.is_rule_enabled(rule))
}

pub fn set_active_check(check: ActiveCheck) {
    STARTED.store(read_process_start().unwrap_or_else(current_start_time), Relaxed);
    _ = CHECK.set(check);
}

pub fn start_time() -> u32 {
    STARTED.load(Relaxed)
}

/// The system's record of the process. It stays the same when the process executes another program.
fn read_process_start() -> Option<u32> {
    let text = fs::read_to_string("/proc/self/stat").ok()?;
    // The name may have any characters. Behind it the start is the twentieth.
    let start: u64 = text.rsplit_once(')')?.1.split_whitespace().nth(19)?.parse().ok()?;
    Some(start as u32)
}

/// Returns the start that a process would have which begins now.
fn current_start_time() -> u32 {
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
    STARTED.store(current_start_time(), Relaxed);
    LIFE.after_fork_in_child();
}

#[derive(Clone, Debug, Default)]
pub struct CallSite {
    pub call: &'static str,
    pub stack: StackFrames,
}

impl CallSite {
    /// Returns this call with its stack. The unwinder may take locks of the loader.
    pub fn capture_call_site(_unlocked: &mut HookScope, call: &'static str) -> Self {
        let Some(check) = active_check() else { return Self { call, stack: [0; DEPTH] } };
        let stack = capture_stack(check.shared);
        // A module that was loaded since the last call may be the interpreter of Python.
        let is_new = has_new_code_files() && find_frame_reader();
        Self { call, stack: if is_new { capture_stack(check.shared) } else { stack } }
    }
}

pub fn thread_id() -> i32 {
    // SAFETY: the function only returns a number.
    unsafe { libc::syscall(libc::SYS_gettid) as i32 }
}

pub fn is_thread_alive(thread: i32) -> bool {
    // SAFETY: signal 0 is not sent. The call only looks for the thread.
    unsafe { libc::syscall(libc::SYS_tgkill, std::process::id(), thread, 0) == 0 }
}

/// Waits for this many microseconds, in a system call that is not a cancellation point.
pub fn sleep_microseconds(microseconds: u32) {
    let time = libc::timespec { tv_sec: 0, tv_nsec: i64::from(microseconds) * 1000 };
    // SAFETY: the system call only reads the struct.
    unsafe { libc::syscall(libc::SYS_nanosleep, &raw const time, 0) };
}
