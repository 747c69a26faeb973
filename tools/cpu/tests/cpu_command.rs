//! Tests of the program `cuda-external-cpu`, for example of its exit status, its errors, and the environment variables
//! that it sets. The tests need the feature `command`, with which dev/scripts/downstream runs them.
#![cfg(target_os = "linux")]

use std::env;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use cuda_external_cpu::{InjectedFault, inject_fault};
use cuda_external_sys::{CUDA_ERROR_UNKNOWN, CUDA_SUCCESS, cuInit};

fn cpu_command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cuda-external-cpu"));
    command.args(arguments).env("XDG_CACHE_HOME", env!("CARGO_TARGET_TMPDIR")).env_remove("VK_LAYER_PATH");
    command
}

fn run_command(arguments: &[&str]) -> Output {
    cpu_command(arguments).output().unwrap()
}

fn run_command_with_variable(arguments: &[&str], name: &str, value: &str) -> Output {
    cpu_command(arguments).env(name, value).output().unwrap()
}

#[test]
fn the_exit_status_and_the_variables_are_the_programs() {
    let output = run_command(&["--fault", "cuInit=2", "sh", "-c", "echo $CUDA_EXTERNAL_CPU_FAULTS; exit 7"]);
    assert_eq!((output.status.code(), &output.stdout[..]), (Some(7), &b"cuInit=2\n"[..]));
    let output = run_command(&["--environment"]);
    let text = String::from_utf8(output.stdout).unwrap();
    let names = text.lines().map(|line| line.split_once('=').unwrap().0);
    assert_eq!(
        names.collect::<Vec<_>>(),
        ["LD_LIBRARY_PATH", "LIBRARY_PATH", "VK_INSTANCE_LAYERS", "VK_LAYER_PATH"]
    );
}

#[test]
fn every_name_is_exported_and_a_call_of_an_absent_function_is_printed_once() {
    let program = "import ctypes; driver = ctypes.CDLL('libcuda.so.1'); driver.cuInit(0)
for _ in range(2): assert driver.cuMulticastCreate(None, None) == driver.cuGetExportTable(None, None) == 801
driver.cuDevicePrimaryCtxRetain(ctypes.byref(context := ctypes.c_void_p()), 0); driver.cuCtxSetCurrent(context)
driver.cuLinkCreate_v2(0, None, None, ctypes.byref(link := ctypes.c_void_p()))
assert driver.cuLinkAddData_v2(link, 0, b'', ctypes.c_size_t(1), None, 0, None, None) == 801
for name in open(0).read().split(): getattr(driver, name)";
    let mut command = cpu_command(&["--unsupported", "python3", "-c", program]);
    let mut child = command.stdin(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let names = Vec::from_iter(build_script::driver_exports::driver_symbols().into_keys()).join(" ");
    child.stdin.take().unwrap().write_all(names.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8_lossy(&output.stderr);
    let lines = ["cuMulticastCreate is not supported", "a case of cuLinkAddData_v2 is not supported"];
    assert_eq!(text, lines.map(|line| format!("cuda-external-cpu: {line}\n")).concat());
    assert!(output.status.success());
}

/// Python's `ctypes` looks up NVRTC's functions by `dlsym`, like programs that load NVRTC on demand.
#[test]
fn a_program_that_asks_nvrtc_for_a_cubin_gets_ptx() {
    let library = Path::new(env!("CARGO_TARGET_TMPDIR")).join("libnvrtc.so.12");
    let source = "int nvrtcGetCUBIN() { return 1; } int nvrtcGetPTX() { return 2; }
        int nvrtcGetCUBINSize() { return 3; } int nvrtcGetPTXSize() { return 4; }";
    let mut compiler = Command::new("cc");
    compiler.args(["-shared", "-x", "c", "-", "-o"]).arg(&library);
    let mut compiler = compiler.stdin(Stdio::piped()).spawn().unwrap();
    compiler.stdin.take().unwrap().write_all(source.as_bytes()).unwrap();
    assert!(compiler.wait().unwrap().success());
    let program = "import ctypes, sys; nvrtc = ctypes.CDLL(sys.argv[1])
print(nvrtc.nvrtcGetCUBIN(), nvrtc.nvrtcGetCUBINSize(), nvrtc.nvrtcGetPTX())";
    let program = ["python3", "-c", program, library.to_str().unwrap()];
    for (options, answers) in [(&["--nvrtc-ptx"][..], "2 4 2\n"), (&[], "1 3 2\n")] {
        let output = run_command(&[options, &program].concat());
        assert_eq!(String::from_utf8_lossy(&output.stdout), answers, "{output:?}");
    }
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
        (&["--fault", "cuInit=0", "true"], 2),
        (&["--fault", "cuInit=delay:x", "true"], 2),
        (&["--fault", "cuInitt=100", "true"], 2),
        (&["--unknown"], 2),
        (&["/no/such/program"], 127),
        (&["--help"], 0),
    ] {
        assert_eq!(run_command(arguments).status.code(), Some(code), "{arguments:?}");
    }
    // The driver itself reads these two variables, and aborts the process if a value is wrong.
    let program =
        "import ctypes; cuda = ctypes.CDLL('libcuda.so.1'); cuda.cuInit(0); cuda.cuDeviceGetCount(None)";
    for (name, value, words) in [
        ("CUDA_EXTERNAL_CPU_DEVICES", "99", "99: not a number from 1 to 8\n"),
        ("CUDA_EXTERNAL_CPU_FAULTS", "cuInit=2,cuMemAlocc=2", "the nearest name is cuMemAlloc\n"),
    ] {
        let output = run_command_with_variable(&["python3", "-c", program], name, value);
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code().is_none() && text.ends_with(words), "{text}");
    }
}

#[test]
fn a_cache_that_the_loader_cannot_name_is_passed_over() {
    for cache in ["/tmp/a;b", "/tmp/a$b", "/tmp/a:b", "/proc/1/none"] {
        let first_path = ["sh", "-c", "echo ${LIBRARY_PATH%%:*}"];
        let output = run_command_with_variable(&first_path, "XDG_CACHE_HOME", cache);
        let directory = PathBuf::from(String::from_utf8(output.stdout).unwrap().trim());
        assert!(!directory.starts_with(cache) && directory.join("libcuda.so.1").exists(), "{directory:?}");
    }
}

/// This process has two copies of the driver: one in the test program, and one in libcuda.so.1. The test's `cuInit` is
/// that of libcuda.so.1, so `inject_fault` must add the fault to both copies.
#[test]
fn a_fault_reaches_the_driver_that_the_program_has() {
    const STARTED: &str = "CUDA_EXTERNAL_CPU_TEST_STARTED";
    if env::var_os(STARTED).is_none() {
        let this = env::current_exe().unwrap();
        let name = "a_fault_reaches_the_driver_that_the_program_has";
        let output = run_command_with_variable(&[this.to_str().unwrap(), "--exact", name], STARTED, "1");
        assert!(output.status.success(), "{output:?}");
        return;
    }
    let fault = || "cuInit=999".parse::<InjectedFault>().unwrap();
    inject_fault(fault());
    // SAFETY: cuInit takes no pointer, here and below.
    assert_eq!(unsafe { cuInit(0) }, CUDA_ERROR_UNKNOWN);
    cuda_external_cpu::clear_faults();
    assert_eq!(unsafe { cuInit(0) }, CUDA_SUCCESS);
    let scope = fault().in_this_thread();
    assert_eq!(unsafe { cuInit(0) }, CUDA_ERROR_UNKNOWN);
    drop(scope);
    assert_eq!(unsafe { cuInit(0) }, CUDA_SUCCESS);
}
