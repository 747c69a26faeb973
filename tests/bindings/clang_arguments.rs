//! Arguments and variables that change what clang reads: the bindings are the same, or the reason is said.

use std::path::PathBuf;

use libtest_mimic::Trial;
use test_support::build_script::BuildScript;

use crate::future::{OLDER, assert_reason, assert_refused, generate, header, needs, newest};
use crate::support;

pub fn all() -> Vec<Trial> {
    let needs = needs();
    let test = |name: &str, run: fn()| support::test(&format!("clang_arguments::{name}"), &needs, run);
    vec![
        test("macros_that_rename_functions", macros),
        test("arguments_that_change_the_abi", abi_arguments),
        test("target_of_32_bits", target_of_32_bits),
        test("other_headers_on_the_search_path", search_path),
        test("another_header_before_it", included_before),
    ]
}

fn arguments(script: BuildScript, arguments: &str) -> BuildScript {
    script.env("BINDGEN_EXTRA_CLANG_ARGS", arguments)
}

fn macros() {
    // The newest header's bindings have its own order of functions, which completion would change.
    for header in [header(OLDER), header(newest())] {
        assert_macros_change_nothing(&header);
    }
}

fn assert_macros_change_nothing(header: &str) {
    let expected = generate(header, |script| script).expect("it is a header");
    for name in [
        "CUDA_API_PER_THREAD_DEFAULT_STREAM",
        "__CUDA_API_PER_THREAD_DEFAULT_STREAM",
        "CUDA_FORCE_API_VERSION=3020",
        "__CUDA_API_VERSION_INTERNAL",
        "CUDA_ENABLE_DEPRECATED",
    ] {
        let text = generate(header, |script| arguments(script, &format!("-D{name}")));
        assert!(text.as_ref() == Ok(&expected), "{name}: {text:?}");
    }
}

fn abi_arguments() {
    let header = header(OLDER);
    for (argument, reason) in [
        ("-fshort-enums", "the clang arguments make enums short"),
        ("-fpack-struct=1", "the clang arguments pack structs"),
        ("-fpack-struct=4", "the clang arguments pack structs"),
        ("-m32", "the clang arguments change the size of pointers"),
    ] {
        let error = generate(&header, |script| arguments(script, argument)).expect_err("it is refused");
        assert_reason(&error, reason);
    }
}

fn target_of_32_bits() {
    let include = support::headers(newest()).expect("the test needs it");
    let run = test_support::build_script!("i686-unknown-linux-gnu").generate_from(&include).run();
    assert_reason(&support::told(&run.output), "CUDA has 64-bit targets only");
}

/// The located header is the one that is read.
fn search_path() {
    let header = header(OLDER);
    let expected = generate(&header, |script| script);
    assert!(expected.is_ok());
    let newest: PathBuf = support::headers(newest()).expect("the test needs it");
    for name in ["CPATH", "C_INCLUDE_PATH"] {
        assert!(generate(&header, |script| script.env(name, &newest)) == expected, "{name}");
    }
    for option in ["-I", "-isystem "] {
        let argument = format!("{option}{}", newest.display());
        assert!(generate(&header, |script| arguments(script, &argument)) == expected, "{argument}");
    }
    assert!(generate(&header, |script| script.env("CPATH", "/usr/include")) == expected);
}

fn included_before() {
    let newest = support::headers(newest()).expect("the test needs it");
    let argument = format!("-include {}", newest.join("cuda.h").display());
    assert_refused(
        &header(OLDER),
        |script| arguments(script, &argument),
        "clang read another cuda.h: CUDA_VERSION is 12090 in this one and 13050 in what was read",
    );
}
