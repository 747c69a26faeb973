//! Captures the calling thread's stack: addresses of code, each with its file's number, and Python functions.
//!
//! `unwind_stack_frames` looks up each address's file at once, since the program may load another file there later.
//!
//! The functions of this file do not allocate: they may run in a signal handler, if the handler calls `close`.

use std::cell::UnsafeCell;
use std::ffi::{CStr, c_int, c_void};
use std::mem::transmute;
use std::ptr;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicBool, AtomicU64};

use cuda_external_in_process::LazyWord;

use crate::python_frames::{self, PythonFrameReader};
use crate::shared_file::{DEPTH, PATH_BYTES, SharedFile, StackFrames};

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
    fn _Unwind_GetCFA(context: *mut c_void) -> usize;
}

unsafe extern "C" {
    fn dladdr1(
        address: *const c_void,
        info: *mut libc::Dl_info,
        extra: *mut *const LinkMap,
        flags: c_int,
    ) -> c_int;
}

#[derive(Clone, Copy)]
struct StackWalk {
    /// The stack address at which the walk began, or 0 if the walk cannot be used again.
    begun_at: usize,
    /// The `pthread_self` of the thread that was walked. `is_same_stack` compares this value, since a later thread's
    /// smaller stack may contain `begun_at`. The addresses in `returns` may be outside of the smaller stack, and
    /// unreadable.
    thread: libc::pthread_t,
    count: usize,
    addresses: [usize; DEPTH],
    /// Pairs of a stack address and the return address that is stored there.
    returns: [(usize, usize); DEPTH],
    frames: StackFrames,
}

impl StackWalk {
    const NONE: Self = Self {
        begun_at: 0,
        thread: 0,
        count: 0,
        addresses: [0; DEPTH],
        returns: [(0, 0); DEPTH],
        frames: [0; DEPTH],
    };

    /// Returns whether this thread's stack at `begins_at` still has the walk's return addresses.
    fn is_same_stack(&self, begins_at: usize, thread: libc::pthread_t) -> bool {
        // SAFETY: `is_there` runs only if a thread with the same `pthread_self` began the recorded walk at the same
        // stack address. `all` compares the inner frames first. If the stack has the recorded return addresses of these
        // frames, the next frame's `at` is in the stack, too.
        let is_there = |(at, address): &(usize, usize)| unsafe { *(*at as *const usize) == *address };
        (self.begun_at, self.thread) == (begins_at, thread)
            && self.returns.iter().take(self.count).skip(1).all(is_there)
    }
}

/// A slot of the cache of walks. If the slot is in use, `cached_native_stack` walks the stack without the cache. A wait
/// for the slot might never end: a signal handler may have interrupted the code that uses the slot.
struct CachedStackWalk {
    is_used: AtomicBool,
    walk: UnsafeCell<StackWalk>,
}

// SAFETY: a thread touches `walk` only between setting `is_used` and clearing it.
unsafe impl Sync for CachedStackWalk {}

/// Returns this thread's call stack, with the layer's own frames: the check's `describe_stack` leaves them out.
#[inline(always)] // one frame fewer to walk
pub fn capture_stack(shared: &SharedFile) -> StackFrames {
    add_python_functions(shared, cached_native_stack(shared))
}

/// Returns whether a file appeared in a call stack for the first time since the last call of this function.
pub fn has_new_code_files() -> bool {
    HAS_NEW_FILES.load(Relaxed) && HAS_NEW_FILES.swap(false, Relaxed)
}

static HAS_NEW_FILES: AtomicBool = AtomicBool::new(false);

#[inline(never)]
fn cached_native_stack(shared: &SharedFile) -> StackFrames {
    static ALL: [CachedStackWalk; 64] = [const {
        CachedStackWalk { is_used: AtomicBool::new(false), walk: UnsafeCell::new(StackWalk::NONE) }
    }; 64];
    let mut new = StackWalk::NONE;
    let begins_at = (&raw const new).addr();
    // SAFETY: the call only returns a number.
    let thread = unsafe { libc::pthread_self() };
    let last = &ALL[begins_at / 64 % ALL.len()];
    if last.is_used.swap(true, Acquire) {
        new.unwind_stack_frames(shared);
        return new.frames;
    }
    // SAFETY: `is_used` was not set, so this thread alone has the walk until it clears `is_used`.
    let walk = unsafe { &mut *last.walk.get() };
    if !walk.is_same_stack(begins_at, thread) {
        (new.begun_at, new.thread) = (begins_at, thread);
        new.unwind_stack_frames(shared);
        *walk = new;
    }
    let frames = walk.frames;
    last.is_used.store(false, Release);
    frames
}

fn add_python_functions(shared: &SharedFile, native: StackFrames) -> StackFrames {
    python_frames::found_frame_reader()
        .map_or(native, |python| replace_interpreter_frames(shared, native, python))
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
    let interpreter = module_of_frame(pack_code_address(shared, python.address_in_interpreter_file()));
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

impl StackWalk {
    #[inline(always)] // one frame fewer to walk
    fn unwind_stack_frames(&mut self, shared: &SharedFile) {
        // SAFETY: `_Unwind_Backtrace` passes this walk to `record_unwound_frame`, and keeps no pointer to the walk.
        unsafe { _Unwind_Backtrace(record_unwound_frame, ptr::from_mut(self).cast()) };
        // Most frames have the same file as the frame before, so `last` keeps that file's number.
        let mut last = (ptr::null(), 0);
        self.frames = self.addresses.map(|address| {
            let map = if address == 0 { None } else { link_map_of(address) };
            let at = map.map_or(ptr::null(), ptr::from_ref);
            if at != last.0 {
                last = (at, map.map_or(0, |map| module_of_link_map(shared, map)));
            }
            pack_frame(last.1, map, address)
        });
    }
}

extern "C" fn record_unwound_frame(context: *mut c_void, data: *mut c_void) -> c_int {
    let mut is_exact = 0;
    // SAFETY: `data` is the walk that `unwind_stack_frames` passed, and the context is the unwinder's.
    let (walk, address, top) = unsafe {
        let address = _Unwind_GetIPInfo(context, &mut is_exact);
        (&mut *data.cast::<StackWalk>(), address, _Unwind_GetCFA(context))
    };
    // The caller of a thread's first frame has the address 0. A result other than 0 ends the walk.
    if address == 0 {
        return 1;
    }
    // `is_same_stack` expects each return address, except the walk's first address, in the word below `top`. If
    // `address` is not in this word, no later capture uses this walk.
    let at = top.wrapping_sub(size_of::<usize>());
    // SAFETY: unless `top` is 0, `at` is the word below the top of a frame of this thread's stack.
    if walk.count > 0 && (top == 0 || unsafe { *(at as *const usize) } != address) {
        walk.begun_at = 0;
    }
    // A return address may be past its function's end, so 1 is subtracted. The address of interrupted code is exact.
    walk.addresses[walk.count] = address - usize::from(is_exact == 0);
    walk.returns[walk.count] = (at, address);
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
/// `KNOWN` caches the number by the entry's address. Another file's entry may get this address later, so this function
/// also compares the file's name.
fn module_of_link_map(shared: &SharedFile, map: &LinkMap) -> u64 {
    static KNOWN: [AtomicU64; 256] = [const { AtomicU64::new(0) }; 256];
    let name = map.file_name();
    let at = address_of_frame(ptr::from_ref(map).addr() as u64);
    // Few files have code in stacks, so a linear search ends soon, at the file's place or at the first free one.
    let of_file = |place: &&AtomicU64| [0, at].contains(&address_of_frame(place.load(Acquire)));
    let place = KNOWN.iter().find(of_file);
    let number = place.map_or(0, |place| module_of_frame(place.load(Acquire)));
    // The main program's entry has no name, and needs no comparison: the main program is never unloaded.
    if number != 0 && (name.is_empty() || shared.is_module(number, name.to_bytes())) {
        return number;
    }
    let number = match name.to_bytes() {
        [] => main_program_module(shared),
        // The check opens a relative name in its own working directory. If the program had another working directory
        // when it loaded the file, the check opens the wrong file or none.
        named => shared.module_number(named),
    };
    if let Some(place) = place {
        HAS_NEW_FILES.store(true, Relaxed);
        place.store((number << MODULE) | at, Release);
    }
    number
}

fn main_program_module(shared: &SharedFile) -> u64 {
    let mut path = [0; PATH_BYTES];
    // SAFETY: readlink gets the buffer with its length.
    let length = unsafe { libc::readlink(c"/proc/self/exe".as_ptr(), path.as_mut_ptr().cast(), path.len()) };
    usize::try_from(length).map_or(0, |length| shared.module_number(&path[..length]))
}

#[test]
#[cfg_attr(miri, ignore = "Miri has no unwinder of C")]
fn a_cached_walk_is_not_used_for_another_stack() {
    // SAFETY: zeros are valid for atomics.
    let shared: Box<SharedFile> = unsafe { Box::new_zeroed().assume_init() };
    #[inline(never)]
    fn capture_in_first(shared: &SharedFile) -> StackFrames {
        std::hint::black_box(capture_stack(shared))
    }
    #[inline(never)]
    fn capture_in_second(shared: &SharedFile) -> StackFrames {
        std::hint::black_box(capture_stack(shared))
    }
    let walks: [fn(&SharedFile) -> StackFrames; 3] = [capture_in_first, capture_in_second, capture_in_first];
    let all = Vec::from_iter(std::hint::black_box(&walks).iter().map(|walk| walk(&shared)));
    assert!(all[0] == all[2] && all[0] != all[1] && all[0][2..] == all[1][2..], "{all:x?}");
}
