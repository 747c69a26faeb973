//! What the build script meets on this machine: headers that include others, libclang, pkg-config and the fixed places.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

use libtest_mimic::Trial;
use tempfile::{TempDir, tempdir};
use test_support::build_script::host;
use test_support::{self as support, Need};

use crate::script::{failure, headers, lines, script, small_root};

pub fn all() -> Vec<Trial> {
    let bindgen = Need::feature("bindgen", cfg!(feature = "bindgen"));
    let compiler = Need::new("c-compiler", &support::compiler());
    let libclang = Need::new("libclang", &support::libclang());
    let headers = Need::new("headers", &support::headers("13.5"));
    support::tests! {
        [bindgen, libclang, headers] => files_that_the_header_includes_are_watched, a_target_that_clang_does_not_know,
            pkg_config;
        [bindgen, compiler] => libclang_that_is_no_libclang;
        [bindgen, libclang] => clang_cannot_read_the_header;
        [bindgen] => the_search_is_of_this_machine, pkg_configs_variables;
    }
}

/// What a later cuda.h may want of the standard headers that the crate has.
const STANDARD_TYPES: &str = "
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
struct sizes { int8_t a; uint8_t b; int16_t c; uint16_t d; int32_t e; uint32_t f; int64_t g; uint64_t h; };
_Static_assert(sizeof(struct sizes) == 32 && offsetof(struct sizes, h) == 24, \"the fixed integers\");
_Static_assert(sizeof(intptr_t) == 8 && sizeof(uintptr_t) == 8 && sizeof(ptrdiff_t) == 8, \"as a pointer\");
_Static_assert(sizeof(size_t) == 8 && sizeof(wchar_t) == 4 && sizeof(bool) == 1, \"the others\");
_Static_assert(true && !false && sizeof(NULL) == 8, \"the constants\");
";

fn files_that_the_header_includes_are_watched() {
    let include = tempdir().expect("a temporary directory");
    let header = fs::read_to_string(headers("13.5").join("cuda.h")).expect("a header is text");
    let header = header.replacen("#include <stdlib.h>", "#include <stdlib.h>\n#include \"cuda_more.h\"", 1);
    fs::write(include.path().join("cuda.h"), header).expect("a file");
    fs::write(include.path().join("cuda_more.h"), "#include \"cuda_most.h\"\n").expect("a file");
    fs::write(include.path().join("cuda_most.h"), STANDARD_TYPES).expect("a file");
    // The crate's own standard headers come first.
    fs::write(include.path().join("stdlib.h"), "#error \"another stdlib.h\"\n").expect("a file");
    let lines = lines(script().generate_from(include.path()), include.path());
    let watched = |line: &&str| line.starts_with("cargo::rerun-if-changed=<dir>");
    let files: Vec<&str> = lines.lines().filter(watched).collect();
    let all =
        ["cuda.h", "cuda_more.h", "cuda_most.h"].map(|file| format!("cargo::rerun-if-changed=<dir>/{file}"));
    assert_eq!(files, all);
    // The directory is not called include, and so has no root.
    assert!(lines.contains("metadata=BINDINGS=generated\n") && !lines.contains("metadata=ROOT"), "{lines}");
}

/// One that cannot be opened, and another library of its name.
fn libclang_that_is_no_libclang() {
    let root = small_root("int a;\n");
    let include = root.path().join("include");
    let reason = || {
        let script = script().generate_from(&include).env("LIBCLANG_PATH", root.path());
        let told = failure(script, root.path());
        told.lines().skip_while(|line| !line.contains("found by")).nth(1).expect("a reason").trim().to_owned()
    };
    fs::write(root.path().join("libclang.so"), "not a library").expect("a file");
    assert_eq!(reason(), "the libclang that bindgen found cannot be opened");
    support::shared_library("int another;\n", &root.path().join("libclang.so"));
    assert_eq!(reason(), "the libclang that bindgen found is too old, or is another library");
}

/// The variable is right, so this is no error.
fn a_target_that_clang_does_not_know() {
    let include = headers("12.9");
    let script =
        || test_support::build_script!("my-own-linux-target").env("CUDA_EXTERNAL_SYS_INCLUDE_DIR", &include);
    let reason = "passed over <dir>/cuda.h, found by CUDA_EXTERNAL_SYS_INCLUDE_DIR: libclang refuses the target \
                  my-own-linux-target, or an argument in BINDGEN_EXTRA_CLANG_ARGS";
    let text = lines(script(), &include);
    assert!(text.contains(&format!("_SOURCE=embedded: {reason}\n")), "{text}");
    let warning = format!("\ncargo::warning={reason}; using the embedded bindings");
    assert!(text.contains(&warning) && text.matches("cargo::warning=").count() == 1, "{text}");
    let text = failure(script().env("CUDA_EXTERNAL_SYS_BINDINGS", "generate"), &include);
    assert!(text.contains("\n  BINDGEN_EXTRA_CLANG_ARGS  unset\n"), "{text}");
    // Told how clang calls it, it is read.
    let text = lines(script().env("BINDGEN_EXTRA_CLANG_ARGS", "--target=x86_64-unknown-linux-gnu"), &include);
    assert!(text.contains("_SOURCE=generated from CUDA 12.9"), "{text}");
}

fn clang_cannot_read_the_header() {
    let root = small_root("this is not C;\n");
    let reason = "bindgen cannot read it: <dir>/include/cuda.h:2:1: error: unknown type name 'this'";
    let text = lines(script().env("CUDA_HOME", root.path()), root.path());
    let warning = format!("=passed over <dir>/include/cuda.h, found by CUDA_HOME: {reason}; using ");
    assert!(text.contains(&warning), "{text}");
    // It is watched like the one that is used in its place.
    if let Ok(include) = support::headers("13.5") {
        let next = small_root("");
        fs::copy(include.join("cuda.h"), next.path().join("include/cuda.h")).expect("a file");
        let text = script().env("CUDA_HOME", root.path()).env("CUDA_ROOT", next.path()).run().lines();
        for root in [root.path(), next.path()] {
            let watched = format!("cargo::rerun-if-changed={}/include/cuda.h\n", root.display());
            assert!(text.contains(&watched), "{text}");
        }
    }
    let script = script().env("CUDA_EXTERNAL_SYS_INCLUDE_DIR", root.path().join("include"));
    // clang prints its errors first, by itself.
    let expected = format!(
        "\n\nCUDA_EXTERNAL_SYS_INCLUDE_DIR leads to no usable cuda.h.

  <dir>/include/cuda.h, found by CUDA_EXTERNAL_SYS_INCLUDE_DIR
  {reason}
    <dir>/include/cuda.h:2:8: error: expected ';' after top level declarator"
    );
    let text = failure(script, root.path());
    assert!(text.contains(&expected), "{text}");
}

/// Makes a pkg-config with this text.
fn program(directory: &Path, name: &str, text: &str) -> PathBuf {
    let program = directory.join(name);
    fs::write(&program, format!("#!/bin/sh\necho \"$*\" >> \"${{0%/*}}/asked\"\n{text}")).expect("a file");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("it is ours");
    program
}

/// What it prints is used. Its libraries are not linked, and the crate pkg-config prints nothing.
fn pkg_config() {
    let directory = TempDir::with_prefix("a directory").expect("a temporary directory");
    symlink(headers("13.5"), directory.path().join("include")).expect("a link");
    let include = directory.path().join("include").display().to_string().replace(' ', "\\ ");
    let answer = format!("printf '%s\\n' '-I{include} -DX -L/nowhere -lcuda'\n");
    // A package whose version is not told is none.
    let text =
        format!("case \"$*\" in *modversion*cuda) exit 1 ;; *cuda | *cudart) {answer} ;; *) exit 1 ;; esac");
    program(directory.path(), "pkg-config", &text);
    let run = || script().env("PATH", directory.path()).env("CUDA_STATIC", "1").run().lines();
    assert!(run().contains("_SOURCE=generated from CUDA 13.5, found by pkg-config (cudart)\n"), "{}", run());
    program(directory.path(), "pkg-config", &format!("[ \"${{*##* }}\" = cuda ] && {answer}"));
    fs::write(directory.path().join("asked"), "").expect("a file");
    let lines = run();
    let source = "_SOURCE=generated from CUDA 13.5, found by pkg-config (cuda)\n";
    assert!(lines.contains(source), "{lines}");
    assert!(!lines.contains("rustc-link") && !lines.contains("nowhere"), "{lines}");
    assert!(lines.lines().all(|line| line.starts_with("cargo::")), "{lines}");
    let asked = fs::read_to_string(directory.path().join("asked")).expect("it was asked");
    assert!(asked.contains("cuda\n") && !asked.contains("--static"), "{asked}");
}

/// In every form, the more particular first, for the packages and for their list. This pkg-config has one package, whose
/// release is too old, and only where the variables are as they should be.
fn pkg_configs_variables() {
    let directory = TempDir::with_prefix("a directory").expect("a temporary directory");
    let header = directory.path().join("cuda.h");
    fs::write(&header, "#define CUDA_VERSION 11020\n").expect("a file");
    let include = directory.path().display().to_string().replace(' ', "\\ ");
    let text = format!(
        "[ \"$PKG_CONFIG_PATH $PKG_CONFIG_LIBDIR $PKG_CONFIG_SYSROOT_DIR\" = '/path /libdir /sysroot' ] || exit 1
case \"$*\" in
    --list-all) echo 'cuda-11.2  a package' ;;
    *cuda-11.2) printf '%s\\n' '-I{include}' ;;
    *) exit 1 ;;
esac
"
    );
    let program = program(directory.path(), "its name", &text);
    let values = [
        ("PKG_CONFIG", program.as_os_str()),
        ("PKG_CONFIG_PATH", "/path".as_ref()),
        ("PKG_CONFIG_LIBDIR", "/libdir".as_ref()),
        ("PKG_CONFIG_SYSROOT_DIR", "/sysroot".as_ref()),
    ];
    let passed_over =
        format!("cargo::warning=passed over {}, found by pkg-config (cuda-11.2): ", header.display());
    // The host's architecture with another C library is another target too.
    let other = host().replace("gnu", "musl");
    for (target, kind) in [(host(), "HOST"), (CROSS.to_owned(), "TARGET"), (other, "TARGET")] {
        let forms = |name| {
            let underscored = target.replace('-', "_");
            [
                format!("{name}_{target}"),
                format!("{name}_{underscored}"),
                format!("{kind}_{name}"),
                String::from(name),
            ]
        };
        for right in 0..4 {
            let mut script = test_support::build_script!(&target).env("PATH", "/nonexistent");
            for (name, value) in values {
                script = script.env(&forms(name)[right], value);
                for later in &forms(name)[right + 1..] {
                    script = script.env(later, "/wrong");
                }
            }
            let lines = script.run().lines();
            let first = &forms("PKG_CONFIG")[right];
            assert!(lines.contains(&passed_over), "{first} and its like are not read: {lines}");
            for form in values.iter().flat_map(|(name, _)| forms(name)) {
                let line = format!("cargo::rerun-if-env-changed={form}\n");
                assert!(lines.contains(&line), "{form} is not watched: {lines}");
            }
        }
    }
}

const CROSS: &str =
    if cfg!(target_arch = "x86_64") { "aarch64-unknown-linux-gnu" } else { "x86_64-unknown-linux-gnu" };

/// What the script searches is this process's environment and this machine.
fn the_search_is_of_this_machine() {
    let cross = || test_support::build_script!(CROSS);
    let missing = "pkg-config cannot be run: No such file or directory (os error 2)";
    let named = "/nope cannot be run: No such file or directory (os error 2)";
    let off = "not asked: CUDA_NO_PKG_CONFIG is set";
    let directory = tempdir().expect("a temporary directory");
    let not_utf8 = program(directory.path(), "pkg-config", "printf '%b' '-I/\\0377\\n'\n");
    let other = "not asked: it is not set up for this target (PKG_CONFIG_ALLOW_CROSS)";
    for (script, pkg_config) in [
        (script(), missing),
        (script().env("HOST_PKG_CONFIG", "/nope"), named),
        (script().env("CUDA_NO_PKG_CONFIG", "1"), off),
        (script().env("PKG_CONFIG", not_utf8), "its answer is not valid UTF-8"),
        (cross(), other),
        (cross().env("HOST_PKG_CONFIG", "/nope").env("PKG_CONFIG_PATH", "/its/path"), other),
        (cross().env("PKG_CONFIG_ALLOW_CROSS", "0").env("PKG_CONFIG", "/nope"), other),
        (cross().env("PKG_CONFIG_ALLOW_CROSS", "1"), missing),
    ] {
        let script = script.env("PATH", "/nonexistent").env("CUDA_EXTERNAL_SYS_BINDINGS", "generate");
        let text = script.env("CUDA_HOME", "/gone").env("CUDA_PATH_V12_9", "/also/gone").run().failure();
        let lines: Vec<_> =
            text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
        for line in
            ["/gone no such directory", "CUDA_PATH_V12_9 /also/gone", &format!("pkg-config {pkg_config}")]
        {
            assert!(lines.iter().any(|other| other == line), "no {line} in {text}");
        }
        let fixed = |line: &String| {
            line.starts_with("/usr/local/cuda ") || line.contains(", found in /usr/local/cuda")
        };
        assert!(lines.iter().any(fixed), "{text}");
    }
}
