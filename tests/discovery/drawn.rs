//! A machine in a temporary folder.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::toolkit::{Failure, Machine, Target, Toolkit, find, watched};

pub const LINUX: &str = "x86_64-unknown-linux-gnu";
pub const ARM: &str = "aarch64-unknown-linux-gnu";
pub const WINDOWS: &str = "x86_64-pc-windows-msvc";

pub struct Drawn {
    root: PathBuf,
    _removed_at_the_end: TempDir,
    target: &'static str,
    host: &'static str,
    variables: BTreeMap<String, OsString>,
    pkg_config: Result<Vec<PathBuf>, String>,
    pub pkg_config_asked: Cell<u32>,
    /// The variables that were read.
    pub read: RefCell<BTreeSet<String>>,
}

impl Drawn {
    /// Builds for itself.
    pub fn up(triple: &'static str) -> Self {
        Self::crossing(triple, triple)
    }

    pub fn crossing(host: &'static str, target: &'static str) -> Self {
        let folder = TempDir::new().unwrap();
        // The search resolves the links to nvcc, and the temporary folder may itself lie behind one.
        let root = if cfg!(unix) { folder.path().canonicalize().unwrap() } else { folder.path().into() };
        Self {
            root,
            _removed_at_the_end: folder,
            target,
            host,
            variables: BTreeMap::new(),
            pkg_config: Err("Package cuda was not found".to_string()),
            pkg_config_asked: Cell::new(0),
            read: RefCell::default(),
        }
    }

    pub fn at(&self, path: impl AsRef<Path>) -> PathBuf {
        self.root.join(path)
    }

    pub fn file(&self, path: impl AsRef<Path>, bytes: &[u8]) {
        let path = self.at(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    pub fn folder(&self, path: impl AsRef<Path>) {
        fs::create_dir_all(self.at(path)).unwrap();
    }

    /// A cuda.h of one release in an include folder.
    pub fn header(&self, include: impl AsRef<Path>, version: &str) {
        self.file(include.as_ref().join("cuda.h"), &cuda_h(version, "\n"));
    }

    /// A link with its target as written on that machine: below the drawn root where absolute.
    #[cfg(unix)]
    pub fn link(&self, path: impl AsRef<Path>, to: &str) {
        let path = self.at(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let to = match to.strip_prefix('/') {
            Some(absolute) => self.at(absolute),
            None => to.into(),
        };
        std::os::unix::fs::symlink(to, path).unwrap();
    }

    pub fn set(&mut self, name: &str, value: impl Into<OsString>) {
        self.variables.insert(name.to_string(), value.into());
    }

    pub fn set_to(&mut self, name: &str, path: impl AsRef<Path>) {
        self.set(name, self.at(path));
    }

    pub fn set_path<const N: usize>(&mut self, folders: [&str; N]) {
        let folders = folders.map(|folder| self.at(folder));
        self.set("PATH", std::env::join_paths(folders).unwrap());
    }

    pub fn unset(&mut self, name: &str) {
        self.variables.remove(name);
    }

    pub fn pkg_config(&mut self, answer: Result<Vec<PathBuf>, String>) {
        self.pkg_config = answer;
    }

    pub fn find(&self) -> Result<Toolkit, Failure> {
        self.find_below(&self.root)
    }

    /// With the fixed places elsewhere than in the drawn folder.
    pub fn find_below(&self, root: &Path) -> Result<Toolkit, Failure> {
        self.on(root, find)
    }

    pub fn watched(&self) -> Vec<String> {
        self.on(&self.root, watched)
    }

    fn on<T>(&self, root: &Path, work: impl Fn(&Machine) -> T) -> T {
        let arch = self.target.split('-').next().unwrap();
        let os = if self.target.contains("windows") { "windows" } else { "linux" };
        work(&Machine {
            var: &|name| {
                self.read.borrow_mut().insert(name.to_string());
                self.variables.get(name).cloned()
            },
            names: &|| self.variables.keys().map(OsString::from).collect(),
            root,
            target: Target {
                triple: self.target.to_string(),
                host: self.host.to_string(),
                arch: arch.to_string(),
                os: os.to_string(),
            },
            pkg_config: &|| {
                self.pkg_config_asked.set(self.pkg_config_asked.get() + 1);
                self.pkg_config.clone()
            },
        })
    }

    /// Finds the release of a cuda.h in an include folder, led by `found_by`, without a warning.
    #[track_caller]
    pub fn finds(&self, include: &str, version: &str, found_by: &str) -> Toolkit {
        let found = self.find().unwrap_or_else(|failure| panic!("{failure}"));
        let found_at = found.include.strip_prefix(&self.root).unwrap();
        assert_eq!(found_at, Path::new(include));
        assert_eq!(found.version.to_string(), version);
        assert_eq!(self.without_root(&found.found_by), found_by);
        assert_eq!(found.warnings, [""; 0]);
        found
    }

    /// The text with single spaces: how it breaks into lines depends on where the temporary folder is.
    #[track_caller]
    pub fn not_found(&self) -> String {
        match self.find() {
            Err(Failure::NotFound(text)) => flat(&self.without_root(&text)),
            other => panic!("{other:?}"),
        }
    }

    /// As [`Drawn::not_found`].
    #[track_caller]
    pub fn unusable(&self) -> String {
        match self.find() {
            Err(Failure::Unusable(text)) => flat(&self.without_root(&text)),
            other => panic!("{other:?}"),
        }
    }

    /// A text with the paths as they would be if the drawn machine were a real one.
    pub fn without_root(&self, text: &str) -> String {
        text.replace(self.root.to_str().unwrap(), "").replace('\\', "/")
    }
}

fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What matters of a cuda.h, with what is easily mistaken for it.
pub fn cuda_h(version: &str, line_end: &str) -> Vec<u8> {
    let (major, minor) = version.split_once('.').unwrap();
    let number = major.parse::<u32>().unwrap() * 1000 + minor.parse::<u32>().unwrap() * 10;
    let lines = [
        "/* A drawn cuda.h. Once:",
        "#define CUDA_VERSION 1000",
        " */",
        "#ifndef __cuda_cuda_h__",
        "#define __cuda_cuda_h__",
        "/** The release */",
        &format!("#define CUDA_VERSION {number}"),
        "/**",
        " * \\defgroup CUDA_VERSION Version Management",
        " */",
        "#if CUDA_VERSION >= 3020",
        "#endif",
        "#endif",
    ];
    (lines.join(line_end) + line_end).into_bytes()
}
