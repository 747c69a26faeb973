//! Runs the build script of the crate under test, as cargo built it, with an environment of the test's choice.

use std::env::consts::EXE_SUFFIX;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

/// A run of the build script with the features of the package that calls this, for one target:
/// `build_script!("x86_64-unknown-linux-gnu")`.
#[macro_export]
macro_rules! build_script {
    ($target:expr) => {
        $crate::build_script::BuildScript::new(
            &$crate::build_script::Package {
                root: ::core::env!("CARGO_MANIFEST_DIR"),
                out_dir: ::core::env!("OUT_DIR"),
                features: [
                    ("load", ::core::cfg!(feature = "load")),
                    ("link", ::core::cfg!(feature = "link")),
                    ("bindgen", ::core::cfg!(feature = "bindgen")),
                ],
            },
            $target,
        )
    };
}

/// The package under test, as cargo built it for the test program.
pub struct Package {
    pub root: &'static str,
    pub out_dir: &'static str,
    pub features: [(&'static str, bool); 3],
}

impl Package {
    /// The newest build script with this package's features in the target directory that the test was built in.
    ///
    /// OUT_DIR is target/PROFILE/build/cuda-external-sys-HASH/out, and the script's own directory is a sibling of that
    /// with another hash. Cargo notes the features that a script was built with under that hash, in .fingerprint.
    ///
    /// With --target, OUT_DIR is target/TRIPLE/PROFILE/build/..., and the script is where it always is, since it runs on
    /// the host.
    fn executable(&self) -> PathBuf {
        let mut directories = Path::new(self.out_dir).ancestors().skip(2);
        let build = directories.next().expect("cargo's layout");
        let profile = directories.next().and_then(Path::file_name).expect("cargo's layout");
        let host = directories.nth(1).map(|target| target.join(profile).join("build"));
        self.newest_in(build).or_else(|| self.newest_in(&host?)).expect("cargo built it before this test")
    }

    fn newest_in(&self, build: &Path) -> Option<PathBuf> {
        let scripts = fs::read_dir(build).ok()?.filter_map(|entry| {
            let directory = entry.ok()?;
            let script = directory.path().join(format!("build-script-build{EXE_SUFFIX}"));
            let time = fs::metadata(&script).ok()?.modified().ok()?;
            let name = directory.file_name();
            let is_ours = name.to_string_lossy().starts_with("cuda-external-sys-");
            let notes = build.with_file_name(".fingerprint").join(name);
            let notes = fs::read_to_string(notes.join("build-script-build-script-build.json")).ok()?;
            let features = notes.split_once("\"features\":\"[")?.1.split(']').next()?;
            let has = |feature: &str| features.contains(&format!("\\\"{feature}\\\""));
            let is_of_these = self.features.iter().all(|(feature, is_on)| has(feature) == *is_on);
            (is_ours && is_of_these).then_some((time, script))
        });
        Some(scripts.max()?.1)
    }
}

/// A run of the build script for one target, with nothing in its environment but what the test sets.
pub struct BuildScript {
    command: Command,
    out: TempDir,
}

/// What a run left.
pub struct Run {
    pub output: Output,
    /// The bindings, where it made them.
    pub bindings: Option<String>,
}

impl BuildScript {
    /// As [`build_script!`](crate::build_script!) calls it.
    pub fn new(package: &Package, target: &str) -> Self {
        let out = TempDir::new().expect("a temporary directory");
        let mut command = Command::new(package.executable());
        let mut parts = target.split('-');
        let arch = parts.next().expect("a triple has an architecture");
        let (os, env) = match target {
            _ if target.contains("windows") => {
                ("windows", target.rsplit('-').next().expect("a triple has an end"))
            }
            _ if target.contains("linux") => {
                ("linux", target.rsplit('-').next().expect("a triple has an end"))
            }
            _ => ("macos", ""),
        };
        command
            .env_clear()
            .env("OUT_DIR", out.path())
            .env("TARGET", target)
            .env("HOST", host())
            .env("CARGO_CFG_TARGET_ARCH", arch)
            .env("CARGO_CFG_TARGET_OS", os)
            .env("CARGO_CFG_TARGET_ENV", env)
            .env("CARGO_MANIFEST_DIR", package.root)
            .env("OPT_LEVEL", "0")
            .env("PROFILE", "debug")
            .current_dir(package.root);
        // Where libclang lies, until a test says otherwise.
        for name in ["LIBCLANG_PATH", "PATH"] {
            if let Some(value) = std::env::var_os(name) {
                command.env(name, value);
            }
        }
        Self { command, out }
    }

    pub fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    /// Generates from this directory's cuda.h, or fails.
    pub fn generate_from(self, include: &Path) -> Self {
        self.env("CUDA_EXTERNAL_SYS_BINDINGS", "generate").env("CUDA_EXTERNAL_SYS_INCLUDE_DIR", include)
    }

    pub fn run(mut self) -> Run {
        let output = self.command.output().expect("the build script starts");
        let bindings = fs::read_to_string(self.out.path().join("bindings.rs")).ok();
        Run { output, bindings }
    }
}

impl Run {
    /// Returns the bindings, or panics with what the script printed.
    pub fn expect_bindings(self) -> String {
        let stderr = String::from_utf8_lossy(&self.output.stderr).into_owned();
        assert!(self.output.status.success(), "{stderr}");
        self.bindings.unwrap_or_else(|| panic!("no bindings: {stderr}"))
    }
}

/// The host's triple, as rustc names it.
pub fn host() -> String {
    let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
    let output = Command::new(rustc).arg("-vV").output().expect("rustc is on PATH");
    let lines = String::from_utf8_lossy(&output.stdout).into_owned();
    lines.lines().find_map(|line| line.strip_prefix("host: ")).expect("rustc says its host").to_owned()
}
