//! File descriptors: what an import is given, and the numbers that the driver has closed.
//!
//! A program that closes an imported descriptor closes a number, and whatever file has it by then. The preloaded library
//! reports the calls of `close` for these numbers. One that finds the number closed is a mistake: the driver's close was the
//! descriptor's own, so the program has called `close` once too often. A call that finds it open may be right, since the
//! number may be another file's by then. It is kept for the report, because that file's owner may be the one who finds the
//! number closed.

use std::ffi::{c_int, c_void};
use std::fs;
use std::mem::MaybeUninit;
use std::ptr;
use std::sync::MutexGuard;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64};

use cuda_external_guest::{Known, Quiet};

use crate::about::{About, Kind, Made};
use crate::layer::call::{Site, thread};
use crate::layer::driver;
use crate::layer::process::{Process, known, own, process};
use crate::layer::report;
use crate::rules::Rule;
use crate::shared::watch::{Close, OnClose, OnExit, Watch};

/// A program that closes every number there is, as a daemon does, makes no mistake. It is known by closing one number after
/// another, and so many of them that were never open.
const NEVER_OPEN: u32 = 3;
/// How many calls that found a number open are followed after its import.
const FOLLOWED: u32 = 8;
/// How many numbers are followed. A newer one takes the place of an older one.
const PLACES: usize = 512;

/// The numbers that the driver closed in imports: `PLACES` of them from the first import on. See [`lock`](super::lock): `close`
/// may be called in a signal handler.
pub type Closes = Vec<Option<Number>>;

/// The process that the preloaded library tells of its calls: not the child of a vfork. 0 before the first import, also of
/// the child of a fork.
static PROCESS: AtomicU32 = AtomicU32::new(0);
/// The current series of calls, and in the lower half how many of its numbers were never open.
static SERIES: AtomicU64 = AtomicU64::new(0);
/// Whether there is something to report.
static HAS_LATE: AtomicBool = AtomicBool::new(false);

/// A number that the driver closed in an import.
pub struct Number {
    fd: i32,
    /// What was imported, or nothing where the import failed.
    import: Option<(u32, About)>,
    imported: Site,
    /// The last call of `close` since then that found it open, and how many there were.
    other: Option<Site>,
    others: u32,
    /// The call that closed it once too often. It is not watched any more.
    late: Option<Late>,
}

struct Late {
    series: u32,
    thread: i32,
    closed: Site,
}

fn place(closes: &mut Closes, fd: i32) -> Option<&mut Option<Number>> {
    closes.get_mut(fd as usize % PLACES)
}

/// The number, where it is watched.
fn watched(closes: &mut Closes, fd: i32) -> Option<&mut Number> {
    place(closes, fd)?.as_mut().filter(|number| number.fd == fd && number.late.is_none())
}

/// The numbers, where they can be had at once.
fn closes() -> Option<MutexGuard<'static, Closes>> {
    known()?.closes.try_lock()
}

/// The preloaded library's, where it is there.
fn watch() -> Option<&'static Watch> {
    static WATCH: Known = Known::new();
    // SAFETY: the name ends in zero.
    let find = || unsafe { libc::dlsym(libc::RTLD_DEFAULT, c"cuda_external_check_watch".as_ptr()).addr() };
    // SAFETY: null, or the static of this type.
    unsafe { (WATCH.or_find(find) as *const Watch).as_ref() }
}

pub fn address_of_preloaded() -> usize {
    watch().map_or(0, |watch| ptr::from_ref(watch).addr())
}

/// Has the preloaded library call a function at `_exit`.
pub fn watch_ends(on_exit: OnExit) {
    watch().into_iter().for_each(|watch| watch.on_exit.store(on_exit as *mut c_void, Relaxed));
}

/// Takes a call of `close` in. It may come from any thread, also from a signal handler or from the child of a `vfork`.
unsafe extern "C" fn on_close(call: &Close) {
    if PROCESS.load(Relaxed) != std::process::id() {
        return;
    }
    // SAFETY: the C library's place of this thread.
    let errno = unsafe { &mut *libc::__errno_location() };
    let (before, _quiet) = (*errno, Quiet::begin());
    if call.is_watched {
        take_in(call, Site::here("close"));
    } else {
        never_open(call.series);
    }
    *errno = before;
}

fn never_open(series: u32) {
    let known = SERIES.load(Relaxed);
    let count = if known >> 32 == u64::from(series) { known as u32 + 1 } else { 1 };
    SERIES.store(u64::from(series) << 32 | u64::from(count), Relaxed);
    let is_of_series = |of: &mut Number| of.late.as_ref().is_some_and(|late| late.series == series);
    if let (NEVER_OPEN, Some(mut closes)) = (count, closes()) {
        closes.iter_mut().for_each(|place| _ = place.take_if(is_of_series));
    }
}

fn take_in(&Close { fd, was_open, series, .. }: &Close, site: Site) {
    let Some(mut closes) = closes() else {
        return process().into_iter().for_each(|process| _ = process.shared.lost.fetch_add(1, Relaxed));
    };
    let Some(number) = watched(&mut closes, fd) else { return };
    let known = SERIES.load(Relaxed);
    let closes_all = known >> 32 == u64::from(series) && known as u32 >= NEVER_OPEN;
    if was_open {
        (number.other, number.others) = (Some(site), number.others + 1);
        if number.others < FOLLOWED {
            return;
        }
    } else if !closes_all {
        number.late = Some(Late { series, thread: thread(), closed: site });
        HAS_LATE.store(true, Release);
    }
    if number.late.is_none() {
        place(&mut closes, fd).into_iter().for_each(|place| *place = None);
    }
    watch().into_iter().for_each(|watch| watch.set(fd, false));
}

/// In the child of a fork, whose memory is a copy: nothing of the parent is watched.
pub fn in_child() {
    PROCESS.store(0, Relaxed);
    HAS_LATE.store(false, Relaxed);
    watch().into_iter().for_each(|watch| watch.on_close.store(ptr::null_mut(), Relaxed));
}

/// Reports the numbers that the program closed once too often.
pub fn report_closes() {
    // A load alone leaves the line to the other processors' caches.
    if !HAS_LATE.load(Relaxed) || !HAS_LATE.swap(false, Acquire) {
        return;
    }
    let is_late = |number: &mut Number| number.late.is_some();
    let next = || own().closes.lock().iter_mut().find_map(|place| place.take_if(is_late));
    while let (Some(number), Some(process)) = (next(), process()) {
        number.report(process);
    }
}

/// The same at the end of the process: without waiting and without allocating.
pub fn report_at_end(process: &Process) {
    if !HAS_LATE.swap(false, AcqRel) || PROCESS.load(Relaxed) != std::process::id() {
        return;
    }
    let closes = closes();
    closes.iter().flat_map(|closes| closes.iter()).flatten().for_each(|number| number.report(process));
}

impl Number {
    /// The driver may close its own descriptors as it likes. This allocates nothing.
    fn report(&self, process: &Process) {
        let (rule, which) = match self.import {
            Some(_) => (Rule::FdClosedAfterImport, "The import"),
            None => (Rule::FdClosedAfterFailure, "The failed import"),
        };
        let Some(Late { closed, thread, .. }) = &self.late else { return };
        if !process.options.reports(rule) || driver::called(&closed.stack) {
            return;
        }
        process.shared.counts[rule as usize].fetch_add(1, Relaxed);
        // Of two calls that of the importing file is the mistake: the other one's file had the number by then.
        let is_of_importer =
            |site: &Site| driver::caller(&site.stack) == driver::caller(&self.imported.stack);
        let other = self.other.as_ref();
        let blamed = other.filter(|other| is_of_importer(other) && !is_of_importer(closed));
        let blamed_or_late = blamed.unwrap_or(closed);
        let Some(mut fields) = report::begin(process.shared, rule, blamed_or_late, *thread) else { return };
        let (fd, imported) = (self.fd, &self.imported);
        let found = if blamed.is_some() { "another file with its number" } else { "it closed" };
        fields.add("text", format_args!("{which} closed descriptor {fd}, and this call found {found}."));
        match &self.import {
            Some((number, about)) => fields.add_call(Made(*number, about, imported.call), &imported.stack),
            None => fields.add_call("The import failed in:", &imported.stack),
        }
        if blamed.is_some() {
            fields.add_call("The owner of that file found the number closed:", &closed.stack);
        } else if let Some(other) = other {
            let title = format_args!("Another call of close found {fd} open in between, as another file:");
            fields.add_call(title, &other.stack);
        }
    }
}

/// The descriptor of an import.
pub struct Descriptor {
    pub fd: i32,
    pub is_open: bool,
    /// What it is, where that is known before the driver may close it and cannot be imported.
    pub what: String,
    /// Where an earlier import closed the number: what it imported, and its call.
    pub imported_by: Option<(u32, &'static str)>,
    /// Whether it is memory of CUDA itself on which drivers crash.
    pub is_large_cuda_memory: bool,
}

impl Descriptor {
    /// Looks at a descriptor before it is imported.
    pub fn of(fd: i32, kind: Kind) -> Self {
        // The driver's own call of `close` is not followed.
        watch().into_iter().for_each(|watch| watch.set(fd, false));
        let status = status(fd);
        let mut found = Self {
            fd,
            is_open: status.is_some(),
            what: String::new(),
            imported_by: None,
            is_large_cuda_memory: kind == Kind::Memory
                && driver::gpus_of_the_host() > 1
                && mark_of(fd) == LARGE_CUDA_MEMORY,
        };
        match status.as_ref().and_then(may_be_exported) {
            // The number may have been given to a new export since its import.
            Some(what) => found.what = what.to_owned(),
            None => {
                let path = fs::read_link(format!("/proc/self/fd/{fd}"));
                found.what = path.map_or("no export".to_owned(), |path| path.display().to_string());
                // After a failed import the number may be any file's that the program opened since: the driver says what.
                found.imported_by = closes().and_then(|mut closes| {
                    let number = watched(&mut closes, fd).filter(|number| number.others == 0)?;
                    Some((number.import?.0, number.imported.call))
                });
            }
        }
        found
    }

    /// Watches the number after an import, where the driver has closed it.
    pub fn watch(self, imported: &Site, import: Option<(u32, About)>) {
        let Some(watch) = watch().filter(|_| self.is_open) else { return };
        // A successful import closed it.
        let is_closed = import.is_some() || status(self.fd).is_none();
        // Nothing is allocated under this lock.
        let process = std::process::id();
        let is_first = PROCESS.load(Relaxed) != process;
        let new: Closes = if is_first { (0..PLACES).map(|_| None).collect() } else { Vec::new() };
        let mut closes = own().closes.lock();
        if closes.is_empty() {
            *closes = new;
        }
        PROCESS.store(process, Relaxed);
        let Some(place) = place(&mut closes, self.fd) else { return };
        if is_closed {
            let (fd, imported) = (self.fd, imported.clone());
            let old = place.replace(Number { fd, import, imported, other: None, others: 0, late: None });
            let old = old.filter(|old| old.fd != self.fd && old.late.is_none());
            old.into_iter().for_each(|old| watch.set(old.fd, false));
        } else {
            place.take_if(|number| number.fd == self.fd);
        }
        watch.set(self.fd, is_closed);
        watch.on_close.store(on_close as OnClose as *mut c_void, Relaxed);
    }
}

fn status(fd: i32) -> Option<libc::stat> {
    let mut status = MaybeUninit::uninit();
    // SAFETY: asks about a number, and reads the struct where the call filled it.
    unsafe { (libc::fstat(fd, status.as_mut_ptr()) == 0).then(|| status.assume_init()) }
}

/// What an open file is that an exporter may have made, empty for a device: its driver knows. None for others: a file of a
/// directory, a pipe, a terminal, or a device of memory such as /dev/null.
fn may_be_exported(status: &libc::stat) -> Option<&'static str> {
    match status.st_mode & libc::S_IFMT {
        libc::S_IFREG if status.st_nlink == 0 => Some("a file without a name"),
        libc::S_IFCHR => (!matches!(libc::major(status.st_rdev), 1 | 4 | 5 | 136..=143)).then_some(""),
        libc::S_IFREG | libc::S_IFDIR | libc::S_IFIFO | libc::S_IFSOCK | libc::S_IFBLK => None,
        _ => Some("neither a file nor an exported device, such as an eventfd"),
    }
}

/// A mark on an open file, which a duplicate of the descriptor shares and another process receives: the number of a signal. It
/// would matter only with O_ASYNC, which nobody sets on these files.
pub fn mark(fd: i32, number: c_int) {
    const F_SETSIG: c_int = 10;
    // SAFETY: sets a number that belongs to the open file.
    unsafe { libc::fcntl(fd, F_SETSIG, number) };
}

pub fn mark_of(fd: i32) -> c_int {
    const F_GETSIG: c_int = 11;
    // SAFETY: asks about a number.
    unsafe { libc::fcntl(fd, F_GETSIG) }
}

/// The mark of 512 MiB or more of CUDA's own memory. Vulkan's exports have smaller ones.
pub const LARGE_CUDA_MEMORY: c_int = 64;
