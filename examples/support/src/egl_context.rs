//! Creates EGL images, and OpenGL contexts that need no window, on the device that the program chooses.

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::ptr;

use crate::dynamic_library::{self, functions};
use crate::{Error, Result};

functions! {
    pub struct EglFunctions {
        fn eglInitialize(*mut c_void, *mut c_int, *mut c_int) -> c_uint;
        fn eglBindAPI(c_uint) -> c_uint;
        fn eglChooseConfig(*mut c_void, *const c_int, *mut *mut c_void, c_int, *mut c_int) -> c_uint;
        fn eglCreateContext(*mut c_void, *mut c_void, *mut c_void, *const c_int) -> *mut c_void;
        fn eglDestroyContext(*mut c_void, *mut c_void) -> c_uint;
        fn eglMakeCurrent(*mut c_void, *mut c_void, *mut c_void, *mut c_void) -> c_uint;
        fn eglQueryDevicesEXT(c_int, *mut *mut c_void, *mut c_int) -> c_uint;
        fn eglGetPlatformDisplayEXT(c_uint, *mut c_void, *const c_int) -> *mut c_void;
        fn eglCreateImageKHR(*mut c_void, *mut c_void, c_uint, *mut c_void, *const c_int) -> *mut c_void;
        fn eglDestroyImageKHR(*mut c_void, *mut c_void) -> c_uint;
        fn eglGetError() -> c_int;
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
const GL_TEXTURE_2D: c_uint = 0x30b1;
const GL_TEXTURE_LEVEL: c_int = 0x30bc;
const IMAGE_PRESERVED: c_int = 0x30d2;

type GetProcAddress = unsafe extern "system" fn(*const c_char) -> *const c_void;

#[derive(Clone, Copy)]
pub struct Egl {
    f: &'static EglFunctions,
    get_proc_address: GetProcAddress,
}

impl Egl {
    pub fn open_egl() -> Result<Self> {
        let library = dynamic_library::open_first_library(&["libEGL.so.1"])?;
        // SAFETY: the type is that of EGL's headers.
        let get_proc_address = unsafe { library.get::<GetProcAddress>(b"eglGetProcAddress\0") }
            .map(|symbol| *symbol)
            .map_err(|error| Error::Missing(error.to_string()))?;
        // SAFETY: the types are those of EGL's headers. `eglGetProcAddress` finds EGL's functions as well as OpenGL's.
        let f = unsafe { EglFunctions::load_functions(|name| get_proc_address(name.as_ptr())) }?;
        Ok(Self { f: Box::leak(Box::new(f)), get_proc_address })
    }

    /// Returns the address of a function. EGL may return an address even if the current context lacks the function.
    pub fn function_address(&self, name: &CStr) -> *const c_void {
        // SAFETY: the name is a C string.
        unsafe { (self.get_proc_address)(name.as_ptr()) }
    }

    pub fn egl_devices(&self) -> Vec<*mut c_void> {
        let mut devices = vec![ptr::null_mut(); 64];
        let mut count = 0;
        // SAFETY: `devices` has as many elements as the first argument says.
        unsafe { (self.f.eglQueryDevicesEXT)(devices.len() as c_int, devices.as_mut_ptr(), &mut count) };
        devices.truncate(count as usize);
        devices
    }

    /// Creates a context of OpenGL 4.5, the first version with direct state access, and makes it current.
    ///
    /// # Safety
    ///
    /// The device must be one that [`Egl::egl_devices`] returned.
    pub unsafe fn create_context(&self, device: *mut c_void) -> Result<EglContext> {
        let f = self.f;
        let missing = |what: &str| Error::Missing(format!("a device where {what}"));
        let none = ptr::null_mut();
        // SAFETY: the caller guarantees that EGL returned `device`. Every other handle is null or was returned by EGL.
        // `wanted` and `version` end with NONE, and every other pointer is null or to one variable.
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
            let context = EglContext { egl: *self, display, raw };
            if (f.eglMakeCurrent)(display, none, none, raw) == 0 {
                return Err(missing("a context needs a window"));
            }
            Ok(context)
        }
    }
}

/// An OpenGL context without a surface. Dropping this value destroys the context.
pub struct EglContext {
    egl: Egl,
    display: *mut c_void,
    raw: *mut c_void,
}

impl EglContext {
    /// Creates an EGL image of a texture's level 0. The caller destroys the image.
    ///
    /// **`eglCreateImageKHR` enqueues work in OpenGL**: call `glFinish` before another API uses the image.
    pub fn create_egl_image(&self, texture: c_uint) -> Result<*mut c_void> {
        let attributes = [GL_TEXTURE_LEVEL, 0, IMAGE_PRESERVED, 1, NONE];
        let texture = ptr::without_provenance_mut(texture as usize);
        let (egl, of) = (self.egl.f, attributes.as_ptr());
        // SAFETY: the display and the context live, and the list ends with NONE.
        let image = unsafe { (egl.eglCreateImageKHR)(self.display, self.raw, GL_TEXTURE_2D, texture, of) };
        if image.is_null() {
            // SAFETY: the function takes no argument.
            let code = unsafe { (egl.eglGetError)() };
            return Err(Error::Failed(format!("eglCreateImageKHR: EGL returned {code:#x}")));
        }
        Ok(image)
    }

    /// Destroys an image. The texture keeps its memory.
    ///
    /// # Safety
    ///
    /// The image must be one that [`EglContext::create_egl_image`] returned, and must not have been destroyed.
    pub unsafe fn destroy_egl_image(&self, image: *mut c_void) -> bool {
        // SAFETY: the display lives, and the caller guarantees that `image` is one of its images.
        unsafe { (self.egl.f.eglDestroyImageKHR)(self.display, image) != 0 }
    }
}

impl Drop for EglContext {
    fn drop(&mut self) {
        let none = ptr::null_mut();
        // SAFETY: only this call destroys the context. Do not terminate the display: another context may use it.
        unsafe {
            (self.egl.f.eglMakeCurrent)(self.display, none, none, none);
            (self.egl.f.eglDestroyContext)(self.display, self.raw);
        }
    }
}
