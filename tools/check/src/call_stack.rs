//! Captures the calling thread's stack: addresses of code, each with its file's number, and Python functions.
//!
//! `native_stack` looks up each address's file at once, since the program may load another file there later.
//!
//! The functions of this file do not allocate: they may run in a signal handler, if the handler calls `close`.

use std::ffi::{CStr, c_int, c_void};
use std::mem::transmute;
use std::ptr;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

use cuda_external_in_process::LazyWord;

use crate::python_frames::{self, PythonFrameReader};
use crate::shared_file::{DEPTH, MAX_MODULES, PATH_BYTES, SharedFile, StackFrames};

/// A frame's bits from this one up are the number of a file or Python function. The lower bits are an address or line.
const MODULE: u32 = 48;

pub fn module_of_frame(frame: u64) -> u64 {
    frame >> MODULE
}

pub fn address_of_frame(frame: u64) -> u64 {
    frame & ((1 << MODULE) - 1)
}

/// The first two fields of glibc's `struct link_map`, which describes a loaded file.
#[repr(C)]
pub struct LinkMap {
    base: usize,
    name: *const libc::c_char,
}

impl LinkMap {
    /// Returns the file's path, which is empty for the main program.
    pub fn file_name(&self) -> &CStr {
        // SAFETY: the loader's name of a file is null, or a C string that exists while the file is loaded.
        if self.name.is_null() { c"" } else { unsafe { CStr::from_ptr(self.name) } }
    }
}

unsafe extern "C-unwind" {
    fn _Unwind_Backtrace(each: extern "C" fn(*mut c_void, *mut c_void) -> c_int, data: *mut c_void) -> c_int;
    fn _Unwind_GetIPInfo(context: *mut c_void, is_exact: *mut c_int) -> usize;
}

unsafe extern "C" {
    fn dladdr1(
        address: *const c_void,
        info: *mut libc::Dl_info,
        extra: *mut *const LinkMap,
        flags: c_int,
    ) -> c_int;
}

/// The code addresses of a walk over the stack, the innermost first.
struct StackWalk {
    count: usize,
    addresses: [usize; DEPTH],
}

/// Returns this thread's call stack, with the layer's own frames: the check's `describe_stack` leaves them out.
pub fn capture_stack(shared: &SharedFile) -> StackFrames {
    let native = native_stack(shared);
    python_frames::found_frame_reader()
        .map_or(native, |python| replace_interpreter_frames(shared, native, python))
}

/// Returns whether a file appeared in a call stack for the first time since the last call of this function.
pub fn has_new_code_files() -> bool {
    HAS_NEW_FILES.load(Relaxed) && HAS_NEW_FILES.swap(false, Relaxed)
}

static HAS_NEW_FILES: AtomicBool = AtomicBool::new(false);

/// Returns the frames of compiled code. The functions of Python's interpreter are among them.
fn native_stack(shared: &SharedFile) -> StackFrames {
    let mut walk = StackWalk { count: 0, addresses: [0; DEPTH] };
    // SAFETY: `_Unwind_Backtrace` passes this walk to `record_unwound_frame`, and keeps no pointer to the walk.
    unsafe { _Unwind_Backtrace(record_unwound_frame, (&raw mut walk).cast()) };
    // Most frames have the same file as the frame before, so `last` keeps that file's number.
    let mut last = (ptr::null(), 0);
    walk.addresses.map(|address| {
        let map = if address == 0 { None } else { link_map_of(address) };
        let at = map.map_or(ptr::null(), ptr::from_ref);
        if at != last.0 {
            last = (at, map.map_or(0, |map| module_of_link_map(shared, map)));
        }
        pack_frame(last.1, map, address)
    })
}

/// Replaces the frames of CPython's interpreter, and the frames of their callers, with the Python functions, if any.
#[cold]
#[inline(never)]
fn replace_interpreter_frames(
    shared: &SharedFile,
    native: StackFrames,
    python: &PythonFrameReader,
) -> StackFrames {
    /// At least this many frames are free for Python functions.
    const ROOM: usize = DEPTH / 2;
    let interpreter =
        module_of_frame(pack_code_address(shared, python.state_of_thread as *const () as usize));
    let is_before = |frame: &&u64| **frame != 0 && module_of_frame(**frame) != interpreter;
    let before = native.iter().take_while(is_before).count().min(DEPTH - ROOM);
    let mut frames = native;
    frames[before..].fill(0);
    let mut places = frames[before..].iter_mut().peekable();
    python.for_each_python_function(|function, line| {
        let module = shared.module_number(function);
        if let Some(place) = places.next_if(|_| module != 0) {
            *place = (module << MODULE) | u64::from(line);
        }
        module != 0 && places.peek().is_some()
    });
    if frames.get(before).is_none_or(|first| *first == 0) { native } else { frames }
}

extern "C" fn record_unwound_frame(context: *mut c_void, data: *mut c_void) -> c_int {
    let mut is_exact = 0;
    // SAFETY: `data` is the walk that `native_stack` passed, and the context is the unwinder's.
    let (walk, address) =
        unsafe { (&mut *data.cast::<StackWalk>(), _Unwind_GetIPInfo(context, &mut is_exact)) };
    // The caller of a thread's first frame has the address 0. A result other than 0 ends the walk.
    if address == 0 {
        return 1;
    }
    // A return address may be past its function's end, so 1 is subtracted. The address of interrupted code is exact.
    walk.addresses[walk.count] = address - usize::from(is_exact == 0);
    walk.count += 1;
    (walk.count == DEPTH).into()
}

/// Packs an address of code into a frame: the number of the file, and the address in the file.
pub fn pack_code_address(shared: &SharedFile, address: usize) -> u64 {
    let map = link_map_of(address);
    pack_frame(map.map_or(0, |map| module_of_link_map(shared, map)), map, address)
}

fn pack_frame(module: u64, map: Option<&LinkMap>, address: usize) -> u64 {
    let base = map.filter(|_| module != 0).map_or(0, |map| map.base);
    (module << MODULE) | address_of_frame((address - base) as u64)
}

/// Returns the dynamic loader's entry of the file with the code at `address`, or `None` if the loader has no such file.
/// The entry is valid while the file is loaded. With glibc 2.35 or newer, this function takes a lock only until `FIND`
/// has the address of `_dl_find_object`. With an older glibc, each call takes a lock.
pub fn link_map_of<'a>(address: usize) -> Option<&'a LinkMap> {
    /// glibc's `struct dl_find_object`, with more room than glibc writes.
    #[repr(C)]
    struct DlFindObject {
        flags: u64,
        range: [usize; 2],
        map: *const LinkMap,
        rest: [u64; 16],
    }
    type FindObjectFn = unsafe extern "C" fn(*const c_void, *mut DlFindObject) -> c_int;
    static FIND: LazyWord = LazyWord::new();
    // SAFETY: the name is a C string literal.
    let find =
        FIND.get_or_find(|| unsafe { libc::dlsym(libc::RTLD_DEFAULT, c"_dl_find_object".as_ptr()) }.addr());
    let at = address as *const c_void;
    // SAFETY: the two functions have glibc's types. The code at `address` is running, or its file is never unloaded.
    unsafe {
        if find != 0 {
            let mut found = DlFindObject { flags: 0, range: [0; 2], map: ptr::null(), rest: [0; 16] };
            let is_found = transmute::<usize, FindObjectFn>(find)(at, &mut found) == 0;
            return if is_found { found.map.as_ref() } else { None };
        }
        const LINK_MAP: c_int = 2;
        let (mut info, mut map) = (std::mem::zeroed(), ptr::null());
        if dladdr1(at, &mut info, &mut map, LINK_MAP) != 0 { map.as_ref() } else { None }
    }
}

/// Returns the number of the file that `map`, the dynamic loader's entry, describes; or 0 if the file gets no number.
fn module_of_link_map(shared: &SharedFile, map: &LinkMap) -> u64 {
    static IS_KNOWN: [AtomicBool; MAX_MODULES + 1] = [const { AtomicBool::new(false) }; MAX_MODULES + 1];
    let number = match map.file_name().to_bytes() {
        [] => main_program_module(shared),
        // The check opens a relative name in its own working directory. If the program had another working directory
        // when it loaded the file, the check opens the wrong file or none.
        named => shared.module_number(named),
    };
    if !IS_KNOWN[number as usize].load(Relaxed) {
        IS_KNOWN[number as usize].store(true, Relaxed);
        HAS_NEW_FILES.store(true, Relaxed);
    }
    number
}

fn main_program_module(shared: &SharedFile) -> u64 {
    static NUMBER: LazyWord = LazyWord::new();
    let number = NUMBER.get_or_find(|| {
        let mut path = [0; PATH_BYTES];
        let at = path.as_mut_ptr().cast();
        // SAFETY: readlink gets the buffer with its length.
        let length = unsafe { libc::readlink(c"/proc/self/exe".as_ptr(), at, path.len()) };
        usize::try_from(length).map_or(0, |length| shared.module_number(&path[..length]) as usize)
    });
    number as u64
}
