//! The inputs of the search: the variables, the target, and the root directory of the fixed places.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::version_number::{newest_version_first, parse_version_numbers};

/// Every variable that the search reads, in the order in which it reads them. The names drive the search, the
/// rerun-if-env-changed lines (see [`super::rerun_variables()`]) and the messages, so that these agree.
pub const VARIABLES: [(&str, VariableRole); 10] = [
    (INCLUDE_DIR, VariableRole::IncludeDir),
    (CUDA_PATH, VariableRole::Root),
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
pub const CUDA_PATH: &str = "CUDA_PATH";

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum VariableRole {
    /// The directory that holds cuda.h, in this crate's variable. If it is wrong, the build fails.
    IncludeDir,
    /// A toolkit's root, or several with `;` between them.
    Root,
    Conda,
    /// A list of directories, of which one may have nvcc.
    Path,
    Venv,
}

impl VariableRole {
    /// Returns whether the variable names a toolkit. Such a variable also has a form for one target, which takes
    /// precedence: `AARCH64_UNKNOWN_LINUX_GNU_CUDA_HOME`, as in the crates pkg-config and openssl-sys.
    pub fn is_toolkit_variable(self) -> bool {
        matches!(self, VariableRole::IncludeDir | VariableRole::Root)
    }
}

/// The include directories of a pkg-config package, nothing if there is no such package, or the reason why pkg-config
/// did not answer.
pub type PackageDirectories = Result<Option<Vec<PathBuf>>, String>;

pub struct SearchEnvironment<'a> {
    pub var: &'a dyn Fn(&str) -> Option<OsString>,
    /// The names of all environment variables: on Windows each installed release has a variable such as
    /// `CUDA_PATH_V12_9`.
    pub names: &'a dyn Fn() -> Vec<OsString>,
    /// The fixed places, and only these, are looked for below this directory: [`BuildTarget::host_file_root`].
    pub root: &'a Path,
    pub target: BuildTarget,
    /// Asks pkg-config for a package.
    pub include_directories: &'a dyn Fn(&str) -> PackageDirectories,
    /// Runs a program without input, and returns what it printed: pkg-config for a list of its packages.
    pub read_program_output: &'a dyn Fn(Command) -> Option<String>,
}

impl SearchEnvironment<'_> {
    /// A variable's value; an empty one counts as unset.
    pub fn value(&self, name: &str) -> Option<OsString> {
        (self.var)(name).filter(|value| !value.is_empty())
    }

    pub fn for_target(&self, name: &str) -> String {
        format!("{}_{name}", self.target.triple.to_uppercase().replace(['-', '.'], "_"))
    }

    /// The variables of this kind that are set, with their values. With `for_target`, their form for this target alone.
    pub fn set_variables_of_role(&self, role: VariableRole, for_target: bool) -> Vec<(String, PathBuf)> {
        let mut set = Vec::new();
        for (name, _) in VARIABLES.iter().filter(|(_, its)| *its == role) {
            let name = if for_target { self.for_target(name) } else { (*name).to_owned() };
            set.extend(self.value(&name).map(|value| (name, value.into())));
        }
        set
    }

    /// Variables such as `CUDA_PATH_V12_9`, newest release first.
    pub fn versioned_cuda_paths(&self) -> Vec<String> {
        let names = (self.names)().into_iter().filter_map(|name| name.into_string().ok());
        newest_version_first(names.collect(), &|name| {
            parse_version_numbers(name.strip_prefix(CUDA_PATH)?.strip_prefix("_V")?, '_')
        })
    }

    /// The value of this crate's own variable. If it is set, no other place is searched.
    pub fn include_dir(&self) -> Option<(String, PathBuf)> {
        [true, false]
            .iter()
            .find_map(|form| self.set_variables_of_role(VariableRole::IncludeDir, *form).pop())
    }
}

/// The target and the host: TARGET, HOST, CARGO_CFG_TARGET_ARCH and CARGO_CFG_TARGET_OS.
pub struct BuildTarget {
    pub triple: String,
    pub host: String,
    pub arch: String,
    pub os: String,
}

impl BuildTarget {
    /// Whether the target has another architecture or system than the host. Another C library (musl) makes no
    /// difference to a header.
    pub fn is_cross(&self) -> bool {
        let same_arch = self.host.split('-').next() == Some(self.arch.as_str());
        self.triple != self.host && !(same_arch && self.host.contains(&self.os))
    }

    pub fn host_is_windows(&self) -> bool {
        self.host.contains("windows")
    }

    pub fn host_file_root(&self) -> &'static Path {
        Path::new(if self.host_is_windows() { "C:\\" } else { "/" })
    }

    /// NVIDIA's names for the target, the directories below a root's `targets`, best first.
    fn nvidia_target_names(&self) -> &'static [&'static str] {
        match (self.os.as_str(), self.arch.as_str()) {
            ("linux", "x86_64") => &["x86_64-linux"],
            // sbsa is for servers and aarch64 for Jetson. If both are installed, the server's is newer.
            ("linux", "aarch64") => &["sbsa-linux", "aarch64-linux"],
            _ => &[],
        }
    }

    /// The include directories below a root, best first. `include` is the host's. cuda.h is the same file on every
    /// platform, so `include` also serves another target if the root has no directory of that target. Other targets'
    /// directories are never tried: they may contain another release.
    pub fn include_directories(&self, root: &Path) -> Vec<PathBuf> {
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
