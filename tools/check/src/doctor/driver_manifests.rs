//! Finds the manifests that name drivers of Vulkan and EGL, and tries to open the drivers' libraries.

use std::env;
use std::ffi::{OsStr, c_void};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Instant;

use libloading::Library;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::dlopen_errors::{
    innermost_error_text, parent_directory, says_library_is_absent, why_dlopen_skips_file,
};
use super::probe_process::{ProbeProcess, note_next_call, write_answer_and_exit};
use super::remedy::MachineFix;
use crate::command::library_of_function;

#[derive(Default, Serialize, Deserialize)]
pub struct DriverManifest {
    pub name: PathBuf,
    /// The library's path, as written in the manifest.
    pub library: String,
    pub api_version: Option<String>,
    /// The file of the library, if the library opens.
    pub file: Option<PathBuf>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missing: Option<MachineFix>,
}

impl DriverManifest {
    /// Returns whether the name of the manifest or of its library contains `mark`, such as "nvidia".
    pub fn is_manifest_of_driver(&self, mark: &str) -> bool {
        let name = self.name.file_name().unwrap_or_default().to_string_lossy();
        self.library.contains(mark) || name.contains(mark)
    }
}

/// A manifest, and the process that opens the manifest's library, if the manifest names one.
type ManifestProbe = (DriverManifest, Option<ProbeProcess>);

/// Where a loader looks for manifests.
pub struct ManifestSearch {
    /// The variables that replace the usual places by a list of manifests. The first variable that is set counts.
    only: &'static [&'static str],
    /// The variable that adds manifests before those in the usual places, or empty if the loader has no such variable.
    added: &'static str,
    /// The usual places, in the loader's order. Each has the name of a variable that lists directories (empty if the
    /// place has no variable), and the list that the loader uses if the variable has no value. `~` is the home
    /// directory.
    places: &'static [(&'static str, &'static str)],
    /// The directory of the manifests below each place.
    directory: &'static str,
    /// Functions, separated by commas, of which each driver's library has at least one.
    entry_points: &'static str,
}

pub const VULKAN: ManifestSearch = ManifestSearch {
    // Older loaders read only the second variable.
    only: &["VK_DRIVER_FILES", "VK_ICD_FILENAMES"],
    added: "VK_ADD_DRIVER_FILES",
    places: &[
        ("XDG_CONFIG_HOME", "~/.config"),
        ("XDG_CONFIG_DIRS", "/etc/xdg"),
        ("", "/etc"),
        ("XDG_DATA_HOME", "~/.local/share"),
        ("XDG_DATA_DIRS", "/usr/local/share:/usr/share"),
    ],
    directory: "vulkan/icd.d",
    entry_points: "vk_icdNegotiateLoaderICDInterfaceVersion,vk_icdGetInstanceProcAddr,vkGetInstanceProcAddr",
};
pub const EGL: ManifestSearch = ManifestSearch {
    only: &["__EGL_VENDOR_LIBRARY_FILENAMES"],
    added: "",
    places: &[("__EGL_VENDOR_LIBRARY_DIRS", "/etc/glvnd/egl_vendor.d:/usr/share/glvnd/egl_vendor.d")],
    directory: "",
    entry_points: "__egl_Main",
};

impl ManifestSearch {
    /// Returns the first variable in `only` that is set, if any.
    pub fn manifest_list_variable(&self) -> Option<&'static str> {
        self.only.iter().copied().find(|name| env::var_os(name).is_some())
    }

    fn installed_manifests(&self) -> Vec<PathBuf> {
        let home = env::var("HOME").unwrap_or_default();
        let list_of = |(variable, usual): &(&str, &str)| {
            let list = env::var(variable).ok().filter(|list| !list.is_empty());
            list.unwrap_or_else(|| usual.replace('~', &home))
        };
        let lists = Vec::from_iter(self.places.iter().map(list_of));
        let places = lists.iter().flat_map(env::split_paths).map(|place| place.join(self.directory));
        places.filter_map(|place| manifests_in(&place)).flatten().collect()
    }

    /// Starts a process for each manifest that names a library. Returns two lists of manifests with these processes:
    /// the manifests that the loader reads, and the installed manifests that a variable hides.
    pub fn start_manifest_probes(&self) -> [Vec<ManifestProbe>; 2] {
        let installed = self.installed_manifests();
        let lists = match self.manifest_list_variable() {
            Some(variable) => {
                let named = manifests_of_variable(variable);
                let hidden = installed.into_iter().filter(|path| !named.contains(path)).collect();
                [named, hidden]
            }
            None => [manifests_of_variable(self.added).into_iter().chain(installed).collect(), Vec::new()],
        };
        lists.map(|paths: Vec<PathBuf>| {
            paths.into_iter().map(|name| self.start_manifest_probe(name)).collect()
        })
    }

    fn start_manifest_probe(&self, name: PathBuf) -> ManifestProbe {
        match self.read_manifest(&name, &name.to_string_lossy()) {
            Ok((library, api_version)) => {
                // A relative path is from the manifest's directory. The dynamic loader searches for a plain file name.
                let directory = name.parent().filter(|_| library.contains('/')).unwrap_or(Path::new(""));
                let probe = self.start_library_probe(directory.join(&library).as_os_str());
                (DriverManifest { name, library, api_version, ..Default::default() }, Some(probe))
            }
            Err(missing) => (DriverManifest { name, missing: Some(missing), ..Default::default() }, None),
        }
    }

    /// Returns the library and the version of Vulkan that a manifest names.
    fn read_manifest(&self, name: &Path, path: &str) -> Result<(String, Option<String>), MachineFix> {
        let invalid = |why: String| MachineFix::new("manifest-invalid", &[path, &why]);
        // Reading a FIFO or a device may never end.
        let is_file =
            |of: fs::Metadata| of.is_file().then_some(()).ok_or(io::Error::other("it is not a file"));
        let bytes = fs::metadata(name).and_then(is_file).and_then(|()| fs::read(name));
        let bytes = bytes.map_err(|error| match error.kind() {
            _ if name.symlink_metadata().is_err_and(|error| error.kind() == io::ErrorKind::NotFound) => {
                let variable = self.manifest_list_variable().unwrap_or(self.added);
                MachineFix::new("manifest-absent", &[variable, &format!("{path:?}")])
            }
            io::ErrorKind::PermissionDenied => {
                MachineFix::new("manifest-unreadable", &[path, &error.to_string()])
            }
            io::ErrorKind::NotFound => invalid(why_dlopen_skips_file(name).unwrap_or(error.to_string())),
            _ => invalid(error.to_string()),
        })?;
        let json: Value = serde_json::from_slice(&bytes).map_err(|error| invalid(error.to_string()))?;
        let text = |key: &str| json["ICD"][key].as_str().filter(|text| !text.is_empty()).map(str::to_owned);
        if let Some(bits) = text("library_arch").filter(|bits| bits != "64") {
            return Err(invalid(format!("its library_arch is {bits}, and this program's 64")));
        }
        let lacks = |key| invalid(format!("it has no ICD.{key}"));
        let version = text("api_version");
        // A manifest of EGL needs no version.
        if version.is_none() && !self.directory.is_empty() {
            return Err(lacks("api_version"));
        }
        Ok((text("library_path").ok_or_else(|| lacks("library_path"))?, version))
    }

    fn start_library_probe(&self, file: &OsStr) -> ProbeProcess {
        ProbeProcess::start_probe(&["library".as_ref(), file, self.entry_points.as_ref()])
    }
}

/// Starts processes that open the libraries of NVIDIA's Vulkan driver by the names in NVIDIA's manifests.
pub fn start_nvidia_library_probes() -> Vec<ManifestProbe> {
    let start = |library: &str| {
        let (name, probe) = ("nvidia_icd.json".into(), VULKAN.start_library_probe(library.as_ref()));
        (DriverManifest { name, library: library.to_owned(), ..DriverManifest::default() }, Some(probe))
    };
    ["libGLX_nvidia.so.0", "libEGL_nvidia.so.0"].map(start).into()
}

fn manifests_of_variable(variable: &str) -> Vec<PathBuf> {
    let list = env::var_os(variable).unwrap_or_default();
    let paths = env::split_paths(&list).filter(|path| !path.as_os_str().is_empty());
    paths.flat_map(|path| manifests_in(&path).unwrap_or(vec![path])).collect()
}

fn manifests_in(directory: &Path) -> Option<Vec<PathBuf>> {
    let entries = fs::read_dir(directory).ok()?.flatten().map(|entry| entry.path());
    let mut files = Vec::from_iter(entries.filter(|path| path.extension() == Some(OsStr::new("json"))));
    files.sort();
    Some(files)
}

/// Waits for the processes in `pending`, and adds to each manifest its library's file, or the remedy.
pub fn finish_driver_manifest_probes(pending: Vec<ManifestProbe>, deadline: Instant) -> Vec<DriverManifest> {
    let finish = |(mut manifest, probe): ManifestProbe| {
        let Some(probe) = probe else { return manifest };
        let path = manifest.name.to_string_lossy().into_owned();
        match probe.wait_for_answer::<Result<PathBuf, String>>(deadline).0 {
            Ok(Ok(file)) => manifest.file = Some(file),
            Ok(Err(words)) => {
                manifest.missing = Some(remedy_for_unopened_library(&manifest.library, &path, &words))
            }
            Err(how) => {
                manifest.missing = Some(MachineFix::new("driver-ended", &[&manifest.library, &path, &how]));
            }
        }
        manifest
    };
    pending.into_iter().map(finish).collect()
}

const NOT_A_DRIVER: &str = "which opens, a driver would have one of";

/// Returns a library's Debian package: by Debian's policy, the library's name in lower case and the version.
fn debian_package_of_library(library: &str) -> Option<String> {
    let (name, version) = library.split_once(".so.")?;
    let name = name.to_lowercase().replace('_', "-").replace("libgldispatch", "libglvnd");
    let dash = if name.ends_with(|last: char| last.is_ascii_digit()) { "-" } else { "" };
    // NVIDIA's versions have dots, and are not part of the packages' names.
    Some(if version.contains('.') { name } else { format!("{name}{dash}{version}") })
}

fn remedy_for_unopened_library(library: &str, path: &str, words: &str) -> MachineFix {
    if says_library_is_absent(library, words) || words.contains("Permission denied") {
        // A plain file name in `words` is not a file of the current directory: the loader searched for the name.
        let file = Path::new(words.split(": ").next().unwrap_or_default());
        return match why_dlopen_skips_file(file).filter(|_| file.is_absolute()) {
            Some(why) => MachineFix::new("driver-library-passed-over", &[&file.to_string_lossy(), &why]),
            None => MachineFix::new("driver-library-absent", &[path, words]),
        };
    }
    if words.starts_with(NOT_A_DRIVER) {
        return MachineFix::new("manifest-invalid", &[path, &format!("of {library}, {words}")]);
    }
    let older = words.split_once(": version ").filter(|(file, _)| file.starts_with('/'));
    if let Some((file, _)) = older.filter(|_| env::var_os("LD_LIBRARY_PATH").is_some()) {
        return MachineFix::new(
            "library-shadowed",
            &[&parent_directory(Path::new(file)), library, path, words],
        );
    }
    let needed = words.split(": ").next().unwrap_or_default();
    let what = match debian_package_of_library(needed) {
        Some(package) if words.contains("No such file") => format!("{needed} (Debian: {package})"),
        _ => "the library anew, or what it needs".to_owned(),
    };
    let or = if library.contains("libGLX_") { ", or name libEGL_nvidia.so.0 in the manifest" } else { "" };
    MachineFix::new("driver-library-needs", &[&what, or, library, path, words])
}

/// Opens a library as a driver's loader does, and looks for one of the `entry_points`. Then the process ends.
pub fn probe_driver_library(library: &OsStr, entry_points: &str) -> ! {
    note_next_call("dlopen");
    // SAFETY: a driver's initializers may crash, and this process exists only to run them. Nothing calls the addresses.
    let found =
        unsafe { Library::new(library) }.map_err(|error| innermost_error_text(&error)).and_then(|library| {
            let library = std::mem::ManuallyDrop::new(library);
            let find = |name: &str| {
                unsafe { library.get::<*const c_void>(name.as_bytes()) }.ok().map(|symbol| *symbol)
            };
            let address = entry_points.split(',').find_map(find);
            let address = address.ok_or_else(|| format!("{NOT_A_DRIVER} {entry_points}"))?;
            Ok(library_of_function(address).unwrap_or_default())
        });
    write_answer_and_exit(&found)
}
