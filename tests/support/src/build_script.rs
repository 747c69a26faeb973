//! Runs the build script of the crate under test, as cargo built it, with an environment of the test's choice.

use std::env::{self, consts::EXE_SUFFIX};
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

/// A run of the build script with the features of the package that calls this, for one target:
/// `build_script!("x86_64-unknown-linux-gnu")`.
#[macro_export]
macro_rules! build_script {
    ($target:expr) => {{
        let features = [
            ("load", ::core::cfg!(feature = "load")),
            ("link", ::core::cfg!(feature = "link")),
            ("bindgen", ::core::cfg!(feature = "bindgen")),
        ];
        let program = $crate::build_script::newest(::core::env!("OUT_DIR"), features);
        $crate::build_script::BuildScript::new(program, ::core::env!("CARGO_MANIFEST_DIR"), $target)
    }};
}

/// The newest build script with these features in the target directory that the test was built in.
///
/// OUT_DIR is target/PROFILE/build/cuda-external-sys-HASH/out, or target/TRIPLE/PROFILE/build/... with --target. The
/// script is always in target/PROFILE/build, in a directory with another hash. Cargo notes the features that a script
/// was built with under that hash, in .fingerprint.
pub fn newest(out_dir: &str, features: [(&str, bool); 3]) -> PathBuf {
    let profile = Path::new(out_dir).ancestors().nth(3).expect("cargo's layout");
    let name = profile.file_name().expect("cargo's layout");
    let of_host = profile.ancestors().nth(2).map(|target| target.join(name)).unwrap_or_default();
    let directories = [profile, &of_host].map(|profile| fs::read_dir(profile.join("build")));
    let scripts = directories.into_iter().flatten().flatten().flatten().filter_map(|entry| {
        let (directory, name) = (entry.path(), entry.file_name());
        let is_ours = name.to_string_lossy().starts_with("cuda-external-sys-");
        let notes = directory.parent()?.with_file_name(".fingerprint").join(name);
        let notes = fs::read_to_string(notes.join("build-script-build-script-build.json")).ok()?;
        let built_with = notes.split_once("\"features\":\"[")?.1.split(']').next()?;
        let has = |feature: &str| built_with.contains(&format!("\\\"{feature}\\\""));
        let is_of_these = features.iter().all(|(feature, is_on)| has(feature) == *is_on);
        let script = directory.join(format!("build-script-build{EXE_SUFFIX}"));
        let time = script.metadata().ok()?.modified().ok()?;
        (is_ours && is_of_these).then_some((time, script))
    });
    scripts.max().expect("cargo built it before this test").1
}

/// A run of the build script for one target, with nothing in its environment but what the test sets.
pub struct BuildScript {
    command: Command,
    out: TempDir,
}

impl BuildScript {
    /// As [`build_script!`](crate::build_script!) calls it.
    pub fn new(program: PathBuf, root: &str, target: &str) -> Self {
        let out = TempDir::new().expect("a temporary directory");
        let os = ["windows", "linux"].into_iter().find(|os| target.contains(os)).unwrap_or("macos");
        let (arch, _) = target.split_once('-').expect("a triple has an architecture");
        let (_, env) = target.rsplit_once('-').expect("a triple has an end");
        let mut command = Command::new(program);
        command
            .env_clear()
            // Where libclang lies, until a test says otherwise.
            .envs(env::vars_os().filter(|(name, _)| name == "LIBCLANG_PATH" || name == "PATH"))
            .envs([("OPT_LEVEL", "0"), ("PROFILE", "debug"), ("HOST", &host()), ("TARGET", target)])
            .envs([
                ("CARGO_CFG_TARGET_ARCH", arch),
                ("CARGO_CFG_TARGET_OS", os),
                ("CARGO_CFG_TARGET_ENV", env),
            ])
            .env("CARGO_MANIFEST_DIR", root)
            .env("OUT_DIR", out.path())
            .current_dir(root);
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
        Run { output, bindings, out: self.out }
    }
}

/// What a run left.
pub struct Run {
    pub output: Output,
    /// The bindings, where it made them.
    pub bindings: Option<String>,
    /// OUT_DIR.
    pub out: TempDir,
}

impl Run {
    /// Returns what the script told cargo, or panics with what it printed.
    #[track_caller]
    pub fn lines(&self) -> String {
        assert!(self.output.status.success(), "{}", crate::told(&self.output));
        String::from_utf8_lossy(&self.output.stdout).into_owned()
    }

    /// Returns the message of a build that fails.
    #[track_caller]
    pub fn failure(&self) -> String {
        assert!(!self.output.status.success(), "{}", crate::told(&self.output));
        String::from_utf8_lossy(&self.output.stderr).into_owned()
    }

    /// Returns the bindings, or panics with what the script printed.
    #[track_caller]
    pub fn expect_bindings(self) -> String {
        self.lines();
        self.bindings.expect("a script that succeeds writes the bindings")
    }
}

/// The host's triple, as rustc names it.
pub fn host() -> String {
    let rustc = env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
    let output = Command::new(rustc).arg("-vV").output().expect("rustc is on PATH");
    let lines = String::from_utf8_lossy(&output.stdout).into_owned();
    lines.lines().find_map(|line| line.strip_prefix("host: ")).expect("rustc says its host").to_owned()
}
