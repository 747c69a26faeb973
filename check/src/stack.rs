//! The call stack of a thread: return addresses, each with the file that its code comes from.
//!
//! The file is looked up at once, since another one may be loaded at the same address later. Nothing here allocates: a
//! signal handler may call `close`, which takes a stack.

use std::ffi::{CStr, c_int, c_void};
use std::mem::transmute;
use std::ptr;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use crate::shared::{DEPTH, Frames, PATH, Shared};

/// The upper bits of a frame are the number of its file. The lower bits are the address in the file, or in memory if
/// the code comes from no file.
const MODULE: u32 = 48;

pub fn module_of(frame: u64) -> u64 {
    frame >> MODULE
}

pub fn address_of(frame: u64) -> u64 {
    frame & ((1 << MODULE) - 1)
}

/// The beginning of what the loader keeps for a loaded file.
#[repr(C)]
struct LinkMap {
    base: usize,
    name: *const libc::c_char,
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

/// Returns the call stack of this thread. The layer's own frames are left out when it is printed.
#[inline(never)]
pub fn frames(shared: &Shared) -> Frames {
    let mut walk: Walk = (0, [0; DEPTH]);
    // SAFETY: the function gets back the pointer to `walk`, which is not used meanwhile.
    unsafe { _Unwind_Backtrace(each, (&raw mut walk).cast()) };
    // Most frames are of the same file as the frame before.
    let mut last = (ptr::null(), 0);
    walk.1.map(|address| {
        let map = if address == 0 { ptr::null() } else { link_map(address) };
        if map != last.0 {
            last = (map, number_of(shared, map));
        }
        packed(last.1, map, address)
    })
}

/// How many addresses were found, and these.
type Walk = (usize, [usize; DEPTH]);

extern "C" fn each(context: *mut c_void, data: *mut c_void) -> c_int {
    let mut is_exact = 0;
    // SAFETY: `data` is what is passed above, and the context is the unwinder's.
    let (walk, address) = unsafe { (&mut *data.cast::<Walk>(), _Unwind_GetIPInfo(context, &mut is_exact)) };
    // Any number but 0 ends the walk. The frame before a program's first one has no address.
    if address == 0 {
        return 1;
    }
    // A return address may lie in the function after the caller, so 1 is subtracted. The frame below a signal handler
    // has the exact address where the signal came.
    walk.1[walk.0] = address - usize::from(is_exact == 0);
    walk.0 += 1;
    (walk.0 == DEPTH).into()
}

/// Packs an address with its file.
pub fn frame(shared: &Shared, address: usize) -> u64 {
    let map = link_map(address);
    packed(number_of(shared, map), map, address)
}

fn number_of(shared: &Shared, map: *const LinkMap) -> u64 {
    // SAFETY: the loader's struct of a file whose code runs, or null.
    unsafe { map.as_ref() }.map_or(0, |map| module(shared, map))
}

fn packed(module: u64, map: *const LinkMap, address: usize) -> u64 {
    // SAFETY: the loader's struct of a file whose code runs, or null.
    let base = unsafe { map.as_ref() }.filter(|_| module != 0).map_or(0, |map| map.base);
    (module << MODULE) | ((address - base) as u64 & ((1 << MODULE) - 1))
}

/// Returns the loader's entry for the file of an address; takes no lock with glibc 2.35 or newer.
fn link_map(address: usize) -> *const LinkMap {
    /// The C library's struct, and more than it writes.
    #[repr(C)]
    struct Found {
        flags: u64,
        range: [usize; 2],
        map: *const LinkMap,
        rest: [u64; 16],
    }
    type Find = unsafe extern "C" fn(*const c_void, *mut Found) -> c_int;
    static FIND: AtomicU64 = AtomicU64::new(1);
    let mut find = FIND.load(Relaxed);
    if find == 1 {
        // SAFETY: the name ends in zero.
        find = unsafe { libc::dlsym(libc::RTLD_DEFAULT, c"_dl_find_object".as_ptr()) }.addr() as u64;
        FIND.store(find, Relaxed);
    }
    let at = address as *const c_void;
    // SAFETY: the C library's function of this name; structs to be filled.
    unsafe {
        if find != 0 {
            let mut found = Found { flags: 0, range: [0; 2], map: ptr::null(), rest: [0; 16] };
            let is_found = transmute::<usize, Find>(find as usize)(at, &mut found) == 0;
            return if is_found { found.map } else { ptr::null() };
        }
        const LINK_MAP: c_int = 2;
        let (mut info, mut map) = (std::mem::zeroed(), ptr::null());
        if dladdr1(at, &mut info, &mut map, LINK_MAP) != 0 { map } else { ptr::null() }
    }
}

/// Returns the number of a file. It is looked up once for each entry of the loader's list. Later its name is compared
/// again, since the loader may use the entry for another file.
fn module(shared: &Shared, map: &LinkMap) -> u64 {
    static KNOWN: [AtomicU64; 256] = [const { AtomicU64::new(0) }; 256];
    // SAFETY: the pointer is null, or a string of the loader.
    let name = if map.name.is_null() { c"" } else { unsafe { CStr::from_ptr(map.name) } };
    let at = address_of(ptr::from_ref(map).addr() as u64);
    // Few files are in stacks: the first place that is free, or has this one.
    let of_file = |place: &&AtomicU64| [0, at].contains(&address_of(place.load(Acquire)));
    let place = KNOWN.iter().find(of_file);
    let number = place.map_or(0, |place| module_of(place.load(Acquire)));
    // The program itself has no name, and stays.
    if number != 0 && (name.is_empty() || shared.is_module(number, name.to_bytes())) {
        return number;
    }
    let number = match name.to_bytes() {
        [] => of_program(shared),
        // A relative one is of the directory in which the program was, where the check begins to look too.
        named => shared.module(named),
    };
    if let Some(place) = place {
        place.store((number << MODULE) | at, Release);
    }
    number
}

/// The number of the program: by what the system says, or where there is no /proc, by what name it was started.
fn of_program(shared: &Shared) -> u64 {
    let mut path = [0; PATH];
    // SAFETY: a buffer of that length, and the string that the system left for the process.
    unsafe {
        let length = libc::readlink(c"/proc/self/exe".as_ptr(), path.as_mut_ptr().cast(), path.len());
        let name = libc::getauxval(libc::AT_EXECFN) as *const libc::c_char;
        match usize::try_from(length) {
            Ok(length) => shared.module(&path[..length]),
            Err(_) if name.is_null() => 0,
            Err(_) => shared.module(CStr::from_ptr(name).to_bytes()),
        }
    }
}
