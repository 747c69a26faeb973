//! The program: what it passes on, and what it refuses. Programs in C, Python and Rust start with it in scripts/downstream.
#![cfg(target_os = "linux")]

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::{env, fs};

use cuda_external_cpu::{Fault, inject_fault};
use cuda_external_sys::{CUDA_ERROR_UNKNOWN, CUDA_SUCCESS, cuInit};
use libloading::os::unix::{Library, RTLD_LAZY};

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cuda-external-cpu"));
    command.args(arguments).env("XDG_CACHE_HOME", env!("CARGO_TARGET_TMPDIR")).env_remove("VK_LAYER_PATH");
    command
}

fn run(arguments: &[&str]) -> Output {
    command(arguments).output().unwrap()
}

fn run_with(arguments: &[&str], name: &str, value: &str) -> Output {
    command(arguments).env(name, value).output().unwrap()
}

#[test]
fn the_exit_status_and_the_variables_are_the_programs() {
    let output = run(&["--fault", "cuInit=2", "sh", "-c", "echo $CUDA_EXTERNAL_CPU_FAULTS; exit 7"]);
    assert_eq!((output.status.code(), &output.stdout[..]), (Some(7), &b"cuInit=2\n"[..]));
    let output = run(&["--environment"]);
    let text = String::from_utf8(output.stdout).unwrap();
    let names = text.lines().map(|line| line.split_once('=').unwrap().0);
    assert_eq!(
        names.collect::<Vec<_>>(),
        ["LD_LIBRARY_PATH", "LIBRARY_PATH", "VK_INSTANCE_LAYERS", "VK_LAYER_PATH"]
    );
}

#[test]
fn the_vulkan_layer_is_not_taken_for_the_driver() {
    // SAFETY: both libraries may be loaded anywhere.
    let open = |name: &Path, flags| unsafe { Library::open(Some(name), RTLD_LAZY | flags) };
    let opened = || open("libcuda.so.1".as_ref(), libc::RTLD_NOLOAD).is_ok();
    run(&["true"]);
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cuda-external-cpu");
    // It is never unloaded.
    open(&directory.join("libVkLayer_cuda_external_cpu.so"), 0).unwrap();
    assert!(!opened());
    open(&directory.join("libcuda.so.1"), 0).unwrap();
    assert!(opened());
}

#[test]
fn every_name_is_exported_and_a_call_of_an_absent_function_is_printed_once() {
    let program = "import ctypes; driver = ctypes.CDLL('libcuda.so.1'); driver.cuInit(0)
for _ in range(2): assert driver.cuMulticastCreate(None, None) == 801
for name in open(0).read().split(): getattr(driver, name)";
    let mut command = command(&["--unsupported", "python3", "-c", program]);
    let mut child = command.stdin(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(build_script::allowlist::OF_DRIVER.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8_lossy(&output.stderr);
    assert_eq!(text, "cuda-external-cpu: cuMulticastCreate is not supported\n");
    assert!(output.status.success());
}

#[test]
fn wrong_arguments_are_refused() {
    for (arguments, code) in [
        (&[][..], 2),
        (&["--devices", "9", "true"], 2),
        (&["--fault", "cuInit", "true"], 2),
        (&["--fault", "=2", "true"], 2),
        (&["--fault", "cuInit:0=2", "true"], 2),
        (&["--fault", "cuInit=soon", "true"], 2),
        (&["--fault", "cuInit=delay:x", "true"], 2),
        (&["--fault", "cuInitt=100", "true"], 2),
        (&["--unknown"], 2),
        (&["/no/such/program"], 127),
        (&["--help"], 0),
    ] {
        assert_eq!(run(arguments).status.code(), Some(code), "{arguments:?}");
    }
    for (name, value, words) in [
        ("CUDA_EXTERNAL_CPU_DEVICES", "99", "CUDA_EXTERNAL_CPU_DEVICES: 99: not a number from 1 to 8"),
        (
            "CUDA_EXTERNAL_CPU_FAULTS",
            "cuInit=2,cuMemAlocc=2",
            "no such function; the nearest name is cuMemAlloc\n",
        ),
    ] {
        let output = run_with(&["true"], name, value);
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(2) && text.contains(words), "{text}");
    }
}

#[test]
fn a_cache_that_the_loader_cannot_name_is_passed_over() {
    let output = run_with(&["sh", "-c", "echo $LIBRARY_PATH"], "XDG_CACHE_HOME", "/tmp/a;b");
    let directory = String::from_utf8_lossy(&output.stdout);
    assert!(
        !directory.contains(';') && Path::new(directory.trim()).join("libcuda.so.1").exists(),
        "{directory}"
    );
}

#[test]
fn a_compiler_finds_the_driver() {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let (source, program) = (directory.join("linked.c"), directory.join("linked"));
    fs::write(&source, "int cuInit(unsigned);\nint main(void) { return cuInit(0); }\n").unwrap();
    let [source, program] = [&source, &program].map(|path| path.to_str().unwrap());
    let output = run(&["cc", source, "-o", program, "-lcuda"]);
    assert!(output.status.success(), "{output:?}");
    assert_eq!(run(&["--fault", "cuInit=7", program]).status.code(), Some(7));
}

/// The test has the driver in itself, and calls the library, since it does not call `load()`.
#[test]
fn a_fault_reaches_the_driver_that_the_program_has() {
    const STARTED: &str = "CUDA_EXTERNAL_CPU_TEST_STARTED";
    if env::var_os(STARTED).is_none() {
        let this = env::current_exe().unwrap();
        let name = "a_fault_reaches_the_driver_that_the_program_has";
        let output = run_with(&[this.to_str().unwrap(), "--exact", name], STARTED, "1");
        assert!(output.status.success(), "{output:?}");
        return;
    }
    let fault = || "cuInit=999".parse::<Fault>().unwrap();
    inject_fault(fault());
    // SAFETY: it takes no pointer, here and below.
    assert_eq!(unsafe { cuInit(0) }, CUDA_ERROR_UNKNOWN);
    cuda_external_cpu::clear_faults();
    assert_eq!(unsafe { cuInit(0) }, CUDA_SUCCESS);
    let scope = fault().in_this_thread();
    assert_eq!(unsafe { cuInit(0) }, CUDA_ERROR_UNKNOWN);
    drop(scope);
    assert_eq!(unsafe { cuInit(0) }, CUDA_SUCCESS);
}
