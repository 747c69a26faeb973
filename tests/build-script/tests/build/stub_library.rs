//! Tests the stub that `link` mode links with, and targets without a stub.

use std::fs;
use std::path::Path;
use std::process::Command;

use build_script::driver_exports;
use libtest_mimic::Trial;
use test_support::build_script::{BuildScript, host_triple};
use test_support::layout::compilers;
use test_support::{self as support, Need};

use crate::cargo_instructions::LINKS;

pub fn trials() -> Vec<Trial> {
    let link = Need::cargo_feature("link", cfg!(feature = "link"));
    let alone = Need::cargo_feature("link without load", LINKS);
    let compiler = Need::new("c-compiler", &support::find_compiler());
    support::tests! {
        [link, compiler] => every_linker_takes_the_stub;
        [link] => windows_needs_no_stub;
        [alone] => static_c_library_is_refused, target_without_driver_is_refused;
    }
}

fn embedded_build_script(target: &str) -> BuildScript {
    test_support::build_script!(target).with_variable("CUDA_EXTERNAL_SYS_BINDINGS", "embedded")
}

fn windows_needs_no_stub() {
    let lines = embedded_build_script("x86_64-pc-windows-msvc").run_script().cargo_instructions();
    assert!(!lines.contains("rustc-link"), "{lines}");
}

/// With each installed linker, a program must need the driver exactly if the program calls the stub's functions.
fn every_linker_takes_the_stub() {
    let run = embedded_build_script(host_triple()).run_script();
    run.cargo_instructions();
    let stub = run.out.path().join("stub");
    let functions = driver_exports::driver_symbols();
    assert!(functions.len() > 700);
    let declared: String = functions.keys().map(|name| format!("int {name}(void);\n")).collect();
    let called: String = functions.keys().map(|name| format!("{name}();\n")).collect();
    let linkers = ["bfd", "lld", "gold", "mold"].into_iter().filter(|name| {
        let version = Command::new(format!("ld.{name}")).arg("--version").output();
        version.is_ok_and(|output| output.status.success())
    });
    let options = linkers.map(|name| format!("-fuse-ld={name}")).chain(["-Wl,--as-needed".to_owned()]);
    for option in options {
        let program = run.out.path().join("program");
        for (body, is_needed) in [(called.as_str(), true), ("", false)] {
            let source = program.with_extension("c");
            fs::write(&source, format!("{declared}int main(void) {{\n{body}return 0; }}\n")).expect("a file");
            let mut command = support::compiler_command();
            command.args([&option, "-Wl,--as-needed", "-o"]).args([&program, &source]).arg("-L").arg(&stub);
            compilers::run_compiler(command.arg("-lcuda"));
            assert_eq!(program_needs_libcuda(&program), is_needed, "{option}");
        }
    }
}

/// Returns whether the program needs libcuda.so.1. Asserts that the program does not name the stub's file, libcuda.so.
fn program_needs_libcuda(program: &Path) -> bool {
    let bytes = fs::read(program).expect("the linker wrote it");
    let has = |name: &[u8]| bytes.windows(name.len()).any(|part| part == name);
    assert!(!has(b"libcuda.so\0"));
    has(b"libcuda.so.1\0")
}

fn static_c_library_is_refused() {
    let run = |features| {
        embedded_build_script(host_triple()).with_variable("CARGO_CFG_TARGET_FEATURE", features).run_script()
    };
    let text = run("fxsr,crt-static,sse").failure_message();
    assert!(text.contains("`crt-static`") && text.contains("target-feature=-crt-static"), "{text}");
    run("fxsr,sse").cargo_instructions();
    // A musl target uses crt-static by default, although this list of target features does not name it.
    let musl = || {
        embedded_build_script("x86_64-unknown-linux-musl")
            .with_variable("CARGO_CFG_TARGET_FEATURE", "fxsr,sse")
    };
    assert!(musl().run_script().failure_message().contains("musl's default"));
    musl()
        .with_variable("CARGO_ENCODED_RUSTFLAGS", "-Copt-level=1\x1f-Ctarget-feature=-crt-static")
        .run_script()
        .cargo_instructions();
}

fn target_without_driver_is_refused() {
    let refused = |system: &str, bits: &str| {
        let script =
            embedded_build_script("x86_64-unknown-linux-gnu").with_variable("CARGO_CFG_TARGET_OS", system);
        script.with_variable("CARGO_CFG_TARGET_POINTER_WIDTH", bits).run_script().failure_message()
    };
    for system in ["macos", "android", "none", "unknown"] {
        let text = refused(system, "64");
        assert!(
            text.contains(&format!("no driver for the system `{system}`.\nUse the feature `load`: ")),
            "{text}"
        );
    }
    for system in ["linux", "windows"] {
        let text = refused(system, "32");
        assert!(text.contains("these bindings are for 64-bit targets; this one has 32 bits"), "{text}");
    }
    let text = embedded_build_script("riscv64gc-unknown-linux-gnu").run_script().failure_message();
    assert!(text.contains("have one for x86_64 and aarch64, not for riscv64gc"), "{text}");
}
