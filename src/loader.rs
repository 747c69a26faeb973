//! Opens the driver's library, looks its functions up, and reports why it could not be opened.

use core::error::Error;
use core::ffi::{CStr, c_int, c_void};
use core::fmt;
use core::ptr::NonNull;
use std::borrow::ToOwned;
use std::ffi::{OsStr, OsString};
use std::string::{String, ToString};
use std::sync::OnceLock;
use std::vec::Vec;

use libloading::Library;

use crate::{
    CUDA_ERROR_SHARED_OBJECT_INIT_FAILED, CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND, CUDA_ERROR_STUB_LIBRARY,
    CUDA_SUCCESS, CUresult, PFN_cuDriverGetVersion,
};

/// The names that [`load`] tries, in order.
///
/// The first one is found by the rules of the system's loader. The absolute paths are places where that loader does
/// not look. The unversioned libcuda.so comes last: where a link path is also a search path, it is the toolkit's stub.
#[cfg(not(windows))]
const NAMES: &[&str] = &[
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
    // The distributions' directories, for programs with another loader than the distribution's (Guix, a relocated libc).
    #[cfg(target_arch = "aarch64")]
    "/usr/lib/aarch64-linux-gnu/libcuda.so.1",
    #[cfg(target_arch = "x86_64")]
    "/usr/lib/x86_64-linux-gnu/libcuda.so.1",
    "/usr/lib64/libcuda.so.1",
    "/usr/lib/libcuda.so.1",
    // A driver package that ships no versioned link.
    "libcuda.so",
];

/// The names that [`load`] tries. [`open_library`] looks for a bare name in the system directory only.
#[cfg(windows)]
const NAMES: &[&str] = &["nvcuda.dll"];

/// The driver's library, opened. It is never unloaded.
///
/// Returned by [`load`] and [`load_from`].
#[derive(Debug)]
pub struct Driver {
    library: Library,
    name: OsString,
    version: c_int,
}

static DRIVER: OnceLock<Driver> = OnceLock::new();

impl Driver {
    /// Returns the name or path that the library was opened by.
    pub fn name(&self) -> &OsStr {
        &self.name
    }

    /// Returns the newest CUDA release that the driver supports, as [`cuDriverGetVersion`](crate::cuDriverGetVersion)
    /// does: 13000 is 13.0. It is 0 where that function failed.
    pub fn version(&self) -> c_int {
        self.version
    }

    /// Returns the address of a function of this driver, or `None` where the driver has no function of that name.
    ///
    /// It shows in advance whether a call will work, and finds functions that this crate does not bind.
    pub fn symbol(&self, name: &CStr) -> Option<NonNull<c_void>> {
        // SAFETY: the address is not used here, and Option<NonNull> is as large as an address.
        let symbol = unsafe { self.library.get::<Option<NonNull<c_void>>>(name.to_bytes_with_nul()) };
        symbol.ok().and_then(|symbol| *symbol)
    }

    /// Opens one library and calls its cuDriverGetVersion.
    ///
    /// Only the stub is rejected by the result: a driver whose cuDriverGetVersion fails is still a driver.
    fn open(name: &OsStr) -> Result<Self, AttemptError> {
        let library = open_library(name).map_err(|error| AttemptError::NotOpened(message(&error)))?;
        let mut driver = Self { library, name: name.to_owned(), version: 0 };
        let symbol = driver.symbol(c"cuDriverGetVersion").ok_or(AttemptError::NotADriver)?;
        // SAFETY: a driver's function of this name has this type and may be called before cuInit.
        let code = unsafe {
            let version = core::mem::transmute::<*mut c_void, PFN_cuDriverGetVersion>(symbol.as_ptr());
            version(&raw mut driver.version)
        };
        match code {
            CUDA_SUCCESS => Ok(driver),
            CUDA_ERROR_STUB_LIBRARY => Err(AttemptError::Stub),
            _ => Ok(Self { version: 0, ..driver }),
        }
    }
}

/// Opens the driver's library if it is not open yet, and keeps it open.
///
/// Every function of this crate does this when it is first called. `load` is for knowing in advance whether there is a
/// driver, and why there is none. It never calls [`cuInit`](crate::cuInit).
///
/// It tries, in this order: `libcuda.so.1` by the rules of the system's loader; the fixed places of WSL, NixOS, Jetson
/// and the distributions; `libcuda.so`. On Windows it tries `nvcuda.dll` in the system directory only. A toolkit's stub
/// library is recognized and passed over.
///
/// # Errors
///
/// Returns [`LoadError::NoDriver`] with each name that was tried and the reason why it is not the driver. A failure is
/// not remembered: a later call tries again.
pub fn load() -> Result<&'static Driver, LoadError> {
    if let Some(driver) = DRIVER.get() {
        return Ok(driver);
    }
    let mut attempts = Vec::new();
    for name in NAMES.iter().map(OsStr::new) {
        match Driver::open(name) {
            // Where two threads open the library at once, the second handle is dropped. The library stays open by the
            // first.
            Ok(driver) => return Ok(DRIVER.get_or_init(|| driver)),
            Err(error) => attempts.push(Attempt { name: name.to_owned(), error }),
        }
    }
    Err(LoadError::NoDriver(attempts))
}

/// Opens the library at `path` as the driver, and tries no other.
///
/// It is for a driver in an unusual place and for a mock driver in tests. It must come before the first call of any
/// other function of this crate.
///
/// # Errors
///
/// Returns [`LoadError::AlreadyLoaded`] if a driver is loaded; `path` is then not opened. Returns
/// [`LoadError::NoDriver`] if `path` could not be opened or is not a driver; nothing is loaded then.
///
/// # Safety
///
/// Opening a library runs its initializers. The functions that it exports under the driver's names must have the
/// types that cuda.h declares.
pub unsafe fn load_from(path: impl AsRef<OsStr>) -> Result<&'static Driver, LoadError> {
    let path = path.as_ref();
    if let Some(driver) = DRIVER.get() {
        return Err(LoadError::AlreadyLoaded(driver.name.clone()));
    }
    let driver = Driver::open(path)
        .map_err(|error| LoadError::NoDriver([Attempt { name: path.to_owned(), error }].into()))?;
    match DRIVER.set(driver) {
        Ok(()) => Ok(DRIVER.get().expect("it was set just now")),
        Err(_) => Err(LoadError::AlreadyLoaded(DRIVER.get().expect("another thread set it").name.clone())),
    }
}

/// Returns the address of the driver's function `name`, which ends in a zero, or the code that a call returns instead.
pub(crate) fn symbol(name: &'static str) -> Result<*mut c_void, CUresult> {
    let name = CStr::from_bytes_with_nul(name.as_bytes()).expect("the macro adds the zero");
    let driver = load().map_err(|error| error.code())?;
    driver.symbol(name).map(NonNull::as_ptr).ok_or(CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND)
}

/// Returns the message of the system's loader. On Windows it is the error's source; the error itself only names the
/// function that failed.
fn message(error: &libloading::Error) -> String {
    error.source().map_or_else(|| error.to_string(), |source| std::format!("{error}: {source}"))
}

#[cfg(not(windows))]
fn open_library(name: &OsStr) -> Result<Library, libloading::Error> {
    // SAFETY: a driver's initializers may run at any time. For other libraries, `load_from` requires it of its caller.
    unsafe { Library::new(name) }
}

#[cfg(windows)]
fn open_library(name: &OsStr) -> Result<Library, libloading::Error> {
    use libloading::os::windows::{LOAD_LIBRARY_SEARCH_SYSTEM32, LOAD_WITH_ALTERED_SEARCH_PATH, Library};
    // A bare name is looked up in the system directory only: a file of that name beside the program or in the current
    // directory is not the driver.
    let is_bare = !name.as_encoded_bytes().iter().any(|byte| matches!(byte, b'\\' | b'/' | b':'));
    let flags = if is_bare { LOAD_LIBRARY_SEARCH_SYSTEM32 } else { LOAD_WITH_ALTERED_SEARCH_PATH };
    // LOAD_WITH_ALTERED_SEARCH_PATH is defined for absolute paths only.
    let exact = std::path::absolute(name).ok().filter(|_| !is_bare);
    let name = exact.as_deref().map_or(name, |path| path.as_os_str());
    // SAFETY: a driver's initializers may run at any time. For other libraries, `load_from` requires it of its caller.
    unsafe { Library::load_with_flags(name, flags) }.map(Into::into)
}

/// Why no driver was loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LoadError {
    /// Each of these was tried, and none is a driver's library.
    NoDriver(Vec<Attempt>),
    /// [`load_from`] was called after this library had been loaded.
    AlreadyLoaded(OsString),
}

/// A library that was tried.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Attempt {
    /// The name or path that was passed to the system's loader.
    pub name: OsString,
    /// Why it is not the driver.
    pub error: AttemptError,
}

/// Why a library that was tried is not the driver.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AttemptError {
    /// The system's loader could not open it. The message is the loader's.
    NotOpened(String),
    /// It was opened, but it has no `cuDriverGetVersion`.
    NotADriver,
    /// It is the stub library that a toolkit ships for linking. Each of its functions returns
    /// [`CUDA_ERROR_STUB_LIBRARY`].
    Stub,
}

impl LoadError {
    /// Returns what every function of this crate returns for this reason: [`CUDA_ERROR_STUB_LIBRARY`] if a stub was
    /// found and no driver, else [`CUDA_ERROR_SHARED_OBJECT_INIT_FAILED`].
    pub fn code(&self) -> CUresult {
        match self {
            Self::NoDriver(attempts)
                if attempts.iter().any(|attempt| attempt.error == AttemptError::Stub) =>
            {
                CUDA_ERROR_STUB_LIBRARY
            }
            _ => CUDA_ERROR_SHARED_OBJECT_INIT_FAILED,
        }
    }
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoDriver(attempts) => {
                f.write_str("no CUDA driver library could be loaded; tried")?;
                attempts.iter().try_for_each(|attempt| write!(f, "\n  {attempt}"))
            }
            Self::AlreadyLoaded(name) => {
                write!(f, "a CUDA driver library is loaded already: {}", name.to_string_lossy())
            }
        }
    }
}

impl fmt::Display for Attempt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.name.to_string_lossy();
        match &self.error {
            // The message of the system's loader often begins with the name.
            AttemptError::NotOpened(message) if message.starts_with(&*name) => f.write_str(message),
            AttemptError::NotOpened(message) => write!(f, "{name}: {message}"),
            AttemptError::NotADriver => {
                write!(f, "{name}: opened, but it has no cuDriverGetVersion: not a CUDA driver")
            }
            AttemptError::Stub => {
                write!(f, "{name}: a toolkit's stub library, which is for linking only")
            }
        }
    }
}

impl Error for LoadError {}
