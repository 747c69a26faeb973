//! A fake machine: a file tree in a temporary directory, environment variables, and a pkg-config with fixed answers.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

use build_script::toolkit::environment::SearchEnvironment;
use build_script::toolkit::{BuildTarget, HeaderRefusal, ToolkitSearch, UsableToolkit};
use tempfile::TempDir;

use build_script::policy::BindingsPolicy;

pub const LINUX: &str = "x86_64-unknown-linux-gnu";
pub const ARM: &str = "aarch64-unknown-linux-gnu";

#[derive(Default)]
pub struct FakeMachine {
    root: PathBuf,
    _directory: Option<TempDir>,
    pub host: String,
    pub target: String,
    pub variables: BTreeMap<String, OsString>,
    pub read: RefCell<BTreeSet<String>>,
    packages: BTreeMap<String, Vec<PathBuf>>,
    pub asks_pkg_config: Cell<bool>,
    unreadable: Vec<String>,
    lacks_libclang: bool,
}

impl FakeMachine {
    /// Makes a machine out of items:
    ///
    /// - `/usr/include/cuda.h = 12.6`: a header of this release
    /// - `/usr/local/cuda -> /usr/local/cuda-12.6`: a link
    /// - `/usr/bin/nvcc`: an empty file
    /// - `/opt/`: a directory
    /// - `PATH = /opt/cuda/bin:/usr/bin`: an environment variable, whose paths are paths in the tree
    /// - `CUDA_HOME == /usr`: an environment variable with exactly this value
    /// - `HOST = aarch64-unknown-linux-gnu`: the host and the target, which are x86-64 Linux by default
    /// - `TARGET = aarch64-unknown-linux-gnu`: the target alone
    /// - `pkg-config cuda = /usr/include /opt/include`: a pkg-config package with its include directories
    /// - `unreadable 12.6`: a release whose header bindgen cannot read
    /// - `no libclang`: a machine without libclang
    pub fn new<'a>(items: impl IntoIterator<Item = &'a str>) -> Self {
        let directory = TempDir::with_prefix("a fake tree").expect("a temporary directory");
        // The search resolves links. To find `root` in a resolved path, `without_tree_root` needs a root without links.
        let root = directory.path().canonicalize().expect("it was made");
        let mut tree = Self {
            root,
            _directory: Some(directory),
            host: LINUX.to_owned(),
            target: LINUX.to_owned(),
            ..Self::default()
        };
        items.into_iter().for_each(|item| tree.add_file_or_setting(item));
        tree
    }

    pub fn add_file_or_setting(&mut self, item: &str) {
        if let Some((path, to)) = item.split_once(" -> ") {
            symlink(self.map_paths_into_tree(to), self.create_parent_of(path)).expect("a link");
        } else if let Some((path, release)) = item.split_once("/cuda.h = ") {
            fs::write(self.create_parent_of(&format!("{path}/cuda.h")), cuda_h(release)).expect("a file");
        } else if let Some((name, value)) = item.split_once(" ==") {
            self.set_variable(name, value.trim_start());
        } else if let Some((name, value)) = item.split_once(" = ") {
            if let Some(package) = name.strip_prefix("pkg-config ") {
                let directories = value.split(' ').map(|path| self.real_path(path)).collect();
                self.packages.insert(package.to_owned(), directories);
                return;
            }
            match name {
                "HOST" => (self.host, self.target) = (value.to_owned(), value.to_owned()),
                "TARGET" => value.clone_into(&mut self.target),
                _ => self.set_variable(name, self.map_paths_into_tree(value)),
            }
        } else if let Some(release) = item.strip_prefix("unreadable ") {
            self.unreadable.push(release.to_owned());
        } else if item == "no libclang" {
            self.lacks_libclang = true;
        } else if item.ends_with('/') {
            fs::create_dir_all(self.real_path(item)).expect("a directory");
        } else {
            fs::write(self.create_parent_of(item), "").expect("a file");
        }
    }

    /// Sets a variable. The paths in its value are this machine's, not the tree's.
    pub fn set_variable(&mut self, name: &str, value: impl Into<OsString>) {
        self.variables.insert(name.to_owned(), value.into());
    }

    /// Returns the path on this machine of a path in the tree.
    pub fn real_path(&self, path: &str) -> PathBuf {
        self.root.join(path.trim_start_matches('/'))
    }

    fn create_parent_of(&self, path: &str) -> PathBuf {
        let path = self.real_path(path);
        fs::create_dir_all(path.parent().expect("it is below the root")).expect("a directory");
        path
    }

    fn tree_root(&self) -> &str {
        self.root.to_str().expect("a temporary directory's name is UTF-8")
    }

    /// Returns a list of the tree's paths as paths on this machine.
    fn map_paths_into_tree(&self, list: &str) -> String {
        let is_in_tree = |path: &str| path.starts_with('/') && path != "/dev/zero";
        let path = |path| if is_in_tree(path) { self.tree_root().to_owned() + path } else { path.to_owned() };
        list.split_inclusive([':', ';']).map(path).collect()
    }

    /// Returns a text with the tree's paths in place of this machine's.
    pub fn without_tree_root(&self, text: &str) -> String {
        text.replace(self.tree_root(), "")
    }

    pub fn run_with_environment<T>(&self, work: impl FnOnce(&SearchEnvironment) -> T) -> T {
        let systems = ["windows", "android", "linux"];
        let os = systems.into_iter().find(|os| self.target.contains(os)).unwrap_or("none");
        work(&SearchEnvironment {
            var: &|name| {
                self.read.borrow_mut().insert(name.to_owned());
                self.variables.get(name).cloned()
            },
            root: &self.root,
            target: BuildTarget {
                triple: self.target.clone(),
                host: self.host.clone(),
                arch: self.target.split('-').next().expect("a triple has an architecture").to_owned(),
                os: os.to_owned(),
            },
            // Returns what the crate pkg-config would return.
            pkg_config_includes: &|package| {
                self.asks_pkg_config.set(true);
                if self.target != self.host {
                    return Err("not asked".to_owned());
                }
                Ok(self.packages.get(package).cloned())
            },
        })
    }

    fn fake_bindgen(&self, version: &str) -> Result<(), HeaderRefusal> {
        let refusal = |why: &str, output: &str, is_libclang_fault| {
            Err(HeaderRefusal { why: why.to_owned(), output: output.to_owned(), is_libclang_fault })
        };
        if self.lacks_libclang {
            return refusal("bindgen found no libclang to read it with", "couldn't find libclang.so", true);
        }
        if self.unreadable.iter().any(|release| release == version) {
            let why = "bindgen cannot read it: cuda.h:2:1: error: unknown type name 'this'";
            return refusal(why, "cuda.h:2:8: error: expected ';'", false);
        }
        Ok(())
    }

    pub fn search_with_policy(&self, policy: BindingsPolicy) -> Result<FakeMachineSearchResult, String> {
        let mut tried = Vec::new();
        self.run_with_environment(|environment| {
            let search = ToolkitSearch::search_all_places(environment, &mut |toolkit| {
                tried.push(toolkit.version.to_string());
                self.fake_bindgen(&toolkit.version.to_string()).map(|()| String::new())
            });
            let outcome = search.conclude_search(policy == BindingsPolicy::Generate);
            let outcome = outcome.map_err(|message| self.without_tree_root(&message))?;
            Ok(FakeMachineSearchResult {
                toolkit: search.used.map(|(toolkit, _)| toolkit),
                source: self.without_tree_root(&outcome.source),
                warnings: outcome.warnings.iter().map(|warning| self.without_tree_root(warning)).collect(),
                headers: search
                    .headers
                    .iter()
                    .map(|path| self.without_tree_root(&path.display().to_string()))
                    .collect(),
                tried,
            })
        })
    }

    #[track_caller]
    pub fn search_automatically(&self) -> FakeMachineSearchResult {
        self.search_with_policy(BindingsPolicy::Auto).unwrap_or_else(|message| panic!("{message}"))
    }

    #[track_caller]
    pub fn search_failure(&self, policy: BindingsPolicy) -> String {
        self.search_with_policy(policy).err().expect("no header can be used")
    }

    /// Searches, and returns a text such as `12.6 from /a/include, found in /a; passed over /usr/include/cuda.h`.
    pub fn outcome_text(&self) -> String {
        let chosen = self.search_automatically();
        let mut outcome = match &chosen.toolkit {
            None => "embedded".to_owned(),
            Some(UsableToolkit { version, include, found_by, .. }) => {
                format!("{version} from {}, found {found_by}", include.display())
            }
        };
        for warning in &chosen.warnings {
            // Leaves out how the header was found, and the reason.
            let (what, _) = warning.split_once(": ").unwrap_or((warning, ""));
            outcome += &format!("; {}", what.split(", found").next().unwrap_or(what));
        }
        self.without_tree_root(&outcome)
    }
}

/// The result of a search. `toolkit` has paths on this machine, the other fields have paths in the tree.
pub struct FakeMachineSearchResult {
    pub toolkit: Option<UsableToolkit>,
    pub source: String,
    pub warnings: Vec<String>,
    pub headers: Vec<String>,
    pub tried: Vec<String>,
}

/// Returns a cuda.h with the line that defines the release, between lines that are easily mistaken for it.
pub fn cuda_h(release: &str) -> String {
    let (major, minor) = release.split_once('.').expect("a release has two numbers");
    format!(
        "/** The release */\n#define CUDA_VERSION {major}{minor:0>2}0\n/**\n * \\defgroup CUDA_VERSION Version\n */\n\
         #if CUDA_VERSION >= 3020\n#endif\n"
    )
}
