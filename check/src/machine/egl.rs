//! OpenGL without a display: EGL's devices.

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::mem::transmute_copy;
use std::ptr;

use cuda_external_sys::CUuuid;
use libloading::Library;

use super::facts::{Egl, EglDevice};
use super::process::{answer, calling};

type Pointer = *mut c_void;

const PLATFORM_DEVICE: c_uint = 0x313f;
const OPENGL_API: c_uint = 0x30a2;
const NONE: c_int = 0x3038;
const SURFACE_TYPE: c_int = 0x3033;
const RENDERABLE_TYPE: c_int = 0x3040;
const OPENGL_BIT: c_int = 8;
const EXTENSIONS: c_int = 0x3055;
const CUDA_DEVICE: c_int = 0x323a;
const RENDERER: c_uint = 0x1f01;
const NUM_DEVICE_UUIDS: c_uint = 0x9596;
const DEVICE_UUID: c_uint = 0x9597;

/// EGL's lookup of functions, which finds OpenGL's too.
struct Functions(unsafe extern "C" fn(*const c_char) -> *const c_void);

impl Functions {
    /// # Safety
    ///
    /// `F` is the type of the function in the headers of EGL or OpenGL.
    unsafe fn find<F>(&self, name: &CStr) -> Option<F> {
        // SAFETY: the name is a C string, and a function's address has the size of `F`.
        unsafe {
            let address = (self.0)(name.as_ptr());
            (!address.is_null()).then(|| transmute_copy::<*const c_void, F>(&address))
        }
    }
}

pub fn probe() -> ! {
    calling("dlopen of libEGL.so.1");
    // SAFETY: the library runs its initializers, and its function has the type of EGL's header.
    let opened = unsafe {
        Library::new("libEGL.so.1")
            .map(std::mem::ManuallyDrop::new)
            .and_then(|library| library.get(b"eglGetProcAddress\0").map(|symbol| *symbol))
    };
    let egl = match opened {
        Err(error) => Egl { not_opened: Some(super::words(&error)), ..Egl::default() },
        // SAFETY: the types are those of the headers.
        Ok(find) => match unsafe { devices(&Functions(find)) } {
            Ok(devices) => Egl { devices, ..Egl::default() },
            Err(failure) => Egl { failure: Some(failure), ..Egl::default() },
        },
    };
    answer(&egl)
}

unsafe fn devices(egl: &Functions) -> Result<Vec<EglDevice>, String> {
    type Query = unsafe extern "C" fn(c_int, *mut Pointer, *mut c_int) -> c_uint;
    calling("eglQueryDevicesEXT");
    let (mut devices, mut count) = ([ptr::null_mut(); 32], 0);
    // SAFETY: the list is as long as said.
    unsafe {
        let query = egl.find::<Query>(c"eglQueryDevicesEXT").ok_or("EGL has no eglQueryDevicesEXT")?;
        if query(devices.len() as c_int, devices.as_mut_ptr(), &mut count) == 0 {
            return Err("eglQueryDevicesEXT fails: no driver of EGL has devices".to_owned());
        }
    }
    let known = |device: &Pointer| {
        let mut known = EglDevice::default();
        // SAFETY: the device is EGL's.
        known.failure = unsafe { describe(egl, *device, &mut known) }.err();
        known
    };
    Ok(devices[..count as usize].iter().map(known).collect())
}

/// Makes a context without a surface on a device, and asks OpenGL what draws there.
unsafe fn describe(egl: &Functions, device: Pointer, known: &mut EglDevice) -> Result<(), String> {
    type Attribute = unsafe extern "C" fn(Pointer, c_int, *mut isize) -> c_uint;
    type GetDisplay = unsafe extern "C" fn(c_uint, Pointer, *const c_int) -> Pointer;
    type Initialize = unsafe extern "C" fn(Pointer, *mut c_int, *mut c_int) -> c_uint;
    type Choose = unsafe extern "C" fn(Pointer, *const c_int, *mut Pointer, c_int, *mut c_int) -> c_uint;
    type Create = unsafe extern "C" fn(Pointer, Pointer, Pointer, *const c_int) -> Pointer;
    type MakeCurrent = unsafe extern "C" fn(Pointer, Pointer, Pointer, Pointer) -> c_uint;
    // SAFETY: the types are those of the headers; lists end with NONE; every pointer is to one value.
    unsafe {
        let need = |name: &str| format!("EGL has no {name}");
        if let Some(attribute) = egl.find::<Attribute>(c"eglQueryDeviceAttribEXT") {
            let mut ordinal = 0;
            known.cuda = (attribute(device, CUDA_DEVICE, &mut ordinal) != 0).then_some(ordinal as i64);
        }
        calling("eglInitialize");
        let get = egl.find::<GetDisplay>(c"eglGetPlatformDisplayEXT");
        let display =
            get.ok_or_else(|| need("eglGetPlatformDisplayEXT"))?(PLATFORM_DEVICE, device, ptr::null());
        let (mut major, mut minor) = (0, 0);
        let initialize = egl.find::<Initialize>(c"eglInitialize").ok_or_else(|| need("eglInitialize"))?;
        if initialize(display, &mut major, &mut minor) == 0 {
            return Err("eglInitialize fails".to_owned());
        }
        if let Some(query) =
            egl.find::<unsafe extern "C" fn(Pointer, c_int) -> *const c_char>(c"eglQueryString")
        {
            let all = text(query(display, EXTENSIONS));
            let images = all.split(' ').filter(|name| name.contains("image") && !name.contains("partial"));
            known.images = images.map(str::to_owned).collect();
        }
        calling("eglCreateContext");
        if let Some(bind) = egl.find::<unsafe extern "C" fn(c_uint) -> c_uint>(c"eglBindAPI") {
            bind(OPENGL_API);
        }
        let wanted = [RENDERABLE_TYPE, OPENGL_BIT, SURFACE_TYPE, 0, NONE];
        let (mut config, mut count) = (ptr::null_mut(), 0);
        if let Some(choose) = egl.find::<Choose>(c"eglChooseConfig") {
            choose(display, wanted.as_ptr(), &mut config, 1, &mut count);
        }
        let create = egl.find::<Create>(c"eglCreateContext").ok_or_else(|| need("eglCreateContext"))?;
        let context = create(display, config, ptr::null_mut(), [NONE].as_ptr());
        let make = egl.find::<MakeCurrent>(c"eglMakeCurrent").ok_or_else(|| need("eglMakeCurrent"))?;
        if context.is_null() || make(display, ptr::null_mut(), ptr::null_mut(), context) == 0 {
            return Err("EGL makes no context of OpenGL without a surface".to_owned());
        }
        calling("glGetString");
        if let Some(string) = egl.find::<unsafe extern "C" fn(c_uint) -> *const c_char>(c"glGetString") {
            known.renderer = text(string(RENDERER));
        }
        type Integer = unsafe extern "C" fn(c_uint, *mut c_int);
        type Bytes = unsafe extern "C" fn(c_uint, c_uint, *mut u8);
        let integer = egl.find::<Integer>(c"glGetIntegerv");
        let bytes = egl.find::<Bytes>(c"glGetUnsignedBytei_vEXT");
        if let (Some(integer), Some(bytes)) = (integer, bytes) {
            let (mut count, mut uuid) = (0, [0; 16]);
            integer(NUM_DEVICE_UUIDS, &mut count);
            if count > 0 {
                bytes(DEVICE_UUID, 0, uuid.as_mut_ptr());
                known.uuid = Some(CUuuid::from(uuid).to_string());
            }
        }
        make(display, ptr::null_mut(), ptr::null_mut(), ptr::null_mut());
    }
    Ok(())
}

/// # Safety
///
/// Null, or a C string.
unsafe fn text(string: *const c_char) -> String {
    if string.is_null() {
        return String::new();
    }
    // SAFETY: as the caller guarantees.
    unsafe { CStr::from_ptr(string) }.to_string_lossy().into_owned()
}
