//! An OpenGL context without a window, on a device that the program chooses, and EGL images. Every function is looked
//! up by name; nothing is linked.

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
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
        fn eglQueryDeviceAttribEXT(*mut c_void, c_int, *mut isize) -> c_uint;
        fn eglGetPlatformDisplayEXT(c_uint, *mut c_void, *const c_int) -> *mut c_void;
    }
}

const CUDA_DEVICE_NV: c_int = 0x323a;
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
        // SAFETY: the types are those of EGL's headers. EGL's own lookup knows EGL's functions too.
        let f = unsafe { EglFunctions::load_functions(|name| get_proc_address(name.as_ptr())) }?;
        Ok(Self { f: Box::leak(Box::new(f)), get_proc_address })
    }

    /// Returns an address for the function, whether or not the current context has it.
    pub fn function_address(&self, name: &CStr) -> *const c_void {
        // SAFETY: the name is a C string.
        unsafe { (self.get_proc_address)(name.as_ptr()) }
    }

    /// Returns the devices that a context can be created on.
    pub fn egl_devices(&self) -> Vec<*mut c_void> {
        let mut devices = vec![ptr::null_mut(); 64];
        let mut count = 0;
        // SAFETY: `devices` is as long as said.
        unsafe { (self.f.eglQueryDevicesEXT)(devices.len() as c_int, devices.as_mut_ptr(), &mut count) };
        devices.truncate(count as usize);
        devices
    }

    /// Returns CUDA's device with this ordinal, by the extension `EGL_NV_device_cuda`.
    pub fn device_of_cuda(&self, ordinal: c_int) -> Option<*mut c_void> {
        let is_cudas = |device: &*mut c_void| {
            let mut value = -1;
            // SAFETY: the device is EGL's, and the pointer is to one value. Mesa's devices have none.
            let has = unsafe { (self.f.eglQueryDeviceAttribEXT)(*device, CUDA_DEVICE_NV, &mut value) };
            has != 0 && value == ordinal as isize
        };
        self.egl_devices().into_iter().find(is_cudas)
    }

    /// Creates a context of OpenGL 4.5 (the first with direct state access), current in this thread.
    ///
    /// # Safety
    ///
    /// The device is one of [`Egl::egl_devices`].
    pub unsafe fn create_context(&self, device: *mut c_void) -> Result<EglContext> {
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
            let context = EglContext { egl: *self, display, raw };
            if (f.eglMakeCurrent)(display, none, none, raw) == 0 {
                return Err(missing("a context needs a window"));
            }
            Ok(context)
        }
    }
}

/// A context without a surface. It is destroyed at the end of its scope.
pub struct EglContext {
    pub(crate) egl: Egl,
    display: *mut c_void,
    raw: *mut c_void,
}

impl EglContext {
    pub fn egl_images(&self) -> Result<EglImages> {
        // SAFETY: the types are those of EGL's headers.
        let f = unsafe { EglImageFunctions::load_functions(|name| self.egl.function_address(name)) }?;
        Ok(EglImages { f, display: self.display, context: self.raw })
    }
}

impl Drop for EglContext {
    fn drop(&mut self) {
        let none = ptr::null_mut();
        // SAFETY: made once. The display is not terminated: another context may be on it.
        unsafe {
            (self.egl.f.eglMakeCurrent)(self.display, none, none, none);
            (self.egl.f.eglDestroyContext)(self.display, self.raw);
        }
    }
}

functions! {
    pub struct EglImageFunctions {
        fn eglCreateImageKHR(*mut c_void, *mut c_void, c_uint, *mut c_void, *const c_int) -> *mut c_void;
        fn eglDestroyImageKHR(*mut c_void, *mut c_void) -> c_uint;
        fn eglGetError() -> c_int;
        fn eglExportDMABUFImageQueryMESA(*mut c_void, *mut c_void, *mut c_int, *mut c_int, *mut u64) -> c_uint;
        fn eglExportDMABUFImageMESA(*mut c_void, *mut c_void, *mut c_int, *mut c_int, *mut c_int) -> c_uint;
    }
}

const GL_TEXTURE_2D: c_uint = 0x30b1;
const GL_TEXTURE_LEVEL: c_int = 0x30bc;
const IMAGE_PRESERVED: c_int = 0x30d2;
const WIDTH: c_int = 0x3057;
const HEIGHT: c_int = 0x3056;
const LINUX_DMA_BUF: c_uint = 0x3270;
const LINUX_DRM_FOURCC: c_int = 0x3271;
const DMA_BUF_PLANE0_FD: c_int = 0x3272;
const DMA_BUF_PLANE0_OFFSET: c_int = 0x3273;
const DMA_BUF_PLANE0_PITCH: c_int = 0x3274;
const DMA_BUF_PLANE0_MODIFIER_LO: c_int = 0x3443;
const DMA_BUF_PLANE0_MODIFIER_HI: c_int = 0x3444;

/// One plane of a picture in a dma-buf, as a compositor describes it.
pub struct DmaBufPlane {
    /// The dma-buf. EGL takes a further reference.
    pub fd: OwnedFd,
    pub size: (c_int, c_int),
    /// The format, by DRM's code of four letters.
    pub fourcc: c_int,
    /// DRM's format modifier: 0 for rows, one after the other.
    pub modifier: u64,
    pub offset: c_int,
    /// The bytes from one row to the next.
    pub pitch: c_int,
}

/// EGL images of a context. They are handles, and destroyed by the program.
pub struct EglImages {
    f: EglImageFunctions,
    display: *mut c_void,
    context: *mut c_void,
}

impl EglImages {
    /// Creates an image of a texture's level. **It enqueues work in OpenGL**, which may move the texture: call
    /// `glFinish` before another API uses the image.
    pub fn create_from_texture(&self, texture: c_uint, level: c_int, preserved: bool) -> Result<*mut c_void> {
        let attributes = [GL_TEXTURE_LEVEL, level, IMAGE_PRESERVED, c_int::from(preserved), NONE];
        self.create_egl_image(self.context, GL_TEXTURE_2D, texture, &attributes)
    }

    pub fn create_from_dma_buf(&self, picture: &DmaBufPlane) -> Result<*mut c_void> {
        #[rustfmt::skip] // a pair a line
        let attributes = [
            WIDTH, picture.size.0,
            HEIGHT, picture.size.1,
            LINUX_DRM_FOURCC, picture.fourcc,
            DMA_BUF_PLANE0_FD, picture.fd.as_raw_fd(),
            DMA_BUF_PLANE0_OFFSET, picture.offset,
            DMA_BUF_PLANE0_PITCH, picture.pitch,
            DMA_BUF_PLANE0_MODIFIER_LO, picture.modifier as c_int,
            DMA_BUF_PLANE0_MODIFIER_HI, (picture.modifier >> 32) as c_int,
            NONE,
        ];
        self.create_egl_image(ptr::null_mut(), LINUX_DMA_BUF, 0, &attributes)
    }

    fn create_egl_image(
        &self,
        context: *mut c_void,
        kind: c_uint,
        of: c_uint,
        attributes: &[c_int],
    ) -> Result<*mut c_void> {
        // SAFETY: the display and the context live, and the list ends with NONE.
        let image = unsafe {
            let of = ptr::without_provenance_mut(of as usize);
            (self.f.eglCreateImageKHR)(self.display, context, kind, of, attributes.as_ptr())
        };
        if image.is_null() {
            // SAFETY: the function takes nothing.
            let code = unsafe { (self.f.eglGetError)() };
            return Err(Error::Failed(format!("eglCreateImageKHR: EGL returned {code:#x}")));
        }
        Ok(image)
    }

    /// Exports an image of one plane as a dma-buf.
    ///
    /// # Safety
    ///
    /// The image is not destroyed.
    pub unsafe fn export_dma_buf(&self, image: *mut c_void, size: (c_int, c_int)) -> Result<DmaBufPlane> {
        let failed = |what| Error::Failed(format!("{what} fails"));
        let (mut fourcc, mut planes, mut modifier) = (0, 0, 0);
        let (mut fd, mut pitch, mut offset) = (-1, 0, 0);
        // SAFETY: the image lives. Each pointer is to as many values as the image has planes: one.
        unsafe {
            if (self.f.eglExportDMABUFImageQueryMESA)(
                self.display,
                image,
                &mut fourcc,
                &mut planes,
                &mut modifier,
            ) == 0
            {
                return Err(failed("eglExportDMABUFImageQueryMESA"));
            }
            if planes != 1
                || (self.f.eglExportDMABUFImageMESA)(self.display, image, &mut fd, &mut pitch, &mut offset)
                    == 0
            {
                return Err(failed("eglExportDMABUFImageMESA"));
            }
            Ok(DmaBufPlane { fd: OwnedFd::from_raw_fd(fd), size, fourcc, modifier, offset, pitch })
        }
    }

    /// Destroys an image. What was made of it keeps the memory.
    ///
    /// # Safety
    ///
    /// The image is destroyed once.
    pub unsafe fn destroy_egl_image(&self, image: *mut c_void) -> bool {
        // SAFETY: the display lives, and the caller's promise.
        unsafe { (self.f.eglDestroyImageKHR)(self.display, image) != 0 }
    }
}
