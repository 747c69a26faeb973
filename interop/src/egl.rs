//! An OpenGL context without a window, on a device that the program chooses. Every function is looked up
//! by name; nothing is linked.

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::ptr;

use crate::c_library::{self, functions};
use crate::{Error, Result};

functions! {
    /// EGL's functions.
    pub struct Functions {
        fn eglInitialize(*mut c_void, *mut c_int, *mut c_int) -> c_uint;
        fn eglBindAPI(c_uint) -> c_uint;
        fn eglChooseConfig(*mut c_void, *const c_int, *mut *mut c_void, c_int, *mut c_int) -> c_uint;
        fn eglCreateContext(*mut c_void, *mut c_void, *mut c_void, *const c_int) -> *mut c_void;
        fn eglDestroyContext(*mut c_void, *mut c_void) -> c_uint;
        fn eglMakeCurrent(*mut c_void, *mut c_void, *mut c_void, *mut c_void) -> c_uint;
        fn eglQueryDevicesEXT(c_int, *mut *mut c_void, *mut c_int) -> c_uint;
        fn eglGetPlatformDisplayEXT(c_uint, *mut c_void, *const c_int) -> *mut c_void;
    }
}

const PLATFORM_DEVICE_EXT: c_uint = 0x313f;
const OPENGL_API: c_uint = 0x30a2;
const NONE: c_int = 0x3038;
const RENDERABLE_TYPE: c_int = 0x3040;
const OPENGL_BIT: c_int = 8;
const SURFACE_TYPE: c_int = 0x3033;
const CONTEXT_MAJOR_VERSION: c_int = 0x3098;
const CONTEXT_MINOR_VERSION: c_int = 0x30fb;

type GetProcAddress = unsafe extern "system" fn(*const c_char) -> *const c_void;

/// EGL's functions, and its lookup of functions by name.
pub struct Egl {
    f: &'static Functions,
    get_proc_address: GetProcAddress,
}

impl Egl {
    /// Opens libEGL.so.1.
    pub fn open() -> Result<Self> {
        let library = c_library::open(&["libEGL.so.1"])?;
        // SAFETY: the type is that of EGL's headers.
        let get_proc_address = unsafe { library.get::<GetProcAddress>(b"eglGetProcAddress\0") }
            .map(|symbol| *symbol)
            .map_err(|error| Error::Missing(error.to_string()))?;
        // SAFETY: as above. EGL's own lookup knows EGL's functions too.
        let f = unsafe { Functions::load(|name| get_proc_address(name.as_ptr())) }?;
        Ok(Self { f: Box::leak(Box::new(f)), get_proc_address })
    }

    /// Returns an address for the function, whether or not the current context has it.
    pub fn find(&self, name: &CStr) -> *const c_void {
        // SAFETY: the name is a string of C's.
        unsafe { (self.get_proc_address)(name.as_ptr()) }
    }

    /// Returns the devices that a context can be created on.
    pub fn devices(&self) -> Vec<*mut c_void> {
        let mut devices = vec![ptr::null_mut(); 64];
        let mut count = 0;
        // SAFETY: `devices` is as long as said.
        unsafe { (self.f.eglQueryDevicesEXT)(devices.len() as c_int, devices.as_mut_ptr(), &mut count) };
        devices.truncate(count as usize);
        devices
    }

    /// Creates a context of OpenGL 4.5 (the first with direct state access), current in this thread.
    ///
    /// # Safety
    ///
    /// The device is one of [`Egl::devices`].
    pub unsafe fn context(&self, device: *mut c_void) -> Result<Context> {
        let f = self.f;
        let missing = |what: &str| Error::Missing(format!("a device where {what}"));
        let none = ptr::null_mut();
        // SAFETY: the device is EGL's; the lists end with NONE; every pointer is to one value.
        unsafe {
            let display = (f.eglGetPlatformDisplayEXT)(PLATFORM_DEVICE_EXT, device, ptr::null());
            let (mut major, mut minor) = (0, 0);
            if (f.eglInitialize)(display, &mut major, &mut minor) == 0 {
                return Err(missing("eglInitialize fails"));
            }
            (f.eglBindAPI)(OPENGL_API);
            let wanted = [RENDERABLE_TYPE, OPENGL_BIT, SURFACE_TYPE, 0, NONE];
            let (mut config, mut count) = (none, 0);
            (f.eglChooseConfig)(display, wanted.as_ptr(), &mut config, 1, &mut count);
            let version = [CONTEXT_MAJOR_VERSION, 4, CONTEXT_MINOR_VERSION, 5, NONE];
            let raw = (f.eglCreateContext)(display, config, none, version.as_ptr());
            if raw.is_null() {
                return Err(missing("EGL makes no context of OpenGL 4.5"));
            }
            let context = Context { f, display, raw };
            if (f.eglMakeCurrent)(display, none, none, raw) == 0 {
                return Err(missing("a context needs a window"));
            }
            Ok(context)
        }
    }
}

/// A context without a surface. It is destroyed at the end of its scope.
pub struct Context {
    f: &'static Functions,
    display: *mut c_void,
    raw: *mut c_void,
}

impl Drop for Context {
    fn drop(&mut self) {
        let none = ptr::null_mut();
        // SAFETY: made once. The display is not terminated: another context may be on it.
        unsafe {
            (self.f.eglMakeCurrent)(self.display, none, none, none);
            (self.f.eglDestroyContext)(self.display, self.raw);
        }
    }
}
