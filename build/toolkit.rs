//! Where is cuda.h? Environment and file system in, a toolkit or the reason why there is none out.
//!
//! Nothing is printed here and no process is started, so the tests include this file and draw up machines of their
//! own. The rooms: `places` (where to look, in order), `header` (what a cuda.h says), `words` (what the user reads).

#[path = "toolkit/header.rs"]
mod header;
#[path = "toolkit/places.rs"]
mod places;
#[path = "toolkit/words.rs"]
mod words;

use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};

use places::Place;

/// The oldest release whose cuda.h these bindings are checked against.
pub const OLDEST: Version = Version { major: 11, minor: 7 };

/// Every variable that the search reads, in the order in which it reads them. The names drive the search, the
/// rerun-if-env-changed lines (see [`watched`]) and the error text, so that these cannot drift apart.
pub const VARIABLES: [(&str, Role); 10] = [
    (INCLUDE_DIR, Role::IncludeDir),
    (CUDA_PATH, Role::Root),
    ("CUDA_HOME", Role::Root),
    ("CUDA_ROOT", Role::Root),
    ("CUDA_TOOLKIT_PATH", Role::Root),
    ("CUDA_TOOLKIT_ROOT_DIR", Role::Root),
    ("CUDAToolkit_ROOT", Role::Root),
    ("CONDA_PREFIX", Role::Conda),
    ("PATH", Role::Nvcc),
    ("VIRTUAL_ENV", Role::Venv),
];

const INCLUDE_DIR: &str = "CUDA_EXTERNAL_SYS_INCLUDE_DIR";
const CUDA_PATH: &str = "CUDA_PATH";

/// What a variable's value is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The folder that holds cuda.h. Final: where it is wrong, the search ends.
    IncludeDir,
    /// A toolkit's root. Final as well.
    Root,
    Conda,
    Nvcc,
    Venv,
}

impl Role {
    /// Whether the user said by it which toolkit to use. Such a variable also has a form for one target alone, as
    /// the pkg-config and openssl-sys crates have it: `AARCH64_UNKNOWN_LINUX_GNU_CUDA_HOME`, which comes first.
    pub fn explicit(self) -> bool {
        matches!(self, Role::IncludeDir | Role::Root)
    }
}

/// What the search may look at.
pub struct Machine<'a> {
    /// An environment variable's value.
    pub var: &'a dyn Fn(&str) -> Option<OsString>,
    /// The names of all environment variables: on Windows each installed release has a `CUDA_PATH_V12_9` of its own.
    pub names: &'a dyn Fn() -> Vec<OsString>,
    /// The fixed places, and only these, are looked for below this folder: `/`, or `C:\` on Windows.
    pub root: &'a Path,
    pub target: Target,
    /// The include folders of pkg-config's package `cuda`, or why there are none. Asked only when its turn comes.
    pub pkg_config: &'a dyn Fn() -> Result<Vec<PathBuf>, String>,
}

/// What is built for, and where: TARGET, HOST, CARGO_CFG_TARGET_ARCH and CARGO_CFG_TARGET_OS.
pub struct Target {
    pub triple: String,
    pub host: String,
    pub arch: String,
    pub os: String,
}

impl Target {
    /// Whether the host is of another architecture or system. Another C library (musl) is no difference to a header.
    fn cross(&self) -> bool {
        let same_arch = self.host.split('-').next() == Some(self.arch.as_str());
        self.triple != self.host && !(same_arch && self.host.contains(&self.os))
    }

    fn host_is_windows(&self) -> bool {
        self.host.contains("windows")
    }

    /// NVIDIA's names for the target, the folders below a root's `targets`, best first.
    fn folders(&self) -> &'static [&'static str] {
        match (self.os.as_str(), self.arch.as_str()) {
            ("linux", "x86_64") => &["x86_64-linux"],
            // sbsa is the server, aarch64 the Jetson; where both are installed the server's is the newer one.
            ("linux", "aarch64") => &["sbsa-linux", "aarch64-linux"],
            _ => &[],
        }
    }
}

/// A release: `CUDA_VERSION 13050` is 13.5.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version {
    pub major: u32,
    pub minor: u32,
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

/// A cuda.h that can be used.
#[derive(Debug, PartialEq, Eq)]
pub struct Toolkit {
    /// The folder that holds cuda.h.
    pub include: PathBuf,
    /// The folder above it that may hold libraries too, where there is one.
    pub root: Option<PathBuf>,
    pub version: Version,
    /// What led to it: a variable's name, `nvcc on PATH`, a path.
    pub found_by: String,
    /// What the user should hear although all went well.
    pub warnings: Vec<String>,
}

/// Why there is no toolkit. The text is the user interface: several lines, none ends in a newline.
#[derive(Debug, PartialEq, Eq)]
pub enum Failure {
    /// Nothing was asked for and nothing is there: the embedded bindings may step in.
    NotFound(String),
    /// Something was asked for, or found, that cannot be used: never passed over in silence.
    Unusable(String),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Failure::NotFound(text) | Failure::Unusable(text)) = self;
        f.write_str(text)
    }
}

/// Looks for cuda.h in the order of [`VARIABLES`], then of `places::STEPS`; the first one wins.
pub fn find(machine: &Machine) -> Result<Toolkit, Failure> {
    let mut search = Search { machine, misses: Vec::new() };
    match search.explicit()? {
        Some(toolkit) => Ok(toolkit),
        None => search.everywhere(),
    }
}

/// Every variable whose change is to run the search again. PATH is not: an editor's differs from the
/// terminal's, and each would undo the other's build for an nvcc that is seldom what counts.
pub fn watched(machine: &Machine) -> Vec<String> {
    let for_target = VARIABLES.iter().filter(|(_, role)| role.explicit());
    let for_target = for_target.map(|(name, _)| machine.for_target(name));
    let plain = VARIABLES.iter().filter(|(_, role)| *role != Role::Nvcc).map(|(name, _)| name.to_string());
    plain.chain(for_target).chain(places::versioned_cuda_paths(machine)).collect()
}

impl Machine<'_> {
    /// A variable's value; an empty one is as good as unset.
    fn value(&self, name: &str) -> Option<OsString> {
        (self.var)(name).filter(|value| !value.is_empty())
    }

    fn for_target(&self, name: &str) -> String {
        let target = self.target.triple.to_uppercase().replace(['-', '.'], "_");
        format!("{target}_{name}")
    }

    /// The variables of one role that are set, in order.
    fn set(&self, role: Role) -> Vec<(String, PathBuf)> {
        self.set_as(role, str::to_string)
    }

    fn set_for_target(&self, role: Role) -> Vec<(String, PathBuf)> {
        self.set_as(role, |name| self.for_target(name))
    }

    fn set_as(&self, role: Role, spelled: impl Fn(&str) -> String) -> Vec<(String, PathBuf)> {
        let names = VARIABLES.iter().filter(|(_, its)| *its == role);
        let names = names.map(|(name, _)| spelled(name));
        names.filter_map(|name| self.value(&name).map(|value| (name, value.into()))).collect()
    }
}

/// A place that was looked at, and why it was not the one.
struct Miss {
    what: String,
    why: String,
}

struct Search<'a> {
    machine: &'a Machine<'a>,
    misses: Vec<Miss>,
}

impl Search<'_> {
    /// What the user asked for: the first variable that is set is final.
    fn explicit(&mut self) -> Result<Option<Toolkit>, Failure> {
        let machine = self.machine;
        for role in [Role::IncludeDir, Role::Root] {
            for set in [machine.set_for_target(role), machine.set(role)] {
                for (at, (name, value)) in set.iter().enumerate() {
                    let from = self.misses.len();
                    if let Some(mut toolkit) = self.named_by(name, value, role)? {
                        toolkit.warnings.extend(self.disagreement(&toolkit, value, &set[at + 1..]));
                        return Ok(Some(toolkit));
                    }
                    // NVIDIA's installer writes CUDA_PATH, and an uninstalled release may leave it behind.
                    let by_installer = machine.target.host_is_windows() && name == CUDA_PATH;
                    if !by_installer {
                        let misses = self.misses.split_off(from);
                        let otherwise = self.everywhere().ok();
                        let text = words::wrong(machine, name, value, role, &misses, otherwise);
                        return Err(Failure::Unusable(text));
                    }
                }
            }
        }
        Ok(None)
    }

    fn named_by(&mut self, name: &str, value: &Path, role: Role) -> Result<Option<Toolkit>, Failure> {
        if !value.is_absolute() {
            // A build script runs in its package's folder, which for a dependency is somewhere in Cargo's cache.
            self.miss(value, "not an absolute path");
            return Ok(None);
        }
        match role {
            Role::IncludeDir => self.look_in(value, root_of(value), name),
            _ => self.look_under(value, name, true),
        }
    }

    /// What the machine has.
    fn everywhere(&mut self) -> Result<Toolkit, Failure> {
        for step in places::STEPS {
            for place in step(self.machine) {
                let found = match place {
                    Place::Root { path, by } => self.look_under(&path, &by, false)?,
                    Place::Include { path, by } => self.look_in(&path, root_of(&path), &by)?,
                    Place::Nothing { what, why } => {
                        self.misses.push(Miss { what, why });
                        None
                    }
                };
                if let Some(toolkit) = found {
                    return Ok(toolkit);
                }
            }
        }
        Err(Failure::NotFound(words::not_found(self.machine, &self.misses)))
    }

    fn look_under(&mut self, root: &Path, by: &str, explicit: bool) -> Result<Option<Toolkit>, Failure> {
        if let Err(why) = header::folder(root) {
            self.miss(root, &why);
            return Ok(None);
        }
        let includes = self.includes(root, explicit);
        if includes.is_empty() {
            self.miss(root, "the host's own");
        }
        for include in includes {
            if let Some(toolkit) = self.look_in(&include, Some(root.to_path_buf()), by)? {
                return Ok(Some(toolkit));
            }
        }
        Ok(None)
    }

    /// The include folders below a root that are for this target, best first. Other targets' folders are never
    /// tried: what lies there says nothing about what is installed for this one.
    fn includes(&self, root: &Path, explicit: bool) -> Vec<PathBuf> {
        let target = &self.machine.target;
        let include = root.join("include");
        let targets = root.join("targets");
        let has_targets = targets.exists();
        let folders = target.folders().iter();
        let of_target = folders.map(|folder| targets.join(folder).join("include"));
        if !target.cross() {
            let of_target = of_target.filter(|_| has_targets);
            return std::iter::once(include).chain(of_target).collect();
        }
        // The host's own include is not for the target. But a root without `targets` does not say which platform it
        // is for, the user does by naming it, and cuda.h is the same file on all of them.
        if explicit && !has_targets {
            return vec![include];
        }
        of_target.collect()
    }

    fn look_in(
        &mut self,
        include: &Path,
        root: Option<PathBuf>,
        by: &str,
    ) -> Result<Option<Toolkit>, Failure> {
        match header::version(include) {
            Ok(version) if version < OLDEST => Err(Failure::Unusable(words::too_old(include, by, version))),
            Ok(version) => Ok(Some(Toolkit {
                include: include.to_path_buf(),
                root,
                version,
                found_by: by.to_string(),
                warnings: Vec::new(),
            })),
            Err(why) => {
                self.miss(include, &why);
                Ok(None)
            }
        }
    }

    /// A warning where other variables do not lead to the same cuda.h.
    fn disagreement(&self, used: &Toolkit, value: &Path, others: &[(String, PathBuf)]) -> Option<String> {
        let header = |include: &Path| include.join("cuda.h").canonicalize().ok();
        let agrees = |root: &Path| {
            let mut headers = self.includes(root, true).into_iter().filter_map(|include| header(&include));
            headers.next() == header(&used.include)
        };
        let others = others.iter().filter(|(_, root)| !agrees(root));
        let others: Vec<_> = others.map(|(name, root)| format!("{name}={}", root.display())).collect();
        let used = &used.found_by;
        (!others.is_empty()).then(|| {
            format!("{used}={} is used; it disagrees with {}", value.display(), others.join(" and "))
        })
    }

    fn miss(&mut self, path: &Path, why: &str) {
        self.misses.push(Miss { what: path.display().to_string(), why: why.to_string() });
    }
}

/// The root of an include folder that was named by itself.
fn root_of(include: &Path) -> Option<PathBuf> {
    let is_include = include.file_name().is_some_and(|name| name == "include");
    include.parent().filter(|_| is_include).map(Path::to_path_buf)
}
