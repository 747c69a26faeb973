//! The directory that stands first on the program's LD_LIBRARY_PATH: the layer, and the driver under another name.

use std::env;
use std::ffi::{CStr, CString};
use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, symlink};
use std::path::{Path, PathBuf};
use std::process;

use cuda_external_check::sys;

const LAYER: &[u8] = include_bytes!(concat!(env!("CUDA_EXTERNAL_CHECK_OUT"), "/libcuda.so.1"));
const PRELOAD: &[u8] = include_bytes!(concat!(env!("CUDA_EXTERNAL_CHECK_OUT"), "/libcuda_preload.so"));

/// It is removed when this is dropped.
pub struct Directory(PathBuf);

impl Directory {
    /// Makes the directory where libraries can be loaded from: not every temporary directory allows it.
    pub fn create(driver: &Path) -> Result<Self, String> {
        let mut places = vec![env::temp_dir(), "/tmp".into(), "/dev/shm".into(), "/var/tmp".into()];
        places.extend(env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from));
        let mut reasons = Vec::new();
        for place in places {
            match Self::create_in(&place, driver) {
                Ok(directory) => return Ok(directory),
                Err(reason) => reasons.push(format!("\n  {}: {reason}", place.display())),
            }
        }
        Err(format!("no directory for the layer:{}", reasons.concat()))
    }

    fn create_in(place: &Path, driver: &Path) -> Result<Self, String> {
        let said = |error: io::Error| error.to_string();
        let path = place.join(format!("cuda-external-check-{}", process::id()));
        // Of another user, or of a process of this number that was killed.
        _ = fs::remove_dir_all(&path);
        DirBuilder::new().mode(0o700).create(&path).map_err(said)?;
        let directory = Self(path);
        let path = directory.path();
        fs::write(path.join("libcuda.so.1"), LAYER).map_err(said)?;
        fs::write(directory.preload(), PRELOAD).map_err(said)?;
        symlink("libcuda.so.1", path.join("libcuda.so")).map_err(said)?;
        symlink(driver, path.join("libcuda_real.so")).map_err(said)?;
        loads(&path.join("libcuda.so.1"))?;
        Ok(directory)
    }

    /// The library that the loader puts before all others.
    pub fn preload(&self) -> PathBuf {
        self.0.join("libcuda_preload.so")
    }

    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        _ = fs::remove_dir_all(&self.0);
    }
}

/// Loads the layer here, where it does nothing, to see that it can be loaded.
fn loads(library: &Path) -> Result<(), String> {
    unsafe extern "C" {
        fn dlerror() -> *const std::ffi::c_char;
    }
    let name = CString::new(library.as_os_str().as_bytes()).map_err(|error| error.to_string())?;
    // SAFETY: the layer's initializer does nothing without its variable. The message is read before another call.
    unsafe {
        if !sys::dlopen(name.as_ptr(), sys::RTLD_LAZY).is_null() {
            return Ok(());
        }
        let message = dlerror();
        Err(if message.is_null() {
            String::new()
        } else {
            CStr::from_ptr(message).to_string_lossy().into_owned()
        })
    }
}
