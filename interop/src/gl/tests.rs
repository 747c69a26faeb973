//! The calls of EGL and OpenGL, one by one, to fake functions.

use std::cell::{Cell, RefCell};
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::fs::File;
use std::ptr::{null, without_provenance_mut};
use std::slice;

use ash::vk;

use super::*;

thread_local! {
    static CALLS: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
    static LACKS: Cell<&'static CStr> = const { Cell::new(c"") };
    static FAILS: Cell<bool> = const { Cell::new(false) };
}

fn record(call: String) {
    CALLS.with_borrow_mut(|calls| calls.push(call));
}

/// Whether the machine lacks it.
fn lacks(what: &CStr) -> bool {
    LACKS.get() == what
}

unsafe fn list<'a, T>(first: *const T, count: c_uint) -> &'a [T] {
    if count == 0 { &[] } else { unsafe { slice::from_raw_parts(first, count as usize) } }
}

/// A list of EGL's, without its end.
unsafe fn attributes(mut list: *const c_int) -> Vec<c_int> {
    let mut found = Vec::new();
    while unsafe { *list } != 0x3038 {
        found.push(unsafe { *list });
        list = unsafe { list.add(1) };
    }
    found
}

macro_rules! fake {
    ($(fn $name:ident($($arg:ident: $ty:ty),*) $(-> $ret:ty)? $body:block)*) => {
        $(#[allow(non_snake_case, unused_unsafe, clippy::too_many_arguments)] // as C has them
        unsafe extern "system" fn $name($($arg: $ty),*) $(-> $ret)? {
            // SAFETY: the caller's pointers are as C wants them.
            unsafe { $body }
        })*

        unsafe extern "system" fn find(name: *const c_char) -> *const c_void {
            // SAFETY: a string of C's.
            match unsafe { CStr::from_ptr(name) }.to_str().unwrap() {
                $(stringify!($name) => $name as *const c_void,)*
                // These are for programs, and are not called here.
                _ => not_called as *const c_void,
            }
        }
    };
}

unsafe extern "system" fn not_called() {
    std::process::abort();
}

fake! {
    fn eglInitialize(display: *mut c_void, _major: *mut c_int, _minor: *mut c_int) -> c_uint {
        record(format!("eglInitialize {display:?}"));
        c_uint::from(!lacks(c"display"))
    }
    fn eglBindAPI(api: c_uint) -> c_uint { record(format!("eglBindAPI {api:#x}")); 1 }
    fn eglChooseConfig(
        display: *mut c_void, wanted: *const c_int, config: *mut *mut c_void, size: c_int, count: *mut c_int
    ) -> c_uint {
        record(format!("eglChooseConfig {display:?} {:x?} {size}", attributes(wanted)));
        *config = without_provenance_mut(0x30);
        *count = 1;
        1
    }
    fn eglCreateContext(
        display: *mut c_void, config: *mut c_void, share: *mut c_void, wanted: *const c_int
    ) -> *mut c_void {
        record(format!("eglCreateContext {display:?} {config:?} {share:?} {:x?}", attributes(wanted)));
        without_provenance_mut(if lacks(c"context") { 0 } else { 0x40 })
    }
    fn eglDestroyContext(display: *mut c_void, context: *mut c_void) -> c_uint {
        record(format!("eglDestroyContext {display:?} {context:?}"));
        1
    }
    fn eglMakeCurrent(display: *mut c_void, draw: *mut c_void, read: *mut c_void, context: *mut c_void) -> c_uint {
        record(format!("eglMakeCurrent {display:?} {draw:?} {read:?} {context:?}"));
        c_uint::from(!lacks(c"surfaceless"))
    }
    fn eglQueryDevicesEXT(size: c_int, devices: *mut *mut c_void, count: *mut c_int) -> c_uint {
        let found: &[usize] = if lacks(c"devices") { &[] } else { &[0x11, 0x12] };
        assert!(size as usize > found.len());
        *count = found.len() as c_int;
        found.iter().enumerate().for_each(|(at, device)| *devices.add(at) = without_provenance_mut(*device));
        1
    }
    fn eglGetPlatformDisplayEXT(platform: c_uint, device: *mut c_void, wanted: *const c_int) -> *mut c_void {
        record(format!("eglGetPlatformDisplayEXT {platform:#x} {device:?} {wanted:?}"));
        without_provenance_mut(device.addr() + 0x10)
    }

    fn glGetError() -> c_uint { if FAILS.get() { 0x502 } else { 0 } }
    fn glGetString(name: c_uint) -> *const c_char { if name == 0x1f01 { c"a GPU".as_ptr() } else { null() } }
    fn glGetStringi(name: c_uint, at: c_uint) -> *const c_char {
        let names = [
            c"GL_ARB_other", c"GL_EXT_memory_object", c"GL_EXT_memory_object_fd", c"GL_EXT_semaphore",
            c"GL_EXT_semaphore_fd",
        ];
        let has = names[at as usize];
        if name != 0x1f03 || lacks(has) { null() } else { has.as_ptr() }
    }
    fn glGetIntegerv(name: c_uint, value: *mut c_int) {
        *value = match name { 0x821d => 5, 0x9596 => 2, _ => panic!("{name:#x}") };
    }
    fn glGetUnsignedBytei_vEXT(name: c_uint, at: c_uint, uuid: *mut u8) {
        assert_eq!(name, 0x9597);
        // The first device is a group.
        let display = CALLS.with_borrow(|calls| calls.iter().rfind(|call| call.starts_with("eglInit")).cloned());
        let first = if display.unwrap().ends_with("0x21") { 1 } else { 3 };
        uuid.write_bytes(first + at as u8, 16);
    }

    fn glFlush() { record("glFlush".to_owned()); }
    fn glCreateBuffers(count: c_int, out: *mut c_uint) { record(format!("glCreateBuffers {count}")); *out = 51; }
    fn glNamedBufferStorageMemEXT(buffer: c_uint, size: isize, memory: c_uint, offset: u64) {
        record(format!("glNamedBufferStorageMemEXT {buffer} {size} {memory} {offset}"));
    }
    fn glCreateMemoryObjectsEXT(count: c_int, out: *mut c_uint) {
        record(format!("glCreateMemoryObjectsEXT {count}"));
        *out = 52;
    }
    fn glMemoryObjectParameterivEXT(object: c_uint, name: c_uint, value: *const c_int) {
        record(format!("glMemoryObjectParameterivEXT {object} {name:#x} {}", *value));
    }
    fn glImportMemoryFdEXT(object: c_uint, size: u64, kind: c_uint, fd: c_int) {
        record(format!("glImportMemoryFdEXT {object} {size} {kind:#x} {}", fd > 0));
    }
    fn glGenSemaphoresEXT(count: c_int, out: *mut c_uint) { record(format!("glGenSemaphoresEXT {count}")); *out = 53; }
    fn glImportSemaphoreFdEXT(semaphore: c_uint, kind: c_uint, fd: c_int) {
        record(format!("glImportSemaphoreFdEXT {semaphore} {kind:#x} {}", fd > 0));
    }
    fn glWaitSemaphoreEXT(
        semaphore: c_uint, b: c_uint, buffers: *const c_uint, t: c_uint, textures: *const c_uint, layouts: *const c_uint
    ) {
        let (buffers, textures, layouts) = (list(buffers, b), list(textures, t), list(layouts, t));
        record(format!("glWaitSemaphoreEXT {semaphore} {buffers:?} {textures:?} {layouts:x?}"));
    }
    fn glSignalSemaphoreEXT(
        semaphore: c_uint, b: c_uint, buffers: *const c_uint, t: c_uint, textures: *const c_uint, layouts: *const c_uint
    ) {
        let (buffers, textures, layouts) = (list(buffers, b), list(textures, t), list(layouts, t));
        record(format!("glSignalSemaphoreEXT {semaphore} {buffers:?} {textures:?} {layouts:x?}"));
    }
}

fn open(uuid: [u8; 16]) -> Result<Gl> {
    Gl::open_by(&Egl::with_functions(find)?, &uuid)
}

const SECOND: [&str; 6] = [
    "eglGetPlatformDisplayEXT 0x313f 0x12 0x0",
    "eglInitialize 0x22",
    "eglBindAPI 0x30a2",
    "eglChooseConfig 0x22 [3040, 8, 3033, 0] 1",
    "eglCreateContext 0x22 0x30 0x0 [3098, 4, 30fb, 5]",
    "eglMakeCurrent 0x22 0x0 0x0 0x40",
];

#[test]
fn the_device_with_the_uuid_has_a_context_until_the_end() {
    let gl = open([4; 16]).unwrap();
    let calls = CALLS.take();
    // The context on the first device is gone.
    assert_eq!(calls[6..8], ["eglMakeCurrent 0x21 0x0 0x0 0x0", "eglDestroyContext 0x21 0x40"]);
    assert_eq!(calls[8..], SECOND);
    assert_eq!(gl.renderer, "a GPU");
    drop(gl);
    assert_eq!(CALLS.take(), ["eglMakeCurrent 0x22 0x0 0x0 0x0", "eglDestroyContext 0x22 0x40"]);
    // A device of a group.
    assert_eq!(open([2; 16]).unwrap().uuids(), [[1; 16], [2; 16]]);
}

#[test]
fn what_opengl_lacks_is_named() {
    let why = |lacks| {
        LACKS.set(lacks);
        match open([9; 16]) {
            Err(Error::Missing(words)) => words,
            _ => panic!("nothing is missing"),
        }
    };
    let begin = "OpenGL does not have CUDA's device 09090909-0909-0909-0909-090909090909. It has: ";
    let of_both = |what: &str| format!("{begin}{what}; {what}");
    assert_eq!(why(c"none"), of_both("a GPU (another device)"));
    assert_eq!(why(c"devices"), format!("{begin}none"));
    assert_eq!(why(c"display"), of_both("a device where eglInitialize fails"));
    assert_eq!(why(c"context"), of_both("a device where EGL makes no context of OpenGL 4.5"));
    CALLS.take();
    assert_eq!(why(c"surfaceless"), of_both("a device where a context needs a window"));
    assert_eq!(CALLS.take().iter().filter(|call| call.starts_with("eglDestroyContext")).count(), 2);
    assert_eq!(why(c"GL_EXT_semaphore_fd"), of_both("a GPU (no GL_EXT_semaphore_fd)"));
    assert_eq!(why(c"GL_EXT_memory_object"), of_both("a GPU (no GL_EXT_memory_object)"));
}

#[test]
fn memory_and_semaphores_are_imported() {
    let gl = open([3; 16]).unwrap();
    let vulkan = crate::vulkan::fake().unwrap();
    let memory =
        Memory::new(&vulkan, 300, 0b10, crate::vulkan::DedicatedTo::Buffer(vk::Buffer::null())).unwrap();
    let everything = |gl: &Gl| {
        CALLS.take();
        [
            gl.import_memory(&memory),
            gl.import_semaphore(File::open("/dev/null").unwrap().into()),
            gl.buffer(52, 7, 8),
            gl.wait(53, &[1, 2], &[3]).map(|()| 0),
            gl.signal(53, &[4], &[5, 6]).map(|()| 0),
        ]
    };
    assert_eq!(everything(&gl).map(Result::unwrap), [52, 53, 51, 0, 0]);
    let expected = [
        "glCreateMemoryObjectsEXT 1",
        "glMemoryObjectParameterivEXT 52 0x9581 1",
        "glImportMemoryFdEXT 52 300 0x9586 true",
        "glGenSemaphoresEXT 1",
        "glImportSemaphoreFdEXT 53 0x9586 true",
        "glCreateBuffers 1",
        "glNamedBufferStorageMemEXT 51 8 52 7",
        "glWaitSemaphoreEXT 53 [1, 2] [3] [958d]",
        "glSignalSemaphoreEXT 53 [4] [5, 6] [958d, 958d]",
        "glFlush",
    ];
    assert_eq!(CALLS.take(), expected);
    FAILS.set(true);
    let words = everything(&gl).map(|result| result.unwrap_err().to_string());
    let of = |what: &str| format!("{what}: OpenGL returned 0x0502");
    let expected =
        ["glImportMemoryFdEXT", "glImportSemaphoreFdEXT", "glNamedBufferStorageMemEXT", "glWaitSemaphoreEXT"];
    assert_eq!(words[..4], expected.map(of));
    assert_eq!(words[4], of("glSignalSemaphoreEXT"));
}
