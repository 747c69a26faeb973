//! The inputs of the search: the variables, the target, the root directory of the fixed places, and pkg-config.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The variables that the search for cuda.h reads, in the order of the search, without pkg-config's variables.
pub const VARIABLES: [(&str, VariableRole); 10] = [
    (INCLUDE_DIR, VariableRole::IncludeDir),
    ("CUDA_PATH", VariableRole::Root),
    ("CUDA_HOME", VariableRole::Root),
    ("CUDA_ROOT", VariableRole::Root),
    ("CUDA_TOOLKIT_PATH", VariableRole::Root),
    ("CUDA_TOOLKIT_ROOT_DIR", VariableRole::Root),
    ("CUDAToolkit_ROOT", VariableRole::Root),
    ("CONDA_PREFIX", VariableRole::Conda),
    ("PATH", VariableRole::Path),
    ("VIRTUAL_ENV", VariableRole::Venv),
];

pub const INCLUDE_DIR: &str = "CUDA_EXTERNAL_SYS_INCLUDE_DIR";

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum VariableRole {
    /// [`INCLUDE_DIR`]: the directory that holds cuda.h. If this cuda.h is missing or unusable, the build fails.
    IncludeDir,
    /// A toolkit's root, or several with `;` between them.
    Root,
    Conda,
    /// A list of directories in which nvcc may be.
    Path,
    Venv,
}

pub type PkgConfigIncludes = Result<Option<Vec<PathBuf>>, String>;

pub struct SearchEnvironment<'a> {
    pub var: &'a dyn Fn(&str) -> Option<OsString>,
    /// The root directory of the fixed places alone. In a build, [`BuildTarget::host_file_system_root`] returns it.
    pub root: &'a Path,
    pub target: BuildTarget,
    pub pkg_config_includes: &'a dyn Fn(&str) -> PkgConfigIncludes,
}

impl SearchEnvironment<'_> {
    /// Returns the variables of a role that are set, with their values. An empty variable counts as unset.
    pub fn set_variables_of_role(&self, role: VariableRole) -> Vec<(&'static str, PathBuf)> {
        let mut set = Vec::new();
        for (name, _) in VARIABLES.iter().filter(|(_, its)| *its == role) {
            let value = (self.var)(name).filter(|value| !value.is_empty());
            set.extend(value.map(|value| (*name, value.into())));
        }
        set
    }

    /// Returns the value of [`INCLUDE_DIR`]. If this variable is set, the search tries no other place.
    pub fn own_include_directory(&self) -> Option<PathBuf> {
        self.set_variables_of_role(VariableRole::IncludeDir).pop().map(|(_, value)| value)
    }
}

/// The target and the host, from cargo's variables TARGET, HOST, CARGO_CFG_TARGET_ARCH and CARGO_CFG_TARGET_OS.
pub struct BuildTarget {
    pub triple: String,
    pub host: String,
    pub arch: String,
    pub os: String,
}

impl BuildTarget {
    /// Returns whether the target has another architecture or system than the host. Another C library does not count.
    pub fn is_cross(&self) -> bool {
        let same_arch = self.host.split('-').next() == Some(self.arch.as_str());
        self.triple != self.host && !(same_arch && self.host.contains(&self.os))
    }

    pub fn host_is_windows(&self) -> bool {
        self.host.contains("windows")
    }

    pub fn host_file_system_root(&self) -> &'static Path {
        Path::new(if self.host_is_windows() { "C:\\" } else { "/" })
    }

    /// Returns NVIDIA's names for the target, best first: directories below `targets` of a toolkit's root.
    fn nvidia_target_names(&self) -> &'static [&'static str] {
        match (self.os.as_str(), self.arch.as_str()) {
            ("linux", "x86_64") => &["x86_64-linux"],
            // sbsa is for servers, and aarch64 for Jetson, whose cuda.h may be too old: JetPack 5 has CUDA 11.4.
            ("linux", "aarch64") => &["sbsa-linux", "aarch64-linux"],
            _ => &[],
        }
    }

    /// Returns the include directories of a toolkit's root, best first. In a native build, `include` is the first. In a
    /// cross build, `include` is the last: it belongs to the host, and may be of another release. A cuda.h in any of
    /// these directories can be used for the target: a release's cuda.h is the same on every platform (compared: CUDA
    /// 12.6 and 13.0 for x86-64 Linux, aarch64 Linux and Windows).
    pub fn includes_below_root(&self, root: &Path) -> Vec<PathBuf> {
        let (include, targets) = (root.join("include"), root.join("targets"));
        let mut includes: Vec<PathBuf> = Vec::new();
        if targets.exists() {
            includes.extend(self.nvidia_target_names().iter().map(|name| targets.join(name).join("include")));
        }
        let first = if self.is_cross() { includes.len() } else { 0 };
        includes.insert(first, include);
        includes
    }
}
