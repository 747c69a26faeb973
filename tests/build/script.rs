//! All that the build script tells cargo, line for line.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;
use std::process::Output;

use libtest_mimic::Trial;
use tempfile::{TempDir, tempdir};
use test_support as support;
use test_support::Need;
use test_support::build_script::{BuildScript, host};

pub fn all() -> Vec<Trial> {
    let bindgen = Need::feature("bindgen", cfg!(feature = "bindgen"));
    let link = Need::feature("link without load", cfg!(all(feature = "link", not(feature = "load"))));
    let libclang = Need::new("libclang", &support::libclang());
    let headers = Need::new("headers", &support::headers("13.5"));
    let bare = Need::new("machine-without-toolkit", &machine_without_toolkit());
    let generates = [bindgen.clone(), libclang.clone(), headers.clone()];
    let test = |name: &str, needs: &[Need], run: fn()| support::test(&format!("script::{name}"), needs, run);
    let mut trials = vec![
        test("embedded_for_gnu_and_for_msvc", &[], embedded),
        test("embedded_on_a_documentation_server", &[], documentation_server),
        test("generated_with_a_root", &generates, generated),
        test("fall_back", &[bindgen.clone(), libclang.clone()], fall_back),
        test("link", &[link, Need::new("c-compiler", &support::compiler())], link_mode),
        test("no_toolkit", &[bindgen.clone(), bare], no_toolkit_is_no_warning),
        test("unknown_policy", &[], unknown_policy),
        test("libclang_is_missing", std::slice::from_ref(&bindgen), no_libclang),
        test("a_target_that_clang_does_not_know", &generates, unknown_target),
        test("the_located_header_is_read", &generates, located_header),
        test("a_line_break_is_not_a_directive", std::slice::from_ref(&bindgen), line_break),
        test("clang_cannot_read_the_header", &[bindgen.clone(), libclang.clone()], unreadable_header),
        test("pkg_config", &[bindgen.clone(), libclang, headers], pkg_config),
        test("pkg_config_that_cannot_be_asked", &[bindgen], pkg_config_not_asked),
    ];
    if cfg!(not(feature = "bindgen")) {
        trials.push(test("without_the_feature_bindgen", &[], without_bindgen));
    }
    trials
}

/// Judged by the files that a toolkit has.
pub fn machine_without_toolkit() -> Result<(), String> {
    let places = [
        "/usr/local/cuda",
        "/opt/cuda",
        "/opt/nvidia/hpc_sdk",
        "/usr/include/cuda.h",
        "/usr/include/cuda",
        "/usr/lib/cuda",
    ];
    let versioned = fs::read_dir("/usr/local").into_iter().flatten().flatten().map(|entry| entry.path());
    let found = places
        .iter()
        .map(Into::into)
        .chain(versioned.filter(|path| path.to_string_lossy().contains("/cuda-")))
        .find(|path: &std::path::PathBuf| path.exists());
    found.map_or(Ok(()), |path| Err(format!("this machine has {}", path.display())))
}

fn script() -> BuildScript {
    test_support::build_script!(&host())
}

fn told(output: &Output, hidden: &Path) -> Vec<String> {
    assert!(output.status.success(), "{}", support::told(output));
    let text = String::from_utf8_lossy(&output.stdout).replace(&hidden.display().to_string(), "<dir>");
    let host = host();
    let text = text.replace(&host.to_uppercase().replace('-', "_"), "<HOST>");
    let text = text.replace(&host.replace('-', "_"), "<host_>").replace(&host, "<host>");
    text.lines().map(str::to_owned).collect()
}

/// Compares line by line, and shows the first difference.
#[track_caller]
fn assert_told(output: &Output, hidden: &Path, expected: &[String]) {
    let lines = told(output, hidden);
    for (line, expected) in lines.iter().zip(expected) {
        assert_eq!(line, expected);
    }
    let count = lines.len().min(expected.len());
    // The linker's lines come last; the test `link` compares them.
    let rest = if cfg!(feature = "link") { &[] } else { &lines[count..] };
    assert_eq!(rest, &expected[count..]);
}

fn failure(script: BuildScript, hidden: &Path) -> String {
    let output = script.run().output;
    assert!(!output.status.success(), "{}", support::told(&output));
    String::from_utf8_lossy(&output.stderr)
        .replace(&hidden.display().to_string(), "<dir>")
        .replace(&host(), "<host>")
}

/// The warnings, and the constant `BINDINGS_SOURCE`.
fn said(script: BuildScript, hidden: &Path) -> (Vec<String>, String) {
    let lines = told(&script.run().output, hidden);
    let of = |prefix: &str| {
        lines.iter().filter_map(|line| line.strip_prefix(prefix)).map(str::to_owned).collect::<Vec<_>>()
    };
    (of("cargo::warning="), of("cargo::rustc-env=CUDA_EXTERNAL_SYS_SOURCE=").join("; "))
}

/// The lines of embedded bindings.
fn embedded_lines(source: &str) -> Vec<String> {
    vec![
        "cargo::rustc-check-cfg=cfg(cuda_bindings, values(\"generated\", \"embedded\"))".to_owned(),
        "cargo::rustc-cfg=cuda_bindings=\"embedded\"".to_owned(),
        format!("cargo::rustc-env=CUDA_EXTERNAL_SYS_SOURCE={source}"),
        "cargo::metadata=BINDINGS=embedded".to_owned(),
        "cargo::metadata=VERSION=13050".to_owned(),
    ]
}

const POLICY: &str = "cargo::rerun-if-env-changed=CUDA_EXTERNAL_SYS_BINDINGS";
const DOCS_RS: &str = "cargo::rerun-if-env-changed=DOCS_RS";

/// What the search, libclang and pkg-config read on a host that builds for itself.
const WATCHED: &str = "\
CUDA_EXTERNAL_SYS_INCLUDE_DIR
<HOST>_CUDA_EXTERNAL_SYS_INCLUDE_DIR
CUDA_PATH
<HOST>_CUDA_PATH
CUDA_HOME
<HOST>_CUDA_HOME
CUDA_ROOT
<HOST>_CUDA_ROOT
CUDA_TOOLKIT_PATH
<HOST>_CUDA_TOOLKIT_PATH
CUDA_TOOLKIT_ROOT_DIR
<HOST>_CUDA_TOOLKIT_ROOT_DIR
CUDAToolkit_ROOT
<HOST>_CUDAToolkit_ROOT
CONDA_PREFIX
VIRTUAL_ENV
LIBCLANG_PATH
LLVM_CONFIG_PATH
CPATH
C_INCLUDE_PATH
BINDGEN_EXTRA_CLANG_ARGS
BINDGEN_EXTRA_CLANG_ARGS_<host>
BINDGEN_EXTRA_CLANG_ARGS_<host_>
PKG_CONFIG
PKG_CONFIG_<host>
PKG_CONFIG_<host_>
HOST_PKG_CONFIG
PKG_CONFIG_PATH
PKG_CONFIG_PATH_<host>
PKG_CONFIG_PATH_<host_>
HOST_PKG_CONFIG_PATH
PKG_CONFIG_LIBDIR
PKG_CONFIG_LIBDIR_<host>
PKG_CONFIG_LIBDIR_<host_>
HOST_PKG_CONFIG_LIBDIR
PKG_CONFIG_SYSROOT_DIR
PKG_CONFIG_SYSROOT_DIR_<host>
PKG_CONFIG_SYSROOT_DIR_<host_>
HOST_PKG_CONFIG_SYSROOT_DIR
PKG_CONFIG_ALLOW_CROSS
PKG_CONFIG_ALLOW_CROSS_<host>
PKG_CONFIG_ALLOW_CROSS_<host_>
HOST_PKG_CONFIG_ALLOW_CROSS
";

/// The lines before those of the bindings, where a cuda.h was searched for.
fn watched(headers: &[&str]) -> Vec<String> {
    let mut lines = vec![POLICY.to_owned(), DOCS_RS.to_owned()];
    lines.extend(WATCHED.lines().map(|name| format!("cargo::rerun-if-env-changed={name}")));
    let files = ["wrapper.h", "build/include"].iter().chain(headers);
    lines.extend(files.map(|file| format!("cargo::rerun-if-changed={file}")));
    lines
}

/// Nothing else is watched, whatever is set.
fn embedded() {
    for target in [host().as_str(), "x86_64-pc-windows-msvc"] {
        let script = test_support::build_script!(target)
            .env("CUDA_EXTERNAL_SYS_BINDINGS", "embedded")
            .env("CUDA_EXTERNAL_SYS_INCLUDE_DIR", "/gone")
            .env("CUDA_HOME", "/gone")
            .env("DOCS_RS", "1")
            .env("PKG_CONFIG", "/gone");
        let run = script.run();
        let mut expected = vec![POLICY.to_owned()];
        expected.extend(embedded_lines("embedded: CUDA_EXTERNAL_SYS_BINDINGS=embedded"));
        assert_told(&run.output, Path::new("/-"), &expected);
        let committed = concat!(env!("CARGO_MANIFEST_DIR"), "/src/bindings/embedded.rs");
        assert_eq!(run.bindings, fs::read_to_string(committed).ok(), "one text for every target");
    }
}

fn documentation_server() {
    let script = script().env("DOCS_RS", "1").env("CUDA_EXTERNAL_SYS_INCLUDE_DIR", "/gone");
    let mut expected = vec![POLICY.to_owned(), DOCS_RS.to_owned()];
    expected.extend(embedded_lines("embedded: DOCS_RS is set"));
    assert_told(&script.run().output, Path::new("/-"), &expected);
    // `generate` means it.
    let script = test_support::build_script!(&host())
        .env("DOCS_RS", "1")
        .env("CUDA_EXTERNAL_SYS_BINDINGS", "generate")
        .env("CUDA_HOME", "/gone");
    assert!(failure(script, Path::new("/-")).contains("CUDA_EXTERNAL_SYS_BINDINGS=generate, "));
}

/// A root with the header of 13.5.
fn root() -> TempDir {
    let root = TempDir::with_prefix("a root").expect("a temporary directory");
    symlink(support::headers("13.5").expect("the test needs it"), root.path().join("include"))
        .expect("a link");
    root
}

fn generated() {
    let root = root();
    for policy in ["", "auto", "generate"] {
        let script = script().env("CUDA_HOME", root.path()).env("CUDA_EXTERNAL_SYS_BINDINGS", policy);
        let run = script.run();
        let mut expected = watched(&["<dir>/include/cuda.h"]);
        expected.extend([
            "cargo::rustc-check-cfg=cfg(cuda_bindings, values(\"generated\", \"embedded\"))".to_owned(),
            "cargo::rustc-cfg=cuda_bindings=\"generated\"".to_owned(),
            "cargo::rustc-env=CUDA_EXTERNAL_SYS_SOURCE=generated from CUDA 13.5, found by CUDA_HOME"
                .to_owned(),
            "cargo::metadata=BINDINGS=generated".to_owned(),
            "cargo::metadata=VERSION=13050".to_owned(),
            "cargo::metadata=INCLUDE=<dir>/include".to_owned(),
            "cargo::metadata=ROOT=<dir>".to_owned(),
        ]);
        assert_told(&run.output, root.path(), &expected);
        assert!(run.bindings.is_some_and(|text| text.contains("cuImportExternalMemory")));
    }
}

/// A root whose cuda.h says that it is of a release, and nothing else.
fn small_root(version: u32, text: &str) -> TempDir {
    let root = TempDir::with_prefix("a root").expect("a temporary directory");
    fs::create_dir(root.path().join("include")).expect("a directory");
    let header = format!("#define CUDA_VERSION {version}\n{text}");
    fs::write(root.path().join("include/cuda.h"), header).expect("a file");
    root
}

/// Another program's variable leads to a header that cannot be read, and clang is missing for all others.
fn fall_back() {
    let (root, empty) = (small_root(12000, ""), tempdir().expect("a temporary directory"));
    let script = script().env("CUDA_HOME", root.path()).env("LIBCLANG_PATH", empty.path());
    let reason =
        "passed over <dir>/include/cuda.h, found by CUDA_HOME: bindgen found no libclang to read it with";
    let mut expected = watched(&["<dir>/include/cuda.h"]);
    expected.extend(embedded_lines(&format!("embedded: {reason}")));
    expected.push(format!(
        "cargo::warning={reason}; using the embedded bindings of CUDA 13.5 (CUDA_EXTERNAL_SYS_BINDINGS=embedded \
         silences this warning, generate fails with details)"
    ));
    assert_told(&script.run().output, root.path(), &expected);
}

fn link_mode() {
    let out = tempdir().expect("a temporary directory");
    let script = script().env("OUT_DIR", out.path()).env("CUDA_EXTERNAL_SYS_BINDINGS", "embedded");
    let mut expected = vec![POLICY.to_owned()];
    expected.extend(embedded_lines("embedded: CUDA_EXTERNAL_SYS_BINDINGS=embedded"));
    let watched = ["DOCS_RS", "CC", "TARGET_CC", "CC_<host>", "CC_<host_>"];
    expected.extend(watched.map(|name| format!("cargo::rerun-if-env-changed={name}")));
    expected.push("cargo::rustc-link-search=native=<dir>/stub".to_owned());
    expected.push("cargo::rustc-link-lib=dylib=cuda".to_owned());
    assert_eq!(told(&script.run().output, out.path()), expected);
}

fn no_toolkit_is_no_warning() {
    let script = script().env("PATH", "/nonexistent");
    let mut expected = watched(&[]);
    expected.extend(embedded_lines("embedded: no toolkit was found"));
    assert_told(&script.run().output, Path::new("/-"), &expected);
}

fn without_bindgen() {
    let run = script().env("CUDA_HOME", "/gone").run();
    let mut expected = vec![POLICY.to_owned(), DOCS_RS.to_owned()];
    expected.extend(embedded_lines("embedded: the cargo feature `bindgen` is off"));
    assert_told(&run.output, Path::new("/-"), &expected);
    assert_eq!(
        failure(script().env("CUDA_EXTERNAL_SYS_BINDINGS", "generate"), Path::new("/-")),
        "
CUDA_EXTERNAL_SYS_BINDINGS=generate, but the cargo feature `bindgen` of cuda-external-sys is off.
Switch the feature on, or set CUDA_EXTERNAL_SYS_BINDINGS=embedded.

"
    );
}

fn unknown_policy() {
    assert_eq!(
        failure(script().env("CUDA_EXTERNAL_SYS_BINDINGS", "never"), Path::new("/-")),
        "
CUDA_EXTERNAL_SYS_BINDINGS is \"never\". It must be one of:

  auto      generate where a cuda.h and libclang are found, else embedded (the default)
  generate  generate, or fail
  embedded  use the bindings that come with the crate

"
    );
}

fn no_libclang() {
    let (root, empty) = (small_root(12000, ""), tempdir().expect("a temporary directory"));
    let script = script()
        .env("CUDA_HOME", root.path())
        .env("LIBCLANG_PATH", empty.path())
        .env("CUDA_EXTERNAL_SYS_BINDINGS", "generate");
    let text = failure(script, empty.path());
    assert!(text.starts_with("\nbindgen can read no cuda.h.\n"), "{text}");
    assert!(text.contains("\n  LIBCLANG_PATH             <dir>\n"), "{text}");
    // clang-sys's own list of what it tried.
    assert!(text.contains("\n    couldn't find any valid shared libraries matching: "), "{text}");
}

/// The variable is right, so this is no error.
fn unknown_target() {
    let include = support::headers("12.9").expect("the test needs it");
    let target = "my-own-linux-target";
    let script = || test_support::build_script!(target).env("CUDA_EXTERNAL_SYS_INCLUDE_DIR", &include);
    let (warnings, source) = said(script(), &include);
    let reason = "passed over <dir>/cuda.h, found by CUDA_EXTERNAL_SYS_INCLUDE_DIR: libclang refuses the target \
                  my-own-linux-target, or an argument in BINDGEN_EXTRA_CLANG_ARGS";
    assert_eq!(source, format!("embedded: {reason}"));
    assert_eq!(warnings.len(), 1);
    assert!(warnings[0].starts_with(&format!("{reason}; using the embedded bindings")), "{warnings:#?}");
    let text = failure(script().env("CUDA_EXTERNAL_SYS_BINDINGS", "generate"), &include);
    assert!(text.contains("\n  BINDGEN_EXTRA_CLANG_ARGS  unset\n"), "{text}");
    // Told how clang calls it, it is read.
    let script = script().env("BINDGEN_EXTRA_CLANG_ARGS", "--target=x86_64-unknown-linux-gnu");
    assert!(said(script, &include).1.starts_with("generated from CUDA 12.9"));
}

fn unreadable_header() {
    let root = small_root(12000, "this is not C;\n");
    let said_no = "bindgen cannot read it: <dir>/include/cuda.h:2:1: error: unknown type name 'this'";
    let (warnings, source) =
        said(script().env("PATH", "/nonexistent").env("CUDA_HOME", root.path()), root.path());
    let reason = format!("passed over <dir>/include/cuda.h, found by CUDA_HOME: {said_no}");
    assert!(warnings[0].starts_with(&format!("{reason}; using ")), "{warnings:#?}");
    assert!(
        source.starts_with("generated from CUDA ") || source.starts_with(&format!("embedded: {reason}")),
        "{source}"
    );
    let script = script().env("CUDA_EXTERNAL_SYS_INCLUDE_DIR", root.path().join("include"));
    let text = failure(script, root.path());
    // clang has printed its errors already, by itself.
    let ours = text.split_once("\n\nCUDA_EXTERNAL_SYS_INCLUDE_DIR leads").expect(&text).1;
    let expected = format!(
        " to no usable cuda.h.

  <dir>/include/cuda.h, found by CUDA_EXTERNAL_SYS_INCLUDE_DIR
  {said_no}
    <dir>/include/cuda.h:2:8: error: expected ';' after top level declarator"
    );
    assert!(ours.starts_with(&expected), "{ours}");
}

/// What other compilers are told does not change the bindings: they are the same, or the header is passed over.
fn located_header() {
    let root = TempDir::with_prefix("a root").expect("a temporary directory");
    let headers = |release| support::headers(release).expect("the test needs it");
    symlink(headers("12.9"), root.path().join("include")).expect("a link");
    let plain = script().env("CUDA_HOME", root.path()).run().expect_bindings();
    let newer = headers("13.0").display().to_string();
    let older = headers("11.8").display().to_string();
    for (name, value, is_same) in [
        ("CPATH", newer.as_str(), true),
        ("CPATH", &older, true),
        ("C_INCLUDE_PATH", &newer, true),
        ("CPATH", "/usr/include", true),
        ("BINDGEN_EXTRA_CLANG_ARGS", &format!("-I\"{newer}\""), true),
        ("BINDGEN_EXTRA_CLANG_ARGS", &format!("-isystem \"{older}\" -I/usr/include"), true),
        ("BINDGEN_EXTRA_CLANG_ARGS", "-DCUDA_API_PER_THREAD_DEFAULT_STREAM", true),
        ("BINDGEN_EXTRA_CLANG_ARGS", "-D__CUDA_API_PER_THREAD_DEFAULT_STREAM", true),
        ("BINDGEN_EXTRA_CLANG_ARGS", "-DCUDA_VERSION=13000", true),
        ("BINDGEN_EXTRA_CLANG_ARGS", "-fshort-enums", false),
        ("BINDGEN_EXTRA_CLANG_ARGS", "-fpack-struct=1", false),
        ("BINDGEN_EXTRA_CLANG_ARGS", "-m32", false),
        ("BINDGEN_EXTRA_CLANG_ARGS", "-not-an-argument", false),
    ] {
        let run = script().env("CUDA_HOME", root.path()).env(name, value).run();
        let lines = told(&run.output, root.path());
        let source =
            lines.iter().find(|line| line.contains("CUDA_EXTERNAL_SYS_SOURCE=")).expect("the constant");
        if is_same {
            assert!(
                source.ends_with("=generated from CUDA 12.9, found by CUDA_HOME"),
                "{name}={value}: {source}"
            );
            assert!(run.bindings.as_ref() == Some(&plain), "{name}={value} changes the bindings");
        } else {
            let reason = "passed over <dir>/include/cuda.h, found by CUDA_HOME: ";
            let is_said = lines.iter().any(|line| line.starts_with(&format!("cargo::warning={reason}")));
            assert!(is_said, "{name}={value}: {source}");
        }
    }
}

fn line_break() {
    let script = script().env("CUDA_HOME", "/gone\ncargo::rustc-cfg=gone\rcargo::metadata=ROOT=/gone");
    let lines = told(&script.run().output, Path::new("/-"));
    let warning =
        "cargo::warning=passed over CUDA_HOME=/gone cargo::rustc-cfg=gone cargo::metadata=ROOT=/gone: ";
    assert!(lines.iter().any(|line| line.starts_with(warning)), "{lines:#?}");
    assert!(lines.iter().all(|line| line.starts_with("cargo::") && !line.contains("\r")), "{lines:#?}");
    assert!(!lines.iter().any(|line| line.starts_with("cargo::rustc-cfg=gone")), "{lines:#?}");
}

/// A pkg-config that knows some packages, all with the header of 13.5, and writes down what it is asked.
fn fake_pkg_config(directory: &Path, knows: &str) -> std::path::PathBuf {
    let program = directory.join("pkg config");
    let text = format!(
        "#!/bin/sh
echo \"$*\" >> '{directory}/asked'
case \"$*\" in
    --list-all) for package in {knows} zlib cuda-samples cudart-static; do echo \"$package  a package\"; done; exit ;;
    *--modversion*) echo 1 ;;
esac
for package in {knows}; do
    case \" $* \" in *\" $package \"*) echo '-I{include} -L/nowhere -lcuda'; exit ;; esac
done
exit 1
",
        directory = directory.display(),
        include = support::headers("13.5").expect("the test needs it").display(),
    );
    fs::write(&program, text).expect("a file");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("it is ours");
    program
}

fn pkg_config() {
    for (knows, package, questions) in [
        ("cudart cuda cuda-12.6", "cuda", "cuda cuda cudart cudart"),
        ("cudart cuda-12.6", "cudart", "cuda cudart cudart"),
        (
            "cudart-12.10 cuda-12.6 cuda-12.10 cuda-9.0",
            "cuda-12.10",
            "cuda cudart --list-all cuda-12.10 cuda-12.10",
        ),
    ] {
        let directory = tempdir().expect("a temporary directory");
        let program = fake_pkg_config(directory.path(), knows);
        for variable in ["PKG_CONFIG", "HOST_PKG_CONFIG"] {
            let _ = fs::remove_file(directory.path().join("asked"));
            let script = script().env("PATH", "/nonexistent").env(variable, &program);
            let lines = told(&script.run().output, directory.path());
            let source = format!(
                "cargo::rustc-env=CUDA_EXTERNAL_SYS_SOURCE=generated from CUDA 13.5, found by pkg-config ({package})"
            );
            assert!(lines.contains(&source), "{lines:#?}");
            // Its libraries are not linked, and the crate pkg-config prints nothing.
            assert!(
                !lines.iter().any(|line| line.contains("link") || line.contains("nowhere")),
                "{lines:#?}"
            );
            assert!(lines.iter().all(|line| line.starts_with("cargo::")), "{lines:#?}");
            let asked = fs::read_to_string(directory.path().join("asked")).expect("it was asked");
            let asked: Vec<&str> = asked.lines().filter_map(|line| line.split(' ').next_back()).collect();
            assert!(asked.join(" ").starts_with(questions), "{asked:?}");
        }
    }
}

fn pkg_config_not_asked() {
    let cross =
        if cfg!(target_arch = "x86_64") { "aarch64-unknown-linux-gnu" } else { "x86_64-unknown-linux-gnu" };
    let report = |script: BuildScript| {
        let script = script.env("PATH", "/nonexistent").env("CUDA_HOME", "/gone");
        let text = failure(script.env("CUDA_EXTERNAL_SYS_BINDINGS", "generate"), Path::new("/-"));
        let line = text.lines().find_map(|line| line.strip_prefix("  pkg-config "));
        line.unwrap_or_else(|| panic!("{text}")).trim().to_owned()
    };
    let missing = "cannot be run: No such file or directory (os error 2)";
    assert_eq!(report(script().env("PKG_CONFIG", "/nope")), format!("/nope {missing}"));
    assert_eq!(report(script()), format!("pkg-config {missing}"));
    assert_eq!(report(script().env("CUDA_NO_PKG_CONFIG", "1")), "not asked: CUDA_NO_PKG_CONFIG is set");
    assert_eq!(
        report(test_support::build_script!(cross)),
        "not asked: it is not set up for this target (PKG_CONFIG_ALLOW_CROSS)"
    );
}
