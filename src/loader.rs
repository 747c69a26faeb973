//! Opens the driver's library, and looks up its functions.

mod load_error;
// Only 64-bit Linux and 64-bit Windows have a driver for these bindings. A program with a static glibc would crash if
// it opened the driver, which loads the dynamic glibc.
#[cfg_attr(
    any(
        not(all(target_pointer_width = "64", any(target_os = "linux", windows))),
        all(target_env = "gnu", target_os = "linux", target_feature = "crt-static")
    ),
    path = "loader/no_library.rs"
)]
mod library;

use core::ffi::{CStr, c_int, c_void};
use core::ptr::NonNull;
use core::sync::atomic::{AtomicU32, Ordering};
use std::borrow::ToOwned;
use std::ffi::{OsStr, OsString};
use std::sync::OnceLock;
use std::vec::Vec;

use crate::bindings::pfn::PFN_cuDriverGetVersion;
use crate::bindings::{
    CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND, CUDA_ERROR_STUB_LIBRARY, CUDA_SUCCESS, CUresult,
};
use crate::versioned_symbols::symbol_of_c_name;
use library::DriverLibrary;
pub use load_error::{Attempt, AttemptError, LoadError};

/// A loaded driver: an opened library, or functions of this process ([`load_with`]). The driver is never unloaded.
///
/// Returned by [`load`], [`load_from`] and [`load_with`].
#[derive(Debug)]
pub struct Driver {
    functions: FunctionSource,
    name: OsString,
    version: c_int,
}

/// The source of a driver's functions: a library, or a function of this process that returns their addresses.
#[derive(Debug)]
enum FunctionSource {
    Library(DriverLibrary),
    Process(fn(&CStr) -> Option<NonNull<c_void>>),
}

static DRIVER: OnceLock<Driver> = OnceLock::new();

/// The code of [`load`]'s last error, which CUDA functions return while no driver is loaded; 0 before `load` fails.
static FAILURE: AtomicU32 = AtomicU32::new(0);

impl Driver {
    /// Returns the name or path by which the library was opened, or the name that was passed to [`load_with`].
    pub fn name(&self) -> &OsStr {
        &self.name
    }

    /// Returns the newest CUDA release that the driver supports, as [`cuDriverGetVersion`](crate::cuDriverGetVersion)
    /// does: 13000 is 13.0. The number is 0 if that function failed.
    pub fn version(&self) -> c_int {
        self.version
    }

    /// Returns the address of a function of this driver, or `None` if the driver does not have the function.
    ///
    /// Use this method to learn whether the driver has a function, or to call a function that this crate does not bind.
    ///
    /// A name means the same as in a C program that includes the newest `cuda.h`, where many names are macros:
    /// `cuMemAlloc` is the function that the library exports as `cuMemAlloc_v2`, whose type is
    /// [`PFN_cuMemAlloc`](crate::pfn::PFN_cuMemAlloc). The library's `cuMemAlloc` is the first version, with other
    /// types; [`exact_symbol`](Self::exact_symbol) returns the first version's address. One name differs from C:
    /// `cuEventElapsedTime` means the first version, although `cuda.h` replaces it by `cuEventElapsedTime_v2`.
    pub fn symbol(&self, name: &CStr) -> Option<NonNull<c_void>> {
        self.exact_symbol(symbol_of_c_name(name))
    }

    /// Returns the address of what the driver exports under exactly this name, or `None`.
    ///
    /// If a macro of `cuda.h` replaces the name by a later version's (`cuMemAlloc` by `cuMemAlloc_v2`), the function is
    /// an older version, which may have other types. For each function that this crate binds, [`symbol`](Self::symbol)
    /// returns the version that has the crate's types.
    pub fn exact_symbol(&self, name: &CStr) -> Option<NonNull<c_void>> {
        match &self.functions {
            FunctionSource::Library(library) => library.symbol(name),
            FunctionSource::Process(symbols) => symbols(name),
        }
    }

    /// Loads the driver if none is loaded, and returns the address of a function. If that fails, the error is the code
    /// that a call of the function returns.
    ///
    /// The name has the same meaning as in [`symbol`](Self::symbol).
    ///
    /// # Errors
    ///
    /// Returns the [code](LoadError::code) of [`load`]'s error if no driver could be loaded. Later calls return that
    /// code at once, without a new search, until [`load`], [`load_from`] or [`load_with`] succeeds. Returns
    /// [`CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND`] if the driver does not have the function.
    pub fn resolve(name: &CStr) -> Result<NonNull<c_void>, CUresult> {
        Self::resolve_exact(symbol_of_c_name(name))
    }

    /// Loads the driver as [`resolve`](Self::resolve) does, and returns the address of what the driver exports under
    /// exactly this name. This crate's functions and those of [`extern_driver!`](crate::extern_driver) use this method.
    ///
    /// # Errors
    ///
    /// The same as those of [`resolve`](Self::resolve).
    pub fn resolve_exact(name: &CStr) -> Result<NonNull<c_void>, CUresult> {
        let driver = match (DRIVER.get(), FAILURE.load(Ordering::Relaxed)) {
            (Some(driver), _) => driver,
            (None, 0) => load().map_err(|error| error.code())?,
            (None, code) => return Err(code.into()),
        };
        driver.exact_symbol(name).ok_or(CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND)
    }

    /// Opens one library as the driver, and asks the driver for its version.
    fn open(name: &OsStr) -> Result<Self, AttemptError> {
        let library = DriverLibrary::open(name).map_err(AttemptError::NotOpened)?;
        Self::new(name, FunctionSource::Library(library))
    }

    /// Makes a driver from its functions, and asks its cuDriverGetVersion for the version.
    ///
    /// Fails if cuDriverGetVersion is missing or returns the code of a toolkit's stub. After any other error code the
    /// driver is used, with the version 0.
    fn new(name: &OsStr, functions: FunctionSource) -> Result<Self, AttemptError> {
        let mut driver = Self { functions, name: name.to_owned(), version: 0 };
        let symbol = driver.symbol(c"cuDriverGetVersion").ok_or(AttemptError::NotADriver)?;
        // SAFETY: a driver's cuDriverGetVersion has this type and may be called before cuInit. The callers of
        // `load_from` and `load_with` guarantee the types of their drivers' functions.
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
/// The first call of a CUDA function of this crate does the same. A program calls `load` to learn in advance whether
/// there is a driver, or why there is none. `load` never calls [`cuInit`](crate::cuInit).
///
/// On Linux `load` tries, in this order: `libcuda.so.1` by the rules of the system's loader; the fixed places of WSL,
/// NixOS, Jetson and the distributions; `libcuda.so`. On Windows it tries `nvcuda.dll` in the system directory only.
/// `load` recognizes a toolkit's stub library and passes over the stub. On other systems, on 32-bit targets and in a
/// program with a static glibc, `load` opens nothing.
///
/// After a failure, `load` tries again each time that it is called. CUDA functions do not try again: they return the
/// error's [code](LoadError::code) at once, until `load`, [`load_from`] or [`load_with`] succeeds. A program that waits
/// for a driver must therefore call `load` from time to time.
///
/// To import a file descriptor, call `load` first, and `into_raw_fd` only if `load` succeeds. Without a driver the
/// import does not take the descriptor over, and nothing closes the descriptor.
///
/// If a library in `LD_PRELOAD` has the soname `libcuda.so.1`, the system's loader returns that library. A preloaded
/// library without that soname is not used, since functions are looked up in the library that was opened.
///
/// A signal handler must not cause the driver to be loaded: loading allocates memory and takes locks. NVIDIA's manual
/// names no function of the driver that a signal handler may call.
///
/// # Errors
///
/// Returns [`LoadError::NoDriver`] if no library that was tried is a driver; the error has the reason for each library.
/// Returns [`LoadError::UnsupportedTarget`] on a target without a driver and in a program with a static glibc, unless
/// [`load_with`] has loaded a driver.
pub fn load() -> Result<&'static Driver, LoadError> {
    if let Some(driver) = DRIVER.get() {
        return Ok(driver);
    }
    let loaded = load_first_driver();
    if let Err(error) = &loaded {
        FAILURE.store(error.code().into(), Ordering::Relaxed);
    }
    loaded
}

fn load_first_driver() -> Result<&'static Driver, LoadError> {
    if library::NAMES.is_empty() {
        return Err(LoadError::UnsupportedTarget);
    }
    let mut attempts = Vec::new();
    for name in library::NAMES.iter().map(OsStr::new) {
        match Driver::open(name) {
            // If two threads open the library at once, one handle is dropped, and the other one keeps the library open.
            Ok(driver) => return Ok(DRIVER.get_or_init(|| driver)),
            Err(error) => attempts.push(Attempt { name: name.to_owned(), error }),
        }
    }
    Err(LoadError::NoDriver(attempts))
}

/// Opens the library at `path` as the driver, and tries no other library.
///
/// Use this function for a driver in an unusual place, or for a mock driver in tests. Call `load_from` before [`load`]
/// and before the first call of a CUDA function: each of them loads a driver.
///
/// # Errors
///
/// Always returns [`LoadError::UnsupportedTarget`] on a target without a driver and in a program with a static glibc.
/// Otherwise returns [`LoadError::AlreadyLoaded`] if a driver is loaded; `path` is then not opened. If another thread
/// loads a driver during the call, the error is the same, and the library at `path` is closed again. Returns
/// [`LoadError::NoDriver`] if `path` could not be opened or is not a driver.
///
/// # Safety
///
/// The library's initializers run when it is opened, and its finalizers run if it is closed again. Neither may cause
/// undefined behavior. The functions that the library exports under the driver's names must have cuda.h's types.
pub unsafe fn load_from(path: impl AsRef<OsStr>) -> Result<&'static Driver, LoadError> {
    if library::NAMES.is_empty() {
        return Err(LoadError::UnsupportedTarget);
    }
    let path = path.as_ref();
    load_single_driver(path, || Driver::open(path))
}

/// Uses functions of this process as the driver, for example those of a driver in software or of a mock driver.
///
/// `symbols` returns the address of the function that a driver's library would export under exactly the given name, or
/// `None`. For a call of `cuMemAlloc` the crate passes `cuMemAlloc_v2` to `symbols`. The crate may call `symbols` in
/// any thread, and several times with the same name. `symbols` must return an address for `cuDriverGetVersion`. If it
/// returns `None` for another function, calls of that function return [`CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND`].
/// [`Driver::name`] returns `name`.
///
/// As with [`load_from`], call `load_with` before a driver is loaded. `load_with` works on every target.
///
/// ```
/// use core::ffi::{CStr, c_int, c_void};
/// use core::ptr::NonNull;
/// use cuda_external_sys::*;
///
/// unsafe extern "C" fn version(version: *mut c_int) -> CUresult {
///     unsafe { version.write(13000) };
///     CUDA_SUCCESS
/// }
/// // rustc compares the function with the driver's type.
/// const VERSION: PFN_cuDriverGetVersion = version;
///
/// fn symbols(name: &CStr) -> Option<NonNull<c_void>> {
///     match name.to_bytes() {
///         b"cuDriverGetVersion" => NonNull::new(VERSION as *mut c_void),
///         _ => None,
///     }
/// }
///
/// let driver = unsafe { load_with("a driver of one function", symbols) }?;
/// assert_eq!(driver.version(), 13000);
/// assert_eq!(unsafe { cuInit(0) }, CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND);
/// # Ok::<(), LoadError>(())
/// ```
///
/// # Errors
///
/// Returns [`LoadError::AlreadyLoaded`] if a driver is loaded, or if another thread loads one during the call. Returns
/// [`LoadError::NoDriver`] if `symbols` returns `None` for `cuDriverGetVersion`, or if `cuDriverGetVersion` returns
/// [`CUDA_ERROR_STUB_LIBRARY`].
///
/// # Safety
///
/// Each address that `symbols` returns must be that of a function with the type that cuda.h declares for the name, and
/// stay valid until the process ends.
pub unsafe fn load_with(
    name: impl AsRef<OsStr>,
    symbols: fn(&CStr) -> Option<NonNull<c_void>>,
) -> Result<&'static Driver, LoadError> {
    let name = name.as_ref();
    load_single_driver(name, || Driver::new(name, FunctionSource::Process(symbols)))
}

/// Calls `driver` and stores the result as the process's driver. If `driver` fails, the error has `name` and the
/// reason. Also fails if a driver is stored already.
fn load_single_driver(
    name: &OsStr,
    driver: impl FnOnce() -> Result<Driver, AttemptError>,
) -> Result<&'static Driver, LoadError> {
    let already_loaded = |driver: &Driver| LoadError::AlreadyLoaded(driver.name.clone());
    if let Some(driver) = DRIVER.get() {
        return Err(already_loaded(driver));
    }
    let opened =
        driver().map_err(|error| LoadError::NoDriver([Attempt { name: name.to_owned(), error }].into()))?;
    let mut opened = Some(opened);
    let driver = DRIVER.get_or_init(|| opened.take().expect("it is initialized once"));
    // If `opened` still holds the driver, another thread has stored a driver first.
    if opened.is_some() { Err(already_loaded(driver)) } else { Ok(driver) }
}
