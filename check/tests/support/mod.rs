//! Runs a program under the check, with the fake driver or with the machine's.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

use serde_json::Value;
use tempfile::TempDir;

/// Names the driver to use in place of the fake one: `machine` is the machine's own.
pub const DRIVER: &str = "CUDA_EXTERNAL_CHECK_TEST_DRIVER";
/// Names the program where it lies elsewhere than cargo built it.
pub const PROGRAM: &str = "CUDA_EXTERNAL_CHECK_TEST_PROGRAM";

/// Whether the machine's driver is used.
pub fn is_real() -> bool {
    env::var_os(DRIVER).is_some_and(|name| name == "machine")
}

/// The directory with the fake driver, as libcuda.so.1. It is compiled once.
pub fn fake_driver() -> &'static Path {
    static DIRECTORY: OnceLock<TempDir> = OnceLock::new();
    let directory = DIRECTORY.get_or_init(|| {
        let directory = TempDir::new().expect("a temporary directory");
        let rustc = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
        let mut command = Command::new(rustc);
        command.args([
            "--edition=2024",
            "--crate-name=fake_driver",
            "--crate-type=cdylib",
            "-Cpanic=abort",
            // The cost of the check is compared with it.
            "-Copt-level=2",
            "--target",
            env!("CUDA_EXTERNAL_CHECK_TARGET"),
            "--extern",
        ]);
        command.arg(format!("cuda_external_sys={}", bindings().display()));
        if !env!("CUDA_EXTERNAL_CHECK_LINKER").is_empty() {
            command.arg(concat!("-Clinker=", env!("CUDA_EXTERNAL_CHECK_LINKER")));
        }
        command
            .arg("-Clink-arg=-Wl,-soname,libcuda.so.1")
            .arg("-o")
            .arg(directory.path().join("libcuda.so.1"));
        command.arg(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fake_driver/lib.rs"));
        assert!(command.status().expect("rustc starts").success());
        directory
    });
    directory.path()
}

/// The bindings that the layer was built with.
fn bindings() -> PathBuf {
    let library = Path::new(env!("CUDA_EXTERNAL_CHECK_OUT")).join("library");
    let directory = library.join(env!("CUDA_EXTERNAL_CHECK_TARGET")).join("release/deps");
    let mut files =
        fs::read_dir(directory).expect("the build script built it").map(|file| file.expect("a file").path());
    let is_it = |file: &PathBuf| {
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        name.starts_with("libcuda_external_sys-") && name.ends_with(".rlib")
    };
    files.find(is_it).expect("the bindings")
}

/// The program that is tested.
pub fn program() -> PathBuf {
    env::var_os(PROGRAM).map_or_else(|| env!("CARGO_BIN_EXE_cuda-external-check").into(), PathBuf::from)
}

/// The result of a checked program.
#[derive(Debug)]
pub struct Outcome {
    pub output: Output,
    pub json: Value,
}

impl Outcome {
    /// The rules that were broken, in the order of their names.
    pub fn rules(&self) -> Vec<String> {
        let counts = self.json["counts"].as_object().unwrap_or_else(|| panic!("no counts: {self:?}"));
        counts.keys().cloned().collect()
    }

    pub fn stderr(&self) -> String {
        String::from_utf8_lossy(&self.output.stderr).into_owned()
    }

    pub fn stdout(&self) -> String {
        String::from_utf8_lossy(&self.output.stdout).into_owned()
    }

    #[track_caller]
    pub fn assert_rules(&self, expected: &[&str]) {
        assert_eq!(self.rules(), expected, "{}\n{}", self.stdout(), self.stderr());
    }
}

/// Runs a program under the check.
pub fn checked(options: &[&str], command: &Command) -> Outcome {
    let directory = TempDir::new().expect("a temporary directory");
    let json = directory.path().join("findings.json");
    let mut check = test_support::by_runner(&program());
    check
        .args(options)
        .arg("--json")
        .arg(&json)
        .arg("--")
        .arg(command.get_program())
        .args(command.get_args());
    check.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
    if !is_real() && !command.get_envs().any(|(name, _)| name == "LD_LIBRARY_PATH") {
        check.env("LD_LIBRARY_PATH", fake_driver());
    }
    let output = check.output().expect("the program starts");
    let text = fs::read_to_string(&json).unwrap_or_else(|error| panic!("{error}: {output:?}"));
    let json = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
    Outcome { output, json }
}
