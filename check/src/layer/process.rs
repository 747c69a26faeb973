//! The process that the layer is in: when the layer is loaded, when the process forks, and when it ends.

use std::ffi::{CStr, CString, c_int, c_void};
use std::fs;
use std::mem::MaybeUninit;
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32};

use cuda_external_guest::Quiet;

use crate::layer::driver;
use crate::layer::fds::{self, Closes};
use crate::layer::lock::{Lock, Section};
use crate::layer::state::State;
use crate::options::Options;
use crate::shared::{self, Image, Shared};

/// What stays for a process and its children.
pub struct Process {
    pub shared: &'static Shared,
    pub options: Options,
}

/// What each process has of its own, and that of the parent, which stays where a leak checker finds it.
pub struct Own {
    pub state: Lock<State>,
    pub closes: Lock<Closes>,
    _parent: *const Own,
}

static PROCESS: OnceLock<Process> = OnceLock::new();
static OWN: AtomicPtr<Own> = AtomicPtr::new(ptr::null_mut());
static PARENT: AtomicPtr<Own> = AtomicPtr::new(ptr::null_mut());

/// What the program is to know of this process.
static IMAGE: AtomicPtr<Image> = AtomicPtr::new(ptr::null_mut());

/// Whether the process called cuInit, and whether it is the child of one that did.
static IS_INITIALIZED: AtomicBool = AtomicBool::new(false);
static IS_FORKED: AtomicBool = AtomicBool::new(false);

/// None where the layer is loaded without the check.
pub fn process() -> Option<&'static Process> {
    PROCESS.get()
}

/// The state of this process. A child of fork gets one when it first needs it.
pub fn own() -> &'static Own {
    known().unwrap_or_else(new)
}

/// None in a child of fork that did not need one yet.
pub fn known() -> Option<&'static Own> {
    // SAFETY: null, or made below and never freed.
    unsafe { OWN.load(Acquire).as_ref() }
}

fn new() -> &'static Own {
    let new = Own { state: Lock::default(), closes: Lock::default(), _parent: PARENT.load(Acquire) };
    let new = Box::into_raw(Box::new(new));
    match OWN.compare_exchange(ptr::null_mut(), new, AcqRel, Acquire) {
        // SAFETY: as above.
        Ok(_) => unsafe { &*new },
        // SAFETY: another thread was first. This one's was seen by nobody, and the other one is as above.
        Err(first) => unsafe { (drop(Box::from_raw(new)), &*first).1 },
    }
}

/// None where there is none yet, or no room.
pub fn image() -> Option<&'static Image> {
    // SAFETY: null, or in what is shared.
    unsafe { IMAGE.load(Acquire).as_ref() }
}

pub fn set_image(image: &'static Image) {
    IMAGE.store(ptr::from_ref(image).cast_mut(), Release);
}

/// Notes that cuInit succeeded, or that a context is there without it.
pub fn is_initialized() {
    IS_INITIALIZED.store(true, Relaxed);
}

/// Whether this is the child of a process that called cuInit.
pub fn is_forked() -> bool {
    IS_FORKED.load(Relaxed)
}

unsafe extern "C" {
    fn at_quick_exit(handler: extern "C" fn()) -> c_int;
}

/// When this process began, in hundredths of a second since the system's start: with its number it tells it from others.
static STARTED: AtomicU32 = AtomicU32::new(0);

pub fn started() -> u32 {
    STARTED.load(Relaxed)
}

/// What the system notes of the process, also where it executed another program.
fn noted_start() -> Option<u32> {
    let text = fs::read_to_string("/proc/self/stat").ok()?;
    // The name may have any characters. Behind it the start is the twentieth.
    text.rsplit_once(')')?.1.split_whitespace().nth(19)?.parse().ok()
}

/// The same of a process that has just begun.
fn now() -> u32 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: a struct to be filled.
    unsafe { libc::clock_gettime(libc::CLOCK_BOOTTIME, &mut time) };
    (time.tv_sec * 100 + time.tv_nsec / 10_000_000) as u32
}

/// The file that is shared, beside the layer's own: the program may have cleared its environment.
fn shared_file() -> Option<CString> {
    let mut info = MaybeUninit::<libc::Dl_info>::zeroed();
    // SAFETY: a struct to be filled. The string is of this library, which stays loaded.
    let own = unsafe {
        if libc::dladdr(begin as *const c_void, info.as_mut_ptr()) == 0 {
            return None;
        }
        CStr::from_ptr(info.assume_init().dli_fname)
    };
    let directory = own.to_bytes().rsplitn(2, |byte| *byte == b'/').nth(1)?;
    CString::new([directory, b"/", shared::FILE.as_bytes()].concat()).ok()
}

/// Runs when the layer is loaded.
extern "C" fn begin() {
    let _section = Section::begin();
    let Some(shared) = shared_file().and_then(|path| Shared::open(&path)) else { return };
    STARTED.store(noted_start().unwrap_or_else(now), Relaxed);
    driver::gpus_listed();
    let options = Options::of_numbers(shared.options.each_ref().map(|number| number.load(Relaxed)));
    PROCESS.get_or_init(|| Process { shared, options });
    // The program is to know that the layer was loaded.
    own().state.lock().image();
    fds::watch_ends(on_exit);
    // SAFETY: the functions stay loaded.
    unsafe {
        libc::pthread_atfork(None, None, Some(in_child));
        at_quick_exit(on_end);
    }
}

/// After fork: nothing of the parent is used, but for what is shared and the driver.
extern "C" fn in_child() {
    let parent = OWN.swap(ptr::null_mut(), AcqRel);
    if !parent.is_null() {
        PARENT.store(parent, Release);
    }
    IMAGE.store(ptr::null_mut(), Release);
    STARTED.store(now(), Relaxed);
    IS_FORKED.store(IS_FORKED.load(Relaxed) || IS_INITIALIZED.load(Relaxed), Relaxed);
    fds::in_child();
}

/// Runs after the exit handlers and destructors of the program, and at quick_exit.
extern "C" fn on_end() {
    end(shared::RAN_EXIT_HANDLERS);
}

/// Runs at `_exit`, also in a signal handler and in the child of a vfork, which shares the parent's memory.
unsafe extern "C" fn on_exit() {
    end(shared::CALLED_EXIT);
}

/// Objects that are alive are listed already. Nothing is allocated here, and no lock is waited for.
fn end(how: u32) {
    let (Some(process), Some(image)) = (PROCESS.get(), image()) else { return };
    let _quiet = Quiet::begin();
    if image.process.load(Relaxed) == std::process::id() {
        fds::report_at_end(process);
        image.ended.store(how, Release);
    }
}

#[cfg_attr(feature = "library", used)]
#[cfg_attr(feature = "library", unsafe(link_section = ".init_array"))]
#[allow(dead_code)]
static BEGIN: extern "C" fn() = begin;
#[cfg_attr(feature = "library", used)]
#[cfg_attr(feature = "library", unsafe(link_section = ".fini_array"))]
#[allow(dead_code)]
static END: extern "C" fn() = on_end;
