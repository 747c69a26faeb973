//! Creates the layer's directory, the first in the checked program's LD_LIBRARY_PATH, and sets the program's variables.

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
use serde_json::json;
use tempfile::{Builder, TempDir};

use super::layer_symbols;
use super::printed_findings::print_notice;

const LAYER: &[u8] = include_bytes!(concat!(env!("CUDA_EXTERNAL_CHECK_OUT"), "/libcuda.so.1"));
const PRELOAD: &[u8] = include_bytes!(concat!(env!("CUDA_EXTERNAL_CHECK_OUT"), "/libcuda_preload.so"));

/// The directory, which only the user can read, and the shared file in it. Dropping the value removes the directory.
pub struct LayerDirectory {
    directory: TempDir,
    pub shared: &'static SharedFile,
}

impl LayerDirectory {
    /// Makes the directory in TMPDIR or /tmp, where libraries must be loadable.
    pub fn create_layer_directory(driver: &Path, options: &LayerOptions) -> Result<Self, String> {
        let place = env::temp_dir();
        Self::create_layer_directory_in(&place, driver, options)
            .map_err(|error| format!("{}: {error}\nSet TMPDIR to another directory.", place.display()))
    }

    fn create_layer_directory_in(place: &Path, driver: &Path, options: &LayerOptions) -> io::Result<Self> {
        let place = place.canonicalize()?;
        refuse_path_separators(&place)?;
        let mode = Permissions::from_mode(0o700);
        let directory = Builder::new().prefix("cuda-external-check-").permissions(mode).tempdir_in(place)?;
        let path = directory.path();
        let layer = path.join("libcuda.so.1");
        fs::write(&layer, layer_symbols::hide_functions_driver_lacks(LAYER, driver))?;
        fs::write(path.join(PRELOADED), PRELOAD)?;
        symlink("libcuda.so.1", path.join("libcuda.so"))?;
        symlink(driver, path.join("libcuda_real.so"))?;
        write_vulkan_manifest(path)?;
        fs::write(path.join(SUPPRESSIONS), format!("called_from_lib:{}\n", layer.display()))?;
        // If the directory's file system is mounted with noexec, this load fails, before the program starts.
        // SAFETY: the driver's initializers may run in this process. The layer's initializers do nothing, since there
        // is no shared file yet.
        std::mem::forget(unsafe { Library::new(layer) }.map_err(io::Error::other)?);
        // This call writes every byte, so that no process finds the disk full later.
        fs::write(path.join(FILE_NAME), vec![0; size_of::<SharedFile>()])?;
        let shared = CString::new(path.join(FILE_NAME).into_os_string().into_vec())?;
        let shared = SharedFile::map_shared_file(&shared).ok_or_else(io::Error::last_os_error)?;
        shared.options.iter().zip(options.to_words()).for_each(|(to, number)| to.store(number, Relaxed));
        Ok(Self { directory, shared })
    }

    /// Sets the variables by which the program, and the processes that it starts, load the layer and `PRELOADED`.
    pub fn set_preload_variables(&self, command: &mut Command) {
        let path = self.layer_directory_path();
        command.env(DIRECTORY_VARIABLE, path);
        let mut prepend = |name: &str, value: &OsStr| _ = command.env(name, prepend_path(name, value));
        prepend("LD_LIBRARY_PATH", path.as_os_str());
        prepend("LD_PRELOAD", path.join(PRELOADED).as_os_str());
        // Without this option, AddressSanitizer ends a program in which another library precedes its runtime.
        prepend("ASAN_OPTIONS", "verify_asan_link_order=0".as_ref());
        // ThreadSanitizer sees memory accesses by functions that the layer calls, such as memcpy, but not the layer's
        // locks. Without the file of suppressions, the sanitizer would report races that do not exist.
        let suppressions = format!("suppressions={}", path.join(SUPPRESSIONS).display());
        prepend("TSAN_OPTIONS", suppressions.as_ref());
        // Vulkan's loader ignores VK_ADD_LAYER_PATH if VK_LAYER_PATH is set, and an old loader ignores it always.
        let has_paths = env::var_os("VK_LAYER_PATH").is_some();
        prepend(if has_paths { "VK_LAYER_PATH" } else { "VK_ADD_LAYER_PATH" }, path.as_os_str());
        prepend("VK_INSTANCE_LAYERS", VULKAN_LAYER.as_ref());
    }

    pub fn layer_directory_path(&self) -> &Path {
        self.directory.path()
    }

    /// Removes the directory, unless a running process could still start programs that load the layer.
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
const VULKAN_LAYER: &str = "VK_LAYER_CUDA_EXTERNAL_check";

/// Writes the layer's manifest for Vulkan. The manifest names the libcuda.so.1 that the dynamic loader finds, so that a
/// process does not load the layer twice.
fn write_vulkan_manifest(directory: &Path) -> io::Result<()> {
    let manifest = json!({
        "file_format_version": "1.2.0",
        "layer": {
            "name": VULKAN_LAYER,
            "type": "GLOBAL",
            "library_path": directory.join("libcuda.so.1"),
            "api_version": "1.4.0",
            "implementation_version": "1",
            "description": "What Vulkan exports, for cuda-external-check",
        },
    });
    fs::write(directory.join("cuda_external_check.json"), manifest.to_string())
}

fn count_processes_using_directory(directory: &Path) -> usize {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let environments = entries.filter_map(|entry| fs::read(entry.path().join("environ")).ok());
    let name = directory.as_os_str().as_bytes();
    let has = |bytes: &[u8]| bytes.strip_prefix(b"CUDA_EXTERNAL_CHECK_DIRECTORY=") == Some(name);
    environments.filter(|bytes| bytes.split(|byte| *byte == 0).any(has)).count()
}
