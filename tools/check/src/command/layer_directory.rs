//! The directory that comes first on the program's LD_LIBRARY_PATH: the layer, the driver under another name, and the
//! file that the checked processes share with the program.

use std::env;
use std::ffi::{CString, OsStr};
use std::fs::{self, Permissions};
use std::io;
use std::mem::size_of;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::Command;
use std::sync::atomic::Ordering::Relaxed;

use cuda_external_check::layer_options::{DIRECTORY_VARIABLE, LayerOptions};
use cuda_external_check::shared_file::{FILE_NAME, SharedFile};
use cuda_external_in_process::path_variables::{prepend_path, refuse_path_separators};
use libloading::Library;
use tempfile::{Builder, TempDir};

use super::printed_findings::print_notice;
use super::{layer_manifest, layer_symbols};

const LAYER: &[u8] = include_bytes!(concat!(env!("CUDA_EXTERNAL_CHECK_OUT"), "/libcuda.so.1"));
const PRELOAD: &[u8] = include_bytes!(concat!(env!("CUDA_EXTERNAL_CHECK_OUT"), "/libcuda_preload.so"));

/// A directory that the user alone can read. It is removed when this is dropped.
pub struct LayerDirectory {
    directory: TempDir,
    pub shared: &'static SharedFile,
}

impl LayerDirectory {
    /// Makes the directory in TMPDIR or /tmp, where libraries must be loadable.
    pub fn create_layer_directory(driver: &Path, options: &LayerOptions) -> Result<Self, String> {
        let place = env::temp_dir();
        let created = Self::create_layer_directory_in(&place, driver, options);
        created.map_err(|reason| format!("{}: {reason}\nSet TMPDIR to another directory.", place.display()))
    }

    fn create_layer_directory_in(
        place: &Path,
        driver: &Path,
        options: &LayerOptions,
    ) -> Result<Self, String> {
        let said = |error: io::Error| error.to_string();
        let place = place.canonicalize().map_err(said)?;
        refuse_path_separators(&place).map_err(said)?;
        let directory = Builder::new()
            .prefix("cuda-external-check-")
            .permissions(Permissions::from_mode(0o700))
            .tempdir_in(place)
            .map_err(said)?;
        let path = directory.path();
        fs::write(path.join("libcuda.so.1"), layer_symbols::hide_functions_driver_lacks(LAYER, driver))
            .map_err(said)?;
        fs::write(path.join(PRELOADED), PRELOAD).map_err(said)?;
        symlink("libcuda.so.1", path.join("libcuda.so")).map_err(said)?;
        symlink(driver, path.join("libcuda_real.so")).map_err(said)?;
        layer_manifest::write_manifest(path).map_err(said)?;
        let of_layer = format!("called_from_lib:{}\n", path.join("libcuda.so.1").display());
        fs::write(path.join(SUPPRESSIONS), of_layer).map_err(said)?;
        // Not every file system allows code to be loaded.
        // SAFETY: the layer's initializer does nothing while there is no shared file. The layer stays loaded.
        let layer = unsafe { Library::new(path.join("libcuda.so.1")) }.map_err(|error| error.to_string())?;
        std::mem::forget(layer);
        // All of it is written, so that no process finds the disk full.
        fs::write(path.join(FILE_NAME), vec![0; size_of::<SharedFile>()]).map_err(said)?;
        let shared = CString::new(path.join(FILE_NAME).into_os_string().into_vec())
            .ok()
            .and_then(|path| SharedFile::map_shared_file(&path));
        let shared = shared.ok_or("the shared file cannot be mapped")?;
        shared.options.iter().zip(options.to_words()).for_each(|(to, number)| to.store(number, Relaxed));
        Ok(Self { directory, shared })
    }

    /// Sets the variables by which the program and what it starts load the libraries.
    pub fn set_preload_variables(&self, command: &mut Command) {
        let path = self.layer_directory_path();
        command.env(DIRECTORY_VARIABLE, path);
        let mut prepend = |name: &str, value: &OsStr| _ = command.env(name, prepend_path(name, value));
        prepend("LD_LIBRARY_PATH", path.as_os_str());
        prepend("LD_PRELOAD", path.join(PRELOADED).as_os_str());
        // AddressSanitizer requires to be the first library because of functions that the preloaded library lacks.
        prepend("ASAN_OPTIONS", "verify_asan_link_order=0".as_ref());
        // ThreadSanitizer sees the copies in the layer, but not the locks around the copies.
        let suppressions = format!("suppressions={}", path.join(SUPPRESSIONS).display());
        prepend("TSAN_OPTIONS", suppressions.as_ref());
        layer_manifest::add_layer_variables(command, path);
    }

    pub fn layer_directory_path(&self) -> &Path {
        self.directory.path()
    }

    /// Removes the directory, unless processes are left that load its libraries into the processes that they start.
    pub fn remove_directory_if_unused(self) {
        let left = count_processes_using_directory(self.layer_directory_path());
        if left > 0 {
            let path = self.directory.keep();
            print_notice(&format!(
                "{left} processes still run that the program started. Remove {} after them.",
                path.display()
            ));
        }
    }
}

const PRELOADED: &str = "libcuda_preload.so";
const SUPPRESSIONS: &str = "tsan.txt";

/// How many processes began with the directory in their environment.
fn count_processes_using_directory(directory: &Path) -> usize {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let environments = entries.filter_map(|entry| fs::read(entry.path().join("environ")).ok());
    let name = directory.as_os_str().as_bytes();
    let has = |bytes: &[u8]| bytes.strip_prefix(b"CUDA_EXTERNAL_CHECK_DIRECTORY=") == Some(name);
    environments.filter(|bytes| bytes.split(|byte| *byte == 0).any(has)).count()
}
