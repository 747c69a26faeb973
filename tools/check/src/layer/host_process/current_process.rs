//! Facts about this process: its check, its entry in the shared file, and where the program called a function.

use std::sync::OnceLock;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::{Acquire, Release};

use cuda_external_in_process::{AtomicProcessStage, HookScope};

use crate::call_stack::{capture_stack, has_new_code_files};
use crate::layer_options::LayerOptions;
use crate::python_frames::find_frame_reader;
use crate::rules::Rule;
use crate::shared_file::{DEPTH, ProcessEntry, SharedFile, StackFrames};

/// The check that this process runs under: the shared file and the options. A child of fork keeps both.
pub struct ActiveCheck {
    pub shared: &'static SharedFile,
    pub options: LayerOptions,
}

static CHECK: OnceLock<ActiveCheck> = OnceLock::new();
/// The index of this process's entry in the shared file.
static ENTRY: AtomicU32 = AtomicU32::new(NO_ENTRY);
const NO_ENTRY: u32 = u32::MAX;

/// Whether cuInit succeeded in this process, or in the process that it was forked from.
pub static LIFE: AtomicProcessStage = AtomicProcessStage::new();

/// Returns the check, or `None` if the layer was loaded without `cuda-external-check`.
pub fn active_check() -> Option<&'static ActiveCheck> {
    CHECK.get()
}

pub fn is_rule_reported(rule: &Rule) -> bool {
    active_check().is_some_and(|check| check.options.is_rule_enabled(rule))
}

pub fn set_active_check(check: ActiveCheck) {
    _ = CHECK.set(check);
}

/// Returns the entry of this process in the shared file, with the entry's index, or `None` if there is no entry yet or
/// no room for one.
pub fn own_shared_file_entry() -> Option<(u32, &'static ProcessEntry)> {
    let at = ENTRY.load(Acquire);
    Some((at, active_check()?.shared.processes.get(at as usize)?))
}

pub fn set_own_shared_file_entry(at: u32) {
    ENTRY.store(at, Release);
}

pub fn after_fork_in_child() {
    ENTRY.store(NO_ENTRY, Release);
    LIFE.after_fork_in_child();
}

#[derive(Clone, Debug, Default)]
pub struct CallSite {
    pub call: &'static str,
    pub stack: StackFrames,
}

impl CallSite {
    /// Returns the call with this thread's stack. Without `cuda-external-check`, the stack is empty. The caller must
    /// hold no lock: the unwinder may wait for a lock of the dynamic loader, and the thread that has the loader's lock
    /// may wait for the caller's lock.
    pub fn capture_call_site(_unlocked: &mut HookScope, call: &'static str) -> Self {
        let Some(check) = active_check() else { return Self { call, stack: [0; DEPTH] } };
        let stack = capture_stack(check.shared);
        // A code file that is new in call stacks may be Python's interpreter. If so, only a second capture has the
        // frames of Python functions.
        let is_new = has_new_code_files() && find_frame_reader();
        Self { call, stack: if is_new { capture_stack(check.shared) } else { stack } }
    }
}

pub fn thread_id() -> i32 {
    // SAFETY: the function only returns a number.
    unsafe { libc::syscall(libc::SYS_gettid) as i32 }
}

pub fn is_thread_alive(thread: i32) -> bool {
    // SAFETY: with the signal number 0, the kernel sends nothing and only looks for the thread.
    unsafe { libc::syscall(libc::SYS_tgkill, std::process::id(), thread, 0) == 0 }
}
