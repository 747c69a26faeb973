//! Runs every Linux example with a driver that is unusable or has no device: the example must say what is missing.

use test_support as support;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Output};
use std::sync::LazyLock;

use support::layout::releases;
use support::{Need, cargo, rustdoc_output};

/// Returns the names of the examples, except those for Windows.
fn example_names() -> Vec<String> {
    let files = rustdoc_output::read_files_below(&support::repository().join("examples"), "rs").into_iter();
    let here = files.filter(|(path, text)| !path.contains('/') && !text.contains("cfg(windows)"));
    here.map(|(path, _)| path.trim_end_matches(".rs").to_owned()).collect()
}

/// The paths of the examples' programs by name. cargo builds those that it has not built yet.
static PROGRAMS: LazyLock<BTreeMap<String, PathBuf>> = LazyLock::new(|| {
    // The options of this program's build. With others, cargo would build the examples again.
    let options = [
        (true, "--features=load"),
        (cfg!(feature = "bindgen"), "--features=bindgen"),
        (!cfg!(feature = "default"), "--no-default-features"),
        (cfg!(debug_assertions), "--profile=test"),
        (!cfg!(debug_assertions), "--release"),
    ];
    let options = options.into_iter().filter_map(|(is_on, option)| is_on.then_some(option));
    cargo::build_examples(&options.collect::<Vec<_>>())
});

fn example_program(name: &str) -> &'static Path {
    PROGRAMS.get(name).unwrap_or_else(|| panic!("cargo built no example {name}"))
}

#[cfg(target_os = "linux")]
mod on_cpu;

fn main() -> ExitCode {
    let mut trials = Vec::new();
    if cfg!(target_os = "linux") {
        let compiler = Need::new("c-compiler", &support::find_compiler());
        for name in example_names() {
            trials
                .push(support::trial_if(&name.clone(), [&compiler], move || assert_ends_as_promised(&name)));
        }
        // With a driver but without a GPU, the example shares nothing, and says so in one line.
        let out = String::from_utf8_lossy(&OPAQUE_FD.stdout);
        let lacking = out.lines().find(|line| line.starts_with("This machine "));
        let gpu = Need::new("gpu", &lacking.map_or(Ok(()), |line| Err(line.to_owned())));
        trials.extend(support::tests! {
            [gpu] => opaque_fd_shares_both_ways;
        });
        #[cfg(target_os = "linux")]
        trials.extend(on_cpu::trials());
    }
    support::run_trials(trials, None)
}

static OPAQUE_FD: LazyLock<Output> =
    LazyLock::new(|| Command::new(example_program("opaque_fd")).output().expect("the example starts"));

/// Asserts what opaque_fd prints on a GPU or, on a machine without a driver, on cuda-external-cpu.
fn opaque_fd_shares_both_ways() {
    assert!(OPAQUE_FD.status.success(), "{}", support::describe_exit(&OPAQUE_FD));
    let out = String::from_utf8_lossy(&OPAQUE_FD.stdout);
    for way in
        ["written by the exporter, read by the importer", "written by the importer, read by the exporter"]
    {
        assert!(out.contains(way), "{out}");
    }
    assert!(out.contains("64 MiB by cuMemCreate"), "not what --help says: {out}");
    let in_software = ["going on with the one in software", "device     0: CPU", "Shared by the CPU"];
    let is_named = in_software.map(|words| out.contains(words));
    assert!(is_named == [true; 3] || is_named == [false; 3], "{out}");
}

/// The directory of a driver whose cuInit returns the code in the variable CU_INIT. The driver has no device.
static DRIVER: LazyLock<PathBuf> = LazyLock::new(|| {
    let directory = releases::test_directory("examples", "driver");
    let source = "#include <stdlib.h>
        int cuInit(unsigned flags) { return atoi(getenv(\"CU_INIT\")); }
        int cuDriverGetVersion(int *version) { *version = 13000; return 0; }
        int cuDeviceGetCount(int *count) { *count = 0; return 0; }";
    support::compile_shared_library(source, &directory.join("libcuda.so.1"), &[]);
    directory
});

/// Runs an example on `DRIVER`, and asserts the exit status. Returns the standard output and the standard error.
#[track_caller]
fn assert_exit_status(name: &str, cu_init: u32, arguments: &[&str], status: i32) -> [String; 2] {
    let mut command = Command::new(example_program(name));
    command.args(arguments).env("LD_LIBRARY_PATH", &*DRIVER).env("CU_INIT", cu_init.to_string());
    let output = command.output().expect("the example starts");
    let report = support::describe_exit(&output);
    assert_eq!(output.status.code(), Some(status), "{cu_init} {arguments:?}: {report}");
    [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned())
}

fn assert_ends_as_promised(name: &str) {
    // The codes are CUDA_ERROR_STUB_LIBRARY, CUDA_ERROR_SYSTEM_DRIVER_MISMATCH and CUDA_ERROR_NO_DEVICE.
    let [_, _, lacking] = [34, 803, 100].map(|code| {
        let [out, _] = assert_exit_status(name, code, &[], 0);
        assert!(out.contains("This machine "), "it does not say what is missing: {out}");
        out
    });
    // An example that ends before cuInit, because another library is missing, cannot report cuInit's error.
    if ["CUDA_ERROR_NO_DEVICE", "no CUDA device"].iter().any(|what| lacking.contains(what)) {
        let [_, err] = assert_exit_status(name, 999, &[], 1);
        assert!(err.contains("CUDA_ERROR_UNKNOWN"), "the error has no name: {err}");
    }
    // These examples open the device through example-support.
    if lacking.contains("cuInit returned") {
        let [out, _] = assert_exit_status(name, 0, &[], 0);
        assert!(out.contains("CUDA has no device"), "{out}");
    }
    let [help, _] = assert_exit_status(name, 999, &["--help"], 0);
    assert!(help.lines().count() > 3, "{help}");
    assert_eq!(assert_exit_status(name, 999, &["-h"], 0)[0], help);
    let [_, err] = assert_exit_status(name, 999, &["--no-such-thing"], 2);
    assert!(err.contains("--no-such-thing"), "{err}");
}
