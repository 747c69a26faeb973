//! Runs the build script on this machine:
//!
//! - with a header that includes other files;
//! - without libclang;
//! - with a fake pkg-config;
//! - with a search of the fixed places of toolkits, such as /usr/local/cuda.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;

use libtest_mimic::Trial;
use tempfile::{TempDir, tempdir};
use test_support::layout::releases;
use test_support::{self as support, Need};

use crate::cargo_instructions::{host_script, instruction_lines, release_headers};

pub fn trials() -> Vec<Trial> {
    let bindgen = Need::cargo_feature("bindgen", cfg!(feature = "bindgen"));
    let libclang = Need::new("libclang", &support::find_libclang());
    let headers = Need::new("headers", &support::fetched_headers(releases::newest_release()));
    support::tests! {
        [bindgen, libclang, headers] => files_that_the_header_includes_are_watched, pkg_configs_directories_are_used;
        [bindgen] => without_libclang_the_failure_lists_what_was_tried, the_script_searches_this_machine;
    }
}

/// C code that needs the standard headers that a later cuda.h may include. build/include has these headers.
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
    let header = fs::read_to_string(release_headers(releases::newest_release()).join("cuda.h"))
        .expect("a header is text");
    let header = header.replacen("#include <stdlib.h>", "#include <stdlib.h>\n#include \"cuda_more.h\"", 1);
    fs::write(include.path().join("cuda.h"), header).expect("a file");
    fs::write(include.path().join("cuda_more.h"), "#include \"cuda_most.h\"\n").expect("a file");
    fs::write(include.path().join("cuda_most.h"), STANDARD_TYPES).expect("a file");
    // clang must find the stdlib.h of build/include before this one.
    fs::write(include.path().join("stdlib.h"), "#error \"another stdlib.h\"\n").expect("a file");
    let lines = instruction_lines(host_script().generate_from(include.path()), include.path());
    let watched = |line: &&str| line.starts_with("cargo::rerun-if-changed=<dir>");
    let files: Vec<&str> = lines.lines().filter(watched).collect();
    let all =
        ["cuda.h", "cuda_more.h", "cuda_most.h"].map(|file| format!("cargo::rerun-if-changed=<dir>/{file}"));
    assert_eq!(files, all);
    // The name of the header's directory is not `include`, so the script reports no toolkit root.
    assert!(lines.contains("metadata=BINDINGS=generated\n") && !lines.contains("metadata=ROOT"), "{lines}");
}

fn without_libclang_the_failure_lists_what_was_tried() {
    let root = tempdir().expect("a temporary directory");
    fs::write(root.path().join("cuda.h"), "#define CUDA_VERSION 12000\n").expect("a file");
    let script = host_script().generate_from(root.path()).with_variable("LIBCLANG_PATH", root.path());
    let text = script.run_script().failure_message();
    let reason = "\n    couldn't find any valid shared libraries matching: ";
    assert!(text.starts_with("\nbindgen can read no cuda.h.\n") && text.contains(reason), "{text}");
}

fn write_fake_pkg_config(directory: &Path, text: &str) {
    let program = directory.join("pkg-config");
    fs::write(&program, format!("#!/bin/sh\n{text}\n")).expect("a file");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("this test made it");
}

/// The script takes only the include directories from pkg-config's output, and does not pass `--static`.
fn pkg_configs_directories_are_used() {
    let directory = TempDir::with_prefix("a directory").expect("a temporary directory");
    symlink(release_headers(releases::newest_release()), directory.path().join("include")).expect("a link");
    let include = directory.path().join("include").display().to_string().replace(' ', "\\ ");
    let answer = format!("printf '%s\\n' '-I{include} -DX -L/nowhere -lcuda'");
    let program = format!("case \"$*\" in *--static*) ;; *cudart) {answer}; exit ;; esac; exit 1");
    write_fake_pkg_config(directory.path(), &program);
    let script = || host_script().with_variable("PATH", directory.path()).with_variable("CUDART_STATIC", "1");
    let lines = script().run_script().cargo_instructions();
    assert!(lines.contains(", found by pkg-config (cudart)\n") && !lines.contains("nowhere"), "{lines}");
    assert!(lines.contains("cargo:rerun-if-env-changed=PKG_CONFIG_PATH\n"), "{lines}");
    assert!(lines.lines().all(|line| line.starts_with("cargo:")), "{lines}");
    // If pkg-config hangs, the script waits for 5 seconds and goes on without it.
    write_fake_pkg_config(directory.path(), "exec /bin/sleep 20");
    let lines = script().run_script().cargo_instructions();
    assert!(lines.contains("cargo::warning=pkg-config did not answer within 5 seconds"), "{lines}");
}

fn the_script_searches_this_machine() {
    let script = host_script()
        .with_variable("PATH", "/nonexistent")
        .with_variable("CUDA_EXTERNAL_SYS_BINDINGS", "generate");
    let text = script.with_variable("CUDA_HOME", "/gone").run_script().failure_message();
    for words in ["/gone no such directory", "pkg-config pkg-config cannot be run: No such file or directory"]
    {
        let words = Vec::from_iter(words.split(' '));
        let begins = |line: &str| Vec::from_iter(line.split_whitespace()).starts_with(&words);
        assert!(text.lines().any(begins), "{words:?}: {text}");
    }
    assert!(text.contains("/usr/local/cuda"), "{text}");
}
