//! All that the build script tells cargo, line for line.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use libtest_mimic::Trial;
use tempfile::TempDir;
use test_support::build_script::{BuildScript, Run, host};
use test_support::layout::releases;
use test_support::{self as support, Need};

pub fn all() -> Vec<Trial> {
    let bindgen = Need::feature("bindgen", cfg!(feature = "bindgen"));
    let libclang = Need::new("libclang", &support::libclang());
    let headers = Need::new("headers", &support::headers(releases::newest()));
    let mut trials = support::tests! {
        [] => embedded_for_gnu_and_for_msvc, embedded_on_a_documentation_server;
        [bindgen, libclang, headers] => generated_with_a_root;
        [bindgen] => a_line_break_is_not_a_directive;
    };
    if cfg!(not(feature = "bindgen")) {
        trials.push(support::test("script::without_the_feature_bindgen", &[], without_the_feature_bindgen));
    }
    trials
}

pub const LINKS: bool = cfg!(all(feature = "link", not(feature = "load")));

/// Judged by the files that a toolkit has.
pub fn machine_without_toolkit() -> Result<(), String> {
    let directories = ["/usr/local", "/opt", "/opt/nvidia", "/usr/include", "/usr/lib"];
    let mut entries = directories.into_iter().flat_map(fs::read_dir).flatten().flatten();
    let is_toolkit = |name: &str| name.starts_with("cuda") || name == "hpc_sdk";
    let found = entries.find(|entry| is_toolkit(&entry.file_name().to_string_lossy()));
    found.map_or(Ok(()), |entry| Err(format!("this machine has {}", entry.path().display())))
}

pub fn headers(release: &str) -> PathBuf {
    support::headers(release).expect("the test needs it")
}

pub fn script() -> BuildScript {
    test_support::build_script!(&host())
}

/// A text with the test's directory and the host's names replaced.
fn shown(text: String, directory: &Path) -> String {
    let host = host();
    text.replace(&directory.display().to_string(), "<dir>")
        .replace(&host.to_uppercase().replace('-', "_"), "<HOST>")
        .replace(&host.replace('-', "_"), "<host_>")
        .replace(&host, "<host>")
}

pub fn failure(script: BuildScript, directory: &Path) -> String {
    shown(script.run().failure(), directory)
}

pub fn lines(script: BuildScript, directory: &Path) -> String {
    shown(script.run().lines(), directory)
}

/// What is watched where a cuda.h is searched for, on a host that builds for itself: what the build script, libclang and
/// pkg-config read.
const SEARCH: &str = "
CUDA_EXTERNAL_SYS_BINDINGS DOCS_RS
CUDA_EXTERNAL_SYS_INCLUDE_DIR <HOST>_CUDA_EXTERNAL_SYS_INCLUDE_DIR
CUDA_PATH <HOST>_CUDA_PATH
CUDA_HOME <HOST>_CUDA_HOME
CUDA_ROOT <HOST>_CUDA_ROOT
CUDA_TOOLKIT_PATH <HOST>_CUDA_TOOLKIT_PATH
CUDA_TOOLKIT_ROOT_DIR <HOST>_CUDA_TOOLKIT_ROOT_DIR
CUDAToolkit_ROOT <HOST>_CUDAToolkit_ROOT
CONDA_PREFIX VIRTUAL_ENV LIBCLANG_PATH LLVM_CONFIG_PATH CPATH C_INCLUDE_PATH
BINDGEN_EXTRA_CLANG_ARGS BINDGEN_EXTRA_CLANG_ARGS_<host> BINDGEN_EXTRA_CLANG_ARGS_<host_>
CUDA_NO_PKG_CONFIG CUDART_NO_PKG_CONFIG
PKG_CONFIG_<host> PKG_CONFIG_<host_> HOST_PKG_CONFIG PKG_CONFIG
PKG_CONFIG_ALLOW_CROSS_<host> PKG_CONFIG_ALLOW_CROSS_<host_> HOST_PKG_CONFIG_ALLOW_CROSS PKG_CONFIG_ALLOW_CROSS
PKG_CONFIG_PATH_<host> PKG_CONFIG_PATH_<host_> HOST_PKG_CONFIG_PATH PKG_CONFIG_PATH
PKG_CONFIG_LIBDIR_<host> PKG_CONFIG_LIBDIR_<host_> HOST_PKG_CONFIG_LIBDIR PKG_CONFIG_LIBDIR
PKG_CONFIG_SYSROOT_DIR_<host> PKG_CONFIG_SYSROOT_DIR_<host_> HOST_PKG_CONFIG_SYSROOT_DIR PKG_CONFIG_SYSROOT_DIR
";
const POLICY: &str = "CUDA_EXTERNAL_SYS_BINDINGS";
const DOCS_RS: &str = "CUDA_EXTERNAL_SYS_BINDINGS DOCS_RS";

const CALLS: &str = if cfg!(feature = "load") {
    "load"
} else if LINKS {
    "link"
} else {
    "none"
};

/// Compares all that the build script tells cargo, line by line: the variables and files that it watches, what the
/// bindings are, and the rest. The directory is OUT_DIR unless the test has one.
#[track_caller]
fn assert_lines(
    script: BuildScript,
    directory: Option<&Path>,
    watched: (&str, &[&str]),
    source: &str,
    rest: &[&str],
) -> Run {
    let kind = if source.starts_with("generated") { "generated" } else { "embedded" };
    let run = script.run();
    let directory = directory.unwrap_or(run.out.path());
    let file = shown(run.out.path().join("bindings.rs").display().to_string(), directory);
    let bindings = [
        "rerun-if-changed=docs",
        "rustc-check-cfg=cfg(cuda_bindings, values(\"generated\", \"embedded\"))",
        &format!("rustc-cfg=cuda_bindings=\"{kind}\""),
        &format!("rustc-env=CUDA_EXTERNAL_SYS_SOURCE={source}"),
        &format!("metadata=BINDINGS={kind}"),
        &format!("metadata=CALLS={CALLS}"),
        &format!("metadata=FILE={file}"),
        &format!("metadata=VERSION={}", releases::newest_number()),
    ];
    let (variables, files) = watched;
    let variables = variables.split_whitespace().map(|name| format!("rerun-if-env-changed={name}"));
    let files = files.iter().map(|file| format!("rerun-if-changed={file}"));
    let stub = shown(run.out.path().join("stub").display().to_string(), directory);
    let search = format!("rustc-link-search=native=/..{stub}");
    let linked: [&str; 3] = ["rerun-if-env-changed=DOCS_RS", &search, "rustc-link-lib=dylib=cuda"];
    let is_linked = run.lines().contains("cargo::rustc-link-lib=");
    let rest =
        bindings.iter().chain(rest).chain(linked.iter().filter(|_| is_linked)).map(|line| (*line).to_owned());
    let expected: String =
        variables.chain(files).chain(rest).map(|line| format!("cargo::{line}\n")).collect();
    let lines = shown(run.lines(), directory);
    for (line, expected) in lines.lines().zip(expected.lines()) {
        assert_eq!(line, expected);
    }
    assert_eq!(lines.len(), expected.len(), "{lines}");
    run
}

/// Nothing else is watched, whatever is set; and it is one text for every target.
fn embedded_for_gnu_and_for_msvc() {
    for target in [host().as_str(), "x86_64-pc-windows-msvc"] {
        let script = test_support::build_script!(target)
            .env("CUDA_EXTERNAL_SYS_BINDINGS", "embedded")
            .env("CUDA_EXTERNAL_SYS_INCLUDE_DIR", "/gone")
            .env("CUDA_HOME", "/gone")
            .env("DOCS_RS", "1")
            .env("PKG_CONFIG", "/gone");
        let run =
            assert_lines(script, None, (POLICY, &[]), "embedded: CUDA_EXTERNAL_SYS_BINDINGS=embedded", &[]);
        assert_eq!(run.bindings.as_deref(), Some(releases::embedded()));
    }
}

fn embedded_on_a_documentation_server() {
    let script = || script().env("DOCS_RS", "1");
    let set = script().env("CUDA_EXTERNAL_SYS_INCLUDE_DIR", "/gone");
    assert_lines(set, None, (DOCS_RS, &[]), "embedded: DOCS_RS is set", &[]);
    // `generate` means it.
    let generate = script().env("CUDA_EXTERNAL_SYS_BINDINGS", "generate").env("CUDA_HOME", "/gone");
    assert!(generate.run().failure().contains("CUDA_EXTERNAL_SYS_BINDINGS=generate, "));
}

fn generated_with_a_root() {
    let root = TempDir::with_prefix("a root").expect("a temporary directory");
    symlink(headers(releases::newest()), root.path().join("include")).expect("a link");
    for policy in ["", "auto", "generate"] {
        let run = assert_lines(
            script().env("CUDA_HOME", root.path()).env("CUDA_EXTERNAL_SYS_BINDINGS", policy),
            Some(root.path()),
            (SEARCH, &["wrapper.h", "build/include", "<dir>/include/cuda.h"]),
            &format!("generated from CUDA {}, found by CUDA_HOME", releases::newest()),
            &["metadata=INCLUDE=<dir>/include", "metadata=ROOT=<dir>"],
        );
        assert!(run.bindings.is_some_and(|text| text.contains("cuImportExternalMemory")));
    }
}

/// A root whose cuda.h says that it is of 12.0, and nothing else.
pub fn small_root(text: &str) -> TempDir {
    let root = TempDir::with_prefix("a root").expect("a temporary directory");
    fs::create_dir(root.path().join("include")).expect("a directory");
    let header = format!("#define CUDA_VERSION 12000\n{text}");
    fs::write(root.path().join("include/cuda.h"), header).expect("a file");
    root
}

fn without_the_feature_bindgen() {
    let script = || script().env("CUDA_HOME", "/gone");
    assert_lines(script(), None, (DOCS_RS, &[]), "embedded: the cargo feature `bindgen` is off", &[]);
    assert_eq!(
        script().env("CUDA_EXTERNAL_SYS_BINDINGS", "generate").run().failure(),
        "
CUDA_EXTERNAL_SYS_BINDINGS=generate, but the cargo feature `bindgen` of cuda-external-sys is off.
Switch the feature on, or set CUDA_EXTERNAL_SYS_BINDINGS=embedded.

"
    );
}

fn a_line_break_is_not_a_directive() {
    let home = "/gone\ncargo::rustc-cfg=gone\rcargo::metadata=ROOT=/gone";
    let text = lines(script().env("CUDA_HOME", home), Path::new("/-"));
    let warning = format!("\ncargo::warning=passed over CUDA_HOME={}: ", home.replace(['\n', '\r'], " "));
    assert!(text.contains(&warning), "{text}");
    assert!(text.lines().all(|line| line.starts_with("cargo::") && !line.contains('\r')), "{text}");
    assert!(!text.contains("\ncargo::rustc-cfg=gone"), "{text}");
}
