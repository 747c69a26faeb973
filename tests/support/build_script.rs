//! Runs the crate's own build script, as cargo built it, with an environment of the test's choice.

#![allow(dead_code)] // each test program uses its part

use std::env::consts::EXE_SUFFIX;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

/// The build script of this test's features, the newest one in the target folder that the test was built in.
///
/// OUT_DIR is target/PROFILE/build/cuda-external-sys-HASH/out, and the script's own folder is a sibling of that with
/// another hash. Cargo notes the features that a script was built with under that hash, in .fingerprint.
///
/// With --target, OUT_DIR is target/TRIPLE/PROFILE/build/..., and the script, being the host's, is where it always is.
fn executable() -> PathBuf {
    let mut folders = Path::new(env!("OUT_DIR")).ancestors().skip(2);
    let build = folders.next().expect("cargo's layout");
    let profile = folders.next().and_then(Path::file_name).expect("cargo's layout");
    let host = folders.nth(1).map(|target| target.join(profile).join("build"));
    newest_in(build).or_else(|| newest_in(&host?)).expect("cargo built it before this test")
}

fn newest_in(build: &Path) -> Option<PathBuf> {
    let scripts = fs::read_dir(build).ok()?.filter_map(|entry| {
        let folder = entry.ok()?;
        let script = folder.path().join(format!("build-script-build{EXE_SUFFIX}"));
        let time = fs::metadata(&script).ok()?.modified().ok()?;
        let name = folder.file_name();
        let is_ours = name.to_string_lossy().starts_with("cuda-external-sys-");
        let notes = build.with_file_name(".fingerprint").join(name);
        let notes = fs::read_to_string(notes.join("build-script-build-script-build.json")).ok()?;
        let features = notes.split_once("\"features\":\"[")?.1.split(']').next()?;
        let has = |feature: &str| features.contains(&format!("\\\"{feature}\\\""));
        let is_of_these = has("load") == cfg!(feature = "load")
            && has("link") == cfg!(feature = "link")
            && has("bindgen") == cfg!(feature = "bindgen");
        (is_ours && is_of_these).then_some((time, script))
    });
    Some(scripts.max()?.1)
}

/// A run of the build script for one target, with nothing in its environment but what is said.
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
    pub fn new(target: &str) -> Self {
        let host = host();
        let out = TempDir::new().expect("a temporary folder");
        let mut command = Command::new(executable());
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
            .env("HOST", host)
            .env("CARGO_CFG_TARGET_ARCH", arch)
            .env("CARGO_CFG_TARGET_OS", os)
            .env("CARGO_CFG_TARGET_ENV", env)
            .env("CARGO_MANIFEST_DIR", env!("CARGO_MANIFEST_DIR"))
            .env("OPT_LEVEL", "0")
            .env("PROFILE", "debug")
            .current_dir(env!("CARGO_MANIFEST_DIR"));
        // Where libclang is: the machine's own business, until a test says otherwise.
        for name in ["LIBCLANG_PATH", "PATH"] {
            if let Some(value) = std::env::var_os(name) {
                command.env(name, value);
            }
        }
        Self { command, out }
    }

    pub fn env(mut self, name: &str, value: impl AsRef<std::ffi::OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    /// Generates from this folder's cuda.h, or fails.
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
    /// The bindings, or the script's own words as a panic.
    pub fn expect_bindings(self) -> String {
        let words = String::from_utf8_lossy(&self.output.stderr).into_owned();
        assert!(self.output.status.success(), "{words}");
        self.bindings.unwrap_or_else(|| panic!("no bindings: {words}"))
    }
}

/// The host's triple, as the compiler that runs here names it.
pub fn host() -> String {
    let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
    let output = Command::new(rustc).arg("-vV").output().expect("rustc is on PATH");
    let lines = String::from_utf8_lossy(&output.stdout).into_owned();
    lines.lines().find_map(|line| line.strip_prefix("host: ")).expect("rustc says its host").to_owned()
}

/// The headers of one release, as tests/fetch-headers leaves them.
pub fn headers(release: &str) -> Result<PathBuf, String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/headers").join(release);
    if folder.join("cuda.h").is_file() {
        Ok(folder)
    } else {
        Err(format!("no target/headers/{release}/cuda.h: run tests/fetch-headers"))
    }
}

/// Whether bindgen finds libclang here.
pub fn libclang() -> Result<(), String> {
    if !cfg!(feature = "bindgen") {
        return Err("the feature `bindgen` is off, so nothing is generated".to_owned());
    }
    let folder = TempDir::new().expect("a temporary folder");
    fs::write(folder.path().join("cuda.h"), "#define CUDA_VERSION 13050\n").expect("the folder is ours");
    let run = BuildScript::new("x86_64-unknown-linux-gnu").generate_from(folder.path()).run();
    if String::from_utf8_lossy(&run.output.stderr).contains("cannot find libclang") {
        Err("bindgen finds no libclang: install libclang-dev, or set LIBCLANG_PATH".to_owned())
    } else {
        Ok(())
    }
}
