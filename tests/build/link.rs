//! The stub that `link` mode links with: what it has, that the user's flags do not reach it, and what is refused.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

use libtest_mimic::Trial;
use tempfile::{TempDir, tempdir};
use test_support as support;
use test_support::Need;
use test_support::build_script::{BuildScript, host};

use crate::allowlist;

pub fn all() -> Vec<Trial> {
    let link = Need::feature("link without load", cfg!(all(feature = "link", not(feature = "load"))));
    let both = Need::feature("link and load", cfg!(all(feature = "link", feature = "load")));
    let compiler = Need::new("c-compiler", &support::compiler());
    let test = |name: &str, needs: &[Need], run: fn()| support::test(&format!("link::{name}"), needs, run);
    vec![
        test("load_wins", &[both], load_wins),
        test("lines_for_cargo", &[link.clone(), compiler.clone()], lines_for_cargo),
        test("stub_has_every_function_and_the_drivers_soname", &[link.clone(), compiler.clone()], stub),
        test("users_flags_do_not_reach_the_stub", &[link.clone(), compiler], users_flags),
        test("static_c_library_is_refused", std::slice::from_ref(&link), static_c_library),
        test("system_without_driver_is_refused", std::slice::from_ref(&link), no_driver),
        test("compiler_that_fails", &[link], compiler_that_fails),
    ]
}

fn script(out: &Path) -> BuildScript {
    test_support::build_script!(&host()).env("CUDA_EXTERNAL_SYS_BINDINGS", "embedded").env("OUT_DIR", out)
}

/// Runs the script, and returns what it printed for the linker.
fn lines(script: BuildScript) -> Vec<String> {
    let output = script.run().output;
    assert!(output.status.success(), "{}", support::told(&output));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.lines().filter(|line| line.contains("link") || line.contains("=CC")).map(str::to_owned).collect()
}

fn failure(script: BuildScript) -> String {
    let output = script.run().output;
    assert!(!output.status.success(), "{}", support::told(&output));
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn load_wins() {
    let out = tempdir().expect("a temporary directory");
    assert_eq!(lines(script(out.path())), Vec::<String>::new());
    assert!(!out.path().join("stub").exists());
}

fn lines_for_cargo() {
    let out = tempdir().expect("a temporary directory");
    let host = host();
    let expected = [
        "cargo::rerun-if-env-changed=CC".to_owned(),
        format!("cargo::rerun-if-env-changed=CC_{host}"),
        format!("cargo::rerun-if-env-changed=CC_{}", host.replace('-', "_")),
        format!("cargo::rustc-link-search=native={}/stub", out.path().display()),
        "cargo::rustc-link-lib=dylib=cuda".to_owned(),
    ];
    assert_eq!(lines(script(out.path())), expected);
}

/// A program that calls every function, linked with `-lcuda`. It exits with the number of those that answered 34, which is
/// CUDA_ERROR_STUB_LIBRARY.
fn program(stub: &Path, directory: &TempDir) -> Command {
    let symbols: Vec<&str> = allowlist::FUNCTIONS.iter().map(|(symbol, _)| *symbol).collect();
    assert!(symbols.len() < 256, "an exit status is a byte");
    let declared: String = symbols.iter().map(|symbol| format!("int {symbol}(void);\n")).collect();
    let called: Vec<String> = symbols.iter().map(|symbol| format!("({symbol}() == 34)")).collect();
    let source = directory.path().join("program.c");
    let text = format!("{declared}int main(void) {{ return {}; }}\n", called.join(" + "));
    fs::write(&source, text).expect("a file");
    let program = directory.path().join("program");
    let compiler = support::compiler().expect("the test needs it");
    let mut command = compiler.command();
    command.arg(&source).arg("-L").arg(stub).args(["-lcuda", "-o"]).arg(&program);
    let output = command.output().expect("the compiler starts");
    assert!(output.status.success(), "{}", support::told(&output));
    Command::new(program)
}

/// Builds the stub, and runs the program with it where a driver would be.
fn check_stub(script: impl FnOnce(BuildScript) -> BuildScript) {
    let out = tempdir().expect("a temporary directory");
    lines(script(self::script(out.path())));
    let stub = out.path().join("stub");
    let directory = tempdir().expect("a temporary directory");
    let mut program = program(&stub, &directory);
    fs::rename(stub.join("libcuda.so"), stub.join("libcuda.so.1")).expect("the stub");
    let status = program.env("LD_LIBRARY_PATH", &stub).status().expect("the program starts");
    assert_eq!(status.code(), Some(allowlist::FUNCTIONS.len() as i32));
    // The program asks for the driver's soname, and not for the stub's file.
    fs::rename(stub.join("libcuda.so.1"), stub.join("libcuda.so")).expect("the stub");
    let output = program.output().expect("the program starts");
    let text = support::told(&output);
    assert!(output.status.code() == Some(127) && text.contains("libcuda.so.1"), "{text}");
}

fn stub() {
    check_stub(|script| script);
}

fn users_flags() {
    let host = host();
    let names = ["CFLAGS", "TARGET_CFLAGS", "HOST_CFLAGS", &format!("CFLAGS_{host}")];
    let underscores = format!("CFLAGS_{}", host.replace('-', "_"));
    for name in names.into_iter().chain([underscores.as_str()]) {
        check_stub(|script| script.env(name, "-fvisibility=hidden -fsanitize=address -m32 -no-such-flag"));
    }
}

fn static_c_library() {
    let out = tempdir().expect("a temporary directory");
    let text = failure(script(out.path()).env("CARGO_CFG_TARGET_FEATURE", "fxsr,crt-static,sse"));
    assert!(text.contains("`crt-static`") && text.contains("target-feature=-crt-static"), "{text}");
    lines(script(out.path()).env("CARGO_CFG_TARGET_FEATURE", "fxsr,sse"));
}

fn no_driver() {
    let script =
        test_support::build_script!("aarch64-apple-darwin").env("CUDA_EXTERNAL_SYS_BINDINGS", "embedded");
    assert_eq!(
        failure(script),
        "
The feature `link` needs a CUDA driver to link with, and NVIDIA makes none for macos.
Use the feature `load`: it builds everywhere, and says at run time that there is no driver.

"
    );
}

fn compiler_that_fails() {
    let out = tempdir().expect("a temporary directory");
    let compiler = out.path().join("cc");
    let script = || script(out.path()).env("CC", &compiler);
    let text = failure(script());
    assert!(
        text.contains(&format!("  {}: No such file or directory (os error 2)\n", compiler.display())),
        "{text}"
    );
    fs::write(&compiler, "#!/bin/sh\necho 'cc: out of coffee' >&2\nexit 1\n").expect("a file");
    fs::set_permissions(&compiler, fs::Permissions::from_mode(0o755)).expect("it is ours");
    let text = failure(script());
    assert!(text.contains("\n  cc: out of coffee\n"), "{text}");
}
