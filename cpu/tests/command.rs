//! The program: what the started program finds, and what is refused.
#![cfg(target_os = "linux")]

use std::ffi::{c_int, c_uint};
use std::process::{Command, Output};

fn run(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cuda-external-cpu"));
    command.args(arguments).env("XDG_CACHE_HOME", env!("CARGO_TARGET_TMPDIR")).env_remove("VK_LAYER_PATH");
    command.output().unwrap()
}

/// The started program: it opens the driver as a program in any language would.
#[test]
#[ignore = "runs in a child process"]
fn child() {
    let expected: c_int = std::env::var("CUDA_EXTERNAL_CPU_DEVICES").map_or(1, |text| text.parse().unwrap());
    // SAFETY: the functions have these types in cuda.h.
    unsafe {
        let driver = libc::dlopen(c"libcuda.so.1".as_ptr(), libc::RTLD_NOW);
        assert!(!driver.is_null());
        let symbol = |name: &std::ffi::CStr| {
            let symbol = libc::dlsym(driver, name.as_ptr());
            assert!(!symbol.is_null(), "{name:?}");
            symbol
        };
        let init: unsafe extern "C" fn(c_uint) -> c_uint = std::mem::transmute(symbol(c"cuInit"));
        let count: unsafe extern "C" fn(*mut c_int) -> c_uint =
            std::mem::transmute(symbol(c"cuDeviceGetCount"));
        symbol(c"vkNegotiateLoaderLayerInterfaceVersion");
        let mut devices = 0;
        assert_eq!((init(0), count(&mut devices), devices), (0, 0, expected));
    }
}

#[test]
fn a_program_finds_the_driver() {
    let this = std::env::current_exe().unwrap();
    for options in [&[][..], &["--devices", "2", "--"]] {
        let child = [this.to_str().unwrap(), "--exact", "child", "--ignored"];
        let output = run(&[options, &child].concat());
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    }
}

#[test]
fn the_exit_status_and_the_variables_are_the_programs() {
    let output = run(&["--fault", "cuInit=2", "sh", "-c", "echo $CUDA_EXTERNAL_CPU_FAULTS; exit 7"]);
    assert_eq!((output.status.code(), &output.stdout[..]), (Some(7), &b"cuInit=2\n"[..]));
    let output = run(&["--environment"]);
    let text = String::from_utf8(output.stdout).unwrap();
    let names = text.lines().map(|line| line.split_once('=').unwrap().0);
    assert_eq!(names.collect::<Vec<_>>(), ["LD_LIBRARY_PATH", "VK_INSTANCE_LAYERS", "VK_LAYER_PATH"]);
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
        (&["--kernels", "/no/such/file", "true"], 2),
        (&["--unknown"], 2),
        (&["/no/such/program"], 127),
        (&["--help"], 0),
    ] {
        assert_eq!(run(arguments).status.code(), Some(code), "{arguments:?}");
    }
}
