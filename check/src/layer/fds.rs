//! File descriptors: what an import is given, and the numbers that the driver has closed.
//!
//! A program that closes an imported descriptor closes a number, and whatever file has it by then. The preloaded library
//! reports the calls of `close` for these numbers. One that finds the number closed is a mistake: the driver's close was the
//! descriptor's own, so the program has called `close` once too often. A call that finds it open may be right, since the
//! number may be another file's by then. It is kept for the report, because that file's owner may be the one who finds the
//! number closed.

use std::ffi::c_void;
use std::fs::{self, File};
use std::mem::{ManuallyDrop, take};
use std::os::fd::FromRawFd;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock};
use std::thread;

use crate::layer::driver;
use crate::layer::objects::Map;
use crate::layer::report::Finding;
use crate::layer::site::{Site, site};
use crate::layer::state::State;
use crate::rules::Rule;
use crate::sys;
use crate::watch::{Seen, Sees, Watch};

/// A program that closes every number there is, as a daemon does, makes no mistake. It is known by closing one number after
/// another, and so many of them that were never open.
const NEVER_OPEN: u32 = 3;
/// How many calls that found a number open are followed after its import.
const FOLLOWED: u32 = 8;

/// What happened to the numbers. The lock is never held while the layer calls anything that might close a descriptor.
static CLOSES: Mutex<Closes> =
    Mutex::new(Closes { process: 0, numbers: None, late: Vec::new(), series: (0, 0) });

/// Whether there is something to report.
static HAS_LATE: AtomicBool = AtomicBool::new(false);

/// None where a signal handler interrupted the lock's owner, and in a forked process where another thread was that.
fn closes() -> Option<MutexGuard<'static, Closes>> {
    (0..1000).find_map(|_| CLOSES.try_lock().inspect_err(|_| thread::yield_now()).ok())
}

struct Closes {
    process: u32,
    numbers: Option<Map<i32, Number>>,
    /// The calls that found a number closed, until they are reported.
    late: Vec<Late>,
    /// A series of calls, and how many of its numbers were never open.
    series: (u32, u32),
}

/// A number that the driver closed.
struct Number {
    import: Import,
    /// The last call of `close` since then that found it open, and how many there were.
    other: Option<Site>,
    others: u32,
}

enum Import {
    /// What was imported by the number, and the call.
    Of(u32, &'static str),
    Failed(Site),
}

struct Late {
    fd: i32,
    number: Number,
    site: Site,
    series: u32,
}

/// What an import is given.
pub struct Given {
    pub fd: i32,
    pub is_open: bool,
    /// What /proc says that it is, where that is known before the driver may close it.
    pub what: String,
    /// A number that the driver closed in an import: that one.
    pub imported_by: Option<(u32, &'static str)>,
}

/// The preloaded library's, where it is there.
fn watch() -> Option<&'static Watch> {
    static WATCH: OnceLock<usize> = OnceLock::new();
    // SAFETY: the name ends in zero; null stands for the libraries of the program.
    let at = *WATCH.get_or_init(|| unsafe {
        sys::dlsym(std::ptr::null_mut(), c"cuda_external_check_watch".as_ptr()).addr()
    });
    // SAFETY: null, or the static of this type.
    unsafe { (at as *const Watch).as_ref() }
}

/// Takes a call of `close` in. It may come from any thread, also from a signal handler or from the child of a `vfork`.
unsafe extern "C" fn sees(seen: &Seen) {
    // SAFETY: the C library's place of this thread.
    let errno = unsafe { &mut *sys::__errno_location() };
    let before = *errno;
    // The child of a `vfork` shares the memory.
    if let Some(mut closes) = closes().filter(|closes| closes.process == std::process::id()) {
        closes.take_in(seen);
    }
    *errno = before;
}

impl Closes {
    fn take_in(&mut self, &Seen { fd, was_open, is_watched, series }: &Seen) {
        if !is_watched {
            self.series = if self.series.0 == series { (series, self.series.1 + 1) } else { (series, 1) };
            if self.series.1 == NEVER_OPEN {
                self.late.retain(|late| late.series != series);
            }
            return;
        }
        let Some(number) = self.numbers.as_mut().and_then(|numbers| numbers.get_mut(&fd)) else { return };
        if was_open {
            (number.other, number.others) = (Some(site("close")), number.others + 1);
            if number.others == FOLLOWED {
                self.forget(fd);
            }
        } else if let Some(number) =
            self.forget(fd).filter(|_| self.series.0 != series || self.series.1 < NEVER_OPEN)
        {
            self.late.push(Late { fd, number, site: site("close"), series });
            HAS_LATE.store(true, Ordering::Release);
        }
    }

    fn forget(&mut self, fd: i32) -> Option<Number> {
        watch().into_iter().for_each(|watch| watch.set(fd, false));
        self.numbers.as_mut()?.remove(&fd)
    }
}

/// In a forked process, whose memory is a copy: nothing of the parent's is watched.
pub fn in_forked_process() {
    watch().into_iter().for_each(|watch| watch.sees.store(std::ptr::null_mut(), Ordering::Relaxed));
}

fn metadata(fd: i32) -> Option<fs::Metadata> {
    if fd < 0 {
        return None;
    }
    // SAFETY: the number is asked about, and not closed.
    let file = ManuallyDrop::new(unsafe { File::from_raw_fd(fd) });
    file.metadata().ok()
}

fn is_open(fd: i32) -> bool {
    // SAFETY: asks about a number.
    fd >= 0 && unsafe { sys::fcntl(fd, sys::F_GETFD) } != -1
}

impl State {
    /// Looks at a descriptor before it is imported.
    pub fn given(&mut self, fd: i32) -> Given {
        // The driver's own call of `close` is not followed.
        watch().into_iter().for_each(|watch| watch.set(fd, false));
        let metadata = metadata(fd);
        let is_open = metadata.is_some();
        // The number may have been given to a new export since its import. Then it is of a kind that can be imported.
        if let Some(metadata) = metadata.filter(may_be_exported) {
            let what = match metadata.file_type() {
                _ if is_nvidia(&metadata) => "",
                kind if kind.is_file() => "a file without a name",
                _ => "neither a file nor an exported device, such as an eventfd",
            };
            return Given { fd, is_open, what: what.to_owned(), imported_by: None };
        }
        let path = fs::read_link(format!("/proc/self/fd/{fd}")).unwrap_or_default();
        let closes = closes().filter(|closes| closes.process == std::process::id());
        let number = closes.as_ref().and_then(|closes| closes.numbers.as_ref()?.get(&fd));
        // After a failed import the number may be any file's that the program opened since: the driver says what it is.
        let number = number.filter(|number| number.others == 0);
        let imported_by = number.and_then(|number| match number.import {
            Import::Of(number, call) => Some((number, call)),
            Import::Failed(_) => None,
        });
        Given { fd, is_open, what: path.display().to_string(), imported_by }
    }

    /// Watches the number after an import, where the driver has closed it.
    pub fn taken(&mut self, call: &'static str, given: &Given, import: Option<u32>) {
        let Some(watch) = watch().filter(|_| given.is_open) else { return };
        // A successful import closed it.
        let (is_closed, process) = (import.is_some() || !is_open(given.fd), self.process);
        let import = import.map_or_else(|| Import::Failed(site(call)), |number| Import::Of(number, call));
        let new = Number { import, other: None, others: 0 };
        let Some(mut closes) = closes() else { return };
        if closes.process != process {
            *closes = Closes { process, numbers: Some(Map::default()), late: Vec::new(), series: (0, 0) };
        }
        let numbers = closes.numbers.get_or_insert_default();
        _ = if is_closed { numbers.insert(given.fd, new) } else { numbers.remove(&given.fd) };
        watch.set(given.fd, is_closed);
        watch.sees.store(sees as Sees as *mut c_void, Ordering::Relaxed);
    }

    /// Reports the numbers that the program closed once too often.
    pub fn look_at_descriptors(&mut self) {
        // A load alone leaves the line to the other processors' caches.
        if !HAS_LATE.load(Ordering::Relaxed) || !HAS_LATE.swap(false, Ordering::Acquire) {
            return;
        }
        let late = closes().map(|mut closes| take(&mut closes.late)).unwrap_or_default();
        // The driver may close its own descriptors as it likes.
        for Late { fd, number, site: close, .. } in
            late.into_iter().filter(|late| !driver::called(&late.site.stack))
        {
            let Number { import, other, .. } = number;
            let (rule, which) = match import {
                Import::Of(..) => (Rule::FdClosedAfterImport, "The import"),
                Import::Failed(_) => (Rule::FdClosedAfterFailure, "The failed import"),
            };
            let text = format!("{which} closed descriptor {fd}, and this call found it closed.");
            let mut finding = Finding::at(rule, close, text);
            match import {
                Import::Of(import, _) => finding = finding.about(import),
                Import::Failed(site) => finding = finding.with("The import failed in:".to_owned(), site),
            }
            if let Some(other) = other {
                let title = format!("Another call of close found {fd} open in between, as another file:");
                finding = finding.with(title, other);
            }
            self.report(finding);
        }
    }
}

/// Whether it is a device of NVIDIA's, as what the driver exports is.
fn is_nvidia(metadata: &fs::Metadata) -> bool {
    const MAJOR: u64 = 195;
    metadata.rdev() >> 8 & 0xfff == MAJOR
}

/// Whether an exporter may have made it: a device, a dma-buf, a file without a name. Not a file of a directory, nor a pipe.
fn may_be_exported(metadata: &fs::Metadata) -> bool {
    let kind = metadata.file_type();
    let has_name = (kind.is_file() || kind.is_dir()) && metadata.nlink() > 0;
    let is_other = kind.is_fifo() || kind.is_socket() || kind.is_block_device();
    is_nvidia(metadata) || !(has_name || is_other || kind.is_char_device())
}

/// The mark on a descriptor of 512 MiB or more of CUDA's own memory. It is on the open file, which a duplicate shares and
/// another process receives. It would matter only with O_ASYNC, which nobody sets on these files.
const LARGE_CUDA_MEMORY: i32 = 64;

pub fn mark_large_cuda_memory(fd: i32) {
    // SAFETY: sets a number that belongs to the open file.
    unsafe { sys::fcntl(fd, sys::F_SETSIG, LARGE_CUDA_MEMORY) };
}

pub fn is_large_cuda_memory(fd: i32) -> bool {
    // SAFETY: asks about a number.
    unsafe { sys::fcntl(fd, sys::F_GETSIG) == LARGE_CUDA_MEMORY }
}
