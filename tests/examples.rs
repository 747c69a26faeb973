//! What every example does where it cannot do its work: without a GPU it says so and exits with 0; a driver that fails is
//! a failure, with the error's name; `--help` explains.
//!
//! The driver here is a library whose cuInit always returns the same code.

use test_support as support;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use support::Need;

/// Those of this system. Windows' own have nothing to load here.
fn names() -> Vec<String> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples");
    let mut names = Vec::new();
    for entry in fs::read_dir(directory).expect("the examples' directory") {
        let path = entry.expect("its entry").path();
        if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&path).expect("an example");
            if !text.contains("cfg(windows)") {
                names.push(path.file_stem().expect("a name").to_string_lossy().into_owned());
            }
        }
    }
    names.sort();
    names
}

/// Where cargo put it: `cargo test` builds the examples, `cargo test --test examples` does not.
fn program(name: &str) -> Result<PathBuf, String> {
    let test = std::env::current_exe().map_err(|error| error.to_string())?;
    let path = test.parent().and_then(Path::parent).expect("target/PROFILE/deps").join("examples").join(name);
    if path.is_file() { Ok(path) } else { Err(format!("{} is not built", path.display())) }
}

fn main() -> ExitCode {
    let mut trials = Vec::new();
    if cfg!(target_os = "linux") {
        let compiler = Need::new("c-compiler", &support::compiler());
        for name in names() {
            let needs = [compiler.clone(), Need::new("examples", &program(&name))];
            trials.push(support::test(&name.clone(), &needs, move || ends_as_promised(&name)));
        }
    }
    support::run(trials, None)
}

fn ends_as_promised(name: &str) {
    let directory = tempfile::tempdir().expect("a directory");
    // Asserts how it ends where cuInit returns this code, and returns what it printed.
    let ends = |cu_init: u32, arguments: &[&str], status: i32| {
        let source = format!(
            "int cuInit(unsigned flags) {{ return {cu_init}; }}\n\
             int cuDriverGetVersion(int *version) {{ *version = 13000; return 0; }}\n"
        );
        support::shared_library(&source, &directory.path().join("libcuda.so.1"));
        let mut command = Command::new(program(name).expect("the test needs it"));
        let output = command.args(arguments).env("LD_LIBRARY_PATH", directory.path()).output();
        let output = output.expect("the example starts");
        assert_eq!(output.status.code(), Some(status), "{cu_init} {arguments:?}: {}", support::told(&output));
        [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned())
    };

    // CUDA_ERROR_STUB_LIBRARY, CUDA_ERROR_SYSTEM_DRIVER_MISMATCH, CUDA_ERROR_NO_DEVICE.
    let [_, _, lacking] = [34, 803, 100].map(|code| {
        let [out, _] = ends(code, &[], 0);
        assert!(out.contains("This machine "), "it does not say what is missing: {out}");
        out
    });
    // Some look for another library first, and lack that.
    if ["CUDA_ERROR_NO_DEVICE", "no CUDA device"].iter().any(|what| lacking.contains(what)) {
        let [_, err] = ends(999, &[], 1);
        assert!(err.contains("CUDA_ERROR_UNKNOWN"), "the error has no name: {err}");
    }
    let [help, _] = ends(999, &["--help"], 0);
    assert!(help.lines().count() > 3, "{help}");
    let [_, err] = ends(999, &["--no-such-thing"], 2);
    assert!(err.contains("--no-such-thing"), "{err}");
}
