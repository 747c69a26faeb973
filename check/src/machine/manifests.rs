//! The manifests that name drivers, and whether their libraries open.

use std::env;
use std::ffi::{OsStr, OsString, c_void};
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Instant;

use libloading::Library;
use serde_json::Value;

use super::facts::{Manifest, Outcome, State};
use super::process::{self, answer, calling};
use crate::program::file_of;

/// The two loaders that read manifests.
#[derive(Clone, Copy)]
pub enum Of {
    Vulkan,
    Egl,
}

impl Of {
    /// The functions of which each of its drivers' libraries has one, with commas between them.
    fn entry_points(self) -> &'static str {
        match self {
            Self::Vulkan => {
                "vk_icdNegotiateLoaderICDInterfaceVersion,vk_icdGetInstanceProcAddr,vkGetInstanceProcAddr"
            }
            Self::Egl => "__egl_Main",
        }
    }

    /// The manifests, in the order in which the loader reads them.
    fn paths(self) -> Vec<PathBuf> {
        let list = |name| env::var_os(name).filter(|list| !list.is_empty());
        let entries = |list: OsString| env::split_paths(&list).flat_map(files).collect();
        match self {
            Self::Vulkan => {
                // Older loaders know the second name alone.
                if let Some(only) = list("VK_DRIVER_FILES").or_else(|| list("VK_ICD_FILENAMES")) {
                    return entries(only);
                }
                let mut all: Vec<PathBuf> = list("VK_ADD_DRIVER_FILES").map(entries).unwrap_or_default();
                all.extend(Self::usual_places().into_iter().flat_map(files));
                all
            }
            Self::Egl => {
                if let Some(only) = list("__EGL_VENDOR_LIBRARY_FILENAMES") {
                    return entries(only);
                }
                let usual = || "/etc/glvnd/egl_vendor.d:/usr/share/glvnd/egl_vendor.d".into();
                entries(list("__EGL_VENDOR_LIBRARY_DIRS").unwrap_or_else(usual))
            }
        }
    }

    /// The directories of Vulkan's loader.
    pub fn usual_places() -> Vec<PathBuf> {
        let home = env::var_os("HOME").map(PathBuf::from);
        let of_home = |variable, place: &str| {
            let own = env::var_os(variable).filter(|own| !own.is_empty()).map(PathBuf::from);
            own.or_else(|| Some(home.as_ref()?.join(place)))
        };
        let list = |variable, usual: &str| {
            let list = env::var_os(variable).filter(|list| !list.is_empty());
            Vec::from_iter(env::split_paths(&list.unwrap_or_else(|| usual.into())))
        };
        let mut places = Vec::from_iter(of_home("XDG_CONFIG_HOME", ".config"));
        places.extend(list("XDG_CONFIG_DIRS", "/etc/xdg"));
        places.push("/etc".into());
        places.extend(of_home("XDG_DATA_HOME", ".local/share"));
        places.extend(list("XDG_DATA_DIRS", "/usr/local/share:/usr/share"));
        places.iter().map(|place| place.join("vulkan/icd.d")).collect()
    }
}

/// The manifests of a directory, or the file itself.
pub fn files(path: PathBuf) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(&path) else {
        let is_usual = path.ends_with("icd.d") || path.ends_with("egl_vendor.d");
        return if is_usual { Vec::new() } else { vec![path] };
    };
    let entries = entries.flatten().map(|entry| entry.path());
    let mut files = Vec::from_iter(entries.filter(|path| path.extension() == Some(OsStr::new("json"))));
    files.sort();
    files
}

/// Reads every manifest, and opens each library in a process of its own.
pub fn all(of: Of, deadline: Instant) -> Vec<Manifest> {
    std::thread::scope(|scope| {
        let threads = of.paths().into_iter().map(|path| scope.spawn(move || read(of, path, deadline)));
        Vec::from_iter(threads).into_iter().filter_map(|thread| thread.join().ok()).collect()
    })
}

fn read(of: Of, path: PathBuf, deadline: Instant) -> Manifest {
    let (library, state) = match fs::read_to_string(&path) {
        Err(error) if error.kind() == ErrorKind::NotFound => (String::new(), State::Absent),
        Err(error) => (String::new(), State::Unreadable(error.to_string())),
        Ok(text) => match library(&text) {
            Err(why) => (String::new(), State::Invalid(why)),
            Ok(library) => {
                let state = open(of, &path, &library, deadline);
                (library, state)
            }
        },
    };
    Manifest { path, library, state }
}

/// The library that a manifest names.
fn library(text: &str) -> Result<String, String> {
    let json: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let library = json["ICD"]["library_path"].as_str();
    library.map(str::to_owned).ok_or_else(|| "it has no ICD.library_path".to_owned())
}

fn open(of: Of, manifest: &Path, library: &str, deadline: Instant) -> State {
    // A path is relative to the manifest's directory; a name is searched for by the system's loader.
    let directory = manifest.parent().filter(|_| library.contains('/'));
    let path = directory.map_or_else(|| library.into(), |directory| directory.join(library));
    let arguments = [OsStr::new("library"), path.as_os_str(), OsStr::new(of.entry_points())];
    match process::run::<Result<PathBuf, String>>(&arguments, deadline).0 {
        Outcome::Answer(Ok(file)) => State::Opens(file),
        Outcome::Answer(Err(words)) => State::NotOpened(words),
        Outcome::Ended(ended) => State::Ended(ended.how),
    }
}

/// Opens a library, as a driver's loader does, and looks for one of these functions.
pub fn probe(library: &OsStr, entry_points: &str) -> ! {
    calling("dlopen");
    // SAFETY: a driver's initializers may do anything, in this process.
    let opened = unsafe { Library::new(library) }.map_err(|error| super::words(&error));
    let found: Result<PathBuf, String> = opened.map(std::mem::ManuallyDrop::new).and_then(|library| {
        // SAFETY: the address is not called.
        let find =
            |name: &str| unsafe { library.get::<*const c_void>(name.as_bytes()) }.map(|symbol| *symbol);
        let address = entry_points.split(',').find_map(|name| find(name).ok());
        let address = address.ok_or_else(|| format!("it opens, and has none of {entry_points}"))?;
        Ok(file_of(address).unwrap_or_default())
    });
    answer(&found)
}
