//! What every example does where it cannot do its work: without a GPU it says so and exits with 0; a driver that fails is
//! a failure, with the error's name; `--help` explains.
//!
//! The driver here is a library whose cuInit always returns the same code.

use test_support as support;

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Output};

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
    let run = |cu_init: u32, arguments: &[&str]| {
        let source = format!(
            "int cuInit(unsigned flags) {{ return {cu_init}; }}\n\
             int cuDriverGetVersion(int *version) {{ *version = 13000; return 0; }}\n"
        );
        support::shared_library(&source, &directory.path().join("libcuda.so.1"));
        let output = Command::new(program(name).expect("the test needs it"))
            .args(arguments)
            .env("LD_LIBRARY_PATH", OsString::from(directory.path()))
            .output()
            .expect("the example starts");
        Ended::new(output)
    };

    // CUDA_ERROR_NO_DEVICE.
    let ended = run(100, &[]);
    assert_eq!(ended.code, Some(0), "without a device: {ended:?}");
    assert!(!ended.out.is_empty(), "it does not say what is missing");
    // CUDA_ERROR_STUB_LIBRARY, CUDA_ERROR_SYSTEM_DRIVER_MISMATCH.
    for code in [34, 803] {
        let ended = run(code, &[]);
        assert_eq!(ended.code, Some(0), "with a driver that cannot work, {code}: {ended:?}");
        assert!(!ended.out.is_empty(), "it does not say what is missing");
    }
    // Some look for another library first, and lack that.
    if ended.out.contains("CUDA_ERROR_NO_DEVICE") {
        let ended = run(999, &[]);
        assert_eq!(ended.code, Some(1), "with a driver that fails: {ended:?}");
        assert!(ended.err.contains("CUDA_ERROR_UNKNOWN"), "the error has no name: {ended:?}");
    }

    let ended = run(999, &["--help"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(ended.out.lines().count() > 3, "{ended:?}");
    let ended = run(999, &["--no-such-thing"]);
    assert_eq!(ended.code, Some(2), "{ended:?}");
    assert!(ended.err.contains("--no-such-thing"), "{ended:?}");
}

#[derive(Debug)]
struct Ended {
    code: Option<i32>,
    out: String,
    err: String,
}

impl Ended {
    fn new(output: Output) -> Self {
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        Self { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
    }
}
