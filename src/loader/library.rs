//! The names of the driver's library, and opening a library by the system's loader.

use core::error::Error;
use core::ffi::{CStr, c_void};
use core::ptr::NonNull;
use std::ffi::OsStr;
use std::string::{String, ToString};

/// The names that `load` tries, in order.
///
/// The system's loader searches by its rules for the first and the last name, which have no directory. The absolute
/// paths are places where that loader may not look. libcuda.so comes last, since it may be a toolkit's stub.
#[cfg(not(windows))]
pub const NAMES: &[&str] = &[
    "libcuda.so.1",
    // Windows Subsystem for Linux.
    "/usr/lib/wsl/lib/libcuda.so.1",
    // NixOS.
    "/run/opengl-driver/lib/libcuda.so.1",
    // Jetson, before and since JetPack 6.
    #[cfg(target_arch = "aarch64")]
    "/usr/lib/aarch64-linux-gnu/tegra/libcuda.so.1",
    #[cfg(target_arch = "aarch64")]
    "/usr/lib/aarch64-linux-gnu/nvidia/libcuda.so.1",
    // The directories of distributions, for programs whose loader is not the distribution's (Guix, a relocated libc).
    #[cfg(target_arch = "aarch64")]
    "/usr/lib/aarch64-linux-gnu/libcuda.so.1",
    #[cfg(target_arch = "x86_64")]
    "/usr/lib/x86_64-linux-gnu/libcuda.so.1",
    "/usr/lib64/libcuda.so.1",
    "/usr/lib/libcuda.so.1",
    // For a driver package that has no symbolic link libcuda.so.1.
    "libcuda.so",
];

/// The names that `load` tries. [`open`] looks for a bare name in the system directory only.
#[cfg(windows)]
pub const NAMES: &[&str] = &["nvcuda.dll"];

/// A library that is open as long as this value lives.
#[derive(Debug)]
pub struct DriverLibrary(libloading::Library);

impl DriverLibrary {
    /// Opens a library, or returns the message of the system's loader.
    pub fn open(name: &OsStr) -> Result<Self, String> {
        // On Windows libloading's error only names the failed function, and its `source()` has the system's message. On
        // other systems the error is dlopen's message. It has a `source()` only for a name that contains a NUL.
        let message = |error: libloading::Error| match error.source() {
            Some(source) if cfg!(windows) => std::format!("{error}: {source}"),
            Some(source) => source.to_string(),
            None => error.to_string(),
        };
        open(name).map(Self).map_err(message)
    }

    /// Returns the address of what the library exports under this name.
    pub fn symbol(&self, name: &CStr) -> Option<NonNull<c_void>> {
        // SAFETY: libloading reads the symbol's address as an Option<NonNull>, which has the same size. Null is `None`.
        let symbol = unsafe { self.0.get::<Option<NonNull<c_void>>>(name.to_bytes_with_nul()) };
        symbol.ok().and_then(|symbol| *symbol)
    }
}

#[cfg(not(windows))]
fn open(name: &OsStr) -> Result<libloading::Library, libloading::Error> {
    // SAFETY: a driver's initializers and finalizers are safe. `load_from`'s caller guarantees this for its library.
    unsafe { libloading::Library::new(name) }
}

#[cfg(windows)]
fn open(name: &OsStr) -> Result<libloading::Library, libloading::Error> {
    use libloading::os::windows::{LOAD_LIBRARY_SEARCH_SYSTEM32, LOAD_WITH_ALTERED_SEARCH_PATH, Library};
    // By default Windows would also look for a bare name in directories such as the program's and the current one.
    let is_bare = !name.as_encoded_bytes().iter().any(|byte| matches!(byte, b'\\' | b'/' | b':'));
    let flags = if is_bare { LOAD_LIBRARY_SEARCH_SYSTEM32 } else { LOAD_WITH_ALTERED_SEARCH_PATH };
    // With a relative path, the behavior of LOAD_WITH_ALTERED_SEARCH_PATH is undefined.
    let exact = std::path::absolute(name).ok().filter(|_| !is_bare);
    let name = exact.as_deref().map_or(name, |path| path.as_os_str());
    // SAFETY: a driver's initializers and finalizers are safe. `load_from`'s caller guarantees this for its library.
    unsafe { Library::load_with_flags(name, flags) }.map(Into::into)
}
