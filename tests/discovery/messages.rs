//! What the user reads.

use crate::drawn::{ARM, Drawn, LINUX, WINDOWS};
use crate::toolkit::VARIABLES;

#[test]
fn every_variable_is_in_the_report() {
    for machine in [Drawn::up(LINUX), Drawn::crossing(LINUX, ARM), Drawn::up(WINDOWS)] {
        let text = machine.not_found();
        for (name, _) in VARIABLES {
            assert!(text.contains(&format!(" {name} unset ")), "{name}: {text}");
        }
    }
}

/// A variable is set, in a machine that has a toolkit in `cuda`: the message has a hint.
#[track_caller]
fn assert_hint(name: &str, value: &str, hint: &str) {
    let mut machine = Drawn::up(LINUX);
    machine.header("cuda/include", "12.0");
    machine.set_to(name, value);
    let text = machine.unusable();
    assert!(text.contains(hint), "{text}");
}

#[test]
fn an_include_folder_that_is_a_root() {
    let name = "CUDA_EXTERNAL_SYS_INCLUDE_DIR";
    let hint = "cuda.h is in its include folder: set CUDA_EXTERNAL_SYS_INCLUDE_DIR=/cuda/include ";
    assert_hint(name, "cuda", hint);
    let hint = "cuda.h is in its include folder: set X86_64_UNKNOWN_LINUX_GNU_\
                CUDA_EXTERNAL_SYS_INCLUDE_DIR=/cuda/include ";
    assert_hint(&format!("X86_64_UNKNOWN_LINUX_GNU_{name}"), "cuda", hint);
}

#[test]
fn an_include_folder_that_is_cuda_h_itself() {
    let hint = "The folder is wanted, not the file: set CUDA_EXTERNAL_SYS_INCLUDE_DIR=/cuda/include ";
    assert_hint("CUDA_EXTERNAL_SYS_INCLUDE_DIR", "cuda/include/cuda.h", hint);
}

#[test]
fn a_root_that_is_something_in_it() {
    let hint = "The folder above include is wanted: set CUDA_HOME=/cuda ";
    for value in ["cuda/include", "cuda/include/cuda.h", "cuda/bin", "cuda/bin/nvcc", "cuda/lib64"] {
        assert_hint("CUDA_HOME", value, hint);
    }
}

#[test]
fn a_root_that_is_for_the_host_only() {
    let mut machine = Drawn::crossing(LINUX, ARM);
    machine.header("cuda/include", "12.0");
    machine.header("cuda/targets/x86_64-linux/include", "12.0");
    machine.set_to("CUDA_HOME", "cuda");
    let text = machine.unusable();
    let hint = "Its include folder is the host's. cuda.h is the same file on all platforms, so you may set \
                AARCH64_UNKNOWN_LINUX_GNU_CUDA_EXTERNAL_SYS_INCLUDE_DIR=/cuda/include ";
    assert!(text.contains("/cuda/targets/sbsa-linux/include no such folder"), "{text}");
    assert!(text.contains(hint), "{text}");
}

#[test]
fn a_wrong_variable_with_a_toolkit_elsewhere() {
    let mut machine = Drawn::up(LINUX);
    machine.header("usr/local/cuda/include", "12.9");
    machine.set_to("CUDA_ROOT", "missing");
    let text = machine.unusable();
    assert!(
        text.contains("Without CUDA_ROOT, CUDA 12.9 would be used, from /usr/local/cuda/include "),
        "{text}"
    );
}

#[test]
fn a_release_that_is_too_old() {
    let mut machine = Drawn::up(LINUX);
    machine.header("cuda/include", "11.2");
    machine.set_to("CUDA_PATH", "cuda");
    let text = machine.without_root(&machine.find().unwrap_err().to_string());
    let expected = "\
This cuda.h is of CUDA 11.2; the oldest that can be used is that of CUDA 11.7.

  /cuda/include/cuda.h
  found by CUDA_PATH

Install a newer toolkit, or name the folder of a newer cuda.h in CUDA_EXTERNAL_SYS_INCLUDE_DIR,
or set CUDA_EXTERNAL_SYS_BINDINGS=embedded to do without cuda.h.";
    assert_eq!(text, expected);
}

#[test]
fn a_long_path_is_not_broken() {
    let mut machine = Drawn::up(LINUX);
    let long = format!("missing/{}", "a".repeat(200));
    machine.set_to("CONDA_PREFIX", &long);
    let text = machine.not_found();
    assert!(text.contains(&format!(" CONDA_PREFIX /{long} ")), "{text}");
    assert!(text.contains(&format!(" /{long} no such folder ")), "{text}");
}

#[test]
fn a_root_that_nvcc_leads_to_is_in_the_report_once() {
    let mut machine = Drawn::up(LINUX);
    machine.file("cuda/bin/nvcc", b"");
    machine.set_path(["cuda/bin"]);
    let text = machine.not_found();
    assert_eq!(text.matches(" /cuda/include no such folder").count(), 1, "{text}");
}
