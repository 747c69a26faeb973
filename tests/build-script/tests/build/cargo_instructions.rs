//! Tests the build script's instructions to cargo: the source of the bindings, and the watched files and variables.

use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use libtest_mimic::Trial;
use tempfile::TempDir;
use test_support::build_script::{BuildScript, host_triple};
use test_support::layout::releases;
use test_support::{self as support, Need};

pub fn trials() -> Vec<Trial> {
    let bindgen = Need::cargo_feature("bindgen", cfg!(feature = "bindgen"));
    let libclang = Need::new("libclang", &support::find_libclang());
    let headers = Need::new("headers", &support::fetched_headers(releases::newest_release()));
    let no_bindgen = Need::cargo_feature("build without bindgen", cfg!(not(feature = "bindgen")));
    support::tests! {
        [] => gnu_and_msvc_have_one_embedded_text, a_documentation_server_gets_the_embedded_bindings;
        [bindgen, libclang, headers] => cargo_gets_root_and_files_of_generated_bindings;
        [bindgen] => a_line_break_is_not_a_directive;
        [no_bindgen] => without_bindgen_the_embedded_are_taken;
    }
}

pub const LINKS: bool = cfg!(all(feature = "link", not(feature = "load")));

pub fn release_headers(release: &str) -> PathBuf {
    support::fetched_headers(release).expect("the test needs it")
}

pub fn host_script() -> BuildScript {
    test_support::build_script!(host_triple())
}

/// Returns the script's instructions to cargo, with `<dir>` in place of `directory`.
pub fn instruction_lines(script: BuildScript, directory: &Path) -> String {
    script.run_script().cargo_instructions().replace(&directory.display().to_string(), "<dir>")
}

/// Returns the values of one instruction to cargo, for example the paths of all `rerun-if-changed` lines.
fn instruction_values<'a>(lines: &'a str, instruction: &str) -> Vec<&'a str> {
    let start = format!("cargo::{instruction}=");
    lines.lines().filter_map(|line| line.strip_prefix(&start)).collect()
}

#[track_caller]
fn assert_embedded(script: BuildScript, reason: &str) {
    let run = script.run_script();
    let lines = run.cargo_instructions();
    assert_eq!(run.bindings.as_deref(), Some(releases::embedded_bindings()));
    assert_eq!(
        instruction_values(&lines, "rustc-env"),
        [format!("CUDA_EXTERNAL_SYS_SOURCE=embedded: {reason}")]
    );
    assert!(instruction_values(&lines, "metadata").contains(&"BINDINGS=embedded"), "{lines}");
    assert!(!lines.contains("=INCLUDE=") && !lines.contains("=ROOT="), "{lines}");
    let watched = instruction_values(&lines, "rerun-if-env-changed");
    assert!(watched.iter().all(|name| ["CUDA_EXTERNAL_SYS_BINDINGS", "DOCS_RS"].contains(name)), "{lines}");
    assert_eq!(instruction_values(&lines, "rerun-if-changed"), ["docs"]);
}

/// The embedded bindings depend neither on the variables that the search for cuda.h reads nor on the target.
fn gnu_and_msvc_have_one_embedded_text() {
    for target in [host_triple(), "x86_64-pc-windows-msvc"] {
        let script = test_support::build_script!(target)
            .with_variable("CUDA_EXTERNAL_SYS_BINDINGS", "embedded")
            .with_variable("CUDA_EXTERNAL_SYS_INCLUDE_DIR", "/gone")
            .with_variable("CUDA_HOME", "/gone")
            .with_variable("DOCS_RS", "1");
        assert_embedded(script, "CUDA_EXTERNAL_SYS_BINDINGS=embedded");
    }
}

fn a_documentation_server_gets_the_embedded_bindings() {
    let on_server = || host_script().with_variable("DOCS_RS", "1");
    assert_embedded(on_server().with_variable("CUDA_EXTERNAL_SYS_INCLUDE_DIR", "/gone"), "DOCS_RS is set");
    // `generate` overrides DOCS_RS.
    let generate = on_server()
        .with_variable("CUDA_EXTERNAL_SYS_BINDINGS", "generate")
        .with_variable("CUDA_HOME", "/gone");
    assert!(generate.run_script().failure_message().contains("CUDA_EXTERNAL_SYS_BINDINGS=generate, "));
}

/// The test program `search` asserts that cargo watches each variable that the search reads, except PATH.
fn cargo_gets_root_and_files_of_generated_bindings() {
    let root = TempDir::with_prefix("a root").expect("a temporary directory");
    symlink(release_headers(releases::newest_release()), root.path().join("include")).expect("a link");
    let text = instruction_lines(host_script().with_variable("CUDA_HOME", root.path()), root.path());
    let source = format!("generated from CUDA {}, found by CUDA_HOME", releases::newest_release());
    assert_eq!(instruction_values(&text, "rustc-env"), [format!("CUDA_EXTERNAL_SYS_SOURCE={source}")]);
    let metadata = instruction_values(&text, "metadata");
    for line in ["BINDINGS=generated", "INCLUDE=<dir>/include", "ROOT=<dir>"] {
        assert!(metadata.contains(&line), "{text}");
    }
    let files = ["wrapper.h", "build/include", "<dir>/include/cuda.h", "docs"];
    assert_eq!(instruction_values(&text, "rerun-if-changed"), files);
    let watched = instruction_values(&text, "rerun-if-env-changed");
    for name in ["CUDA_HOME", "LIBCLANG_PATH", "BINDGEN_EXTRA_CLANG_ARGS"] {
        assert!(watched.contains(&name), "{text}");
    }
}

fn without_bindgen_the_embedded_are_taken() {
    let with_home = || host_script().with_variable("CUDA_HOME", "/gone");
    assert_embedded(with_home(), "the cargo feature `bindgen` is off");
    let generate = with_home().with_variable("CUDA_EXTERNAL_SYS_BINDINGS", "generate").run_script();
    let why =
        "CUDA_EXTERNAL_SYS_BINDINGS=generate, but the cargo feature `bindgen` of cuda-external-sys is off.";
    assert!(generate.failure_message().contains(why));
}

fn a_line_break_is_not_a_directive() {
    let home = "/gone\ncargo::rustc-cfg=gone\rcargo::metadata=ROOT=/gone";
    let text = instruction_lines(host_script().with_variable("CUDA_HOME", home), Path::new("/-"));
    let warning = format!("\ncargo::warning=passed over CUDA_HOME={}: ", home.replace(['\n', '\r'], " "));
    assert!(text.contains(&warning), "{text}");
    assert!(text.lines().all(|line| line.starts_with("cargo:") && !line.contains('\r')), "{text}");
    assert!(!text.contains("\ncargo::rustc-cfg=gone"), "{text}");
}
