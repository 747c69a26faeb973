//! File descriptors: what an import is given, and the numbers of those that the driver has closed.
//!
//! A program that closes an imported descriptor closes a number, and whatever file has it by then. To see that, the layer
//! takes the number with a descriptor of its own as soon as the driver has closed it, and looks later whether it is still
//! there. The number is taken only if it is free, so that no other thread's file is replaced.

use std::fs::{self, File};
use std::mem::ManuallyDrop;
use std::os::fd::FromRawFd;
use std::os::unix::fs::MetadataExt;
use std::time::{Duration, Instant};

use crate::layer::objects::Site;
use crate::layer::report::Finding;
use crate::layer::state::{State, site};
use crate::rules::Rule;
use crate::sys;

/// How many numbers are held at most; the oldest is given back.
const HELD: usize = 32;
/// How often the numbers are looked at.
const INTERVAL: Duration = Duration::from_millis(10);
/// Where the layer's own descriptor lies, out of the way of the program's.
const HIGH: i32 = 900;

#[derive(Default)]
pub struct Fds {
    /// The layer's file, which every held number is a duplicate of. It has a low number and a high one: where either is
    /// closed, somebody closed more than one descriptor of his own.
    own: Option<([i32; 2], Identity)>,
    held: Vec<Held>,
    looked: Option<Instant>,
}

type Identity = (u64, u64);

struct Held {
    fd: i32,
    /// What was imported by it, or None where the import failed.
    import: Option<u32>,
    site: Site,
}

/// What an import is given.
pub struct Given {
    pub fd: i32,
    pub is_open: bool,
    /// What /proc says that it is, where that is known before the driver may close it.
    pub what: String,
    /// A number that the driver closed: the import that did it.
    pub imported_by: Option<(Option<u32>, Site)>,
}

fn identity(fd: i32) -> Option<Identity> {
    metadata(fd).as_ref().map(identity_of)
}

fn identity_of(metadata: &fs::Metadata) -> Identity {
    (metadata.dev(), metadata.ino())
}

/// None where the number is not open.
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

impl Fds {
    /// Makes the layer's file where there is none.
    fn own(&mut self) {
        if self.own.is_none() {
            // SAFETY: makes descriptors.
            unsafe {
                let low = sys::memfd_create(c"cuda-external-check".as_ptr(), sys::MFD_CLOEXEC);
                let high = sys::fcntl(low, sys::F_DUPFD_CLOEXEC, HIGH);
                self.own = identity(low).filter(|_| high >= 0).map(|identity| ([low, high], identity));
            }
        }
    }

    /// Takes the number of a descriptor that the driver has closed, if it is free.
    fn hold(&mut self, fd: i32, import: Option<u32>, site: Site) {
        let Some(([own, _], identity_of_own)) = self.own else { return };
        // SAFETY: makes a descriptor, and closes it where it is not the one that was wanted.
        unsafe {
            let got = sys::fcntl(own, sys::F_DUPFD_CLOEXEC, fd);
            if got != fd {
                if got >= 0 {
                    sys::close(got);
                }
                return;
            }
        }
        if self.held.len() == HELD {
            let oldest = self.held.remove(0);
            if identity(oldest.fd) == Some(identity_of_own) {
                // SAFETY: it is the layer's.
                unsafe { sys::close(oldest.fd) };
            }
        }
        self.held.push(Held { fd, import, site });
    }

    /// The numbers that are no longer the layer's. None where somebody closed every descriptor there is.
    fn lost(&mut self) -> Vec<Held> {
        let Some((numbers, own)) = self.own else { return Vec::new() };
        if numbers.iter().any(|fd| identity(*fd) != Some(own)) {
            (self.own, self.held) = (None, Vec::new());
        }
        let (kept, lost) =
            std::mem::take(&mut self.held).into_iter().partition(|held| identity(held.fd) == Some(own));
        self.held = kept;
        lost
    }
}

impl State {
    /// Looks at a descriptor before it is imported.
    pub fn given(&mut self, call: &'static str, fd: i32) -> Given {
        self.look_at_descriptors(call, false);
        // Before the import: afterwards the number may be the lowest free one.
        if self.holds(Rule::FdClosedAfterImport) || self.holds(Rule::FdClosedAfterFailure) {
            self.fds.own();
        }
        let metadata = metadata(fd);
        let held = self.fds.held.iter().find(|held| held.fd == fd);
        let own = self.fds.own.map(|(_, identity)| identity);
        let imported_by = match held.map(|held| (held.import, held.site.clone())) {
            Some(by) if metadata.as_ref().map(identity_of) == own => Some(by),
            Some(_) => {
                // It is another file by now.
                self.look_at_descriptors(call, true);
                None
            }
            None => None,
        };
        let is_of_nvidia = metadata.as_ref().is_some_and(is_nvidia);
        let what = if metadata.is_some() && !is_of_nvidia {
            fs::read_link(format!("/proc/self/fd/{fd}"))
                .map(|path| path.display().to_string())
                .unwrap_or_default()
        } else {
            String::new()
        };
        Given { fd, is_open: metadata.is_some(), what, imported_by }
    }

    /// Takes the number after an import, where the driver has closed it.
    pub fn taken(&mut self, call: &'static str, given: &Given, import: Option<u32>) {
        let rule = if import.is_some() { Rule::FdClosedAfterImport } else { Rule::FdClosedAfterFailure };
        if given.is_open && self.holds(rule) && !is_open(given.fd) {
            self.fds.hold(given.fd, import, site(call));
        }
    }

    /// Whether numbers are held for a rule, which is seen in the program's descriptors.
    fn holds(&self, rule: Rule) -> bool {
        self.output.options.reports(rule)
    }

    /// Reports the numbers that the program closed. A correct program leaves them alone.
    pub fn look_at_descriptors(&mut self, call: &'static str, now: bool) {
        let is_due = self.fds.looked.is_none_or(|looked| looked.elapsed() > INTERVAL);
        if self.fds.held.is_empty() || !(now || is_due) {
            return;
        }
        self.fds.looked = Some(Instant::now());
        for held in self.fds.lost() {
            let by = match identity(held.fd) {
                Some(_) => "was closed, and is another file by now",
                None => "was closed",
            };
            let (rule, which) = match held.import {
                Some(_) => (Rule::FdClosedAfterImport, "imported"),
                None => (Rule::FdClosedAfterFailure, "closed by the failed import"),
            };
            let text =
                format!("Descriptor {} was {which}, and {by}: before {call}, after the call below.", held.fd);
            let mut finding = Finding::new(rule, held.site.call, text).without_stack();
            match held.import {
                Some(import) => finding = finding.about(import),
                None => finding = finding.with("The import failed in:".to_owned(), held.site),
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
