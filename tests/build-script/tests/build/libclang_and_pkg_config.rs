//! The build script on this machine: headers that include others, libclang, pkg-config and the fixed places.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;

use libtest_mimic::Trial;
use tempfile::{TempDir, tempdir};
use test_support::layout::releases;
use test_support::{self as support, Need};

use crate::cargo_instructions::{headers, lines, script};

pub fn trials() -> Vec<Trial> {
    let bindgen = Need::cargo_feature("bindgen", cfg!(feature = "bindgen"));
    let libclang = Need::new("libclang", &support::find_libclang());
    let headers = Need::new("headers", &support::headers(releases::newest_release()));
    support::tests! {
        [bindgen, libclang, headers] => files_that_the_header_includes_are_watched, pkg_config;
        [bindgen] => without_libclang, the_search_is_of_this_machine;
    }
}

/// The declarations of standard headers that a later cuda.h may use. The crate has these headers.
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
    let header =
        fs::read_to_string(headers(releases::newest_release()).join("cuda.h")).expect("a header is text");
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

/// clang-sys's list of what it tried is in the message.
fn without_libclang() {
    let root = tempdir().expect("a temporary directory");
    fs::write(root.path().join("cuda.h"), "#define CUDA_VERSION 12000\n").expect("a file");
    let script = script().generate_from(root.path()).with_variable("LIBCLANG_PATH", root.path());
    let text = script.run_script().failure_message();
    let reason = "\n    couldn't find any valid shared libraries matching: ";
    assert!(text.starts_with("\nbindgen can read no cuda.h.\n") && text.contains(reason), "{text}");
}

fn write_fake_pkg_config(directory: &Path, text: &str) {
    let program = directory.join("pkg-config");
    fs::write(&program, format!("#!/bin/sh\n{text}\n")).expect("a file");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("this test made it");
}

/// The directories that pkg-config prints are used. Its libraries are not linked, so `--static` is not asked for, and
/// the crate pkg-config prints nothing.
fn pkg_config() {
    let directory = TempDir::with_prefix("a directory").expect("a temporary directory");
    symlink(headers(releases::newest_release()), directory.path().join("include")).expect("a link");
    let include = directory.path().join("include").display().to_string().replace(' ', "\\ ");
    let answer = format!("printf '%s\\n' '-I{include} -DX -L/nowhere -lcuda'");
    write_fake_pkg_config(
        directory.path(),
        &format!("case \"$*\" in *--static*) ;; *cudart) {answer}; exit ;; esac; exit 1"),
    );
    let script = || script().with_variable("PATH", directory.path()).with_variable("CUDART_STATIC", "1");
    let lines = script().run_script().cargo_instructions();
    assert!(lines.contains(", found by pkg-config (cudart)\n") && !lines.contains("nowhere"), "{lines}");
    assert!(lines.lines().all(|line| line.starts_with("cargo::")), "{lines}");
    // The build does not wait for a program that hangs.
    write_fake_pkg_config(directory.path(), "exec /bin/sleep 20");
    let lines = script().run_script().cargo_instructions();
    assert!(lines.contains("cargo::warning=pkg-config did not answer within 5 seconds"), "{lines}");
}

const CROSS: &str =
    if cfg!(target_arch = "x86_64") { "aarch64-unknown-linux-gnu" } else { "x86_64-unknown-linux-gnu" };

/// The script searches this process's environment and this machine.
fn the_search_is_of_this_machine() {
    for (script, pkg_config) in [
        (script(), "pkg-config cannot be run: No such file or directory"),
        (
            script().with_variable("HOST_PKG_CONFIG", "/nope"),
            "/nope cannot be run: No such file or directory",
        ),
        (test_support::build_script!(CROSS), "not asked: it is not set up for this target"),
    ] {
        let script = script
            .with_variable("PATH", "/nonexistent")
            .with_variable("CUDA_EXTERNAL_SYS_BINDINGS", "generate");
        let text = script.with_variable("CUDA_HOME", "/gone").run_script().failure_message();
        let has = |words: &str| {
            let words: Vec<&str> = words.split(' ').collect();
            text.lines().any(|line| line.split_whitespace().collect::<Vec<_>>().starts_with(&words))
        };
        assert!(has("/gone no such directory") && has(&format!("pkg-config {pkg_config}")), "{text}");
        assert!(has("/usr/local/cuda") || text.contains(", found in /usr/local/cuda"), "{text}");
    }
}
