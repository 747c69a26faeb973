//! Opening the driver's library, and why it could not be opened.

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
    CUDA_ERROR_SHARED_OBJECT_INIT_FAILED, CUDA_ERROR_STUB_LIBRARY, CUresult, PFN_cuDriverGetVersion,
};

/// The names tried, in order.
///
/// Never the unversioned libcuda.so before these: it is the toolkit's stub where a link path is
/// also a search path. After the plain name, which the system's loader finds by its own rules,
/// come the places that it is known not to look in.
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
    // For programs whose loader is not the distribution's own (Guix, a relocated libc).
    #[cfg(target_arch = "aarch64")]
    "/usr/lib/aarch64-linux-gnu/libcuda.so.1",
    #[cfg(target_arch = "x86_64")]
    "/usr/lib/x86_64-linux-gnu/libcuda.so.1",
    "/usr/lib64/libcuda.so.1",
    "/usr/lib/libcuda.so.1",
    // A driver package that ships no versioned link.
    "libcuda.so",
];

/// From the system directory only: see [`open`].
#[cfg(windows)]
const NAMES: &[&str] = &["nvcuda.dll"];

/// The driver's library, once opened. It is never unloaded.
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
    /// The name or path that the library was opened by.
    pub fn name(&self) -> &OsStr {
        &self.name
    }

    /// The newest CUDA release that the driver serves, as [`cuDriverGetVersion`] tells it: 13000
    /// is 13.0.
    ///
    /// [`cuDriverGetVersion`]: crate::companion::cuDriverGetVersion
    pub fn version(&self) -> c_int {
        self.version
    }

    /// The address of a function of this driver, or `None` where it has none of that name: for
    /// asking whether a call will work, and for functions that this crate does not bind.
    pub fn symbol(&self, name: &CStr) -> Option<NonNull<c_void>> {
        // SAFETY: the address is only looked up. As a symbol's type, Option<NonNull> has room for
        // what the loader returns.
        let symbol = unsafe { self.library.get::<Option<NonNull<c_void>>>(name.to_bytes_with_nul()) };
        symbol.ok().and_then(|symbol| *symbol)
    }

    /// Opens one library, and asks it whether it is a driver.
    fn open(name: &OsStr) -> Result<Self, Outcome> {
        let library = open(name).map_err(|error| Outcome::NotOpened(words(&error)))?;
        let mut driver = Self { library, name: name.to_owned(), version: 0 };
        let symbol = driver.symbol(c"cuDriverGetVersion").ok_or(Outcome::NotADriver)?;
        // SAFETY: the driver's function of this name has this type. It may be called before cuInit.
        let code = unsafe {
            let version = core::mem::transmute::<*mut c_void, PFN_cuDriverGetVersion>(symbol.as_ptr());
            version(&raw mut driver.version)
        };
        match code {
            CUDA_ERROR_STUB_LIBRARY => Err(Outcome::Stub),
            _ => Ok(driver),
        }
    }
}

/// Opens the driver's library where it is not open yet, and keeps it open.
///
/// A call of any function of this crate does this by itself: `load` is for knowing in advance, and
/// for the reason where there is no driver. It never calls [`cuInit`](crate::companion::cuInit).
///
/// Tried in order are `libcuda.so.1` as the system's loader finds it, the fixed places of WSL,
/// NixOS, Jetson and the distributions, and `libcuda.so` at last; on Windows `nvcuda.dll` in the
/// system directory, and nowhere else. A toolkit's stub library is recognised and passed over.
///
/// In `link` mode the linker has bound the functions already, and `load` only reports.
///
/// # Errors
///
/// [`LoadError::NoDriver`], with each name tried and why not. It is not remembered: a later call
/// tries again.
pub fn load() -> Result<&'static Driver, LoadError> {
    if let Some(driver) = DRIVER.get() {
        return Ok(driver);
    }
    let mut attempts = Vec::new();
    for name in NAMES.iter().map(OsStr::new) {
        match Driver::open(name) {
            // Where two threads open it at once the second one's handle is dropped, and the
            // system's loader keeps the library for the first.
            Ok(driver) => return Ok(DRIVER.get_or_init(|| driver)),
            Err(outcome) => attempts.push(Attempt { name: name.to_owned(), outcome }),
        }
    }
    Err(LoadError::NoDriver(attempts))
}

/// Opens this library as the driver, and no other.
///
/// For a driver in an unusual place, or a stand-in under test. It must come before the first call
/// of any other function of this crate.
///
/// # Errors
///
/// [`LoadError::AlreadyLoaded`] where a driver is loaded, [`LoadError::NoDriver`] where `path` could
/// not be opened or is not a driver. Nothing is loaded then.
///
/// # Safety
///
/// Opening a library runs its initialisers; and what it exports under the driver's names must be
/// functions of the driver's types.
pub unsafe fn load_from(path: impl AsRef<OsStr>) -> Result<&'static Driver, LoadError> {
    let path = path.as_ref();
    if cfg!(feature = "link") {
        return Err(LoadError::AlreadyLoaded("the library that the linker bound".into()));
    }
    if let Some(driver) = DRIVER.get() {
        return Err(LoadError::AlreadyLoaded(driver.name.clone()));
    }
    let driver = Driver::open(path)
        .map_err(|outcome| LoadError::NoDriver([Attempt { name: path.to_owned(), outcome }].into()))?;
    match DRIVER.set(driver) {
        Ok(()) => Ok(DRIVER.get().expect("it was set just now")),
        Err(_) => Err(LoadError::AlreadyLoaded(DRIVER.get().expect("another thread set it").name.clone())),
    }
}

/// The system's loader's words. On Windows they are the error's source, and the error itself says
/// only which function failed.
fn words(error: &libloading::Error) -> String {
    error.source().map_or_else(|| error.to_string(), |source| std::format!("{error}: {source}"))
}

#[cfg(not(windows))]
fn open(name: &OsStr) -> Result<Library, libloading::Error> {
    // SAFETY: the initialisers of a library of the driver's name are the driver's.
    unsafe { Library::new(name) }
}

#[cfg(windows)]
fn open(name: &OsStr) -> Result<Library, libloading::Error> {
    use libloading::os::windows::{LOAD_LIBRARY_SEARCH_SYSTEM32, LOAD_WITH_ALTERED_SEARCH_PATH, Library};
    // A bare name is the driver's: a file of that name beside the program or in the current
    // directory is not the driver, whatever it is.
    let is_bare = !name.as_encoded_bytes().iter().any(|byte| matches!(byte, b'\\' | b'/' | b':'));
    let flags = if is_bare { LOAD_LIBRARY_SEARCH_SYSTEM32 } else { LOAD_WITH_ALTERED_SEARCH_PATH };
    // That second flag is defined for absolute paths alone.
    let exact = std::path::absolute(name).ok().filter(|_| !is_bare);
    let name = exact.as_deref().map_or(name, |path| path.as_os_str());
    // SAFETY: the initialisers of a library of the driver's name are the driver's.
    unsafe { Library::load_with_flags(name, flags) }.map(Into::into)
}

/// Why no driver was loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LoadError {
    /// None of these is a driver's library.
    NoDriver(Vec<Attempt>),
    /// [`load_from`] came too late: this library is loaded, and stays.
    AlreadyLoaded(OsString),
}

/// One library that was tried.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Attempt {
    /// The name or path that was given to the system's loader.
    pub name: OsString,
    /// What came of it.
    pub outcome: Outcome,
}

/// Why a library that was tried is not the driver.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Outcome {
    /// The system's loader could not open it, in its words.
    NotOpened(String),
    /// It was opened, and has no `cuDriverGetVersion`.
    NotADriver,
    /// It is the library that a toolkit ships for the linker, which answers every call with
    /// [`CUDA_ERROR_STUB_LIBRARY`].
    Stub,
}

impl LoadError {
    /// What a call answers for this reason: [`CUDA_ERROR_STUB_LIBRARY`] where a stub was all there
    /// was, else [`CUDA_ERROR_SHARED_OBJECT_INIT_FAILED`].
    pub fn code(&self) -> CUresult {
        match self {
            Self::NoDriver(attempts) if attempts.iter().any(|attempt| attempt.outcome == Outcome::Stub) => {
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
        match &self.outcome {
            // The system's loader often begins with the name by itself.
            Outcome::NotOpened(words) if words.starts_with(&*name) => f.write_str(words),
            Outcome::NotOpened(words) => write!(f, "{name}: {words}"),
            Outcome::NotADriver => {
                write!(f, "{name}: opened, but it has no cuDriverGetVersion: not a CUDA driver")
            }
            Outcome::Stub => write!(f, "{name}: a toolkit's stub library, which is for the linker alone"),
        }
    }
}

impl Error for LoadError {}
