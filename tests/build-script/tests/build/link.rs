//! The stub that `link` mode links with: what it has, that the user's flags do not reach it, and what is refused.

use std::ffi::OsStr;
use std::fs;
use std::iter;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

use build_script::allowlist;
use libtest_mimic::Trial;
use tempfile::tempdir;
use test_support::build_script::{BuildScript, host};
use test_support::{self as support, Need};

use crate::script::LINKS;

pub fn all() -> Vec<Trial> {
    let link = Need::feature("link without load", LINKS);
    let both = Need::feature("link and load", cfg!(all(feature = "link", feature = "load")));
    let compiler = Need::new("c-compiler", &support::compiler());
    support::tests! {
        [both] => load_wins;
        [link, compiler] => stub_has_every_function_and_the_drivers_soname, users_flags_do_not_reach_the_stub,
            stub_needs_no_c_library;
        [link] => static_c_library_is_refused, target_without_driver_is_refused, windows_needs_no_stub,
            compiler_that_fails;
    }
}

fn script(target: &str) -> BuildScript {
    test_support::build_script!(target).env("CUDA_EXTERNAL_SYS_BINDINGS", "embedded")
}

fn windows_needs_no_stub() {
    let lines = script("x86_64-pc-windows-msvc").run().lines();
    assert!(!lines.contains("rustc-link"), "{lines}");
}

fn load_wins() {
    let run = script(&host()).run();
    assert!(!run.lines().contains("rustc-link"), "{}", run.lines());
    assert!(!run.out.path().join("stub").exists());
}

/// Builds the stub, and a program that is linked with it by `-lcuda` and calls every function. The program exits with the
/// number of those that return 34, which is CUDA_ERROR_STUB_LIBRARY.
fn check_stub(script: BuildScript) {
    let run = script.run();
    run.lines();
    let stub = run.out.path().join("stub");
    let symbols: Vec<&str> = allowlist::FUNCTIONS.iter().map(|(symbol, _)| *symbol).collect();
    assert!(symbols.len() < 256, "an exit status is a byte");
    let declared: String = symbols.iter().map(|symbol| format!("int {symbol}(void);\n")).collect();
    let called: Vec<String> = symbols.iter().map(|symbol| format!("({symbol}() == 34)")).collect();
    let (source, program) = (run.out.path().join("program.c"), run.out.path().join("program"));
    fs::write(&source, format!("{declared}int main(void) {{ return {}; }}\n", called.join(" + ")))
        .expect("a file");
    let mut command = support::compiler().expect("the test needs it").command();
    command.arg(&source).arg("-L").arg(&stub).args(["-lcuda", "-o"]).arg(&program);
    let output = command.output().expect("the compiler starts");
    assert!(output.status.success(), "{}", support::exit_report(&output));

    // The program asks for the driver's soname, and not for the stub's file.
    let mut program = Command::new(program);
    let output = program.env("LD_LIBRARY_PATH", &stub).output().expect("the program starts");
    let text = support::exit_report(&output);
    assert!(output.status.code() == Some(127) && text.contains("libcuda.so.1"), "{text}");
    fs::rename(stub.join("libcuda.so"), stub.join("libcuda.so.1")).expect("the stub");
    let status = program.status().expect("the program starts");
    assert_eq!(status.code(), Some(symbols.len() as i32));
}

fn stub_has_every_function_and_the_drivers_soname() {
    check_stub(script(&host()));
}

fn users_flags_do_not_reach_the_stub() {
    let host = host();
    let of_target = [format!("CFLAGS_{host}"), format!("CFLAGS_{}", host.replace('-', "_"))];
    for name in ["CFLAGS", "TARGET_CFLAGS", "HOST_CFLAGS", &of_target[0], &of_target[1]] {
        let flags = "-fvisibility=hidden -fsanitize=address -m32 -no-such-flag";
        check_stub(script(&host).env(name, flags));
    }
}

/// A cross compiler may have none, and links only what asks for none. CC may be several words.
fn stub_needs_no_c_library() {
    let directory = tempdir().expect("a temporary directory");
    let real = support::compiler().expect("the test needs it").command();
    let words = iter::once(real.get_program()).chain(real.get_args()).map(OsStr::to_string_lossy);
    let real = Vec::from_iter(words).join(" ");
    let compiler = directory.path().join("cc");
    program(
        &compiler,
        &format!(
            "case \"$*\" in\n*-DITS_OWN*-shared*-nostdlib*) ;;\n*-shared*) echo 'ld: cannot find -lc' >&2; exit 1 ;;\nesac\n\
             exec {real} \"$@\""
        ),
    );
    check_stub(script(&host()).env("CC", format!("{} -DITS_OWN", compiler.display())));
}

/// Makes a shell script.
fn program(path: &Path, text: &str) {
    fs::write(path, format!("#!/bin/sh\n{text}\n")).expect("a file");
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("it is ours");
}

fn static_c_library_is_refused() {
    let with = |features| script(&host()).env("CARGO_CFG_TARGET_FEATURE", features).run();
    let text = with("fxsr,crt-static,sse").failure();
    assert!(text.contains("`crt-static`") && text.contains("target-feature=-crt-static"), "{text}");
    with("fxsr,sse").lines();
}

fn target_without_driver_is_refused() {
    let refused = |system: &str, bits: &str, why: &str| {
        let script = script("x86_64-unknown-linux-gnu").env("CARGO_CFG_TARGET_OS", system);
        assert_eq!(
            script.env("CARGO_CFG_TARGET_POINTER_WIDTH", bits).run().failure(),
            format!(
                "\nThe feature `link` needs a CUDA driver to link with, and {why}.\n\
                 Use the feature `load`: it builds everywhere, and says at run time that there is no driver.\n\n"
            )
        );
    };
    for system in ["macos", "freebsd", "android", "unknown"] {
        refused(system, "64", &format!("NVIDIA makes none for {system}"));
    }
    for system in ["linux", "windows"] {
        refused(system, "32", "these bindings are for 64-bit targets; this one has 32 bits");
    }
    refused("emscripten", "32", "NVIDIA makes none for emscripten");
}

fn compiler_that_fails() {
    let directory = tempdir().expect("a temporary directory");
    let compiler = directory.path().join("cc");
    // The target's compiler, where that is another than the host.
    let script = |target| script(target).env("CC_aarch64_unknown_linux_gnu", &compiler).run();
    let failure = || script("aarch64-unknown-linux-gnu").failure();
    let text = failure();
    let missing = format!("  {}: No such file or directory (os error 2)\n", compiler.display());
    assert!(text.contains(&missing), "{text}");
    program(&compiler, "echo 'cc: out of coffee' >&2\nexit 1");
    let text = failure();
    assert!(text.contains("\n  cc: out of coffee\n"), "{text}");
}
