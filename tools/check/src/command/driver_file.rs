//! Finds the real driver's file: that of `--driver` or of an outer check, or else the one that cuda-external-sys finds.

use std::env;
use std::ffi::{CString, OsStr, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use cuda_external_check::call_stack::{LinkMap, link_map_of};
use cuda_external_check::layer_options::DIRECTORY_VARIABLE;

pub fn find_driver(named: Option<&Path>) -> Result<PathBuf, String> {
    if let (None, Some(outer)) = (named, env::var_os(DIRECTORY_VARIABLE)) {
        // Another check has started this one: libcuda.so.1 is the layer of that check, not the driver.
        let link = Path::new(&outer).join("libcuda_real.so");
        return link.canonicalize().map_err(|error| format!("{}: {error}", link.display()));
    }
    let driver = match named {
        // SAFETY: the user names this library as the driver, so its initializers may run in this process, and its
        // functions have the driver's types.
        Some(path) => unsafe { cuda_external_sys::load_from(path) },
        None => cuda_external_sys::load(),
    };
    let driver = driver.map_err(|error| error.to_string())?;
    driver.symbol(c"cuDriverGetVersion").ok_or("it has no cuDriverGetVersion")?;
    path_of_loaded_library(driver.name())
        .ok_or_else(|| format!("the file of {} is not known", driver.name().to_string_lossy()))
}

/// Returns the file of the loaded library `name`, or `None` if the file cannot be found. Does not search for the file
/// by a function's address, since a dependency of the library may define that function.
fn path_of_loaded_library(name: &OsStr) -> Option<PathBuf> {
    let name = CString::new(name.as_bytes()).ok()?;
    let mut loaded: *const LinkMap = std::ptr::null();
    // SAFETY: the library is loaded and never unloaded, and the loader writes a pointer to the library's entry.
    unsafe {
        let library = libc::dlopen(name.as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD);
        if library.is_null() || libc::dlinfo(library, libc::RTLD_DI_LINKMAP, (&raw mut loaded).cast()) != 0 {
            return None;
        }
        loaded.as_ref().and_then(canonical_file)
    }
}

pub fn library_of_function(function: *const c_void) -> Option<PathBuf> {
    link_map_of(function.addr()).and_then(canonical_file)
}

fn canonical_file(loaded: &LinkMap) -> Option<PathBuf> {
    Path::new(OsStr::from_bytes(loaded.file_name().to_bytes())).canonicalize().ok()
}
