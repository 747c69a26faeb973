//! Tests that need something of the machine: a GPU, a header, a second process's tool.
//!
//! Where it is missing, the test shows as ignored, with the reason before its name. Where
//! `CUDA_EXTERNAL_SYS_REQUIRE` names the need (a list with commas, or `all`), it fails instead.

#![allow(dead_code)] // each test program uses its part

pub mod build_script;

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

use libtest_mimic::{Arguments, Failed, Trial};

/// Names the needs that this machine must meet.
pub const REQUIRE: &str = "CUDA_EXTERNAL_SYS_REQUIRE";

/// Something of the machine that tests need, looked for once.
#[derive(Clone)]
pub struct Need {
    name: &'static str,
    missing: Option<String>,
}

impl Need {
    /// `found` is the look-up's answer; its error is the reason that people read.
    pub fn new<T>(name: &'static str, found: &Result<T, String>) -> Self {
        Self { name, missing: found.as_ref().err().cloned() }
    }

    fn is_required(&self) -> bool {
        let required = std::env::var(REQUIRE).unwrap_or_default();
        required.split(',').any(|name| name == self.name || name == "all")
    }
}

/// A test that runs where every need is met.
pub fn test(name: &str, needs: &[Need], run: impl FnOnce() + Send + 'static) -> Trial {
    let Some(need) = needs.iter().find(|need| need.missing.is_some()) else {
        return Trial::test(name, move || {
            run();
            Ok(())
        });
    };
    let reason = need.missing.clone().unwrap_or_default();
    if need.is_required() {
        let text = format!("{REQUIRE} names `{}`, and this machine has none: {reason}", need.name);
        return Trial::test(name, move || Err(Failed::from(text)));
    }
    let line = reason.lines().next().unwrap_or_default();
    Trial::test(name, || Ok(())).with_ignored_flag(true).with_kind(format!("no {}: {line}", need.name))
}

/// Runs the trials as `cargo test` expects it. GPU tests share one device, and some count its
/// memory or this process's files: `threads` is 1 for these.
pub fn run(trials: Vec<Trial>, threads: Option<usize>) -> ExitCode {
    let mut arguments = Arguments::from_args();
    arguments.test_threads = threads.or(arguments.test_threads);
    // Otherwise `--ignored` would run the empty bodies of the tests that cannot run here.
    if arguments.ignored || arguments.include_ignored {
        arguments.ignored = false;
        arguments.include_ignored = false;
    }
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// This program again, as a child: by the same runner, where cargo was told to use one (an emulator
/// of the target).
pub fn this_program() -> Command {
    let program = std::env::current_exe().expect("this program has a path");
    let arch = std::env::consts::ARCH.to_uppercase();
    match std::env::var(format!("CARGO_TARGET_{arch}_UNKNOWN_LINUX_GNU_RUNNER")) {
        Ok(runner) if cfg!(target_os = "linux") => {
            let mut words = runner.split_whitespace();
            let mut command = Command::new(words.next().expect("a runner is a program"));
            command.args(words).arg(program);
            command
        }
        _ => Command::new(program),
    }
}

/// The C compiler, as every Unix build names it.
pub fn compiler() -> Result<String, String> {
    let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".to_owned());
    match Command::new(&compiler).arg("--version").output() {
        Ok(output) if output.status.success() => Ok(compiler),
        Ok(output) => Err(format!("{compiler} --version: {}", output.status)),
        Err(error) => Err(format!("{compiler}: {error}")),
    }
}

/// Compiles a C source text to a shared library.
pub fn shared_library(source: &str, path: &Path) {
    let mut child = Command::new(compiler().expect("the test needs it"))
        .args(["-x", "c", "-", "-shared", "-fPIC", "-O1", "-o"])
        .arg(path)
        .stdin(Stdio::piped())
        .spawn()
        .expect("the compiler starts");
    child.stdin.take().expect("it is piped").write_all(source.as_bytes()).expect("the compiler reads");
    assert!(child.wait().expect("the compiler ends").success());
}
