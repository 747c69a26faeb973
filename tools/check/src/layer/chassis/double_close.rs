//! Finds second closes: calls of `close` for a descriptor that an import by CUDA or Vulkan has closed already.
//!
//! A call that finds the descriptor's number closed is a mistake, unless the driver makes the call, or the call belongs
//! to a series that closes every number (see `NEVER_OPEN`).
//!
//! A call that finds the number open may be right, since another file may have the number. If a later call of `close`
//! finds the number closed, the report shows that call and the last call that found the number open.

use std::ffi::c_void;
use std::mem::MaybeUninit;
use std::ptr;
use std::sync::MutexGuard;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64};

use cuda_external_in_process::{HookScope, PerProcess, SignalSafeMutex, SignalsBlocked};

use crate::call_stack::{self, module_of_frame};
use crate::close_watch::{CloseWatch, WatchedCloseCall, WatchedCloseCallback};
use crate::layer::error_messages::finding;
use crate::layer::host_process::current_process::{ActiveCheck, CallSite, active_check, thread_id};
use crate::layer::host_process::driver_functions;
use crate::layer::host_process::fd_info::is_open;
use crate::rules::{Rule, rules};
use crate::shared_file::StackFrames;

rules! {
    FD_CLOSED_AFTER_IMPORT 3 "fd-closed-after-import" FILE_DESCRIPTORS Manual "cuImportExternalMemory" ByDefault
        "The program passed the number of an imported descriptor to close. The import gave the descriptor to the \
         driver, so the call may close another file that got the number since."
        "Give the descriptor up when passing it to the import (fd = -1 in C and Python, release() of its owner in C++, \
         into_raw_fd() in Rust), and never pass its number to close afterwards.";
    FD_CLOSED_AFTER_FAILURE 4 "fd-closed-after-failure" FILE_DESCRIPTORS Measured "H100, H200" ByDefault
        "The program passed the number of a descriptor to close after a failed import had closed the descriptor. The \
         call may close another file that got the number since."
        "Give the descriptor up when passing it to the import, or import a duplicate (dup) and keep the original.";
}

/// A second close is not a mistake if at least this many other calls of its series got numbers that were neither
/// watched nor open. For example, a daemon may close every number when it starts.
const NEVER_OPEN: u32 = 3;
/// After this many calls of `close` that find a number open, the layer no longer watches the number.
const FOLLOWED: u32 = 8;
/// The number of slots in `ClosedFdTable`. A newer descriptor replaces the older descriptor in its slot.
const NUMBERS: usize = 512;

/// The descriptors that imports closed. No code allocates under the table's lock: a signal handler may call `close`.
type ClosedFdTable = Vec<Option<ClosedImportFd>>;

static CLOSES: PerProcess<SignalSafeMutex<ClosedFdTable>> = PerProcess::new();

/// This process's ID, or 0 before the first import. A vfork's child shares this variable, but has another ID.
static PROCESS: AtomicU32 = AtomicU32::new(0);
/// Upper half: the last series in which a call of `close` got a number that was neither watched nor open. Lower half:
/// how many such calls that series has.
static SERIES: AtomicU64 = AtomicU64::new(0);
/// Whether there is a second close that the layer has not reported yet.
static HAS_LATE: AtomicBool = AtomicBool::new(false);
/// The numbers by which call stacks name the files of the preloaded library, the layer and the driver.
/// `find_ignored_modules` looks them up before the first import is watched, since a look-up in a signal handler may
/// deadlock.
static FILES: [AtomicU64; 3] = [const { AtomicU64::new(0) }; 3];

/// An import of a descriptor by CUDA or Vulkan. After a successful import the program must not close the descriptor.
#[derive(Clone)]
pub struct FdImport {
    /// The number of the CUDA object that the import made, or 0 if Vulkan imported or the import failed.
    pub object: u32,
    pub site: CallSite,
    /// Whether the import failed. A failed import may have closed the descriptor too.
    pub has_failed: bool,
}

struct ClosedImportFd {
    fd: i32,
    import: FdImport,
    /// Since the import, the last call of `close` that found the number open again. `others` counts such calls.
    other: Option<CallSite>,
    others: u32,
    /// The call of `close` that found the number closed. After that call the layer no longer watches the number.
    late: Option<SecondClose>,
}

struct SecondClose {
    series: u32,
    thread: i32,
    closed: CallSite,
}

fn closed_fd_slot(closes: &mut ClosedFdTable, fd: i32) -> Option<&mut Option<ClosedImportFd>> {
    closes.get_mut(fd as usize % NUMBERS)
}

/// Locks the table. Returns `None` before the first import, or if another thread holds the lock for long.
fn try_lock_fds(quiet: &SignalsBlocked) -> Option<MutexGuard<'_, ClosedFdTable>> {
    CLOSES.get_if_created()?.try_lock(quiet)
}

/// Returns whether this code runs on an alternate signal stack, which may be too small for the unwinder and a report.
fn is_on_alternate_stack() -> bool {
    let mut stack = MaybeUninit::<libc::stack_t>::zeroed();
    // SAFETY: the call fills the struct. If the call fails, the struct has zeros, which are valid.
    let stack = unsafe {
        libc::sigaltstack(ptr::null(), stack.as_mut_ptr());
        stack.assume_init()
    };
    stack.ss_flags & libc::SS_ONSTACK != 0
}

unsafe extern "C" fn close_callback(call: &WatchedCloseCall) {
    if PROCESS.load(Relaxed) != std::process::id() || is_on_alternate_stack() {
        return;
    }
    // SAFETY: the C library returns the address of this thread's `errno`.
    let (errno, before) = unsafe { (libc::__errno_location(), *libc::__errno_location()) };
    let quiet = SignalsBlocked::block_signals();
    match active_check() {
        Some(check) if call.is_watched => record_close(&quiet, check, call),
        _ => count_close_of_unopened(&quiet, call.series),
    }
    // SAFETY: the pointer is to this thread's `errno`. It is not a reference, since the calls above may write `errno`.
    unsafe { *errno = before };
}

fn count_close_of_unopened(quiet: &SignalsBlocked, series: u32) {
    let known = SERIES.load(Relaxed);
    let count = if known >> 32 == u64::from(series) { known as u32 + 1 } else { 1 };
    SERIES.store(u64::from(series) << 32 | u64::from(count), Relaxed);
    if count != NEVER_OPEN {
        return;
    }
    let is_of_series = |of: &mut ClosedImportFd| of.late.as_ref().is_some_and(|late| late.series == series);
    for place in try_lock_fds(quiet).iter_mut().flat_map(|closes| closes.iter_mut()) {
        place.take_if(is_of_series);
    }
}

#[inline(never)] // the caller may run on a small stack
fn record_close(
    quiet: &SignalsBlocked,
    check: &ActiveCheck,
    &WatchedCloseCall { fd, was_open, series, .. }: &WatchedCloseCall,
) {
    let site = CallSite { call: "close", stack: call_stack::capture_stack(check.shared) };
    let Some(mut closes) = try_lock_fds(quiet) else {
        check.shared.lost.fetch_add(1, Relaxed);
        return;
    };
    let Some(place) = closed_fd_slot(&mut closes, fd) else { return };
    let Some(number) = place.as_mut().filter(|number| number.awaits_second_close(fd)) else { return };
    let known = SERIES.load(Relaxed);
    let closes_all = known >> 32 == u64::from(series) && known as u32 >= NEVER_OPEN;
    if was_open {
        number.other = Some(site);
        number.others += 1;
        if number.others < FOLLOWED {
            return;
        }
        *place = None;
    } else if closes_all {
        *place = None;
    } else {
        number.late = Some(SecondClose { series, thread: thread_id(), closed: site });
        HAS_LATE.store(true, Release);
    }
    CloseWatch::set_fd_watched(fd, false);
}

pub fn after_fork_in_child() {
    CLOSES.after_fork_in_child();
    PROCESS.store(0, Relaxed);
    HAS_LATE.store(false, Relaxed);
    if let Some(watch) = CloseWatch::of_preloaded_library() {
        watch.close_callback.store(ptr::null_mut(), Relaxed);
    }
}

/// Returns the import that closed a descriptor, unless a later call of `close` found the number open again.
pub fn import_that_closed(quiet: &SignalsBlocked, fd: i32) -> Option<FdImport> {
    let mut closes = try_lock_fds(quiet)?;
    let number = closed_fd_slot(&mut closes, fd)?.as_ref().filter(|number| number.awaits_second_close(fd))?;
    (number.others == 0).then(|| number.import.clone())
}

/// Watches the number of an imported descriptor if the import closed the descriptor, or else stops watching the number.
pub fn watch_imported_fd(section: &mut HookScope, fd: i32, import: FdImport) {
    let (Some(watch), Some(check)) = (CloseWatch::of_preloaded_library(), active_check()) else { return };
    find_ignored_modules(section, check, watch);
    // A successful import closed the descriptor.
    let is_closed = !import.has_failed || !is_open(fd);
    let is_first = PROCESS.load(Relaxed) == 0;
    let new: ClosedFdTable = if is_first { (0..NUMBERS).map(|_| None).collect() } else { Vec::new() };
    let mut closes = CLOSES.get_or_create().lock(section.block_signals());
    if closes.is_empty() {
        *closes = new;
        PROCESS.store(std::process::id(), Relaxed);
    }
    let Some(place) = closed_fd_slot(&mut closes, fd) else { return };
    if is_closed {
        let old = place.replace(ClosedImportFd { fd, import, other: None, others: 0, late: None });
        if let Some(old) = old.filter(|old| old.fd != fd && old.late.is_none()) {
            CloseWatch::set_fd_watched(old.fd, false);
        }
    } else {
        place.take_if(|number| number.fd == fd);
    }
    CloseWatch::set_fd_watched(fd, is_closed);
    watch.close_callback.store(close_callback as WatchedCloseCallback as *mut c_void, Relaxed);
}

fn find_ignored_modules(section: &mut HookScope, check: &ActiveCheck, watch: &CloseWatch) {
    if FILES[2].load(Acquire) == 0 {
        let layer = find_ignored_modules as *const () as usize;
        let addresses =
            [ptr::from_ref(watch).addr(), layer, driver_functions::address_within_driver(section)];
        for (file, address) in FILES.iter().zip(addresses) {
            file.store(module_of_frame(call_stack::pack_code_address(check.shared, address)), Release);
        }
    }
}

/// Returns the number of the file of the innermost frame outside the layer and the preloaded library, or 0.
fn calling_module(stack: &StackFrames) -> u64 {
    let own = [0, 1].map(|at| FILES[at].load(Acquire));
    let mut files = stack.iter().map(|frame| module_of_frame(*frame));
    files.find(|file| !own.contains(file)).unwrap_or(0)
}

fn is_call_of_driver(stack: &StackFrames) -> bool {
    let caller = calling_module(stack);
    caller != 0 && caller == FILES[2].load(Acquire)
}

pub fn report_second_closes(section: &HookScope) {
    // The load comes first, since a swap would take the cache line from the other processors in every call.
    if !HAS_LATE.load(Relaxed) || !HAS_LATE.swap(false, Acquire) {
        return;
    }
    let is_late = |number: &mut ClosedImportFd| number.late.is_some();
    let lock = CLOSES.get_or_create();
    let next = || lock.lock(section.block_signals()).iter_mut().find_map(|place| place.take_if(is_late));
    while let (Some(number), Some(check)) = (next(), active_check()) {
        number.report_second_close(check);
    }
}

/// Reports the remaining second closes at the end of the process. Waits only briefly for the lock. Does not allocate.
pub fn report_second_closes_at_end(quiet: &SignalsBlocked, check: &ActiveCheck) {
    if !HAS_LATE.swap(false, AcqRel) || PROCESS.load(Relaxed) != std::process::id() {
        return;
    }
    if is_on_alternate_stack() {
        check.shared.lost.fetch_add(1, Relaxed);
        return;
    }
    for number in try_lock_fds(quiet).iter().flat_map(|closes| closes.iter()).flatten() {
        number.report_second_close(check);
    }
}

impl ClosedImportFd {
    fn awaits_second_close(&self, fd: i32) -> bool {
        self.fd == fd && self.late.is_none()
    }

    /// Reports the second close, unless its rule is disabled or the driver made the call. Does not allocate.
    fn report_second_close(&self, check: &ActiveCheck) {
        let (rule, which) = if self.import.has_failed {
            (Rule::FD_CLOSED_AFTER_FAILURE, "The failed import")
        } else {
            (Rule::FD_CLOSED_AFTER_IMPORT, "The import")
        };
        let Some(SecondClose { closed, thread, .. }) = &self.late else { return };
        if !check.options.is_rule_enabled(rule) || is_call_of_driver(&closed.stack) {
            return;
        }
        check.shared.counts[rule.number].fetch_add(1, Relaxed);
        // If only the `other` call comes from the code file of the import's caller, that call is the mistake.
        let is_of_importer =
            |site: &CallSite| calling_module(&site.stack) == calling_module(&self.import.site.stack);
        let other = self.other.as_ref();
        let blamed = other.filter(|other| is_of_importer(other) && !is_of_importer(closed));
        let site = blamed.unwrap_or(closed);
        let Some(mut fields) = finding::begin_message(check.shared, rule, site, *thread) else { return };
        let (fd, imported) = (self.fd, &self.import.site);
        let found = if blamed.is_some() { "another file with its number" } else { "it closed" };
        fields.add_finding_field(
            "text",
            format_args!("{which} closed descriptor {fd}, and this call found {found}."),
        );
        fields.add_related_call(format_args!("The import was in {}:", imported.call), &imported.stack);
        if blamed.is_some() {
            fields.add_related_call("The owner of that file found the number closed:", &closed.stack);
        } else if let Some(other) = other {
            fields.add_related_call(
                format_args!("Another call of close found {fd} open in between, as another file:"),
                &other.stack,
            );
        }
    }
}
