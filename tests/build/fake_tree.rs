//! A fake file tree in a temporary directory, with variables of its own: what the search looks at instead of this
//! machine.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::policy::Policy;
use crate::toolkit::environment::{Environment, Package};
use crate::toolkit::{GenerateError, Target, Toolkit, Version, choose, watched};

pub const LINUX: &str = "x86_64-unknown-linux-gnu";
pub const ARM: &str = "aarch64-unknown-linux-gnu";
pub const WINDOWS: &str = "x86_64-pc-windows-msvc";

pub struct FakeTree {
    root: PathBuf,
    _directory: TempDir,
    pub host: String,
    pub target: String,
    pub variables: BTreeMap<String, OsString>,
    pub pkg_config: Vec<Package>,
    pub pkg_config_asked: Cell<u32>,
    /// The variables that were read.
    pub read: RefCell<BTreeSet<String>>,
    /// The answer of the generator for each release; success for the others.
    pub refused: BTreeMap<String, fn() -> GenerateError>,
}

impl FakeTree {
    /// Makes a tree out of items:
    ///
    /// - `/usr/include/cuda.h = 12.6`, a header of that release;
    /// - `/usr/local/cuda -> /usr/local/cuda-12.6`, a link; `/usr/bin/nvcc`, an empty file; `/opt/`, a directory;
    /// - `CUDA_HOME = /usr/local/cuda`, a variable; `pkg-config cuda = /usr/include`, one of its packages;
    /// - `HOST = aarch64-unknown-linux-gnu`, the machine; else x86-64 Linux.
    pub fn new<'a>(items: impl IntoIterator<Item = &'a str>) -> Self {
        let directory = TempDir::with_prefix("a fake tree").expect("a temporary directory");
        let mut tree = Self {
            // The search resolves links, and the temporary directory may lie behind one.
            root: directory.path().canonicalize().expect("it was made"),
            _directory: directory,
            host: LINUX.to_owned(),
            target: LINUX.to_owned(),
            variables: BTreeMap::new(),
            pkg_config: Vec::new(),
            pkg_config_asked: Cell::new(0),
            read: RefCell::default(),
            refused: BTreeMap::new(),
        };
        for item in items {
            tree.add(item);
        }
        tree
    }

    pub fn add(&mut self, item: &str) {
        if let Some((path, to)) = item.split_once(" -> ") {
            let path = self.parent_of(path);
            symlink(self.below(to), path).expect("a link");
        } else if let Some((name, value)) = item.split_once(" = ") {
            if name.ends_with("/cuda.h") {
                self.file(name, &cuda_h(value));
            } else if let Some(package) = name.strip_prefix("pkg-config ") {
                let includes = value.split(' ').filter(|path| !path.is_empty());
                let includes = includes.map(|path| self.at(path)).collect();
                self.pkg_config.push((package.to_owned(), includes));
            } else if name == "HOST" {
                value.clone_into(&mut self.host);
                value.clone_into(&mut self.target);
            } else {
                let value = self.below(value);
                self.variables.insert(name.to_owned(), value.into());
            }
        } else if item.ends_with('/') {
            fs::create_dir_all(self.at(item)).expect("a directory");
        } else {
            self.file(item, b"");
        }
    }

    pub fn file(&self, path: &str, bytes: &[u8]) {
        fs::write(self.parent_of(path), bytes).expect("a file");
    }

    /// The path on this machine of one in the tree.
    pub fn at(&self, path: &str) -> PathBuf {
        self.root.join(path.trim_start_matches('/'))
    }

    fn parent_of(&self, path: &str) -> PathBuf {
        let path = self.at(path);
        fs::create_dir_all(path.parent().expect("it is below the root")).expect("a directory");
        path
    }

    /// A list of paths as it is on this machine.
    fn below(&self, list: &str) -> String {
        let root = self.root.to_str().expect("a temporary directory's name is UTF-8");
        let path = |path: &str| if path.starts_with('/') { format!("{root}{path}") } else { path.to_owned() };
        list.split_inclusive([':', ';']).map(path).collect()
    }

    /// A text as it would be if this tree were the whole machine's.
    pub fn shown(&self, text: &str) -> String {
        text.replace(self.root.to_str().expect("a temporary directory's name is UTF-8"), "")
    }

    fn with<T>(&self, root: &Path, work: impl FnOnce(&Environment) -> T) -> T {
        let os = if self.target.contains("windows") { "windows" } else { "linux" };
        work(&Environment {
            var: &|name| {
                self.read.borrow_mut().insert(name.to_owned());
                self.variables.get(name).cloned()
            },
            names: &|| self.variables.keys().map(OsString::from).collect(),
            root,
            target: Target {
                triple: self.target.clone(),
                host: self.host.clone(),
                arch: self.target.split('-').next().expect("a triple has an architecture").to_owned(),
                os: os.to_owned(),
            },
            pkg_config: &|| {
                self.pkg_config_asked.set(self.pkg_config_asked.get() + 1);
                let packages = self.pkg_config.clone();
                if packages.is_empty() {
                    Err("it has no package cuda or cudart".to_owned())
                } else {
                    Ok(packages)
                }
            },
        })
    }

    /// Chooses, with a generator that reads every header but those in `refused`.
    pub fn choose(&self, policy: Policy, root: &Path) -> Result<Chosen, String> {
        let mut tried = Vec::new();
        let embedded = Version { major: 13, minor: 5 };
        let choice = self.with(root, |environment| {
            choose(policy, environment, embedded, |toolkit| {
                let version = toolkit.version.to_string();
                let refused = self.refused.get(&version);
                tried.push(version);
                refused.map_or_else(|| Ok("generated".to_owned()), |error| Err(error()))
            })
        })?;
        Ok(Chosen {
            toolkit: choice.generated.map(|(toolkit, _)| toolkit),
            source: self.shown(&choice.source),
            warnings: choice.warnings.iter().map(|warning| self.shown(warning)).collect(),
            headers: choice.headers,
            tried,
        })
    }

    pub fn auto(&self) -> Chosen {
        self.choose(Policy::Auto, &self.root).unwrap_or_else(|error| panic!("{error}"))
    }

    /// The message of a build that fails.
    #[track_caller]
    pub fn failure(&self, policy: Policy) -> String {
        match self.choose(policy, &self.root) {
            Ok(chosen) => panic!("{}", self.outcome_of(&chosen)),
            Err(error) => self.shown(&error),
        }
    }

    /// What is used, and what is passed over: `12.6 from /opt/cuda/include, found in /opt/cuda`, or `embedded`.
    pub fn outcome(&self) -> String {
        self.outcome_of(&self.auto())
    }

    fn outcome_of(&self, chosen: &Chosen) -> String {
        let mut outcome = match &chosen.toolkit {
            None => "embedded".to_owned(),
            Some(Toolkit { version, include, found, .. }) => {
                format!("{version} from {}, found {found}", include.display())
            }
        };
        for warning in &chosen.warnings {
            let passed_over = warning.strip_prefix("passed over ").and_then(|rest| rest.split_once(": "));
            let name = passed_over
                .map_or(warning.as_str(), |(what, _)| what.split(", found").next().unwrap_or(what));
            outcome +=
                &if passed_over.is_some() { format!("; passed over {name}") } else { format!("; {name}") };
        }
        self.shown(&outcome)
    }

    pub fn watched(&self) -> Vec<String> {
        self.with(&self.root, watched)
    }
}

/// As `toolkit::choice::Choice`, with the tree's root left out of the sentences.
pub struct Chosen {
    pub toolkit: Option<Toolkit>,
    pub source: String,
    pub warnings: Vec<String>,
    pub headers: Vec<PathBuf>,
    /// The releases that the generator was asked for.
    pub tried: Vec<String>,
}

/// What matters of a cuda.h, with what is easily mistaken for it.
pub fn cuda_h(version: &str) -> Vec<u8> {
    let (major, minor) = version.split_once('.').expect("a release has two numbers");
    let number = |text: &str| text.parse::<u32>().expect("a release has two numbers");
    format!(
        "/* A fake cuda.h. Once:\n#define CUDA_VERSION 1000\n */\n#ifndef __cuda_cuda_h__\n\
         /** The release */\n#define CUDA_VERSION {}\n/**\n * \\defgroup CUDA_VERSION Version Management\n */\n\
         #if CUDA_VERSION >= 3020\n#endif\n#endif\n",
        number(major) * 1000 + number(minor) * 10
    )
    .into_bytes()
}
