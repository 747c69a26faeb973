//! Opens the driver's library, and looks its functions up.

mod error;
// Elsewhere there is no driver to open.
#[cfg_attr(
    not(all(target_pointer_width = "64", any(target_os = "linux", windows))),
    path = "loader/no_library.rs"
)]
mod library;
mod renamed;

use core::ffi::{CStr, c_int, c_void};
use core::ptr::NonNull;
use core::sync::atomic::{AtomicU32, Ordering};
use std::borrow::ToOwned;
use std::ffi::{OsStr, OsString};
use std::sync::OnceLock;
use std::vec::Vec;

use crate::{
    CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND, CUDA_ERROR_STUB_LIBRARY, CUDA_SUCCESS, CUresult,
    PFN_cuDriverGetVersion,
};
pub use error::{Attempt, AttemptError, LoadError};
use library::Library;

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

/// What calls return since [`load`] failed, or 0.
static FAILURE: AtomicU32 = AtomicU32::new(0);

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

    /// Returns the address of a function of this driver, or `None` where the driver does not have it.
    ///
    /// It shows in advance whether a call will work, and finds functions that this crate does not bind.
    ///
    /// A name has the same meaning as in a C program that includes `cuda.h`, where many names are macros: `cuMemAlloc` is
    /// the function that the library exports as `cuMemAlloc_v2`, whose type is
    /// [`PFN_cuMemAlloc`](crate::pfn::PFN_cuMemAlloc). For a function of this crate, it is the meaning in this crate. The
    /// library also exports the function of CUDA 3.1 as `cuMemAlloc`, which takes other types:
    /// [`exact_symbol`](Self::exact_symbol) returns that one.
    pub fn symbol(&self, name: &CStr) -> Option<NonNull<c_void>> {
        self.exact_symbol(renamed::in_library(name))
    }

    /// Returns the address of what the library exports under exactly this name, or `None`.
    ///
    /// Where `cuda.h` makes a macro of the name, this is an older version of the function, which takes other types than the
    /// function of that name in this crate: [`symbol`](Self::symbol) returns the right one.
    pub fn exact_symbol(&self, name: &CStr) -> Option<NonNull<c_void>> {
        self.library.symbol(name)
    }

    /// Loads the driver as a call does, and returns the address of a function, or the code that a call of it returns where
    /// there is none.
    ///
    /// The name has the same meaning as in [`symbol`](Self::symbol).
    ///
    /// # Errors
    ///
    /// Returns the [code](LoadError::code) of [`load`]'s error where no driver could be loaded: once [`load`] has failed,
    /// here or elsewhere, at once, until [`load`] or [`load_from`] succeeds. Returns
    /// [`CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND`] where the driver does not have the function.
    pub fn resolve(name: &CStr) -> Result<NonNull<c_void>, CUresult> {
        let driver = match (DRIVER.get(), FAILURE.load(Ordering::Relaxed)) {
            (Some(driver), _) => driver,
            (None, 0) => load().map_err(|error| error.code())?,
            (None, code) => return Err(code.into()),
        };
        driver.symbol(name).ok_or(CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND)
    }

    /// Opens one library and calls its cuDriverGetVersion.
    ///
    /// Only the stub is rejected by the result: a driver whose cuDriverGetVersion fails is still a driver.
    fn open(name: &OsStr) -> Result<Self, AttemptError> {
        let library = Library::open(name).map_err(AttemptError::NotOpened)?;
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
/// Every function of this crate does this when it is first called. `load` is for a program that must know in advance
/// whether there is a driver, or why there is none. It never calls [`cuInit`](crate::cuInit).
///
/// It tries, in this order: `libcuda.so.1` by the rules of the system's loader; the fixed places of WSL, NixOS, Jetson
/// and the distributions; `libcuda.so`. On Windows it tries `nvcuda.dll` in the system directory only. A toolkit's stub
/// library is recognized and passed over. On other systems and on 32-bit targets it opens nothing.
///
/// `load` itself tries again after a failure. Functions do not: once `load` has failed, called by a program or by a first
/// call, every function returns the error's [code](LoadError::code) at once, until `load` or [`load_from`] succeeds. A
/// program that waits for a driver calls `load` now and then.
///
/// # Errors
///
/// Returns [`LoadError::NoDriver`] with each name that was tried and the reason why it is not the driver, or
/// [`LoadError::UnsupportedTarget`].
pub fn load() -> Result<&'static Driver, LoadError> {
    if let Some(driver) = DRIVER.get() {
        return Ok(driver);
    }
    let loaded = try_all();
    if let Err(error) = &loaded {
        FAILURE.store(error.code().into(), Ordering::Relaxed);
    }
    loaded
}

fn try_all() -> Result<&'static Driver, LoadError> {
    if library::NAMES.is_empty() {
        return Err(LoadError::UnsupportedTarget);
    }
    let mut attempts = Vec::new();
    for name in library::NAMES.iter().map(OsStr::new) {
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
/// It is for a driver in an unusual place and for a mock driver in tests. It must come before a driver is loaded, by
/// [`load`] or by a call of another function of this crate.
///
/// # Errors
///
/// Returns [`LoadError::AlreadyLoaded`] if a driver is loaded; `path` is then not opened. If another thread loads one
/// meanwhile, the error is the same, and `path` was opened and is closed again. Returns [`LoadError::NoDriver`] if `path`
/// could not be opened or is not a driver, and [`LoadError::UnsupportedTarget`] as [`load`] does; nothing is loaded then.
///
/// # Safety
///
/// Opening a library runs its initializers. The functions that it exports under the driver's names must have the
/// types that cuda.h declares.
pub unsafe fn load_from(path: impl AsRef<OsStr>) -> Result<&'static Driver, LoadError> {
    let already_loaded = |driver: &Driver| LoadError::AlreadyLoaded(driver.name.clone());
    if library::NAMES.is_empty() {
        return Err(LoadError::UnsupportedTarget);
    }
    if let Some(driver) = DRIVER.get() {
        return Err(already_loaded(driver));
    }
    let path = path.as_ref();
    let opened = Driver::open(path)
        .map_err(|error| LoadError::NoDriver([Attempt { name: path.to_owned(), error }].into()))?;
    let mut opened = Some(opened);
    let driver = DRIVER.get_or_init(|| opened.take().expect("it is initialized once"));
    // Another thread's driver was there first.
    if opened.is_some() { Err(already_loaded(driver)) } else { Ok(driver) }
}
