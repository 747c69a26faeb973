//! Lists EGL's devices, on which OpenGL needs no display.

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::mem::{ManuallyDrop, transmute_copy};
use std::ptr::null_mut;

use libloading::Library;
use serde::{Deserialize, Serialize};

use super::dlopen_errors::innermost_error_text;
use super::driver_manifests::DriverManifest;
use super::probe_process::{note_next_call, write_answer_and_exit};
use super::remedy::MachineFix;

#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
pub struct EglDevicesReport {
    pub manifests: Vec<DriverManifest>,
    pub devices: Vec<EglDevice>,
    pub error: Option<String>,
    pub missing: Option<MachineFix>,
}

#[derive(Default, Serialize, Deserialize)]
pub struct EglDevice {
    /// The vendor of the device's driver.
    pub name: String,
    /// The device's ordinal in CUDA, from the extension `EGL_NV_device_cuda`.
    #[serde(rename = "EGL_CUDA_DEVICE_NV")]
    pub cuda_device: Option<usize>,
    /// The call that failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

type EglPointer = *mut c_void;
type EglGetProcAddress = unsafe extern "C" fn(*const c_char) -> *const c_void;

const PLATFORM_DEVICE: c_uint = 0x313f;
const CUDA_DEVICE: c_int = 0x323a;
const VENDOR: c_int = 0x3053;

/// Calls a function of EGL. If EGL lacks the function, the enclosing function returns an error. The compiler does not
/// compare the types with EGL's headers.
macro_rules! call {
    ($find:ident, $name:ident($($argument:expr => $type:ty),*) -> $result:ty) => {{
        note_next_call(stringify!($name));
        let address = $find(concat!(stringify!($name), "\0").as_ptr().cast());
        if address.is_null() {
            return Err(concat!("EGL has no ", stringify!($name)).to_owned());
        }
        let function = transmute_copy::<*const c_void, unsafe extern "C" fn($($type),*) -> $result>(&address);
        function($($argument),*)
    }};
}

pub fn probe_egl_devices() -> ! {
    note_next_call("dlopen of libEGL.so.1");
    let mut egl = EglDevicesReport::default();
    // SAFETY: this process exists to run EGL, so EGL's initializers may crash. eglGetProcAddress has the header's type.
    let find = unsafe {
        let library = Library::new("libEGL.so.1").map(ManuallyDrop::new);
        library.and_then(|library| {
            library.get::<EglGetProcAddress>(b"eglGetProcAddress\0").map(|symbol| *symbol)
        })
    };
    match find {
        Err(error) => {
            let words = innermost_error_text(&error);
            egl.missing = Some(MachineFix::new("egl-loader", &[&words]));
            egl.error = Some(words);
        }
        // SAFETY: `find` is EGL's eglGetProcAddress.
        Ok(find) => unsafe { egl.error = list_egl_devices(find, &mut egl.devices).err() },
    }
    write_answer_and_exit(&egl)
}

unsafe fn list_egl_devices(find: EglGetProcAddress, known: &mut Vec<EglDevice>) -> Result<(), String> {
    let (mut devices, mut count) = ([null_mut(); 32], 0);
    // SAFETY: the types are those of EGL's headers. `devices` has room for 32 devices, and each device comes from EGL.
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

/// Reads a device's CUDA ordinal and vendor. Initializes EGL on the device: this fails if the driver lacks a library.
unsafe fn describe_egl_device(
    find: EglGetProcAddress,
    device: EglPointer,
    known: &mut EglDevice,
) -> Result<(), String> {
    let (none, mut ordinal): (EglPointer, isize) = (null_mut(), 0);
    // SAFETY: the types are those of EGL's headers. Each pointer is null, from EGL, or to one value.
    unsafe {
        let has = call!(find, eglQueryDeviceAttribEXT(device => EglPointer, CUDA_DEVICE => c_int,
            &mut ordinal => *mut isize) -> c_uint);
        known.cuda_device = (has != 0).then_some(ordinal as usize);
        let display = call!(find, eglGetPlatformDisplayEXT(PLATFORM_DEVICE => c_uint, device => EglPointer,
            none.cast() => *const c_int) -> EglPointer);
        let code = call!(find, eglInitialize(display => EglPointer, none.cast() => *mut c_int,
            none.cast() => *mut c_int) -> c_uint);
        if code == 0 {
            return Err("eglInitialize fails".to_owned());
        }
        let vendor = call!(find, eglQueryString(display => EglPointer, VENDOR => c_int) -> *const c_char);
        if !vendor.is_null() {
            known.name = CStr::from_ptr(vendor).to_string_lossy().into_owned();
        }
    }
    Ok(())
}
