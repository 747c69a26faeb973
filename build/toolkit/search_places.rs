//! The places where cuda.h may be, in the order of the search.

use std::env::split_paths;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::environment::{INCLUDE_DIR, SearchEnvironment, VariableRole};

/// A place where cuda.h may be. `found_by` becomes [`super::UsableToolkit::found_by`].
pub enum SearchPlace {
    /// A variable that names an include directory (if `is_include` is set), or one or more toolkits' roots with `;`
    /// between them. `others` has the variables with roots that the search tries after this variable.
    Variable { name: &'static str, value: PathBuf, is_include: bool, others: Vec<(&'static str, PathBuf)> },
    /// A toolkit's root.
    Root { path: PathBuf, found_by: String },
    /// A directory that would itself hold cuda.h.
    Include { path: PathBuf, found_by: String },
    /// A place that cannot be searched, with the reason.
    Unavailable { what: String, why: String },
}

/// The steps of the search, which takes a step only if no earlier step led to a usable header.
pub const STEPS: [fn(&SearchEnvironment) -> Vec<SearchPlace>; 6] = [
    places_named_by_variables,
    conda_places,
    nvcc_on_path,
    pkg_config_places,
    fixed_places,
    pypi_wheel_places,
];

/// Returns the paths in a variable's value. nixpkgs exports CUDAToolkit_ROOT as a CMake list, in which `;` separates
/// the paths. If the whole value is an existing path, returns this path alone, even if the path contains `;`.
pub fn split_at_semicolons(value: &Path) -> Vec<PathBuf> {
    match value.to_str() {
        Some(text) if text.contains(';') && !value.exists() => {
            text.split(';').filter(|path| !path.is_empty()).map(PathBuf::from).collect()
        }
        _ => vec![value.to_path_buf()],
    }
}

fn places_named_by_variables(environment: &SearchEnvironment) -> Vec<SearchPlace> {
    if let Some(value) = environment.own_include_directory() {
        return vec![SearchPlace::Variable {
            name: INCLUDE_DIR,
            value,
            is_include: true,
            others: Vec::new(),
        }];
    }
    let set = environment.set_variables_of_role(VariableRole::Root);
    let mut places = Vec::new();
    for (at, (name, value)) in set.iter().cloned().enumerate() {
        let others = set[at + 1..].to_vec();
        places.push(SearchPlace::Variable { name, value, is_include: false, others });
    }
    places
}

fn conda_places(environment: &SearchEnvironment) -> Vec<SearchPlace> {
    let mut places = Vec::new();
    for (name, prefix) in environment.set_variables_of_role(VariableRole::Conda) {
        if environment.target.host_is_windows() {
            places.push(root_place(prefix.join("Library"), format!("by {name}")));
        }
        places.push(root_place(prefix, format!("by {name}")));
    }
    places
}

fn nvcc_on_path(environment: &SearchEnvironment) -> Vec<SearchPlace> {
    let is_windows = environment.target.host_is_windows();
    let program = if is_windows { "nvcc.exe" } else { "nvcc" };
    let mut roots = Vec::new();
    for (_, path) in environment.set_variables_of_role(VariableRole::Path) {
        let directories = split_paths(&path).filter(|directory| directory.is_absolute());
        for nvcc in directories.map(|directory| directory.join(program)).filter(|nvcc| nvcc.is_file()) {
            // On Windows, the search follows no link: a canonical path has the `\\?\` form, which clang does not take.
            let real = if is_windows { None } else { nvcc.canonicalize().ok() };
            // If nvcc is a link, the root above the link itself is a place too: the link's target may be in a private
            // directory without headers.
            let both = real.into_iter().chain([nvcc]).filter(|nvcc| nvcc.ends_with(program));
            roots.extend(both.filter_map(|nvcc| root_of_program(&nvcc)));
        }
    }
    if roots.is_empty() {
        return vec![unavailable_place("nvcc on PATH", "no such program")];
    }
    roots.dedup();
    let found_by = || "by nvcc on PATH".to_owned();
    let mut places = Vec::new();
    for path in roots {
        // In the HPC SDK, nvcc is RELEASE/compilers/bin/nvcc, and the toolkits are in RELEASE/cuda.
        let sdk = path.parent().filter(|_| path.ends_with("compilers")).map(Path::to_path_buf);
        places.push(root_place(path, found_by()));
        places.extend(sdk.map(|release| hpc_sdk_places(&release, &|_| found_by())).unwrap_or_default());
    }
    places
}

/// Returns ROOT of `ROOT/bin/nvcc`, or since CUDA 13 on Windows of `ROOT/bin/x64/nvcc.exe`.
fn root_of_program(nvcc: &Path) -> Option<PathBuf> {
    let directory = nvcc.parent()?;
    let bin = if directory.ends_with("x64") { directory.parent()? } else { directory };
    bin.parent().map(Path::to_path_buf)
}

/// Returns the include directories of pkg-config's packages `cuda` and `cudart`, or the reason why there are none.
/// pkg-config is not asked for NVIDIA's own packages, such as `cuda-12.6`: the directories of these packages are among
/// the fixed places.
fn pkg_config_places(environment: &SearchEnvironment) -> Vec<SearchPlace> {
    let mut places = Vec::new();
    for package in ["cuda", "cudart"] {
        let what = format!("pkg-config {package}");
        match (environment.pkg_config_includes)(package) {
            Err(why) => return vec![unavailable_place("pkg-config", &why)],
            Ok(None) => places.push(unavailable_place(&what, "no such package")),
            Ok(Some(paths)) if paths.is_empty() => {
                places.push(unavailable_place(&what, "names no include directory"));
            }
            Ok(Some(paths)) => {
                let found_by = format!("by pkg-config ({package})");
                let include = |path| SearchPlace::Include { path, found_by: found_by.clone() };
                places.extend(paths.into_iter().map(include));
            }
        }
    }
    places
}

fn fixed_places(environment: &SearchEnvironment) -> Vec<SearchPlace> {
    if environment.target.host_is_windows() {
        let default = ["Program Files", "NVIDIA GPU Computing Toolkit", "CUDA"];
        let installed = environment.root.join(default.iter().collect::<PathBuf>());
        return places_newest_first(&installed, "v", &|path| vec![root_at_fixed_path(path)]);
    }
    let at = |path: &str| environment.root.join(path);
    let include = |path: &str| SearchPlace::Include { path: at(path), found_by: found_in_text(&at(path)) };
    let mut places = vec![root_at_fixed_path(at("usr/local/cuda")), root_at_fixed_path(at("opt/cuda"))];
    places.extend(places_newest_first(&at("usr/local"), "cuda-", &|path| vec![root_at_fixed_path(path)]));
    let arch = environment.target.host.split('-').next().unwrap_or_default();
    let releases = at("opt/nvidia/hpc_sdk").join(format!("Linux_{arch}"));
    places.extend(places_newest_first(&releases, "", &|release| hpc_sdk_places(&release, &found_in_text)));
    places.extend([
        include("usr/include"),
        include("usr/include/cuda"),
        root_at_fixed_path(at("usr/lib/cuda")),
    ]);
    places
}

fn hpc_sdk_places(release: &Path, found_by: &dyn Fn(&Path) -> String) -> Vec<SearchPlace> {
    let cuda = release.join("cuda");
    let mut places = places_newest_first(&cuda, "", &|path| vec![root_place(path.clone(), found_by(&path))]);
    places.push(root_place(cuda.clone(), found_by(&cuda)));
    places
}

/// Returns the include directories of PyPI's wheels below VIRTUAL_ENV and CONDA_PREFIX. The wheel of CUDA 13 is
/// `nvidia-cuda-runtime`. Wheels of older releases are `nvidia-cuda-runtime-cu12` and `nvidia-cuda-runtime-cu11`.
fn pypi_wheel_places(environment: &SearchEnvironment) -> Vec<SearchPlace> {
    let mut places = Vec::new();
    for (name, prefix) in [
        environment.set_variables_of_role(VariableRole::Venv),
        environment.set_variables_of_role(VariableRole::Conda),
    ]
    .concat()
    {
        let packages = |python: PathBuf| {
            let nvidia = python.join("site-packages").join("nvidia");
            let mut roots = versioned_directories(&nvidia, "cu").unwrap_or_default();
            roots.push(nvidia.join("cuda_runtime"));
            let found_by = format!("as a PyPI wheel in {name}");
            let place = |root: PathBuf| SearchPlace::Include {
                path: root.join("include"),
                found_by: found_by.clone(),
            };
            roots.into_iter().map(place).collect()
        };
        if environment.target.host_is_windows() {
            places.extend(packages(prefix.join("Lib")));
        } else {
            places.extend(places_newest_first(&prefix.join("lib"), "python", &packages));
        }
    }
    places
}

fn root_place(path: PathBuf, found_by: String) -> SearchPlace {
    SearchPlace::Root { path, found_by }
}

fn root_at_fixed_path(path: PathBuf) -> SearchPlace {
    let found_by = found_in_text(&path);
    SearchPlace::Root { path, found_by }
}

fn found_in_text(path: &Path) -> String {
    format!("in {}", path.display())
}

fn unavailable_place(what: &str, why: &str) -> SearchPlace {
    SearchPlace::Unavailable { what: what.to_owned(), why: why.to_owned() }
}

/// Returns the places in the directories whose names are `prefix` and a version, the newest version first.
fn places_newest_first(
    directory: &Path,
    prefix: &str,
    places_in: &dyn Fn(PathBuf) -> Vec<SearchPlace>,
) -> Vec<SearchPlace> {
    let what = format!("{}*", directory.join(prefix).display());
    let mut places = Vec::new();
    match versioned_directories(directory, prefix) {
        Err(why) => places.push(unavailable_place(&what, &why)),
        Ok(paths) if paths.is_empty() => places.push(unavailable_place(&what, "none")),
        Ok(paths) => paths.into_iter().for_each(|path| places.append(&mut places_in(path))),
    }
    places
}

/// Returns the entries of a directory whose names are `prefix` and a version, the newest first: 12.10 precedes 12.9.
fn versioned_directories(directory: &Path, prefix: &str) -> Result<Vec<PathBuf>, String> {
    let entries = match fs::read_dir(directory) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(|error| error.to_string())?,
    };
    let mut found = Vec::new();
    // A name that is not UTF-8 has no version.
    for name in entries.flatten().filter_map(|entry| entry.file_name().into_string().ok()) {
        let Some(version) = name.strip_prefix(prefix) else { continue };
        // python3.13t is the build of Python 3.13 with free threads.
        let parts = version.strip_suffix('t').unwrap_or(version).split('.').map(|part| part.parse().ok());
        if let Some(numbers) = parts.collect::<Option<Vec<u32>>>() {
            found.push((numbers, name));
        }
    }
    // python3.13 precedes python3.13t.
    found.sort_unstable_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    Ok(found.into_iter().map(|(_, name)| directory.join(name)).collect())
}
