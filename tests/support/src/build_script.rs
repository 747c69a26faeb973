//! Runs the crate's build script, a program of the package build-script, with an environment that the test sets.

use std::env;
use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use std::sync::LazyLock;

use tempfile::TempDir;

use crate::directories;

/// Makes a `BuildScript` for a target. Only tests of the package build-script have `CARGO_BIN_EXE_build-script`.
#[macro_export]
macro_rules! build_script {
    ($target:expr) => {
        $crate::build_script::BuildScript::new(::core::env!("CARGO_BIN_EXE_build-script"), $target)
    };
}

/// A run of the build script for one target, in the repository's directory and with the variables that cargo sets.
pub struct BuildScript {
    command: Command,
    out: TempDir,
}

impl BuildScript {
    /// Makes a run whose environment has only PATH, LIBCLANG_PATH, cargo's variables, and those that the test sets.
    pub fn new(program: &str, target: &str) -> Self {
        let mut command = Command::new(program);
        command.env_clear().envs(env::vars_os().filter(|(name, _)| name == "PATH"));
        // Without LIBCLANG_PATH, each run would search for libclang. A test may set another value.
        command.envs(crate::find_libclang().map(|path| ("LIBCLANG_PATH", path)));
        Self::with_cargos_variables(command, target)
    }

    /// Makes a run with this process's environment and cargo's variables, as in a build of the crate.
    pub fn with_process_environment(program: &str, target: &str) -> Self {
        Self::with_cargos_variables(Command::new(program), target)
    }

    fn with_cargos_variables(mut command: Command, target: &str) -> Self {
        let out = TempDir::new().expect("a temporary directory");
        let os = ["windows", "linux"].into_iter().find(|os| target.contains(os)).unwrap_or("macos");
        let (arch, _) = target.split_once('-').expect("a triple has an architecture");
        let (_, env) = target.rsplit_once('-').expect("a triple has an end");
        let root = directories::repository();
        command
            .envs([("OPT_LEVEL", "0"), ("PROFILE", "debug"), ("HOST", host_triple()), ("TARGET", target)])
            .envs([
                ("CARGO_CFG_TARGET_ARCH", arch),
                ("CARGO_CFG_TARGET_OS", os),
                ("CARGO_CFG_TARGET_ENV", env),
                ("CARGO_CFG_TARGET_POINTER_WIDTH", "64"),
            ])
            .env("CARGO_MANIFEST_DIR", root)
            .env("OUT_DIR", out.path())
            .current_dir(root);
        Self { command, out }
    }

    pub fn with_variable(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    /// Makes the script generate the bindings from the cuda.h in `include`, and fail if it cannot.
    pub fn generate_from(self, include: &Path) -> Self {
        self.with_variable("CUDA_EXTERNAL_SYS_BINDINGS", "generate")
            .with_variable("CUDA_EXTERNAL_SYS_INCLUDE_DIR", include)
    }

    pub fn run_script(mut self) -> BuildScriptRun {
        let output = self.command.output().expect("the build script starts");
        let bindings = fs::read_to_string(self.out.path().join("bindings.rs")).ok();
        BuildScriptRun { output, bindings, out: self.out }
    }
}

pub struct BuildScriptRun {
    pub output: Output,
    pub bindings: Option<String>,
    /// OUT_DIR.
    pub out: TempDir,
}

impl BuildScriptRun {
    /// Returns the script's instructions to cargo. Panics with the script's output if the script failed.
    #[track_caller]
    pub fn cargo_instructions(&self) -> String {
        assert!(self.output.status.success(), "{}", crate::describe_exit(&self.output));
        String::from_utf8_lossy(&self.output.stdout).into_owned()
    }

    #[track_caller]
    pub fn failure_message(&self) -> String {
        assert!(!self.output.status.success(), "{}", crate::describe_exit(&self.output));
        String::from_utf8_lossy(&self.output.stderr).into_owned()
    }

    /// Returns the bindings. Panics with the script's output if the script failed.
    #[track_caller]
    pub fn expect_bindings(self) -> String {
        self.cargo_instructions();
        self.bindings.expect("a script that succeeds writes the bindings")
    }
}

pub fn host_triple() -> &'static str {
    static HOST: LazyLock<String> = LazyLock::new(|| {
        let rustc = env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
        let output = Command::new(rustc).arg("-vV").output().expect("rustc is on PATH");
        let lines = String::from_utf8_lossy(&output.stdout).into_owned();
        lines.lines().find_map(|line| line.strip_prefix("host: ")).expect("rustc says its host").to_owned()
    });
    &HOST
}
