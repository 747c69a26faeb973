//! The process that the layer is in: when the layer is loaded, when the process forks, and when it ends.

use std::env;
use std::ffi::{CString, c_int};
use std::os::unix::ffi::OsStringExt;
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicBool, AtomicPtr};

use cuda_external_guest::Quiet;

use crate::layer::fds::{self, Closes};
use crate::layer::lock::{Lock, Section};
use crate::layer::state::State;
use crate::options::{Options, VARIABLE};
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

/// Runs when the layer is loaded.
extern "C" fn begin() {
    let _section = Section::begin();
    let Some(directory) = env::var_os(VARIABLE) else { return };
    let path = [directory.into_vec(), format!("/{}", shared::FILE).into_bytes()].concat();
    let Some(shared) = CString::new(path).ok().and_then(|path| Shared::open(&path)) else { return };
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
