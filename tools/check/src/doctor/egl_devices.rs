//! OpenGL without a display: EGL's devices.

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::mem::{ManuallyDrop, transmute_copy};
use std::ptr::null_mut;

use cuda_external_sys::CUuuid;
use libloading::Library;
use serde::{Deserialize, Serialize};

use super::dlopen_errors::innermost_error_text;
use super::driver_manifests::DriverManifest;
use super::probe_process::{note_call, write_answer_and_exit};
use super::remedy::Remedy;

#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
pub struct EglDevicesReport {
    pub manifests: Vec<DriverManifest>,
    pub devices: Vec<EglDevice>,
    pub error: Option<String>,
    pub missing: Option<Remedy>,
}

#[derive(Default, Serialize, Deserialize)]
pub struct EglDevice {
    /// `GL_RENDERER`.
    pub name: String,
    pub uuid: Option<String>,
    /// CUDA's ordinal by the extension `EGL_NV_device_cuda`.
    #[serde(rename = "EGL_CUDA_DEVICE_NV")]
    pub egl_cuda_device: Option<usize>,
    /// CUDA's ordinal by the UUID, or the extension's where OpenGL has no UUID.
    pub cuda_device: Option<usize>,
    /// The call that failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

type EglPointer = *mut c_void;
/// EGL's lookup of functions, which finds OpenGL's too.
type EglGetProcAddress = unsafe extern "C" fn(*const c_char) -> *const c_void;

const PLATFORM_DEVICE: c_uint = 0x313f;
const OPENGL_API: c_uint = 0x30a2;
const NONE: c_int = 0x3038;
const SURFACE_TYPE: c_int = 0x3033;
const RENDERABLE_TYPE: c_int = 0x3040;
const OPENGL_BIT: c_int = 8;
const CUDA_DEVICE: c_int = 0x323a;
const RENDERER: c_uint = 0x1f01;
const NUM_DEVICE_UUIDS: c_uint = 0x9596;
const DEVICE_UUID: c_uint = 0x9597;

/// Calls a function of EGL or OpenGL, with the types of the headers. If it is absent, the surrounding function
/// returns an error that names it.
macro_rules! call {
    ($find:ident, $name:ident($($argument:expr => $type:ty),*) -> $result:ty) => {{
        note_call(stringify!($name));
        let address = $find(concat!(stringify!($name), "\0").as_ptr().cast());
        if address.is_null() {
            return Err(concat!("EGL has no ", stringify!($name)).to_owned());
        }
        let function = transmute_copy::<*const c_void, unsafe extern "C" fn($($type),*) -> $result>(&address);
        function($($argument),*)
    }};
}

pub fn probe_egl_devices() -> ! {
    note_call("dlopen of libEGL.so.1");
    let mut egl = EglDevicesReport::default();
    // SAFETY: the initializers run in this process, which does nothing else. The function has the type of EGL's header.
    let find = unsafe {
        let library = Library::new("libEGL.so.1").map(ManuallyDrop::new);
        library.and_then(|library| {
            library.get::<EglGetProcAddress>(b"eglGetProcAddress\0").map(|symbol| *symbol)
        })
    };
    match find {
        Err(error) => {
            let words = innermost_error_text(&error);
            egl.missing = Some(Remedy::new("egl-loader", &[&words]));
            egl.error = Some(words);
        }
        // SAFETY: `find` is EGL's eglGetProcAddress.
        Ok(find) => unsafe { egl.error = list_egl_devices(find, &mut egl.devices).err() },
    }
    write_answer_and_exit(&egl)
}

unsafe fn list_egl_devices(find: EglGetProcAddress, known: &mut Vec<EglDevice>) -> Result<(), String> {
    let (mut devices, mut count) = ([null_mut(); 32], 0);
    // SAFETY: the list has room for 32 devices, and each of them comes from EGL.
    unsafe {
        let code = call!(find, eglQueryDevicesEXT(32 => c_int, devices.as_mut_ptr() => *mut EglPointer,
            &mut count => *mut c_int) -> c_uint);
        if code == 0 {
            return Err("eglQueryDevicesEXT fails: no driver of EGL has devices".to_owned());
        }
        for device in &devices[..count as usize] {
            let mut one = EglDevice::default();
            one.error = describe_egl_device(find, *device, &mut one).err();
            known.push(one);
        }
    }
    Ok(())
}

/// Makes a context without a surface on a device, and asks OpenGL what draws there.
unsafe fn describe_egl_device(
    find: EglGetProcAddress,
    device: EglPointer,
    known: &mut EglDevice,
) -> Result<(), String> {
    let none: EglPointer = null_mut();
    let (mut ordinal, mut config, mut count, mut uuid) = (0_isize, null_mut(), 0, [0_u8; 16]);
    // SAFETY: the types are those of the headers; lists end with NONE; every other pointer is to one value.
    unsafe {
        let has = call!(find, eglQueryDeviceAttribEXT(device => EglPointer, CUDA_DEVICE => c_int,
            &mut ordinal => *mut isize) -> c_uint);
        known.egl_cuda_device = (has != 0).then_some(ordinal as usize);
        let display = call!(find, eglGetPlatformDisplayEXT(PLATFORM_DEVICE => c_uint, device => EglPointer,
            none.cast() => *const c_int) -> EglPointer);
        let code = call!(find, eglInitialize(display => EglPointer, none.cast() => *mut c_int,
            none.cast() => *mut c_int) -> c_uint);
        if code == 0 {
            return Err("eglInitialize fails".to_owned());
        }
        call!(find, eglBindAPI(OPENGL_API => c_uint) -> c_uint);
        let wanted = [RENDERABLE_TYPE, OPENGL_BIT, SURFACE_TYPE, 0, NONE];
        call!(find, eglChooseConfig(display => EglPointer, wanted.as_ptr() => *const c_int,
            &mut config => *mut EglPointer, 1 => c_int, &mut count => *mut c_int) -> c_uint);
        let context = call!(find, eglCreateContext(display => EglPointer, config => EglPointer, none => EglPointer,
            [NONE].as_ptr() => *const c_int) -> EglPointer);
        let code = call!(find, eglMakeCurrent(display => EglPointer, none => EglPointer, none => EglPointer,
            context => EglPointer) -> c_uint);
        if context.is_null() || code == 0 {
            return Err("EGL makes no context of OpenGL without a surface".to_owned());
        }
        let name = call!(find, glGetString(RENDERER => c_uint) -> *const c_char);
        if !name.is_null() {
            known.name = CStr::from_ptr(name).to_string_lossy().into_owned();
        }
        // Without GL_EXT_memory_object the call sets nothing.
        count = 0;
        call!(find, glGetIntegerv(NUM_DEVICE_UUIDS => c_uint, &mut count => *mut c_int) -> ());
        if count > 0 {
            call!(find, glGetUnsignedBytei_vEXT(DEVICE_UUID => c_uint, 0 => c_uint,
                uuid.as_mut_ptr() => *mut u8) -> ());
            known.uuid = Some(CUuuid::from(uuid).to_string());
        }
    }
    Ok(())
}
