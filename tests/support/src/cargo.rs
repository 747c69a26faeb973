//! Builds cuda-external-cpu and the examples with cargo, and returns the paths of the built files.

use std::collections::BTreeMap;
use std::env;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::{build_script, directories};

/// Builds cuda-external-cpu, a CUDA driver in software, for this program's target in debug mode, as dev/scripts/on-cpu
/// does. Returns the path of the library.
pub fn build_software_driver() -> PathBuf {
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args(["rustc", "--quiet", "--package=cuda-external-cpu", "--lib", "--crate-type=cdylib"]);
    cargo.args(["--no-default-features", "--features=library"]).current_dir(directories::repository());
    let mut target = directories::target_directory();
    if !build_script::host_triple().starts_with(env::consts::ARCH) {
        let triple = format!("{}-unknown-linux-gnu", env::consts::ARCH);
        // Optimizing the interpreter of kernels would take longer than the tests' few kernels take in an emulator.
        let unoptimized = "profile.dev.package.cuda-external-ptx.opt-level=0";
        cargo.args(["--target", &triple, "--config", unoptimized]);
        target.push(triple);
    }
    let status = cargo.status().expect("cargo starts");
    assert!(status.success(), "{cargo:?}: {status}");
    target.join("debug/libcuda_external_cpu.so")
}

/// Builds the examples of all packages with these `options` of `cargo build`. Returns the examples' paths by name.
pub fn build_examples(options: &[&str]) -> BTreeMap<String, PathBuf> {
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo
        .args(["build", "--workspace", "--examples", "--message-format=json-render-diagnostics"])
        .args(options);
    cargo.current_dir(directories::repository()).stderr(Stdio::inherit());
    let output = cargo.output().expect("cargo starts");
    let messages = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{cargo:?}: {}", output.status);
    let examples = messages.lines().filter(|line| line.contains(r#""kind":["example"]"#));
    examples.filter_map(parse_executable).collect()
}

/// Returns the name and the path in a line of cargo's JSON.
fn parse_executable(message: &str) -> Option<(String, PathBuf)> {
    let (_, target) = message.split_once(r#""target":{"#)?;
    let (_, name) = target.split_once(r#""name":""#)?;
    let (_, path) = message.split_once(r#""executable":""#)?;
    Some((name.split('"').next()?.to_owned(), path.split('"').next()?.into()))
}
