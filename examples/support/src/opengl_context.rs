//! An OpenGL context on a given device, and the functions that import what Vulkan exports.

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::os::fd::{IntoRawFd, OwnedFd};
use std::ptr;

use cuda_external_sys::CUuuid;

use crate::dynamic_library::functions;
use crate::egl_context::{Egl, EglContext};
use crate::vulkan::VulkanMemory;
use crate::{Error, Result};

// OpenGL's names without `GL_`.
pub const TEXTURE_2D: c_uint = 0x0de1;
pub const RGBA: c_uint = 0x1908;
pub const RGBA8: c_uint = 0x8058;
pub const UNSIGNED_BYTE: c_uint = 0x1401;
const NO_ERROR: c_uint = 0;
const NUM_EXTENSIONS: c_uint = 0x821d;
const EXTENSIONS: c_uint = 0x1f03;
const RENDERER: c_uint = 0x1f01;
const NUM_DEVICE_UUIDS_EXT: c_uint = 0x9596;
const DEVICE_UUID_EXT: c_uint = 0x9597;
const DEDICATED_MEMORY_OBJECT_EXT: c_uint = 0x9581;
const HANDLE_TYPE_OPAQUE_FD_EXT: c_uint = 0x9586;

functions! {
    pub struct GlFunctions {
        fn glGetError() -> c_uint;
        fn glGetString(c_uint) -> *const c_char;
        fn glGetStringi(c_uint, c_uint) -> *const c_char;
        fn glGetIntegerv(c_uint, *mut c_int);
        fn glFlush();
        fn glFinish();
        fn glCreateBuffers(c_int, *mut c_uint);
        fn glDeleteBuffers(c_int, *const c_uint);
        fn glNamedBufferStorage(c_uint, isize, *const c_void, c_uint);
        fn glNamedBufferSubData(c_uint, isize, isize, *const c_void);
        fn glGetNamedBufferSubData(c_uint, isize, isize, *mut c_void);
        fn glCopyNamedBufferSubData(c_uint, c_uint, isize, isize, isize);
        fn glCreateTextures(c_uint, c_int, *mut c_uint);
        fn glTextureStorage2D(c_uint, c_int, c_uint, c_int, c_int);
        fn glDeleteTextures(c_int, *const c_uint);
        fn glGetTextureImage(c_uint, c_int, c_uint, c_uint, c_int, *mut c_void);
        fn glClearTexSubImage(
            c_uint, c_int, c_int, c_int, c_int, c_int, c_int, c_int, c_uint, c_uint, *const c_void
        );
        fn glTextureSubImage2D(c_uint, c_int, c_int, c_int, c_int, c_int, c_uint, c_uint, *const c_void);
    }
}

functions! {
    /// The functions of the extensions that import memory and semaphores.
    pub struct ExternalObjectFunctions {
        fn glGetUnsignedBytei_vEXT(c_uint, c_uint, *mut u8);
        fn glCreateMemoryObjectsEXT(c_int, *mut c_uint);
        fn glDeleteMemoryObjectsEXT(c_int, *const c_uint);
        fn glMemoryObjectParameterivEXT(c_uint, c_uint, *const c_int);
        fn glImportMemoryFdEXT(c_uint, u64, c_uint, c_int);
        fn glNamedBufferStorageMemEXT(c_uint, isize, c_uint, u64);
        fn glGenSemaphoresEXT(c_int, *mut c_uint);
        fn glDeleteSemaphoresEXT(c_int, *const c_uint);
        fn glImportSemaphoreFdEXT(c_uint, c_uint, c_int);
        fn glWaitSemaphoreEXT(c_uint, c_uint, *const c_uint, c_uint, *const c_uint, *const c_uint);
        fn glSignalSemaphoreEXT(c_uint, c_uint, *const c_uint, c_uint, *const c_uint, *const c_uint);
    }
}

/// An OpenGL context, current in the thread that opened it.
pub struct Gl {
    pub f: GlFunctions,
    pub external: ExternalObjectFunctions,
    pub renderer: String,
    pub context: EglContext,
}

impl Gl {
    pub fn open_by_uuid(uuid: &[u8; 16]) -> Result<Self> {
        let egl = Egl::open_egl()?;
        let mut seen = Vec::new();
        for device in egl.egl_devices() {
            match Self::open_on_egl_device(&egl, device) {
                Ok(gl) if gl.device_uuids().contains(uuid) => return Ok(gl),
                Ok(gl) => seen.push(format!("{} (another device)", gl.renderer)),
                Err(error) => seen.push(error.to_string()),
            }
        }
        let seen = if seen.is_empty() { "none".to_owned() } else { seen.join("; ") };
        Err(Error::Missing(format!(
            "OpenGL does not have CUDA's device {}. It has: {seen}",
            CUuuid::from(*uuid)
        )))
    }

    fn open_on_egl_device(egl: &Egl, device: *mut c_void) -> Result<Self> {
        // SAFETY: the device is one that EGL returned.
        let context = unsafe { egl.create_context(device) }?;
        // SAFETY: EGL finds OpenGL's functions by their names, and the types are those of OpenGL's headers.
        let f = unsafe { GlFunctions::load_functions(|name| egl.function_address(name)) }?;
        let renderer = f.renderer_name();
        // Check the extensions: EGL may return an address for a function that the context does not have.
        for extension in ["memory_object", "memory_object_fd", "semaphore", "semaphore_fd"] {
            if !f.has_extension(&format!("GL_EXT_{extension}")) {
                return Err(Error::Missing(format!("{renderer} (no GL_EXT_{extension})")));
            }
        }
        // SAFETY: the types are those of OpenGL's headers.
        let external = unsafe { ExternalObjectFunctions::load_functions(|name| egl.function_address(name)) }?;
        Ok(Self { f, external, renderer, context })
    }

    /// Returns the UUIDs of the devices that the context draws on: one UUID, or several if several devices act as one.
    pub fn device_uuids(&self) -> Vec<[u8; 16]> {
        let uuid = |i| {
            let mut uuid = [0; 16];
            // SAFETY: a UUID has 16 bytes.
            unsafe { (self.external.glGetUnsignedBytei_vEXT)(DEVICE_UUID_EXT, i, uuid.as_mut_ptr()) };
            uuid
        };
        (0..self.f.integer_parameter(NUM_DEVICE_UUIDS_EXT)).map(uuid).collect()
    }

    /// Returns an error if OpenGL has recorded an error since the last call of `glGetError`.
    pub fn check_gl_error(&self, what: &str) -> Result<()> {
        // SAFETY: the context is current.
        match unsafe { (self.f.glGetError)() } {
            NO_ERROR => Ok(()),
            code => Err(Error::Failed(format!("{what}: OpenGL returned {code:#06x}"))),
        }
    }

    /// Exports `memory` from Vulkan as a file descriptor, and imports the descriptor into OpenGL. A failure may leak
    /// the descriptor: GL_EXT_memory_object_fd does not say who owns a descriptor after a failure.
    pub fn import_memory(&self, memory: &VulkanMemory) -> Result<c_uint> {
        let fd: OwnedFd = memory.export_fd()?;
        let mut object = 0;
        // SAFETY: the context is current; each pointer is to one value.
        unsafe {
            (self.external.glCreateMemoryObjectsEXT)(1, &mut object);
            let dedicated = c_int::from(memory.dedicated);
            (self.external.glMemoryObjectParameterivEXT)(object, DEDICATED_MEMORY_OBJECT_EXT, &dedicated);
            let fd = fd.into_raw_fd();
            (self.external.glImportMemoryFdEXT)(object, memory.size, HANDLE_TYPE_OPAQUE_FD_EXT, fd);
        }
        self.check_gl_error("glImportMemoryFdEXT")?;
        Ok(object)
    }

    /// Imports a binary semaphore that Vulkan exported. OpenGL owns the descriptor after a success.
    pub fn import_semaphore(&self, fd: OwnedFd) -> Result<c_uint> {
        let mut semaphore = 0;
        // SAFETY: the context is current, and OpenGL takes the descriptor.
        unsafe {
            (self.external.glGenSemaphoresEXT)(1, &mut semaphore);
            let fd = fd.into_raw_fd();
            (self.external.glImportSemaphoreFdEXT)(semaphore, HANDLE_TYPE_OPAQUE_FD_EXT, fd);
        }
        self.check_gl_error("glImportSemaphoreFdEXT")?;
        Ok(semaphore)
    }

    /// Creates a buffer over imported memory, from `offset` on.
    pub fn create_buffer_over_memory(&self, memory: c_uint, offset: u64, size: u64) -> Result<c_uint> {
        let mut buffer = 0;
        // SAFETY: the context is current, and the memory is one of its objects.
        unsafe {
            (self.f.glCreateBuffers)(1, &mut buffer);
            (self.external.glNamedBufferStorageMemEXT)(buffer, size as isize, memory, offset);
        }
        self.check_gl_error("glNamedBufferStorageMemEXT")?;
        Ok(buffer)
    }

    /// Enqueues a wait for the semaphore. Later commands see what another API wrote to `buffers` before its signal.
    pub fn wait_for_semaphore(&self, semaphore: c_uint, buffers: &[c_uint]) -> Result<()> {
        let (count, buffers) = (buffers.len() as c_uint, buffers.as_ptr());
        // SAFETY: the context is current, and `buffers` points to `count` names of buffers.
        unsafe {
            (self.external.glWaitSemaphoreEXT)(semaphore, count, buffers, 0, ptr::null(), ptr::null());
        }
        self.check_gl_error("glWaitSemaphoreEXT")
    }

    /// Enqueues a signal, and flushes: another API may wait only after OpenGL has submitted the signal to the GPU.
    pub fn signal_semaphore(&self, semaphore: c_uint, buffers: &[c_uint]) -> Result<()> {
        let (count, buffers) = (buffers.len() as c_uint, buffers.as_ptr());
        // SAFETY: the context is current, and `buffers` points to `count` names of buffers.
        unsafe {
            (self.external.glSignalSemaphoreEXT)(semaphore, count, buffers, 0, ptr::null(), ptr::null());
            (self.f.glFlush)();
        }
        self.check_gl_error("glSignalSemaphoreEXT")
    }
}

impl GlFunctions {
    fn renderer_name(&self) -> String {
        // SAFETY: the context is current; the driver owns the string, which may be null.
        unsafe { string_or_empty((self.glGetString)(RENDERER)) }
    }

    fn integer_parameter(&self, name: c_uint) -> c_uint {
        let mut value = 0;
        // SAFETY: the context is current. Callers pass NUM_DEVICE_UUIDS_EXT and NUM_EXTENSIONS, which have one value.
        unsafe { (self.glGetIntegerv)(name, &mut value) };
        value as c_uint
    }

    fn has_extension(&self, extension: &str) -> bool {
        // SAFETY: the context is current; the driver owns the string, which may be null.
        (0..self.integer_parameter(NUM_EXTENSIONS))
            .any(|i| unsafe { string_or_empty((self.glGetStringi)(EXTENSIONS, i)) } == extension)
    }
}

/// # Safety
///
/// `string` must be null or a C string.
unsafe fn string_or_empty(string: *const c_char) -> String {
    if string.is_null() {
        return String::new();
    }
    // SAFETY: the caller guarantees a C string or null, and the string is not null.
    unsafe { CStr::from_ptr(string) }.to_string_lossy().into_owned()
}
