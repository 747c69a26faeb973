//! Where a machine may have cuda.h, in the order in which it is looked for.

use std::env::split_paths;
use std::ffi::OsString;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::{CUDA_PATH, Machine, Role, header};

pub(super) enum Place {
    /// A toolkit's root.
    Root { path: PathBuf, by: String },
    /// A folder that would itself hold cuda.h.
    Include { path: PathBuf, by: String },
    /// Nothing to look at, which the report mentions.
    Nothing { what: String, why: String },
}

/// Each step is taken only when those before it led to nothing.
pub(super) const STEPS: [fn(&Machine) -> Vec<Place>; 5] = [conda, nvcc, pkg_config, fixed, wheels];

fn conda(machine: &Machine) -> Vec<Place> {
    let mut places = Vec::new();
    for (name, prefix) in machine.set(Role::Conda) {
        if machine.target.host_is_windows() {
            places.push(root(prefix.join("Library"), &name));
        }
        places.push(root(prefix, &name));
    }
    places
}

fn nvcc(machine: &Machine) -> Vec<Place> {
    let by = "nvcc on PATH";
    let program = if machine.target.host_is_windows() { "nvcc.exe" } else { "nvcc" };
    let mut roots = Vec::new();
    for (_, path) in machine.set(Role::Nvcc) {
        let folders = split_paths(&path).filter(|folder| folder.is_absolute());
        for nvcc in folders.map(|folder| folder.join(program)).filter(|nvcc| nvcc.is_file()) {
            // On Windows nothing is linked, and a canonical path has the `\\?\` form, which clang does not take.
            let real = if cfg!(windows) { None } else { nvcc.canonicalize().ok() };
            // The link's own folder comes second: /usr/bin/nvcc may lead to a private folder without headers. A link
            // to something else altogether (ccache) says nothing about where the toolkit is.
            let its_own = real.into_iter().chain([nvcc]).filter(|nvcc| nvcc.ends_with(program));
            roots.extend(its_own.filter_map(|nvcc| root_of_program(&nvcc)));
        }
    }
    if roots.is_empty() {
        return vec![nothing(by, "not there")];
    }
    roots.dedup();
    roots.into_iter().map(|path| root(path, by)).collect()
}

/// `<root>/bin/nvcc`; on Windows since 13 `<root>/bin/x64/nvcc.exe`.
fn root_of_program(nvcc: &Path) -> Option<PathBuf> {
    let folder = nvcc.parent()?;
    let bin = if folder.ends_with("x64") { folder.parent()? } else { folder };
    bin.parent().map(Path::to_path_buf)
}

fn pkg_config(machine: &Machine) -> Vec<Place> {
    let by = "pkg-config";
    match (machine.pkg_config)() {
        Err(why) => vec![nothing(by, why.trim())],
        Ok(folders) if folders.is_empty() => vec![nothing(by, "names no include folder")],
        Ok(folders) => folders.into_iter().map(|path| include(path, by)).collect(),
    }
}

fn fixed(machine: &Machine) -> Vec<Place> {
    if machine.target.host_is_windows() { fixed_on_windows(machine) } else { fixed_on_unix(machine) }
}

fn fixed_on_unix(machine: &Machine) -> Vec<Place> {
    let at = |path: &str| machine.root.join(path);
    let mut places = vec![root_here(at("usr/local/cuda")), root_here(at("opt/cuda"))];
    places.extend(newest_first(&at("usr/local"), "cuda-", |path| vec![root_here(path)]));
    let arch = machine.target.host.split('-').next().unwrap_or_default();
    let hpc_sdk = at("opt/nvidia/hpc_sdk").join(format!("Linux_{arch}"));
    places.extend(newest_first(&hpc_sdk, "", |release| {
        let cuda = release.join("cuda");
        let mut places = newest_first(&cuda, "", |path| vec![root_here(path)]);
        places.push(root_here(cuda));
        places
    }));
    places.push(of_the_host(machine, at("usr/include")));
    places.push(of_the_host(machine, at("usr/include/cuda")));
    places.push(root_here(at("usr/lib/cuda")));
    places
}

fn fixed_on_windows(machine: &Machine) -> Vec<Place> {
    let mut places = Vec::new();
    for name in versioned_cuda_paths(machine) {
        places.extend(machine.value(&name).map(|path| root(path.into(), &name)));
    }
    let default = ["Program Files", "NVIDIA GPU Computing Toolkit", "CUDA"];
    let installed = machine.root.join(default.iter().collect::<PathBuf>());
    places.extend(newest_first(&installed, "v", |path| vec![root_here(path)]));
    places
}

/// `CUDA_PATH_V12_9` and its like, newest first.
pub(super) fn versioned_cuda_paths(machine: &Machine) -> Vec<String> {
    let version = |name: &str| numbers(name.strip_prefix(CUDA_PATH)?.strip_prefix("_V")?, '_');
    let names = (machine.names)().into_iter().filter_map(|name| name.into_string().ok());
    let mut names: Vec<_> = names.filter_map(|name| Some((version(&name)?, name))).collect();
    names.sort_unstable_by(|a, b| b.cmp(a));
    names.into_iter().map(|(_, name)| name).collect()
}

/// The PyPI wheels: `nvidia-cuda-runtime` from 13 on, and `-cu12`, `-cu11` before.
fn wheels(machine: &Machine) -> Vec<Place> {
    let mut places = Vec::new();
    for (name, environment) in [machine.set(Role::Venv), machine.set(Role::Conda)].concat() {
        let by = format!("PyPI wheel in {name}");
        let packages = |python: PathBuf| {
            let nvidia = python.join("site-packages").join("nvidia");
            let mut roots = numbered(&nvidia, "cu").unwrap_or_default();
            roots.push(nvidia.join("cuda_runtime"));
            let includes = roots.into_iter().map(|root| root.join("include"));
            includes.map(|path| Place::Include { path, by: by.clone() }).collect()
        };
        if machine.target.cross() {
            places.push(nothing(&by, "the host's own"));
        } else if machine.target.host_is_windows() {
            places.extend(packages(environment.join("Lib")));
        } else {
            places.extend(newest_first(&environment.join("lib"), "python", packages));
        }
    }
    places
}

fn root(path: PathBuf, by: &str) -> Place {
    let by = by.to_string();
    Place::Root { path, by }
}

fn root_here(path: PathBuf) -> Place {
    let by = path.display().to_string();
    Place::Root { path, by }
}

fn include(path: PathBuf, by: &str) -> Place {
    let by = by.to_string();
    Place::Include { path, by }
}

fn of_the_host(machine: &Machine, path: PathBuf) -> Place {
    let by = path.display().to_string();
    if machine.target.cross() {
        return nothing(&by, "the host's own");
    }
    Place::Include { path, by }
}

fn nothing(what: &str, why: &str) -> Place {
    Place::Nothing { what: what.to_string(), why: why.to_string() }
}

/// The places in the folders called `prefix` and a number, the newest first.
fn newest_first(folder: &Path, prefix: &str, places: impl Fn(PathBuf) -> Vec<Place>) -> Vec<Place> {
    let what = format!("{}*", folder.join(prefix).display());
    match numbered(folder, prefix) {
        Err(why) => vec![nothing(&what, &why)],
        Ok(paths) if paths.is_empty() => vec![nothing(&what, "none")],
        Ok(paths) => paths.into_iter().flat_map(places).collect(),
    }
}

/// The entries of a folder called `prefix` and a number, by number: 12.10 comes before 12.9.
fn numbered(folder: &Path, prefix: &str) -> Result<Vec<PathBuf>, String> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(|error| header::plain(&error))?,
    };
    let version = |name: OsString| {
        let number = name.to_str()?.strip_prefix(prefix)?;
        // python3.13t is the build of Python 3.13 with free threads.
        numbers(number.strip_suffix('t').unwrap_or(number), '.')
    };
    let found =
        entries.filter_map(|entry| Some((version(entry.as_ref().ok()?.file_name())?, entry.ok()?.path())));
    let mut found: Vec<_> = found.collect();
    found.sort_unstable_by(|a, b| b.cmp(a));
    Ok(found.into_iter().map(|(_, path)| path).collect())
}

fn numbers(text: &str, separator: char) -> Option<Vec<u32>> {
    text.split(separator).map(|part| part.parse().ok()).collect()
}
